//! A stand-in for a third-party web service on a free loopback port. It records
//! its calls, can be made to wait, and can fail in the ways that real ones do.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::{Query, Request, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use futures_util::stream;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinHandle;

/// One call, as it came in.
#[derive(Debug, Clone)]
pub struct Call {
    pub path: String,
    pub query: HashMap<String, String>,
    pub authorization: Option<String>,
    /// Path and query as they were written.
    pub address: String,
}

/// What it answers.
#[derive(Debug, Clone)]
pub enum Reply {
    /// A status, a content type and a body.
    Body(u16, &'static str, String),
    /// The same with a `Retry-After` of this many seconds.
    Later(u16, u64),
    /// Half an answer.
    BrokenOff,
    /// Nothing, for as long as the caller waits.
    Silence,
}

impl Reply {
    pub fn json(status: u16, body: &serde_json::Value) -> Self {
        Self::Body(status, "application/json; charset=UTF-8", body.to_string())
    }

    pub fn html(status: u16, body: &str) -> Self {
        Self::Body(status, "text/html; charset=UTF-8", body.to_owned())
    }
}

/// The running service; it ends when this is dropped.
pub struct StandIn {
    address: SocketAddr,
    shared: Arc<Shared>,
    server: JoinHandle<()>,
}

struct Shared {
    answer: Box<dyn Fn(&Call) -> Reply + Send + Sync>,
    calls: watch::Sender<Vec<Call>>,
    held: watch::Sender<bool>,
}

impl StandIn {
    /// Starts it; `answer` returns the response to each call.
    pub async fn start(answer: impl Fn(&Call) -> Reply + Send + Sync + 'static) -> Self {
        Self::start_at("127.0.0.1:0", answer).await
    }

    /// [`StandIn::start`] at this address, which must be free.
    pub async fn start_at(
        address: &str,
        answer: impl Fn(&Call) -> Reply + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind(address).await.expect("a free port");
        let address = listener.local_addr().expect("an address");
        let shared = Arc::new(Shared {
            answer: Box::new(answer),
            calls: watch::Sender::default(),
            held: watch::Sender::new(false),
        });
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

    /// All calls so far.
    pub fn calls(&self) -> Vec<Call> {
        self.shared.calls.borrow().clone()
    }

    /// How many calls so far were to paths that hold `part`.
    pub fn count(&self, part: &str) -> usize {
        self.shared
            .calls
            .borrow()
            .iter()
            .filter(|call| call.path.contains(part))
            .count()
    }

    /// Waits until this many calls have come in.
    pub async fn called(&self, times: usize) {
        let mut calls = self.shared.calls.subscribe();
        let came = calls.wait_for(|calls| calls.len() >= times);
        let in_time = tokio::time::timeout(Duration::from_secs(30), came).await;
        in_time.expect("a call in time").expect("the service lives");
    }

    /// Answers no calls from now on, until [`StandIn::release`].
    pub fn hold(&self) {
        self.shared.held.send_replace(true);
    }

    /// Answers all waiting calls, and later ones.
    pub fn release(&self) {
        self.shared.held.send_replace(false);
    }
}

impl Drop for StandIn {
    fn drop(&mut self) {
        self.server.abort();
    }
}

async fn take(
    State(shared): State<Arc<Shared>>,
    Query(query): Query<HashMap<String, String>>,
    request: Request,
) -> Response {
    let authorization = request.headers().get(header::AUTHORIZATION);
    let call = Call {
        path: request.uri().path().to_owned(),
        query,
        authorization: authorization.map(|value| value.to_str().expect("text").to_owned()),
        address: request.uri().to_string(),
    };
    shared.calls.send_modify(|calls| calls.push(call.clone()));
    // As real services do: one that answers and closes while its caller still sends resets the connection.
    let _ = axum::body::to_bytes(request.into_body(), usize::MAX).await;
    let mut held = shared.held.subscribe();
    held.wait_for(|held| !held)
        .await
        .expect("the service lives");
    match (shared.answer)(&call) {
        Reply::Body(status, content_type, body) => {
            (code(status), [(header::CONTENT_TYPE, content_type)], body).into_response()
        }
        Reply::Later(status, seconds) => (
            code(status),
            [(header::RETRY_AFTER, seconds.to_string())],
            "null",
        )
            .into_response(),
        Reply::BrokenOff => {
            let parts = [Ok("{\"half\":"), Err(std::io::Error::other("gone"))];
            Body::from_stream(stream::iter(parts)).into_response()
        }
        Reply::Silence => std::future::pending().await,
    }
}

fn code(status: u16) -> StatusCode {
    StatusCode::from_u16(status).expect("a status")
}
