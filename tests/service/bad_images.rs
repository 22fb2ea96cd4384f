//! Files of another type than declared, or incomplete: a clear response each,
//! and stored images are unaffected.

use std::time::Instant;

use image::ImageFormat;

use crate::harness::process::peak_memory;
use crate::harness::{TestService, assert_error, files, pictures};

/// A service with one image, to be found untouched at the end.
struct Guarded {
    service: TestService,
    hash: String,
    webp: Vec<u8>,
}

impl Guarded {
    async fn start(settings: &[&str]) -> Self {
        let service = TestService::start(settings).await;
        let hash = service.stored(pictures::photo()).await;
        let webp = service.webp(&hash).await;
        Self {
            service,
            hash,
            webp,
        }
    }

    async fn refuses(&self, what: &str, bytes: Vec<u8>, status: u16, text: &str) {
        let response = self.service.upload(bytes).await;
        assert_eq!(response.status(), status, "{what}");
        assert_error(response, status, text).await;
        assert_eq!(self.service.count().await, 1, "{what}");
    }

    async fn assert_untouched(&self) {
        assert_eq!(self.service.webp(&self.hash).await, self.webp);
        assert_eq!(
            files::stored_hashes(self.service.data_dir()),
            [self.hash.as_str()]
        );
        assert!(
            !self.service.stderr().contains("panicked"),
            "{}",
            self.service.stderr()
        );
        self.service.stored(pictures::photo()).await;
    }
}

const FORMATS: [ImageFormat; 6] = [
    ImageFormat::Jpeg,
    ImageFormat::Png,
    ImageFormat::Gif,
    ImageFormat::WebP,
    ImageFormat::Bmp,
    ImageFormat::Tiff,
];

#[tokio::test]
async fn a_truncated_file_is_an_invalid_image() {
    let guarded = Guarded::start(&[]).await;
    for format in FORMATS {
        let whole = pictures::encoded(&pictures::scene(pictures::next_seed(), 200, 150), format);
        for kept in [whole.len() / 2, whole.len() * 9 / 10] {
            let what = format!("{format:?}, {kept} of {} bytes", whole.len());
            guarded
                .refuses(&what, whole[..kept].to_vec(), 422, "Invalid image")
                .await;
        }
    }
    guarded.assert_untouched().await;
}

#[tokio::test]
async fn a_header_with_nothing_behind_it_is_an_invalid_image() {
    let guarded = Guarded::start(&[]).await;
    let headers: [(&str, &[u8]); 4] = [
        ("PNG", b"\x89PNG\r\n\x1a\n"),
        ("JPEG", b"\xff\xd8\xff\xe0\x00\x10JFIF\x00"),
        ("GIF", b"GIF89a"),
        ("WebP", b"RIFF\x1a\x00\x00\x00WEBPVP8 "),
    ];
    for (what, header) in headers {
        guarded
            .refuses(what, header.to_vec(), 422, "Invalid image")
            .await;
    }
    guarded.assert_untouched().await;
}

#[tokio::test]
async fn noise_in_the_middle_of_a_file_does_no_harm() {
    let guarded = Guarded::start(&[]).await;
    for format in FORMATS {
        let mut file = pictures::encoded(&pictures::scene(pictures::next_seed(), 120, 90), format);
        let middle = file.len() / 2;
        for (number, byte) in file[middle..].iter_mut().take(200).enumerate() {
            *byte = (number * 151 % 256) as u8;
        }
        let status = guarded.service.upload(file).await.status().as_u16();
        // Formats without check sums may well take it for an image.
        assert!(
            [201, 409, 413, 415, 422].contains(&status),
            "{format:?}: {status}"
        );
    }
    assert_eq!(guarded.service.webp(&guarded.hash).await, guarded.webp);
    assert!(
        !guarded.service.stderr().contains("panicked"),
        "{}",
        guarded.service.stderr()
    );
}

#[tokio::test]
async fn a_file_that_is_no_image_is_unsupported_whatever_its_name() {
    let guarded = Guarded::start(&[]).await;
    let svgz = b"\x1f\x8b\x08\0\0\0\0\0\0\x03\xb3\x29\x2e\x4b\x57\xa8\xc8\xcd\xc9\x2b\xb6\
        \x55\xcf\x28\x29\x29\xb0\xd2\xd7\x2f\x2f\x2f\xd7\x2b\x37\xd6\xcb\x2f\x4a\xd7\x37\
        \x32\x30\x30\xd0\x07\xaa\x50\x57\x28\xcf\x4c\x29\xc9\xb0\x55\xb7\x54\x57\xc8\x48\
        \xcd\x4c\xcf\x28\x01\x31\xf5\xed\xb8\0\xea\x66\x54\x11\x3f\0\0\0";
    let contents: [(&str, &[u8]); 7] = [
        ("text", b"This is a note about a picture."),
        ("HTML", b"<!DOCTYPE html><script>alert(1)</script>"),
        ("compressed SVG", svgz),
        ("PDF", b"%PDF-1.7\n1 0 obj\n<<>>\nendobj\n"),
        ("ZIP", b"PK\x03\x04\x14\x00\x00\x00\x08\x00"),
        ("zeros", &[0; 4096]),
        ("one byte", b"x"),
    ];
    for (what, bytes) in contents {
        for (name, declared) in [("photo.png", "image/png"), ("photo.jpg", "image/jpeg")] {
            let response = guarded.service.upload_as(bytes, name, declared).await;
            assert_eq!(response.status(), 415, "{what}");
            assert_error(response, 415, "Unsupported image format").await;
        }
    }
    assert_eq!(guarded.service.count().await, 1);
    guarded.assert_untouched().await;
}

#[tokio::test]
async fn a_header_that_claims_60000_by_60000_pixels_is_too_large_at_once() {
    let guarded = Guarded::start(&[]).await;
    for (what, file) in [
        ("PNG", claiming_png(60_000)),
        ("BMP", claiming_bmp(60_000)),
        ("GIF", claiming_gif(60_000)),
        ("JPEG", claiming_jpeg(60_000)),
        ("TIFF", claiming_tiff(60_000)),
    ] {
        let before = peak_memory(guarded.service.pid());
        let began = Instant::now();
        guarded.refuses(what, file, 413, "Image too large").await;
        assert!(began.elapsed().as_secs() < 10, "{what}: it was tried");
        let grown = peak_memory(guarded.service.pid()) - before;
        assert!(grown < 256 << 20, "{what}: {grown} bytes");
    }
    guarded.assert_untouched().await;
}

/// Whatever the owner allows in pixels, one image may not take all memory. Some decoders find out first that
/// the pixels are missing.
#[tokio::test]
async fn an_image_that_claims_gigabytes_is_refused_whatever_the_settings() {
    let guarded = Guarded::start(&["images.max_pixels=1000000000"]).await;
    for (what, file) in [
        ("PNG", claiming_png(30_000)),
        ("BMP", claiming_bmp(30_000)),
        ("GIF", claiming_gif(30_000)),
        ("JPEG", claiming_jpeg(30_000)),
        ("TIFF", claiming_tiff(30_000)),
    ] {
        let status = guarded.service.upload(file).await.status().as_u16();
        assert!([413, 422].contains(&status), "{what}: {status}");
    }
    guarded.assert_untouched().await;
}

/// An SVG whose elements are drawn twice each, again and again: more than any memory holds.
fn doubling_svg(seed: u32) -> Vec<u8> {
    let twice = |n: u32| {
        let half = format!("<use href='#a{}'/>", n - 1);
        format!("<g id='a{n}'>{half}{half}</g>")
    };
    let copies: String = (1..60).map(twice).collect();
    let svg = format!(
        "<svg xmlns='http://www.w3.org/2000/svg' width='{seed}' height='9'>\
        <path id='a0' d='M0 0h1'/>{copies}</svg>"
    );
    svg.into_bytes()
}

/// AVIF in which rav1d ends its process; the byte is one of those that it does so of.
fn deadly_avif(at: usize) -> Vec<u8> {
    let kept = pictures::kept();
    let (_, mut file) = kept
        .into_iter()
        .find(|(name, _)| name == "lossy.avif")
        .expect("a sample");
    let pixels = file.windows(4).position(|four| four == b"mdat");
    let start = pixels.expect("pixels") + 4 + at;
    file[start..]
        .iter_mut()
        .take(9)
        .for_each(|byte| *byte ^= 0xA5);
    file
}

#[tokio::test]
async fn a_hundred_bombs_in_a_row_cost_nothing() {
    let guarded = Guarded::start(&["limits.requests_per_second=0"]).await;
    let service = &guarded.service;
    let before = peak_memory(service.pid());
    for number in 0..100 {
        let mut bomb = match number % 50 {
            0 => doubling_svg(number + 1),
            n if n % 5 == 0 => claiming_png(60_000),
            n if n % 5 == 1 => claiming_gif(60_000),
            n if n % 5 == 2 => claiming_jpeg(60_000),
            n if n % 5 == 3 => claiming_tiff(60_000),
            n => deadly_avif(n as usize),
        };
        if number % 50 != 0 {
            // Another file each time.
            bomb.extend(number.to_le_bytes());
        }
        let status = service.upload(bomb).await.status().as_u16();
        assert!([413, 415, 422].contains(&status), "{number}: {status}");
    }
    let grown = peak_memory(service.pid()) - before;
    assert!(grown < 32 << 20, "{grown} bytes");
    // The idle ones, one of them for fonts.
    #[cfg(target_os = "linux")]
    assert!(crate::harness::memory::children(service.pid()).len() <= 5);
    guarded.assert_untouched().await;
}

/// Scaling down holds weights for every pixel along a side: what is long and
/// thin must not cost gigabytes of them.
#[tokio::test]
async fn a_thread_of_twenty_million_pixels_costs_little_memory() {
    let service = TestService::start(&[]).await;
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, 20_000_000, 1);
    encoder.set_color(png::ColorType::Grayscale);
    encoder.set_depth(png::BitDepth::One);
    let mut writer = encoder.write_header().expect("a header");
    writer
        .write_image_data(&vec![0x5A; 2_500_000])
        .expect("pixels");
    drop(writer);
    let before = peak_memory(service.pid());
    assert_eq!(service.upload(file).await.status(), 201);
    let grown = peak_memory(service.pid()) - before;
    assert!(grown < 400 << 20, "{grown} bytes");
}

fn claiming_png(side: u32) -> Vec<u8> {
    let mut file = pictures::png(&pictures::flat(8, 8, [9, 9, 9]));
    file[16..20].copy_from_slice(&side.to_be_bytes());
    file[20..24].copy_from_slice(&side.to_be_bytes());
    let sum = crc32(&file[12..29]);
    file[29..33].copy_from_slice(&sum.to_be_bytes());
    file
}

fn claiming_bmp(side: u32) -> Vec<u8> {
    let mut file = pictures::encoded(&pictures::flat(8, 8, [9, 9, 9]), ImageFormat::Bmp);
    file[18..22].copy_from_slice(&side.to_le_bytes());
    file[22..26].copy_from_slice(&side.to_le_bytes());
    file
}

fn claiming_gif(side: u16) -> Vec<u8> {
    let mut file = pictures::animated_gif(2, 8, 8, 100);
    file[6..8].copy_from_slice(&side.to_le_bytes());
    file[8..10].copy_from_slice(&side.to_le_bytes());
    file
}

fn claiming_jpeg(side: u16) -> Vec<u8> {
    let mut file = pictures::jpeg(&pictures::flat(8, 8, [9, 9, 9]));
    let frame = file
        .windows(2)
        .position(|marker| marker == [0xff, 0xc0])
        .expect("a frame");
    file[frame + 5..frame + 7].copy_from_slice(&side.to_be_bytes());
    file[frame + 7..frame + 9].copy_from_slice(&side.to_be_bytes());
    file
}

/// A little-endian TIFF of one strip, with its size changed.
fn claiming_tiff(side: u32) -> Vec<u8> {
    let mut file = pictures::encoded(&pictures::flat(8, 8, [9, 9, 9]), ImageFormat::Tiff);
    assert_eq!(&file[..4], b"II*\0");
    let at = |file: &[u8], from: usize| {
        u32::from_le_bytes([file[from], file[from + 1], file[from + 2], file[from + 3]]) as usize
    };
    let directory = at(&file, 4);
    let entries = u16::from_le_bytes([file[directory], file[directory + 1]]);
    for number in 0..usize::from(entries) {
        let entry = directory + 2 + number * 12;
        let tag = u16::from_le_bytes([file[entry], file[entry + 1]]);
        // ImageWidth, ImageLength and RowsPerStrip, as LONG.
        if [256, 257, 278].contains(&tag) {
            file[entry + 2..entry + 4].copy_from_slice(&4_u16.to_le_bytes());
            file[entry + 8..entry + 12].copy_from_slice(&side.to_le_bytes());
        }
    }
    file
}

/// The check sum of a PNG chunk.
fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(u32::MAX, |sum, &byte| {
        (0..8).fold(sum ^ u32::from(byte), |sum, _| {
            if sum & 1 == 1 {
                (sum >> 1) ^ 0xedb8_8320
            } else {
                sum >> 1
            }
        })
    })
}
