//! How a WebP source is written again.

use super::sources::{cutout, frame, gif, lossy_webp, lossy_webp_with_alpha, patch, photo};
use super::{converted, pixels};

fn chunk(kind: &[u8; 4], body: &[u8]) -> Vec<u8> {
    let mut chunk = [kind.as_slice(), &(body.len() as u32).to_le_bytes(), body].concat();
    chunk.resize(chunk.len().next_multiple_of(2), 0);
    chunk
}

fn riff(chunks: &[Vec<u8>]) -> Vec<u8> {
    chunk(b"RIFF", &[b"WEBP".to_vec(), chunks.concat()].concat())
}

fn extended(flags: u8, width: u32, height: u32) -> Vec<u8> {
    let side = |side: u32| (side - 1).to_le_bytes()[..3].to_vec();
    chunk(
        b"VP8X",
        &[vec![flags, 0, 0, 0], side(width), side(height)].concat(),
    )
}

#[test]
fn an_extended_header_that_announces_nothing_is_dropped() {
    let simple = lossy_webp(&photo(40, 30));
    let pixels = simple[12..].to_vec();
    for flags in [0, 0x20, 0x08, 0x04, 0xC1] {
        let odd = chunk(b"ODD ", b"of unknown use");
        let source = riff(&[extended(flags, 40, 30), odd.clone(), pixels.clone(), odd]);
        assert!(converted(&source).webp == simple, "flags {flags:#x}");
    }
}

#[test]
fn alpha_that_the_header_forgot_is_announced() {
    let source = lossy_webp_with_alpha(&cutout(40, 30));
    assert!(converted(&source).webp == source);
    let mut forgotten = source.clone();
    forgotten[20] = 0;
    assert!(converted(&forgotten).webp == source);
    assert!(pixels(&source).color().has_alpha());
}

#[test]
fn extra_chunks_inside_a_frame_are_dropped() {
    let stored = converted(&gif(
        24,
        24,
        Some(0),
        &[
            frame(0, patch(24, [200, 10, 10, 255]), 10, 0),
            frame(0, patch(24, [10, 10, 200, 255]), 10, 0),
        ],
    ))
    .webp;
    let at = stored.windows(4).position(|four| four == b"ANMF").unwrap();
    let length = u32::from_le_bytes(stored[at + 4..at + 8].try_into().unwrap()) as usize;
    let secret = chunk(b"NOTE", b"a secret");
    let mut source = stored.clone();
    source.splice(at + 8 + length..at + 8 + length, secret.clone());
    source[at + 4..at + 8].copy_from_slice(&((length + secret.len()) as u32).to_le_bytes());
    let riff_length = (source.len() as u32 - 8).to_le_bytes();
    source[4..8].copy_from_slice(&riff_length);
    assert!(converted(&source).webp == stored);
}

#[test]
fn one_frame_over_the_whole_canvas_is_unwrapped_and_not_encoded_again() {
    let simple = lossy_webp(&photo(40, 30));
    let header = [[0; 6].as_slice(), &[39, 0, 0, 29, 0, 0], &[100, 0, 0, 0]].concat();
    let frame = chunk(b"ANMF", &[header, simple[12..].to_vec()].concat());
    let source = riff(&[extended(2, 40, 30), chunk(b"ANIM", &[0; 6]), frame]);
    let converted = converted(&source);
    assert!(converted.webp == simple);
    assert_eq!(converted.frames, 1);
}
