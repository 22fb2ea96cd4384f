//! Objects that the owner's Worker keeps, reached by signed requests to `/-/store/<key>`.
//!
//! A signature has the time of the request, and the Worker refuses a write whose time is not later
//! than that of the last write of the same key: a recorded request cannot be sent again.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use chrono::DateTime;
use futures_util::stream::{self, BoxStream, StreamExt as _, TryStreamExt as _};
use hmac::{Hmac, KeyInit as _, Mac as _};
use object_store::client::{HttpError, HttpErrorKind};
use object_store::path::Path as Key;
use object_store::{
    Attributes, CopyOptions, Error, GetOptions, GetRange, GetResult, GetResultPayload, ListResult,
    MultipartUpload, ObjectMeta, ObjectStore, PutMultipartOptions, PutOptions, PutPayload,
    PutResult, Result,
};
use reqwest::header::{CONTENT_LENGTH, DATE, RETRY_AFTER};
use reqwest::{Method, Response, StatusCode};
use secrecy::{ExposeSecret as _, SecretString};
use serde::Deserialize;
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use super::super::{EdgeDay, EdgeSettings};
use crate::clock::timestamp::Timestamp;
use crate::db::DatabaseError;
use crate::error::message::Message;
use crate::text;
use crate::text::address::WebAddress;
use crate::text::image_hash::ImageHash;

const SIGNATURE: &str = "x-porchlight-store";
/// The time of the last change, with the answer to a request that is not later.
const LAST_CHANGE: &str = "x-time";
/// Cloudflare's own; a Worker on another server has no plan.
const OF_CLOUDFLARE: &str = "cf-ray";
const NAME: &str = "the Worker";
/// The most names of one part of a listing.
const LISTED_AT_ONCE: u32 = 1_000;
/// How far the time of a signature may be from the Worker's, in milliseconds.
const VALID_FOR: i64 = 300_000;
/// The pause before a call is repeated; twice as long before each further time.
const PAUSE: Duration = Duration::from_millis(200);
/// The most characters of a reason that are shown.
const LONGEST_REASON: usize = 200;
/// Of an answer that is an error, no more is read.
const LONGEST_ERROR: usize = 16 * 1024;

/// A client of the Worker's store; cheap to clone.
#[derive(Clone)]
pub(crate) struct EdgeStore(Arc<Inner>);

struct Inner {
    http: reqwest::Client,
    /// Without a slash at its end.
    url: String,
    key: Hmac<Sha256>,
    /// The time of the latest signature, in Unix milliseconds: no two have the same.
    latest: AtomicI64,
    day: EdgeDay,
    repeats: usize,
}

/// An answer of the Worker that is an error.
#[derive(Debug)]
pub(super) struct EdgeRefusal {
    status: StatusCode,
    /// The store says that it has no such object. Anything else may answer 404, too.
    is_absent: bool,
    /// `error` of its body.
    why: Option<String>,
    body: Value,
    /// The end of the plan's day, where its limit is reached.
    until: Option<Timestamp>,
    /// The time of the last change, where that is the reason.
    last_change: Option<i64>,
    /// How many seconds this machine's clock is ahead of the Worker's, where that is the reason.
    ahead: Option<i64>,
}

impl EdgeRefusal {
    async fn of(mut response: Response) -> Self {
        let status = response.status();
        let header = |name| {
            let value = response.headers().get(name)?;
            value.to_str().ok().map(str::to_owned)
        };
        let is_absent =
            status == StatusCode::NOT_FOUND && response.headers().contains_key(SIGNATURE);
        let (date, retry_after) = (header(DATE.as_str()), header(RETRY_AFTER.as_str()));
        let last_change = header(LAST_CHANGE).and_then(|time| time.parse().ok());
        let last_change = last_change.filter(|_| status == StatusCode::CONFLICT);
        let mut body = Vec::new();
        while let Ok(Some(part)) = response.chunk().await
            && body.len() < LONGEST_ERROR
        {
            body.extend_from_slice(&part);
        }
        let now = Timestamp::now();
        // Cloudflare itself answers so when the requests of the day are used up.
        let is_spent = String::from_utf8_lossy(&body).contains("error code: 1027");
        let body: Value = serde_json::from_slice(&body).unwrap_or_default();
        let why = body["error"].as_str();
        let why = why.map(|error| text::one_line(error, LONGEST_REASON));
        let seconds = retry_after.and_then(|seconds| seconds.parse::<i64>().ok());
        let until = seconds.filter(|_| status == StatusCode::INSUFFICIENT_STORAGE);
        let ahead = date.and_then(|date| {
            let there = jiff::fmt::rfc2822::parse(&date).ok()?;
            Some(now.as_seconds() - there.timestamp().as_second())
        });
        let until = until.map(|seconds| {
            Timestamp::from_millis(now.as_millis() + seconds.clamp(0, 86_400) * 1_000)
        });
        Self {
            status,
            is_absent,
            last_change,
            until: until.or(is_spent.then(|| EdgeDay::end(now))),
            ahead: ahead.filter(|_| why.as_deref() == Some("Clock is off")),
            why,
            body,
        }
    }

    /// Of a request that was not sent, since the day is spent until then.
    fn unsent(until: Timestamp) -> Self {
        Self {
            status: StatusCode::TOO_MANY_REQUESTS,
            is_absent: false,
            last_change: None,
            why: None,
            until: Some(until),
            ahead: None,
            body: Value::Null,
        }
    }

    /// Whether no more can be stored, now or at all.
    pub(super) fn is_full(&self) -> bool {
        self.status == StatusCode::INSUFFICIENT_STORAGE || self.until.is_some()
    }

    /// Whether the key is wrong, or may not do this.
    pub(super) fn is_of_authority(&self) -> bool {
        matches!(
            self.status,
            StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN
        )
    }

    fn of_sync(self) -> SyncError {
        let is_conflict = self.status == StatusCode::CONFLICT;
        let (images, service) = (self.body["images"].as_i64(), self.body["service"].as_str());
        match (is_conflict, images, service) {
            (true, Some(number), _) => SyncError::Images(number),
            (true, _, Some(service)) => SyncError::Service(service.to_owned()),
            _ if self.ahead.is_some() => SyncError::Clock(self.message()),
            _ => match self.until {
                Some(until) => SyncError::Day(until),
                None => SyncError::Failed(self.message()),
            },
        }
    }

    fn may_pass(&self) -> bool {
        let is_late = self.last_change.is_some();
        let may = is_late
            || self.status.is_server_error()
            || self.status == StatusCode::TOO_MANY_REQUESTS;
        may && !self.is_full()
    }

    /// What may be shown of it.
    pub(super) fn message(&self) -> Message {
        if let Some(until) = self.until {
            let until = until.to_string().into();
            return Message::EdgeDaySpent { until };
        }
        if let Some(seconds) = self.ahead {
            return crate::detail!("this computer’s clock is {seconds} seconds off: set it right");
        }
        let why = self.why.as_deref().map(|why| format!(", {why}"));
        let answer = format!("{}{}", self.status, why.unwrap_or_default());
        crate::detail!("it answered {answer}")
    }
}

impl fmt::Display for EdgeRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.message().fmt(f)
    }
}

impl std::error::Error for EdgeRefusal {}

/// What the Worker has counted, the requests that it passed on apart.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct EdgeCounts {
    /// The id of this batch; `None` where nothing was counted since the last one.
    pub(crate) batch: Option<i64>,
    /// Of the batch, by the path of the endpoint.
    pub(crate) calls: HashMap<String, CountedCalls>,
    /// Of the batch: views of pictures.
    pub(crate) pictures: HashMap<ImageHash, u64>,
    /// The newest first.
    pub(crate) days: Vec<CountedDay>,
}

/// A day of UTC, as far as it has been counted.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct CountedDay {
    day: String,
    requests: u64,
    pub(crate) readers: u64,
}

#[derive(Debug, Clone, Deserialize)]
pub(crate) struct CountedCalls {
    pub(crate) count: u64,
    /// Unix milliseconds.
    pub(crate) last: i64,
}

/// The answer to `POST /-/sync`.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct SyncAnswer {
    pub(crate) counts: EdgeCounts,
}

/// Why the Worker did not take what it was told.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SyncError {
    /// Its list of images has this number.
    #[error("its list of images is number {0}")]
    Images(i64),
    /// It has the rows of this other service.
    #[error("it belongs to the service {0}")]
    Service(String),
    /// The plan's day is used up until then.
    #[error("the day's requests are used up until {0}")]
    Day(Timestamp),
    /// This machine's clock is too far off.
    #[error("{0}")]
    Clock(Message),
    /// Anything else.
    #[error("{0}")]
    Failed(Message),
}

impl From<DatabaseError> for SyncError {
    fn from(error: DatabaseError) -> Self {
        Self::Failed(error.into())
    }
}

impl CountedDay {
    /// Its date, as days since that of the Unix epoch.
    pub(crate) fn number(&self) -> Option<i64> {
        let start: jiff::Timestamp = format!("{}T00:00:00Z", self.day).parse().ok()?;
        Some(start.as_second().div_euclid(86_400))
    }
}

/// Why a request has no good answer.
enum CallError {
    Refused(EdgeRefusal),
    NoAnswer(reqwest::Error),
}

/// A part of a listing.
#[derive(Deserialize)]
struct Listed {
    objects: Vec<ListedObject>,
    /// What the next part begins after; `None` at the end.
    next: Option<String>,
}

#[derive(Deserialize)]
struct ListedObject {
    key: String,
    size: u64,
    /// Unix milliseconds.
    time: i64,
}

impl EdgeStore {
    /// A client of the Worker of these settings; `None` where they describe none.
    pub(crate) fn of(settings: &EdgeSettings, repeats: usize) -> Option<reqwest::Result<Self>> {
        let (url, secret) = (settings.url.as_ref()?, settings.secret.as_ref()?);
        Some(Self::new(url, secret, settings.day.clone(), repeats))
    }

    /// A client that repeats a failed call up to `repeats` times.
    pub(super) fn new(
        url: &WebAddress,
        secret: &SecretString,
        day: EdgeDay,
        repeats: usize,
    ) -> reqwest::Result<Self> {
        let http = crate::http::client_tls::http_client()
            .connect_timeout(super::CONNECT_WITHIN)
            .redirect(reqwest::redirect::Policy::none())
            .build()?;
        let key = Hmac::new_from_slice(secret.expose_secret().as_bytes());
        Ok(Self(Arc::new(Inner {
            http,
            url: url.as_str().trim_end_matches('/').to_owned(),
            key: key.expect("a key may have any length"),
            latest: AtomicI64::new(0),
            day,
            repeats,
        })))
    }

    /// `X-Porchlight-Store` of a request.
    fn signature(&self, method: &Method, path: &str, body: &[u8]) -> String {
        let now = Timestamp::now().as_millis();
        // Where the clock was set back by more than a signature is valid, what it signed before was
        // refused: the present time counts again.
        let after = |latest: i64| match latest > now + VALID_FOR {
            true => now,
            false => now.max(latest + 1),
        };
        let latest = &self.0.latest;
        let before = latest.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |latest| {
            Some(after(latest))
        });
        let time = after(before.unwrap_or_else(|latest| latest));
        let digest = match body {
            [] => String::new(),
            body => hex::encode(Sha256::digest(body)),
        };
        let signed = ["store", &time.to_string(), method.as_str(), path, &digest].join("\n");
        let mac = self.0.key.clone().chain_update(signed).finalize();
        let mac = hex::encode(mac.into_bytes());
        format!("t={time}, body={digest}, v1={mac}")
    }

    /// The answer to one request.
    async fn send(
        &self,
        method: &Method,
        path: &str,
        body: &Bytes,
    ) -> std::result::Result<Response, CallError> {
        let day = &self.0.day;
        let writes = matches!(*method, Method::PUT | Method::DELETE | Method::POST);
        if let Some(until) = day.waits(writes, Timestamp::now()) {
            return Err(CallError::Refused(EdgeRefusal::unsent(until)));
        }
        let sent = self
            .0
            .http
            .request(method.clone(), format!("{}{path}", self.0.url))
            .header(SIGNATURE, self.signature(method, path, body))
            .body(body.clone())
            .send();
        let response = sent.await.map_err(CallError::NoAnswer)?;
        if response.status().is_success() {
            return Ok(response);
        }
        let refusal = EdgeRefusal::of(response).await;
        match refusal.until {
            Some(until) if refusal.status == StatusCode::INSUFFICIENT_STORAGE => {
                day.set_full(until);
            }
            Some(until) => day.set_spent(until),
            None => {}
        }
        if let Some(last) = refusal.last_change {
            // The clock was set back since. Both clocks are in the other's range.
            let last = last.min(Timestamp::now().as_millis() + 2 * VALID_FOR);
            self.0.latest.fetch_max(last, Ordering::Relaxed);
        }
        Err(CallError::Refused(refusal))
    }

    /// The answer to a request, which is repeated where that may help.
    async fn call(&self, method: Method, path: &str, body: &Bytes, key: &Key) -> Result<Response> {
        let (mut pause, mut left) = (PAUSE, self.0.repeats);
        loop {
            let (error, may_pass) = match self.send(&method, path, body).await {
                Ok(response) => return Ok(response),
                Err(CallError::Refused(refusal)) if refusal.is_absent => {
                    return Err(Error::NotFound {
                        path: key.to_string(),
                        source: refusal.into(),
                    });
                }
                Err(CallError::Refused(refusal)) => {
                    let may_pass = refusal.may_pass();
                    (generic(refusal), may_pass)
                }
                Err(CallError::NoAnswer(error)) => (generic(transport(error)), true),
            };
            if left == 0 || !may_pass {
                return Err(error);
            }
            left -= 1;
            tokio::time::sleep(pause).await;
            pause *= 2;
        }
    }

    /// `POST /-/sync`, once and for so long at most.
    pub(crate) async fn sync(
        &self,
        body: Bytes,
        limit: Duration,
    ) -> std::result::Result<SyncAnswer, SyncError> {
        let failed = SyncError::Failed;
        let told = async {
            let method = Method::POST;
            let response = match self.send(&method, "/-/sync", &body).await {
                // By a later time, once.
                Err(CallError::Refused(refusal)) if refusal.last_change.is_some() => {
                    self.send(&method, "/-/sync", &body).await?
                }
                response => response?,
            };
            let has_plan = response.headers().contains_key(OF_CLOUDFLARE);
            Ok((
                response.bytes().await.map_err(CallError::NoAnswer)?,
                has_plan,
            ))
        };
        let told = tokio::time::timeout(limit, told).await;
        let told = told.map_err(|_| failed(crate::detail!("no answer came in time")))?;
        let (body, has_plan) = told.map_err(|error| match error {
            CallError::NoAnswer(error) => {
                failed(super::failure::safe_message(&generic(transport(error))))
            }
            CallError::Refused(refusal) => refusal.of_sync(),
        })?;
        let answer: SyncAnswer = serde_json::from_slice(&body)
            .map_err(|_| failed(crate::detail!("its answer cannot be understood")))?;
        if let Some(today) = answer.counts.days.first().filter(|_| has_plan)
            && let Some(day) = today.number()
        {
            self.0.day.counted(day, today.requests);
        }
        Ok(answer)
    }

    async fn list_from(&self, prefix: &str, after: Option<String>) -> Result<Listed> {
        // Names of objects need no escaping in an address.
        let after = after
            .map(|after| format!("&after={after}"))
            .unwrap_or_default();
        let path = format!("/-/store?prefix={prefix}{after}&limit={LISTED_AT_ONCE}");
        let key = Key::from(prefix);
        self.listed(&path, &key).await
    }

    async fn listed(&self, path: &str, key: &Key) -> Result<Listed> {
        let response = self.call(Method::GET, path, &Bytes::new(), key).await?;
        let body = response.bytes().await;
        let body = body.map_err(|error| generic(transport(error)))?;
        serde_json::from_slice(&body).map_err(generic)
    }

    /// Asks for one name: an answer shows that the address and the key belong together.
    pub(super) async fn prove(&self) -> Result<()> {
        let key = Key::default();
        self.listed("/-/store?limit=1", &key).await.map(drop)
    }
}

/// An object of the Worker. Only a listing has the time of its writing, which nothing else needs.
fn about(key: &Key, size: u64, time: i64) -> ObjectMeta {
    ObjectMeta {
        location: key.clone(),
        last_modified: DateTime::from_timestamp_millis(time).unwrap_or_default(),
        size,
        e_tag: None,
        version: None,
    }
}

fn generic(source: impl std::error::Error + Send + Sync + 'static) -> Error {
    Error::Generic {
        store: NAME,
        source: Box::new(source),
    }
}

/// Why there was no answer, as the other stores' client says it.
fn transport(error: reqwest::Error) -> HttpError {
    let kind = if error.is_connect() {
        HttpErrorKind::Connect
    } else if error.is_timeout() {
        HttpErrorKind::Timeout
    } else {
        HttpErrorKind::Interrupted
    };
    HttpError::new(kind, error.without_url())
}

fn unsupported<T>(operation: &str) -> Result<T> {
    Err(Error::NotImplemented {
        operation: operation.to_owned(),
        implementer: NAME.to_owned(),
    })
}

fn path_of(key: &Key) -> String {
    format!("/-/store/{key}")
}

impl fmt::Debug for EdgeStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(NAME)
    }
}

impl fmt::Display for EdgeStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(NAME)
    }
}

#[async_trait]
impl ObjectStore for EdgeStore {
    /// The Worker knows the type and the `Cache-Control` of its objects by their keys.
    async fn put_opts(&self, key: &Key, payload: PutPayload, _: PutOptions) -> Result<PutResult> {
        let body = Bytes::from(payload);
        self.call(Method::PUT, &path_of(key), &body, key).await?;
        Ok(PutResult {
            e_tag: None,
            version: None,
            extensions: Default::default(),
        })
    }

    async fn get_opts(&self, key: &Key, options: GetOptions) -> Result<GetResult> {
        let method = if options.head {
            Method::HEAD
        } else {
            Method::GET
        };
        let response = self.call(method, &path_of(key), &Bytes::new(), key).await?;
        // reqwest's own length is that of the body, which an answer to HEAD does not have.
        let length = response.headers().get(CONTENT_LENGTH);
        let length = length.and_then(|length| length.to_str().ok()?.parse().ok());
        let size: u64 = length.ok_or_else(|| generic(fmt::Error))?;
        let range = match options.range {
            None => 0..size,
            Some(GetRange::Bounded(range)) => range.start.min(size)..range.end.min(size),
            Some(GetRange::Offset(start)) => start.min(size)..size,
            Some(GetRange::Suffix(length)) => size.saturating_sub(length)..size,
        };
        // The whole object comes: what is not wanted of it is left out here.
        let (mut at, wanted) = (0_u64, range.clone());
        let parts = response.bytes_stream().map(move |part| {
            let part = part.map_err(|error| generic(transport(error)))?;
            let inside = |position: u64| {
                let offset = position.saturating_sub(at).min(part.len() as u64);
                usize::try_from(offset).unwrap_or(part.len())
            };
            let wanted = inside(wanted.start)..inside(wanted.end);
            at += part.len() as u64;
            Ok(part.slice(wanted))
        });
        Ok(GetResult {
            payload: GetResultPayload::Stream(parts.boxed()),
            meta: about(key, size, 0),
            range,
            attributes: Attributes::new(),
            extensions: Default::default(),
        })
    }

    fn delete_stream(
        &self,
        keys: BoxStream<'static, Result<Key>>,
    ) -> BoxStream<'static, Result<Key>> {
        let store = self.clone();
        let deleted = keys.and_then(move |key| {
            let store = store.clone();
            async move {
                let path = path_of(&key);
                store
                    .call(Method::DELETE, &path, &Bytes::new(), &key)
                    .await?;
                Ok(key)
            }
        });
        deleted.boxed()
    }

    fn list(&self, prefix: Option<&Key>) -> BoxStream<'static, Result<ObjectMeta>> {
        // As with the other stores, what is below a folder is meant.
        let prefix = prefix
            .map(|folder| format!("{folder}/"))
            .unwrap_or_default();
        let start = (self.clone(), prefix, Some(None));
        let parts = stream::try_unfold(start, |(store, prefix, after)| async move {
            let Some(after) = after else { return Ok(None) };
            let Listed { objects, next } = store.list_from(&prefix, after).await?;
            let found = objects.into_iter().map(|object| {
                let key = Key::parse(object.key)?;
                Ok(about(&key, object.size, object.time))
            });
            let found = stream::iter(found.collect::<Vec<Result<_>>>());
            Ok::<_, Error>(Some((found, (store, prefix, next.map(Some)))))
        });
        parts.try_flatten().boxed()
    }

    async fn list_with_delimiter(&self, _: Option<&Key>) -> Result<ListResult> {
        unsupported("list_with_delimiter")
    }

    async fn put_multipart_opts(
        &self,
        _: &Key,
        _: PutMultipartOptions,
    ) -> Result<Box<dyn MultipartUpload>> {
        unsupported("put_multipart")
    }

    async fn copy_opts(&self, _: &Key, _: &Key, _: CopyOptions) -> Result<()> {
        unsupported("copy")
    }
}

#[cfg(test)]
mod tests {
    use porchlight_test_harness::front::{Day, Front};
    use porchlight_test_harness::stand_in::{Reply, StandIn};
    use serde_json::json;

    use super::*;

    #[tokio::test]
    async fn cloudflares_day_is_known_from_the_answers_and_waited_for() {
        const DAY: i64 = 86_400_000;
        let counts = json!({
            "images": 1,
            "counts": {
                "days": [{ "day": "2024-10-04", "requests": 70_000, "readers": 1 }],
                "batch": null, "calls": {}, "pictures": {},
            },
        });
        let worker = StandIn::start(move |_| Reply::json(200, &counts)).await;
        let front = Front::of(&worker.url()).await;
        let at = |url: String, day: &EdgeDay| {
            let (url, key) = (url.parse().expect("an address"), "k".repeat(32).into());
            EdgeStore::new(&url, &key, day.clone(), 2).expect("a client")
        };
        let sync = async |store: &EdgeStore| store.sync(Bytes::new(), PAUSE * 100).await;
        let noon = Timestamp::from_millis(20_000 * DAY + DAY / 2);
        let midnight = Timestamp::from_millis(20_001 * DAY);
        // On a server of one's own there is no plan.
        for (url, alert) in [(worker.url(), None), (front.url(), Some((false, midnight)))] {
            let day = EdgeDay::default();
            sync(&at(url, &day)).await.expect("counts");
            assert_eq!(day.alert(noon), alert);
        }

        let day = EdgeDay::default();
        front.is(Day::Spent);
        // The other client of the same settings sends nothing.
        for _ in 0..2 {
            let refused = sync(&at(front.url(), &day)).await.expect_err("refused");
            let midnight = EdgeDay::end(Timestamp::now());
            assert!(matches!(refused, SyncError::Day(until) if until == midnight));
            assert_eq!(front.refused(), 1);
        }
        front.is(Day::Young);
        assert!(sync(&at(front.url(), &day)).await.is_err());
        let tomorrow = EdgeDay::end(Timestamp::now());
        assert_eq!(day.waits(true, tomorrow), None);
    }

    #[test]
    fn a_signature_covers_time_method_path_and_body_and_no_two_have_one_time() {
        let url = "https://light.example".parse().expect("an address");
        let store = EdgeStore::new(&url, &"k".repeat(32).into(), EdgeDay::default(), 0);
        let store = store.expect("a client");
        let path = "/-/store/randomimg/0123456789abcdef0123456789abcdef.webp";
        let mut times = Vec::new();
        for body in [&b""[..], b"RIFF"] {
            let signature = store.signature(&Method::PUT, path, body);
            let parts: Vec<_> = signature.split(", ").collect();
            let [time, digest, mac] = parts[..] else {
                panic!("{signature}")
            };
            let (_, time) = time.split_once('=').expect("a time");
            times.push(time.parse::<i64>().expect("milliseconds"));
            let digest = digest.strip_prefix("body=").expect("a digest");
            assert_eq!(digest.len(), if body.is_empty() { 0 } else { 64 });
            let signed = format!("store\n{time}\nPUT\n{path}\n{digest}");
            let expected = Hmac::<Sha256>::new_from_slice(&[b'k'; 32]).expect("a key");
            let expected = hex::encode(expected.chain_update(signed).finalize().into_bytes());
            assert_eq!(mac, format!("v1={expected}"));
        }
        assert!(times[0] < times[1], "{times:?}");
    }
}
