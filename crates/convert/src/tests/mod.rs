//! Conversion as its callers see it: bytes in, bytes out. The sources are made here, so that each
//! test shows what it is about.

mod animations;
mod bitmaps;
mod broken;
mod colours;
mod formats;
mod lenient;
mod limits;
mod metadata;
mod modern;
mod narrower;
mod sources;
mod stored;
mod vectors;

use super::{ConvertError, ConvertOptions, Converted, convert};

const OPTIONS: ConvertOptions = ConvertOptions {
    quality: 80,
    max_side: 0,
    max_pixels: 100_000_000,
    max_animation_pixels: 1_000_000_000,
};

fn converted(source: &[u8]) -> Converted {
    let converted = convert(source, &OPTIONS).unwrap();
    let (width, height) = size(&converted.webp);
    assert_eq!((width, height), (converted.width, converted.height));
    let again = convert(source, &OPTIONS).unwrap();
    assert!(
        again.webp == converted.webp,
        "the same source gave other bytes"
    );
    let stored = convert(&converted.webp, &OPTIONS).unwrap();
    assert!(
        stored.webp == converted.webp,
        "the stored bytes gave other bytes"
    );
    converted
}

/// A file of `tests/pictures`.
fn picture(name: &str) -> Vec<u8> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/pictures/");
    std::fs::read(format!("{path}{name}")).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn refused(source: &[u8]) -> ConvertError {
    convert(source, &OPTIONS).unwrap_err()
}

/// Decoded by the `image` crate, on its own.
fn pixels(webp: &[u8]) -> image::DynamicImage {
    image::load_from_memory_with_format(webp, image::ImageFormat::WebP).unwrap()
}

fn size(webp: &[u8]) -> (u32, u32) {
    let image = pixels(webp);
    (image.width(), image.height())
}

/// Whether a still WebP is lossless.
fn is_lossless(webp: &[u8]) -> bool {
    webp.windows(4).any(|four| four == b"VP8L")
}

/// Peak signal to noise, in dB, over red, green and blue.
fn psnr(a: &image::DynamicImage, b: &image::DynamicImage) -> f64 {
    let (a, b) = (a.to_rgb8(), b.to_rgb8());
    assert_eq!(a.dimensions(), b.dimensions());
    let squares = |(a, b): (&u8, &u8)| f64::from(a.abs_diff(*b)).powi(2);
    let sum: f64 = a.as_raw().iter().zip(b.as_raw()).map(squares).sum();
    10.0 * (255.0_f64.powi(2) * a.as_raw().len() as f64 / sum.max(1e-9)).log10()
}
