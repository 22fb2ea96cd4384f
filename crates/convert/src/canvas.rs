//! What an animation shows: frames drawn over each other, one after another. The rules are those
//! that GIF and APNG share.

use image::imageops::{crop_imm, replace};
use image::{DynamicImage, GenericImageView as _, RgbaImage};

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
    pub(super) place: (u32, u32),
    pub(super) image: RgbaImage,
    /// Whether it lies over what is below it, instead of taking its place, transparency too.
    pub(super) blends: bool,
    pub(super) dispose: Dispose,
    /// How long it is shown.
    pub(super) milliseconds: u32,
}

impl Frame {
    /// One that is the whole of what is shown.
    pub(super) fn whole(image: DynamicImage, milliseconds: u32) -> Self {
        Self {
            place: (0, 0),
            image: image.into_rgba8(),
            blends: false,
            dispose: Dispose::Keep,
            milliseconds,
        }
    }
}

/// The whole picture that an animation shows at one time.
pub(super) struct Canvas {
    shown: RgbaImage,
    /// What takes the place of the latest frame, and where.
    next: Option<(RgbaImage, (u32, u32))>,
}

impl Canvas {
    /// Transparent all over.
    pub(super) fn new((width, height): (u32, u32)) -> Self {
        Self {
            shown: RgbaImage::new(width, height),
            next: None,
        }
    }

    /// What is shown while `frame` has its time. What sticks out of the canvas is cut off.
    pub(super) fn draw(&mut self, frame: &Frame) -> &RgbaImage {
        if let Some((image, (x, y))) = self.next.take() {
            replace(&mut self.shown, &image, x.into(), y.into());
        }
        let ((x, y), (width, height)) = (frame.place, frame.image.dimensions());
        let place = crop_imm(&self.shown, x, y, width, height);
        let next = match frame.dispose {
            Dispose::Keep => None,
            Dispose::Clear => Some(RgbaImage::new(place.width(), place.height())),
            Dispose::Restore => Some(place.to_image()),
        };
        self.next = next.map(|next| (next, frame.place));
        for (right, down, above) in frame.image.enumerate_pixels() {
            let below = self.shown.get_pixel_mut_checked(x + right, y + down);
            match below {
                Some(below) if frame.blends => below.0 = over(above.0, below.0),
                Some(below) => *below = *above,
                None => {}
            }
        }
        &self.shown
    }
}

/// `above` over `below`, both with colours that are not multiplied by their alpha.
fn over(above: [u8; 4], below: [u8; 4]) -> [u8; 4] {
    match (above[3], below[3]) {
        (0, _) => below,
        (255, _) | (_, 0) => above,
        (a, b) => {
            // What shows of each, in parts of 255 × 255.
            let (a, b) = (u32::from(a) * 255, u32::from(b) * (255 - u32::from(a)));
            let sum = a + b;
            let mix = |(above, below): (u8, u8)| {
                ((u32::from(above) * a + u32::from(below) * b + sum / 2) / sum) as u8
            };
            let [red, green, blue] = [0, 1, 2].map(|at| mix((above[at], below[at])));
            [red, green, blue, ((sum + 127) / 255) as u8]
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RED: [u8; 4] = [255, 0, 0, 255];
    const BLUE: [u8; 4] = [0, 0, 255, 255];
    const NONE: [u8; 4] = [0; 4];

    fn frame(x: u32, colours: &[[u8; 4]], blends: bool, dispose: Dispose) -> Frame {
        let image = RgbaImage::from_raw(colours.len() as u32, 1, colours.concat());
        Frame {
            place: (x, 0),
            image: image.expect("pixels"),
            blends,
            dispose,
            milliseconds: 0,
        }
    }

    #[test]
    fn each_disposal_of_a_frame_leaves_the_right_canvas() {
        let after = |dispose| {
            let mut canvas = Canvas::new((3, 1));
            canvas.draw(&frame(0, &[RED, RED, RED], true, Dispose::Keep));
            canvas.draw(&frame(1, &[BLUE], true, dispose));
            canvas
                .draw(&frame(2, &[BLUE], true, Dispose::Keep))
                .to_vec()
        };
        assert_eq!(after(Dispose::Keep), [RED, BLUE, BLUE].concat());
        assert_eq!(after(Dispose::Clear), [RED, NONE, BLUE].concat());
        assert_eq!(after(Dispose::Restore), [RED, RED, BLUE].concat());
    }

    #[test]
    fn replacing_takes_transparency_along_and_lying_over_does_not() {
        let drawn = |blends| {
            let mut canvas = Canvas::new((1, 1));
            canvas.draw(&frame(0, &[RED], true, Dispose::Keep));
            canvas
                .draw(&frame(0, &[NONE], blends, Dispose::Keep))
                .to_vec()
        };
        assert_eq!(drawn(false), NONE);
        assert_eq!(drawn(true), RED);
    }

    #[test]
    fn a_frame_beyond_the_canvas_is_cropped() {
        let mut canvas = Canvas::new((2, 1));
        let shown = canvas.draw(&frame(1, &[RED, BLUE], true, Dispose::Clear));
        assert_eq!(shown.to_vec(), [NONE, RED].concat());
        let shown = canvas.draw(&frame(9, &[BLUE], true, Dispose::Keep));
        assert_eq!(shown.to_vec(), [NONE, NONE].concat());
    }

    #[test]
    fn half_transparent_over_opaque_mixes_and_over_nothing_stays() {
        let over = |above: [u8; 4], below: [u8; 4]| {
            let mut canvas = Canvas::new((1, 1));
            canvas.draw(&frame(0, &[below], false, Dispose::Keep));
            canvas
                .draw(&frame(0, &[above], true, Dispose::Keep))
                .to_vec()
        };
        assert_eq!(over([255, 0, 0, 128], BLUE), [128, 0, 127, 255]);
        assert_eq!(over([255, 0, 0, 128], NONE), [255, 0, 0, 128]);
        assert_eq!(over(NONE, BLUE), BLUE);
    }
}
