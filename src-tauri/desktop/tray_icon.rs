//! The lamp in the tray, painted: a disc in the colour that readers see, with
//! a glow while the owner is online; a grey ring while it is off. A diamond in the
//! corner shows that something needs the owner: by its shape, so that it does
//! not depend on colours.

/// The lamp's own colour, for a heartbeat that names none.
const AMBER: [u8; 3] = [255, 180, 84];
const UNLIT: [f32; 3] = [140.0, 140.0, 146.0];
const WHITE: [f32; 3] = [255.0; 3];
/// The diamond, from its middle to its corners, in sides of the picture.
const MARK: f32 = 0.19;
const MARK_COLOUR: [f32; 3] = [229.0, 57.0, 53.0];
/// Around it nothing is painted, so that it stands out at any size.
const MOAT: f32 = 0.06;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lamp {
    /// Away, or nothing is shared.
    Unlit,
    /// The owner is online, in this colour.
    Lit([u8; 3]),
}

impl Lamp {
    /// A lamp that is on, in `colour` or, without one, in amber.
    pub(super) fn lit(colour: Option<[u8; 3]>) -> Self {
        Self::Lit(colour.unwrap_or(AMBER))
    }

    /// A picture of it, `side` by `side` pixels: RGBA, alpha not multiplied in.
    /// `marked` when something needs the owner.
    pub(super) fn paint(self, side: u16, marked: bool) -> Vec<u8> {
        let side_length = f32::from(side);
        let centre = side_length / 2.0;
        let mut pixels = Vec::with_capacity(usize::from(side) * usize::from(side) * 4);
        for y in 0..side {
            for x in 0..side {
                let (dx, dy) = (f32::from(x) + 0.5 - centre, f32::from(y) + 0.5 - centre);
                let lamp = self.pixel(dx.hypot(dy) / side_length, 1.0 / side_length);
                pixels.extend(if marked {
                    let from_corner = |place: u16| (f32::from(side - place) - 0.5) / side_length;
                    mark(
                        lamp,
                        from_corner(x) - MARK,
                        from_corner(y) - MARK,
                        1.0 / side_length,
                    )
                } else {
                    lamp
                });
            }
        }
        pixels
    }

    /// The pixel at `distance` from the centre; both it and `pixel`, the width
    /// of one, are in sides of the picture.
    fn pixel(self, distance: f32, pixel: f32) -> [u8; 4] {
        let (radius, colour, glow) = match self {
            Self::Unlit => (0.34, UNLIT, 0.0),
            Self::Lit(colour) => {
                let glow = (1.0 - distance / 0.5).clamp(0.0, 1.0);
                (0.3, colour.map(f32::from), glow * glow * 1.9)
            }
        };
        // One pixel of the edge is blended, so that it is smooth.
        let disc = ((radius - distance) / pixel + 0.5).clamp(0.0, 1.0);
        let paint = match self {
            Self::Unlit => {
                let ring = ((distance - radius + 0.09) / pixel + 0.5).clamp(0.0, 1.0);
                return rgba(colour, disc * (0.35 + 0.65 * ring));
            }
            Self::Lit(_) => {
                let core = (1.0 - distance / (radius * 0.75)).clamp(0.0, 1.0);
                mix(colour, WHITE, core * 0.9)
            }
        };
        rgba(paint, disc.max(glow.min(0.85)))
    }
}

/// What the mark makes of a pixel at this distance from its middle; all in
/// sides of the picture.
fn mark(beneath: [u8; 4], x: f32, y: f32, pixel: f32) -> [u8; 4] {
    let distance = x.abs() + y.abs();
    let covers = |reach: f32| ((reach - distance) / pixel + 0.5).clamp(0.0, 1.0);
    if covers(MARK) > 0.0 {
        return rgba(MARK_COLOUR, covers(MARK));
    }
    let [red, green, blue, alpha] = beneath.map(f32::from);
    rgba(
        [red, green, blue],
        alpha / 255.0 * (1.0 - covers(MARK + MOAT)),
    )
}

fn mix(from: [f32; 3], to: [f32; 3], part: f32) -> [f32; 3] {
    std::array::from_fn(|channel| from[channel] + (to[channel] - from[channel]) * part)
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "0 to 255"
)]
fn rgba(colour: [f32; 3], alpha: f32) -> [u8; 4] {
    let [red, green, blue] = colour.map(|channel| channel.round() as u8);
    [red, green, blue, (alpha * 255.0).round() as u8]
}

#[cfg(test)]
mod tests {
    use super::Lamp;

    fn pixel(picture: &[u8], side: usize, x: usize, y: usize) -> [u8; 4] {
        let at = (y * side + x) * 4;
        [
            picture[at],
            picture[at + 1],
            picture[at + 2],
            picture[at + 3],
        ]
    }

    #[test]
    fn a_lit_icon_has_the_colour_of_the_presence_around_a_bright_core() {
        let picture = Lamp::lit(Some([233, 30, 99])).paint(64, false);
        assert_eq!(picture.len(), 64 * 64 * 4);
        assert_eq!(pixel(&picture, 64, 32, 48), [233, 30, 99, 255]);
        let [red, green, blue, alpha] = pixel(&picture, 64, 32, 32);
        assert!(red > 225 && green > 180 && blue > 180 && alpha == 255);
    }

    #[test]
    fn the_glow_of_a_lit_icon_ends_within_the_picture() {
        let picture = Lamp::lit(None).paint(64, false);
        let glow = pixel(&picture, 64, 32, 54)[3];
        assert!((20..235).contains(&glow), "{glow}");
        for edge in 0..64 {
            assert!(pixel(&picture, 64, 0, edge)[3] < 8);
            assert!(pixel(&picture, 64, edge, 63)[3] < 8);
        }
    }

    #[test]
    fn an_unlit_icon_is_grey_and_does_not_glow() {
        let picture = Lamp::Unlit.paint(32, false);
        let [red, green, blue, alpha] = pixel(&picture, 32, 16, 16);
        assert!(red.abs_diff(green) < 8 && green.abs_diff(blue) < 8);
        assert!((60..200).contains(&alpha));
        assert_eq!(pixel(&picture, 32, 16, 29)[3], 0);
    }

    #[test]
    fn the_mark_is_a_diamond_in_the_corner_and_does_not_cover_the_icon() {
        for lamp in [Lamp::Unlit, Lamp::lit(None)] {
            let (plain, marked) = (lamp.paint(64, false), lamp.paint(64, true));
            assert_eq!(pixel(&marked, 64, 51, 51), [229, 57, 53, 255]);
            // Its corners reach the edges, and beside them nothing is painted.
            assert_eq!(pixel(&marked, 64, 62, 51)[..3], [229, 57, 53]);
            assert_eq!(pixel(&marked, 64, 62, 62)[3], 0);
            assert_eq!(pixel(&marked, 64, 44, 44)[3], 0);
            for (x, y) in [(32, 16), (16, 32), (32, 32)] {
                assert_eq!(pixel(&marked, 64, x, y), pixel(&plain, 64, x, y));
            }
        }
    }
}
