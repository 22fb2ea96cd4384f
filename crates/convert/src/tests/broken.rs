//! Broken files: refused by name, never a panic, never half a picture.

use super::sources::{
    FlatJpeg, apng, cutout, encoded, flat_jpeg, frame, gif, jpeg, lossless_webp, lossy_webp,
    lossy_webp_with_alpha, patch, photo, png,
};
use super::{OPTIONS, converted};
use crate::{ConvertError, convert};

fn animation() -> Vec<super::sources::Still> {
    vec![
        frame(0, patch(24, [200, 10, 10, 255]), 10, 0),
        frame(3, patch(17, [10, 200, 10, 255]), 10, 1),
        frame(5, patch(9, [10, 10, 200, 255]), 10, 2),
    ]
}

fn whole() -> Vec<(&'static str, Vec<u8>)> {
    let blocks: Vec<[u8; 4]> = (0..12).map(|n| [n * 20, 255 - n * 9, n, 40]).collect();
    let ink = FlatJpeg {
        adobe: Some(0),
        progressive: false,
    };
    vec![
        ("JPEG", jpeg(photo(40, 30))),
        (
            "progressive JPEG",
            flat_jpeg(
                &blocks,
                4,
                FlatJpeg {
                    progressive: true,
                    ..ink
                },
            ),
        ),
        ("CMYK JPEG", flat_jpeg(&blocks, 4, ink)),
        ("PNG", png(photo(40, 30))),
        ("PNG with alpha", png(cutout(40, 30))),
        ("APNG", apng(24, 24, 0, &animation())),
        ("GIF", gif(24, 24, Some(0), &animation())),
        ("lossy WebP", lossy_webp(&photo(40, 30))),
        ("lossless WebP", lossless_webp(&photo(20, 15))),
        ("WebP with alpha", lossy_webp_with_alpha(&cutout(40, 30))),
        (
            "animated WebP",
            converted(&gif(24, 24, Some(0), &animation())).webp,
        ),
        ("BMP", encoded(photo(20, 15), image::ImageFormat::Bmp)),
        ("TIFF", encoded(photo(20, 15), image::ImageFormat::Tiff)),
        ("QOI", encoded(photo(20, 15), image::ImageFormat::Qoi)),
        ("ICO", encoded(cutout(20, 15), image::ImageFormat::Ico)),
    ]
}

fn is_refusal(error: &ConvertError) -> bool {
    matches!(error, ConvertError::Invalid(_) | ConvertError::Unsupported)
}

#[test]
fn a_file_cut_anywhere_is_refused() {
    for (name, source) in whole() {
        let whole = convert(&source, &OPTIONS).expect(name);
        for length in 0..source.len() {
            match convert(&source[..length], &OPTIONS) {
                Err(error) if is_refusal(&error) => {}
                // What is missing is an end mark, a checksum or padding, and nothing of the picture.
                Ok(cut) if cut.webp == whole.webp && length + 20 >= source.len() => {}
                // Its whole frames.
                Ok(cut) if name == "GIF" && cut.frames < whole.frames => {}
                other => panic!("{name} cut at {length} of {}: {other:?}", source.len()),
            }
        }
    }
}

#[test]
fn a_webp_whose_pixels_are_cut_inside_a_whole_container_is_refused() {
    for source in [lossy_webp(&photo(40, 30)), lossless_webp(&photo(20, 15))] {
        for cut in [8, 64, source.len() / 2] {
            let mut short = source[..(source.len() - cut) & !1].to_vec();
            let chunk = short.len() as u32 - 20;
            short[16..20].copy_from_slice(&chunk.to_le_bytes());
            short[4..8].copy_from_slice(&(chunk + 12).to_le_bytes());
            let result = convert(&short, &OPTIONS);
            assert!(
                matches!(result, Err(ConvertError::Invalid(_))),
                "{cut}: {result:?}"
            );
        }
    }
}

#[test]
fn a_jpeg_that_ends_early_with_an_end_mark_is_refused() {
    let source = jpeg(photo(200, 160));
    let mut short = source[..source.len() / 2].to_vec();
    short.extend([0xFF, 0xD9]);
    let result = convert(&short, &OPTIONS);
    assert!(
        matches!(result, Err(ConvertError::Invalid(_))),
        "{result:?}"
    );
}

#[test]
fn flipped_bytes_never_panic_and_stored_images_decode() {
    for (name, source) in whole() {
        let step = (source.len() / 60).max(1);
        for at in (0..source.len()).step_by(step) {
            for flip in [0xFF, 0x80, 0x01] {
                let mut flipped = source.clone();
                flipped[at] ^= flip;
                match convert(&flipped, &OPTIONS) {
                    Ok(stored) => {
                        let again = convert(&stored.webp, &OPTIONS);
                        let same = again.as_ref().is_ok_and(|again| again.webp == stored.webp);
                        assert!(same, "{name}, byte {at} by {flip}");
                    }
                    Err(ConvertError::Internal(reason)) => panic!("{name}, byte {at}: {reason}"),
                    Err(_) => {}
                }
            }
        }
    }
}

#[test]
fn beginnings_with_nothing_behind_them_never_panic() {
    for (name, source) in whole() {
        for length in [4, 12, 16, 32] {
            let mut padded = source[..length].to_vec();
            padded.extend([0; 300]);
            let result = convert(&padded, &OPTIONS);
            let fine = result.is_ok()
                || result
                    .as_ref()
                    .is_err_and(|error| is_refusal(error) || *error == ConvertError::TooLarge);
            assert!(fine, "{name}: {result:?}");
        }
    }
}
