//! The body of an upload: a form with one file in the field `image`.

use std::error::Error;

use axum::body::Body;
use axum::extract::multipart::{Field, Multipart, MultipartError};
use axum::extract::{FromRequest as _, Request};
use bytes::Bytes;
use http::header::CONTENT_LENGTH;
use porchlight_api::ApiError;
use porchlight_api::text::album;
use porchlight_core::images::{Images, Incoming};

use crate::bounded::{Bounded, FORM, TakenBytes};
use crate::error::ErrorReply;

/// More bytes than the longest name of an album has.
const LONGEST_ALBUM_FIELD: usize = 1024;
/// The maximum number of parts in a form.
const PARTS: u32 = 32;

/// Takes the image out of the form.
pub(crate) async fn receive(images: &Images, request: Request) -> Result<Incoming, ErrorReply> {
    let largest = images.settings().max_upload_bytes + FORM;
    let announced = request
        .headers()
        .get(CONTENT_LENGTH)
        .and_then(|value| value.to_str().ok()?.parse::<u64>().ok());
    if announced.is_some_and(|length| length > largest) {
        return Err(ApiError::ImageTooLarge.into());
    }
    let taken = TakenBytes::default();
    let request = request.map(|body| Body::new(Bounded::new(body, largest, taken.clone())));
    let mut form = Multipart::from_request(request, &())
        .await
        .map_err(|_| ApiError::ImageRequired)?;
    let (mut picture, mut name) = (None, None);
    let mut parts = 0;
    while let Some(mut field) = form.next_field().await.map_err(refusal)? {
        parts += 1;
        if parts > PARTS {
            return Err(ApiError::InvalidForm.into());
        }
        if field.name() == Some("album") {
            name = album_of(&mut field, &taken).await?;
        } else if field.name() != Some("image") {
            while next_chunk(&mut field, &taken).await?.is_some() {}
        } else if picture.is_some() {
            return Err(ApiError::InvalidBody.into());
        } else {
            picture = Some(picture_of(images, &mut field, &taken).await?);
        }
    }
    let mut picture = picture
        .filter(|incoming: &Incoming| incoming.size() > 0)
        .ok_or(ApiError::ImageRequired)?;
    picture.set_album(name);
    Ok(picture)
}

/// The album in a field of the form; none in an empty one.
async fn album_of(field: &mut Field<'_>, taken: &TakenBytes) -> Result<Option<String>, ApiError> {
    let mut text = Vec::new();
    while let Some(chunk) = next_chunk(field, taken).await? {
        // The rest cannot be part of a name, but must be read.
        let room = LONGEST_ALBUM_FIELD.saturating_sub(text.len());
        text.extend_from_slice(&chunk[..chunk.len().min(room)]);
    }
    if text.is_empty() {
        return Ok(None);
    }
    let text = String::from_utf8(text).map_err(|_| ApiError::InvalidAlbum)?;
    album(&text).map(Some).ok_or(ApiError::InvalidAlbum)
}

async fn picture_of(
    images: &Images,
    field: &mut Field<'_>,
    taken: &TakenBytes,
) -> Result<Incoming, ErrorReply> {
    let delivery = images.settings().delivery;
    let refused = |error| ErrorReply::of_ingest(error, delivery);
    let mut incoming = images.start_upload().await.map_err(refused)?;
    if let Some(name) = field.file_name() {
        incoming.set_file_name(name);
    }
    while let Some(chunk) = next_chunk(field, taken).await? {
        incoming.write(&chunk).await.map_err(refused)?;
    }
    Ok(incoming)
}

async fn next_chunk(field: &mut Field<'_>, taken: &TakenBytes) -> Result<Option<Bytes>, ApiError> {
    let chunk = field.chunk().await.map_err(refusal)?;
    if let Some(chunk) = &chunk {
        taken.chunk(chunk);
    }
    Ok(chunk)
}

/// The parser wraps the error of the body somewhere in its chain of causes.
fn refusal(error: MultipartError) -> ApiError {
    let mut cause: Option<&dyn Error> = Some(&error);
    while let Some(error) = cause {
        if let Some(refusal) = error.downcast_ref() {
            return *refusal;
        }
        cause = error.source();
    }
    ApiError::InvalidBody
}
