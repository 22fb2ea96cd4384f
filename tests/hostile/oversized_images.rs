//! Small files that claim, or decompress to, very large images, at least one of each format.

use std::io::Write as _;

use flate2::write::ZlibEncoder;
use flate2::{Compression, Crc};

/// Each with a name for the report.
pub(crate) fn all() -> Vec<(&'static str, Vec<u8>)> {
    vec![
        ("png of 65,000 squared", png(65_000, &[], &zeros(100))),
        (
            "png with 200 MB of pixels too many",
            png(64, &[], &zeros(200 << 20)),
        ),
        (
            "png with a profile of 64 MB",
            png(4, &profile(), &zeros(52)),
        ),
        ("png with texts of 64 MB", png(4, &texts(), &zeros(52))),
        ("apng of 100,000 frames", animated_png()),
        ("gif of 400,000 dots", gif(1, 400_000)),
        ("gif of 65,535 squared", gif(65_535, 1)),
        ("bmp of two thousand million", bmp()),
        ("qoi of 60,000 squared", qoi()),
        ("tiff with a strip of 4 GB", tiff(true)),
        ("tiff whose list leads back", tiff(false)),
        ("ico of 65,535 pictures", ico()),
        ("webp of 16 million squared", webp()),
        ("avif with a box of 2^63", avif()),
        ("svg that laughs", laughing_svg().into_bytes()),
        (
            "svg that names a file",
            svg(FILE_ENTITY, "<desc>&x;</desc>"),
        ),
        (
            "svg with a file's picture",
            svg("", "<image href='file:///etc/hostname'/>"),
        ),
        ("svg of 60,000 groups", svg("", &deep())),
        ("svg with a wide blur", svg("", BLUR)),
    ]
}

const FILE_ENTITY: &str = "<!DOCTYPE svg [<!ENTITY x SYSTEM 'file:///etc/passwd'>]>";
const BLUR: &str = "<filter id='f'><feGaussianBlur stdDeviation='9999'/>\
    <feTurbulence numOctaves='99999'/></filter><rect width='9' height='9' filter='url(#f)'/>";

/// This many zeros, compressed.
fn zeros(number: usize) -> Vec<u8> {
    let mut packed = ZlibEncoder::new(Vec::new(), Compression::best());
    let piece = vec![0; 1 << 20];
    let mut left = number;
    while left > 0 {
        let now = left.min(piece.len());
        packed.write_all(&piece[..now]).expect("to memory");
        left -= now;
    }
    packed.finish().expect("to memory")
}

fn chunk(kind: &[u8; 4], body: &[u8]) -> Vec<u8> {
    let mut sum = Crc::new();
    sum.update(kind);
    sum.update(body);
    let length = u32::try_from(body.len()).expect("a short chunk");
    [
        &length.to_be_bytes(),
        &kind[..],
        body,
        &sum.sum().to_be_bytes(),
    ]
    .concat()
}

/// A square in eight-bit colour, with these chunks before its pixels.
fn png(side: u32, before: &[u8], pixels: &[u8]) -> Vec<u8> {
    let header = [
        &side.to_be_bytes()[..],
        &side.to_be_bytes(),
        &[8, 2, 0, 0, 0],
    ]
    .concat();
    [
        b"\x89PNG\r\n\x1a\n",
        &chunk(b"IHDR", &header)[..],
        before,
        &chunk(b"IDAT", pixels),
        &chunk(b"IEND", &[]),
    ]
    .concat()
}

fn profile() -> Vec<u8> {
    chunk(b"iCCP", &[b"a\0\0", &zeros(64 << 20)[..]].concat())
}

fn texts() -> Vec<u8> {
    chunk(b"zTXt", &[b"k\0\0", &zeros(16 << 20)[..]].concat()).repeat(4)
}

fn animated_png() -> Vec<u8> {
    let side = 2_000_u32;
    let sides = [side.to_be_bytes(), side.to_be_bytes()].concat();
    let place = [0; 8];
    let control = [&[0; 4][..], &sides, &place, &[0, 1, 0, 10, 0, 0]].concat();
    let frames = [100_000_u32.to_be_bytes(), [0; 4]].concat();
    let before = [chunk(b"acTL", &frames), chunk(b"fcTL", &control)].concat();
    png(side, &before, &zeros(6_001 * 2_000))
}

fn gif(side: u16, frames: usize) -> Vec<u8> {
    let sides = [side.to_le_bytes(), side.to_le_bytes()].concat();
    let head = [b"GIF89a", &sides[..], &[0x80, 0, 0], &[0; 6]].concat();
    let frame = [&[0x2c, 0, 0, 0, 0], &sides[..], &[0, 2, 2, 0x44, 1, 0]].concat();
    [head, frame.repeat(frames), vec![b';']].concat()
}

fn bmp() -> Vec<u8> {
    let mut file = b"BM".to_vec();
    file.extend(
        [200_u32, 0, 54, 40, 2_000_000_000, 2]
            .map(u32::to_le_bytes)
            .concat(),
    );
    file.extend([1_u16, 24].map(u16::to_le_bytes).concat());
    file.extend([0; 24 + 100]);
    file
}

fn qoi() -> Vec<u8> {
    let side = 60_000_u32.to_be_bytes();
    [b"qoif", &side[..], &side, &[3, 0], &[0xfd; 4_000]].concat()
}

/// A directory with four entries of a large image, or an empty one that links to itself.
fn tiff(large: bool) -> Vec<u8> {
    let mut file = b"II*\0\x08\0\0\0".to_vec();
    let entries: &[(u16, u32)] = match large {
        true => &[(256, 60_000), (257, 60_000), (273, 8), (279, 4_000_000_000)],
        false => &[],
    };
    file.extend((entries.len() as u16).to_le_bytes());
    for (tag, value) in entries {
        file.extend([*tag, 4].map(u16::to_le_bytes).concat());
        file.extend([1, *value].map(u32::to_le_bytes).concat());
    }
    let next: u32 = if large { 0 } else { 8 };
    file.extend(next.to_le_bytes());
    file
}

fn ico() -> Vec<u8> {
    [&[0, 0, 1, 0, 0xff, 0xff][..], &[0; 16].repeat(65_535)].concat()
}

fn webp() -> Vec<u8> {
    let head = [b"RIFF", &[0xff; 4][..], b"WEBPVP8X\x0a\0\0\0"].concat();
    [&head[..], &[2, 0, 0, 0], &[0xff; 6]].concat()
}

fn avif() -> Vec<u8> {
    let kind = b"\0\0\0\x1cftypavif\0\0\0\0avifmif1miaf";
    [&kind[..], b"\0\0\0\x01meta", &(1_u64 << 63).to_be_bytes()].concat()
}

fn svg(before: &str, inside: &str) -> Vec<u8> {
    let open = "<svg xmlns='http://www.w3.org/2000/svg' width='999' height='999'>";
    format!("{before}{open}{inside}</svg>").into_bytes()
}

/// Each entity is ten of the one before.
fn laughing_svg() -> String {
    let entities: String = (0..12)
        .map(|number: u32| {
            let ten = match number.checked_sub(1) {
                None => "x".repeat(10),
                Some(before) => format!("&a{before};").repeat(10),
            };
            format!("<!ENTITY a{number} '{ten}'>")
        })
        .collect();
    format!(
        "<!DOCTYPE svg [{entities}]><svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'>\
         <g id='&a11;'/></svg>"
    )
}

fn deep() -> String {
    ["<g>".repeat(60_000), "</g>".repeat(60_000)].concat()
}
