//! Sending images, to Porchlight or to another server of the interface.

use std::ffi::OsStr;
use std::path::Path;
use std::sync::atomic::Ordering;
use std::time::Duration;

use bytes::Bytes;
use futures_util::TryStream;
use reqwest::StatusCode;
use reqwest::header::{CONTENT_TYPE, LOCATION};
use reqwest::multipart::{Form, Part};
use serde_json::Value;
use url::Url;

use super::{Client, ClientError, HttpAnswer, error_of, refusal};
use crate::http::api_error::ApiError;
use crate::text::{LONGEST_NAME, one_line};

/// A large image over a slow connection has more time than other requests: its size at this rate,
/// in bytes per second.
const SLOWEST_UPLOAD: u64 = 16 * 1024;
/// The longest accepted hash.
const LONGEST_HASH: usize = 128;

/// The service's answer to an uploaded image. Only an answer that names the image counts; all
/// others are a [`ClientError`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Added {
    /// It is stored now.
    Stored {
        /// Its name there.
        hash: String,
        /// The stored size in bytes, when the answer contains it.
        size: Option<u64>,
    },
    /// It was there before.
    AlreadyThere {
        /// Its name there.
        hash: String,
    },
}

/// Whether the service has what a file would become.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SourceLookup {
    /// It has.
    Stored {
        /// Its name there.
        hash: String,
    },
    /// It has not.
    Unknown,
    /// It cannot be queried: a server of the plain interface.
    NotOffered,
}

/// The parts of an answer about an image that are read. Another server may send
/// anything or nothing.
struct Named(Value);

impl Named {
    fn of(body: &[u8]) -> Self {
        Self(serde_json::from_slice(body).unwrap_or_default())
    }

    /// The hash in either of its two fields; names of any form are accepted, as
    /// long as they are one word.
    fn hash(&self) -> Option<String> {
        let fields = ["existingHash", "hash"];
        let hash = fields.iter().find_map(|field| self.0[field].as_str())?;
        let is_one = (1..=LONGEST_HASH).contains(&hash.len())
            && hash.bytes().all(|byte| byte.is_ascii_alphanumeric());
        is_one.then(|| hash.to_owned())
    }

    fn size(&self) -> Option<u64> {
        self.0["size"].as_u64()
    }
}

impl Client {
    /// `POST /images/add` with an image of exactly `length` bytes, which is
    /// streamed; `content_type` is its declared type. Only a service on this machine gets the name of
    /// the `file`; others get the name `picture`. `album` is that of the image if it is new.
    ///
    /// # Errors
    /// See [`ClientError`]; nothing is retried here. A failure of `picture` is
    /// [`ClientError::Unreachable`].
    pub async fn add_image<S>(
        &self,
        picture: S,
        length: u64,
        content_type: &str,
        file: Option<&Path>,
        album: Option<&str>,
    ) -> Result<Added, ClientError>
    where
        S: TryStream + Send + 'static,
        S::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
        Bytes: From<S::Ok>,
    {
        let to = self.destination.now()?;
        let body = reqwest::Body::wrap_stream(picture);
        let name = file
            .filter(|_| self.gets_names)
            .and_then(Path::file_name)
            .map_or("picture".into(), OsStr::to_string_lossy);
        // A line break would end the header that holds it.
        let name = one_line(&name, LONGEST_NAME);
        let part = Part::stream_with_length(body, length)
            .file_name(name)
            .mime_str(content_type)
            .map_err(|cause| to.unreachable(cause))?;
        let mut form = Form::new();
        if let Some(album) = album {
            form = form.text("album", album.to_owned());
        }
        let form = form.part("image", part);
        let timeout = to.timeout + Duration::from_secs(length / SLOWEST_UPLOAD);
        let request = to.http.post(to.url("/images/add?detail=1"));
        let request = request.timeout(timeout).multipart(form);
        added(to.send(to.with_token(request)?).await?)
    }

    /// `GET /images/by-source/{sha256}`: whether these source bytes were sent
    /// before.
    ///
    /// # Errors
    /// What may pass: no answer, 429 and 5xx. Every other answer that
    /// Porchlight does not give means that the path is not offered.
    pub async fn find_source(&self, sha256: &[u8; 32]) -> Result<SourceLookup, ClientError> {
        let to = self.destination.now()?;
        let path = format!("/images/by-source/{}?detail=1", hex::encode(sha256));
        let request = to.with_token(to.http.get(to.url(&path)))?;
        let answer = to.send(request).await?;
        let (status, text) = (answer.status, answer.text());
        let found = match status {
            StatusCode::OK => {
                let named = Named::of(&answer.body?);
                let stored = |hash| SourceLookup::Stored { hash };
                named.hash().map_or(SourceLookup::NotOffered, stored)
            }
            StatusCode::NOT_FOUND if names_no_image(&text) => SourceLookup::Unknown,
            // A server without the path may answer every path like this.
            StatusCode::NOT_IMPLEMENTED => SourceLookup::NotOffered,
            status if may_pass(status) => return Err(answer.refusal()),
            _ => SourceLookup::NotOffered,
        };
        let has_sources = found != SourceLookup::NotOffered;
        self.has_sources.store(has_sources, Ordering::Relaxed);
        Ok(found)
    }

    /// `GET /images/{hash}`: whether the server has this image, for servers without look-up by
    /// source. It has the image when it sends an image or redirects to a file of this name. The
    /// image itself is not read.
    ///
    /// # Errors
    /// What may pass: no answer, 429 and 5xx.
    pub async fn has_image(&self, hash: &str) -> Result<bool, ClientError> {
        let to = self.destination.now()?;
        let url = to.url(&format!("/images/{hash}"));
        let response = to.send_head(to.http.get(&url)).await?;
        let header = |name| response.headers().get(name)?.to_str().ok();
        Ok(match response.status() {
            StatusCode::OK => header(CONTENT_TYPE).is_some_and(|kind| kind.starts_with("image/")),
            StatusCode::MOVED_PERMANENTLY
            | StatusCode::FOUND
            | StatusCode::TEMPORARY_REDIRECT
            | StatusCode::PERMANENT_REDIRECT => {
                header(LOCATION).is_some_and(|place| leads_to_image(&url, place, hash))
            }
            status if may_pass(status) => return Err(refusal(status, response.headers(), "")),
            _ => false,
        })
    }
}

fn added(answer: HttpAnswer) -> Result<Added, ClientError> {
    let status = answer.status;
    let is_there = status == StatusCode::CONFLICT;
    if !is_there && !status.is_success() {
        return Err(answer.refusal());
    }
    let named = Named::of(&answer.body?);
    let hash = match status {
        StatusCode::OK | StatusCode::CREATED | StatusCode::CONFLICT => named.hash(),
        _ => None,
    };
    let hash = hash.ok_or(ClientError::NotUnderstood {
        status: status.as_u16(),
    })?;
    Ok(if is_there {
        Added::AlreadyThere { hash }
    } else {
        Added::Stored {
            size: named.size(),
            hash,
        }
    })
}

fn may_pass(status: StatusCode) -> bool {
    status == StatusCode::TOO_MANY_REQUESTS || status.is_server_error()
}

fn names_no_image(body: &str) -> bool {
    error_of(body).as_deref() == Some(&ApiError::ImageNotFound.to_string())
}

/// Whether a redirect leads from the address of an image to a file of its name, and not to the same
/// path on another host.
fn leads_to_image(requested: &str, place: &str, hash: &str) -> bool {
    let Ok(requested) = Url::parse(requested) else {
        return false;
    };
    let Ok(place) = requested.join(place) else {
        return false;
    };
    let name = place.path().rsplit('/').next().unwrap_or_default();
    let name = name.split('.').next().unwrap_or_default();
    place.path() != requested.path() && name == hash
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_names_of_a_duplicates_hash_are_read() {
        for body in [
            r#"{"error":"Image already exists","existingHash":"ab12"}"#,
            r#"{"error":"Image already exists","hash":"ab12"}"#,
        ] {
            assert_eq!(Named::of(body.as_bytes()).hash().as_deref(), Some("ab12"));
        }
    }

    #[test]
    fn invalid_hashes_are_rejected() {
        for body in [
            "",
            "<html>",
            "[]",
            r#"{"hash":""}"#,
            r#"{"hash":"a b"}"#,
            "{\"hash\":\"\\u001b[2J\"}",
            r#"{"hash":7}"#,
            "[1]",
        ] {
            assert_eq!(Named::of(body.as_bytes()).hash(), None, "{body}");
        }
    }

    #[test]
    fn only_a_redirect_to_a_file_of_the_name_means_that_the_image_exists() {
        let requested = "http://old.example/images/ab12";
        for (place, there) in [
            ("https://cdn.example/randomimg/ab12.webp", true),
            ("/i/ab12", true),
            ("https://old.example/images/ab12", false),
            ("https://portal.example/login?from=/images/ab12", false),
            ("https://cdn.example/randomimg/ab123.webp", false),
            ("https://", false),
        ] {
            assert_eq!(leads_to_image(requested, place, "ab12"), there, "{place}");
        }
    }
}
