//! What goes to a decoder process and comes from it, in bytes. To it: the length of the source in 8
//! bytes, the source, and, when its pixels are wanted, one more byte. From it: a head, another one
//! before the pixels, frames and an end, or what is wrong. All numbers are little-endian. The reader
//! checks all that it uses.

use std::io::{Error, ErrorKind, Read, Result, Write};

use super::super::ConvertError;
use super::super::orientation::Orientation;
use super::super::picture::{Channels, Raster, Samples};
use super::DecodedFrame;

/// The largest profile that is taken over; those of printers have some megabytes.
const MAX_PROFILE: u32 = 16 << 20;
/// The longest text of an error.
const MAX_REASON: u32 = 1 << 10;

const GO_ON: u8 = b'G';
const UNCONFINED: u8 = b'C';
const HEAD: u8 = b'H';
const FRAME: u8 = b'F';
const END: u8 = b'E';
const UNSUPPORTED: u8 = b'U';
const TOO_LARGE: u8 = b'L';
const INVALID: u8 = b'I';

/// The content of the header of a picture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Head {
    /// Width as stored, in pixels.
    pub(super) width: u32,
    /// Height as stored, in pixels.
    pub(super) height: u32,
    /// Frames; 1 for a still.
    pub(super) frames: u32,
    /// How often it plays; 0 is for ever.
    pub(super) plays: u16,
    pub(super) orientation: Orientation,
    pub(super) channels: Channels,
    /// Whether samples have 16 bits.
    pub(super) sixteen: bool,
    /// Whether the source was lossy.
    pub(super) lossy: bool,
    /// The ICC profile of the samples; none for sRGB.
    pub(super) profile: Option<Vec<u8>>,
}

impl Head {
    /// The samples of a frame, with their shape; refused where they are of another one.
    pub(super) fn raster(&self, samples: Samples) -> std::result::Result<Raster, ConvertError> {
        let (length, sixteen) = match &samples {
            Samples::Eight(samples) => (samples.len(), false),
            Samples::Sixteen(samples) => (samples.len(), true),
        };
        if length as u64 != self.samples() || sixteen != self.sixteen {
            return Err(ConvertError::invalid("a frame of another size"));
        }
        Ok(Raster {
            width: self.width,
            height: self.height,
            channels: self.channels,
            samples,
        })
    }

    /// How many samples a frame has.
    pub(super) fn samples(&self) -> u64 {
        u64::from(self.width) * u64::from(self.height) * channel_count(self.channels)
    }
}

/// Samples of a pixel.
pub(super) fn channel_count(channels: Channels) -> u64 {
    match channels {
        Channels::Grey => 1,
        Channels::GreyAlpha => 2,
        Channels::Rgb => 3,
        Channels::Rgba | Channels::Cmyk => 4,
    }
}

/// What comes next.
pub(super) enum DecoderAnswer {
    /// Before the head: the process could not be confined, for this reason.
    Unconfined(String),
    Head(Head),
    Frame(DecodedFrame),
    End,
    Refused(ConvertError),
}

pub(super) fn write_source(to: &mut impl Write, source: &[u8]) -> Result<()> {
    to.write_all(&(source.len() as u64).to_le_bytes())?;
    to.write_all(source)?;
    to.flush()
}

/// Has the process go on with the pixels.
pub(super) fn write_go_on(to: &mut impl Write) -> Result<()> {
    to.write_all(&[GO_ON])?;
    to.flush()
}

pub(super) fn read_source(from: &mut impl Read) -> Result<Vec<u8>> {
    let mut length = [0; 8];
    from.read_exact(&mut length)?;
    let length = u64::from_le_bytes(length);
    let mut source = Vec::new();
    from.take(length).read_to_end(&mut source)?;
    if source.len() as u64 == length {
        Ok(source)
    } else {
        Err(ErrorKind::UnexpectedEof.into())
    }
}

pub(super) fn write_unconfined(to: &mut impl Write, reason: &str) -> Result<()> {
    to.write_all(&[UNCONFINED])?;
    write_reason(to, reason)
}

pub(super) fn write_head(to: &mut impl Write, head: &Head) -> Result<()> {
    to.write_all(&[HEAD])?;
    for number in [head.width, head.height, head.frames] {
        to.write_all(&number.to_le_bytes())?;
    }
    to.write_all(&head.plays.to_le_bytes())?;
    let profile = head.profile.as_deref().unwrap_or_default();
    to.write_all(&[
        head.orientation.exif(),
        channel_count(head.channels) as u8,
        u8::from(head.sixteen),
        u8::from(head.lossy),
    ])?;
    to.write_all(&(profile.len() as u32).to_le_bytes())?;
    to.write_all(profile)
}

pub(super) fn write_frame(to: &mut impl Write, shown: &DecodedFrame) -> Result<()> {
    to.write_all(&[FRAME])?;
    to.write_all(&shown.milliseconds.to_le_bytes())?;
    match &shown.samples {
        Samples::Eight(samples) => to.write_all(samples),
        Samples::Sixteen(samples) => {
            // A part at a time: a second copy of the whole would double what a frame costs.
            for part in samples.chunks(1 << 14) {
                let bytes: Vec<u8> = part
                    .iter()
                    .flat_map(|sample| sample.to_le_bytes())
                    .collect();
                to.write_all(&bytes)?;
            }
            Ok(())
        }
    }
}

pub(super) fn write_end(to: &mut impl Write) -> Result<()> {
    to.write_all(&[END])
}

pub(super) fn write_error(to: &mut impl Write, error: &ConvertError) -> Result<()> {
    match error {
        ConvertError::Unsupported => to.write_all(&[UNSUPPORTED]),
        ConvertError::TooLarge => to.write_all(&[TOO_LARGE]),
        other => {
            let reason = match other {
                ConvertError::Invalid(reason) => reason.clone(),
                other => other.to_string(),
            };
            to.write_all(&[INVALID])?;
            write_reason(to, &reason)
        }
    }
}

fn write_reason(to: &mut impl Write, reason: &str) -> Result<()> {
    let reason = &reason.as_bytes()[..reason.len().min(MAX_REASON as usize)];
    to.write_all(&(reason.len() as u32).to_le_bytes())?;
    to.write_all(reason)
}

/// Reads what comes next; frames need the head that came before them.
pub(super) fn read(from: &mut impl Read, head: Option<&Head>) -> Result<DecoderAnswer> {
    let [kind] = bytes(from)?;
    match (kind, head) {
        (UNCONFINED, None) => Ok(DecoderAnswer::Unconfined(read_reason(from)?)),
        (HEAD, None) => Ok(DecoderAnswer::Head(read_head(from)?)),
        (FRAME, Some(head)) => Ok(DecoderAnswer::Frame(read_frame(from, head)?)),
        (END, Some(_)) => Ok(DecoderAnswer::End),
        (UNSUPPORTED, _) => Ok(DecoderAnswer::Refused(ConvertError::Unsupported)),
        (TOO_LARGE, _) => Ok(DecoderAnswer::Refused(ConvertError::TooLarge)),
        (INVALID, _) => {
            let reason = read_reason(from)?;
            Ok(DecoderAnswer::Refused(ConvertError::Invalid(reason)))
        }
        _ => Err(nonsense()),
    }
}

fn read_reason(from: &mut impl Read) -> Result<String> {
    let length = number(from)?;
    let reason = block(from, length, MAX_REASON)?;
    Ok(String::from_utf8_lossy(&reason).into_owned())
}

fn read_head(from: &mut impl Read) -> Result<Head> {
    let (width, height, frames) = (number(from)?, number(from)?, number(from)?);
    let plays = u16::from_le_bytes(bytes(from)?);
    let [orientation, channels, sixteen, lossy] = bytes(from)?;
    let length = number(from)?;
    let profile = block(from, length, MAX_PROFILE)?;
    Ok(Head {
        width,
        height,
        frames,
        plays,
        orientation: Orientation::numbered(orientation).ok_or_else(nonsense)?,
        channels: match channels {
            1 => Channels::Grey,
            2 => Channels::GreyAlpha,
            3 => Channels::Rgb,
            4 => Channels::Rgba,
            _ => return Err(nonsense()),
        },
        sixteen: sixteen != 0,
        lossy: lossy != 0,
        profile: (!profile.is_empty()).then_some(profile),
    })
}

/// The caller has held the size in `head` against its limits.
fn read_frame(from: &mut impl Read, head: &Head) -> Result<DecodedFrame> {
    let milliseconds = number(from)?;
    let length = usize::try_from(head.samples()).map_err(|_| nonsense())?;
    let samples = if head.sixteen {
        let mut samples = Vec::with_capacity(length);
        let mut part = vec![0; 1 << 15];
        while samples.len() < length {
            let wanted = part.len().min((length - samples.len()) * 2);
            from.read_exact(&mut part[..wanted])?;
            let pairs = part[..wanted].as_chunks::<2>().0;
            samples.extend(pairs.iter().map(|&pair| u16::from_le_bytes(pair)));
        }
        Samples::Sixteen(samples)
    } else {
        let mut samples = vec![0; length];
        from.read_exact(&mut samples)?;
        Samples::Eight(samples)
    };
    Ok(DecodedFrame {
        milliseconds,
        samples,
    })
}

fn bytes<const N: usize>(from: &mut impl Read) -> Result<[u8; N]> {
    let mut bytes = [0; N];
    from.read_exact(&mut bytes)?;
    Ok(bytes)
}

fn number(from: &mut impl Read) -> Result<u32> {
    Ok(u32::from_le_bytes(bytes(from)?))
}

fn block(from: &mut impl Read, length: u32, most: u32) -> Result<Vec<u8>> {
    if length > most {
        return Err(nonsense());
    }
    let mut block = vec![0; length as usize];
    from.read_exact(&mut block)?;
    Ok(block)
}

fn nonsense() -> Error {
    Error::new(ErrorKind::InvalidData, "not the words of a decoder")
}
