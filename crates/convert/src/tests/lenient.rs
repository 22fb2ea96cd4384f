//! Files that end a little wrongly: browsers show them, and so they are taken, if the pixels are all there.

use super::sources::{
    FlatJpeg, apng, exif, flat_jpeg, frame, gif, jpeg, lossless_webp, lossy_webp, patch, photo, png,
};
use super::{OPTIONS, converted, picture, pixels};
use crate::{ConvertError, convert};

/// Stored as the whole file is.
fn same(name: &str, source: &[u8], whole: &[u8]) {
    let stored = convert(source, &OPTIONS).unwrap_or_else(|error| panic!("{name}: {error}"));
    assert!(
        stored.webp == converted(whole).webp,
        "{name}: another picture"
    );
}

#[test]
fn a_jpeg_without_its_end_mark_or_with_other_bytes_before_it_is_whole() {
    let blocks: Vec<[u8; 4]> = (0..12).map(|n| [n * 20, 255 - n * 9, n, 40]).collect();
    for (name, whole) in [
        ("baseline", jpeg(photo(200, 150))),
        ("progressive", picture("progressive.jpg")),
        ("CMYK", picture("cmyk.jpg")),
        ("grey", picture("grey.jpg")),
        (
            "flat",
            flat_jpeg(
                &blocks,
                4,
                FlatJpeg {
                    adobe: Some(0),
                    progressive: false,
                },
            ),
        ),
    ] {
        let end = whole.len() - 2;
        same(name, &whole[..end], &whole);
        for other in [&b"SEFH and more"[..], &[0; 40], b"PK\x03\x04"] {
            let without = [&whole[..end], other].concat();
            same(name, &without, &whole);
            same(name, &[&without[..], &[0xFF, 0xD9]].concat(), &whole);
        }
    }
}

#[test]
fn a_jpeg_that_lacks_pixels_is_refused_by_the_end_that_is_missing() {
    for whole in [jpeg(photo(200, 150)), picture("progressive.jpg")] {
        for missing in [whole.len() / 20, whole.len() / 3] {
            let result = convert(&whole[..whole.len() - missing], &OPTIONS);
            assert!(
                matches!(result, Err(ConvertError::Invalid(_))),
                "{result:?}"
            );
        }
    }
}

#[test]
fn a_gif_without_its_trailer_has_its_whole_frames() {
    let frames = |count| vec![frame(0, patch(24, [9, 200, 9, 255]), 10, 0); count];
    for count in [1, 3] {
        let whole = gif(24, 24, Some(0), &frames(count));
        same("GIF", &whole[..whole.len() - 1], &whole);
    }
    let three = gif(24, 24, Some(0), &frames(3));
    let result = convert(&three[..three.len() - 9], &OPTIONS);
    let ends = Err(ConvertError::Invalid(
        "the file ends before its frame does".into(),
    ));
    assert_eq!(result, ends);
}

#[test]
fn a_png_without_its_end_chunk_is_whole() {
    let animation =
        [(0, 24), (3, 20)].map(|(x, side)| frame(x, patch(side, [200, 9, 9, 255]), 10, 0));
    for whole in [
        png(photo(60, 40)),
        picture("palette.png"),
        apng(24, 24, 0, &animation),
    ] {
        same("PNG", &whole[..whole.len() - 12], &whole);
    }
}

#[test]
fn a_webp_whose_length_is_a_little_wrong_is_whole() {
    for whole in [
        lossy_webp(&photo(40, 30)),
        lossless_webp(&photo(20, 15)),
        picture("animation.webp"),
    ] {
        for off in [8, -2_i32] {
            let mut wrong = whole.clone();
            let length = u32::from_le_bytes([wrong[4], wrong[5], wrong[6], wrong[7]]);
            wrong[4..8].copy_from_slice(&length.wrapping_add_signed(off).to_le_bytes());
            same(&format!("by {off}"), &wrong, &whole);
        }
    }
}

#[test]
fn of_two_exif_blocks_of_a_jpeg_the_first_counts() {
    let whole = jpeg(photo(48, 32));
    let block = |orientation| {
        let exif = [&b"Exif\0\0"[..], &exif(orientation)].concat();
        let length = (exif.len() as u16 + 2).to_be_bytes();
        [&[0xFF, 0xE1], &length[..], &exif].concat()
    };
    let source = [&whole[..2], &block(6), &block(1), &whole[2..]].concat();
    let stored = converted(&source);
    assert_eq!((stored.width, stored.height), (32, 48));
    assert_eq!(pixels(&stored.webp).width(), 32);
}
