//! Another server of the interface, which is no Porchlight: its names are MD5s,
//! it writes dates as it likes, and it can be made to fail.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::Body;
use axum::extract::{Path, Query, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::get;
use futures_util::{StreamExt as _, stream};
use md5::{Digest as _, Md5};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinHandle;

/// What is sent for an image.
#[derive(Clone)]
pub(crate) enum Reply {
    Bytes(Vec<u8>),
    /// These statuses first, one a call, each with a `Retry-After` of 0.
    After(Vec<u16>, Vec<u8>),
    /// The first part, and then the connection breaks.
    Cut(Vec<u8>),
    /// A body that is announced with a length, and never sent.
    Claims(u64),
    /// A body without an end.
    Endless,
    /// Nothing, for as long as the caller waits.
    Silence,
    SendOn(String),
}

/// An image on its list.
#[derive(Clone)]
pub(crate) struct Listed {
    pub(crate) hash: String,
    pub(crate) created_at: Value,
}

type List = Box<dyn Fn(u64, u64) -> Value + Send + Sync>;

#[derive(Default)]
struct Shared {
    images: Mutex<HashMap<String, Reply>>,
    list: Mutex<Vec<Listed>>,
    /// Answers pages instead, by page and by the number of requested pages.
    pages: Mutex<Option<List>>,
    page_calls: Mutex<u64>,
    fetched: watch::Sender<Vec<String>>,
    /// How many images may be answered; `None` for all.
    answers: watch::Sender<Option<usize>>,
}

/// The running server; it ends when this is dropped.
pub(crate) struct Foreign {
    address: SocketAddr,
    shared: Arc<Shared>,
    server: JoinHandle<()>,
}

impl Foreign {
    pub(crate) async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("an address");
        let shared: Arc<Shared> = Arc::default();
        let router = Router::new()
            .route("/images/list", get(list))
            .route("/i/{hash}", get(image))
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

    /// Has an image; its name is the MD5 of these bytes.
    pub(crate) fn has(&self, bytes: &[u8], created_at: impl Into<Value>) -> String {
        let hash = hex::encode(Md5::digest(bytes));
        self.offers(&hash, created_at, Reply::Bytes(bytes.to_vec()));
        hash
    }

    /// Lists an image under this name and answers requests for it with this.
    pub(crate) fn offers(&self, hash: &str, created_at: impl Into<Value>, reply: Reply) {
        let listed = Listed {
            hash: hash.to_owned(),
            created_at: created_at.into(),
        };
        // The newest first.
        self.shared.list.lock().expect("no panic").insert(0, listed);
        self.set_reply(hash, reply);
    }

    /// Answers so from now on.
    pub(crate) fn set_reply(&self, hash: &str, reply: Reply) {
        let mut images = self.shared.images.lock().expect("no panic");
        images.insert(hash.to_owned(), reply);
    }

    /// Answers each page of the list with the result of this for its number and
    /// for the number of requested pages.
    pub(crate) fn lists(&self, pages: impl Fn(u64, u64) -> Value + Send + Sync + 'static) {
        *self.shared.pages.lock().expect("no panic") = Some(Box::new(pages));
    }

    /// Every requested image, in order.
    pub(crate) fn fetched(&self) -> Vec<String> {
        self.shared.fetched.borrow().clone()
    }

    /// Serves this many images, and lets the others wait.
    pub(crate) fn answer_only(&self, images: Option<usize>) {
        self.shared.answers.send_replace(images);
    }

    /// Waits until this many images have been requested.
    pub(crate) async fn asked(&self, images: usize) {
        let mut fetched = self.shared.fetched.subscribe();
        let asked = fetched.wait_for(|fetched| fetched.len() >= images);
        let in_time = tokio::time::timeout(crate::harness::TIMEOUT, asked).await;
        in_time.expect("in time").expect("the server lives");
    }
}

impl Drop for Foreign {
    fn drop(&mut self) {
        self.server.abort();
    }
}

async fn list(
    State(shared): State<Arc<Shared>>,
    Query(query): Query<HashMap<String, u64>>,
) -> axum::Json<Value> {
    let page = query.get("page").copied().unwrap_or(1);
    let calls = {
        let mut calls = shared.page_calls.lock().expect("no panic");
        *calls += 1;
        *calls
    };
    if let Some(pages) = &*shared.pages.lock().expect("no panic") {
        return axum::Json(pages(page, calls));
    }
    // It returns seven at most, whatever the limit.
    let size = query.get("limit").copied().unwrap_or(10).min(7) as usize;
    let list = shared.list.lock().expect("no panic");
    let rows: Vec<Value> = list
        .iter()
        .skip((page as usize - 1) * size)
        .take(size)
        .map(|image| {
            json!({ "hash": image.hash, "contentType": "image/webp", "createdAt": image.created_at })
        })
        .collect();
    axum::Json(json!({
        "images": rows,
        "pagination": { "current": page, "size": size, "total": list.len() },
    }))
}

async fn image(State(shared): State<Arc<Shared>>, Path(hash): Path<String>) -> Response {
    let number = {
        let mut number = 0;
        shared.fetched.send_modify(|fetched| {
            fetched.push(hash.clone());
            number = fetched.len();
        });
        number
    };
    let mut answers = shared.answers.subscribe();
    answers
        .wait_for(|answers| answers.is_none_or(|answers| number <= answers))
        .await
        .expect("the server lives");
    let reply = {
        let mut images = shared.images.lock().expect("no panic");
        match images.get_mut(&hash) {
            Some(Reply::After(statuses, _)) if !statuses.is_empty() => {
                let status = StatusCode::from_u16(statuses.remove(0)).expect("a status");
                return (status, [(header::RETRY_AFTER, "0")], "later").into_response();
            }
            reply => reply.cloned(),
        }
    };
    let gone = || std::io::Error::other("gone");
    match reply {
        None => (StatusCode::NOT_FOUND, "{\"error\":\"Image not found\"}").into_response(),
        Some(Reply::Bytes(bytes) | Reply::After(_, bytes)) => bytes.into_response(),
        Some(Reply::Cut(bytes)) => {
            let parts = [Ok(bytes), Err(gone())];
            Body::from_stream(stream::iter(parts)).into_response()
        }
        Some(Reply::Claims(length)) => {
            let nothing = stream::pending::<std::io::Result<Vec<u8>>>();
            let length = [(header::CONTENT_LENGTH, length.to_string())];
            (length, Body::from_stream(nothing)).into_response()
        }
        Some(Reply::Endless) => {
            let parts = stream::repeat(vec![0; 64 * 1024]).map(Ok::<_, std::io::Error>);
            Body::from_stream(parts).into_response()
        }
        Some(Reply::Silence) => std::future::pending().await,
        Some(Reply::SendOn(to)) => Redirect::temporary(&to).into_response(),
    }
}
