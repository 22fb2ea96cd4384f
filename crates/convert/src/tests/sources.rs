//! Sources for the tests: pictures, and files made of them by encoders and by hand.

use std::io::Cursor;

use image::{DynamicImage, ImageFormat, RgbImage, RgbaImage};

/// Something like a photograph: soft shapes and noise, no two pixels alike.
pub(super) fn photo(width: u32, height: u32) -> RgbImage {
    let mut noise = 0x1234_5678_u32;
    RgbImage::from_fn(width, height, |x, y| {
        noise = noise.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let grain = (noise >> 28) as f32 - 8.0;
        let (x, y) = (x as f32, y as f32);
        let wave = |a: f32, b: f32| 127.0 + 80.0 * (x / a).sin() * (y / b).cos() + grain;
        image::Rgb([
            wave(31.0, 47.0) as u8,
            wave(53.0, 29.0) as u8,
            wave(41.0, 37.0) as u8,
        ])
    })
}

/// Something like a screenshot: a few flat colours.
pub(super) fn drawing(width: u32, height: u32) -> RgbImage {
    RgbImage::from_fn(width, height, |x, y| match (x / 23 + y / 17) % 3 {
        0 => image::Rgb([250, 250, 245]),
        1 => image::Rgb([30, 90, 200]),
        _ => image::Rgb([200, 40, 60]),
    })
}

/// Eight flat fields of different colours, four by two, so that every turn and every mirror is
/// another picture.
pub(super) fn fields(side: u32) -> RgbImage {
    const COLOURS: [[u8; 3]; 8] = [
        [220, 30, 30],
        [30, 200, 40],
        [40, 60, 220],
        [230, 220, 40],
        [30, 200, 210],
        [200, 50, 200],
        [240, 240, 240],
        [20, 20, 20],
    ];
    RgbImage::from_fn(side * 4, side * 2, |x, y| {
        image::Rgb(COLOURS[(y / side * 4 + x / side) as usize])
    })
}

/// Half of it transparent, with a soft edge.
pub(super) fn cutout(width: u32, height: u32) -> RgbaImage {
    let opaque = photo(width, height);
    RgbaImage::from_fn(width, height, |x, y| {
        let [r, g, b] = opaque.get_pixel(x, y).0;
        image::Rgba([
            r,
            g,
            b,
            (x * 510 / width).saturating_sub(128).min(255) as u8,
        ])
    })
}

pub(super) fn encoded(image: impl Into<DynamicImage>, format: ImageFormat) -> Vec<u8> {
    let mut file = Cursor::new(Vec::new());
    image.into().write_to(&mut file, format).unwrap();
    file.into_inner()
}

pub(super) fn jpeg(image: impl Into<DynamicImage>) -> Vec<u8> {
    let mut file = Vec::new();
    let encoder = image::codecs::jpeg::JpegEncoder::new_with_quality(&mut file, 95);
    image.into().write_with_encoder(encoder).unwrap();
    file
}

pub(super) fn png(image: impl Into<DynamicImage>) -> Vec<u8> {
    encoded(image, ImageFormat::Png)
}

/// Lossy WebP, as another program would have made it.
pub(super) fn lossy_webp(image: &RgbImage) -> Vec<u8> {
    webp::Encoder::from_rgb(image, image.width(), image.height())
        .encode(80.0)
        .to_vec()
}

pub(super) fn lossy_webp_with_alpha(image: &RgbaImage) -> Vec<u8> {
    webp::Encoder::from_rgba(image, image.width(), image.height())
        .encode(80.0)
        .to_vec()
}

pub(super) fn lossless_webp(image: &RgbImage) -> Vec<u8> {
    webp::Encoder::from_rgb(image, image.width(), image.height())
        .encode_lossless()
        .to_vec()
}

/// The coordinates that [`exif`] carries, as text and as they are written.
pub(super) const PLACE: &str = "Porchlight Lane 48.858370 N 2.294481 E";

/// An EXIF block with an orientation and a place: big-endian, two entries.
pub(super) fn exif(orientation: u8) -> Vec<u8> {
    let mut block = b"MM\0\x2A\0\0\0\x08\0\x02".to_vec();
    block.extend([0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, orientation, 0, 0]);
    // Image description, as text behind the directory.
    block.extend([0x01, 0x0E, 0, 2]);
    block.extend((PLACE.len() as u32).to_be_bytes());
    block.extend(38_u32.to_be_bytes());
    block.extend([0; 4]);
    block.extend(PLACE.as_bytes());
    block
}

/// How a JPEG of flat blocks is stored.
#[derive(Clone, Copy, Default)]
pub(super) struct FlatJpeg {
    /// The transform of an Adobe segment: 0 for CMYK, 2 for YCCK.
    pub(super) adobe: Option<u8>,
    pub(super) progressive: bool,
}

/// A JPEG by hand: blocks of 8 × 8 pixels, each of one colour, `across` of them in a row. The
/// components are stored as given.
pub(super) fn flat_jpeg<const N: usize>(
    blocks: &[[u8; N]],
    across: u16,
    kind: FlatJpeg,
) -> Vec<u8> {
    let down = blocks.len() as u16 / across;
    let mut file = vec![0xFF, 0xD8];
    let mut segment = |marker: u8, body: &[u8]| {
        file.extend([0xFF, marker]);
        file.extend((body.len() as u16 + 2).to_be_bytes());
        file.extend(body);
    };
    if let Some(transform) = kind.adobe {
        segment(
            0xEE,
            &[b'A', b'd', b'o', b'b', b'e', 0, 100, 0, 0, 0, 0, transform],
        );
    }
    // Every step is 8, so that the mean of a block is its value less 128.
    segment(0xDB, &[[0].as_slice(), &[8; 64]].concat());
    let mut frame = vec![8];
    frame.extend((down * 8).to_be_bytes());
    frame.extend((across * 8).to_be_bytes());
    frame.push(N as u8);
    (1..=N as u8).for_each(|id| frame.extend([id, 0x11, 0]));
    segment(if kind.progressive { 0xC2 } else { 0xC0 }, &frame);
    // Twelve sizes of difference, each with a code of four bits; for the rest, "nothing more".
    segment(
        0xC4,
        &[
            [0].as_slice(),
            &[0, 0, 0, 12],
            &[0; 12],
            &(0..12).collect::<Vec<u8>>(),
        ]
        .concat(),
    );
    segment(0xC4, &[[0x10].as_slice(), &[1], &[0; 15], &[0]].concat());
    let mut scan = vec![N as u8];
    (1..=N as u8).for_each(|id| scan.extend([id, 0]));
    scan.extend(if kind.progressive {
        [0, 0, 0]
    } else {
        [0, 63, 0]
    });
    segment(0xDA, &scan);
    let mut bits = String::new();
    let mut before = [0_i32; N];
    for block in blocks {
        for (value, before) in block.iter().zip(&mut before) {
            let value = i32::from(*value) - 128;
            let difference = value - std::mem::replace(before, value);
            let size = 32 - difference.unsigned_abs().leading_zeros();
            bits += &format!("{size:04b}");
            if size > 0 {
                let code = if difference > 0 {
                    difference
                } else {
                    difference + (1 << size) - 1
                };
                bits += &format!("{code:0width$b}", width = size as usize);
            }
            if !kind.progressive {
                bits += "0";
            }
        }
    }
    bits += &"1".repeat(bits.len().next_multiple_of(8) - bits.len());
    for byte in bits.as_bytes().chunks(8) {
        let byte = byte.iter().fold(0, |byte, bit| byte << 1 | (bit - b'0'));
        file.push(byte);
        if byte == 0xFF {
            file.push(0);
        }
    }
    file.extend([0xFF, 0xD9]);
    file
}

/// One frame of an animation made by hand.
#[derive(Clone)]
pub(super) struct Still {
    pub(super) x: u32,
    pub(super) image: RgbaImage,
    /// In hundredths of a second.
    pub(super) delay: u16,
    /// Of APNG: 0 keep, 1 clear, 2 restore.
    pub(super) dispose: u8,
}

pub(super) fn frame(x: u32, image: RgbaImage, delay: u16, dispose: u8) -> Still {
    Still {
        x,
        image,
        delay,
        dispose,
    }
}

pub(super) fn gif(width: u16, height: u16, again: Option<u16>, frames: &[Still]) -> Vec<u8> {
    let mut file = Vec::new();
    let mut encoder = gif::Encoder::new(&mut file, width, height, &[]).unwrap();
    if let Some(again) = again {
        let repeat = if again == 0 {
            gif::Repeat::Infinite
        } else {
            gif::Repeat::Finite(again)
        };
        encoder.set_repeat(repeat).unwrap();
    }
    for still in frames {
        let (width, height) = still.image.dimensions();
        let mut pixels = still.image.clone().into_raw();
        let mut frame = gif::Frame::from_rgba(width as u16, height as u16, &mut pixels);
        (frame.left, frame.delay) = (still.x as u16, still.delay);
        frame.dispose = match still.dispose {
            0 => gif::DisposalMethod::Keep,
            1 => gif::DisposalMethod::Background,
            _ => gif::DisposalMethod::Previous,
        };
        encoder.write_frame(&frame).unwrap();
    }
    drop(encoder);
    file
}

pub(super) fn apng(width: u32, height: u32, plays: u32, frames: &[Still]) -> Vec<u8> {
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, width, height);
    encoder.set_color(png::ColorType::Rgba);
    encoder.set_animated(frames.len() as u32, plays).unwrap();
    let mut writer = encoder.write_header().unwrap();
    for still in frames {
        let (width, height) = still.image.dimensions();
        writer.set_frame_dimension(width, height).unwrap();
        writer.set_frame_position(still.x, 0).unwrap();
        writer.set_frame_delay(still.delay, 100).unwrap();
        writer
            .set_dispose_op(match still.dispose {
                0 => png::DisposeOp::None,
                1 => png::DisposeOp::Background,
                _ => png::DisposeOp::Previous,
            })
            .unwrap();
        writer.set_blend_op(png::BlendOp::Over).unwrap();
        writer.write_image_data(&still.image).unwrap();
    }
    writer.finish().unwrap();
    file
}

/// Plain colour, `side` by `side`.
pub(super) fn patch(side: u32, colour: [u8; 4]) -> RgbaImage {
    RgbaImage::from_pixel(side, side, image::Rgba(colour))
}

/// A chunk of a PNG, with its checksum.
pub(super) fn png_chunk(kind: &[u8; 4], body: &[u8]) -> Vec<u8> {
    let mut chunk = (body.len() as u32).to_be_bytes().to_vec();
    chunk.extend([kind.as_slice(), body].concat());
    let crc = !chunk[4..].iter().fold(!0_u32, |crc, &byte| {
        (0..8).fold(crc ^ u32::from(byte), |crc, _| {
            (crc >> 1) ^ (0xEDB8_8320 & (crc & 1).wrapping_neg())
        })
    });
    chunk.extend(crc.to_be_bytes());
    chunk
}
