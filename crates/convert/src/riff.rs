//! The container of WebP: chunks in a RIFF file. Read strictly, and written again with the pixels
//! alone, so that the same pixels are always the same bytes.

use std::io::Cursor;

use image_webp::{DecodingError, WebPDecoder};

use super::ConvertError;

/// A WebP with nothing in it but what is seen, and the two chunks of metadata that change what it looks like.
#[derive(Debug, Default)]
pub(super) struct Webp<'a> {
    pub(super) size: (u32, u32),
    /// 1 of a still.
    pub(super) frames: u32,
    pub(super) icc: Option<&'a [u8]>,
    pub(super) exif: Option<&'a [u8]>,
    /// The size of the pixels of a still in bytes, where they are compressed without loss.
    pub(super) lossless: Option<usize>,
    /// As it is stored.
    pub(super) file: Vec<u8>,
}

/// By how many bytes the length of a file may be too large.
const SLACK: usize = 16;

/// Flags of the extended header.
const ANIMATION: u8 = 0x02;
const ALPHA: u8 = 0x10;

impl From<DecodingError> for ConvertError {
    fn from(error: DecodingError) -> Self {
        Self::invalid(error)
    }
}

fn invalid(reason: &str) -> ConvertError {
    ConvertError::invalid(reason)
}

fn u24(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], 0])
}

type Chunk<'a> = ([u8; 4], &'a [u8]);

/// The chunks of `bytes` that begin before `end`, in their order: four letters and a body.
fn chunks(bytes: &[u8], end: usize) -> impl Iterator<Item = Result<Chunk<'_>, ConvertError>> {
    let mut rest = bytes;
    std::iter::from_fn(move || {
        if rest.is_empty() || bytes.len() - rest.len() >= end {
            return None;
        }
        let chunk = next_chunk(&mut rest);
        if chunk.is_none() {
            rest = &[];
        }
        Some(chunk.ok_or_else(|| invalid("a chunk is cut short")))
    })
}

fn next_chunk<'a>(rest: &mut &'a [u8]) -> Option<Chunk<'a>> {
    let (kind, after) = rest.split_first_chunk::<4>()?;
    let (length, after) = after.split_first_chunk::<4>()?;
    let length = u32::from_le_bytes(*length) as usize;
    let (body, after) = after.split_at_checked(length)?;
    // A body of odd length is padded, but for some writers' last one.
    *rest = after.get(length % 2..).unwrap_or_default();
    Some((*kind, body))
}

fn chunk(kind: &[u8; 4], body: &[u8]) -> Vec<u8> {
    let mut chunk = [kind, &(body.len() as u32).to_le_bytes(), body].concat();
    chunk.resize(chunk.len().next_multiple_of(2), 0);
    chunk
}

fn file(chunks: &[u8]) -> Vec<u8> {
    chunk(b"RIFF", &[b"WEBP", chunks].concat())
}

fn extended_header(flags: u8, (width, height): (u32, u32)) -> Vec<u8> {
    let mut header = [flags, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    header[4..7].copy_from_slice(&(width - 1).to_le_bytes()[..3]);
    header[7..].copy_from_slice(&(height - 1).to_le_bytes()[..3]);
    chunk(b"VP8X", &header)
}

impl<'a> Webp<'a> {
    /// Reads the container; the pixels themselves are not decoded.
    pub(super) fn parse(source: &'a [u8]) -> Result<Self, ConvertError> {
        let header = source.first_chunk::<12>();
        let header = header.ok_or_else(|| invalid("the file ends in its header"))?;
        let length = u32::from_le_bytes([header[4], header[5], header[6], header[7]]) as usize;
        // What follows the container is no part of the picture. Some writers count wrongly by a chunk's
        // header or by padding; browsers go by the chunks.
        let (body, end) = (&source[12..], length.saturating_sub(4));
        if end > body.len() + SLACK {
            return Err(invalid("the file is shorter than its header says"));
        }
        let mut chunks = chunks(body, end).peekable();
        match chunks.peek() {
            Some(Ok((kind, header))) if *kind == *b"VP8X" => {
                let header = *header;
                Self::extended(header, chunks.skip(1))
            }
            _ => Ok(Self::of_still(&Pixels::parse(chunks)?)),
        }
    }

    fn of_still(pixels: &Pixels) -> Self {
        let mut body = pixels.chunks.clone();
        if pixels.has_alpha && pixels.lossless.is_none() {
            body.splice(..0, extended_header(ALPHA, pixels.size));
        }
        Self {
            size: pixels.size,
            frames: 1,
            lossless: pixels.lossless,
            file: file(&body),
            ..Self::default()
        }
    }

    fn extended(
        header: &[u8],
        chunks: impl Iterator<Item = Result<Chunk<'a>, ConvertError>>,
    ) -> Result<Self, ConvertError> {
        if header.len() < 10 {
            return Err(invalid("the extended header is cut short"));
        }
        let (flags, size) = (header[0], (u24(header, 4) + 1, u24(header, 7) + 1));
        let (mut icc, mut exif, mut parameters) = (None, None, None);
        let (mut pixels, mut frames) = (Vec::new(), Vec::new());
        for chunk in chunks {
            let (kind, body) = chunk?;
            match &kind {
                b"ICCP" => icc = icc.or(Some(body)),
                b"EXIF" => exif = exif.or(Some(body)),
                // Background colour (a hint that no browser takes) and how often it plays.
                b"ANIM" => parameters = parameters.or(body.first_chunk::<6>()),
                b"ANMF" => frames.push(Frame::parse(body, size)?),
                _ => pixels.push(Ok((kind, body))),
            }
        }
        let webp = if flags & ANIMATION == 0 {
            let still = Self::of_still(&Pixels::parse(pixels.into_iter())?);
            if still.size != size {
                return Err(invalid("the picture has another size than its file"));
            }
            still
        } else {
            let parameters = parameters.ok_or_else(|| invalid("an animation without its chunk"))?;
            Self::of_frames(flags, size, parameters, &frames)?
        };
        Ok(Self { icc, exif, ..webp })
    }

    fn of_frames(
        flags: u8,
        size: (u32, u32),
        parameters: &[u8],
        frames: &[Frame],
    ) -> Result<Self, ConvertError> {
        match frames {
            [] => return Err(invalid("an animation without a frame")),
            // One frame that covers the canvas is a still, and is stored as one.
            [frame] if frame.pixels.size == size => return Ok(Self::of_still(&frame.pixels)),
            _ => {}
        }
        let has_alpha = frames.iter().any(|frame| frame.pixels.has_alpha);
        let alpha = if has_alpha { ALPHA } else { flags & ALPHA };
        let mut body = extended_header(ANIMATION | alpha, size);
        body.extend(chunk(b"ANIM", parameters));
        for frame in frames {
            let inner = [&frame.header[..], &frame.pixels.chunks].concat();
            body.extend(chunk(b"ANMF", &inner));
        }
        Ok(Self {
            size,
            frames: frames.len() as u32,
            file: file(&body),
            ..Self::default()
        })
    }
}

/// Compressed pixels.
struct Pixels {
    /// The chunk of the pixels, and in front of it that of the alpha of lossy ones.
    chunks: Vec<u8>,
    size: (u32, u32),
    has_alpha: bool,
    /// Their size in bytes, where they are compressed without loss.
    lossless: Option<usize>,
}

impl Pixels {
    /// The first pixels among `chunks`, and the alpha in front of them.
    fn parse<'a>(
        chunks: impl Iterator<Item = Result<Chunk<'a>, ConvertError>>,
    ) -> Result<Self, ConvertError> {
        let mut alpha = None;
        for next in chunks {
            let (kind, body) = next?;
            if kind == *b"ALPH" {
                alpha = alpha.or(Some(chunk(b"ALPH", body)));
            }
            let is_lossless = kind == *b"VP8L";
            if !is_lossless && kind != *b"VP8 " {
                continue;
            }
            let pixels = chunk(&kind, body);
            let header = WebPDecoder::new(Cursor::new(file(&pixels)))?;
            let alpha = alpha.filter(|_| !is_lossless);
            return Ok(Self {
                size: header.dimensions(),
                has_alpha: header.has_alpha() || alpha.is_some(),
                chunks: [alpha.unwrap_or_default(), pixels].concat(),
                lossless: is_lossless.then_some(body.len()),
            });
        }
        Err(invalid("there are no pixels in it"))
    }
}

/// A frame of an animation.
struct Frame {
    /// Its place, its size, how long it lasts, and how it is drawn.
    header: [u8; 16],
    pixels: Pixels,
}

impl Frame {
    /// Of an animation of this size.
    fn parse(body: &[u8], (width, height): (u32, u32)) -> Result<Self, ConvertError> {
        let (header, inner) = body
            .split_first_chunk::<16>()
            .ok_or_else(|| invalid("a frame is cut short"))?;
        let pixels = Pixels::parse(chunks(inner, inner.len()))?;
        let size = (u24(header, 6) + 1, u24(header, 9) + 1);
        if size != pixels.size {
            return Err(invalid("a frame has another size than its header says"));
        }
        if u24(header, 0) * 2 + size.0 > width || u24(header, 3) * 2 + size.1 > height {
            return Err(invalid("a frame sticks out of the canvas"));
        }
        Ok(Self {
            header: *header,
            pixels,
        })
    }
}
