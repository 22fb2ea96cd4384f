//! Images to upload, made on the spot: no two calls give the same one, and the
//! same seed always does.

use std::io::Cursor;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use image::codecs::gif::{GifEncoder, Repeat};
use image::codecs::jpeg::JpegEncoder;
use image::codecs::webp::WebPEncoder;
use image::{
    AnimationDecoder, Delay, DynamicImage, ExtendedColorType, Frame, ImageEncoder, ImageFormat,
    Rgb, RgbImage, Rgba, RgbaImage,
};

static NEXT_SEED: AtomicU64 = AtomicU64::new(1);

/// A seed that no other call has had.
pub fn next_seed() -> u64 {
    NEXT_SEED.fetch_add(1, Ordering::Relaxed)
}

/// A small photograph as a JPEG file.
pub fn photo() -> Vec<u8> {
    jpeg(&scene(next_seed(), 96, 64))
}

/// A photograph that is larger than what the service keeps in memory, and than what the system buffers for
/// a reader, where `images.quality` is 100.
pub fn large() -> Vec<u8> {
    png(&scene(next_seed(), 2_400, 1_800))
}

/// Gradients, a few discs and some noise: what a photograph is to an encoder.
pub fn scene(seed: u64, width: u32, height: u32) -> RgbImage {
    let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let ends = [0; 6].map(|_: i32| random.below(256) as f32);
    let discs = [0; 4].map(|_: i32| {
        let x = random.below(u64::from(width)) as f32;
        let y = random.below(u64::from(height)) as f32;
        let radius = 1.0 + random.below(u64::from(width.max(8)) / 4) as f32;
        (x, y, radius, random.below(120) as f32 - 60.0)
    });
    RgbImage::from_fn(width, height, |x, y| {
        let across = x as f32 / width as f32;
        let down = y as f32 / height as f32;
        let noise = random.below(17) as f32 - 8.0;
        let light: f32 = discs
            .iter()
            .filter(|(cx, cy, radius, _)| (x as f32 - cx).hypot(y as f32 - cy) < *radius)
            .map(|(.., light)| light)
            .sum();
        Rgb([0, 1, 2].map(|channel| {
            let slope = if channel == 1 { down } else { across };
            let value = ends[channel] * (1.0 - slope) + ends[channel + 3] * slope;
            (value + light + noise).clamp(0.0, 255.0) as u8
        }))
    })
}

/// One colour everywhere, so that a lossy encoder cannot blur it.
pub fn flat(width: u32, height: u32, colour: [u8; 3]) -> RgbImage {
    RgbImage::from_pixel(width, height, Rgb(colour))
}

/// The image in any format that the image crate writes.
pub fn encoded(picture: &RgbImage, format: ImageFormat) -> Vec<u8> {
    let mut file = Cursor::new(Vec::new());
    picture
        .write_to(&mut file, format)
        .expect("a format that is written");
    file.into_inner()
}

/// The image as JPEG, quality 90.
pub fn jpeg(picture: &RgbImage) -> Vec<u8> {
    let mut file = Vec::new();
    JpegEncoder::new_with_quality(&mut file, 90)
        .encode_image(picture)
        .expect("a JPEG");
    file
}

/// The image as PNG.
pub fn png(picture: &RgbImage) -> Vec<u8> {
    encoded(picture, ImageFormat::Png)
}

/// The image as PNG with a colour profile.
pub fn png_with_profile(picture: &RgbImage, profile: Vec<u8>) -> Vec<u8> {
    let mut file = Vec::new();
    let mut encoder = image::codecs::png::PngEncoder::new(&mut file);
    encoder.set_icc_profile(profile).expect("PNG has profiles");
    encoder
        .write_image(
            picture,
            picture.width(),
            picture.height(),
            ExtendedColorType::Rgb8,
        )
        .expect("a PNG");
    file
}

/// The image as lossless WebP, with EXIF when it is given.
pub fn webp(picture: &RgbImage, exif: Option<Vec<u8>>) -> Vec<u8> {
    let mut file = Vec::new();
    let mut encoder = WebPEncoder::new_lossless(&mut file);
    if let Some(exif) = exif {
        encoder.set_exif_metadata(exif).expect("WebP has EXIF");
    }
    encoder
        .write_image(
            picture,
            picture.width(),
            picture.height(),
            ExtendedColorType::Rgb8,
        )
        .expect("a WebP");
    file
}

/// An endless GIF in which a disc moves; each frame lasts `delay_ms`.
pub fn animated_gif(frames: u32, width: u32, height: u32, delay_ms: u32) -> Vec<u8> {
    let seed = next_seed();
    let mut file = Vec::new();
    let mut encoder = GifEncoder::new(&mut file);
    encoder.set_repeat(Repeat::Infinite).expect("a GIF");
    let ground = scene(seed, width, height);
    for number in 0..frames {
        let centre = (
            width as f32 * number as f32 / frames as f32,
            height as f32 / 2.0,
        );
        let frame = RgbaImage::from_fn(width, height, |x, y| {
            let near = (x as f32 - centre.0).hypot(y as f32 - centre.1) < height as f32 / 3.0;
            let Rgb([r, g, b]) = *ground.get_pixel(x, y);
            if near {
                Rgba([255, 200, 40, 255])
            } else {
                Rgba([r / 64 * 64, g / 64 * 64, b / 64 * 64, 255])
            }
        });
        let delay = Delay::from_numer_denom_ms(delay_ms, 1);
        encoder
            .encode_frame(Frame::from_parts(frame, 0, 0, delay))
            .expect("a frame");
    }
    drop(encoder);
    file
}

/// EXIF with this orientation, and with `remark` as the image's description.
pub fn exif(orientation: u16, remark: &str) -> Vec<u8> {
    let text = format!("{remark}\0").into_bytes();
    let mut exif = b"MM\0\x2a\0\0\0\x08\0\x02".to_vec();
    // ImageDescription: ASCII, after the directory of 2 + 2 * 12 + 4 bytes.
    exif.extend_from_slice(&0x010e_u16.to_be_bytes());
    exif.extend_from_slice(&2_u16.to_be_bytes());
    exif.extend_from_slice(
        &u32::try_from(text.len())
            .expect("a short text")
            .to_be_bytes(),
    );
    exif.extend_from_slice(&38_u32.to_be_bytes());
    // Orientation: one SHORT, in the first half of its four bytes.
    exif.extend_from_slice(&0x0112_u16.to_be_bytes());
    exif.extend_from_slice(&3_u16.to_be_bytes());
    exif.extend_from_slice(&1_u32.to_be_bytes());
    exif.extend_from_slice(&orientation.to_be_bytes());
    exif.extend_from_slice(&[0, 0]);
    exif.extend_from_slice(&0_u32.to_be_bytes());
    exif.extend_from_slice(&text);
    exif
}

/// The JPEG with an EXIF segment put at its front.
pub fn jpeg_with_exif(jpeg: &[u8], exif: &[u8]) -> Vec<u8> {
    let mut file = jpeg[..2].to_vec();
    let length = u16::try_from(exif.len() + 8).expect("a short segment");
    file.extend_from_slice(&[0xff, 0xe1]);
    file.extend_from_slice(&length.to_be_bytes());
    file.extend_from_slice(b"Exif\0\0");
    file.extend_from_slice(exif);
    file.extend_from_slice(&jpeg[2..]);
    file
}

/// A WebP file decoded; for an animation its first frame.
pub fn decoded(webp: &[u8]) -> DynamicImage {
    assert!(is_webp(webp), "no WebP: {:?}", &webp[..webp.len().min(16)]);
    image::load_from_memory_with_format(webp, ImageFormat::WebP).expect("a WebP that decodes")
}

/// How long each frame of an animated WebP lasts, in milliseconds.
pub fn frame_delays(webp: &[u8]) -> Vec<u32> {
    let decoder = image::codecs::webp::WebPDecoder::new(Cursor::new(webp)).expect("a WebP");
    assert!(decoder.has_animation(), "not animated");
    let frames = decoder
        .into_frames()
        .collect_frames()
        .expect("whole frames");
    frames
        .iter()
        .map(|frame| frame.delay().numer_denom_ms())
        .map(|(n, d)| n / d)
        .collect()
}

/// Whether the bytes start as WebP files do.
pub fn is_webp(bytes: &[u8]) -> bool {
    bytes.len() > 12 && &bytes[..4] == b"RIFF" && &bytes[8..12] == b"WEBP"
}

/// The names of a WebP file's chunks.
pub fn webp_chunks(webp: &[u8]) -> Vec<String> {
    let mut names = Vec::new();
    let mut at = 12;
    while at + 8 <= webp.len() {
        names.push(String::from_utf8_lossy(&webp[at..at + 4]).into_owned());
        let size = u32::from_le_bytes([webp[at + 4], webp[at + 5], webp[at + 6], webp[at + 7]]);
        at += 8 + (size as usize).next_multiple_of(2);
    }
    names
}

/// The difference of two images of the same size: the mean difference of a
/// channel, 0 to 255.
pub fn distance(one: &RgbImage, other: &RgbImage) -> f64 {
    assert_eq!(one.dimensions(), other.dimensions());
    let sum: u64 = one
        .iter()
        .zip(other.iter())
        .map(|(a, b)| u64::from(a.abs_diff(*b)))
        .sum();
    sum as f64 / one.len() as f64
}

struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        // xorshift: good enough for grain.
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 16) % bound.max(1)
    }
}

/// The files of `tests/pictures`, by name: at least one of every kind that is accepted, and some
/// that are not.
pub fn kept() -> Vec<(String, Vec<u8>)> {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../pictures")).to_owned();
    let mut files: Vec<(String, Vec<u8>)> = std::fs::read_dir(folder)
        .expect("the folder")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.is_file())
        .map(|path| {
            let name = path.file_name().expect("a name").to_string_lossy().into();
            (name, std::fs::read(path).expect("readable"))
        })
        .collect();
    files.sort();
    files
}
