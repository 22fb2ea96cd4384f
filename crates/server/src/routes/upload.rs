//! The body of an upload: a form with one image, and what other programs send beside it.

use std::error::Error;

use axum::body::Body;
use axum::extract::multipart::{Field, Multipart, MultipartError};
use axum::extract::{FromRequest as _, Request};
use bytes::Bytes;
use http::header::CONTENT_LENGTH;
use porchlight_api::ApiError;
use porchlight_core::images::{Images, Incoming};

use crate::body::{LARGEST_WITH_PICTURES, Parameters};
use crate::bounded::{Bounded, FORM, TakenBytes};
use crate::error::ErrorReply;

/// The maximum number of parts in a form.
const PARTS: u32 = 32;

/// What was taken out of a form.
pub(crate) struct Form {
    /// `None` where it has none, or an empty one.
    pub(crate) image: Option<Incoming>,
    /// The texts that were wanted, and those of the query string.
    pub(crate) texts: Parameters,
}

/// Takes the image and some texts out of a form, by the names of their parts. Where one part may be
/// both, it is an image if it has the name of a file.
pub(crate) async fn receive(
    images: &Images,
    request: Request,
    image: &str,
    wanted: &[&str],
) -> Result<Form, ErrorReply> {
    let largest = images.settings().max_upload_bytes + FORM;
    let announced = request
        .headers()
        .get(CONTENT_LENGTH)
        .and_then(|value| value.to_str().ok()?.parse::<u64>().ok());
    if announced.is_some_and(|length| length > largest) {
        return Err(ApiError::ImageTooLarge.into());
    }
    let mut texts = Parameters::of_query(request.uri().query());
    let mut room = LARGEST_WITH_PICTURES;
    let taken = TakenBytes::default();
    let request = request.map(|body| Body::new(Bounded::new(body, largest, taken.clone())));
    let mut form = Multipart::from_request(request, &())
        .await
        .map_err(|_| ApiError::ImageRequired)?;
    let mut picture = None;
    let mut parts = 0;
    while let Some(mut field) = form.next_field().await.map_err(refusal)? {
        parts += 1;
        if parts > PARTS {
            return Err(ApiError::InvalidForm.into());
        }
        let name = field.name().unwrap_or_default().to_owned();
        let is_image = name == image;
        if wanted.contains(&name.as_str()) && !(is_image && field.file_name().is_some()) {
            let mut bytes = Vec::new();
            while let Some(chunk) = next_chunk(&mut field, &taken).await? {
                let left = room.checked_sub(chunk.len());
                room = left.ok_or(ApiError::BodyTooLarge)?;
                bytes.extend_from_slice(&chunk);
            }
            texts.add_part(name, bytes);
        } else if !is_image {
            while next_chunk(&mut field, &taken).await?.is_some() {}
        } else if picture.is_some() {
            return Err(ApiError::InvalidBody.into());
        } else {
            picture = Some(picture_of(images, &mut field, &taken).await?);
        }
    }
    Ok(Form {
        image: picture.filter(|incoming: &Incoming| incoming.size() > 0),
        texts,
    })
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
