//! `GET /api_stats` and `GET /api_stats/{key}`.

use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use axum::response::Response;

use crate::http::api_error::ApiError;
use crate::http::replies::ApiStat;
use crate::router::error::ErrorReply;
use crate::router::listener_state::ListenerState;
use crate::router::reply::fresh;
use crate::stats::Endpoint;
use crate::text::image_hash::ImageHash;

pub(crate) async fn all(State(state): State<ListenerState>) -> Response {
    fresh(&state.service.stats().totals())
}

pub(crate) async fn one(
    State(state): State<ListenerState>,
    key: Result<Path<String>, PathRejection>,
) -> Result<Response, ErrorReply> {
    let Path(key) = key.map_err(|_| ApiError::NotFound)?;
    let path = format!("/{}", key.strip_prefix('/').unwrap_or(&key));
    let stats = state.service.stats();
    let (count, last_updated) = if let Some(endpoint) = Endpoint::of_path(&path) {
        let total = stats.total(endpoint);
        (total.count, total.last_updated)
    } else if let Some(hash) = path
        .strip_prefix("/i/")
        .and_then(|h| ImageHash::from_path(h).ok())
    {
        // An image has one count, for all of its names.
        let image = state.service.images().find(hash).await?;
        stats.views(image.map_or(hash, |image| image.hash)).await?
    } else {
        (0, None)
    };
    Ok(fresh(&ApiStat {
        key,
        count,
        last_updated,
    }))
}
