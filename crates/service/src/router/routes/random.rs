//! `/random_image`: a random image of those that the parameters allow, as an image, its address or
//! JSON.

use axum::extract::{RawQuery, State};
use axum::response::{IntoResponse as _, Response};
use http::header::{CACHE_CONTROL, CONTENT_TYPE, HOST, LOCATION, USER_AGENT, VARY};
use http::{HeaderMap, HeaderValue, StatusCode};
use serde_json::json;

use super::delivery::{self, Freshness, Requested};
use crate::http::api_error::ApiError;
use crate::images::{ImageClass, ListedImage};
use crate::router::body::Parameters;
use crate::router::error::ErrorReply;
use crate::router::listener_state::ListenerState;
use crate::router::reply::{NO_STORE, fresh};

const TRIES: u32 = 5;
/// The longest seed, in characters.
const LONGEST_SEED: usize = 200;
/// What decides where the reader's device does.
const MOBILE_HINT: &str = "sec-ch-ua-mobile";
const BY_DEVICE: HeaderValue = HeaderValue::from_static("Sec-CH-UA-Mobile, User-Agent");

/// What the answer is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Image,
    Json,
    Redirect,
    Text,
}

/// The parameters.
struct Wanted {
    class: ImageClass,
    /// The orientation is that of the reader's device, if there are such images.
    by_device: bool,
    form: Form,
    seed: Option<String>,
}

impl Wanted {
    fn of(parameters: &Parameters, headers: &HeaderMap) -> Result<Self, ApiError> {
        let of_type = match parameters.text("type")? {
            None => None,
            Some("pc") => Some("landscape"),
            Some("mobile") => Some("portrait"),
            Some(_) => return Err(ApiError::Invalid("type")),
        };
        let orientation = parameters.text("orientation")?.or(of_type);
        let by_device = orientation == Some("auto");
        let orientation = match orientation {
            Some("auto") => Some(orientation_for(headers)),
            other => other,
        };
        let orientation = orientation.map(str::parse).transpose();
        let seed = parameters.text("seed")?;
        if seed.is_some_and(|seed| seed.chars().count() > LONGEST_SEED) {
            return Err(ApiError::Invalid("seed"));
        }
        Ok(Self {
            class: ImageClass {
                orientation: orientation.map_err(|_| ApiError::Invalid("orientation"))?,
                album: album(parameters)?,
            },
            by_device,
            form: match parameters.text("form")? {
                None | Some("image") => Form::Image,
                Some("json") => Form::Json,
                Some("redirect") => Form::Redirect,
                Some("text") => Form::Text,
                Some(_) => return Err(ApiError::Invalid("form")),
            },
            seed: seed.map(str::to_owned),
        })
    }

    async fn draw(&self, state: &ListenerState) -> Result<ListedImage, ErrorReply> {
        let (images, seed) = (state.service.images(), self.seed.as_deref());
        let mut drawn = images.random(self.class.clone(), seed).await?;
        if drawn.is_none() && self.by_device {
            let any = ImageClass {
                orientation: None,
                ..self.class.clone()
            };
            drawn = images.random(any, seed).await?;
        }
        Ok(drawn.ok_or(ApiError::NoImages)?)
    }
}

pub(crate) async fn random(
    State(state): State<ListenerState>,
    RawQuery(query): RawQuery,
    request: Requested,
) -> Result<Response, ErrorReply> {
    let headers = &request.headers;
    let wanted = Wanted::of(&Parameters::of_query(query.as_deref()), headers)?;
    let mut response = match wanted.form {
        Form::Image => image(&state, &wanted, &request).await?,
        Form::Json => {
            let drawn = wanted.draw(&state).await?;
            let path = format!("/i/{}.webp", drawn.image.hash);
            fresh(&json!({
                "hash": drawn.image.hash,
                "url": address(&state, headers, &path),
                "width": drawn.image.width,
                "height": drawn.image.height,
                "thumbhash": drawn.thumbhash(),
            }))
        }
        Form::Text => {
            let path = format!("/i/{}.webp", wanted.draw(&state).await?.image.hash);
            let kind = HeaderValue::from_static("text/plain; charset=utf-8");
            let text = address(&state, headers, &path);
            ([(CONTENT_TYPE, kind), (CACHE_CONTROL, NO_STORE)], text).into_response()
        }
        Form::Redirect => {
            let path = format!("/i/{}.webp", wanted.draw(&state).await?.image.hash);
            let path = HeaderValue::from_str(&path).map_err(|why| ErrorReply::internal(&why))?;
            let headers = [(LOCATION, path), (CACHE_CONTROL, NO_STORE)];
            (StatusCode::FOUND, headers).into_response()
        }
    };
    if wanted.by_device {
        response.headers_mut().append(VARY, BY_DEVICE);
    }
    Ok(response)
}

async fn image(
    state: &ListenerState,
    wanted: &Wanted,
    request: &Requested,
) -> Result<Response, ErrorReply> {
    let mut tries = TRIES;
    loop {
        tries -= 1;
        let hash = wanted.draw(state).await?.image.hash;
        match delivery::image(state, hash, None, request, Freshness::Now).await {
            // Deleted in this very moment, or its file is broken: there are others.
            Err(_) if tries > 0 => {}
            answer => return Ok(answer?.1),
        }
    }
}

/// The album that is wanted, if one is.
pub(super) fn album(parameters: &Parameters) -> Result<Option<String>, ApiError> {
    let album = parameters.text("album")?;
    let album = album.map(|name| crate::text::album(name).ok_or(ApiError::Invalid("album")));
    album.transpose()
}

/// What fits the screen of the reader's device.
fn orientation_for(headers: &HeaderMap) -> &'static str {
    let is_mobile = match headers.get(MOBILE_HINT) {
        Some(hint) => hint.as_bytes() == b"?1",
        None => headers
            .get(USER_AGENT)
            .is_some_and(|agent| agent.as_bytes().windows(4).any(|part| part == b"Mobi")),
    };
    if is_mobile { "portrait" } else { "landscape" }
}

/// The address of a path for readers: below the permanent address, else below the one that this reader
/// used, which the gate allows only on this machine.
fn address(state: &ListenerState, headers: &HeaderMap, path: &str) -> String {
    let permanent = state.settings().edge.url.clone();
    if let Some(base) = permanent.or_else(|| state.public_url()) {
        return base.join(path);
    }
    let host = headers.get(HOST).and_then(|host| host.to_str().ok());
    host.map_or_else(|| path.to_owned(), |host| format!("http://{host}{path}"))
}
