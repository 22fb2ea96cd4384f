//! AVIF and JPEG XL: what their decoders give, and what is refused. Here they run in this
//! process; that each has one of its own is tested with the program.

use super::animations::played;
use super::{converted, pixels, psnr, refused};
use crate::{ConvertError, ConvertOptions, Sandbox, SourceFormat, convert, inspect};

use super::OPTIONS;

/// A file of `tests/pictures`.
fn picture(name: &str) -> Vec<u8> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/pictures/");
    std::fs::read(format!("{path}{name}")).unwrap_or_else(|error| panic!("{name}: {error}"))
}

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
fn files_that_would_decode_to_another_picture_are_not_supported() {
    for name in ["sequence.avif", "brighter-pq.avif", "brighter-hlg.avif"] {
        assert_eq!(refused(&picture(name)), ConvertError::Unsupported, "{name}");
    }
    // The sibling of AVIF whose decoders are all under licences of another kind.
    let mut heic = picture("lossy.avif");
    heic.splice(8..12, *b"heic");
    let at = heic.windows(4).position(|four| four == b"avif").unwrap();
    heic.splice(at..at + 4, *b"mif1");
    assert_eq!(refused(&heic), ConvertError::Unsupported);
}

#[test]
fn without_a_place_for_their_decoders_they_are_not_supported() {
    let nowhere = ConvertOptions {
        sandbox: Sandbox::Unavailable,
        ..OPTIONS
    };
    for name in ["lossy.avif", "lossy.jxl"] {
        assert_eq!(
            inspect(&picture(name), &nowhere),
            Err(ConvertError::Unsupported)
        );
        assert_eq!(
            convert(&picture(name), &nowhere),
            Err(ConvertError::Unsupported)
        );
    }
}

#[test]
fn more_pixels_than_allowed_are_refused_by_the_header() {
    let few = ConvertOptions {
        max_pixels: 400,
        ..OPTIONS
    };
    for name in ["lossy.avif", "lossy.jxl"] {
        assert_eq!(
            inspect(&picture(name), &few),
            Err(ConvertError::TooLarge),
            "{name}"
        );
    }
    let short = ConvertOptions {
        max_animation_pixels: 3 * 4096 - 1,
        ..OPTIONS
    };
    assert_eq!(
        inspect(&picture("animation.jxl"), &short),
        Err(ConvertError::TooLarge)
    );
}

#[test]
fn an_avif_is_budgeted_by_its_header() {
    let mut file = picture("lossy.avif");
    let at = file.windows(4).position(|four| four == b"ispe").unwrap();
    // Width and height, behind version and flags.
    file[at + 8..at + 16].copy_from_slice(&[0, 0, 0, 8, 0, 0, 0, 8]);
    // The decoder may have no more than 64 pixels; libraries may abort there, so it is not run here.
    let inspection = inspect(&file, &OPTIONS).unwrap();
    assert_eq!((inspection.width, inspection.height), (8, 8));
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
