//! What PNG, TIFF and BMP say of their colours, as a viewer shows it.

use super::sources::png_chunk;
use super::{OPTIONS, converted, picture, pixels, refused};
use crate::ConvertError;

/// A profile in which red and green have changed places.
fn swapped() -> Vec<u8> {
    let mut profile = moxcms::ColorProfile::new_srgb();
    std::mem::swap(&mut profile.red_colorant, &mut profile.green_colorant);
    profile.cicp = None;
    profile.encode().unwrap()
}

fn near(name: &str, is: [u8; 3], should: [u8; 3]) {
    let close = is.iter().zip(should).all(|(a, b)| a.abs_diff(b) <= 3);
    assert!(close, "{name}: {is:?} is not {should:?}");
}

/// The colour in the middle of what is stored.
fn colour(source: &[u8]) -> [u8; 4] {
    let stored = pixels(&converted(source).webp).to_rgba8();
    stored.get_pixel(stored.width() / 2, stored.height() / 2).0
}

fn rgb(source: &[u8]) -> [u8; 3] {
    let [r, g, b, _] = colour(source);
    [r, g, b]
}

/// A PNG of one colour, as parts of full, with these chunks before its pixels.
fn png(deep: bool, colour: [f64; 3], chunks: &[Vec<u8>]) -> Vec<u8> {
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, 16, 16);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(if deep {
        png::BitDepth::Sixteen
    } else {
        png::BitDepth::Eight
    });
    let pixel: Vec<u8> = colour
        .iter()
        .flat_map(|part| match deep {
            true => ((part * 65_535.0).round() as u16).to_be_bytes().to_vec(),
            false => vec![(part * 255.0).round() as u8],
        })
        .collect();
    let mut writer = encoder.write_header().unwrap();
    writer.write_image_data(&pixel.repeat(256)).unwrap();
    writer.finish().unwrap();
    file.splice(33..33, chunks.concat());
    file
}

fn bytes(colour: [u8; 3]) -> [f64; 3] {
    colour.map(|value| f64::from(value) / 255.0)
}

fn iccp(profile: &[u8]) -> Vec<u8> {
    // Stored, not compressed: blocks of deflate, with the checksum of zlib behind them.
    let mut body = b"profile\0\0\x78\x01".to_vec();
    let blocks = profile.chunks(65_535);
    let last = blocks.len() - 1;
    for (number, block) in blocks.enumerate() {
        let length = block.len() as u16;
        body.push(u8::from(number == last));
        body.extend(length.to_le_bytes());
        body.extend((!length).to_le_bytes());
        body.extend(block);
    }
    let sum = |(a, b): (u32, u32), byte: &u8| {
        let a = (a + u32::from(*byte)) % 65_521;
        (a, (b + a) % 65_521)
    };
    let (a, b) = profile.iter().fold((1, 0), sum);
    body.extend((b << 16 | a).to_be_bytes());
    png_chunk(b"iCCP", &body)
}

fn gama(gamma: u32) -> Vec<u8> {
    png_chunk(b"gAMA", &gamma.to_be_bytes())
}

const ADOBE_RGB: [u32; 8] = [
    31_270, 32_900, 64_000, 33_000, 21_000, 71_000, 15_000, 6_000,
];

#[test]
fn of_the_chunks_of_a_png_the_first_in_the_order_of_the_specification_counts() {
    let cicp = |numbers: [u8; 4]| png_chunk(b"cICP", &numbers);
    let srgb = png_chunk(b"sRGB", &[0]);
    let chrm = png_chunk(b"cHRM", &ADOBE_RGB.map(u32::to_be_bytes).concat());
    let swapped = iccp(&swapped());
    for deep in [false, true] {
        for (name, part, numbers) in [("PQ", 0.58, [9, 16, 0, 1]), ("HLG", 0.75, [9, 18, 0, 1])] {
            let white = rgb(&png(deep, [part; 3], &[cicp(numbers)]));
            assert!(white.iter().all(|value| *value >= 210), "{name}: {white:?}");
        }
        let of = |colour: [u8; 3], chunks: &[Vec<u8>]| rgb(&png(deep, bytes(colour), chunks));
        let p3 = cicp([12, 13, 0, 1]);
        near(
            "Display P3",
            of([200, 60, 60], std::slice::from_ref(&p3)),
            [217, 42, 52],
        );
        near("linear", of([55; 3], &[gama(100_000)]), [128; 3]);
        let adobe = of([60, 200, 60], &[gama(45_455), chrm.clone()]);
        assert!(adobe[0] <= 12 && adobe[1].abs_diff(200) <= 4, "{adobe:?}");
        near(
            "sRGB by another name",
            of([60, 200, 60], &[gama(45_455)]),
            [60, 200, 60],
        );
        let both = [srgb.clone(), swapped.clone()];
        near(
            "a profile before sRGB",
            of([200, 30, 40], &both),
            [30, 200, 40],
        );
        let all = [p3, swapped.clone(), gama(100_000)];
        near(
            "numbers before a profile",
            of([200, 60, 60], &all),
            [217, 42, 52],
        );
        let both = [srgb.clone(), gama(100_000), chrm.clone()];
        near("sRGB before gamma", of([55, 60, 70], &both), [55, 60, 70]);
    }
}

/// A TIFF of one strip; the values of its tags, which are longer than four bytes, follow it.
fn tiff(side: u16, tags: &[(u16, u16, Vec<u8>)], strip: &[u8]) -> Vec<u8> {
    let mut tags = tags.to_vec();
    for (tag, value) in [(256, side), (257, side), (278, side)] {
        tags.push((tag, 3, value.to_le_bytes().to_vec()));
    }
    tags.push((273, 4, Vec::new()));
    tags.push((279, 4, (strip.len() as u32).to_le_bytes().to_vec()));
    tags.sort_by_key(|tag| tag.0);
    let mut file = b"II*\0\x08\0\0\0".to_vec();
    file.extend((tags.len() as u16).to_le_bytes());
    let mut behind = 8 + 2 + tags.len() * 12 + 4;
    let mut values = Vec::new();
    let all: usize = tags
        .iter()
        .filter(|tag| tag.2.len() > 4)
        .map(|tag| tag.2.len())
        .sum();
    let start = (behind + all) as u32;
    for (tag, kind, mut value) in tags {
        if tag == 273 {
            value = start.to_le_bytes().to_vec();
        }
        let size = [1, 1, 2, 4][usize::from(kind).min(4) - 1];
        let size = if kind == 7 { 1 } else { size };
        file.extend(tag.to_le_bytes());
        file.extend(kind.to_le_bytes());
        file.extend(((value.len() / size) as u32).to_le_bytes());
        if value.len() > 4 {
            file.extend((behind as u32).to_le_bytes());
            behind += value.len();
            values.extend(value);
        } else {
            value.resize(4, 0);
            file.extend(value);
        }
    }
    file.extend([0; 4]);
    file.extend(values);
    file.extend(strip);
    file
}

fn shorts(values: &[u16]) -> Vec<u8> {
    values
        .iter()
        .flat_map(|value| value.to_le_bytes())
        .collect()
}

/// The tags of an uncompressed TIFF: the meaning of its samples, how many, and their bits.
fn plain(photometric: u16, samples: u16, bits: u16) -> Vec<(u16, u16, Vec<u8>)> {
    vec![
        (258, 3, shorts(&vec![bits; usize::from(samples)])),
        (259, 3, shorts(&[1])),
        (262, 3, shorts(&[photometric])),
        (277, 3, shorts(&[samples])),
        (284, 3, shorts(&[1])),
    ]
}

#[test]
fn the_profile_of_a_tiff_is_applied_in_rgb_and_cmyk() {
    let mut tags = plain(2, 3, 8);
    tags.push((34_675, 7, swapped()));
    near(
        "RGB",
        rgb(&tiff(16, &tags, &[200, 30, 40].repeat(256))),
        [30, 200, 40],
    );
    let mut deep = plain(2, 3, 16);
    deep.push((34_675, 1, swapped()));
    let pixel = shorts(&[200 * 257, 30 * 257, 40 * 257]);
    near(
        "16 bits",
        rgb(&tiff(16, &deep, &pixel.repeat(256))),
        [30, 200, 40],
    );
    // Without a profile, ink lets through what it leaves.
    let ink = [55, 225, 215, 0].repeat(256);
    near("CMYK", rgb(&tiff(16, &plain(5, 4, 8), &ink)), [200, 30, 40]);
    // With this one, cyan prints as magenta and magenta as cyan: what is red without it is green.
    let swapped = || super::colours::profile_of_ink(&SWAPPED_INKS);
    for (ink, without, with) in [
        ([0, 255, 255, 0], [255, 0, 0], [0, 255, 0]),
        ([0, 255, 0, 0], [255, 0, 255], [0, 255, 255]),
        ([255, 0, 255, 255], [0; 3], [0; 3]),
    ] {
        for bits in [8, 16] {
            let ink: Vec<u8> = ink.iter().flat_map(|&v: &u8| vec![v; bits / 8]).collect();
            let mut tags = plain(5, 4, bits as u16);
            near("CMYK", rgb(&tiff(16, &tags, &ink.repeat(256))), without);
            tags.push((34_675, 7, swapped()));
            let is = rgb(&tiff(16, &tags, &ink.repeat(256)));
            let far = is.iter().zip(with).any(|(is, with)| is.abs_diff(with) > 24);
            assert!(!far, "{bits} bits, {ink:?}: {is:?} {with:?}");
        }
    }
    near(
        "made by a program",
        rgb(&picture("profile.tif")),
        [30, 200, 40],
    );
}

/// What each corner of the cube of inks prints, in Lab, with cyan and magenta exchanged.
const SWAPPED_INKS: [[u8; 3]; 16] = {
    const fn lab(l: i32, a: i32, b: i32) -> [u8; 3] {
        [(l * 255 / 100) as u8, (a + 128) as u8, (b + 128) as u8]
    }
    const BLACK: [u8; 3] = lab(0, 0, 0);
    let [white, yellow] = [lab(100, 0, 0), lab(98, -16, 93)];
    let [cyan, magenta] = [lab(91, -51, -15), lab(60, 94, -61)];
    let [red, green, blue] = [lab(54, 81, 70), lab(88, -79, 81), lab(30, 68, -112)];
    [
        white, BLACK, yellow, BLACK, cyan, BLACK, green, BLACK, magenta, BLACK, red, BLACK, blue,
        BLACK, BLACK, BLACK,
    ]
};

/// A hundred megapixels of 16 bits do not fit into the memory of a helper process.
#[test]
fn samples_of_a_tiff_of_at_most_eight_bits_stay_in_eight() {
    for (photometric, each, bits) in [(0, 1, 1), (2, 3, 8), (5, 4, 8), (8, 3, 8)] {
        let strip = vec![90; 256 * usize::from(each)];
        let file = tiff(16, &plain(photometric, each, bits), &strip);
        let still = crate::tiff::decode(&file, &OPTIONS).unwrap();
        let kind = still.image.color();
        assert_eq!(kind.bytes_per_pixel(), kind.channel_count());
    }
}

#[test]
fn each_kind_of_sample_of_a_tiff_is_its_colour() {
    let white = |photometric, bits: u16, byte: u8| {
        let row = 16 * usize::from(bits) / 8;
        tiff(16, &plain(photometric, 1, bits), &vec![byte; row * 16])
    };
    for (name, source, should) in [
        ("1 bit, white is zero", white(0, 1, 0x00), [255; 3]),
        ("1 bit, black is zero", white(1, 1, 0x00), [0; 3]),
        ("2 bits", white(1, 2, 0b1010_1010), [170; 3]),
        ("4 bits", white(1, 4, 0x99), [153; 3]),
        ("4 bits, white is zero", white(0, 4, 0x99), [102; 3]),
    ] {
        near(name, rgb(&source), should);
    }
    let mut palette = plain(3, 1, 8);
    let entry = |value: u16| {
        (0..256)
            .map(|n| if n == 7 { value * 257 } else { 0 })
            .collect()
    };
    let map: [Vec<u16>; 3] = [entry(200), entry(30), entry(40)];
    palette.push((320, 3, shorts(&map.concat())));
    near(
        "palette",
        rgb(&tiff(16, &palette, &[7; 256])),
        [200, 30, 40],
    );

    let mut ycbcr = plain(6, 3, 8);
    ycbcr.push((530, 3, shorts(&[1, 1])));
    near(
        "YCbCr",
        rgb(&tiff(16, &ycbcr, &[82, 104, 212].repeat(256))),
        [200, 31, 39],
    );
    // Lab of (200, 30, 40): 43, 62.5, 38.7.
    let lab = [110, 62, 39].repeat(256);
    let is = rgb(&tiff(16, &plain(8, 3, 8), &lab));
    assert!(
        is[0].abs_diff(200) <= 6 && is[1].abs_diff(30) <= 10 && is[2].abs_diff(40) <= 6,
        "{is:?}"
    );

    let mut float = plain(2, 3, 32);
    float.push((339, 3, shorts(&[3, 3, 3])));
    let pixel: Vec<u8> = [0.5_f32, 2.0, -1.0]
        .iter()
        .flat_map(|v| v.to_le_bytes())
        .collect();
    near(
        "float",
        rgb(&tiff(16, &float, &pixel.repeat(256))),
        [128, 255, 0],
    );
    assert_eq!(
        refused(&tiff(16, &plain(4, 1, 8), &[0; 256])),
        ConvertError::Unsupported
    );
}

#[test]
fn each_compression_of_a_tiff_that_programs_write_is_read() {
    let whole = image::load_from_memory(&picture("colour.png")).unwrap();
    for name in [
        "zstd.tif",
        "ycbcr-lzw.tif",
        "ycbcr-jpeg.tif",
        "palette.tif",
        "lab.tif",
    ] {
        let stored = pixels(&converted(&picture(name)).webp);
        let psnr = super::psnr(&stored, &whole);
        assert!(psnr > 20.0, "{name}: {psnr:.1} dB");
    }
    let grey = pixels(&converted(&picture("float.tif")).webp);
    let psnr = super::psnr(&grey, &whole.grayscale());
    assert!(psnr > 26.0, "float.tif: {psnr:.1} dB");
    // Black on the left, white on the right.
    for name in ["group-3.tif", "group-4.tif"] {
        let stored = pixels(&converted(&picture(name)).webp).to_rgb8();
        let (black, white) = (stored.get_pixel(8, 8).0, stored.get_pixel(40, 8).0);
        assert!(
            black[0] < 10 && white[0] > 245,
            "{name}: {black:?} {white:?}"
        );
    }
}

/// A BMP of 8 × 8 pixels of 32 bits with a header of this size; `fields` are put into it.
fn bmp(header: u32, pixel: [u8; 4], fields: &[(usize, &[u8])], behind: &[u8]) -> Vec<u8> {
    let pixels = pixel.repeat(64);
    let start = 14 + header;
    let mut file = b"BM".to_vec();
    file.extend((start + pixels.len() as u32).to_le_bytes());
    file.extend([0; 4]);
    file.extend(start.to_le_bytes());
    file.extend(header.to_le_bytes());
    file.resize(start as usize, 0);
    file[18..22].copy_from_slice(&8_u32.to_le_bytes());
    file[22..26].copy_from_slice(&8_u32.to_le_bytes());
    file[26..30].copy_from_slice(&[1, 0, 32, 0]);
    for (at, bytes) in fields {
        file[14 + at..14 + at + bytes.len()].copy_from_slice(bytes);
    }
    file.extend(pixels);
    file.extend(behind);
    file
}

const MASKS: [u8; 16] = [0, 0, 0xFF, 0, 0, 0xFF, 0, 0, 0xFF, 0, 0, 0, 0, 0, 0, 0xFF];
const SRGB: &[u8] = b"BGRs";

#[test]
fn the_alpha_of_a_bmp_counts_unless_it_is_empty() {
    let half = bmp(108, [40, 30, 200, 128], &[(40, &MASKS), (56, SRGB)], &[]);
    assert_eq!(colour(&half)[3], 128, "version 4, uncompressed");
    let bitfields: (usize, &[u8]) = (16, &[3, 0, 0, 0]);
    let empty = bmp(
        124,
        [40, 30, 200, 0],
        &[bitfields, (40, &MASKS), (56, SRGB)],
        &[],
    );
    let [r, g, b, alpha] = colour(&empty);
    near("its colour", [r, g, b], [200, 30, 40]);
    assert_eq!(alpha, 255, "every alpha is 0");
    let unnamed = bmp(108, [40, 30, 200, 128], &[(56, SRGB)], &[]);
    assert_eq!(colour(&unnamed)[3], 255, "no mask");
}

#[test]
fn the_profile_and_the_gamma_of_a_bmp_are_applied() {
    let profile = swapped();
    let start = (124 + 256_u32).to_le_bytes();
    let length = (profile.len() as u32).to_le_bytes();
    let fields: [(usize, &[u8]); 3] = [(56, b"DEBM"), (112, &start), (116, &length)];
    near(
        "profile",
        rgb(&bmp(124, [40, 30, 200, 0], &fields, &profile)),
        [30, 200, 40],
    );
    // The primaries of sRGB, and a gamma of 1.
    let ends = [
        0.4124, 0.2126, 0.0193, 0.3576, 0.7152, 0.1192, 0.1805, 0.0722, 0.9505,
    ];
    let ends: Vec<u8> = ends
        .iter()
        .flat_map(|v| ((v * f64::from(1 << 30)) as u32).to_le_bytes())
        .collect();
    let gamma = (1_u32 << 16).to_le_bytes().repeat(3);
    let fields: [(usize, &[u8]); 2] = [(60, &ends), (96, &gamma)];
    near("gamma", rgb(&bmp(108, [55; 4], &fields, &[])), [128; 3]);
}
