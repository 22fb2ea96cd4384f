//! AVIF, HEIC and JPEG XL: what their decoders give, and what is refused.

use super::animations::played;
use super::{OPTIONS, converted, picture, pixels, psnr, refused};
use crate::{ConvertError, ConvertOptions, SourceFormat, convert};

/// The eight fields that most of the pictures show, 16 pixels each; upright.
fn fields() -> image::DynamicImage {
    super::sources::fields(16).into()
}

/// Each field, in its middle, has the colour that it has in `expected`.
fn assert_fields(name: &str, webp: &[u8], expected: &image::DynamicImage, by: u8) {
    let (stored, expected) = (pixels(webp).to_rgb8(), expected.to_rgb8());
    assert_eq!(stored.dimensions(), expected.dimensions(), "{name}");
    for y in (8..expected.height()).step_by(16) {
        for x in (8..expected.width()).step_by(16) {
            let (is, should) = (stored.get_pixel(x, y).0, expected.get_pixel(x, y).0);
            let close = is.iter().zip(should).all(|(a, b)| a.abs_diff(b) <= by);
            assert!(close, "{name}, {x},{y}: {is:?} is not {should:?}");
        }
    }
}

fn turned(exif: u8) -> image::DynamicImage {
    let mut turned = fields();
    turned.apply_orientation(image::metadata::Orientation::from_exif(exif).unwrap());
    turned
}

#[test]
fn avif_comes_out_in_its_colours_whatever_its_chroma_range_and_matrix() {
    for name in ["thin-chroma.avif", "narrow-range.avif"] {
        assert_fields(name, &converted(&picture(name)).webp, &fields(), 12);
    }
    // Nothing is lost in the planes, and WebP loses little of flat fields.
    let lossless = converted(&picture("lossless.avif"));
    assert_eq!(lossless.format, SourceFormat::Avif);
    assert_fields("lossless.avif", &lossless.webp, &fields(), 8);
    let grey = pixels(&converted(&picture("grey.avif")).webp).to_rgb8();
    assert_eq!(grey.dimensions(), (48, 36));
    assert!(
        grey.pixels()
            .all(|p| p.0.iter().all(|v| v.abs_diff(p.0[1]) <= 1))
    );
}

#[test]
fn avif_of_ten_and_twelve_bits_is_reduced_to_eight() {
    // The source has the same picture in sixteen bits.
    let source = pixels(&converted(&picture("sixteen-bits.png")).webp);
    for name in ["ten-bits.avif", "twelve-bits.avif"] {
        let stored = pixels(&converted(&picture(name)).webp);
        let psnr = psnr(&stored, &source);
        assert!(psnr > 28.0, "{name}: {psnr:.1} dB");
    }
}

#[test]
fn avif_colours_by_number_become_srgb() {
    // The fields again, but marked as Display P3: what is red is redder in sRGB.
    let stored = pixels(&converted(&picture("display-p3.avif")).webp).to_rgb8();
    let [red, green, blue] = stored.get_pixel(8, 8).0;
    assert!(red > 232 && green < 24 && blue < 30, "{red} {green} {blue}");
}

#[test]
fn avif_is_rotated_and_mirrored_by_its_header() {
    // By quarters against the clock, and which sides change places; each is one of EXIF's eight.
    for (name, exif) in [
        ("turned-0-0.avif", 4),
        ("turned-0-1.avif", 2),
        ("turned-1-n.avif", 8),
        ("turned-1-0.avif", 5),
        ("turned-1-1.avif", 7),
        ("turned-2-n.avif", 3),
        ("turned-2-0.avif", 2),
        ("turned-2-1.avif", 4),
        ("turned-3-n.avif", 6),
        ("turned-3-0.avif", 7),
        ("turned-3-1.avif", 5),
    ] {
        assert_fields(name, &converted(&picture(name)).webp, &turned(exif), 14);
    }
}

#[test]
fn alpha_of_avif_and_jpeg_xl_survives_premultiplied_or_not() {
    let source = image::load_from_memory(&picture("alpha.png"))
        .unwrap()
        .to_rgba8();
    for name in ["alpha.avif", "premultiplied.avif", "alpha.jxl"] {
        let stored = pixels(&converted(&picture(name)).webp).to_rgba8();
        for (is, should) in stored.pixels().zip(source.pixels()) {
            assert!(
                is.0[3].abs_diff(should.0[3]) < 12,
                "{name}: {is:?} {should:?}"
            );
        }
        // Opaque colours are as they were, and half transparent ones as bright.
        let mean = |image: &image::RgbaImage, from: u8, to: u8| {
            let there = image.pixels().filter(|p| (from..=to).contains(&p.0[3]));
            let (sum, count) = there.fold((0, 0), |(s, n), p| (s + u32::from(p.0[1]), n + 1));
            sum / count
        };
        for (from, to) in [(255, 255), (64, 192)] {
            let (is, should) = (mean(&stored, from, to), mean(&source, from, to));
            assert!(
                is.abs_diff(should) < 12,
                "{name}, {from} to {to}: {is} {should}"
            );
        }
    }
}

#[test]
fn an_avif_of_several_pieces_is_one_picture() {
    let stored = converted(&picture("grid.avif"));
    assert_eq!((stored.width, stored.height), (320, 320));
    let stored = pixels(&stored.webp);
    // All four pieces are the same.
    let piece = stored.crop_imm(0, 0, 160, 160);
    for (x, y) in [(160, 0), (0, 160), (160, 160)] {
        let psnr = psnr(&piece, &stored.crop_imm(x, y, 160, 160));
        assert!(psnr > 30.0, "{x},{y}: {psnr:.1} dB");
    }
}

#[test]
fn jpeg_xl_comes_out_as_it_is_lossy_lossless_grey_and_deep() {
    let photo = image::load_from_memory(&picture("colour.png")).unwrap();
    for name in ["lossy.jxl", "lossless.jxl", "lossy.avif"] {
        let converted = converted(&picture(name));
        assert_eq!((converted.width, converted.height), (48, 36));
        let psnr = psnr(&pixels(&converted.webp), &photo);
        assert!(psnr > 26.0, "{name}: {psnr:.1} dB");
    }
    let grey = pixels(&converted(&picture("grey.jxl")).webp).to_rgb8();
    assert!(
        grey.pixels()
            .all(|p| p.0.iter().all(|v| v.abs_diff(p.0[1]) <= 1))
    );
    let deep = pixels(&converted(&picture("sixteen-bits.jxl")).webp);
    let source = pixels(&converted(&picture("sixteen-bits.png")).webp);
    assert!(
        psnr(&deep, &source) > 45.0,
        "{:.1} dB",
        psnr(&deep, &source)
    );
    assert_fields(
        "from a JPEG",
        &converted(&picture("from-jpeg.jxl")).webp,
        &fields(),
        12,
    );
}

#[test]
fn jpeg_xl_is_turned_upright() {
    for exif in 2..=8 {
        let name = format!("turned-{exif}.jxl");
        assert_fields(&name, &converted(&picture(&name)).webp, &turned(exif), 12);
    }
}

#[test]
fn a_jpeg_xl_animation_stays_one() {
    let converted = converted(&picture("animation.jxl"));
    assert_eq!(
        (converted.format, converted.frames),
        (SourceFormat::JpegXl, 3)
    );
    let ends: Vec<i32> = played(&converted.webp)
        .0
        .iter()
        .map(|(end, _)| *end)
        .collect();
    assert_eq!(ends, [100, 350, 420]);
    assert_eq!(played(&converted.webp).1, 0);
}

#[test]
fn an_animated_avif_is_not_supported() {
    assert_eq!(
        refused(&picture("sequence.avif")),
        ConvertError::Unsupported
    );
}

#[test]
fn what_is_brighter_than_white_is_mapped_to_it() {
    for name in ["brighter-pq.avif", "brighter-hlg.avif"] {
        let stored = pixels(&converted(&picture(name)).webp).to_rgb8();
        let brightest = stored.pixels().map(|p| p.0[1]).max();
        assert!(brightest >= Some(200), "{name}: {brightest:?}");
    }
    // Reference white on the left, a fifth of it on the right.
    for name in [
        "brighter-pq.heic",
        "brighter-pq.jxl",
        "brighter-pq-lossless.jxl",
        "brighter-hlg.jxl",
    ] {
        let stored = pixels(&converted(&picture(name)).webp).to_rgb8();
        let (white, grey) = (stored.get_pixel(32, 32).0, stored.get_pixel(96, 32).0);
        assert!(
            white.iter().all(|v| (210..=240).contains(v)),
            "{name}: {white:?}"
        );
        assert!(
            grey.iter().all(|v| v.abs_diff(123) <= 6),
            "{name}: {grey:?}"
        );
    }
}

#[test]
fn heic_is_turned_by_its_container_and_not_by_its_exif() {
    let stored = converted(&picture("turned.heic"));
    assert_eq!((stored.width, stored.height), (36, 48));
    let upright = pixels(&converted(&picture("lossy.heic")).webp);
    let psnr = psnr(&pixels(&stored.webp), &upright.rotate90());
    assert!(psnr > 26.0, "{psnr:.1} dB");
}

#[test]
fn a_heic_cut_anywhere_is_refused() {
    let source = picture("lossy.heic");
    for length in (0..source.len()).step_by(7) {
        let result = convert(&source[..length], &OPTIONS);
        let refused = matches!(
            result,
            Err(ConvertError::Invalid(_) | ConvertError::Unsupported)
        );
        assert!(refused, "{length}: {result:?}");
    }
}

#[test]
fn more_pixels_than_allowed_are_refused_by_the_header() {
    let few = ConvertOptions {
        max_pixels: 400,
        ..OPTIONS
    };
    for name in ["lossy.avif", "lossy.jxl", "lossy.heic"] {
        let result = convert(&picture(name), &few);
        assert_eq!(result, Err(ConvertError::TooLarge), "{name}");
    }
    let short = ConvertOptions {
        max_animation_pixels: 3 * 4096 - 1,
        ..OPTIONS
    };
    assert_eq!(
        convert(&picture("animation.jxl"), &short),
        Err(ConvertError::TooLarge)
    );
}

#[test]
fn where_it_was_taken_never_reaches_the_stored_bytes() {
    for name in ["place.avif", "place.jxl"] {
        let holds = |bytes: &[u8]| bytes.windows(9).any(|nine| nine == b"48.858370");
        assert!(
            holds(&picture(name)),
            "{name}: the source is not what the test means"
        );
        let stored = converted(&picture(name)).webp;
        assert!(!holds(&stored), "{name}");
        for chunk in [b"EXIF", b"XMP ", b"ICCP"] {
            assert!(!stored.windows(4).any(|four| four == chunk), "{name}");
        }
    }
}
