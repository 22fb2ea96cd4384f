//! An image on its way to a reader, as bytes or as a redirect.

use std::convert::Infallible;

use axum::body::Body;
use axum::extract::FromRequestParts;
use axum::response::{IntoResponse as _, Response};
use bytes::Bytes;
use futures_util::stream;
use headers::{ETag, HeaderMapExt as _, IfNoneMatch};
use http::header::{
    ACCEPT_RANGES, CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_LENGTH, CONTENT_RANGE, CONTENT_TYPE,
    ETAG, LOCATION,
};
use http::request::Parts;
use http::{HeaderMap, HeaderValue, Method, StatusCode};

use crate::http::api_error::ApiError;
use crate::images;
use crate::router::connection::BUFFER;
use crate::router::error::ErrorReply;
use crate::router::listener_state::ListenerState;
use crate::router::range::wanted_range;
use crate::router::reply::{A_YEAR, FIVE_MINUTES, NO_STORE, REVALIDATE};
use crate::settings::sections::{Delivery, StorageKind};
use crate::text::image_hash::ImageHash;

const WEBP: HeaderValue = HeaderValue::from_static("image/webp");
const BYTES: HeaderValue = HeaderValue::from_static("bytes");

/// How long what is answered here stays true under its address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Freshness {
    /// Only now: the next call answers something else.
    Now,
    /// Revalidated on each use.
    Requested,
    /// Immutable.
    Forever,
}

/// What decides about the form of the answer.
pub(crate) struct Requested {
    pub(crate) method: Method,
    pub(crate) headers: HeaderMap,
}

impl<S: Sync> FromRequestParts<S> for Requested {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        Ok(Self {
            method: parts.method.clone(),
            headers: parts.headers.clone(),
        })
    }
}

impl Freshness {
    fn direct(self) -> HeaderValue {
        match self {
            Self::Now => NO_STORE,
            Self::Requested => REVALIDATE,
            Self::Forever => A_YEAR,
        }
    }

    fn redirect(self) -> HeaderValue {
        if self == Self::Now {
            NO_STORE
        } else {
            FIVE_MINUTES
        }
    }
}

/// The image of this name as it is stored, or a rendition of it; and its own
/// name, since it may have been requested by an alias.
pub(crate) async fn image(
    state: &ListenerState,
    hash: ImageHash,
    width: Option<u32>,
    request: &Requested,
    freshness: Freshness,
) -> Result<(ImageHash, Response), ErrorReply> {
    let images = state.service.images();
    let served = match width {
        None => images.open_image(hash).await?,
        Some(width) => images.open_rendition(hash, width).await?,
    };
    let served = served.ok_or(ApiError::ImageNotFound)?;
    // This address may soon have the rendition.
    let freshness = if served.is_stand_in() {
        Freshness::Now
    } else {
        freshness
    };
    // The name of what is served: where an image is no wider than requested,
    // that is the image.
    let name_of = |hash: ImageHash| match served.width() {
        None => hash.to_string(),
        Some(width) => format!("{hash}.w{width}"),
    };
    let (own, name) = (served.image().hash, name_of(hash));
    // What is on its way to the object store, and a rendition that it did not
    // take, is served from here.
    let is_there = served.image().place == StorageKind::S3 && served.is_stored();
    if images.settings().delivery == Delivery::Redirect && is_there {
        return Ok((own, redirect(state, &name_of(own), freshness)?));
    }
    let etag = format!("\"{name}\"");
    let tag: ETag = etag
        .parse()
        .map_err(|_| ErrorReply::internal("an image has no ETag"))?;
    let mut response = Response::new(Body::empty());
    let headers = response.headers_mut();
    headers.insert(CACHE_CONTROL, freshness.direct());
    let mut range = 0..served.size();
    // A random image differs the next time: neither ranges nor `304 Not
    // Modified` would be correct.
    if freshness != Freshness::Now {
        headers.insert(ETAG, text(&etag)?);
        let known = request.headers.typed_get::<IfNoneMatch>();
        if known.is_some_and(|known| !known.precondition_passes(&tag)) {
            *response.status_mut() = StatusCode::NOT_MODIFIED;
            return Ok((own, response));
        }
        headers.insert(ACCEPT_RANGES, BYTES);
        if request.method == Method::GET
            && let Some(wanted) = wanted_range(&request.headers, &tag, served.size())?
        {
            let part = format!(
                "bytes {}-{}/{}",
                wanted.start,
                wanted.end - 1,
                served.size()
            );
            headers.insert(CONTENT_RANGE, text(&part)?);
            *response.status_mut() = StatusCode::PARTIAL_CONTENT;
            range = wanted;
        }
    }
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, WEBP);
    headers.insert(
        CONTENT_DISPOSITION,
        text(&format!("inline; filename=\"{name}.webp\""))?,
    );
    headers.insert(CONTENT_LENGTH, HeaderValue::from(range.end - range.start));
    if request.method != Method::HEAD {
        let sent = range.end - range.start;
        *response.body_mut() = match served.body(range).await? {
            images::Body::Whole(bytes) => in_pieces(bytes),
            images::Body::Stream(stream) => Body::from_stream(stream),
        };
        state.service.stats().sent(sent);
    }
    Ok((own, response))
}

/// Each piece fills the buffer of a connection, so the next is asked for when it is sent: the request is
/// in flight until then.
fn in_pieces(bytes: Bytes) -> Body {
    let starts = (0..bytes.len()).step_by(BUFFER);
    let pieces = starts.map(move |start| {
        let end = bytes.len().min(start + BUFFER);
        Ok::<_, Infallible>(bytes.slice(start..end))
    });
    Body::from_stream(stream::iter(pieces))
}

fn text(text: &str) -> Result<HeaderValue, ErrorReply> {
    HeaderValue::from_str(text).map_err(|error| ErrorReply::internal(&error))
}

fn redirect(
    state: &ListenerState,
    name: &str,
    freshness: Freshness,
) -> Result<Response, ErrorReply> {
    let settings = &state.settings().storage;
    let Some(storage_url) = &settings.storage_url else {
        return Err(ErrorReply::internal("storage.storage_url is not set"));
    };
    let location = text(&storage_url.join(&format!("/randomimg/{name}.webp")))?;
    let headers = [(LOCATION, location), (CACHE_CONTROL, freshness.redirect())];
    Ok((StatusCode::FOUND, headers).into_response())
}
