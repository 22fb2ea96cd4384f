//! The routes of PicGo, which editors and screenshot tools know: they accept files by their paths, in a
//! form, or from the clipboard, and answer with their addresses
//! (picgo.github.io/PicGo-Doc/en/guide/advance.html). They are on a listener of their own.
//!
//! It listens on loopback. Pages in a browser, other users of the machine and sandboxed programs
//! can reach it, too, so a request must name this listener as its host and carry the secret; when
//! the owner has turned the secret off, it must not come from a page.

use std::path::PathBuf;
use std::sync::Arc;

use axum::Router;
use axum::extract::{DefaultBodyLimit, Query, Request, State};
use axum::http::{HeaderValue, Method, StatusCode, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse as _, Json, Response};
use axum::routing::{any, post};
use http_body_util::{BodyExt as _, Limited};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::http::api_error::ApiError;
use crate::router::body::is_form;
use crate::router::client_address::ClientAddress;
use crate::router::connection::Peer;
use crate::router::error::{ErrorReply, in_shape};
use crate::router::listener_state::ListenerState;
use crate::router::request_body::refusal;
use crate::router::routes::upload::receive_files;
use crate::uploads::awaited::{Awaited, ToUpload};
use crate::uploads::picgo::{PicGo, UploadedItem, files_at};

/// A form with all its files, in bytes: the service accepts files of 50 MiB by
/// default, and larger ones can be given by path instead.
const MOST_OF_A_FORM: u64 = 64 << 20;
/// A list of paths, in bytes.
const MOST_OF_A_LIST: usize = 1 << 20;
/// The maximum number of images in one request, and of parts in a form.
const MOST_PICTURES: usize = 200;
/// The header that PicGo itself knows for its secret, beside `Authorization`.
const SECRET: &str = "x-picgo-secret";

/// The state of the routes; clones are the same one.
#[derive(Clone)]
pub(crate) struct Editors(Arc<EditorsParts>);

struct EditorsParts {
    state: ListenerState,
    picgo: PicGo,
    /// The names of this listener.
    hosts: [String; 3],
}

/// The secret in the address, for programs that can only configure an address.
#[derive(Deserialize, Default)]
struct InAddress {
    secret: Option<String>,
    key: Option<String>,
}

/// The body of a request that is no form.
#[derive(Deserialize)]
struct Listed<T> {
    #[serde(default = "Vec::new")]
    list: Vec<T>,
}

impl Editors {
    /// For the listener at this port.
    pub(crate) fn new(state: ListenerState, picgo: PicGo, port: u16) -> Self {
        let hosts = ["127.0.0.1", "localhost", "[::1]"].map(|host| format!("{host}:{port}"));
        let parts = EditorsParts {
            state,
            picgo,
            hosts,
        };
        Self(Arc::new(parts))
    }

    /// The answer to a request that may not come in.
    fn refusal(&self, request: &Request) -> Option<Response> {
        let headers = request.headers();
        let text = |name| {
            headers
                .get(name)
                .and_then(|value: &HeaderValue| value.to_str().ok())
        };
        // After DNS rebinding, a page sends its own host name.
        let host = text(header::HOST.as_str()).unwrap_or_default();
        let mut hosts = self.0.hosts.iter();
        if !hosts.any(|known| known.eq_ignore_ascii_case(host)) {
            let why = "this is not the host of this listener";
            return Some(failed(StatusCode::FORBIDDEN, why));
        }
        if self.0.picgo.secret().is_none() && headers.contains_key(header::ORIGIN) {
            let why =
                "pages may upload only with a secret, and picgo.secret says that there is none";
            return Some(failed(StatusCode::FORBIDDEN, why));
        }
        let peer = request.extensions().get::<Peer>();
        let address = peer.map(|peer| ClientAddress::at(peer.address.ip()));
        let (address, limits) = (
            address.unwrap_or(ClientAddress::Unnamed),
            self.0.state.limits(),
        );
        let limited = |refused: ErrorReply| in_shape(refused.into_response(), shape);
        if let Err(refused) = limits.reader(address) {
            return Some(limited(refused));
        }
        let bearer = text(header::AUTHORIZATION.as_str()).and_then(|value| {
            let (scheme, secret) = value.split_once(' ')?;
            scheme.eq_ignore_ascii_case("bearer").then(|| secret.trim())
        });
        let Query(named) = Query::<InAddress>::try_from_uri(request.uri()).unwrap_or_default();
        let (in_secret, in_key) = (named.secret.as_deref(), named.key.as_deref());
        let sent = [bearer, text(SECRET), in_secret, in_key];
        if self.0.picgo.admits(sent.into_iter().flatten()) {
            return None;
        }
        if let Err(refused) = limits.unknown_token(address) {
            return Some(limited(refused));
        }
        let why = "the secret is missing or wrong";
        Some(failed(StatusCode::UNAUTHORIZED, why))
    }
}

/// The paths of PicGo, which are on no other listener.
pub(crate) fn router(editors: Editors) -> Router {
    Router::new()
        .route("/upload", post(upload))
        .route("/delete", post(delete))
        // PicGo's own clients ask it whether it is there.
        .route("/heartbeat", any(heartbeat))
        .fallback(unknown)
        .layer(DefaultBodyLimit::disable())
        .layer(from_fn_with_state(editors.clone(), admit))
        .with_state(editors)
}

/// The layer around all of these routes.
async fn admit(State(editors): State<Editors>, request: Request, next: Next) -> Response {
    let with_secret = editors.0.picgo.secret().is_some();
    // A preflight carries no secret; the request after it does.
    if request.method() == Method::OPTIONS && with_secret {
        return readable(StatusCode::NO_CONTENT.into_response());
    }
    let answer = match editors.refusal(&request) {
        None => next.run(request).await,
        Some(answer) => answer,
    };
    if with_secret {
        readable(answer)
    } else {
        answer
    }
}

/// Pages that know the secret may read the answer.
fn readable(mut answer: Response) -> Response {
    for (name, value) in [
        (header::ACCESS_CONTROL_ALLOW_ORIGIN, "*"),
        (header::ACCESS_CONTROL_ALLOW_METHODS, "POST, OPTIONS"),
        (
            header::ACCESS_CONTROL_ALLOW_HEADERS,
            "Authorization, Content-Type, X-PicGo-Secret",
        ),
    ] {
        answer
            .headers_mut()
            .insert(name, HeaderValue::from_static(value));
    }
    answer
}

async fn heartbeat() -> Response {
    Json(json!({ "success": true, "result": "alive" })).into_response()
}

async fn unknown() -> Response {
    (StatusCode::NOT_FOUND, Json(json!({ "success": false }))).into_response()
}

/// `POST /upload`
async fn upload(State(editors): State<Editors>, request: Request) -> Response {
    let picgo = &editors.0.picgo;
    let pictures = match pictures(picgo, request).await {
        Ok(pictures) => pictures,
        Err(answer) => return answer,
    };
    let mut items = Vec::new();
    for picture in pictures {
        match picgo.send(picture).await {
            Ok(sent) => items.push(item(picgo, sent).await),
            Err(why) => return failed(StatusCode::INTERNAL_SERVER_ERROR, &why),
        }
    }
    let links: Vec<&Value> = items.iter().map(|item| &item["imgUrl"]).collect();
    Json(json!({ "success": true, "result": links, "fullResult": items })).into_response()
}

/// What a request uploads: the files of a form, those of a list, or what is on the clipboard.
///
/// # Errors
/// The answer. No file has been opened yet.
async fn pictures(picgo: &PicGo, request: Request) -> Result<Vec<ToUpload>, Response> {
    let bad = |why: &str| {
        tracing::warn!("an upload of an editor failed: {why:?}");
        failed(StatusCode::BAD_REQUEST, why)
    };
    let too_many = || {
        bad(&format!(
            "too many pictures at once: {MOST_PICTURES} at the most"
        ))
    };
    if is_form(request.headers()) {
        let images = &picgo.own().images;
        let arrived = receive_files(images, request, MOST_OF_A_FORM, MOST_PICTURES).await;
        let arrived = arrived.map_err(|error| in_shape(error.into_response(), shape))?;
        if arrived.is_empty() {
            return Err(bad("there is no picture in this form"));
        }
        return Ok(arrived
            .into_iter()
            .map(|one| ToUpload::Arrived(Box::new(one)))
            .collect());
    }
    let named: Vec<PathBuf> = list(request).await?;
    let files = if named.is_empty() {
        picgo.clipboard().await.map_err(|why| {
            tracing::warn!("an upload of an editor failed: {why:?}");
            failed(StatusCode::INTERNAL_SERVER_ERROR, &why)
        })?
    } else if named.len() > MOST_PICTURES {
        return Err(too_many());
    } else {
        files_at(named).await.map_err(|why| bad(&why))?
    };
    if files.len() > MOST_PICTURES {
        return Err(too_many());
    }
    Ok(files.into_iter().map(ToUpload::Named).collect())
}

/// The `list` of a body; empty where there is no body.
///
/// # Errors
/// The answer.
async fn list<T: DeserializeOwned>(request: Request) -> Result<Vec<T>, Response> {
    let bad = |why: String| failed(StatusCode::BAD_REQUEST, &why);
    let body = Limited::new(request.into_body(), MOST_OF_A_LIST).collect();
    let body = body
        .await
        .map_err(|error| match refusal(&*error, ApiError::BodyTooLarge) {
            ApiError::Timeout => {
                in_shape(ErrorReply::from(ApiError::Timeout).into_response(), shape)
            }
            _ => bad(format!("the request cannot be read: {error}")),
        })?;
    let body = body.to_bytes();
    if body.trim_ascii().is_empty() {
        return Ok(Vec::new());
    }
    let body: Listed<T> = serde_json::from_slice(&body).map_err(|error| {
        bad(format!(
            "the body is neither a form nor {{\"list\": [...]}}: {error}"
        ))
    })?;
    Ok(body.list)
}

/// An uploaded image as `PicList` describes one. With its proof it can be deleted; one that was there
/// before came from elsewhere.
async fn item(picgo: &PicGo, sent: Awaited) -> Value {
    let hash = sent.hash;
    let mut item = json!({
        "imgUrl": picgo.own().image_url(hash),
        "fileName": format!("{hash}.webp"), "type": "porchlight", "id": hash,
    });
    if let Some(deletions) = picgo.deletions()
        && sent.is_new
        && let Some(proof) = deletions.proof(hash).await
    {
        item["proof"] = proof.into();
    }
    item
}

/// `POST /delete`: deletes images by the items of earlier answers. What is refused is answered as by
/// `PicList`, whose callers read nothing of another status.
async fn delete(State(editors): State<Editors>, request: Request) -> Response {
    let Some(deletions) = editors.0.picgo.deletions() else {
        let why = "pictures are deleted only where the listener has a secret";
        return failed(StatusCode::FORBIDDEN, why);
    };
    let items = match list::<UploadedItem>(request).await {
        Ok(items) => items,
        Err(answer) => return answer,
    };
    let mut hashes = Vec::with_capacity(items.len());
    for item in &items {
        let Some(hash) = deletions.image_of(item).await else {
            let why = "a picture was not uploaded here for the first time, or is another one since";
            return failed(StatusCode::OK, why);
        };
        hashes.push(hash);
    }
    if hashes.is_empty() {
        return failed(StatusCode::OK, "no picture was named");
    }
    match deletions.images.delete_all(hashes).await {
        Ok(_) => Json(json!({ "success": true, "message": "success" })).into_response(),
        Err(why) => failed(StatusCode::OK, &why.to_string()),
    }
}

/// An error of the service as PicGo writes it.
fn shape(status: StatusCode, why: &str) -> (StatusCode, Value) {
    (status, json!({ "success": false, "message": why }))
}

fn failed(status: StatusCode, why: &str) -> Response {
    let (status, body) = shape(status, why);
    (status, Json(body)).into_response()
}
