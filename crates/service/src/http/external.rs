//! Requests to third-party web services: with a time limit, a size limit, and
//! errors without URLs, because a URL can contain a key.

use std::time::Duration;

use reqwest::header::{HeaderMap, RETRY_AFTER};
use reqwest::{RequestBuilder, Response, StatusCode};

use crate::sentence_is_message;

/// The time limit of a whole request.
const TIMEOUT: Duration = Duration::from_secs(5);

/// The longest answer that is read, in bytes.
const LONGEST: usize = 8 * 1024 * 1024;

/// The longest `Retry-After` that is honoured.
const LONGEST_PAUSE: Duration = Duration::from_secs(60 * 60);

/// The response, whatever its status.
#[derive(Debug)]
pub(crate) struct HttpAnswer {
    pub(crate) status: StatusCode,
    /// The `Retry-After` of the service, at most an hour.
    pub(crate) retry_after: Option<Duration>,
    pub(crate) body: Vec<u8>,
}

impl HttpAnswer {
    /// The body as JSON; `None` for anything else, such as a page of HTML.
    pub(crate) fn json<T: serde::de::DeserializeOwned>(&self) -> Option<T> {
        serde_json::from_slice(&self.body).ok()
    }
}

/// Why there is no response. None of these contains a URL.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum AskError {
    #[error("did not answer within {} seconds", TIMEOUT.as_secs())]
    TimedOut,
    #[error("cannot be reached")]
    Unreachable,
    #[error("broke off its answer")]
    BrokenOff,
    #[error("answered with more than {} MiB", LONGEST / 1024 / 1024)]
    TooLong,
}

sentence_is_message!(AskError);

/// Sends the request and reads the whole answer.
pub(crate) async fn ask(request: RequestBuilder) -> Result<HttpAnswer, AskError> {
    ask_for(request, LONGEST).await
}

/// Sends the request and reads the whole answer of at most `longest` bytes.
pub(crate) async fn ask_for(
    request: RequestBuilder,
    longest: usize,
) -> Result<HttpAnswer, AskError> {
    let sent = request.timeout(TIMEOUT).send().await;
    let response = sent.map_err(|error| missing(&error))?;
    let status = response.status();
    let retry_after = retry_after(response.headers());
    let body = read(response, longest).await;
    let body = body.map_err(|error| missing(&error))?;
    Ok(HttpAnswer {
        status,
        retry_after,
        body: body.ok_or(AskError::TooLong)?,
    })
}

/// The body of an answer, whatever length it announces; `None` where it is longer than `longest`.
pub(super) async fn read(
    mut response: Response,
    longest: usize,
) -> reqwest::Result<Option<Vec<u8>>> {
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await? {
        if body.len() + chunk.len() > longest {
            return Ok(None);
        }
        body.extend_from_slice(&chunk);
    }
    Ok(Some(body))
}

fn missing(error: &reqwest::Error) -> AskError {
    if error.is_timeout() {
        AskError::TimedOut
    } else if error.is_connect() {
        AskError::Unreachable
    } else {
        AskError::BrokenOff
    }
}

/// `Retry-After` in seconds; its other form, a date, is ignored.
pub(super) fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let seconds = headers
        .get(RETRY_AFTER)?
        .to_str()
        .ok()?
        .trim()
        .parse()
        .ok()?;
    Some(Duration::from_secs(seconds).min(LONGEST_PAUSE))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use reqwest::header::{HeaderMap, HeaderValue, RETRY_AFTER};

    use super::retry_after;

    #[test]
    fn a_service_can_ask_for_a_pause_of_at_most_an_hour() {
        for (given, heeded) in [
            ("12", Some(12)),
            (" 7 ", Some(7)),
            ("99999999", Some(3600)),
            ("-1", None),
            ("Fri, 31 Dec 1999 23:59:59 GMT", None),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(RETRY_AFTER, HeaderValue::from_static(given));
            assert_eq!(
                retry_after(&headers),
                heeded.map(Duration::from_secs),
                "{given}"
            );
        }
        assert_eq!(retry_after(&HeaderMap::new()), None);
    }
}
