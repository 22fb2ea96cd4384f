//! Everything under `/images`, and `/i/{hash}`.

use axum::extract::rejection::PathRejection;
use axum::extract::{Path, RawQuery, Request, State};
use axum::response::Response;
use http::StatusCode;
use serde_json::{Value, json};

use super::delivery::{self, Freshness, Requested};
use super::{random, upload};
use crate::http::api_error::ApiError;
use crate::images::{IngestError, StoredImage, WIDTHS};
use crate::router::bearer::{MayDelete, MayUpload};
use crate::router::body::Parameters;
use crate::router::error::ErrorReply;
use crate::router::listener_state::ListenerState;
use crate::router::private::is_name;
use crate::router::reply::{self, NO_STORE, fresh};
use crate::settings::sections::Delivery;
use crate::text::album;
use crate::text::image_hash::ImageHash;

const WEBP: &str = "image/webp";
const LONGEST_PAGE: u64 = 100;

pub(super) type Segment = Result<Path<String>, PathRejection>;

pub(crate) async fn add(
    _: MayUpload,
    State(state): State<ListenerState>,
    request: Request,
) -> Result<Response, ErrorReply> {
    let images = state.service.images();
    let delivery = images.settings().delivery;
    let query = Parameters::of_query(request.uri().query());
    let is_detailed = is_on(&query, "detail");
    let form = match upload::is_image(request.headers()) {
        true => upload::receive_image(images, request).await?,
        false => upload::receive(images, request, "image", &["album"]).await?,
    };
    let mut incoming = form.image.ok_or(ApiError::ImageRequired)?;
    let name = form.texts.text("album")?;
    if let Some(name) = name.filter(|name| !name.is_empty()) {
        incoming.set_album(Some(album(name).ok_or(ApiError::Invalid("album"))?));
    }
    let (status, stored) = match images.ingest(incoming).await {
        Ok(stored) => (StatusCode::CREATED, stored),
        // For programs that read an address only from a success.
        Err(IngestError::Duplicate(image)) if matches!(query.text("duplicate"), Ok(Some("ok"))) => {
            (StatusCode::OK, image)
        }
        Err(IngestError::Duplicate(image)) => {
            let name = match delivery {
                Delivery::Direct => "existingHash",
                Delivery::Redirect => "hash",
            };
            let error = ApiError::ImageExists.to_string();
            let body = json!({ "error": error, name: image.hash });
            return Ok(reply::json(StatusCode::CONFLICT, NO_STORE, &body));
        }
        Err(error) => return Err(error.into()),
    };
    let mut body = json!({ "hash": stored.hash, "size": stored.size });
    if delivery == Delivery::Direct {
        body["contentType"] = WEBP.into();
    }
    if is_detailed {
        add_pixels(&mut body, &stored);
    }
    Ok(reply::json(status, NO_STORE, &body))
}

pub(crate) async fn by_source(
    _: MayUpload,
    State(state): State<ListenerState>,
    segment: Segment,
    RawQuery(query): RawQuery,
) -> Result<Response, ErrorReply> {
    let parameters = Parameters::of_query(query.as_deref());
    let mut digest = [0; 32];
    let known = match segment {
        Ok(Path(text)) if hex::decode_to_slice(&text, &mut digest).is_ok() => {
            // The cost of an answer must not grow with the image.
            let images = state.service.images();
            images.find_stored(digest).await?
        }
        _ => None,
    };
    let image = known.ok_or(ApiError::ImageNotFound)?;
    let mut body = json!({ "hash": image.hash });
    if is_on(&parameters, "detail") {
        add_pixels(&mut body, &image);
    }
    Ok(fresh(&body))
}

/// What `?detail=1` adds to the answers about one image.
fn add_pixels(body: &mut Value, image: &StoredImage) {
    body["width"] = image.width.into();
    body["height"] = image.height.into();
}

fn is_on(parameters: &Parameters, name: &'static str) -> bool {
    matches!(parameters.text(name), Ok(Some("1")))
}

pub(crate) async fn list(
    State(state): State<ListenerState>,
    RawQuery(query): RawQuery,
) -> Result<Response, ErrorReply> {
    let parameters = Parameters::of_query(query.as_deref());
    let page = page_of(&parameters)?;
    let limit = whole_number(&parameters, "limit", 10)?.min(LONGEST_PAGE);
    let offset = (page - 1).saturating_mul(limit).min(i64::MAX as u64);
    let detailed = is_on(&parameters, "detail");
    let album = random::album(&parameters)?;
    let images = state.service.images();
    let found = images.page(offset, limit as u32, album).await?;
    let items = found.images.iter().map(|image| image.item(detailed));
    Ok(fresh(&json!({
        "images": items.collect::<Vec<_>>(),
        "pagination": { "current": page, "size": limit, "total": found.total },
    })))
}

pub(crate) async fn count(State(state): State<ListenerState>) -> Result<Response, ErrorReply> {
    let count = state.service.images().count().await?;
    Ok(fresh(&json!({ "count": count })))
}

pub(crate) async fn image(
    State(state): State<ListenerState>,
    segment: Segment,
    request: Requested,
) -> Result<Response, ErrorReply> {
    let hash = hash_of(segment)?;
    let (_, answer) = delivery::image(&state, hash, None, &request, Freshness::Requested).await?;
    Ok(answer)
}

pub(crate) async fn short(
    State(state): State<ListenerState>,
    segment: Segment,
    RawQuery(query): RawQuery,
    request: Requested,
) -> Result<Response, ErrorReply> {
    let width = width_of(&Parameters::of_query(query.as_deref()))?;
    let hash = hash_of(segment)?;
    let (own, answer) = delivery::image(&state, hash, width, &request, Freshness::Forever).await?;
    state.service.stats().view(own);
    Ok(answer)
}

/// The same at an address that ends in a name for people and search engines, which is not looked at.
pub(crate) async fn named(
    state: State<ListenerState>,
    path: Result<Path<(String, String)>, PathRejection>,
    query: RawQuery,
    request: Requested,
) -> Result<Response, ErrorReply> {
    let Path((hash, name)) = path.map_err(|_| ApiError::ImageNotFound)?;
    if !is_name(&name) {
        return Err(ApiError::ImageNotFound.into());
    }
    short(state, Ok(Path(hash)), query, request).await
}

pub(crate) async fn delete(
    _: MayDelete,
    State(state): State<ListenerState>,
    segment: Segment,
) -> Result<Response, ErrorReply> {
    let hash = deleted(&state, segment).await?;
    let shows_hash = state.service.images().settings().delivery == Delivery::Direct;
    let message = "Image deleted successfully";
    Ok(fresh(&match shows_hash {
        true => json!({ "message": message, "hash": hash }),
        false => json!({ "message": message }),
    }))
}

/// Deletes the image that a path names.
pub(super) async fn deleted(
    state: &ListenerState,
    segment: Segment,
) -> Result<ImageHash, ErrorReply> {
    let hash = hash_of(segment)?;
    if !state.service.images().delete(hash).await? {
        return Err(ApiError::ImageNotFound.into());
    }
    state.service.stats().deleted();
    Ok(hash)
}

/// A malformed hash names no image.
fn hash_of(segment: Segment) -> Result<ImageHash, ApiError> {
    let Path(text) = segment.map_err(|_| ApiError::ImageNotFound)?;
    ImageHash::from_path(&text).map_err(|_| ApiError::ImageNotFound)
}

fn width_of(parameters: &Parameters) -> Result<Option<u32>, ApiError> {
    const INVALID: ApiError = ApiError::Invalid("width");
    let Some(text) = parameters.text("w").map_err(|_| INVALID)? else {
        return Ok(None);
    };
    let known = WIDTHS.into_iter().find(|width| width.to_string() == text);
    known.map(Some).ok_or(INVALID)
}

/// The page of a list that is wanted, from 1.
pub(super) fn page_of(parameters: &Parameters) -> Result<u64, ApiError> {
    whole_number(parameters, "page", 1)
}

/// From 1 to 2^63 − 1, in digits alone.
fn whole_number(
    parameters: &Parameters,
    name: &'static str,
    default: u64,
) -> Result<u64, ApiError> {
    let Some(text) = parameters.text(name)? else {
        return Ok(default);
    };
    let digits = text.bytes().all(|byte| byte.is_ascii_digit());
    let number = text.parse().ok();
    let number = number.filter(|n| digits && (1..=i64::MAX as u64).contains(n));
    number.ok_or(ApiError::Invalid(name))
}
