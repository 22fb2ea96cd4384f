//! An HTTP client of the service: an address and a token.

use std::time::Duration;

use reqwest::StatusCode;
use reqwest::header::{AUTHORIZATION, HeaderValue, RETRY_AFTER};
use secrecy::{ExposeSecret, SecretString};

use crate::{HeartbeatFields, HeartbeatReply};

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
    #[error("the service at {base} did not answer: {cause}")]
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
    },
    /// The token holds characters that no header can carry.
    #[error("the token holds characters that a header cannot carry")]
    Token,
}

impl Client {
    /// A client of the service at `base` (without a trailing slash), calling
    /// with `token`. One request takes at most `timeout`.
    ///
    /// # Errors
    /// When the TLS roots of this machine cannot be read.
    pub fn new(base: &str, token: SecretString, timeout: Duration) -> Result<Self, reqwest::Error> {
        let http = reqwest::Client::builder()
            .timeout(timeout)
            .no_proxy()
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
        let response = request
            .send()
            .await
            .map_err(|cause| self.unreachable(cause))?;
        match response.status() {
            status if status.is_success() => Ok(response),
            StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => Err(ClientError::Refused),
            StatusCode::TOO_MANY_REQUESTS => Err(ClientError::Wait {
                retry_after: response
                    .headers()
                    .get(RETRY_AFTER)
                    .and_then(|value| value.to_str().ok()?.parse().ok())
                    .map(Duration::from_secs),
            }),
            status => {
                let text = response.text().await.unwrap_or_default();
                let text = serde_json::from_str::<crate::ErrorBody>(&text)
                    .map_or_else(|_| text.chars().take(200).collect(), |body| body.error);
                Err(ClientError::Answered {
                    status: status.as_u16(),
                    text,
                })
            }
        }
    }

    fn unreachable(&self, cause: reqwest::Error) -> ClientError {
        ClientError::Unreachable {
            base: self.base.clone(),
            cause: cause.without_url(),
        }
    }
}
