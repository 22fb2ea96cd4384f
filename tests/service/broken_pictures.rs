//! Broken images, made from valid ones of every format: cut, flipped, with wrong lengths, and
//! endless. Each gets a clear response, in bounded time and memory, and the service keeps running.
//!
//! `PORCHLIGHT_MUTATIONS` is the number of flipped files of each image; `cargo xtask soak
//! pictures` runs many.

use std::time::{Duration, Instant};

use image::{Rgba, RgbaImage};

use crate::harness::chunks::parts;
use crate::harness::process::peak_memory;
use crate::harness::{TestService, pictures};

/// No answer takes longer, on a slow machine either.
const TIMEOUT: Duration = Duration::from_secs(30);
/// What the process may ever have taken, in bytes: the images are small.
const MEMORY: u64 = 600 << 20;

struct Broken {
    service: TestService,
    sent: u64,
    longest: Duration,
}

impl Broken {
    async fn start() -> Self {
        let settings = [
            "limits.requests_per_second=0",
            "images.max_animation_pixels=20000000",
        ];
        Self {
            service: TestService::start(&settings).await,
            sent: 0,
            longest: Duration::ZERO,
        }
    }

    /// Sends a file and returns the status, which is never a server error.
    async fn status(&mut self, what: &str, file: Vec<u8>) -> u16 {
        let began = Instant::now();
        let status = self.service.upload(file).await.status().as_u16();
        let took = began.elapsed();
        assert!(
            [201, 400, 409, 413, 415, 422].contains(&status),
            "{what}: {status}"
        );
        assert!(took < TIMEOUT, "{what} took {took:?}");
        self.longest = self.longest.max(took);
        self.sent += 1;
        status
    }

    async fn refuses(&mut self, what: &str, file: Vec<u8>) {
        let status = self.status(what, file).await;
        assert!(![201, 409].contains(&status), "{what}: taken");
    }

    /// Nothing is left of it all, and a good image comes in.
    #[allow(clippy::print_stdout, reason = "the counts are what a long run is for")]
    async fn end(self, what: &str) {
        let stderr = self.service.stderr();
        assert!(!stderr.contains("panicked"), "{stderr}");
        let peak = peak_memory(self.service.pid());
        assert!(peak < MEMORY, "{peak} bytes");
        println!(
            "{what}: {} files, the longest took {:?}, {peak} bytes at most",
            self.sent, self.longest
        );
        self.service.stored(pictures::photo()).await;
    }
}

/// One good image of each format and kind.
fn whole() -> Vec<(String, Vec<u8>)> {
    let kinds = [
        "baseline.jpg",
        "progressive.jpg",
        "cmyk.jpg",
        "colour.png",
        "alpha.png",
        "palette.png",
        "animation.png",
        "animation.gif",
        "lossy.webp",
        "lossless.webp",
        "alpha.webp",
        "animation.webp",
        "plain.bmp",
        "lzw.tif",
        "deflate.tif",
        "bitmap.ico",
        "png-rgb.ico",
        "plain.qoi",
        "lossy.heic",
        "alpha.heic",
        "lossy.avif",
        "alpha.avif",
        "grid.avif",
        "lossy.jxl",
        "lossless.jxl",
        "animation.jxl",
        "from-jpeg.jxl",
    ];
    let mut kept = pictures::kept();
    kept.retain(|(name, _)| kinds.contains(&name.as_str()));
    assert_eq!(kept.len(), kinds.len());
    kept
}

/// How many bytes at the end of a format are no part of the image.
fn unneeded(name: &str) -> usize {
    match name.rsplit('.').next() {
        // An end chunk, behind the checksum of the pixels and that of their chunk.
        Some("png") => 20,
        // The mark of the end, and padding before it.
        Some("jpg") => 4,
        // The trailer, and the end of the last frame's blocks.
        Some("gif") => 2,
        // Eight bytes of end mark.
        Some("qoi") => 8,
        // A mask that repeats the alpha: one bit per pixel.
        Some("ico") if name == "bitmap.ico" => 32 * 16 / 8,
        Some("ico") => 12,
        // The end of a codestream is where its last frame ends; some bits of padding follow.
        Some("jxl") => 1,
        _ => 0,
    }
}

/// A stream of numbers that is the same in every run.
struct Seeded(u64);

impl Seeded {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound
    }
}

#[tokio::test]
async fn a_picture_cut_at_any_part_is_refused() {
    let mut broken = Broken::start().await;
    let mut seeded = Seeded(1);
    for (name, file) in whole() {
        let mut cuts: Vec<usize> = parts(&file).iter().map(|part| part.start).collect();
        // Behind a part's head, and anywhere.
        cuts.extend(parts(&file).iter().map(|part| part.start + 8));
        cuts.extend((0..12).map(|_| seeded.below(file.len())));
        cuts.retain(|cut| *cut > 0 && *cut < file.len() - unneeded(&name));
        cuts.sort_unstable();
        cuts.dedup();
        for cut in cuts {
            let what = format!("{name} cut at {cut} of {}", file.len());
            let cut = file[..cut].to_vec();
            // Between two frames, a GIF is a whole one without its trailer.
            if name.ends_with(".gif") {
                broken.status(&what, cut).await;
            } else {
                broken.refuses(&what, cut).await;
            }
        }
    }
    broken.end("cut").await;
}

#[tokio::test]
async fn a_picture_with_flipped_bytes_is_answered_and_does_no_harm() {
    let number = std::env::var("PORCHLIGHT_MUTATIONS").ok();
    let number: usize = number.map_or(12, |number| number.parse().expect("a number"));
    let mut broken = Broken::start().await;
    let mut seeded = Seeded(2);
    for (name, file) in whole() {
        for round in 0..number {
            let mut flipped = file.clone();
            for _ in 0..=seeded.below(4) {
                let at = seeded.below(file.len());
                flipped[at] = match seeded.below(4) {
                    0 => flipped[at] ^ (1 << seeded.below(8)),
                    1 => 0xff,
                    2 => 0,
                    _ => seeded.below(256) as u8,
                };
            }
            broken
                .status(&format!("{name}, round {round}"), flipped)
                .await;
        }
    }
    broken.end("flipped").await;
}

#[tokio::test]
async fn a_part_with_a_wrong_length_is_answered_and_does_no_harm() {
    let mut broken = Broken::start().await;
    for (name, file) in whole() {
        for part in parts(&file) {
            if part.length.is_empty() {
                continue;
            }
            for lie in [0x00, 0x01, 0x7f, 0xff] {
                let mut lying = file.clone();
                lying[part.length.clone()].fill(lie);
                let what = format!("{name}, the length at {} filled with {lie:#x}", part.start);
                broken.status(&what, lying).await;
            }
        }
    }
    broken.end("lying lengths").await;
}

#[tokio::test]
async fn a_header_that_claims_too_many_pixels_is_refused_in_every_format() {
    let mut broken = Broken::start().await;
    let kept = pictures::kept();
    let good = |name: &str| {
        let found = kept.iter().find(|(kept, _)| kept == name);
        found.expect("it is there").1.clone()
    };
    let at = |file: &[u8], what: &[u8]| {
        let found = file.windows(what.len()).position(|window| window == what);
        found.expect("it is in there")
    };
    let mut webp = good("lossy.webp");
    webp[26..30].copy_from_slice(&[0xff, 0x3f, 0xff, 0x3f]);
    let mut qoi = good("plain.qoi");
    qoi[4..12].fill(0x7f);
    let mut ico = good("png-rgb.ico");
    let header = at(&ico, b"IHDR");
    ico[header + 4..header + 12].copy_from_slice(&[0, 0, 0xea, 0x60, 0, 0, 0xea, 0x60]);
    let mut avif = good("lossy.avif");
    let size = at(&avif, b"ispe");
    avif[size + 8..size + 16].copy_from_slice(&[0, 0, 0xea, 0x60, 0, 0, 0xea, 0x60]);
    // All bits of the size set: 2^30 by 2^30.
    let mut jxl = vec![0xff, 0x0a];
    jxl.extend([
        0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
    ]);
    for (what, file) in [
        ("WebP", webp),
        ("QOI", qoi),
        ("ICO", ico),
        ("AVIF", avif),
        ("JPEG XL", jxl),
    ] {
        broken.refuses(what, file).await;
    }
    broken.end("too many pixels").await;
}

fn chunk(kind: &[u8; 4], body: &[u8]) -> Vec<u8> {
    let mut chunk = [kind.as_slice(), &(body.len() as u32).to_le_bytes(), body].concat();
    chunk.resize(chunk.len().next_multiple_of(2), 0);
    chunk
}

/// An animated WebP that shows the same still again and again, on a canvas of this size.
fn endless_webp(frames: usize, side: u32) -> Vec<u8> {
    let still = pictures::webp(&pictures::flat(2, 2, [9, 99, 199]), None);
    let pixels = &still[12..];
    let side = (side - 1).to_le_bytes();
    let header = [&[2, 0, 0, 0], &side[..3], &side[..3]].concat();
    let frame = [[0; 6].as_slice(), &[1, 0, 0, 1, 0, 0, 40, 0, 0, 0], pixels].concat();
    let body = [
        b"WEBP".to_vec(),
        chunk(b"VP8X", &header),
        chunk(b"ANIM", &[0; 6]),
        chunk(b"ANMF", &frame).repeat(frames),
    ];
    chunk(b"RIFF", &body.concat())
}

fn endless_gif(frames: usize, side: u16) -> Vec<u8> {
    let mut file = b"GIF89a".to_vec();
    file.extend([side.to_le_bytes(), side.to_le_bytes()].concat());
    file.extend([0x80, 0, 0, 0, 0, 0, 255, 255, 255]);
    // One white pixel, at the left or beside it, so that no two frames are alike.
    for number in 0..frames {
        file.extend([0x21, 0xf9, 4, 0, 4, 0, 0, 0]);
        file.extend([
            0x2c,
            (number % 2) as u8,
            0,
            0,
            0,
            1,
            0,
            1,
            0,
            0,
            2,
            2,
            0x4c,
            1,
            0,
        ]);
    }
    file.push(0x3b);
    file
}

fn endless_png(frames: u32, side: u32) -> Vec<u8> {
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, side, side);
    encoder.set_color(png::ColorType::Rgba);
    encoder.set_animated(frames, 0).expect("frames");
    let mut writer = encoder.write_header().expect("a header");
    let ground = RgbaImage::from_pixel(side, side, Rgba([9, 99, 199, 255]));
    writer.write_image_data(&ground).expect("pixels");
    for number in 1..frames {
        writer.set_frame_dimension(1, 1).expect("a size");
        writer.set_frame_position(number % 2, 0).expect("a place");
        writer.write_image_data(&[255; 4]).expect("a pixel");
    }
    writer.finish().expect("an end");
    file
}

#[tokio::test]
async fn an_endless_animation_is_refused_at_the_limit_and_bounded_below_it() {
    // They take seconds to make, and a connection that waits for 15 seconds is closed: first all files,
    // then the service. The limit of this one is 20 megapixels over all frames: 500 of 200 by 200.
    let files = [
        ("GIF", endless_gif(501, 200), 413),
        ("GIF", endless_gif(490, 200), 201),
        ("APNG", endless_png(501, 200), 413),
        ("APNG", endless_png(490, 200), 201),
        ("WebP", endless_webp(501, 200), 413),
        ("WebP", endless_webp(490, 200), 201),
        // Frames of a few pixels are work too, however little they show.
        ("GIF of dots", endless_gif(100_000, 2), 413),
        ("APNG of dots", endless_png(100_000, 2), 413),
        ("WebP of dots", endless_webp(100_000, 2), 413),
    ];
    let mut broken = Broken::start().await;
    for (what, file, status) in files {
        assert_eq!(broken.status(what, file).await, status, "{what}");
    }
    broken.end("endless").await;
}
