//! What an animation shows: frames drawn over each other, one after another. The rules are those
//! that GIF, APNG and WebP share.

use super::picture::{Layout, Picture};

/// How a frame meets what is below it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Blend {
    /// Takes its place, transparency too.
    Replace,
    /// Lies over it.
    Over,
}

/// What happens to the place of a frame once its time is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Dispose {
    Keep,
    /// It becomes transparent.
    Clear,
    /// It becomes what it was before the frame.
    Restore,
}

/// One frame of an animation.
#[derive(Debug)]
pub(super) struct Frame {
    /// Where its upper left corner is on the canvas, in pixels.
    pub(super) x: u32,
    pub(super) y: u32,
    /// With alpha.
    pub(super) picture: Picture,
    pub(super) blend: Blend,
    pub(super) dispose: Dispose,
    /// How long it is shown.
    pub(super) milliseconds: u32,
}

/// The part of the canvas that a frame covers, in pixels.
#[derive(Debug, Clone, Copy)]
struct Area {
    x: usize,
    y: usize,
    width: usize,
    height: usize,
}

/// The whole picture that an animation shows at one time.
pub(super) struct Canvas {
    picture: Picture,
    /// The latest frame's place, and what it becomes: transparent, or these pixels.
    leaving: Option<(Area, Option<Vec<[u8; 4]>>)>,
}

impl Canvas {
    /// Transparent all over.
    pub(super) fn new(width: u32, height: u32) -> Self {
        let pixels = vec![0; width as usize * height as usize * 4];
        Self {
            picture: Picture {
                width,
                height,
                layout: Layout::Rgba,
                pixels,
            },
            leaving: None,
        }
    }

    /// What is shown while `frame` has its time. What sticks out of the canvas is cut off.
    pub(super) fn draw(&mut self, frame: &Frame) -> &Picture {
        self.leave();
        let (x, y) = (
            frame.x.min(self.picture.width),
            frame.y.min(self.picture.height),
        );
        let area = Area {
            x: x as usize,
            y: y as usize,
            width: frame.picture.width.min(self.picture.width - x) as usize,
            height: frame.picture.height.min(self.picture.height - y) as usize,
        };
        self.leaving = match frame.dispose {
            Dispose::Keep => None,
            Dispose::Clear => Some((area, None)),
            Dispose::Restore => {
                let before = self
                    .rows(area)
                    .flat_map(|row| row.iter().copied())
                    .collect();
                Some((area, Some(before)))
            }
        };
        let from = frame.picture.pixels.as_chunks::<4>().0;
        let from = from.chunks_exact(frame.picture.width as usize);
        for (to, from) in self.rows(area).zip(from) {
            let from = &from[..area.width];
            match frame.blend {
                Blend::Replace => to.copy_from_slice(from),
                Blend::Over => to
                    .iter_mut()
                    .zip(from)
                    .for_each(|(to, from)| *to = over(*from, *to)),
            }
        }
        &self.picture
    }

    /// The canvas as it is.
    pub(super) fn into_picture(self) -> Picture {
        self.picture
    }

    fn leave(&mut self) {
        match self.leaving.take() {
            None => {}
            Some((area, None)) => self.rows(area).for_each(|row| row.fill([0; 4])),
            Some((area, Some(before))) => {
                let mut before = before.as_slice();
                for row in self.rows(area) {
                    let (this, rest) = before.split_at(row.len());
                    row.copy_from_slice(this);
                    before = rest;
                }
            }
        }
    }

    fn rows(&mut self, area: Area) -> impl Iterator<Item = &mut [[u8; 4]]> {
        let width = self.picture.width as usize;
        let pixels = self.picture.pixels.as_chunks_mut::<4>().0;
        pixels
            .chunks_exact_mut(width)
            .skip(area.y)
            .take(area.height)
            .map(move |row| &mut row[area.x..area.x + area.width])
    }
}

/// `above` over `below`, both with colours that are not multiplied by their alpha.
fn over(above: [u8; 4], below: [u8; 4]) -> [u8; 4] {
    match (above[3], below[3]) {
        (255, _) | (_, 0) if above[3] > 0 => above,
        (0, _) => below,
        _ => {
            let (a, b) = (u32::from(above[3]), u32::from(below[3]));
            // What shows of the one below, in parts of 255 × 255.
            let (a, b) = (a * 255, b * (255 - a));
            let sum = a + b;
            let mix = |n: usize| {
                ((u32::from(above[n]) * a + u32::from(below[n]) * b + sum / 2) / sum) as u8
            };
            [mix(0), mix(1), mix(2), ((sum + 127) / 255) as u8]
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RED: [u8; 4] = [255, 0, 0, 255];
    const BLUE: [u8; 4] = [0, 0, 255, 255];
    const NONE: [u8; 4] = [0; 4];

    fn frame(x: u32, colours: &[[u8; 4]], blend: Blend, dispose: Dispose) -> Frame {
        let picture = Picture {
            width: colours.len() as u32,
            height: 1,
            layout: Layout::Rgba,
            pixels: colours.concat(),
        };
        Frame {
            x,
            y: 0,
            picture,
            blend,
            dispose,
            milliseconds: 0,
        }
    }

    #[test]
    fn each_disposal_of_a_frame_leaves_the_right_canvas() {
        let after = |dispose| {
            let mut canvas = Canvas::new(3, 1);
            canvas.draw(&frame(0, &[RED, RED, RED], Blend::Over, Dispose::Keep));
            canvas.draw(&frame(1, &[BLUE], Blend::Over, dispose));
            canvas
                .draw(&frame(2, &[BLUE], Blend::Over, Dispose::Keep))
                .pixels
                .clone()
        };
        assert_eq!(after(Dispose::Keep), [RED, BLUE, BLUE].concat());
        assert_eq!(after(Dispose::Clear), [RED, NONE, BLUE].concat());
        assert_eq!(after(Dispose::Restore), [RED, RED, BLUE].concat());
    }

    #[test]
    fn replacing_takes_transparency_along_and_lying_over_does_not() {
        let drawn = |blend| {
            let mut canvas = Canvas::new(1, 1);
            canvas.draw(&frame(0, &[RED], Blend::Over, Dispose::Keep));
            canvas
                .draw(&frame(0, &[NONE], blend, Dispose::Keep))
                .pixels
                .clone()
        };
        assert_eq!(drawn(Blend::Replace), NONE);
        assert_eq!(drawn(Blend::Over), RED);
    }

    #[test]
    fn a_frame_beyond_the_canvas_is_cropped() {
        let mut canvas = Canvas::new(2, 1);
        let shown = canvas.draw(&frame(1, &[RED, BLUE], Blend::Over, Dispose::Clear));
        assert_eq!(shown.pixels, [NONE, RED].concat());
        canvas.draw(&frame(9, &[BLUE], Blend::Over, Dispose::Keep));
        assert_eq!(canvas.into_picture().pixels, [NONE, NONE].concat());
    }

    #[test]
    fn half_transparent_over_opaque_mixes_and_over_nothing_stays() {
        assert_eq!(over([255, 0, 0, 128], BLUE), [128, 0, 127, 255]);
        assert_eq!(over([255, 0, 0, 128], NONE), [255, 0, 0, 128]);
        assert_eq!(over(NONE, BLUE), BLUE);
        assert_eq!(over([9, 9, 9, 0], NONE), NONE);
    }
}
