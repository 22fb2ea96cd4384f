//! Embedded profiles, and ink.

use img_parts::ImageICC;
use moxcms::ColorProfile;

use super::sources::{FlatJpeg, cutout, flat_jpeg, jpeg, lossy_webp, photo, png};
use super::{converted, pixels};

fn with_profile(jpeg: Vec<u8>, icc: Vec<u8>) -> Vec<u8> {
    let mut file = img_parts::jpeg::Jpeg::from_bytes(jpeg.into()).unwrap();
    file.set_icc_profile(Some(icc.into()));
    file.encoder().bytes().to_vec()
}

fn png_with_profile(image: &image::RgbImage, icc: &[u8]) -> Vec<u8> {
    let mut info = png::Info::with_size(image.width(), image.height());
    info.color_type = png::ColorType::Rgb;
    info.icc_profile = Some(icc.into());
    let mut file = Vec::new();
    let encoder = png::Encoder::with_info(&mut file, info).unwrap();
    encoder
        .write_header()
        .unwrap()
        .write_image_data(image)
        .unwrap();
    file
}

fn near(actual: [u8; 3], expected: [u8; 3], by: u8) {
    let close = actual
        .iter()
        .zip(expected)
        .all(|(a, e)| a.abs_diff(e) <= by);
    assert!(close, "{actual:?} is not {expected:?}");
}

/// The range of JPEG is full and that of WebP is not: both ends have to come back.
#[test]
fn every_grey_and_the_primaries_of_a_jpeg_come_back() {
    let greys = (0..=255).step_by(15).map(|v| [v; 3]);
    let primaries = [[255, 0, 0], [0, 255, 0], [0, 0, 255], [255, 255, 0]];
    for colour in greys.chain(primaries) {
        // Odd sides, so that the last column and row of colour cover half a square each.
        let image = image::RgbImage::from_pixel(33, 31, image::Rgb(colour));
        let stored = pixels(&converted(&jpeg(image)).webp).to_rgb8();
        for (x, y) in [(0, 0), (16, 15), (32, 30)] {
            near(stored.get_pixel(x, y).0, colour, 4);
        }
    }
}

#[test]
fn display_p3_becomes_srgb() {
    // Known pairs: the sRGB primaries as Display P3 writes them.
    for (p3, srgb) in [
        ([234, 51, 35], [255, 0, 0]),
        ([117, 251, 76], [0, 255, 0]),
        ([0, 0, 245], [0, 0, 255]),
        ([128, 128, 128], [128, 128, 128]),
        // More than sRGB holds is cut off.
        ([255, 0, 0], [255, 0, 0]),
    ] {
        let image = image::RgbImage::from_pixel(32, 32, image::Rgb(p3));
        let icc = ColorProfile::new_display_p3().encode().unwrap();
        let stored = pixels(&converted(&png_with_profile(&image, &icc)).webp).to_rgb8();
        near(stored.get_pixel(9, 9).0, srgb, 3);
        let stored = pixels(&converted(&with_profile(jpeg(image.clone()), icc)).webp).to_rgb8();
        near(stored.get_pixel(9, 9).0, srgb, 8);
    }
}

#[test]
fn adobe_rgb_becomes_srgb_in_sixteen_bits_too() {
    let icc = ColorProfile::new_adobe_rgb().encode().unwrap();
    let mut info = png::Info::with_size(8, 8);
    info.color_type = png::ColorType::Rgb;
    info.bit_depth = png::BitDepth::Sixteen;
    info.icc_profile = Some(icc.into());
    let mut file = Vec::new();
    // sRGB 0, 255, 0 is 144, 255, 60 in Adobe RGB.
    let pixel: Vec<u8> = [144_u16, 255, 60]
        .iter()
        .flat_map(|v| (v * 257).to_be_bytes())
        .collect();
    let encoder = png::Encoder::with_info(&mut file, info).unwrap();
    encoder
        .write_header()
        .unwrap()
        .write_image_data(&pixel.repeat(64))
        .unwrap();
    near(
        pixels(&converted(&file).webp).to_rgb8().get_pixel(3, 3).0,
        [0, 255, 0],
        3,
    );
}

#[test]
fn an_srgb_or_invalid_profile_changes_no_pixels() {
    let plain = converted(&jpeg(photo(64, 48))).webp;
    let srgb = ColorProfile::new_srgb().encode().unwrap();
    for icc in [srgb, b"no profile at all".to_vec(), vec![0; 4000]] {
        assert!(converted(&with_profile(jpeg(photo(64, 48)), icc)).webp == plain);
    }
}

#[test]
fn alpha_passes_through_a_profile() {
    let cutout = cutout(64, 48);
    let mut file = img_parts::png::Png::from_bytes(png(cutout.clone()).into()).unwrap();
    file.set_icc_profile(Some(
        ColorProfile::new_display_p3().encode().unwrap().into(),
    ));
    let stored = pixels(&converted(&file.encoder().bytes()).webp).into_rgba8();
    assert!(
        stored
            .pixels()
            .zip(cutout.pixels())
            .all(|(a, b)| a.0[3] == b.0[3])
    );
}

#[test]
fn a_webp_in_other_colours_is_encoded_again_and_loses_its_profile() {
    let source = lossy_webp(&photo(64, 48));
    let mut file = img_parts::webp::WebP::from_bytes(source.clone().into()).unwrap();
    file.set_icc_profile(Some(
        ColorProfile::new_display_p3().encode().unwrap().into(),
    ));
    let stored = converted(&file.encoder().bytes()).webp;
    assert!(stored != source);
    assert!(!stored.windows(4).any(|four| four == b"ICCP"));
    let (before, after) = (pixels(&source).to_rgb8(), pixels(&stored).to_rgb8());
    let saturation = |image: &image::RgbImage| -> u64 {
        let spread = |p: &image::Rgb<u8>| p.0.iter().max().unwrap() - p.0.iter().min().unwrap();
        image.pixels().map(|p| u64::from(spread(p))).sum()
    };
    assert!(saturation(&after) > saturation(&before) * 105 / 100);
}

/// Cyan, magenta, yellow, black, no ink, and all of it; as amounts.
const INKS: [[u8; 4]; 6] = [
    [255, 0, 0, 0],
    [0, 255, 0, 0],
    [0, 0, 255, 0],
    [0, 0, 0, 255],
    [0, 0, 0, 0],
    [255; 4],
];
const LIGHT: [[u8; 3]; 6] = [
    [0, 255, 255],
    [255, 0, 255],
    [255, 255, 0],
    [0; 3],
    [255; 3],
    [0; 3],
];

fn check_blocks(file: &[u8], expected: &[[u8; 3]], by: u8) {
    let stored = pixels(&converted(file).webp).to_rgb8();
    assert_eq!(stored.dimensions(), (expected.len() as u32 * 8, 8));
    for (n, colour) in expected.iter().enumerate() {
        near(stored.get_pixel(n as u32 * 8 + 3, 4).0, *colour, by);
    }
}

#[test]
fn cmyk_becomes_rgb_inverted_or_not() {
    check_blocks(&flat_jpeg(&INKS, 6, FlatJpeg::default()), &LIGHT, 12);
    let inverted = INKS.map(|inks| inks.map(|ink| 255 - ink));
    let adobe = FlatJpeg {
        adobe: Some(0),
        progressive: false,
    };
    check_blocks(&flat_jpeg(&inverted, 6, adobe), &LIGHT, 12);
    check_blocks(
        &flat_jpeg(
            &inverted,
            6,
            FlatJpeg {
                progressive: true,
                ..adobe
            },
        ),
        &LIGHT,
        12,
    );
}

#[test]
fn ycck_becomes_rgb() {
    // Greys and black alone: luma is the complement of what is stored.
    let blocks = [
        [0, 128, 128, 255],
        [255, 128, 128, 255],
        [0, 128, 128, 0],
        [127, 128, 128, 255],
    ];
    let file = flat_jpeg(
        &blocks,
        4,
        FlatJpeg {
            adobe: Some(2),
            progressive: false,
        },
    );
    check_blocks(&file, &[[255; 3], [0; 3], [0; 3], [128; 3]], 8);
}

#[test]
fn the_profile_of_ink_is_used() {
    // Paper is white in this profile whatever the colours are; only black ink shows.
    let plain = flat_jpeg(&INKS, 6, FlatJpeg::default());
    // Black is the last ink, so it changes fastest.
    let table = std::array::from_fn(|ink| [if ink % 2 == 0 { 255 } else { 0 }, 128, 128]);
    let file = with_profile(plain, profile_of_ink(&table));
    let white = [255; 3];
    check_blocks(&file, &[white, white, white, [0; 3], white, [0; 3]], 8);
}

/// An ICC profile by hand, CMYK to Lab by a table of two steps an ink; of these black changes fastest.
pub(super) fn profile_of_ink(corners: &[[u8; 3]; 16]) -> Vec<u8> {
    let mut table = b"mft1\0\0\0\0\x04\x03\x02\0".to_vec();
    for n in 0..9 {
        table.extend((u32::from(n % 4 == 0) << 16).to_be_bytes());
    }
    let ramp: Vec<u8> = (0..=255).collect();
    table.extend(ramp.repeat(4));
    table.extend(corners.as_flattened());
    table.extend(ramp.repeat(3));
    let mut profile = vec![0; 128];
    profile[8] = 2;
    profile[12..24].copy_from_slice(b"prtrCMYKLab ");
    profile[36..40].copy_from_slice(b"acsp");
    // The illuminant D50.
    profile[68..80].copy_from_slice(&[0, 0, 0xF6, 0xD6, 0, 1, 0, 0, 0, 0, 0xD3, 0x2D]);
    profile.extend([0, 0, 0, 1]);
    profile.extend(b"A2B0");
    profile.extend(144_u32.to_be_bytes());
    profile.extend((table.len() as u32).to_be_bytes());
    profile.extend(table);
    let length = (profile.len() as u32).to_be_bytes();
    profile[..4].copy_from_slice(&length);
    profile
}
