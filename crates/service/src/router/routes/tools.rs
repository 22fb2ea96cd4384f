//! The upload APIs of two image hosts, Lsky Pro and Chevereto 1, for programs that know these: each is
//! 404 while its setting is off. A token is one of this service, wherever a program puts it. An image
//! that is stored already is a success, with its address.

use std::time::Duration;

use axum::extract::{Path, RawQuery, Request, State};
use axum::response::{IntoResponse as _, Response};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use http::header::{AUTHORIZATION, CACHE_CONTROL, LOCATION};
use http::{HeaderMap, StatusCode};
use serde_json::{Value, json};
use tokio::time::timeout;

use super::images::{Segment, deleted, page_of};
use super::upload;
use crate::http::api_error::ApiError;
use crate::images::{Images, Incoming, IngestError, StoredImage};
use crate::router::bearer::{Arrival, of_secret};
use crate::router::body::{Parameters, is_form};
use crate::router::error::ErrorReply;
use crate::router::listener_state::ListenerState;
use crate::router::private::named_host;
use crate::router::reply::{NO_STORE, fresh};
use crate::tokens::scope::Scope;

/// Where the programs for an API put what they send.
struct Fields {
    image: &'static str,
    /// Texts in the form. Where the image is one of them, it may be base64.
    texts: &'static [&'static str],
    /// The header of the token beside `Authorization`.
    header: &'static str,
    /// The token in the form or the query string.
    token: Option<&'static str>,
}

const LSKY: Fields = Fields {
    image: "file",
    texts: &[],
    header: "token",
    token: None,
};
const LSKY_1: Fields = Fields {
    image: "image",
    texts: &["token"],
    token: Some("token"),
    ..LSKY
};
const CHEVERETO: Fields = Fields {
    image: "source",
    texts: &["source", "key", "format"],
    header: "x-api-key",
    token: Some("key"),
};

/// How long a form whose token is inside may take.
const UNKNOWN_FORM_WITHIN: Duration = Duration::from_secs(60);
/// Images on a page of Lsky Pro's list.
const LSKY_PAGE: u32 = 40;

pub(crate) fn lsky_is_on(state: &ListenerState) -> bool {
    state.settings().tools.lsky
}

pub(crate) fn chevereto_is_on(state: &ListenerState) -> bool {
    state.settings().tools.chevereto
}

/// Whether `Authorization` may hold a token alone: Lsky Pro's programs send what they were given.
pub(crate) fn takes_bare_tokens(path: &str) -> bool {
    path.starts_with("/api/v1/")
}

/// Passes on who may do this; `secret` counts where `Authorization` names no token.
async fn allow(
    state: &ListenerState,
    arrival: &Arrival,
    secret: Option<&str>,
    needed: Scope,
) -> Result<(), ErrorReply> {
    let bearer = of_secret(state, arrival, secret).await?;
    let may = bearer.scope.covers(needed);
    may.then_some(()).ok_or(ApiError::Forbidden.into())
}

/// The token in an API's header. Programs without one may send an empty header.
fn token_in_header(headers: &HeaderMap, fields: &Fields) -> Option<String> {
    let token = headers.get(fields.header)?.to_str().ok()?;
    (!token.is_empty()).then(|| token.to_owned())
}

/// Stores the image of a request; also gives the texts beside it.
async fn store(
    state: &ListenerState,
    request: Request,
    fields: &Fields,
) -> Result<(StoredImage, Parameters), ErrorReply> {
    let images = state.service.images();
    let arrival = Arrival::of(request.extensions()).checked()?;
    let headers = request.headers();
    let query = Parameters::of_query(request.uri().query());
    let token_in = |all: &Parameters| {
        let token = all.text(fields.token?).ok()?;
        token.filter(|token| !token.is_empty()).map(str::to_owned)
    };
    let secret = token_in_header(headers, fields).or_else(|| token_in(&query));
    let is_in_body =
        secret.is_none() && fields.token.is_some() && !headers.contains_key(AUTHORIZATION);
    if !is_in_body {
        allow(state, &arrival, secret.as_deref(), Scope::Upload).await?;
    }
    let may_be_text = fields.texts.contains(&fields.image);
    let unknown = arrival.unknown().filter(|_| is_in_body);
    let (image, texts) = if may_be_text && !is_form(headers) {
        (
            None,
            Parameters::with_pictures(state, unknown, request).await?,
        )
    } else {
        let receiving = upload::receive(images, request, fields.image, fields.texts);
        let form = match unknown {
            None => receiving.await?,
            Some(address) => {
                let _turn = state.unknown_forms.turn(address).await?;
                let form = timeout(UNKNOWN_FORM_WITHIN, receiving).await;
                form.map_err(|_| ApiError::Timeout)??
            }
        };
        (form.image, form.texts)
    };
    if is_in_body {
        allow(state, &arrival, token_in(&texts).as_deref(), Scope::Upload).await?;
    }
    let text = texts.text(fields.image);
    let incoming = match (image, text) {
        (Some(image), _) => image,
        (None, Ok(Some(text))) if may_be_text => of_base64(images, text).await?,
        _ => return Err(ApiError::ImageRequired.into()),
    };
    let stored = match images.ingest(incoming).await {
        Err(IngestError::Duplicate(image)) => image,
        ingested => ingested?,
    };
    Ok((stored, texts))
}

/// An upload of base64, with or without `data:…;base64,` before it. Forms that are not encoded turn its
/// plus signs into spaces.
async fn of_base64(images: &Images, text: &str) -> Result<Incoming, ErrorReply> {
    let text = match text.strip_prefix("data:") {
        Some(data) => data.split_once(',').map_or("", |(_, base64)| base64),
        None => text,
    };
    let text = text.trim().replace(' ', "+").replace(['\r', '\n'], "");
    let bytes = BASE64_STANDARD.decode(text);
    let bytes = bytes.ok().filter(|bytes| !bytes.is_empty());
    let mut incoming = images.start_upload().await?;
    let bytes = bytes.ok_or(ApiError::InvalidBody)?.into();
    incoming.write(&bytes).await?;
    Ok(incoming)
}

/// The address that links are made from: the public one, else the one that was called.
fn base(state: &ListenerState, request: &Request) -> String {
    let public = state.shared.links.get();
    public.map_or_else(
        || format!("http://{}", named_host(request)),
        |public| public.to_string(),
    )
}

fn address(base: &str, image: &StoredImage) -> String {
    format!("{base}/i/{}.webp", image.hash)
}

/// The smallest narrower copy.
fn thumbnail(address: &str) -> String {
    format!("{address}?w=320")
}

/// `POST /api/v1/upload`
pub(crate) async fn lsky_upload(
    State(state): State<ListenerState>,
    request: Request,
) -> Result<Response, ErrorReply> {
    let base = base(&state, &request);
    let (image, _) = store(&state, request, &LSKY).await?;
    Ok(lsky(&lsky_image(&base, &image)))
}

/// Passes on who may do this with Lsky Pro's other paths.
fn lsky_allow<'a>(
    state: &'a ListenerState,
    request: &Request,
    needed: Scope,
) -> impl Future<Output = Result<(), ErrorReply>> + use<'a> {
    let arrival = Arrival::of(request.extensions());
    let secret = token_in_header(request.headers(), &LSKY);
    async move { allow(state, &arrival, secret.as_deref(), needed).await }
}

/// `GET /api/v1/images`
pub(crate) async fn lsky_images(
    State(state): State<ListenerState>,
    RawQuery(query): RawQuery,
    request: Request,
) -> Result<Response, ErrorReply> {
    lsky_allow(&state, &request, Scope::Upload).await?;
    let base = base(&state, &request);
    let page = page_of(&Parameters::of_query(query.as_deref()))?;
    let limit = u64::from(LSKY_PAGE);
    let offset = (page - 1).saturating_mul(limit).min(i64::MAX as u64);
    let found = state.service.images().page(offset, LSKY_PAGE, None).await?;
    let images = found.images.iter().map(|one| lsky_image(&base, &one.image));
    Ok(lsky(&lsky_page(page, found.total, images.collect())))
}

/// `DELETE /api/v1/images/{key}`
pub(crate) async fn lsky_delete(
    State(state): State<ListenerState>,
    segment: Segment,
    request: Request,
) -> Result<Response, ErrorReply> {
    lsky_allow(&state, &request, Scope::Admin).await?;
    deleted(&state, segment).await?;
    Ok(lsky(&json!({})))
}

/// `GET /api/v1/profile`, `/strategies` and `/albums`: one owner, one place for images, no albums.
pub(crate) async fn lsky_about(
    State(state): State<ListenerState>,
    Path(what): Path<String>,
    request: Request,
) -> Result<Response, ErrorReply> {
    if !["profile", "strategies", "albums"].contains(&what.as_str()) {
        return Err(ApiError::NotFound.into());
    }
    lsky_allow(&state, &request, Scope::Upload).await?;
    Ok(lsky(&match what.as_str() {
        "profile" => json!({
            "name": "Porchlight", "username": "porchlight", "email": "", "avatar": "",
            "url": base(&state, &request), "album_num": 0,
            "image_num": state.service.images().count().await?,
        }),
        "strategies" => json!({ "strategies": [{ "id": 1, "name": "Porchlight" }] }),
        _ => lsky_page(1, 0, Vec::new()),
    }))
}

fn lsky_page(page: u64, total: u64, data: Vec<Value>) -> Value {
    let last = total.div_ceil(u64::from(LSKY_PAGE)).max(1);
    json!({ "current_page": page, "last_page": last, "per_page": LSKY_PAGE, "total": total, "data": data })
}

/// An image as Lsky Pro describes one. What the file was called is the owner's alone.
fn lsky_image(base: &str, image: &StoredImage) -> Value {
    let url = address(base, image);
    let name = format!("{}.webp", image.hash);
    json!({
        "key": image.hash, "name": name, "pathname": format!("i/{name}"), "origin_name": name,
        "size": image.size as f64 / 1024.0, "width": image.width, "height": image.height,
        "mimetype": "image/webp", "extension": "webp", "md5": "", "sha1": "",
        "date": image.created_at,
        "links": {
            "url": url,
            "html": format!("<img src=\"{url}\" alt=\"\">"),
            "bbcode": format!("[img]{url}[/img]"),
            "markdown": format!("![]({url})"),
            "markdown_with_link": format!("[![]({url})]({url})"),
            "thumbnail_url": thumbnail(&url),
        },
    })
}

fn lsky(data: &Value) -> Response {
    fresh(&json!({ "status": true, "message": "success", "data": data }))
}

/// An error in the shape of Lsky Pro.
pub(super) fn lsky_error(status: StatusCode, message: &str) -> (StatusCode, Value) {
    let error = json!({ "status": false, "message": message, "data": {} });
    (lsky_status(status), error)
}

/// The status of Lsky Pro, which is 200 for an image that was not stored or not found.
fn lsky_status(status: StatusCode) -> StatusCode {
    match status.as_u16() {
        401 | 403 | 429 | 500 => status,
        _ => StatusCode::OK,
    }
}

/// `POST /api/upload` of Lsky Pro 1.
pub(crate) async fn lsky_1_upload(
    State(state): State<ListenerState>,
    request: Request,
) -> Result<Response, ErrorReply> {
    let base = base(&state, &request);
    let (image, _) = store(&state, request, &LSKY_1).await?;
    let data = json!({
        "name": format!("{}.webp", image.hash), "url": address(&base, &image),
        "size": image.size, "mime": "image/webp", "sha1": "", "md5": "",
    });
    Ok(fresh(
        &json!({ "code": 200, "msg": "success", "data": data }),
    ))
}

/// An error in the shape of Lsky Pro 1, whose programs read either name of the text.
pub(super) fn lsky_1_error(status: StatusCode, message: &str) -> (StatusCode, Value) {
    let code = status.as_u16();
    let error = json!({ "code": code, "msg": message, "message": message, "data": [] });
    (lsky_status(status), error)
}

/// `POST /api/1/upload` of Chevereto.
pub(crate) async fn chevereto_upload(
    State(state): State<ListenerState>,
    request: Request,
) -> Result<Response, ErrorReply> {
    let base = base(&state, &request);
    let (image, texts) = store(&state, request, &CHEVERETO).await?;
    let url = address(&base, &image);
    let uncached = (CACHE_CONTROL, NO_STORE);
    Ok(match texts.text("format") {
        Ok(Some("txt")) => ([uncached], url).into_response(),
        Ok(Some("redirect")) => (StatusCode::FOUND, [(LOCATION, url)], [uncached]).into_response(),
        _ => fresh(&json!({
            "status_code": 200, "status_txt": "OK",
            "success": { "message": "image uploaded", "code": 200 },
            "image": {
                "id_encoded": image.hash, "name": image.hash, "extension": "webp",
                "filename": format!("{}.webp", image.hash), "mime": "image/webp",
                "size": image.size, "width": image.width, "height": image.height,
                "url": url, "url_viewer": url, "display_url": url,
                "thumb": { "url": thumbnail(&url) },
            },
        })),
    })
}

/// An error in the shape of Chevereto.
pub(super) fn chevereto_error(status: StatusCode, message: &str) -> (StatusCode, Value) {
    let code = status.as_u16();
    let error = json!({
        "status_code": code, "status_txt": status.canonical_reason(),
        "error": { "message": message, "code": code },
    });
    (status, error)
}
