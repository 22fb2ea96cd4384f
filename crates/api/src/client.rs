//! An HTTP client of the service: an address and a token.

mod pictures;

use std::time::Duration;

pub use pictures::{Added, SourceLookup};

use reqwest::StatusCode;
use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderValue, LOCATION, RETRY_AFTER};
use secrecy::{ExposeSecret, SecretString};

use crate::{ApiError, HeartbeatFields, HeartbeatReply, deepest};

/// The service as somebody outside of it sees it.
#[derive(Debug, Clone)]
pub struct Client {
    base: String,
    token: SecretString,
    http: reqwest::Client,
}

/// Why the service did not do what it was asked.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// Nothing answered, or the connection broke.
    #[error("the service at {base} did not answer: {}", deepest(cause))]
    Unreachable {
        /// The address that was tried.
        base: String,
        /// What the network said.
        cause: reqwest::Error,
    },
    /// 401 or 403.
    #[error("the service refused the token")]
    Refused,
    /// 429.
    #[error("the service asks to wait")]
    Wait {
        /// For how long, when it said so.
        retry_after: Option<Duration>,
    },
    /// Any other status that is no success.
    #[error("the service answered {status}: {text}")]
    Answered {
        /// The HTTP status.
        status: u16,
        /// The error text of the body, or what came instead.
        text: String,
        /// When to come back, when it said so.
        retry_after: Option<Duration>,
    },
    /// The token holds characters that no header can carry.
    #[error("the token holds characters that a header cannot carry")]
    Token,
}

impl Client {
    /// A client of the service at `base` (without a trailing slash), calling
    /// with `token`. One request takes at most `timeout`. Redirects are not
    /// followed: the token is for this address alone, and a picture that was
    /// sent cannot be sent on.
    ///
    /// # Errors
    /// When the TLS roots of this machine cannot be read.
    pub fn new(base: &str, token: SecretString, timeout: Duration) -> Result<Self, reqwest::Error> {
        let http = reqwest::Client::builder()
            .timeout(timeout)
            .no_proxy()
            .redirect(reqwest::redirect::Policy::none())
            .build()?;
        Ok(Self {
            base: base.trim_end_matches('/').to_owned(),
            token,
            http,
        })
    }

    /// The address this client calls.
    #[must_use]
    pub fn base(&self) -> &str {
        &self.base
    }

    /// Whether the other one calls the same address with the same token.
    #[must_use]
    pub fn is_same_as(&self, other: &Self) -> bool {
        self.base == other.base && self.token.expose_secret() == other.token.expose_secret()
    }

    fn bearer(&self) -> Result<HeaderValue, ClientError> {
        let mut value = HeaderValue::from_str(&format!("Bearer {}", self.token.expose_secret()))
            .map_err(|_| ClientError::Token)?;
        value.set_sensitive(true);
        Ok(value)
    }

    /// `POST /heartbeat`.
    ///
    /// # Errors
    /// See [`ClientError`]; nothing is retried here.
    pub async fn heartbeat(&self, fields: &HeartbeatFields) -> Result<HeartbeatReply, ClientError> {
        let request = self
            .http
            .post(format!("{}/heartbeat", self.base))
            .header(AUTHORIZATION, self.bearer()?)
            .json(fields);
        let answer = self.answer(request).await?;
        answer.json().await.map_err(|cause| self.unreachable(cause))
    }

    async fn answer(
        &self,
        request: reqwest::RequestBuilder,
    ) -> Result<reqwest::Response, ClientError> {
        let response = self.send(request).await?;
        if response.status().is_success() {
            return Ok(response);
        }
        let (status, headers) = (response.status(), response.headers().clone());
        let text = response.text().await.unwrap_or_default();
        Err(refusal(status, &headers, &text))
    }

    async fn send(
        &self,
        request: reqwest::RequestBuilder,
    ) -> Result<reqwest::Response, ClientError> {
        request
            .send()
            .await
            .map_err(|cause| self.unreachable(cause))
    }

    fn unreachable(&self, cause: reqwest::Error) -> ClientError {
        ClientError::Unreachable {
            base: self.base.clone(),
            cause: cause.without_url(),
        }
    }
}

/// What an answer that is no success means.
fn refusal(status: StatusCode, headers: &HeaderMap, body: &str) -> ClientError {
    let retry_after = headers
        .get(RETRY_AFTER)
        .and_then(|value| value.to_str().ok()?.parse().ok())
        .map(Duration::from_secs);
    let sent_on = headers.get(LOCATION).and_then(|value| value.to_str().ok());
    match status {
        // Here it is the way that is refused, not the token.
        StatusCode::FORBIDDEN if error_text(body) == ApiError::HttpsRequired.to_string() => {
            ClientError::Answered {
                status: status.as_u16(),
                text: error_text(body),
                retry_after,
            }
        }
        StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => ClientError::Refused,
        StatusCode::TOO_MANY_REQUESTS => ClientError::Wait { retry_after },
        status => ClientError::Answered {
            status: status.as_u16(),
            text: match sent_on.filter(|_| status.is_redirection()) {
                Some(place) => format!("it sends callers on to {place}"),
                None => error_text(body),
            },
            retry_after,
        },
    }
}

/// The `error` of a body, or the beginning of what came instead.
fn error_text(body: &str) -> String {
    serde_json::from_str::<crate::ErrorBody>(body)
        .map_or_else(|_| body.chars().take(200).collect(), |body| body.error)
}
