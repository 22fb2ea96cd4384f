//! The parameters of a request, from its query string or from its body in one
//! of three forms.

use std::time::Duration;

use axum::body::Body;
use axum::extract::multipart::{Multipart, MultipartError};
use axum::extract::{DefaultBodyLimit, FromRequest as _};
use bytes::Bytes;
use http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use http::{HeaderMap, Request};
use http_body_util::{BodyExt as _, Limited};
use percent_encoding::percent_decode;
use serde_json::{Number, Value};
use tokio::time::timeout;

use crate::http::api_error::ApiError;
use crate::http::header::parameter;
use crate::router::client_address::ClientAddress;
use crate::router::error::ErrorReply;
use crate::router::listener_state::ListenerState;
use crate::router::request_body::refusal;

/// The largest body of parameters, in bytes: the two texts at their longest,
/// percent-encoded, and then some.
const LARGEST: usize = 64 * 1024;

/// So few bytes are here at once, or their sender has gone.
const COMES_WITHIN: Duration = Duration::from_secs(30);

/// The largest body with pictures in texts, in bytes.
pub(crate) const LARGEST_WITH_PICTURES: usize = 2 * 1024 * 1024;
const PICTURES_COME_WITHIN: Duration = Duration::from_secs(10);

/// Named values, in the order they came; a later one of a name counts.
#[derive(Debug, Default)]
pub(crate) struct Parameters(Vec<(String, ParameterValue)>);

/// What was given for a name.
#[derive(Debug, Clone)]
pub(crate) enum ParameterValue {
    Text(String),
    /// As `serde_json` writes it; a whole one without its fraction.
    Number(String),
    Truth(bool),
    /// A list, bytes that are no UTF-8: nothing that any parameter takes.
    Unusable,
}

impl Parameters {
    /// The parameters of `a=1&b=2`.
    pub(crate) fn of_query(query: Option<&str>) -> Self {
        Self(
            query
                .map(|query| form(query.as_bytes()))
                .unwrap_or_default(),
        )
    }

    /// The parameters of the query string and of the body, which counts more.
    pub(crate) async fn of_request(request: Request<Body>) -> Result<Self, ApiError> {
        timeout(COMES_WITHIN, Self::read(request))
            .await
            .unwrap_or(Err(ApiError::Timeout))
    }

    async fn read(request: Request<Body>) -> Result<Self, ApiError> {
        let mut all = Self::of_query(request.uri().query());
        if is_form(request.headers()) {
            parts(request, &mut all).await?;
            return Ok(all);
        }
        let kind = kind_of(request.headers());
        let body = bytes(request.into_body(), LARGEST).await?;
        all.add(&kind, &body)?;
        Ok(all)
    }

    /// The same with a body that may have pictures in its texts.
    pub(crate) async fn with_pictures(
        state: &ListenerState,
        unknown: Option<ClientAddress>,
        request: Request<Body>,
    ) -> Result<Self, ErrorReply> {
        let mut all = Self::of_query(request.uri().query());
        let kind = kind_of(request.headers());
        let add = |body| all.add(&kind, &body);
        with_pictures(state, unknown, request.into_body(), add).await?;
        Ok(all)
    }

    /// Adds what came as a part of a form.
    pub(crate) fn add_part(&mut self, name: String, bytes: Vec<u8>) {
        let text = String::from_utf8(bytes).map_or(ParameterValue::Unusable, ParameterValue::Text);
        self.0.push((name, text));
    }

    fn add(&mut self, kind: &str, body: &Bytes) -> Result<(), ApiError> {
        // A client that does not name its form is understood by what it sends.
        let looks_like_json = body.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'{');
        self.0.extend(
            match kind.starts_with("application/json") || looks_like_json {
                true => json(body)?,
                false => form(body),
            },
        );
        Ok(())
    }

    /// What was given for `name`; an explicit JSON `null` counts as nothing.
    pub(crate) fn get(&self, name: &str) -> Option<&ParameterValue> {
        self.0
            .iter()
            .rev()
            .find(|(key, _)| key == name)
            .map(|(_, given)| given)
    }

    /// The text given for `name`.
    ///
    /// # Errors
    /// When something else was.
    pub(crate) fn text(&self, name: &'static str) -> Result<Option<&str>, ApiError> {
        match self.get(name) {
            None => Ok(None),
            Some(ParameterValue::Text(text) | ParameterValue::Number(text)) => Ok(Some(text)),
            Some(_) => Err(ApiError::Invalid(name)),
        }
    }
}

/// A body that is as small as one of parameters.
pub(crate) async fn small(body: Body) -> Result<Bytes, ApiError> {
    let read = timeout(COMES_WITHIN, bytes(body, LARGEST));
    read.await.unwrap_or(Err(ApiError::Timeout))
}

/// Works on a body that may have pictures in its texts. Where nothing but the body says whose it is, few
/// are held at a time.
pub(crate) async fn with_pictures<T>(
    state: &ListenerState,
    unknown: Option<ClientAddress>,
    body: Body,
    work: impl FnOnce(Bytes) -> Result<T, ApiError>,
) -> Result<T, ErrorReply> {
    let _turn = match unknown {
        Some(address) => Some(state.client_bodies.turn(address).await?),
        None => None,
    };
    let read = timeout(PICTURES_COME_WITHIN, bytes(body, LARGEST_WITH_PICTURES)).await;
    Ok(work(read.unwrap_or(Err(ApiError::Timeout))?)?)
}

async fn bytes(body: Body, largest: usize) -> Result<Bytes, ApiError> {
    let collected = Limited::new(body, largest).collect().await;
    let collected = collected.map_err(|error| refusal(&*error, ApiError::BodyTooLarge))?;
    Ok(collected.to_bytes())
}

/// Whether the body is a form with parts.
pub(crate) fn is_form(headers: &HeaderMap) -> bool {
    kind_of(headers).starts_with("multipart/form-data")
}

/// The declared type, in lower case.
pub(crate) fn kind_of(headers: &HeaderMap) -> String {
    let kind = headers.get(CONTENT_TYPE);
    let kind = kind.and_then(|value| value.to_str().ok());
    kind.unwrap_or_default().to_ascii_lowercase()
}

fn json(body: &Bytes) -> Result<Vec<(String, ParameterValue)>, ApiError> {
    if body.is_empty() {
        return Ok(Vec::new());
    }
    let Ok(Value::Object(members)) = serde_json::from_slice(body) else {
        return Err(ApiError::InvalidBody);
    };
    let given = |value| match value {
        Value::String(text) => Some(ParameterValue::Text(text)),
        Value::Bool(truth) => Some(ParameterValue::Truth(truth)),
        Value::Number(number) => Some(ParameterValue::Number(text_of(&number))),
        Value::Null => None,
        Value::Array(_) | Value::Object(_) => Some(ParameterValue::Unusable),
    };
    Ok(members
        .into_iter()
        .filter_map(|(name, value)| Some((name, given(value)?)))
        .collect())
}

/// The number as a text: 0 and 1 are read like the texts of them. In JSON 1.0 is the same number.
fn text_of(number: &Number) -> String {
    let text = number.to_string();
    match text.strip_suffix(".0").unwrap_or(&text) {
        "-0" => "0".to_owned(),
        whole => whole.to_owned(),
    }
}

async fn parts(mut request: Request<Body>, all: &mut Parameters) -> Result<(), ApiError> {
    // Counts the whole body, including part headers.
    DefaultBodyLimit::max(LARGEST).apply(&mut request);
    let refused = |error: MultipartError| refusal(&error, ApiError::BodyTooLarge);
    let mut multipart = Multipart::from_request(request, &())
        .await
        .map_err(|_| ApiError::InvalidBody)?;
    while let Some(part) = multipart.next_field().await.map_err(refused)? {
        let disposition = part.headers().get(CONTENT_DISPOSITION);
        let name = disposition.and_then(|value| parameter(value.as_bytes(), "name"));
        let name = name.unwrap_or_default();
        let bytes = part.bytes().await.map_err(refused)?;
        all.add_part(name, bytes.into());
    }
    Ok(())
}

/// The pairs of a form or a query string. Strict where the usual parsers are
/// lenient: bytes that are no UTF-8 are not turned into replacement characters.
fn form(text: &[u8]) -> Vec<(String, ParameterValue)> {
    text.split(|byte| *byte == b'&')
        .filter(|pair| !pair.is_empty())
        .map(|pair| {
            let end = pair
                .iter()
                .position(|byte| *byte == b'=')
                .unwrap_or(pair.len());
            let value = pair.get(end + 1..).unwrap_or_default();
            let name = decode(&pair[..end]).unwrap_or_default();
            (
                name,
                decode(value).map_or(ParameterValue::Unusable, ParameterValue::Text),
            )
        })
        .collect()
}

fn decode(encoded: &[u8]) -> Option<String> {
    let spaced: Vec<u8> = encoded
        .iter()
        .map(|byte| if *byte == b'+' { b' ' } else { *byte })
        .collect();
    percent_decode(&spaced)
        .decode_utf8()
        .ok()
        .map(std::borrow::Cow::into_owned)
}
