//! Sending pictures, to Porchlight or to another server of the interface.

use bytes::Bytes;
use futures_util::TryStream;
use reqwest::StatusCode;
use reqwest::header::AUTHORIZATION;
use reqwest::multipart::{Form, Part};
use serde_json::Value;

use super::{Client, ClientError, error_text, refusal};
use crate::ApiError;

/// The longest hash that is believed to be one.
const LONGEST_HASH: usize = 128;

/// What came of sending a picture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Added {
    /// It is stored now.
    Stored {
        /// Its name there, when the answer holds one.
        hash: Option<String>,
        /// The stored size in bytes, when the answer says it.
        size: Option<u64>,
    },
    /// It was there before.
    AlreadyThere {
        /// Its name there, when the answer holds one.
        hash: Option<String>,
    },
}

/// Whether the service has what a file would become.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SourceLookup {
    /// It has, under this hash.
    Stored(String),
    /// It has not.
    Unknown,
    /// It cannot be asked: a server of the plain interface.
    NotOffered,
}

/// What is read of an answer about an image. Another server may say anything,
/// also nothing.
struct Named(Value);

impl Named {
    fn of(body: &[u8]) -> Self {
        Self(serde_json::from_slice(body).unwrap_or_default())
    }

    /// The hash in either of its two fields; names of any form are taken, as
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
    /// `POST /images/add` with a picture of exactly `length` bytes, which is
    /// streamed. It is sent under the name `picture`, so that the names on the
    /// owner's machine stay there; `content_type` is what it is declared as.
    ///
    /// # Errors
    /// See [`ClientError`]; nothing is retried here. A failure of `picture` is
    /// [`ClientError::Unreachable`].
    pub async fn add_image<S>(
        &self,
        picture: S,
        length: u64,
        content_type: &str,
    ) -> Result<Added, ClientError>
    where
        S: TryStream + Send + 'static,
        S::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
        Bytes: From<S::Ok>,
    {
        let body = reqwest::Body::wrap_stream(picture);
        let part = Part::stream_with_length(body, length)
            .file_name("picture")
            .mime_str(content_type)
            .map_err(|cause| self.unreachable(cause))?;
        let request = self
            .http
            .post(format!("{}/images/add", self.base))
            .header(AUTHORIZATION, self.bearer()?)
            .multipart(Form::new().part("image", part));
        let response = self.send(request).await?;
        let (status, headers) = (response.status(), response.headers().clone());
        let read = response.bytes().await;
        if status == StatusCode::CONFLICT || status.is_success() {
            let named = Named::of(&read.map_err(|cause| self.unreachable(cause))?);
            return Ok(if status == StatusCode::CONFLICT {
                Added::AlreadyThere { hash: named.hash() }
            } else {
                Added::Stored {
                    size: named.size(),
                    hash: named.hash(),
                }
            });
        }
        let body = read.unwrap_or_default();
        Err(refusal(status, &headers, &String::from_utf8_lossy(&body)))
    }

    /// `GET /images/by-source/{sha256}`: whether these source bytes were sent
    /// before.
    ///
    /// # Errors
    /// What may pass: no answer, 429 and 5xx. Every other answer that
    /// Porchlight does not give means that the path is not offered.
    pub async fn find_source(&self, sha256: &[u8; 32]) -> Result<SourceLookup, ClientError> {
        let digest = hex::encode(sha256);
        let request = self
            .http
            .get(format!("{}/images/by-source/{digest}", self.base))
            .header(AUTHORIZATION, self.bearer()?);
        let response = self.send(request).await?;
        let (status, headers) = (response.status(), response.headers().clone());
        let body = response.bytes().await;
        let body = body.map_err(|cause| self.unreachable(cause))?;
        let text = String::from_utf8_lossy(&body);
        Ok(match status {
            StatusCode::OK => match Named::of(&body).hash() {
                Some(hash) => SourceLookup::Stored(hash),
                None => SourceLookup::NotOffered,
            },
            StatusCode::NOT_FOUND if names_no_image(&text) => SourceLookup::Unknown,
            // A server without the path may say this of every path.
            StatusCode::NOT_IMPLEMENTED => SourceLookup::NotOffered,
            status if status == StatusCode::TOO_MANY_REQUESTS || status.is_server_error() => {
                return Err(refusal(status, &headers, &text));
            }
            _ => SourceLookup::NotOffered,
        })
    }

    /// `GET /images/{hash}`: whether the server says that it has no such image
    /// any more. The picture itself is not read.
    ///
    /// # Errors
    /// When nothing answers.
    pub async fn lacks_image(&self, hash: &str) -> Result<bool, ClientError> {
        let request = self.http.get(format!("{}/images/{hash}", self.base));
        let response = self.send(request).await?;
        if response.status() != StatusCode::NOT_FOUND {
            return Ok(false);
        }
        let body = response.text().await.unwrap_or_default();
        Ok(names_no_image(&body))
    }
}

fn names_no_image(body: &str) -> bool {
    error_text(body) == ApiError::ImageNotFound.to_string()
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
    fn what_is_no_hash_is_not_taken_for_one() {
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
}
