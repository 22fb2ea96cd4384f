//! An object store in memory that stands in for a real one in trouble: it can
//! be unreachable, slow, full, or answer with typical errors. It does not check
//! signatures: Garage does.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::{Body, Bytes, to_bytes};
use axum::extract::{Request, State};
use axum::http::{Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use futures_util::stream::{self, StreamExt};
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinHandle;

use crate::line::Line;

const BUCKET: &str = "pictures";
/// Both keys; no log, no page and no answer may hold it.
pub const KEY: &str = "stand-in";

/// How the store is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StoreMode {
    /// It works normally.
    Well,
    /// It answers everything with this status and does nothing.
    Refuses(u16),
    /// It answers everything as AWS does to a key that it does not know, or
    /// whose signature is wrong: with this code, and the key beside it.
    NamesTheKey(&'static str),
    /// It answers what would change something with this status.
    ReadOnly(u16),
    /// It answers what would read an object with this status.
    WriteOnly(u16),
    /// As [`StoreMode::ReadOnly`], for objects whose names begin with this.
    ReadOnlyBelow(&'static str, u16),
    /// It performs the request, and still answers with this status.
    DoesAndFails(u16),
    /// It does nothing until its mode is another one, and goes by that one.
    Waits,
    /// The same for objects whose names begin with this.
    WaitsBelow(&'static str),
    /// It never answers a request for objects whose names begin with this, and does nothing,
    /// whatever its mode is later.
    LosesBelow(&'static str),
    /// The same once this many calls have come in since it is in this mode.
    WaitsAfter(usize),
    /// It does nothing until its mode is another one where something is to be deleted.
    WaitsToDelete,
    /// The same for what would store something.
    WaitsToStore,
    /// It gives the first half of an object, and then nothing more.
    Stalls,
    /// It announces this many bytes for each object, and starts to send them.
    Announces(usize),
}

/// The running store; it ends when this is dropped.
pub struct ObjectStore {
    shared: Arc<Shared>,
    /// What leads to it.
    pub line: Line,
    server: JoinHandle<()>,
}

/// One call: what, of which object, with how many bytes, and when.
struct Call {
    method: Method,
    name: String,
    bytes: usize,
    at: Instant,
}

struct Shared {
    objects: Mutex<BTreeMap<String, Bytes>>,
    mode: watch::Sender<StoreMode>,
    calls: watch::Sender<Vec<Call>>,
    /// How many calls came in before the present mode.
    earlier: AtomicUsize,
}

impl ObjectStore {
    /// Starts it with an empty bucket.
    pub async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let line = Line::to(listener.local_addr().expect("an address"));
        let shared = Arc::new(Shared {
            objects: Mutex::default(),
            mode: watch::Sender::new(StoreMode::Well),
            calls: watch::Sender::default(),
            earlier: AtomicUsize::new(0),
        });
        let router = Router::new().fallback(take).with_state(Arc::clone(&shared));
        let server = tokio::spawn(async move {
            axum::serve(listener, router).await.expect("to serve");
        });
        Self {
            shared,
            line,
            server,
        }
    }

    /// Its address, which is the public one too.
    pub fn url(&self) -> String {
        format!("http://{}", self.line.address())
    }

    /// The settings that make a service keep its images here.
    pub fn settings(&self) -> Vec<String> {
        vec![
            "storage.kind=s3".to_owned(),
            format!("storage.endpoint={}", self.url()),
            format!("storage.bucket={BUCKET}"),
            format!("storage.access_key={KEY}"),
            format!("storage.secret_key={KEY}"),
            format!("storage.storage_url={}/{BUCKET}", self.url()),
        ]
    }

    /// Changes its mode, for those who wait too.
    pub fn is(&self, mode: StoreMode) {
        let earlier = self.shared.calls.borrow().len();
        self.shared.earlier.store(earlier, Ordering::Relaxed);
        self.shared.mode.send_replace(mode);
    }

    /// The names of all objects.
    pub fn objects(&self) -> Vec<String> {
        let objects = self.shared.objects.lock().expect("no panic");
        objects.keys().cloned().collect()
    }

    /// The content of an object; `None` where there is none.
    pub fn content(&self, name: &str) -> Option<Bytes> {
        let objects = self.shared.objects.lock().expect("no panic");
        objects.get(name).cloned()
    }

    /// An object as JSON; `null` where there is none.
    pub fn json(&self, name: &str) -> serde_json::Value {
        let content = self.content(name);
        content.map_or(serde_json::Value::Null, |content| {
            serde_json::from_slice(&content).expect("JSON")
        })
    }

    /// Puts an object there, as another program would.
    pub fn holds(&self, name: &str, content: &str) {
        let mut objects = self.shared.objects.lock().expect("no panic");
        objects.insert(name.to_owned(), content.to_owned().into());
    }

    /// When calls of this method came in for an object.
    pub fn times(&self, method: &Method, name: &str) -> Vec<Instant> {
        let calls = self.shared.calls.borrow();
        let of_it = calls
            .iter()
            .filter(|call| call.method == *method && call.name == name);
        of_it.map(|call| call.at).collect()
    }

    /// How often objects whose names begin with this were written, and with how many bytes.
    pub fn written(&self, below: &str) -> (usize, usize) {
        let calls = self.shared.calls.borrow();
        let puts = calls
            .iter()
            .filter(|call| call.method == Method::PUT && call.name.starts_with(below));
        puts.fold((0, 0), |(count, bytes), call| {
            (count + 1, bytes + call.bytes)
        })
    }

    /// Loses one byte at the end of an object.
    pub fn cut_short(&self, name: &str) {
        let mut objects = self.shared.objects.lock().expect("no panic");
        let bytes = objects.get_mut(name).expect("an object");
        bytes.truncate(bytes.len() - 1);
    }

    /// Loses an object.
    pub fn lose(&self, name: &str) {
        let mut objects = self.shared.objects.lock().expect("no panic");
        assert!(objects.remove(name).is_some(), "{name}");
    }

    /// How many calls of this method came in so far.
    pub fn count(&self, method: &Method) -> usize {
        of(&self.shared.calls.borrow(), method)
    }

    /// Waits until more than `before` calls of this method have come in.
    pub async fn called(&self, method: &Method, before: usize) {
        let mut calls = self.shared.calls.subscribe();
        let came = calls.wait_for(|calls| of(calls, method) > before);
        let in_time = tokio::time::timeout(Duration::from_secs(60), came).await;
        in_time.expect("a call in time").expect("the store lives");
    }
}

impl Drop for ObjectStore {
    fn drop(&mut self) {
        self.server.abort();
    }
}

fn of(calls: &[Call], method: &Method) -> usize {
    calls.iter().filter(|call| call.method == *method).count()
}

async fn take(State(shared): State<Arc<Shared>>, request: Request) -> Response {
    // As with real stores, what has come in whole is carried out, also when
    // its caller has hung up.
    let carried_out = tokio::spawn(async move { shared.carry_out(request).await });
    carried_out.await.expect("no panic")
}

impl Shared {
    async fn carry_out(&self, request: Request) -> Response {
        let (head, body) = request.into_parts();
        let Ok(body) = to_bytes(body, usize::MAX).await else {
            return error(400, "");
        };
        let prefix = format!("/{BUCKET}/");
        let name = head.uri.path().strip_prefix(&prefix).unwrap_or_default();
        let call = Call {
            method: head.method.clone(),
            name: name.to_owned(),
            bytes: body.len(),
            at: Instant::now(),
        };
        let mut position = 0;
        self.calls.send_modify(|calls| {
            position = calls.len();
            calls.push(call);
        });
        let changes = [Method::PUT, Method::DELETE].contains(&head.method);
        let lost = match *self.mode.borrow() {
            StoreMode::LosesBelow(prefix) => name.starts_with(prefix),
            _ => false,
        };
        if lost {
            std::future::pending::<()>().await;
        }
        let mut modes = self.mode.subscribe();
        let mode = modes.wait_for(|mode| match mode {
            StoreMode::Waits => false,
            StoreMode::WaitsBelow(prefix) => !name.starts_with(prefix),
            StoreMode::WaitsAfter(calls) => {
                position < self.earlier.load(Ordering::Relaxed).saturating_add(*calls)
            }
            StoreMode::WaitsToDelete => head.method != Method::DELETE,
            StoreMode::WaitsToStore => head.method != Method::PUT,
            _ => true,
        });
        let mode = *mode.await.expect("the store lives");
        match mode {
            StoreMode::Refuses(status) => return error(status, name),
            StoreMode::NamesTheKey(code) => return names_the_key(code),
            StoreMode::ReadOnlyBelow(prefix, status) if changes && name.starts_with(prefix) => {
                return error(status, name);
            }
            StoreMode::ReadOnly(status) if changes => return error(status, name),
            StoreMode::WriteOnly(status) if !changes && !name.is_empty() => {
                return error(status, name);
            }
            _ => {}
        }
        if head.method == Method::GET && name.is_empty() {
            return self.list(head.uri.query().unwrap_or_default());
        }
        let range = head.headers.get(header::RANGE);
        let range = range.map(|range| range.to_str().expect("text"));
        let done = self.act(&head.method, name, range, body, mode);
        match mode {
            StoreMode::DoesAndFails(status) => error(status, name),
            _ => done,
        }
    }

    /// `ListObjectsV2`, all on one page.
    fn list(&self, query: &str) -> Response {
        let prefix = query.split('&').find_map(|one| one.strip_prefix("prefix="));
        let prefix = prefix.unwrap_or_default().replace("%2F", "/");
        let mut body = "<ListBucketResult>".to_owned();
        for (name, bytes) in self.objects.lock().expect("no panic").iter() {
            if name.starts_with(&prefix) {
                body += &format!(
                    "<Contents><Key>{name}</Key><Size>{}</Size>\
                     <LastModified>2015-10-21T07:28:00.000Z</LastModified></Contents>",
                    bytes.len()
                );
            }
        }
        body += "</ListBucketResult>";
        ([(header::CONTENT_TYPE, "application/xml")], body).into_response()
    }

    fn act(
        &self,
        method: &Method,
        name: &str,
        range: Option<&str>,
        body: Bytes,
        mode: StoreMode,
    ) -> Response {
        let mut objects = self.objects.lock().expect("no panic");
        let (tag, modified) = ("\"stand-in\"", "Wed, 21 Oct 2015 07:28:00 GMT");
        let headers = [(header::ETAG, tag), (header::LAST_MODIFIED, modified)];
        if *method == Method::PUT {
            objects.insert(name.to_owned(), body);
            return headers.into_response();
        }
        if *method == Method::DELETE {
            objects.remove(name);
            return StatusCode::NO_CONTENT.into_response();
        }
        let Some(object) = objects.get(name) else {
            return error(404, name);
        };
        let (all, mut part) = (object.len(), object.clone());
        let mut status = StatusCode::OK;
        let mut placed = String::new();
        if let Some(range) = range {
            let (first, last) = ends(range);
            let last = last.min(all - 1);
            placed = format!("bytes {first}-{last}/{all}");
            (status, part) = (StatusCode::PARTIAL_CONTENT, object.slice(first..=last));
        }
        let length = match mode {
            StoreMode::Announces(length) => length,
            _ => part.len(),
        };
        let body = if matches!(mode, StoreMode::Stalls | StoreMode::Announces(_)) {
            part.truncate(part.len() / 2);
            let half = stream::iter([Ok::<_, std::io::Error>(part)]);
            Body::from_stream(half.chain(stream::pending()))
        } else {
            Body::from(part)
        };
        let mut response = (status, headers, body).into_response();
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_LENGTH, length.into());
        if !placed.is_empty() {
            headers.insert(header::CONTENT_RANGE, placed.parse().expect("a header"));
        }
        response
    }
}

/// The two ends of `bytes=FIRST-LAST`.
fn ends(range: &str) -> (usize, usize) {
    let (first, last) = range
        .strip_prefix("bytes=")
        .and_then(|ends| ends.split_once('-'))
        .expect("one range");
    (
        first.parse().expect("a number"),
        last.parse().expect("a number"),
    )
}

fn names_the_key(code: &str) -> Response {
    let body = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Error><Code>{code}</Code>\
         <Message>The AWS Access Key Id you provided does not exist in our records.</Message>\
         <AWSAccessKeyId>{KEY}</AWSAccessKeyId><RequestId>1</RequestId></Error>"
    );
    let headers = [(header::CONTENT_TYPE, "application/xml")];
    (StatusCode::FORBIDDEN, headers, body).into_response()
}

fn error(status: u16, name: &str) -> Response {
    let code = match status {
        403 => "AccessDenied",
        404 => "NoSuchKey",
        503 => "SlowDown",
        507 => "XMinioStorageFull",
        _ => "InternalError",
    };
    let body = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Error><Code>{code}</Code>\
         <Message>Not now.</Message><Resource>/{BUCKET}/{name}</Resource>\
         <RequestId>1</RequestId></Error>"
    );
    let status = StatusCode::from_u16(status).expect("a status");
    (status, [(header::CONTENT_TYPE, "application/xml")], body).into_response()
}
