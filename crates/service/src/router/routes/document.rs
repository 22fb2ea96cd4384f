//! `GET /openapi.json`, the description of every path, and `GET /docs`, a page that shows it.

use std::sync::LazyLock;

use axum::response::{IntoResponse as _, Response};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use headers::{ETag, HeaderMapExt as _, IfNoneMatch};
use http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG};
use http::{HeaderMap, HeaderValue, StatusCode};
use sha2::{Digest as _, Sha256};

use crate::router::error::ErrorReply;
use crate::router::reply::REVALIDATE;

const DOCUMENT: &str = include_str!("../../../../../docs/openapi.json");
const PAGE: &str = include_str!("docs.html");

/// Lets the page run its own script, use its own style and load the document, and nothing else.
static POLICY: LazyLock<String> = LazyLock::new(|| {
    let hash = |element: &str| {
        let (_, after) = PAGE.split_once(&format!("<{element}>")).unwrap_or_default();
        let (text, _) = after.split_once("</").unwrap_or_default();
        format!("'sha256-{}'", BASE64_STANDARD.encode(Sha256::digest(text)))
    };
    format!(
        "default-src 'none'; script-src {}; style-src {}; connect-src 'self'; base-uri 'none'; \
         form-action 'none'; frame-ancestors 'none'",
        hash("script"),
        hash("style")
    )
});

/// `GET /openapi.json`
pub(crate) async fn document(headers: HeaderMap) -> Result<Response, ErrorReply> {
    fixed("application/json", DOCUMENT, &headers)
}

/// `GET /docs`
pub(crate) async fn page(headers: HeaderMap) -> Result<Response, ErrorReply> {
    let mut response = fixed("text/html; charset=utf-8", PAGE, &headers)?;
    let policy = HeaderValue::from_str(&POLICY).map_err(|error| ErrorReply::internal(&error))?;
    response
        .headers_mut()
        .insert(CONTENT_SECURITY_POLICY, policy);
    Ok(response)
}

/// What is the same until the program is another one.
fn fixed(
    kind: &'static str,
    text: &'static str,
    request: &HeaderMap,
) -> Result<Response, ErrorReply> {
    let tag = format!("\"{}\"", &hex::encode(Sha256::digest(text))[..32]);
    let version: ETag = tag.parse().map_err(|_| ErrorReply::internal("no ETag"))?;
    let value = HeaderValue::from_str(&tag).map_err(|error| ErrorReply::internal(&error))?;
    let headers = [(ETAG, value), (CACHE_CONTROL, REVALIDATE)];
    let known = request.typed_get::<IfNoneMatch>();
    if known.is_some_and(|known| !known.precondition_passes(&version)) {
        return Ok((StatusCode::NOT_MODIFIED, headers).into_response());
    }
    let kind = [(CONTENT_TYPE, HeaderValue::from_static(kind))];
    Ok((headers, kind, text).into_response())
}
