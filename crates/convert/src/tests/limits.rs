//! Headers that claim too much, and animations that never end.

use super::sources::{frame, gif, jpeg, lossy_webp, patch, photo, png, png_chunk};
use super::{OPTIONS, converted, refused};
use crate::{ConvertError, ConvertOptions, convert};

/// The largest size that each header can claim, in a file that is otherwise whole.
fn lying_headers() -> Vec<(&'static str, Vec<u8>)> {
    let mut lying_jpeg = jpeg(photo(16, 16));
    let frame = lying_jpeg
        .windows(2)
        .position(|two| two == [0xFF, 0xC0])
        .unwrap();
    lying_jpeg[frame + 5..frame + 9].copy_from_slice(&[0xEA, 0x60, 0xEA, 0x60]);
    let mut lying_png = png(photo(16, 16));
    let header = [0, 0, 0xEA, 0x60, 0, 0, 0xEA, 0x60, 8, 2, 0, 0, 0];
    lying_png.splice(8..33, png_chunk(b"IHDR", &header));
    let mut lying_gif = gif(8, 8, None, &[frame_of(8)]);
    lying_gif[6..10].copy_from_slice(&[0x60, 0xEA, 0x60, 0xEA]);
    let mut lying_bmp = super::sources::encoded(photo(16, 16), image::ImageFormat::Bmp);
    lying_bmp[18..26].copy_from_slice(&[0x60, 0xEA, 0, 0, 0x60, 0xEA, 0, 0]);
    let mut lying_qoi = super::sources::encoded(photo(16, 16), image::ImageFormat::Qoi);
    lying_qoi[4..12].copy_from_slice(&[0, 0, 0xEA, 0x60, 0, 0, 0xEA, 0x60]);
    let mut lying_webp = lossy_webp(&photo(16, 16));
    lying_webp[26..30].copy_from_slice(&[0xFF, 0x3F, 0xFF, 0x3F]);
    vec![
        ("JPEG", lying_jpeg),
        ("PNG", lying_png),
        ("GIF", lying_gif),
        ("BMP", lying_bmp),
        ("QOI", lying_qoi),
        ("WebP", lying_webp),
    ]
}

fn frame_of(side: u32) -> super::sources::Still {
    frame(0, patch(side, [9, 9, 9, 255]), 10, 0)
}

#[test]
fn a_header_that_claims_too_many_pixels_is_refused_before_any_is_decoded() {
    for (name, source) in lying_headers() {
        assert_eq!(refused(&source), ConvertError::TooLarge, "{name}");
    }
}

#[test]
fn the_limit_is_the_last_size_that_passes() {
    let source = png(photo(40, 25));
    let at = |max_pixels| {
        convert(
            &source,
            &ConvertOptions {
                max_pixels,
                ..OPTIONS
            },
        )
    };
    assert!(at(1000).is_ok());
    assert_eq!(at(999), Err(ConvertError::TooLarge));
}

#[test]
fn the_frames_of_an_animation_have_a_total_limit() {
    let source = gif(64, 64, Some(0), &vec![frame_of(64); 10]);
    let at = |max_animation_pixels| {
        convert(
            &source,
            &ConvertOptions {
                max_animation_pixels,
                ..OPTIONS
            },
        )
    };
    assert!(at(40_960).is_ok());
    assert_eq!(at(40_959), Err(ConvertError::TooLarge));
    // A still is no animation.
    let still = gif(8, 8, Some(0), &[frame_of(8)]);
    assert!(
        convert(
            &still,
            &ConvertOptions {
                max_animation_pixels: 1,
                ..OPTIONS
            }
        )
        .is_ok()
    );
}

#[test]
fn a_frame_larger_than_its_canvas_is_measured_by_itself() {
    let source = gif(2, 2, Some(0), &[frame_of(2), frame_of(60)]);
    let at = |max_pixels| {
        convert(
            &source,
            &ConvertOptions {
                max_pixels,
                ..OPTIONS
            },
        )
    };
    assert_eq!(at(3599), Err(ConvertError::TooLarge));
    let shown = at(3600).unwrap();
    assert_eq!((shown.width, shown.height), (2, 2));
}

/// A canvas of four pixels hides what its frames cost: the header is what the budget goes by.
#[test]
fn a_frame_far_larger_than_its_canvas_is_refused() {
    let thin =
        |width, height| image::RgbaImage::from_pixel(width, height, image::Rgba([9, 9, 9, 255]));
    let source = |width, height| {
        let frames = [frame_of(2), frame(0, thin(width, height), 10, 0)];
        gif(2, 2, Some(0), &frames)
    };
    let sloppy = converted(&source(1_000, 1_000));
    assert_eq!((sloppy.width, sloppy.height), (2, 2));
    assert!(matches!(
        refused(&source(1_000, 1_001)),
        ConvertError::Invalid(_)
    ));
    let still = gif(2, 2, None, &[frame(0, thin(1_001, 1_000), 10, 0)]);
    assert!(matches!(refused(&still), ConvertError::Invalid(_)));
    // A canvas that is as large itself hides nothing.
    let honest = gif(1_001, 1_000, None, &[frame(0, thin(1_001, 1_000), 10, 0)]);
    assert_eq!(converted(&honest).width, 1_001);
}

#[test]
fn a_longer_picture_than_wanted_is_scaled_down_and_stays_so() {
    let wanted = ConvertOptions {
        max_side: 100,
        ..OPTIONS
    };
    let animation = gif(200, 50, Some(0), &vec![frame_of(50); 2]);
    for (source, size) in [
        (png(photo(400, 300)), (100, 75)),
        (lossy_webp(&photo(300, 400)), (75, 100)),
        (animation, (100, 25)),
        (png(photo(100, 40)), (100, 40)),
    ] {
        let stored = convert(&source, &wanted).unwrap();
        assert_eq!((stored.width, stored.height), size);
        let again = convert(&stored.webp, &wanted).unwrap();
        assert!(again.webp == stored.webp);
    }
}

#[test]
fn a_frame_of_a_dot_counts_as_one_of_4096_pixels() {
    let source = gif(2, 2, Some(0), &vec![frame_of(2); 10]);
    let at = |max_animation_pixels| {
        convert(
            &source,
            &ConvertOptions {
                max_animation_pixels,
                ..OPTIONS
            },
        )
    };
    assert!(at(40_960).is_ok());
    assert_eq!(at(40_959), Err(ConvertError::TooLarge));
}
