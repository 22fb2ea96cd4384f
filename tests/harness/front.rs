//! A stand-in for Cloudflare in front of a Worker: it passes requests on, and can answer as Cloudflare
//! and the Worker do at the limits of a day.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinHandle;

/// How the day is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Day {
    /// Requests are passed on.
    Young,
    /// Its requests are used up: Cloudflare answers itself.
    Spent,
    /// Its rows are written: the Worker stores nothing more.
    Full,
    /// Requests hang: nothing answers and nothing arrives.
    Lost,
}

/// The running front; it ends when this is dropped.
pub struct Front {
    address: SocketAddr,
    shared: Arc<Shared>,
    server: JoinHandle<()>,
}

struct Shared {
    http: super::Client,
    worker: String,
    day: watch::Sender<Day>,
    refused: AtomicUsize,
    passed: AtomicUsize,
}

impl Front {
    /// Of the Worker at this address.
    pub async fn of(worker: &str) -> Self {
        let shared = Arc::new(Shared {
            http: super::http(),
            worker: worker.to_owned(),
            day: watch::Sender::new(Day::Young),
            refused: AtomicUsize::new(0),
            passed: AtomicUsize::new(0),
        });
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let router = Router::new().fallback(take).with_state(Arc::clone(&shared));
        let server = tokio::spawn(async move {
            axum::serve(listener, router).await.expect("to serve");
        });
        Self {
            address,
            shared,
            server,
        }
    }

    /// Where it is, without a trailing slash.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Changes how the day is.
    pub fn is(&self, day: Day) {
        self.shared.day.send_replace(day);
    }

    /// How many requests were passed on.
    pub fn passed(&self) -> usize {
        self.shared.passed.load(Ordering::Relaxed)
    }

    /// How many requests were not passed on.
    pub fn refused(&self) -> usize {
        self.shared.refused.load(Ordering::Relaxed)
    }
}

impl Drop for Front {
    fn drop(&mut self) {
        self.server.abort();
    }
}

async fn take(State(shared): State<Arc<Shared>>, request: Request) -> Response {
    let day = *shared.day.borrow();
    let is_sync = request.uri().path() == "/-/sync";
    let stores = is_sync || [Method::PUT, Method::DELETE].contains(request.method());
    let mut answer = match day {
        Day::Lost => {
            shared.refused.fetch_add(1, Ordering::Relaxed);
            return std::future::pending().await;
        }
        Day::Spent => (StatusCode::TOO_MANY_REQUESTS, "error code: 1027").into_response(),
        Day::Full if stores => (
            StatusCode::INSUFFICIENT_STORAGE,
            [
                (header::CONTENT_TYPE, "application/json"),
                (header::RETRY_AFTER, "3600"),
            ],
            "{\"error\":\"Not enough storage\"}",
        )
            .into_response(),
        _ => return pass_on(&shared, request).await,
    };
    shared.refused.fetch_add(1, Ordering::Relaxed);
    mark(&mut answer);
    answer
}

async fn pass_on(shared: &Shared, request: Request) -> Response {
    shared.passed.fetch_add(1, Ordering::Relaxed);
    let (mut parts, body) = request.into_parts();
    let body = to_bytes(body, usize::MAX).await.expect("a body");
    parts.headers.remove(header::HOST);
    let url = format!("{}{}", shared.worker, parts.uri);
    let sent = shared.http.request(parts.method, url);
    let sent = sent.headers(parts.headers).body(body).send().await;
    let Ok(answer) = sent else {
        return StatusCode::BAD_GATEWAY.into_response();
    };
    let (status, mut headers) = (answer.status(), answer.headers().clone());
    headers.remove(header::TRANSFER_ENCODING);
    let body = answer.bytes().await.expect("a body");
    let mut passed = Response::new(Body::from(body));
    *passed.status_mut() = status;
    *passed.headers_mut() = headers;
    mark(&mut passed);
    passed
}

/// As Cloudflare marks everything.
fn mark(answer: &mut Response) {
    let ray = HeaderValue::from_static("8c0ffee8c0ffee00-FRA");
    answer.headers_mut().insert("CF-Ray", ray);
}
