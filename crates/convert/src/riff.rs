//! The container of WebP: chunks in a RIFF file. Read strictly, and written again with the pixels
//! alone, so that the same pixels are always the same bytes.

use super::ConvertError;

/// The part of a WebP that is kept, and the two chunks of metadata that change what it looks like.
#[derive(Debug)]
pub(super) struct Webp<'a> {
    pub(super) width: u32,
    pub(super) height: u32,
    pub(super) icc: Option<&'a [u8]>,
    pub(super) exif: Option<&'a [u8]>,
    pub(super) content: Content<'a>,
}

/// What the file shows.
#[derive(Debug)]
pub(super) enum Content<'a> {
    Still(Bitstream<'a>),
    Animation {
        /// Background colour (a hint that no browser takes) and how often it plays, as stored.
        parameters: [u8; 6],
        /// Whether the file announces transparency.
        alpha: bool,
        frames: Vec<AnimationFrame<'a>>,
    },
}

/// Compressed pixels.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bitstream<'a> {
    /// The alpha of a lossy picture.
    alpha: Option<&'a [u8]>,
    lossless: bool,
    pixels: &'a [u8],
    pub(super) width: u32,
    pub(super) height: u32,
}

/// A frame as stored.
#[derive(Debug)]
pub(super) struct AnimationFrame<'a> {
    header: [u8; 16],
    pub(super) bitstream: Bitstream<'a>,
}

/// By how many bytes the length of a file may be too large.
const SLACK: usize = 16;

fn invalid(reason: &str) -> ConvertError {
    ConvertError::invalid(reason)
}

fn u24(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], 0])
}

/// The chunks of `bytes` that begin before `end`, in their order: four letters and a body.
fn chunks(
    bytes: &[u8],
    end: usize,
) -> impl Iterator<Item = Result<([u8; 4], &[u8]), ConvertError>> {
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

fn next_chunk<'a>(rest: &mut &'a [u8]) -> Option<([u8; 4], &'a [u8])> {
    let (kind, after) = rest.split_first_chunk::<4>()?;
    let (length, after) = after.split_first_chunk::<4>()?;
    let length = u32::from_le_bytes(*length) as usize;
    let (body, after) = after.split_at_checked(length)?;
    // A body of odd length is padded, but for some writers' last one.
    *rest = if length % 2 == 1 {
        after.get(1..).unwrap_or_default()
    } else {
        after
    };
    Some((*kind, body))
}

impl<'a> Webp<'a> {
    /// Reads the container; the pixels themselves are not looked at.
    pub(super) fn parse(source: &'a [u8]) -> Result<Self, ConvertError> {
        let Some(&[.., a, b, c, d]) = source.first_chunk::<8>() else {
            return Err(invalid("the file ends in its header"));
        };
        let length = u32::from_le_bytes([a, b, c, d]) as usize;
        // What follows the container is no part of the picture. Some writers count wrongly by a chunk's
        // header or by padding; browsers go by the chunks.
        let body = source.get(12..).unwrap_or_default();
        if length.saturating_sub(4) > body.len() + SLACK {
            return Err(invalid("the file is shorter than its header says"));
        }
        let mut chunks = chunks(body, length.saturating_sub(4)).peekable();
        match chunks.peek() {
            Some(Ok((kind, header))) if *kind == *b"VP8X" => {
                let header = *header;
                Self::extended(header, chunks.skip(1))
            }
            _ => {
                let bitstream = Bitstream::parse(chunks)?;
                Ok(Self {
                    width: bitstream.width,
                    height: bitstream.height,
                    icc: None,
                    exif: None,
                    content: Content::Still(bitstream),
                })
            }
        }
    }

    fn extended(
        header: &[u8],
        chunks: impl Iterator<Item = Result<([u8; 4], &'a [u8]), ConvertError>>,
    ) -> Result<Self, ConvertError> {
        if header.len() < 10 {
            return Err(invalid("the extended header is cut short"));
        }
        let (flags, width, height) = (header[0], u24(header, 4) + 1, u24(header, 7) + 1);
        let (mut icc, mut exif, mut parameters) = (None, None, None);
        let (mut pixels, mut frames) = (Vec::new(), Vec::new());
        for chunk in chunks {
            let (kind, body) = chunk?;
            match &kind {
                b"ICCP" => icc = icc.or(Some(body)),
                b"EXIF" => exif = exif.or(Some(body)),
                b"ANIM" => parameters = parameters.or(body.first_chunk::<6>().copied()),
                b"ANMF" => frames.push(AnimationFrame::parse(body, width, height)?),
                b"ALPH" | b"VP8 " | b"VP8L" => pixels.push(Ok((kind, body))),
                _ => {}
            }
        }
        let content = if flags & ANIMATION == 0 {
            let bitstream = Bitstream::parse(pixels.into_iter())?;
            if (bitstream.width, bitstream.height) != (width, height) {
                return Err(invalid("the picture has another size than its file"));
            }
            Content::Still(bitstream)
        } else {
            let parameters = parameters.ok_or_else(|| invalid("an animation without its chunk"))?;
            if frames.is_empty() {
                return Err(invalid("an animation without a frame"));
            }
            let alpha =
                flags & ALPHA != 0 || frames.iter().any(|frame| frame.bitstream.has_alpha());
            Content::Animation {
                parameters,
                alpha,
                frames,
            }
        };
        Ok(Self {
            width,
            height,
            icc,
            exif,
            content,
        })
    }

    /// How many there are; 1 of a still.
    pub(super) fn frames(&self) -> u32 {
        match &self.content {
            Content::Still(_) => 1,
            Content::Animation { frames, .. } => u32::try_from(frames.len()).unwrap_or(u32::MAX),
        }
    }

    /// The file with nothing in it but what is seen. One frame that covers the canvas is a still,
    /// and is stored as one.
    pub(super) fn without_metadata(&self) -> Vec<u8> {
        match &self.content {
            Content::Still(bitstream) => bitstream.to_file(),
            Content::Animation { frames, .. } if let Some(bitstream) = self.only(frames) => {
                bitstream.to_file()
            }
            Content::Animation {
                parameters,
                alpha,
                frames,
            } => {
                let mut body = extended_header(
                    ANIMATION | if *alpha { ALPHA } else { 0 },
                    self.width,
                    self.height,
                );
                push_chunk(&mut body, b"ANIM", parameters);
                for frame in frames {
                    let mut inner = frame.header.to_vec();
                    frame.bitstream.push(&mut inner);
                    push_chunk(&mut body, b"ANMF", &inner);
                }
                file(&body)
            }
        }
    }

    fn only(&self, frames: &[AnimationFrame<'a>]) -> Option<Bitstream<'a>> {
        match frames {
            [frame]
                if (frame.bitstream.width, frame.bitstream.height) == (self.width, self.height) =>
            {
                Some(frame.bitstream)
            }
            _ => None,
        }
    }
}

impl<'a> Bitstream<'a> {
    /// The first pixels among `chunks`, and the alpha in front of them.
    fn parse(
        chunks: impl Iterator<Item = Result<([u8; 4], &'a [u8]), ConvertError>>,
    ) -> Result<Self, ConvertError> {
        let mut alpha = None;
        for chunk in chunks {
            match chunk? {
                (kind, body) if &kind == b"ALPH" => alpha = alpha.or(Some(body)),
                (kind, pixels) if &kind == b"VP8 " => {
                    let (width, height) = lossy_size(pixels)?;
                    return Ok(Self {
                        alpha,
                        lossless: false,
                        pixels,
                        width,
                        height,
                    });
                }
                (kind, pixels) if &kind == b"VP8L" => {
                    let (width, height) = lossless_size(pixels)?;
                    return Ok(Self {
                        alpha: None,
                        lossless: true,
                        pixels,
                        width,
                        height,
                    });
                }
                _ => {}
            }
        }
        Err(invalid("there are no pixels in it"))
    }

    /// The size of the pixels in bytes, where they are compressed without loss.
    pub(super) fn lossless_bytes(&self) -> Option<usize> {
        self.lossless.then_some(self.pixels.len())
    }

    fn has_alpha(&self) -> bool {
        // The lossless header has in its 29th bit whether alpha is used.
        self.alpha.is_some() || (self.lossless && self.pixels[4] & 0x10 != 0)
    }

    /// These pixels as a file of their own.
    pub(super) fn to_file(self) -> Vec<u8> {
        let mut body = Vec::with_capacity(self.pixels.len() + 64);
        if self.alpha.is_some() {
            body = extended_header(ALPHA, self.width, self.height);
        }
        self.push(&mut body);
        file(&body)
    }

    fn push(&self, body: &mut Vec<u8>) {
        if let Some(alpha) = self.alpha {
            push_chunk(body, b"ALPH", alpha);
        }
        push_chunk(
            body,
            if self.lossless { b"VP8L" } else { b"VP8 " },
            self.pixels,
        );
    }
}

impl<'a> AnimationFrame<'a> {
    fn parse(body: &'a [u8], width: u32, height: u32) -> Result<Self, ConvertError> {
        let (header, inner) = body
            .split_first_chunk::<16>()
            .ok_or_else(|| invalid("a frame is cut short"))?;
        let frame = Self {
            header: *header,
            bitstream: Bitstream::parse(chunks(inner, inner.len()))?,
        };
        let size = (u24(header, 6) + 1, u24(header, 9) + 1);
        if size != (frame.bitstream.width, frame.bitstream.height) {
            return Err(invalid("a frame has another size than its header says"));
        }
        if frame.x() + size.0 > width || frame.y() + size.1 > height {
            return Err(invalid("a frame sticks out of the canvas"));
        }
        Ok(frame)
    }

    pub(super) fn x(&self) -> u32 {
        u24(&self.header, 0) * 2
    }

    pub(super) fn y(&self) -> u32 {
        u24(&self.header, 3) * 2
    }

    pub(super) fn milliseconds(&self) -> u32 {
        u24(&self.header, 12)
    }

    /// Whether the frame lies over what is below it, instead of taking its place.
    pub(super) fn blends(&self) -> bool {
        self.header[15] & 2 == 0
    }

    /// Whether its place becomes transparent after it.
    pub(super) fn clears(&self) -> bool {
        self.header[15] & 1 != 0
    }
}

const ANIMATION: u8 = 0x02;
const ALPHA: u8 = 0x10;

fn lossy_size(pixels: &[u8]) -> Result<(u32, u32), ConvertError> {
    match pixels.first_chunk::<10>() {
        // A key frame that is shown, and its start code; scaling hints are in the upper bits.
        Some(&[tag, _, _, 0x9D, 0x01, 0x2A, a, b, c, d]) if tag & 1 == 0 => {
            let side = |low, high| u32::from(u16::from_le_bytes([low, high]) & 0x3FFF);
            Ok((side(a, b), side(c, d)))
        }
        _ => Err(invalid("the lossy header is broken")),
    }
}

fn lossless_size(pixels: &[u8]) -> Result<(u32, u32), ConvertError> {
    match pixels.first_chunk::<5>() {
        Some(&[0x2F, a, b, c, d]) => {
            let bits = u32::from_le_bytes([a, b, c, d]);
            Ok(((bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1))
        }
        _ => Err(invalid("the lossless header is broken")),
    }
}

fn extended_header(flags: u8, width: u32, height: u32) -> Vec<u8> {
    let mut header = [0; 10];
    header[0] = flags;
    header[4..7].copy_from_slice(&(width - 1).to_le_bytes()[..3]);
    header[7..10].copy_from_slice(&(height - 1).to_le_bytes()[..3]);
    let mut body = Vec::new();
    push_chunk(&mut body, b"VP8X", &header);
    body
}

fn push_chunk(to: &mut Vec<u8>, kind: &[u8; 4], body: &[u8]) {
    to.extend_from_slice(kind);
    to.extend_from_slice(&(body.len() as u32).to_le_bytes());
    to.extend_from_slice(body);
    if body.len() % 2 == 1 {
        to.push(0);
    }
}

fn file(body: &[u8]) -> Vec<u8> {
    let mut file = Vec::with_capacity(body.len() + 12);
    file.extend_from_slice(b"RIFF");
    file.extend_from_slice(&(body.len() as u32 + 4).to_le_bytes());
    file.extend_from_slice(b"WEBP");
    file.extend_from_slice(body);
    file
}
