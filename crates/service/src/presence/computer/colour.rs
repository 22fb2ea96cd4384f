//! A program's colour: the dominant one of its icon, or one derived from its
//! name.

use color_thief::{Color, ColorFormat};
use sha2::{Digest as _, Sha256};

use crate::text::rgba::Rgba;

/// An icon of which less is painted has no colour: the palette of nothing is
/// white.
const LEAST_PAINTED: f32 = 0.05;

/// The colour of RGBA pixels; `None` where hardly anything is painted.
pub(super) fn of_pixels(rgba: &[u8]) -> Option<Rgba> {
    let (pixels, _) = rgba.as_chunks::<4>();
    let painted = pixels.iter().filter(|[.., alpha]| *alpha >= 125).count();
    #[expect(clippy::cast_precision_loss, reason = "a share of a small picture")]
    let share = painted as f32 / pixels.len().max(1) as f32;
    // The library divides by the number of colours it finds.
    if share < LEAST_PAINTED || painted < 16 {
        return None;
    }
    // Icons are small: every second pixel is sampled.
    let palette = color_thief::get_palette(rgba, ColorFormat::Rgba, 2, 6).ok()?;
    let chosen = palette
        .iter()
        .find(|colour| stands_out(colour))
        .or(palette.first())?;
    Some(Rgba::opaque(chosen.r, chosen.g, chosen.b))
}

/// Whether it is neither grey nor nearly black or white.
fn stands_out(colour: &Color) -> bool {
    let parts = [colour.r, colour.g, colour.b];
    let most = parts.iter().max().copied().unwrap_or_default();
    let least = parts.iter().min().copied().unwrap_or_default();
    most > 60 && least < 220 && most - least > 50
}

/// The colour of a PNG file; `None` where it is none, or not painted.
#[cfg(target_os = "linux")]
pub(super) fn of_png(file: &std::path::Path) -> Option<Rgba> {
    use image::{ImageFormat, ImageReader, Limits};

    /// The largest side of an icon that is read, in pixels.
    const LARGEST_SIDE: u32 = 1_024;

    let mut reader = ImageReader::open(file).ok()?;
    reader.set_format(ImageFormat::Png);
    let mut limits = Limits::default();
    limits.max_image_width = Some(LARGEST_SIDE);
    limits.max_image_height = Some(LARGEST_SIDE);
    reader.limits(limits);
    of_pixels(reader.decode().ok()?.to_rgba8().as_raw())
}

/// The colour that a name gives: its own hue, never pale and never dark.
pub(super) fn from_name(name: &str) -> Rgba {
    let digest = Sha256::digest(name.to_lowercase().as_bytes());
    let hue = u16::from_be_bytes([digest[0], digest[1]]) % 360;
    let [red, green, blue] = of_hue(hue);
    Rgba::opaque(red, green, blue)
}

/// A hue in degrees at a saturation of 60 % and a lightness of 55 %, by the
/// usual formula of HSL (CSS Color 4, section 7.1).
fn of_hue(hue: u16) -> [u8; 3] {
    const SATURATION: f32 = 0.6;
    const LIGHTNESS: f32 = 0.55;
    [0.0, 8.0, 4.0].map(|offset| {
        let turn = (offset + f32::from(hue) / 30.0) % 12.0;
        let reach = SATURATION * LIGHTNESS.min(1.0 - LIGHTNESS);
        let part = LIGHTNESS - reach * (turn - 3.0).min(9.0 - turn).clamp(-1.0, 1.0);
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "0 to 255"
        )]
        let byte = (part * 255.0).round() as u8;
        byte
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_icon_has_no_colour() {
        assert_eq!(of_pixels(&[0; 48 * 48 * 4]), None);
        assert_eq!(of_pixels(&[]), None);
    }

    #[test]
    fn a_saturated_colour_wins_over_the_grey_around_it() {
        let mut pixels = [128, 128, 128, 255].repeat(48 * 30);
        pixels.extend([20, 90, 230, 255].repeat(48 * 18));
        let [red, green, blue] = of_pixels(&pixels)
            .and_then(|colour| colour.rgb())
            .expect("a colour");
        assert!(
            red < 60 && green < 120 && blue > 200,
            "{red},{green},{blue}"
        );
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_png_is_read_and_anything_else_is_skipped() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("icon.png");
        let green = image::RgbaImage::from_pixel(32, 32, image::Rgba([30, 180, 60, 255]));
        green.save(&file).expect("to write");
        let colour = of_png(&file).and_then(|colour| colour.rgb());
        let [red, green, blue] = colour.expect("a colour");
        assert!(red < 60 && green > 150 && blue < 90, "{red},{green},{blue}");
        std::fs::write(&file, "no picture").expect("to write");
        assert_eq!(of_png(&file), None);
    }

    #[test]
    fn hues_are_those_of_the_formula() {
        assert_eq!(of_hue(0), [209, 71, 71]);
        assert_eq!(of_hue(120), [71, 209, 71]);
        assert_eq!(of_hue(240), [71, 71, 209]);
    }
}
