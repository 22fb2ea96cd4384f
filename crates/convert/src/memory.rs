//! How much memory a conversion takes, from its header, so that a budget can be kept.
//!
//! The numbers are peaks of the resident memory that were measured on pictures of 24 megapixels,
//! in bytes a pixel, and rounded up: JPEG 4.6 (6.0 turned, 6.1 progressive), CMYK JPEG 5.6, grey
//! JPEG 3.4, PNG 4.5, PNG of 16-bit grey 4.0, TIFF 6.0, WebP as it came 4.9 lossy and 9.0 lossless,
//! lossy encoding with alpha 16, lossless encoding 24, an animation of 2 megapixels 38.

use super::{Header, MAX_SIDE};

/// What the pixels of a source cost on their way, in bytes for each.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cost {
    /// What the decoder holds at its peak, its output included.
    pub(super) decode: u64,
    /// The decoded picture, of 8 bits a sample.
    pub(super) picture: u64,
    pub(super) encode: Encode,
}

/// What is made of the pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Encode {
    /// Nothing: the file is kept as it came.
    Nothing,
    Lossy,
    /// Lossless is tried too, where the pixels look like it.
    PerhapsLossless,
}

/// The most pixels for which lossless is tried: beyond a screenshot of the largest screens it
/// costs minutes and gigabytes.
pub(super) const MAX_LOSSLESS_PIXELS: u64 = 1 << 24;

/// What the encoder of animations holds for a pixel of the canvas: the canvas, a frame, and what it
/// compares and tries.
const ANIMATION: u64 = 48;

/// About the peak of a conversion, in bytes, the source included.
pub(super) fn estimate(source: usize, header: &Header) -> u64 {
    let pixels = u64::from(header.width) * u64::from(header.height);
    let Cost {
        decode,
        picture,
        encode,
    } = header.cost;
    let encoder = match encode {
        Encode::Nothing => 0,
        // The planes of the encoder beside the picture they are made of, and then what it writes.
        Encode::Lossy => picture + 2,
        Encode::PerhapsLossless if pixels <= MAX_LOSSLESS_PIXELS => 26,
        // Alpha is compressed without loss.
        Encode::PerhapsLossless if picture.is_multiple_of(2) => 18,
        Encode::PerhapsLossless => picture + 2,
    };
    // Turning and scaling make a copy, scaling one more in between.
    let copies = if header.width.max(header.height) > MAX_SIDE {
        3
    } else {
        2
    };
    let bytes = if header.frames > 1 && encode != Encode::Nothing {
        ANIMATION
    } else {
        decode.max(encoder).max(picture * copies)
    };
    // The result is seldom larger than the source, and most decoders keep a part of that by them.
    (source as u64) * 2 + pixels.saturating_mul(bytes) + (1 << 20)
}
