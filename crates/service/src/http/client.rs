//! An HTTP client of the service: an address and a token.

mod destination;
mod pictures;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use destination::{Connections, Destination};

pub use destination::{Endpoint, Find};
pub use pictures::{Added, SourceLookup};

use reqwest::StatusCode;
use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderValue, LOCATION};
use secrecy::{ExposeSecret, SecretString};

use crate::error::message::Message;
use crate::http::api_error::ApiError;
use crate::http::client_tls::cause_of;
use crate::http::external::{read, retry_after};
use crate::http::replies::{HeartbeatFields, HeartbeatReply};

/// The maximum number of bytes that are read of an answer.
const LONGEST_ANSWER: usize = 1024 * 1024;

/// The service over HTTP.
#[derive(Debug, Clone)]
pub struct Client {
    destination: Destination,
    /// Whether the service is known to offer `/images/by-source`; shared by clones.
    has_sources: Arc<AtomicBool>,
    /// Whether it gets the names of files.
    gets_names: bool,
}

/// Why a request failed.
#[derive(Debug, thiserror::Error)]
#[error("{}", Message::from(self))]
pub enum ClientError {
    /// Nothing answered, or the connection broke.
    Unreachable {
        /// The address that was tried.
        base: String,
        /// The network's error.
        cause: reqwest::Error,
    },
    /// 401 or 403.
    Refused,
    /// 429.
    Wait {
        /// Its `Retry-After`, if any.
        retry_after: Option<Duration>,
    },
    /// Any other status that is no success.
    Answered {
        /// The HTTP status.
        status: u16,
        /// The error text of the body, or the body itself.
        text: String,
        /// Whether the body is an error as services of the interface write it,
        /// and not the page of a proxy or of another server.
        is_by_the_service: bool,
        /// Its `Retry-After`, if any.
        retry_after: Option<Duration>,
    },
    /// Its status is not a failure, but its body does not answer the request: a page of another
    /// server, or an endless answer. The outcome is unknown.
    NotUnderstood {
        /// The HTTP status.
        status: u16,
    },
    /// No service runs on this machine now.
    NotRunning(String),
    /// The token holds characters that no header can carry.
    Token,
    /// The service of this process refuses it, with this status over HTTP.
    Own {
        /// The HTTP status.
        status: u16,
        /// Why.
        why: Message,
    },
}

impl ClientError {
    /// What the service of this process refuses.
    pub(crate) fn of_the_service(error: &ApiError, why: &dyn std::fmt::Display) -> Self {
        Self::Own {
            status: error.status(),
            why: crate::detail!("{why}"),
        }
    }

    /// The `Retry-After` of the service, if any.
    #[must_use]
    pub fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::Wait { retry_after } | Self::Answered { retry_after, .. } => *retry_after,
            _ => None,
        }
    }
}

impl From<&ClientError> for Message {
    fn from(error: &ClientError) -> Self {
        match error {
            ClientError::Unreachable { base, cause } => Self::ServiceSilent {
                address: base.as_str().into(),
                why: cause_of(cause).into(),
            },
            ClientError::Refused => Self::TokenRefused,
            ClientError::Wait { .. } => Self::AskedToWait,
            ClientError::Answered { status, text, .. } => answered(*status, text),
            ClientError::NotUnderstood { status } => {
                let status = (*status).into();
                Self::NotOurService { status }
            }
            ClientError::NotRunning(why) => Self::text(why),
            ClientError::Own { why, .. } => why.clone(),
            ClientError::Token => crate::detail!(
                "the token holds characters that no token has. Copy it and set it again"
            ),
        }
    }
}

/// The same as an answer of the service with this error.
impl From<ApiError> for Message {
    fn from(error: ApiError) -> Self {
        answered(error.status(), &error.to_string())
    }
}

/// An answer that is no success. Its own text is for programs.
fn answered(code: u16, answer: &str) -> Message {
    let (status, text) = (code.into(), answer.into());
    match code {
        403 if answer == ApiError::HttpsRequired.to_string() => crate::detail!(
            "The service only accepts https://. Change the address in Settings, Presence."
        ),
        408 => crate::detail!("Sending took too long: {answer}"),
        413 if answer == ApiError::ImageTooLarge.to_string() => {
            Message::ImageTooLarge { status, text }
        }
        413 => Message::TooLarge { status, text },
        415 => Message::UnsupportedFormat { status, text },
        422 => Message::DamagedPicture { status, text },
        500 => Message::ServiceFailed { status, text },
        503 => Message::ServiceBusy { status, text },
        507 => Message::ServiceFull { status, text },
        ..400 => crate::detail!("This address redirects to another one, so use that one: {answer}"),
        400..500 => crate::detail!(
            "The service refused the request (status {code}): {answer}. Check its address, and whether it is up to date."
        ),
        _ => crate::detail!(
            "The service can’t be reached at its address right now (status {code}): {answer}"
        ),
    }
}

impl Client {
    /// A client of the service at `base`, calling with `token`. One request
    /// takes at most `timeout`.
    ///
    /// # Errors
    /// When the TLS roots of this machine cannot be read.
    pub fn new(base: &str, token: SecretString, timeout: Duration) -> Result<Self, reqwest::Error> {
        let base = base.trim_end_matches('/').to_owned();
        let fixed = Endpoint { base, token };
        let (first, find) = (fixed.clone(), Arc::new(move || Ok(fixed.clone())));
        Self::finding(first, find, timeout, false)
    }

    /// A client of the service that runs on this machine, which gets the names of files: they do not
    /// leave the machine. `find` is called before each request, and
    /// again on each new connection before anything is sent on it; `first` is its most recent
    /// result.
    ///
    /// # Errors
    /// When the TLS roots of this machine cannot be read.
    pub fn of_this_machine(
        first: Endpoint,
        find: Find,
        timeout: Duration,
    ) -> Result<Self, reqwest::Error> {
        Self::finding(first, find, timeout, true)
    }

    fn finding(
        first: Endpoint,
        find: Find,
        timeout: Duration,
        gets_names: bool,
    ) -> Result<Self, reqwest::Error> {
        Ok(Self {
            destination: Destination::new(first, find, timeout)?,
            has_sources: Arc::default(),
            gets_names,
        })
    }

    /// The address of the last request; before the first one, the initial address.
    #[must_use]
    pub fn base(&self) -> String {
        self.destination.last().base
    }

    /// The address of an image of this hash. It ends in `.webp`, by which CDNs know what to keep,
    /// where the last [`Self::find_source`] found a Porchlight; other servers may not know the
    /// ending.
    #[must_use]
    pub fn image_url(&self, hash: &str) -> String {
        let ending = if self.has_sources.load(Ordering::Relaxed) {
            ".webp"
        } else {
            ""
        };
        format!("{}/i/{hash}{ending}", self.base())
    }

    /// The address and the token of the last request; before the first one, the initial ones.
    #[must_use]
    pub fn endpoint(&self) -> Endpoint {
        self.destination.last()
    }

    /// `POST /heartbeat`.
    ///
    /// # Errors
    /// See [`ClientError`]; nothing is retried here.
    pub async fn heartbeat(&self, fields: &HeartbeatFields) -> Result<HeartbeatReply, ClientError> {
        let to = self.destination.now()?;
        let request = to.http.post(to.url("/heartbeat")).json(fields);
        let answer = to.send(to.with_token(request)?).await?;
        if !answer.status.is_success() {
            return Err(answer.refusal());
        }
        let status = answer.status.as_u16();
        serde_json::from_slice(&answer.body?).map_err(|_| ClientError::NotUnderstood { status })
    }
}

impl Connections {
    fn url(&self, path: &str) -> String {
        format!("{}{path}", self.target.base)
    }

    fn with_token(
        &self,
        request: reqwest::RequestBuilder,
    ) -> Result<reqwest::RequestBuilder, ClientError> {
        let value = format!("Bearer {}", self.target.token.expose_secret());
        let mut value = HeaderValue::from_str(&value).map_err(|_| ClientError::Token)?;
        value.set_sensitive(true);
        Ok(request.header(AUTHORIZATION, value))
    }

    /// Sends the request and reads the answer.
    async fn send(&self, request: reqwest::RequestBuilder) -> Result<HttpAnswer, ClientError> {
        let response = self.send_head(request).await?;
        Ok(HttpAnswer {
            status: response.status(),
            headers: response.headers().clone(),
            body: self.read(response).await,
        })
    }

    /// Sends the request; the body of the answer is not read.
    async fn send_head(
        &self,
        request: reqwest::RequestBuilder,
    ) -> Result<reqwest::Response, ClientError> {
        let sent = request.send().await;
        sent.map_err(|cause| self.unreachable(cause))
    }

    async fn read(&self, response: reqwest::Response) -> Result<Vec<u8>, ClientError> {
        let status = response.status().as_u16();
        let body = read(response, LONGEST_ANSWER).await;
        let body = body.map_err(|cause| self.unreachable(cause))?;
        body.ok_or(ClientError::NotUnderstood { status })
    }

    fn unreachable(&self, cause: reqwest::Error) -> ClientError {
        ClientError::Unreachable {
            base: self.target.base.clone(),
            cause: cause.without_url(),
        }
    }
}

/// An answer with what could be read of its body.
struct HttpAnswer {
    status: StatusCode,
    headers: HeaderMap,
    body: Result<Vec<u8>, ClientError>,
}

impl HttpAnswer {
    /// The body as text; empty where it could not be read.
    fn text(&self) -> String {
        let body = self.body.as_deref().unwrap_or_default();
        String::from_utf8_lossy(body).into_owned()
    }

    /// The error that it means when it is not a success.
    fn refusal(&self) -> ClientError {
        refusal(self.status, &self.headers, &self.text())
    }
}

/// What an answer that is no success means.
fn refusal(status: StatusCode, headers: &HeaderMap, body: &str) -> ClientError {
    let retry_after = retry_after(headers);
    let sent_on = headers.get(LOCATION).and_then(|value| value.to_str().ok());
    let error = error_of(body);
    let answered = |text: &str| ClientError::Answered {
        status: status.as_u16(),
        text: text.to_owned(),
        is_by_the_service: error.is_some(),
        retry_after,
    };
    let excerpt: String = body.chars().take(200).collect();
    match status {
        // Here it is the way that is refused, not the token.
        StatusCode::FORBIDDEN if error.as_deref() == Some(&ApiError::HttpsRequired.to_string()) => {
            answered(&ApiError::HttpsRequired.to_string())
        }
        StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => ClientError::Refused,
        StatusCode::TOO_MANY_REQUESTS => ClientError::Wait { retry_after },
        status => match sent_on.filter(|_| status.is_redirection()) {
            Some(place) => answered(&format!("it sends callers on to {place}")),
            None => answered(error.as_deref().unwrap_or(&excerpt)),
        },
    }
}

/// The `error` of a body, where it is an error as the interface writes it.
fn error_of(body: &str) -> Option<String> {
    let body = serde_json::from_str::<crate::http::api_error::ErrorBody>(body);
    body.ok().map(|body| body.error)
}
