//! Journey 4: an image on its way to a reader, as bytes or as a redirect.

use axum::body::Body;
use axum::response::Response;
use bytes::Bytes;
use headers::{ETag, HeaderMapExt as _, IfNoneMatch};
use http::header::{
    ACCEPT_RANGES, CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_LENGTH, CONTENT_RANGE, CONTENT_TYPE,
    ETAG, LOCATION,
};
use http::{HeaderMap, HeaderValue, StatusCode};
use porchlight_api::{ApiError, ImageHash};
use porchlight_core::images;
use porchlight_core::settings::Delivery;

use crate::door::Door;
use crate::error::ErrorReply;
use crate::range::wanted_range;
use crate::reply::{A_YEAR, FIVE_MINUTES, NO_STORE, REVALIDATE};

const WEBP: HeaderValue = HeaderValue::from_static("image/webp");
const BYTES: HeaderValue = HeaderValue::from_static("bytes");

/// How long what is answered here stays true under its address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Freshness {
    /// Only now: the next call answers something else.
    Now,
    /// As long as asking says so.
    Asked,
    /// For good.
    Forever,
}

impl Freshness {
    fn direct(self) -> HeaderValue {
        match self {
            Self::Now => NO_STORE,
            Self::Asked => REVALIDATE,
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

/// An image as it is stored.
pub(crate) async fn image(
    door: &Door,
    hash: ImageHash,
    headers: &HeaderMap,
    freshness: Freshness,
) -> Result<Response, ErrorReply> {
    let images = door.service.images();
    if images.settings().delivery == Delivery::Redirect {
        images.find(hash).await?.ok_or(ApiError::ImageNotFound)?;
        return redirect(door, &hash.file_name(), freshness);
    }
    let served = images
        .open_image(hash)
        .await?
        .ok_or(ApiError::ImageNotFound)?;
    let size = served.image.size;
    let etag = format!("\"{hash}\"");
    let disposition = format!("inline; filename=\"{hash}.webp\"");
    let (mut response, range) = begin(headers, &etag, &disposition, size, freshness)?;
    if let Some(range) = range {
        let length = range.end - range.start;
        *response.body_mut() = match served.body(range).await? {
            images::Body::Whole(bytes) => Body::from(bytes),
            images::Body::Stream(stream) => Body::from_stream(stream),
        };
        response
            .headers_mut()
            .insert(CONTENT_LENGTH, HeaderValue::from(length));
    }
    Ok(response)
}

/// A narrower copy of an image.
pub(crate) async fn narrowed(
    door: &Door,
    hash: ImageHash,
    width: u32,
    headers: &HeaderMap,
) -> Result<Response, ErrorReply> {
    let images = door.service.images();
    if images.settings().delivery == Delivery::Redirect {
        let image = images.find(hash).await?.ok_or(ApiError::ImageNotFound)?;
        if image.width <= width {
            return redirect(door, &hash.file_name(), Freshness::Forever);
        }
        images
            .narrowed(hash, width)
            .await?
            .ok_or(ApiError::ImageNotFound)?;
        return redirect(door, &format!("{hash}.w{width}.webp"), Freshness::Forever);
    }
    let bytes: Bytes = images
        .narrowed(hash, width)
        .await?
        .ok_or(ApiError::ImageNotFound)?;
    let etag = format!("\"{hash}.w{width}\"");
    let disposition = format!("inline; filename=\"{hash}.w{width}.webp\"");
    let size = bytes.len() as u64;
    let (mut response, range) = begin(headers, &etag, &disposition, size, Freshness::Forever)?;
    if let Some(range) = range {
        let part = bytes.slice(range.start as usize..range.end as usize);
        *response.body_mut() = Body::from(part);
    }
    Ok(response)
}

/// The answer without its body, and which bytes belong in it: none for a 304.
fn begin(
    headers: &HeaderMap,
    etag: &str,
    disposition: &str,
    size: u64,
    freshness: Freshness,
) -> Result<(Response, Option<std::ops::Range<u64>>), ErrorReply> {
    let text =
        |text: &str| HeaderValue::from_str(text).map_err(|error| ErrorReply::internal(&error));
    let mut response = Response::new(Body::empty());
    let told = response.headers_mut();
    told.insert(ETAG, text(etag)?);
    told.insert(CACHE_CONTROL, freshness.direct());
    let tag: ETag = etag
        .parse()
        .map_err(|_| ErrorReply::internal("an image has no ETag"))?;
    if headers
        .typed_get::<IfNoneMatch>()
        .is_some_and(|known| !known.precondition_passes(&tag))
    {
        *response.status_mut() = StatusCode::NOT_MODIFIED;
        return Ok((response, None));
    }
    told.insert(CONTENT_TYPE, WEBP);
    told.insert(CONTENT_DISPOSITION, text(disposition)?);
    told.insert(ACCEPT_RANGES, BYTES);
    match wanted_range(headers, &tag, size)? {
        None => Ok((response, Some(0..size))),
        Some(range) => {
            let part = format!("bytes {}-{}/{size}", range.start, range.end - 1);
            told.insert(CONTENT_RANGE, text(&part)?);
            *response.status_mut() = StatusCode::PARTIAL_CONTENT;
            Ok((response, Some(range)))
        }
    }
}

fn redirect(door: &Door, object: &str, freshness: Freshness) -> Result<Response, ErrorReply> {
    let settings = &door.service.settings().storage;
    let Some(storage_url) = &settings.storage_url else {
        return Err(ErrorReply::internal("storage.storage_url is not set"));
    };
    let location = storage_url.join(&format!("/randomimg/{object}"));
    let location =
        HeaderValue::from_str(&location).map_err(|error| ErrorReply::internal(&error))?;
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::FOUND;
    response.headers_mut().insert(LOCATION, location);
    response
        .headers_mut()
        .insert(CACHE_CONTROL, freshness.redirect());
    Ok(response)
}
