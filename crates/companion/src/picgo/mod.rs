//! The upload server of PicGo, which editors and screenshot tools know: it
//! takes files by their paths, by a form, or off the clipboard, and answers
//! with their addresses (picgo.github.io/PicGo-Doc/en/guide/advance.html).
//!
//! It listens on loopback. A page in a browser on this machine reaches that,
//! too, so a request must name this listener as its host; and where no secret
//! is set, it must not come from a page.

mod gate;
mod pictures;

use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, FromRequest as _, Multipart, Request, State};
use axum::http::{StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Json, Response};
use axum::routing::{any, post};
use porchlight_api::client::Client;
use secrecy::SecretString;
use serde::Deserialize;
use serde_json::json;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::link::Address;

pub use pictures::Picture;

/// All pictures of one request together, in bytes.
const MOST_BYTES: usize = 512 << 20;
/// Pictures in one request.
const MOST_PICTURES: usize = 200;

/// What is in flight when it is closed has so long.
const FINISH_WITHIN: Duration = Duration::from_secs(3);

/// What is on the clipboard, as pictures.
pub type Clipboard = Arc<dyn Fn() -> Result<Vec<Picture>, String> + Send + Sync>;

/// What the listener works with.
#[derive(Clone)]
pub struct PicGo {
    /// Where pictures go.
    pub target: Client,
    /// What callers must know.
    pub secret: Option<SecretString>,
    /// Read when a request has no body.
    pub clipboard: Clipboard,
    /// Makes the addresses that are answered.
    pub address: Address,
}

/// A running listener.
#[derive(Debug)]
pub struct Listening {
    address: SocketAddr,
    stop: CancellationToken,
    /// Ends what is in flight.
    cut: CancellationToken,
    task: Mutex<Option<JoinHandle<()>>>,
}

impl PicGo {
    /// Listens on this port of the loopback interface; 0 takes a free one.
    ///
    /// # Errors
    /// When the port is taken.
    pub async fn listen(self, port: u16) -> std::io::Result<Listening> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await?;
        let address = listener.local_addr()?;
        let stop = CancellationToken::new();
        let stopped = stop.clone().cancelled_owned();
        let cut = CancellationToken::new();
        let router = self.router(address.port(), cut.clone());
        let task = tokio::spawn(async move {
            let served = axum::serve(listener, router).with_graceful_shutdown(stopped);
            if let Err(error) = served.await {
                tracing::error!(%error, "the PicGo listener broke off");
            }
        });
        Ok(Listening {
            address,
            stop,
            cut,
            task: Mutex::new(Some(task)),
        })
    }

    fn router(self, port: u16, cut: CancellationToken) -> Router {
        let gate = gate::Gate::new(port, self.secret.clone());
        Router::new()
            .route("/upload", post(upload))
            // PicGo's own clients ask it whether it is there.
            .route("/heartbeat", any(heartbeat))
            .fallback(unknown)
            .layer(DefaultBodyLimit::max(MOST_BYTES))
            .layer(axum::middleware::from_fn_with_state(gate, gate::admit))
            .layer(axum::middleware::from_fn_with_state(cut, until_cut))
            .with_state(self)
    }
}

impl Listening {
    /// Where it listens.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Closes; what is in flight has three seconds. A second call does nothing.
    pub async fn stop(&self) {
        self.stop.cancel();
        let task = self
            .task
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        let Some(mut task) = task else { return };
        match tokio::time::timeout(FINISH_WITHIN, &mut task).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => tracing::error!(%error, "the PicGo listener ended early"),
            Err(_) => {
                tracing::warn!("an upload of an editor was cut off");
                self.cut.cancel();
                task.abort();
            }
        }
    }
}

/// A request that names files.
#[derive(Deserialize)]
struct Named {
    #[serde(default)]
    list: Vec<PathBuf>,
}

async fn until_cut(State(cut): State<CancellationToken>, request: Request, next: Next) -> Response {
    let answer = cut.run_until_cancelled(next.run(request)).await;
    answer.unwrap_or_else(|| StatusCode::SERVICE_UNAVAILABLE.into_response())
}

async fn heartbeat() -> Response {
    Json(json!({ "success": true, "result": "alive" })).into_response()
}

async fn unknown() -> Response {
    (StatusCode::NOT_FOUND, Json(json!({ "success": false }))).into_response()
}

async fn upload(State(picgo): State<PicGo>, request: Request) -> Response {
    let pictures = match asked_for(&picgo, request).await {
        Ok(pictures) => pictures,
        Err(why) => return failed(&why),
    };
    if pictures.is_empty() {
        return failed("there is no picture in this request");
    }
    if pictures.len() > MOST_PICTURES {
        return failed("too many pictures at once: 200 at the most");
    }
    let mut links = Vec::with_capacity(pictures.len());
    for picture in pictures {
        match picture.send(&picgo.target).await {
            Ok(hash) => links.push((picgo.address)(&hash)),
            Err(why) => return failed(&why),
        }
    }
    Json(json!({ "success": true, "result": links })).into_response()
}

/// Failures come with status 200, as they do from PicGo: its clients read the
/// field, and some of them nothing else.
fn failed(why: &str) -> Response {
    tracing::warn!("a PicGo upload failed: {why}");
    Json(json!({ "success": false, "message": why })).into_response()
}

/// The pictures of a request: a form's files, named files, or the clipboard's.
async fn asked_for(picgo: &PicGo, request: Request) -> Result<Vec<Picture>, String> {
    let is_form = request
        .headers()
        .get(header::CONTENT_TYPE)
        .and_then(|value| value.to_str().ok())
        .is_some_and(|value| value.trim_start().starts_with("multipart/form-data"));
    if is_form {
        let form = Multipart::from_request(request, &()).await;
        return form_files(form.map_err(|error| error.body_text())?).await;
    }
    let body = Bytes::from_request(request, &()).await;
    let body = body.map_err(|error| error.body_text())?;
    if body.trim_ascii().is_empty() {
        return clipboard(picgo).await;
    }
    let named: Named = serde_json::from_slice(&body)
        .map_err(|error| format!("the body is neither a form nor {{\"list\": [...]}}: {error}"))?;
    if named.list.is_empty() {
        return clipboard(picgo).await;
    }
    Ok(named.list.into_iter().map(Picture::File).collect())
}

async fn clipboard(picgo: &PicGo) -> Result<Vec<Picture>, String> {
    let clipboard = Arc::clone(&picgo.clipboard);
    // The clipboard's owner may take its time.
    let read = tokio::task::spawn_blocking(move || clipboard());
    read.await.map_err(|error| error.to_string())?
}

/// Fields of any name count, as long as they are files.
async fn form_files(mut form: Multipart) -> Result<Vec<Picture>, String> {
    let mut files = Vec::new();
    while let Some(field) = form.next_field().await.map_err(|error| error.body_text())? {
        let is_file = field.file_name().is_some() || field.content_type().is_some();
        let bytes = field.bytes().await.map_err(|error| error.body_text())?;
        if is_file {
            files.push(Picture::Bytes(bytes));
        }
    }
    Ok(files)
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    use tokio::net::TcpStream;

    use super::*;

    #[tokio::test]
    async fn who_has_sent_half_a_request_does_not_keep_it_from_ending() {
        let limit = Duration::from_secs(20);
        let picgo = PicGo {
            target: Client::new("http://127.0.0.1:9", "a-token".to_owned().into(), limit)
                .expect("a client"),
            secret: None,
            clipboard: Arc::new(|| Ok(Vec::new())),
            address: Arc::new(str::to_owned),
        };
        let listening = picgo.listen(0).await.expect("a port");
        let mut editor = TcpStream::connect(listening.address())
            .await
            .expect("a connection");
        let port = listening.address().port();
        let head = format!(
            "POST /upload HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Length: 100\r\n\
             Expect: 100-continue\r\n\r\n"
        );
        editor.write_all(head.as_bytes()).await.expect("sent");
        // This is said by whoever begins to read the body.
        let mut told = [0; 12];
        editor.read_exact(&mut told).await.expect("an answer");
        assert_eq!(&told, b"HTTP/1.1 100");
        editor.write_all(b"{\"list\"").await.expect("sent");
        let stopped = tokio::time::timeout(limit, listening.stop()).await;
        stopped.expect("it waits for the rest without an end");
        // Cut off, whatever the system calls that.
        let rest = tokio::time::timeout(limit, editor.read_to_end(&mut Vec::new())).await;
        drop(rest.expect("the connection is kept"));
    }
}
