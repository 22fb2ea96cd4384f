//! A server of the plain interface: it stores images, lists them, and has no
//! `/images/by-source`. It can be made to fail.

use std::collections::{HashMap, HashSet, VecDeque};
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::Body;
use axum::extract::{Multipart, Path, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{Html, IntoResponse, Response};
use axum::routing::{get, post};
use futures_util::{StreamExt as _, stream};
use serde_json::json;
use sha2::{Digest as _, Sha256};
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinHandle;

/// How one upload is answered instead.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Trouble {
    /// 429, with this `Retry-After` in seconds.
    Wait(u64),
    /// This status.
    Status(u16),
    /// The image is stored, and the response is cut off.
    Cut,
    /// The image is rejected with this answer.
    Answers(u16, &'static str),
    /// The image is rejected, and the answer is endless.
    Endless,
}

/// One image that arrived whole.
#[derive(Debug, Clone)]
pub(crate) struct Sent {
    pub(crate) digest: String,
    pub(crate) file_name: String,
    pub(crate) authorization: String,
}

#[derive(Default)]
struct Shared {
    troubles: Mutex<VecDeque<Trouble>>,
    stored: Mutex<HashMap<String, String>>,
    sent: Mutex<Vec<Sent>>,
    /// Every address without an image leads to a page.
    has_pages: AtomicBool,
    /// The bytes of endless answers.
    poured: Arc<AtomicUsize>,
    /// How many uploads may be answered; `None` for all.
    answers: watch::Sender<Option<usize>>,
}

/// The running server; it ends when this is dropped.
pub(crate) struct Plain {
    address: SocketAddr,
    shared: Arc<Shared>,
    server: JoinHandle<()>,
}

impl Plain {
    /// Starts it; the first uploads meet these troubles.
    pub(crate) async fn start(troubles: &[Trouble]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("an address");
        let shared = Arc::new(Shared {
            troubles: Mutex::new(troubles.iter().copied().collect()),
            ..Shared::default()
        });
        let router = Router::new()
            .route("/images/add", post(add))
            .route("/images/{hash}", get(image))
            .fallback(unknown)
            .with_state(Arc::clone(&shared));
        let server = tokio::spawn(async move {
            axum::serve(listener, router).await.expect("to serve");
        });
        Self {
            address,
            shared,
            server,
        }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Everything that arrived whole, also what was there already.
    pub(crate) fn sent(&self) -> Vec<Sent> {
        self.shared.sent.lock().expect("no panic").clone()
    }

    /// How many images arrived, and how many different ones.
    pub(crate) fn arrived(&self) -> (usize, usize) {
        let sent = self.sent();
        let different: HashSet<&String> = sent.iter().map(|sent| &sent.digest).collect();
        (sent.len(), different.len())
    }

    /// Answers this many uploads from now on, and lets the rest wait.
    pub(crate) fn answer_only(&self, number: usize) {
        self.shared.answers.send_replace(Some(number));
    }

    /// Answers all requests again.
    pub(crate) fn answer_all(&self) {
        self.shared.answers.send_replace(None);
    }

    /// Answers with a page and 200 for what it does not have, as some do.
    #[cfg(unix)]
    pub(crate) fn has_pages(&self) {
        self.shared.has_pages.store(true, Ordering::Relaxed);
    }

    /// How many bytes of endless answers were sent.
    pub(crate) fn poured(&self) -> usize {
        self.shared.poured.load(Ordering::Relaxed)
    }

    /// Deletes what it has under one hash; which, does not matter.
    pub(crate) fn delete_one(&self) {
        let mut stored = self.shared.stored.lock().expect("no panic");
        let digest = stored.keys().next().expect("something").clone();
        stored.remove(&digest);
    }
}

impl Drop for Plain {
    fn drop(&mut self) {
        self.server.abort();
    }
}

async fn add(
    State(shared): State<Arc<Shared>>,
    headers: HeaderMap,
    mut form: Multipart,
) -> Response {
    let trouble = shared.troubles.lock().expect("no panic").pop_front();
    let is_refused = matches!(
        trouble,
        Some(Trouble::Wait(_) | Trouble::Status(_) | Trouble::Answers(..))
    );
    if is_refused {
        // A client that still sends may see the connection end before the answer.
        while let Ok(Some(field)) = form.next_field().await {
            let _ = field.bytes().await;
        }
    }
    match trouble {
        Some(Trouble::Wait(seconds)) => {
            let later = [(header::RETRY_AFTER, seconds.to_string())];
            return (StatusCode::TOO_MANY_REQUESTS, later, "slow down").into_response();
        }
        Some(Trouble::Status(status)) => {
            let status = StatusCode::from_u16(status).expect("a status");
            return (status, json!({"error": "not \u{1b}[2J now"}).to_string()).into_response();
        }
        Some(Trouble::Answers(status, body)) => {
            let status = StatusCode::from_u16(status).expect("a status");
            return (status, body).into_response();
        }
        Some(Trouble::Endless) => {
            let poured = Arc::clone(&shared.poured);
            let chunks = stream::repeat(vec![b' '; 64 * 1024]).map(move |chunk| {
                poured.fetch_add(chunk.len(), Ordering::Relaxed);
                Ok::<_, std::io::Error>(chunk)
            });
            return Body::from_stream(chunks).into_response();
        }
        _ => {}
    }
    let Ok(Some(field)) = form.next_field().await else {
        return (StatusCode::BAD_REQUEST, "no form").into_response();
    };
    assert_eq!(field.name(), Some("image"));
    let file_name = field.file_name().unwrap_or_default().to_owned();
    let Ok(bytes) = field.bytes().await else {
        return (StatusCode::BAD_REQUEST, "cut off").into_response();
    };
    let mut answers = shared.answers.subscribe();
    answers
        .wait_for(|left| *left != Some(0))
        .await
        .expect("the server lives");
    shared.answers.send_if_modified(|left| {
        *left = left.map(|left| left.saturating_sub(1));
        left.is_some()
    });
    let digest = hex::encode(Sha256::digest(&bytes));
    let authorization = headers[header::AUTHORIZATION].to_str().expect("text");
    shared.sent.lock().expect("no panic").push(Sent {
        digest: digest.clone(),
        file_name,
        authorization: authorization.to_owned(),
    });
    let hash = digest[..32].to_owned();
    let before = shared
        .stored
        .lock()
        .expect("no panic")
        .insert(digest, hash.clone());
    if matches!(trouble, Some(Trouble::Cut)) {
        let parts = [Ok("{\"hash\":"), Err(std::io::Error::other("gone"))];
        return (StatusCode::CREATED, Body::from_stream(stream::iter(parts))).into_response();
    }
    // The bodies of Behaviour B.
    if before.is_some() {
        let body = json!({"error": "Image already exists", "hash": hash});
        return (StatusCode::CONFLICT, body.to_string()).into_response();
    }
    let body = json!({"hash": hash, "size": bytes.len() / 2});
    (StatusCode::OK, body.to_string()).into_response()
}

async fn image(State(shared): State<Arc<Shared>>, Path(hash): Path<String>) -> Response {
    let stored = shared.stored.lock().expect("no panic");
    if stored.values().any(|there| *there == hash) {
        return ([(header::CONTENT_TYPE, "image/webp")], "a picture").into_response();
    }
    if shared.has_pages.load(Ordering::Relaxed) {
        return Html("<html>Welcome</html>").into_response();
    }
    let body = json!({"error": "Image not found"}).to_string();
    (StatusCode::NOT_FOUND, body).into_response()
}

async fn unknown() -> Response {
    let body = json!({"error": "Resource not found"}).to_string();
    (StatusCode::NOT_FOUND, body).into_response()
}
