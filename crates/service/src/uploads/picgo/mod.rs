//! The upload server of PicGo, which editors and screenshot tools know: it
//! accepts files by their paths, in a form, or from the clipboard, and answers
//! with their addresses (picgo.github.io/PicGo-Doc/en/guide/advance.html).
//!
//! It listens on loopback. Pages in a browser, other users of the machine and sandboxed programs
//! can reach it, too, so a request must name this listener as its host and carry the secret; when
//! the owner has turned the secret off, it must not come from a page.

mod deletions;
mod gate;
mod request;
mod serving;
pub mod settings;

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use crate::error::message::Message;
use axum::Router;
use axum::extract::{DefaultBodyLimit, Request, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse as _, Json, Response};
use axum::routing::{any, post};
use reqwest::Url;
use secrecy::{ExposeSecret as _, SecretString};
use serde_json::{Value, json};
use tokio::net::{TcpListener, TcpSocket};
use tokio::sync::Semaphore;
use tokio::time::timeout;

use crate::state::background::Background;
use crate::uploads::opened::Opened;
use crate::uploads::send::{SendError, Sent, Source};
use crate::uploads::{OwnImages, UploadFile};
pub use deletions::Deletions;
use deletions::UploadedItem;
use request::RequestedUpload;

/// Uploads at a time; others wait before their bodies are read. Together with the maximum size of a
/// form, this bounds the memory that callers can use.
const UPLOADS_AT_ONCE: usize = 2;
/// Connections that may wait in the system's queue.
const QUEUE: u32 = 1024;
/// How long requests in flight may take when it is closed.
const FINISH_WITHIN: Duration = Duration::from_secs(3);

#[derive(Debug, Clone, Copy)]
struct Limits {
    /// For the head of a request.
    head: Duration,
    /// For its body.
    body: Duration,
    /// For waiting in the queue.
    turn: Duration,
    /// Until the clipboard is read.
    clipboard: Duration,
}

const LIMITS: Limits = Limits {
    head: Duration::from_secs(10),
    body: Duration::from_secs(30),
    turn: Duration::from_secs(60),
    clipboard: Duration::from_secs(10),
};

/// The images on the clipboard.
pub type Clipboard = Arc<dyn Fn() -> Result<Vec<UploadFile>, Message> + Send + Sync>;

#[derive(Clone)]
pub struct PicGo {
    pub own: OwnImages,
    /// The secret that callers must send; `None` accepts programs without one.
    pub secret: Option<SecretString>,
    /// Read when a request has no body.
    pub clipboard: Clipboard,
    /// `None` where nothing is deleted: without a secret, and at another service.
    pub deletions: Option<Deletions>,
}

#[derive(Debug)]
pub struct Listening {
    address: SocketAddr,
    secret: Option<SecretString>,
    serving: Background,
}

impl PicGo {
    /// Listens on this port of the loopback interface; 0 takes a free one.
    ///
    /// # Errors
    /// When the port is in use.
    pub async fn listen(self, port: u16) -> std::io::Result<Listening> {
        self.listen_within(port, LIMITS).await
    }

    async fn listen_within(self, port: u16, limits: Limits) -> std::io::Result<Listening> {
        let listener = listener(port)?;
        let address = listener.local_addr()?;
        let secret = self.secret.clone();
        let router = self.router(address.port(), limits);
        let serving = Background::default();
        serving.spawn_within(FINISH_WITHIN, "an upload of an editor", |stop| {
            serving::serve(listener, router, limits.head, stop)
        });
        Ok(Listening {
            address,
            secret,
            serving,
        })
    }

    fn router(self, port: u16, limits: Limits) -> Router {
        let gate = gate::Gate::new(port, self.secret.clone());
        Router::new()
            .route("/upload", post(upload))
            .route("/delete", post(delete))
            // PicGo's own clients ask it whether it is there.
            .route("/heartbeat", any(heartbeat))
            .fallback(unknown)
            .layer(DefaultBodyLimit::max(request::MOST_OF_A_FORM))
            .layer(axum::middleware::from_fn_with_state(gate, gate::admit))
            .with_state(Uploads {
                own: self.own,
                clipboard: self.clipboard,
                deletions: self.deletions,
                limits,
                turns: Arc::new(Semaphore::new(UPLOADS_AT_ONCE)),
                clipboard_turn: Arc::new(Semaphore::new(1)),
            })
    }
}

impl Listening {
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The address for an editor's settings. It holds the secret, so it is for
    /// the owner alone.
    #[must_use]
    pub fn ready_address(&self) -> SecretString {
        let address = format!("http://{}/upload", self.address);
        let secret = self.secret.as_ref();
        let query = secret.map(|secret| [("secret", secret.expose_secret())]);
        match query.and_then(|query| Url::parse_with_params(&address, query).ok()) {
            Some(with_secret) => String::from(with_secret).into(),
            None => address.into(),
        }
    }

    /// Closes; requests in flight have three seconds. A second call does
    /// nothing.
    pub async fn stop(&self) {
        self.serving.stop().await;
    }
}

fn listener(port: u16) -> std::io::Result<TcpListener> {
    let socket = TcpSocket::new_v4()?;
    // As the service's own listener, see there.
    #[cfg(not(windows))]
    socket.set_reuseaddr(true)?;
    #[cfg(windows)]
    crate::files::windows::bind_alone(&socket)?;
    socket.bind((Ipv4Addr::LOCALHOST, port).into())?;
    socket.listen(QUEUE)
}

#[derive(Clone)]
struct Uploads {
    own: OwnImages,
    clipboard: Clipboard,
    deletions: Option<Deletions>,
    limits: Limits,
    turns: Arc<Semaphore>,
    /// For the one thread that reads the clipboard.
    clipboard_turn: Arc<Semaphore>,
}

async fn heartbeat() -> Response {
    Json(json!({ "success": true, "result": "alive" })).into_response()
}

async fn unknown() -> Response {
    (StatusCode::NOT_FOUND, Json(json!({ "success": false }))).into_response()
}

async fn upload(State(uploads): State<Uploads>, request: Request) -> Response {
    let Uploads { own, limits, .. } = &uploads;
    // Before the body is read: a queued request takes no memory.
    let Ok(Ok(_turn)) = timeout(limits.turn, uploads.turns.acquire()).await else {
        tracing::warn!("an upload of an editor failed: others before it took too long");
        return too_slow();
    };
    let wanted = match timeout(limits.body, request::read(request)).await {
        Ok(wanted) => wanted,
        Err(_) => return too_slow(),
    };
    let (status, pictures) = match wanted {
        Ok(RequestedUpload::Clipboard) => {
            (StatusCode::INTERNAL_SERVER_ERROR, clipboard(&uploads).await)
        }
        Ok(RequestedUpload::Pictures(pictures)) => (StatusCode::BAD_REQUEST, Ok(pictures)),
        Err(why) => (StatusCode::BAD_REQUEST, Err(why)),
    };
    let pictures = match pictures.and_then(request::few_enough) {
        Ok(pictures) => pictures,
        Err(why) => {
            tracing::warn!("an upload of an editor failed: {why:?}");
            return failed(status, &why);
        }
    };
    let mut items = Vec::with_capacity(pictures.len());
    for picture in pictures {
        match send(own, picture).await {
            Ok(sent) => items.push(item(&uploads, &sent).await),
            Err(answer) => return failed(StatusCode::INTERNAL_SERVER_ERROR, &answer),
        }
    }
    let links: Vec<&Value> = items.iter().map(|item| &item["imgUrl"]).collect();
    Json(json!({ "success": true, "result": links, "fullResult": items })).into_response()
}

/// An uploaded image as `PicList` describes one. With its proof it can be deleted; one that was there
/// before came from elsewhere.
async fn item(uploads: &Uploads, sent: &Sent) -> Value {
    let hash = sent.hash;
    let mut item = json!({
        "imgUrl": uploads.own.image_url(hash),
        "fileName": format!("{hash}.webp"), "type": "porchlight", "id": hash,
    });
    if let Some(deletions) = &uploads.deletions
        && !sent.already_there
        && let Some(proof) = deletions.proof(hash).await
    {
        item["proof"] = proof.into();
    }
    item
}

/// Deletes images by the items of earlier answers. What is refused is answered as by `PicList`, whose
/// callers read nothing of another status.
async fn delete(State(uploads): State<Uploads>, request: Request) -> Response {
    let Some(deletions) = &uploads.deletions else {
        let why = "pictures are deleted only of this app's own service, and only where the \
                   listener has a secret";
        return failed(StatusCode::FORBIDDEN, why);
    };
    let items = match timeout(uploads.limits.body, request::list::<UploadedItem>(request)).await {
        Ok(Ok(items)) => items,
        Ok(Err(why)) => return failed(StatusCode::BAD_REQUEST, &why),
        Err(_) => return too_slow(),
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

/// Sends a picture.
///
/// # Errors
/// What is answered. For a file on this machine it is the same for every reason, so that a caller
/// cannot find out which files exist.
async fn send(own: &OwnImages, picture: UploadFile) -> Result<Sent, String> {
    let file = match &picture {
        UploadFile::File(file) => Some(file.clone()),
        UploadFile::Bytes(_) => None,
    };
    let sent = async {
        let source = tokio::task::spawn_blocking(|| open(picture)).await;
        own.send(source.map_err(std::io::Error::other)??).await
    };
    let error: SendError = match sent.await {
        Ok(outcome) => return Ok(outcome),
        Err(error) => error,
    };
    Err(match file {
        Some(file) => {
            tracing::warn!("an upload of an editor failed: {file:?}: {error}");
            // Escaped: a name can contain invisible and bidirectional characters.
            format!("{file:?} was not uploaded: Porchlight's log says why")
        }
        None => {
            tracing::warn!("an upload of an editor failed: {error}");
            format!("the picture was not uploaded: {error}")
        }
    })
}

/// Opens it; links are followed. Blocks.
///
/// # Errors
/// When it cannot be opened, or is no regular file.
fn open(picture: UploadFile) -> std::io::Result<Source> {
    Ok(match picture {
        UploadFile::File(file) => Source::new(Opened::named(&file)?, Some(&file)),
        UploadFile::Bytes(bytes) => Source::new(Opened::in_memory(bytes), None),
    })
}

fn failed(status: StatusCode, why: &str) -> Response {
    (status, Json(json!({ "success": false, "message": why }))).into_response()
}

/// Does not wait for the rest of the body.
fn too_slow() -> Response {
    let close = [(header::CONNECTION, "close")];
    let answer = failed(StatusCode::REQUEST_TIMEOUT, "the request took too long");
    (close, answer).into_response()
}

async fn clipboard(uploads: &Uploads) -> Result<Vec<UploadFile>, String> {
    let clipboard = Arc::clone(&uploads.clipboard);
    let turn = Arc::clone(&uploads.clipboard_turn).acquire_owned();
    // The program that the clipboard's content belongs to may never answer.
    let read = timeout(uploads.limits.clipboard, async {
        let turn = turn.await;
        let read = tokio::task::spawn_blocking(move || {
            // Held even when the request is cancelled: no second thread waits.
            let _turn = turn;
            clipboard().map_err(|why| why.to_string())
        });
        read.await.map_err(|error| error.to_string())?
    });
    let too_late = |_| Err("the clipboard could not be read in time".to_owned());
    read.await.unwrap_or_else(too_late)
}

#[cfg(test)]
mod tests;
