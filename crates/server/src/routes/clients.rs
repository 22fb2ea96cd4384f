//! Clients of sleepy, live-dashboard and mx-space, which report as they are: 404 while
//! `devices.clients` is off. Each token is a device of its own, whatever a request calls it.

use std::time::Duration;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use porchlight_api::text::{LONGEST_LINE, LONGEST_NAME, one_line};
use porchlight_api::{ApiError, DeviceId, DeviceKind, Scope, Timestamp};
use porchlight_core::presence::{DeviceReport, ReportedContent, ReportedTrack};
use porchlight_core::tokens::Bearer;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::presence::{LONGEST_DEVICE_NAME, truth};
use crate::bearer::{Arrival, of_secret};
use crate::body::{Parameters, of_client};
use crate::error::ErrorReply;
use crate::listener_state::ListenerState;
use crate::reply::fresh;

/// Most of sleepy's clients report changes alone.
const SLEEPY: Duration = Duration::from_secs(4 * 60 * 60);
const LIVE_DASHBOARD: Duration = Duration::from_secs(180);
const MX_SPACE: Duration = Duration::from_secs(600);

/// What another program calls its token, in a header of its own.
const SLEEPY_SECRET: &str = "sleepy-secret";

/// Answers 404 while the paths are off, whatever the method.
pub(crate) async fn while_on(
    State(state): State<ListenerState>,
    request: Request,
    next: Next,
) -> Response {
    match state.service.presence().decisions().devices.clients {
        true => next.run(request).await,
        false => ErrorReply::from(ApiError::NotFound).into_response(),
    }
}

/// Whether the address of such a request may have a secret in it.
pub(crate) fn has_secret_in_query(path: &str) -> bool {
    matches!(path, "/api/device/set" | "/device/set")
}

/// Whose secret this is. A token that may do more than report has no place in an address.
async fn reporter(
    state: &ListenerState,
    arrival: Arrival,
    secret: Option<&str>,
) -> Result<Bearer, ErrorReply> {
    let bearer = of_secret(state, arrival, secret).await?;
    let is_one = bearer.scope == Scope::Heartbeat;
    is_one.then_some(bearer).ok_or(ApiError::Forbidden.into())
}

/// What a client says of its device, beside what is in use on it.
#[derive(Default)]
struct Said {
    valid_for: Duration,
    battery: Option<u8>,
    charging: Option<bool>,
}

/// Records what is in use on the device of the token that this secret is.
async fn report(
    state: &ListenerState,
    arrival: Arrival,
    secret: Option<&str>,
    said: Said,
    content: ReportedContent,
) -> Result<(), ErrorReply> {
    let bearer = reporter(state, arrival, secret).await?;
    state.limits.heartbeat(bearer)?;
    let name = state.service.tokens().name_of(bearer).await?;
    let report = DeviceReport {
        id: DeviceId::made_of(&name).ok_or(ApiError::Forbidden)?,
        token: bearer.number(),
        name: one_line(&name, LONGEST_DEVICE_NAME),
        kind: DeviceKind::Other,
        battery: said.battery,
        charging: said.charging,
        valid_for: Some(said.valid_for),
        content,
    };
    Ok(state.service.presence().report(report).await?)
}

/// `GET` and `POST /api/device/set`, and `/device/set` of version 4.
pub(crate) async fn sleepy_set(State(state): State<ListenerState>, request: Request) -> Response {
    let set = set_by_sleepy(&state, request).await;
    set.map_or_else(sleepy_error, |()| fresh(&json!({ "success": true })))
}

async fn set_by_sleepy(state: &ListenerState, request: Request) -> Result<(), ErrorReply> {
    let arrival = Arrival::of(&request);
    let (parts, body) = request.into_parts();
    let parameters = Parameters::of(&parts, &of_client(state, body).await?)?;
    let text = |name| parameters.text(name).map_err(|_| ApiError::InvalidBody);
    let header = parts.headers.get(SLEEPY_SECRET);
    let header = header.and_then(|value| value.to_str().ok());
    let secret = text("secret")?.or(header);
    let has_id = text("id")?.is_some_and(|id| !id.is_empty());
    let using = truth(&parameters, "using", ApiError::InvalidBody)?.unwrap_or(true);
    let app = text("status")?.or(text("app_name")?).unwrap_or_default();
    if !has_id {
        // The secret counts as wrong or right nevertheless.
        reporter(state, arrival, secret).await?;
        return Err(ApiError::InvalidDevice.into());
    }
    let said = Said {
        valid_for: if using { SLEEPY } else { Duration::ZERO },
        ..Said::default()
    };
    report(state, arrival, secret, said, in_use(&[app], "", using)).await
}

/// `GET /api/status/query`, and `/query` of version 4: what readers see, in the shape of sleepy.
pub(crate) async fn sleepy_query(State(state): State<ListenerState>) -> Response {
    let presence = state.service.presence();
    let check = presence.check();
    let is_online = check.alive && check.fields.is_none_or(|fields| fields.application_online);
    let status = match is_online {
        true => json!({ "id": 0, "name": "在线", "desc": "", "color": "awake" }),
        false => json!({ "id": 1, "name": "离线", "desc": "", "color": "sleeping" }),
    };
    let devices = presence.devices().into_iter().map(|device| {
        let shown = json!({
            "show_name": device.name, "using": device.online, "status": device.application,
            "fields": {}, "last_updated": device.last_heartbeat,
        });
        (device.id.to_string(), shown)
    });
    let devices: serde_json::Map<String, Value> = devices.collect();
    fresh(&json!({
        "success": true, "time": Timestamp::now().as_seconds(), "status": status,
        "device": devices, "last_updated": check.last_heartbeat,
    }))
}

/// The error in the shape of sleepy.
fn sleepy_error(error: ErrorReply) -> Response {
    let details = error.error().to_string();
    let mut response = error.into_response();
    let status = response.status();
    let body = fresh(&json!({
        "success": false, "code": status.as_u16(), "details": details,
        "message": status.canonical_reason(),
    }));
    *response.body_mut() = body.into_body();
    response
}

/// What live-dashboard's clients report. Their `timestamp` counts nothing: clocks differ.
#[derive(Deserialize)]
struct LiveReport {
    app_id: String,
    window_title: Option<String>,
    app_label: Option<String>,
    extra: Option<LiveExtra>,
}

#[derive(Default, Deserialize)]
struct LiveExtra {
    battery_percent: Option<f64>,
    battery_charging: Option<bool>,
    music: Option<Music>,
}

#[derive(Deserialize)]
struct Music {
    title: Option<String>,
    artist: Option<String>,
    app: Option<String>,
}

/// `POST /api/report`
pub(crate) async fn live_report(
    State(state): State<ListenerState>,
    request: Request,
) -> Result<Response, ErrorReply> {
    let arrival = Arrival::of(&request);
    // Before the body: the token is in a header.
    reporter(&state, arrival, None).await?;
    let LiveReport {
        app_id,
        window_title,
        app_label,
        extra,
    } = read(&state, request.into_body()).await?;
    let extra = extra.unwrap_or_default();
    let is_idle = app_id == "idle";
    // An app that Android does not name.
    let id = if app_id == "android" { "" } else { &app_id };
    let label = app_label.unwrap_or_default();
    let title = window_title.unwrap_or_default();
    let mut content = in_use(&[&label, id], &title, !is_idle);
    content.track = extra.music.and_then(track);
    let battery = extra
        .battery_percent
        .filter(|percent| (0.0..=100.0).contains(percent));
    let said = Said {
        valid_for: LIVE_DASHBOARD,
        battery: battery.map(whole),
        charging: extra.battery_charging,
    };
    report(&state, arrival, None, said, content).await?;
    Ok(fresh(&json!({ "ok": true })))
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "0 to 100"
)]
fn whole(percent: f64) -> u8 {
    percent.round() as u8
}

/// `GET /api/health`: live-dashboard's app tests an address with it.
pub(crate) async fn live_health() -> Response {
    fresh(&json!({ "ok": true }))
}

/// `POST /api/health-data`: it is not read.
pub(crate) async fn live_health_data(
    State(state): State<ListenerState>,
    request: Request,
) -> Result<Response, ErrorReply> {
    reporter(&state, Arrival::of(&request), None).await?;
    Ok(fresh(&json!({ "ok": true })))
}

/// What mx-space's clients report. Icons are read past.
#[derive(Deserialize)]
struct MxReport {
    key: Option<String>,
    process: Option<Process>,
    media: Option<Music>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Process {
    Name(String),
    App {
        name: Option<String>,
        description: Option<String>,
    },
}

/// `POST /api/process-reporter`
pub(crate) async fn mx_report(
    State(state): State<ListenerState>,
    request: Request,
) -> Result<Response, ErrorReply> {
    let arrival = Arrival::of(&request);
    let MxReport {
        key,
        process,
        media,
    } = read(&state, request.into_body()).await?;
    let (name, description) = match process {
        None => (None, None),
        Some(Process::Name(name)) => (Some(name), None),
        Some(Process::App { name, description }) => (name, description),
    };
    let name = name.unwrap_or_default();
    let mut content = in_use(&[&name], &description.unwrap_or_default(), true);
    content.track = media.and_then(track);
    let said = Said {
        valid_for: MX_SPACE,
        ..Said::default()
    };
    report(&state, arrival, key.as_deref(), said, content).await?;
    Ok(fresh(&json!({ "ok": 1 })))
}

async fn read<T: DeserializeOwned>(state: &ListenerState, body: Body) -> Result<T, ApiError> {
    let body = of_client(state, body).await?;
    serde_json::from_slice(&body).map_err(|_| ApiError::InvalidBody)
}

fn in_use(names: &[&str], title: &str, in_use: bool) -> ReportedContent {
    let names = names.iter().map(|name| one_line(name, LONGEST_NAME));
    ReportedContent {
        names: names.filter(|name| !name.is_empty()).collect(),
        title: one_line(title, LONGEST_LINE),
        in_use,
        ..ReportedContent::default()
    }
}

fn track(music: Music) -> Option<ReportedTrack> {
    let line = |text: Option<String>| one_line(&text.unwrap_or_default(), LONGEST_NAME);
    let title = line(music.title);
    (!title.is_empty()).then(|| ReportedTrack {
        player: line(music.app),
        title,
        artist: line(music.artist),
    })
}
