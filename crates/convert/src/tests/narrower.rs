//! Narrower copies.

use super::sources::{cutout, drawing, frame, gif, jpeg, patch, photo, png};
use super::{converted, pixels, psnr};
use crate::{ConvertError, narrow};

#[test]
fn a_narrower_copy_keeps_its_proportions_and_looks_the_same() {
    let photo = photo(640, 401);
    let stored = converted(&jpeg(photo.clone())).webp;
    let narrower = narrow(&stored, 320, 80).unwrap().unwrap();
    let shown = pixels(&narrower);
    assert_eq!((shown.width(), shown.height()), (320, 201));
    let scaled = image::DynamicImage::from(photo).resize_exact(
        320,
        201,
        image::imageops::FilterType::Lanczos3,
    );
    let psnr = psnr(&shown, &scaled);
    assert!(psnr > 33.0, "{psnr:.1} dB");
    assert!(narrower.len() < stored.len());
    assert_eq!(narrow(&stored, 320, 80).unwrap().unwrap(), narrower);
}

#[test]
fn a_copy_is_never_wider_than_the_original() {
    let stored = converted(&jpeg(photo(320, 200))).webp;
    for width in [0, 320, 321, 1920] {
        assert_eq!(narrow(&stored, width, 80), Ok(None));
    }
}

#[test]
fn a_copy_that_would_be_larger_is_not_made() {
    // Flat art of many small fields compresses better as it is than blurred by scaling.
    let stored = converted(&png(drawing(1000, 700))).webp;
    assert_eq!(narrow(&stored, 960, 80), Ok(None));
}

#[test]
fn alpha_is_scaled_without_dark_edges() {
    let mut image = cutout(400, 100);
    // What cannot be seen is black here, and must not be seen in the copy either.
    image.pixels_mut().for_each(|p| {
        let [r, g, b, a] = p.0;
        p.0 = if a < 128 {
            [0; 4]
        } else {
            [190 + r / 4, 190 + g / 4, 190 + b / 4, 255]
        };
    });
    let stored = converted(&png(image)).webp;
    let narrower = narrow(&stored, 100, 80).unwrap().unwrap();
    let shown = pixels(&narrower).into_rgba8();
    assert!(
        shown
            .pixels()
            .filter(|p| p.0[3] > 200)
            .all(|p| p.0[0] > 170)
    );
}

#[test]
fn a_narrower_animation_is_an_animation() {
    let frames: Vec<_> = (0..6)
        .map(|n| {
            frame(
                n * 40,
                patch(40, [n as u8 * 40, 100, 200 - n as u8 * 30, 255]),
                10,
                0,
            )
        })
        .collect();
    let wide = image::DynamicImage::from(photo(240, 40)).to_rgba8();
    let frames = [vec![frame(0, wide, 10, 0)], frames].concat();
    let stored = converted(&gif(240, 40, Some(0), &frames)).webp;
    let narrower = narrow(&stored, 120, 80).unwrap().unwrap();
    let images = webp::AnimDecoder::new(&narrower).decode().unwrap();
    let times: Vec<i32> = images
        .into_iter()
        .map(|frame| frame.get_time_ms())
        .collect();
    assert_eq!(times, (1..=7).map(|n| n * 100).collect::<Vec<_>>());
    let first = images.get_frame(0).unwrap();
    assert_eq!((first.width(), first.height()), (120, 20));
}

#[test]
fn a_source_that_is_no_webp_is_refused() {
    assert!(matches!(
        narrow(b"nothing", 100, 80),
        Err(ConvertError::Invalid(_))
    ));
}
