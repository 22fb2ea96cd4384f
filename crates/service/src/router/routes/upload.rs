//! The body of an upload: a form with one image and what other programs send beside it, or the image
//! alone.

use std::error::Error;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use axum::BoxError;
use axum::body::{Body, BodyDataStream, HttpBody as _};
use axum::extract::multipart::{Field, Multipart};
use axum::extract::{FromRequest as _, Request};
use base64::Engine as _;
use base64::prelude::{BASE64_STANDARD, BASE64_STANDARD_NO_PAD};
use bytes::Bytes;
use futures_util::{TryStreamExt as _, stream};
use http::HeaderMap;
use http::header::CONTENT_DISPOSITION;
use http_body_util::Limited;
use tokio::task::yield_now;

use crate::http::api_error::ApiError;
use crate::http::header::parameter;
use crate::images::{Images, Incoming};
use crate::router::body::{LARGEST_WITH_PICTURES, Parameters, kind_of};
use crate::router::connection::BUFFER;
use crate::router::error::ErrorReply;
use crate::router::request_body::refusal;

/// The maximum number of parts in a form.
const PARTS: u32 = 32;
/// The maximum size of a form beyond its image, in bytes.
const FORM: u64 = 64 * 1024;
/// The maximum number of bytes outside of fields: boundaries, part headers, text before the first
/// part, and two chunks that wait to be parsed.
const BESIDE: u64 = FORM + 2 * BUFFER as u64;

/// What was taken out of a form.
pub(crate) struct Form {
    /// `None` where it has none, or an empty one.
    pub(crate) image: Option<Incoming>,
    /// The texts that were wanted, and those of the query string.
    pub(crate) texts: Parameters,
}

/// Takes the image and some texts out of a form, by the names of their parts. Where one part may be
/// both, it is an image if it has the name of a file.
pub(crate) async fn receive(
    images: &Images,
    request: Request,
    image: &str,
    wanted: &[&str],
) -> Result<Form, ErrorReply> {
    let largest = images.settings().max_upload_bytes + FORM;
    let mut texts = Parameters::of_query(request.uri().query());
    let mut room = LARGEST_WITH_PICTURES;
    let taken = TakenBytes::default();
    let mut form = parts_of(request, largest, &taken).await?;
    let mut picture = None;
    let mut parts = 0;
    while let Some(field) = form.next_field().await.map_err(|error| refused(&error))? {
        parts += 1;
        if parts > PARTS {
            return Err(ApiError::InvalidForm.into());
        }
        let mut part = Part::new(field, &taken);
        let name = part.parameter("name").unwrap_or_default();
        let file_name = part.parameter("filename");
        let is_image = name == image;
        if wanted.contains(&name.as_str()) && !(is_image && file_name.is_some()) {
            let mut bytes = Vec::new();
            while let Some(chunk) = part.next().await? {
                let left = room.checked_sub(chunk.len());
                room = left.ok_or(ApiError::BodyTooLarge)?;
                bytes.extend_from_slice(&chunk);
            }
            texts.add_part(name, bytes);
        } else if !is_image {
            while part.skip().await? {}
        } else if picture.is_some() {
            return Err(ApiError::InvalidBody.into());
        } else {
            let mut incoming = start(images, file_name.as_deref()).await?;
            while let Some(chunk) = part.next().await? {
                incoming.write(&chunk).await?;
            }
            picture = Some(incoming);
        }
    }
    Ok(Form {
        image: picture.filter(|incoming: &Incoming| incoming.size() > 0),
        texts,
    })
}

/// Takes all files out of a form of at most so many bytes, whatever their parts are called.
pub(crate) async fn receive_files(
    images: &Images,
    request: Request,
    largest: u64,
    most_parts: usize,
) -> Result<Vec<Incoming>, ErrorReply> {
    let taken = TakenBytes::default();
    let mut form = parts_of(request, largest, &taken).await?;
    let (mut files, mut parts) = (Vec::new(), 0);
    while let Some(field) = form.next_field().await.map_err(|error| refused(&error))? {
        parts += 1;
        if parts > most_parts {
            return Err(ApiError::InvalidForm.into());
        }
        let mut part = Part::new(field, &taken);
        if part.parameter("filename").is_none() && part.field.content_type().is_none() {
            while part.skip().await? {}
            continue;
        }
        let mut incoming = start(images, None).await?;
        while let Some(chunk) = part.next().await? {
            incoming.write(&chunk).await?;
        }
        files.push(incoming);
    }
    Ok(files)
}

/// The parts of a form of at most so many bytes.
async fn parts_of(
    request: Request,
    largest: u64,
    taken: &TakenBytes,
) -> Result<Multipart, ApiError> {
    let (head, body) = request.into_parts();
    let body = in_turn(limited(body, largest)?, taken.clone());
    let request = Request::from_parts(head, body);
    let form = Multipart::from_request(request, &()).await;
    form.map_err(|_| ApiError::ImageRequired)
}

/// Whether the body is declared to be an image, and no form.
pub(crate) fn is_image(headers: &HeaderMap) -> bool {
    let kind = kind_of(headers);
    kind.starts_with("image/") || kind.starts_with("application/octet-stream")
}

/// Takes a body that is the image itself. The name of its file and all texts are in the query string.
pub(crate) async fn receive_image(images: &Images, request: Request) -> Result<Form, ErrorReply> {
    let texts = Parameters::of_query(request.uri().query());
    let mut body = limited(request.into_body(), images.settings().max_upload_bytes)?;
    let mut incoming = start(images, texts.text("name").ok().flatten()).await?;
    while let Some(chunk) = body.try_next().await.map_err(|error| refused(&error))? {
        incoming.write(&chunk).await?;
    }
    Ok(Form {
        image: Some(incoming).filter(|incoming| incoming.size() > 0),
        texts,
    })
}

/// A body of at most so many bytes. One that announces more is refused before it is read.
fn limited(body: Body, largest: u64) -> Result<BodyDataStream, ApiError> {
    if body.size_hint().lower() > largest {
        return Err(ApiError::ImageTooLarge);
    }
    let largest = usize::try_from(largest).unwrap_or(usize::MAX);
    Ok(Body::new(Limited::new(body, largest)).into_data_stream())
}

async fn start(images: &Images, file_name: Option<&str>) -> Result<Incoming, ErrorReply> {
    let mut incoming = images.start_upload().await?;
    if let Some(name) = file_name {
        incoming.set_file_name(name);
    }
    Ok(incoming)
}

/// One part of a form.
struct Part<'a> {
    field: Field<'a>,
    taken: &'a TakenBytes,
    /// How its bytes are encoded.
    encoding: Encoding,
}

enum Encoding {
    None,
    /// What came of four characters that are not complete yet.
    Base64(Vec<u8>),
    Unknown,
}

impl<'a> Part<'a> {
    fn new(field: Field<'a>, taken: &'a TakenBytes) -> Self {
        let encoding = match field.headers().get("content-transfer-encoding") {
            None => Encoding::None,
            Some(named) => match named
                .as_bytes()
                .trim_ascii()
                .to_ascii_lowercase()
                .as_slice()
            {
                b"" | b"7bit" | b"8bit" | b"binary" => Encoding::None,
                b"base64" => Encoding::Base64(Vec::new()),
                _ => Encoding::Unknown,
            },
        };
        Self {
            field,
            taken,
            encoding,
        }
    }

    /// A parameter of its `Content-Disposition`.
    fn parameter(&self, name: &str) -> Option<String> {
        let disposition = self.field.headers().get(CONTENT_DISPOSITION)?;
        parameter(disposition.as_bytes(), name)
    }

    /// Its next bytes, decoded; `None` at its end.
    async fn next(&mut self) -> Result<Option<Bytes>, ApiError> {
        loop {
            let Some(chunk) = self.chunk().await? else {
                return match &mut self.encoding {
                    Encoding::Base64(rest) if !rest.is_empty() => decode_end(rest).map(Some),
                    _ => Ok(None),
                };
            };
            let decoded = match &mut self.encoding {
                Encoding::None => chunk,
                Encoding::Base64(rest) => decode(rest, &chunk)?,
                Encoding::Unknown => return Err(ApiError::InvalidForm),
            };
            if !decoded.is_empty() {
                return Ok(Some(decoded));
            }
        }
    }

    /// Passes over some of its bytes; `false` at its end.
    async fn skip(&mut self) -> Result<bool, ApiError> {
        Ok(self.chunk().await?.is_some())
    }

    async fn chunk(&mut self) -> Result<Option<Bytes>, ApiError> {
        let chunk = self.field.chunk().await;
        let chunk = chunk.map_err(|error| refused(&error))?;
        if let Some(chunk) = &chunk {
            let size = chunk.len() as u64;
            self.taken.0.fetch_add(size, Ordering::Relaxed);
        }
        Ok(chunk)
    }
}

/// The bytes of whole groups of four characters but the last one, which alone may be padded. The line
/// breaks of mail are skipped.
fn decode(rest: &mut Vec<u8>, chunk: &[u8]) -> Result<Bytes, ApiError> {
    rest.extend(chunk.iter().filter(|byte| !byte.is_ascii_whitespace()));
    let groups: Vec<u8> = rest.drain(..rest.len().saturating_sub(1) / 4 * 4).collect();
    let decoded = BASE64_STANDARD_NO_PAD.decode(groups);
    Ok(decoded.map_err(|_| ApiError::InvalidForm)?.into())
}

/// The bytes of the last group.
fn decode_end(rest: &mut Vec<u8>) -> Result<Bytes, ApiError> {
    let decoded = BASE64_STANDARD.decode(std::mem::take(rest));
    Ok(decoded.map_err(|_| ApiError::InvalidForm)?.into())
}

fn refused(error: &(dyn Error + 'static)) -> ApiError {
    refusal(error, ApiError::ImageTooLarge)
}

/// How many bytes of fields the parser has returned.
#[derive(Clone, Default)]
struct TakenBytes(Arc<AtomicU64>);

/// The body of a form for its parser, which buffers what it cannot return yet and searches the whole
/// buffer again for every chunk. So each chunk is followed by a pause, in which it processes what it has,
/// and this ends with an error when too many bytes were neither part of a field nor skipped. `taken` has to
/// count every chunk that the parser returns.
fn in_turn(chunks: BodyDataStream, taken: TakenBytes) -> Body {
    Body::from_stream(stream::try_unfold(
        (chunks, 0),
        move |(mut chunks, given)| {
            let taken = taken.clone();
            async move {
                if given > 0 {
                    yield_now().await;
                }
                if given - taken.0.load(Ordering::Relaxed) > BESIDE {
                    return Err(BoxError::from(ApiError::ImageTooLarge));
                }
                let next = chunks.try_next().await?;
                Ok(next.map(|chunk| {
                    let given = given + chunk.len() as u64;
                    (chunk, (chunks, given))
                }))
            }
        },
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_read_alike_wherever_the_body_is_cut() {
        let read = |text: &str, cut: usize| {
            let (mut rest, mut bytes) = (Vec::new(), Vec::new());
            for chunk in [&text[..cut], &text[cut..]] {
                bytes.extend(decode(&mut rest, chunk.as_bytes())?);
            }
            bytes.extend(decode_end(&mut rest)?);
            Ok::<_, ApiError>(bytes)
        };
        for (text, bytes) in [
            ("YWJj", Some("abc")),
            ("YWJj\r\nZGU=", Some("abcde")),
            ("YWJjZA==", Some("abcd")),
            ("ZGU=YWJj", None),
            ("YWJjZGU", None),
            ("YW*jZGU=", None),
            ("", Some("")),
        ] {
            for cut in 0..=text.len() {
                let read = read(text, cut).ok();
                assert_eq!(read.as_deref(), bytes.map(str::as_bytes), "{text} {cut}");
            }
        }
    }
}
