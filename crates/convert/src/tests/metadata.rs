//! Turned upright, and nothing kept that reveals the owner.

use img_parts::{ImageEXIF, ImageICC};

use super::sources::{PLACE, exif, fields, jpeg, lossless_webp, lossy_webp, photo, png};
use super::{converted, is_lossless, pixels};

fn with_exif(file: Vec<u8>, exif: Vec<u8>) -> Vec<u8> {
    let mut file = img_parts::DynImage::from_bytes(file.into())
        .unwrap()
        .unwrap();
    file.set_exif(Some(exif.into()));
    file.encoder().bytes().to_vec()
}

fn tiff_turned(image: image::RgbImage, orientation: u8) -> Vec<u8> {
    let (width, height) = image.dimensions();
    let mut file = std::io::Cursor::new(Vec::new());
    let mut encoder = tiff::encoder::TiffEncoder::new(&mut file).unwrap();
    let mut page = encoder
        .new_image::<tiff::encoder::colortype::RGB8>(width, height)
        .unwrap();
    page.encoder()
        .write_tag(tiff::tags::Tag::Orientation, u16::from(orientation))
        .unwrap();
    page.write_data(&image).unwrap();
    file.into_inner()
}

#[test]
fn all_eight_orientations_are_applied_whatever_the_format() {
    for orientation in 1..=8 {
        let mut upright = image::DynamicImage::from(fields(16));
        upright.apply_orientation(image::metadata::Orientation::from_exif(orientation).unwrap());
        let upright = upright.to_rgb8();
        for (name, source) in [
            ("JPEG", with_exif(jpeg(fields(16)), exif(orientation))),
            ("PNG", with_exif(png(fields(16)), exif(orientation))),
            (
                "lossy WebP",
                with_exif(lossy_webp(&fields(16)), exif(orientation)),
            ),
            (
                "lossless WebP",
                with_exif(lossless_webp(&fields(16)), exif(orientation)),
            ),
            ("TIFF", tiff_turned(fields(16), orientation)),
        ] {
            let converted = converted(&source);
            assert_eq!((converted.width, converted.height), upright.dimensions());
            let stored = pixels(&converted.webp).to_rgb8();
            // The middle of each field, away from what lossy makes of the edges.
            for (x, y) in (0..upright.width() / 16)
                .flat_map(|x| (0..upright.height() / 16).map(move |y| (x * 16 + 8, y * 16 + 8)))
            {
                let (stored, upright) = (stored.get_pixel(x, y).0, upright.get_pixel(x, y).0);
                let close = stored.iter().zip(upright).all(|(a, b)| a.abs_diff(b) < 16);
                assert!(
                    close,
                    "{name}, orientation {orientation}, {x},{y}: {stored:?}, {upright:?}"
                );
            }
        }
    }
}

#[test]
fn the_place_where_it_was_taken_never_reaches_the_stored_bytes() {
    let xmp = format!("<x:xmpmeta>{PLACE}</x:xmpmeta>").repeat(40);
    let comment = [
        &[0xFF, 0xFE],
        (PLACE.len() as u16 + 2).to_be_bytes().as_slice(),
        PLACE.as_bytes(),
    ]
    .concat();
    let mut commented = with_exif(jpeg(photo(80, 60)), exif(6));
    commented.splice(2..2, comment);
    let mut text = Vec::new();
    let mut encoder = png::Encoder::new(&mut text, 2, 2);
    encoder
        .add_text_chunk("Comment".into(), PLACE.into())
        .unwrap();
    encoder
        .add_itxt_chunk("XML:com.adobe.xmp".into(), xmp.clone())
        .unwrap();
    encoder
        .write_header()
        .unwrap()
        .write_image_data(&[0, 90, 180, 255])
        .unwrap();
    let with_xmp = |webp: Vec<u8>| {
        let mut webp = with_exif(webp, exif(1));
        let length = webp.len() as u32 + xmp.len() as u32;
        webp.extend(
            [
                b"XMP ".as_slice(),
                &(xmp.len() as u32).to_le_bytes(),
                xmp.as_bytes(),
            ]
            .concat(),
        );
        webp[4..8].copy_from_slice(&length.to_le_bytes());
        webp
    };
    let mut trailing = lossy_webp(&photo(80, 60));
    trailing.extend(PLACE.as_bytes());
    for (name, source) in [
        ("JPEG", commented),
        ("PNG", with_exif(png(photo(80, 60)), exif(1))),
        ("PNG text", text),
        ("WebP", with_xmp(lossy_webp(&photo(80, 60)))),
        (
            "WebP turned",
            with_exif(lossy_webp(&photo(80, 60)), exif(3)),
        ),
        ("behind a WebP", trailing),
    ] {
        let holds = |bytes: &[u8]| bytes.windows(9).any(|nine| nine == b"48.858370");
        assert!(
            holds(&source),
            "{name}: the source is not what the test means"
        );
        let stored = converted(&source).webp;
        assert!(!holds(&stored), "{name}");
        for chunk in [b"EXIF", b"XMP ", b"ICCP"] {
            assert!(!stored.windows(4).any(|four| four == chunk), "{name}");
        }
    }
}

#[test]
fn a_webp_without_metadata_is_stored_byte_for_byte() {
    for source in [lossy_webp(&photo(80, 60)), lossless_webp(&photo(80, 60))] {
        assert!(converted(&source).webp == source);
    }
}

#[test]
fn a_webp_with_metadata_is_stored_as_it_was_before_it_got_any() {
    for source in [lossy_webp(&photo(80, 60)), lossless_webp(&photo(80, 60))] {
        let mut file = img_parts::webp::WebP::from_bytes(source.clone().into()).unwrap();
        file.set_exif(Some(exif(1).into()));
        let srgb = moxcms::ColorProfile::new_srgb().encode().unwrap();
        file.set_icc_profile(Some(srgb.into()));
        assert!(converted(&file.encoder().bytes()).webp == source);
    }
}

#[test]
fn a_flat_lossless_webp_stays_lossless_when_it_is_turned() {
    let stored = converted(&with_exif(lossless_webp(&fields(20)), exif(6))).webp;
    assert!(is_lossless(&stored));
}
