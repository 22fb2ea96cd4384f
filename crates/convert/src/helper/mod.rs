//! `porchlight convert`: a helper process, which converts one picture after another. It reads requests
//! from standard input and writes answers to standard output; when it dies, hangs or fills its memory, one
//! picture is broken and nothing else has happened.
//!
//! A message is the length of its head in four bytes (little-endian), the head in JSON, and then as many
//! bytes as the head names.

#[cfg(target_os = "linux")]
mod confine;
mod limits;

use std::cell::RefCell;
use std::io::{Error, ErrorKind, Read, Write};
use std::rc::Rc;
use std::time::{Duration, Instant};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::{
    ConvertError, ConvertOptions, Preview, SourceFormat, convert, heif, narrow, preview, progress,
    svg,
};

/// The subcommand that runs a helper process.
pub const ARGUMENT: &str = "convert";

/// A head is no longer than this, in bytes.
pub const MAX_HEAD: u32 = 1 << 20;

/// The time between two reports of progress, at least.
const SIGN_EVERY: Duration = Duration::from_secs(1);

/// What is to be done with a picture, whose bytes follow.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum Task {
    /// [`convert`].
    Convert(ConvertOptions),
    /// [`narrow`].
    Narrow {
        /// In pixels.
        width: u32,
        /// Of lossy WebP, 1 to 100.
        quality: u8,
    },
    /// [`preview`].
    Preview,
}

/// What has become of a picture.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Done {
    /// A WebP, whose bytes follow.
    Converted {
        /// Width in pixels, upright.
        width: u32,
        /// Height in pixels, upright.
        height: u32,
        /// Frames of the source's animation; 1 for a still.
        frames: u32,
        /// What the source was.
        format: SourceFormat,
        /// What is shown of it before it is loaded.
        preview: Preview,
    },
    /// A narrower copy, whose bytes follow; none where the original serves better.
    Narrowed,
    /// Its preview.
    Preview(Preview),
}

/// What a helper process writes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Answer {
    /// It has started. Where it could not be confined: why.
    Started(Option<String>),
    /// A step is done, and there are more.
    Working,
    /// The last answer to a request.
    Done(Done),
    /// The last answer to a request whose picture could not be used.
    Failed(ConvertError),
}

/// The head of a message.
#[derive(Debug, Serialize, Deserialize)]
pub struct Head<T> {
    /// The message.
    pub message: T,
    /// How many bytes follow.
    pub length: u64,
}

/// The limits of a helper process, from its command line.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// The memory that it may take in addition to the program, in bytes.
    pub memory: u64,
    /// The process that started it. It ends with that one, where the system supports it.
    pub started_by: u32,
    /// Whether it may read the system's fonts, for SVG.
    pub fonts: bool,
}

/// Whether a picture that begins with these bytes needs a helper process that may read fonts.
#[must_use]
pub fn needs_fonts(beginning: &[u8]) -> bool {
    svg::is_svg(beginning)
}

fn perform(task: &Task, source: &[u8]) -> Result<(Done, Vec<u8>), ConvertError> {
    match task {
        Task::Convert(options) => {
            let converted = convert(source, options)?;
            let done = Done::Converted {
                width: converted.width,
                height: converted.height,
                frames: converted.frames,
                format: converted.format,
                preview: converted.preview,
            };
            Ok((done, converted.webp))
        }
        Task::Narrow { width, quality } => {
            let copy = narrow(source, *width, *quality)?;
            Ok((Done::Narrowed, copy.unwrap_or_default()))
        }
        Task::Preview => Ok((Done::Preview(preview(source)?), Vec::new())),
    }
}

/// The beginning of a message, before the bytes that it names.
///
/// # Errors
/// None is known.
pub fn head<T: Serialize>(message: T, length: u64) -> std::io::Result<Vec<u8>> {
    let json = serde_json::to_vec(&Head { message, length })?;
    let size = u32::try_from(json.len()).map_err(Error::other)?;
    Ok([&size.to_le_bytes(), json.as_slice()].concat())
}

/// The next message; none where the input has ended.
fn read<T: DeserializeOwned>(mut input: impl Read) -> std::io::Result<Option<(T, Vec<u8>)>> {
    let mut size = [0; 4];
    match input.read_exact(&mut size) {
        Err(error) if error.kind() == ErrorKind::UnexpectedEof => return Ok(None),
        read => read?,
    }
    let mut json = vec![0; u32::from_le_bytes(size).min(MAX_HEAD) as usize];
    input.read_exact(&mut json)?;
    let Head { message, length } = serde_json::from_slice(&json)?;
    let mut bytes = Vec::new();
    if input.take(length).read_to_end(&mut bytes)? as u64 != length {
        return Err(ErrorKind::UnexpectedEof.into());
    }
    Ok(Some((message, bytes)))
}

/// All that a helper process does: limits and confines itself, and answers requests until its input ends,
/// or until a picture has broken a decoder that it cannot start again.
///
/// # Errors
/// When `input` ends within a request, or `output` cannot be written.
pub fn serve(
    limits: &Limits,
    mut input: impl Read,
    output: impl Write + 'static,
) -> std::io::Result<()> {
    if !limits.fonts {
        heif::prepare();
    }
    if !limits::apply(limits) {
        return Err(Error::other("the process that started it has gone"));
    }
    // A panic in a decoder means that its picture is broken. Of the errors the service reads only the last
    // line of a process that died.
    std::panic::set_hook(Box::new(|_| {}));
    let output = Rc::new(RefCell::new(output));
    let write = move |answer: Answer, bytes: &[u8]| {
        let mut output = output.borrow_mut();
        output.write_all(&head(answer, bytes.len() as u64)?)?;
        output.write_all(bytes)?;
        output.flush()
    };
    write(Answer::Started(limits::confine(limits.fonts)), &[])?;
    let sign = write.clone();
    let mut last = Instant::now();
    progress::set(move || {
        if last.elapsed() >= SIGN_EVERY {
            last = Instant::now();
            // When it cannot be written, the answer cannot either.
            let _ = sign(Answer::Working, &[]);
        }
    });
    while let Some((task, source)) = read::<Task>(&mut input)? {
        match perform(&task, &source) {
            Ok((done, bytes)) => write(Answer::Done(done), &bytes)?,
            Err(error) => write(Answer::Failed(error), &[])?,
        }
        if !limits.fonts && !heif::is_prepared() {
            break;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_comes_out_as_it_went_in() {
        let mut sent = head(
            Task::Narrow {
                width: 320,
                quality: 80,
            },
            3,
        )
        .expect("a head");
        sent.extend(b"abc");
        let mut input = sent.as_slice();
        let (task, bytes) = read::<Task>(&mut input).expect("a message").expect("one");
        assert!(matches!(
            task,
            Task::Narrow {
                width: 320,
                quality: 80
            }
        ));
        assert_eq!(bytes, b"abc");
        assert!(read::<Task>(&mut input).expect("the end").is_none());
        assert!(read::<Task>(&sent[..sent.len() - 1]).is_err());
    }
}
