//! The body of an upload: a form with one file in the field `image`.

use std::time::Duration;

use axum::extract::multipart::{Field, Multipart, MultipartError};
use axum::extract::{FromRequest as _, Request};
use http::StatusCode;
use http::header::CONTENT_LENGTH;
use porchlight_api::ApiError;
use porchlight_core::images::{Images, Incoming};
use tokio::time::timeout;

use crate::error::ErrorReply;

/// What a form may weigh beyond its picture.
const FORM: u64 = 1024 * 1024;
/// A client that sends nothing for so long has gone.
const SILENCE: Duration = Duration::from_secs(30);

/// Takes the picture out of the form.
pub(crate) async fn receive(images: &Images, request: Request) -> Result<Incoming, ErrorReply> {
    let largest = images.settings().max_upload_bytes + FORM;
    let announced = request
        .headers()
        .get(CONTENT_LENGTH)
        .and_then(|value| value.to_str().ok()?.parse::<u64>().ok());
    if announced.is_some_and(|length| length > largest) {
        return Err(ApiError::ImageTooLarge.into());
    }
    let mut form = Multipart::from_request(request, &())
        .await
        .map_err(|_| ApiError::ImageRequired)?;
    let mut picture = None;
    let mut beside = 0;
    while let Some(mut field) = in_time(form.next_field()).await? {
        if field.name() != Some("image") {
            while let Some(chunk) = in_time(field.chunk()).await? {
                beside += chunk.len() as u64;
                if beside > FORM {
                    return Err(ApiError::BodyTooLarge.into());
                }
            }
        } else if picture.is_some() {
            return Err(ApiError::InvalidBody.into());
        } else {
            picture = Some(picture_of(images, &mut field).await?);
        }
    }
    picture
        .filter(|incoming: &Incoming| incoming.size() > 0)
        .ok_or_else(|| ApiError::ImageRequired.into())
}

async fn picture_of(images: &Images, field: &mut Field<'_>) -> Result<Incoming, ErrorReply> {
    let delivery = images.settings().delivery;
    let refused = |error| ErrorReply::of_ingest(error, delivery);
    let mut incoming = images.begin().await.map_err(refused)?;
    while let Some(chunk) = in_time(field.chunk()).await? {
        incoming.write(&chunk).await.map_err(refused)?;
    }
    Ok(incoming)
}

async fn in_time<T>(
    next: impl Future<Output = Result<T, MultipartError>>,
) -> Result<T, ErrorReply> {
    match timeout(SILENCE, next).await {
        Err(_) => Err(ApiError::Timeout.into()),
        Ok(Ok(next)) => Ok(next),
        Ok(Err(error)) if error.status() == StatusCode::PAYLOAD_TOO_LARGE => {
            Err(ApiError::ImageTooLarge.into())
        }
        Ok(Err(_)) => Err(ApiError::InvalidBody.into()),
    }
}
