//! Every format in, the same picture out.

use image::{DynamicImage, ImageFormat};

use super::sources::{
    FlatJpeg, cutout, drawing, encoded, fields, flat_jpeg, jpeg, photo, png, png_chunk,
};
use super::{OPTIONS, converted, is_lossless, pixels, psnr, refused};
use crate::encode;
use crate::lossless::{Prediction, predict};
use crate::still::Coding;
use crate::{ConvertError, ConvertOptions, SourceFormat, convert};

#[test]
fn a_photograph_stays_the_same_in_every_format() {
    let photo = DynamicImage::from(photo(211, 133));
    for (format, expected) in [
        (ImageFormat::Png, SourceFormat::Png),
        (ImageFormat::Bmp, SourceFormat::Bmp),
        (ImageFormat::Tiff, SourceFormat::Tiff),
        (ImageFormat::Qoi, SourceFormat::Qoi),
        (ImageFormat::Jpeg, SourceFormat::Jpeg),
        (ImageFormat::Ico, SourceFormat::Ico),
    ] {
        let source = match format {
            ImageFormat::Jpeg => jpeg(photo.clone()),
            // The writer of icons wants alpha.
            ImageFormat::Ico => encoded(photo.to_rgba8(), format),
            _ => encoded(photo.clone(), format),
        };
        let converted = converted(&source);
        assert_eq!(converted.format, expected);
        assert_eq!(
            (converted.width, converted.height, converted.frames),
            (211, 133, 1)
        );
        let psnr = psnr(&pixels(&converted.webp), &photo);
        assert!(psnr > 33.0, "{format:?}: {psnr:.1} dB");
        assert!(!is_lossless(&converted.webp));
    }
}

#[test]
fn quality_decides_size_and_likeness() {
    let photo = photo(211, 133);
    let at =
        |quality| convert(&png(photo.clone()), &ConvertOptions { quality, ..OPTIONS }).unwrap();
    let (low, high) = (at(30).webp, at(95).webp);
    assert!(low.len() * 2 < high.len());
    let photo = DynamicImage::from(photo);
    assert!(psnr(&pixels(&low), &photo) + 3.0 < psnr(&pixels(&high), &photo));
}

#[test]
fn flat_art_is_stored_without_loss_and_a_photograph_is_not() {
    let drawing = drawing(400, 300);
    let stored = converted(&png(drawing.clone())).webp;
    assert!(is_lossless(&stored));
    assert_eq!(pixels(&stored).into_rgb8(), drawing);
    assert!(!is_lossless(&converted(&png(photo(400, 300))).webp));
    // Of a JPEG's noise a lossless picture would be the larger by far.
    assert!(!is_lossless(&converted(&jpeg(drawing)).webp));
}

#[test]
fn alpha_survives_to_the_last_bit() {
    let cutout = cutout(160, 90);
    let stored = converted(&png(cutout.clone())).webp;
    let alpha = |image: &image::RgbaImage| image.pixels().map(|p| p.0[3]).collect::<Vec<_>>();
    assert_eq!(alpha(&pixels(&stored).into_rgba8()), alpha(&cutout));
}

#[test]
fn grey_stays_grey_and_costs_no_more_than_through_colour() {
    let photo = DynamicImage::from(photo(200, 120));
    let grey = photo.to_luma8();
    let stored = converted(&png(grey.clone())).webp;
    // WebP's own arithmetic is off by one for some greys.
    let is_grey = |p: &image::Rgb<u8>| p.0.iter().all(|v| v.abs_diff(p.0[1]) <= 1);
    assert!(pixels(&stored).to_rgb8().pixels().all(is_grey));
    let through_colour = converted(&png(DynamicImage::from(grey.clone()).to_rgb8())).webp;
    assert!(stored == through_colour);
    let with_alpha = DynamicImage::from(grey).to_luma_alpha8();
    let with_alpha = converted(&png(with_alpha)).webp;
    assert!(with_alpha == stored, "opaque alpha is no alpha");
    let mut half = photo.to_luma_alpha8();
    half.pixels_mut().for_each(|p| p.0[1] = 77);
    let half = pixels(&converted(&png(half)).webp).into_rgba8();
    assert!(half.pixels().all(|p| p.0[3] == 77));
}

#[test]
fn sixteen_bits_are_rounded_and_not_cut_off() {
    // Half a step below the next of 256 levels and a little more.
    let image = image::ImageBuffer::from_pixel(40, 40, image::Rgb([0x7FFF_u16, 0x01FE, 0xFEFF]));
    for format in [ImageFormat::Png, ImageFormat::Tiff] {
        let stored = converted(&encoded(DynamicImage::ImageRgb16(image.clone()), format)).webp;
        assert!(is_lossless(&stored));
        assert_eq!(pixels(&stored).to_rgb8().get_pixel(0, 0).0, [127, 2, 254]);
    }
}

#[test]
fn palettes_and_thin_bits_unfold() {
    for (depth, rows) in [
        (png::BitDepth::One, [0b0100_0000, 0b1000_0000]),
        (png::BitDepth::Two, [0b0001_0000, 0b0100_0000]),
        (png::BitDepth::Four, [0x01, 0x10]),
    ] {
        let mut file = Vec::new();
        let mut encoder = png::Encoder::new(&mut file, 2, 2);
        encoder.set_color(png::ColorType::Indexed);
        encoder.set_depth(depth);
        encoder.set_palette(vec![10, 20, 30, 200, 100, 50]);
        encoder.set_trns(vec![255, 128]);
        encoder
            .write_header()
            .unwrap()
            .write_image_data(&rows)
            .unwrap();
        let stored = pixels(&converted(&file).webp).into_rgba8().into_raw();
        let (a, b) = ([10, 20, 30, 255], [200, 100, 50, 128]);
        assert_eq!(stored, [a, b, b, a].concat(), "{depth:?}");
    }
}

#[test]
fn a_progressive_jpeg_decodes_like_a_baseline_one() {
    // Y, Cb and Cr of blocks.
    let blocks: Vec<[u8; 3]> = (0..24).map(|n| [n * 10, 128 + n, 128 - n]).collect();
    let baseline = converted(&flat_jpeg(&blocks, 6, FlatJpeg::default()));
    let progressive = converted(&flat_jpeg(
        &blocks,
        6,
        FlatJpeg {
            progressive: true,
            ..FlatJpeg::default()
        },
    ));
    assert_eq!((baseline.width, baseline.height), (48, 32));
    assert!(baseline.webp == progressive.webp);
}

#[test]
fn the_content_decides_the_format() {
    for no_picture in [
        b"".as_slice(),
        b"G",
        b"<!DOCTYPE html>",
        b"BM is no bitmap of any kind",
        b"%PDF-1.7",
        b"RIFF\0\0\0\0WAVE",
    ] {
        assert_eq!(refused(no_picture), ConvertError::Unsupported);
    }
    assert_eq!(SourceFormat::of(&jpeg(fields(8))).unwrap().name(), "JPEG");
}

#[test]
fn a_side_too_long_for_webp_is_scaled_down() {
    let long = image::RgbImage::from_fn(20_000, 40, |x, _| {
        if x < 10_000 {
            image::Rgb([255, 0, 0])
        } else {
            image::Rgb([0, 0, 255])
        }
    });
    let converted = converted(&png(long));
    assert_eq!((converted.width, converted.height), (16_383, 33));
    let stored = pixels(&converted.webp).to_rgb8();
    let (left, right) = (stored.get_pixel(8_000, 16).0, stored.get_pixel(8_300, 16).0);
    assert!(left[0] > 240 && left[2] < 15, "{left:?}");
    assert!(right[0] < 15 && right[2] > 240, "{right:?}");
}

#[test]
fn data_after_the_end_of_a_jpeg_is_ignored() {
    let blocks: Vec<[u8; 3]> = (0..24).map(|n| [n * 10, 128 + n, 128 - n]).collect();
    for progressive in [false, true] {
        let source = flat_jpeg(
            &blocks,
            6,
            FlatJpeg {
                progressive,
                adobe: None,
            },
        );
        let mut followed = source.clone();
        followed.extend(jpeg(fields(8)));
        followed.extend(b"SEFT");
        assert!(converted(&followed).webp == converted(&source).webp);
    }
}

#[test]
fn a_jpeg_of_any_size_is_whole() {
    for width in 1..35 {
        for height in [1, 7, 8, 17, 33] {
            let converted = converted(&jpeg(photo(width, height)));
            assert_eq!((converted.width, converted.height), (width, height));
        }
    }
}

/// An icon by hand: each picture in it as given, with the size and the colours of its list.
fn icon(pictures: &[(u8, u8, u8, Vec<u8>)]) -> Vec<u8> {
    let mut file = vec![0, 0, 1, 0, pictures.len() as u8, 0];
    let mut at = 6 + 16 * pictures.len() as u32;
    for (width, height, depth, picture) in pictures {
        file.extend([*width, *height, 0, 0, 1, 0, *depth, 0]);
        file.extend((picture.len() as u32).to_le_bytes());
        file.extend(at.to_le_bytes());
        at += picture.len() as u32;
    }
    pictures
        .iter()
        .for_each(|(.., picture)| file.extend(picture));
    file
}

#[test]
fn a_png_in_an_icon_may_be_any_png() {
    let image = fields(4);
    let mut palette = Vec::new();
    let mut encoder = png::Encoder::new(&mut palette, 2, 1);
    encoder.set_color(png::ColorType::Indexed);
    encoder.set_palette(vec![10, 20, 30, 200, 100, 50]);
    let mut writer = encoder.write_header().unwrap();
    writer.write_image_data(&[0, 1]).unwrap();
    drop(writer);
    let deep = DynamicImage::from(image.clone()).to_rgb16();
    for source in [png(image.clone()), png(DynamicImage::ImageRgb16(deep))] {
        let stored = converted(&icon(&[(16, 8, 32, source)]));
        assert_eq!(stored.format, SourceFormat::Ico);
        assert_eq!(pixels(&stored.webp).to_rgb8(), image);
    }
    let stored = pixels(&converted(&icon(&[(2, 1, 8, palette)])).webp).to_rgb8();
    assert_eq!(stored.into_raw(), [10, 20, 30, 200, 100, 50]);
}

#[test]
fn of_an_icon_the_largest_picture_is_taken() {
    let (small, large) = (png(fields(2)), png(fields(64)));
    let size = |file: &[u8]| {
        let converted = converted(file);
        (converted.width, converted.height)
    };
    let both = [(8, 4, 32, small.clone()), (0, 128, 8, large)];
    assert_eq!(size(&icon(&both)), (256, 128));
    let drawn = png(fields(5));
    assert_eq!(
        size(&icon(&[(8, 4, 32, small), (20, 10, 32, drawn)])),
        (20, 10)
    );
}

/// Lossless is not tried for a source of many times the lossy size, even when its pixels look
/// drawn. When it can be smaller, it is tried for other pixels, too.
#[test]
fn the_size_of_a_lossless_source_decides_whether_lossless_is_tried() {
    let stored = |image: &image::RgbImage, source| {
        encode::encoded(image.clone().into(), 80, Coding::Lossless(source)).unwrap()
    };
    let drawing = drawing(400, 300);
    assert!(is_lossless(&stored(&drawing, png(drawing.clone()).len())));
    assert!(!is_lossless(&stored(&drawing, usize::MAX)));

    // Its metadata does not count.
    let mut source = png(drawing.clone());
    let text = [b"Comment\0".as_slice(), &[b'x'; 200_000]].concat();
    source.splice(33..33, png_chunk(b"tEXt", &text));
    assert!(is_lossless(&converted(&source).webp));

    // A pattern of some 200 colours: its neighbours differ, but it repeats.
    let pattern = image::RgbImage::from_fn(400, 300, |x, y| {
        let colour = (x % 16 * 37 + y % 16 * 101) % 199;
        image::Rgb([colour, colour * 97 % 256, 255 - colour].map(|value| value as u8))
    });
    assert!(is_lossless(&stored(&pattern, 1_000)));
}

#[test]
fn a_tiff_with_the_bits_of_each_byte_reversed_is_not_supported() {
    let tiff_of = |order: u16| {
        let mut file = std::io::Cursor::new(Vec::new());
        let mut encoder = tiff::encoder::TiffEncoder::new(&mut file).unwrap();
        let mut page = encoder
            .new_image::<tiff::encoder::colortype::Gray8>(2, 2)
            .unwrap();
        let tag = tiff::tags::Tag::FillOrder;
        page.encoder().write_tag(tag, order).unwrap();
        page.write_data(&[1, 2, 3, 4]).unwrap();
        file.into_inner()
    };
    converted(&tiff_of(1));
    assert_eq!(refused(&tiff_of(2)), ConvertError::Unsupported);
}

#[test]
fn colours_that_a_tiff_has_multiplied_by_alpha_are_divided() {
    let tiff_of = |extra: u16| {
        let mut file = std::io::Cursor::new(Vec::new());
        let mut encoder = tiff::encoder::TiffEncoder::new(&mut file).unwrap();
        let mut page = encoder
            .new_image::<tiff::encoder::colortype::RGBA8>(2, 2)
            .unwrap();
        let tag = tiff::tags::Tag::ExtraSamples;
        page.encoder().write_tag(tag, &[extra][..]).unwrap();
        page.write_data(&[100, 50, 0, 100].repeat(4)).unwrap();
        file.into_inner()
    };
    let pixel = |extra| {
        let stored = converted(&tiff_of(extra)).webp;
        pixels(&stored).to_rgba8().get_pixel(0, 0).0
    };
    assert_eq!(pixel(1), [255, 128, 0, 100]);
    assert_eq!(pixel(2), [100, 50, 0, 100]);
}

#[test]
fn bytes_between_the_segments_of_a_jpeg_are_skipped() {
    let plain = jpeg(photo(64, 48));
    let second = 4 + usize::from(u16::from_be_bytes([plain[4], plain[5]]));
    for junk in [
        b"hello",
        &b"\xFF\x00\x00\x02"[..],
        b"\xFF\xEE\x00\x08Adobe\x00",
    ] {
        let mut file = plain.clone();
        file.splice(second..second, junk.iter().copied());
        assert!(converted(&file).webp == converted(&plain).webp, "{junk:?}");
    }
}

/// Most pictures are encoded once.
#[test]
fn a_look_at_some_rows_predicts_whether_lossless_is_smaller() {
    let prediction = |image: image::RgbImage, source| predict(&image.into(), source);
    assert_eq!(prediction(drawing(600, 500), 0), Prediction::Lossless);
    assert_eq!(prediction(drawing(200, 200), 0), Prediction::Lossless);
    assert_eq!(prediction(photo(600, 500), 0), Prediction::Lossy);
    assert_eq!(prediction(photo(600, 500), 1), Prediction::Unclear);
    assert_eq!(prediction(drawing(600, 500), usize::MAX), Prediction::Lossy);
}
