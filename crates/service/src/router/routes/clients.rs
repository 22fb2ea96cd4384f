//! Clients of sleepy, live-dashboard and mx-space, which report as they are: 404 while
//! `devices.clients` is off. They report with the token of a device, whatever a request calls it.

use std::time::Duration;

use axum::extract::{Request, State};
use axum::response::Response;
use http::StatusCode;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::presence::truth;
use crate::clock::timestamp::Timestamp;
use crate::devices::DeviceId;
use crate::http::api_error::ApiError;
use crate::presence::{DeviceReport, ReportedContent, ReportedTrack};
use crate::router::bearer::{Arrival, of_secret};
use crate::router::body::{Parameters, small, with_pictures};
use crate::router::error::ErrorReply;
use crate::router::listener_state::ListenerState;
use crate::router::reply::fresh;
use crate::text::{LONGEST_LINE, LONGEST_NAME, one_line};
use crate::tokens::Bearer;

/// Most of sleepy's clients report changes alone.
const SLEEPY: Duration = Duration::from_secs(4 * 60 * 60);
const LIVE_DASHBOARD: Duration = Duration::from_secs(180);
const MX_SPACE: Duration = Duration::from_secs(600);

/// What another program calls its token, in a header of its own.
const SLEEPY_SECRET: &str = "sleepy-secret";

pub(crate) fn are_on(state: &ListenerState) -> bool {
    state.service.presence().decisions().devices.clients
}

/// Whose secret this is: the device's. Any other token may do more, and has no place in an address.
async fn reporter(
    state: &ListenerState,
    arrival: &Arrival,
    secret: Option<&str>,
) -> Result<(DeviceId, Bearer), ErrorReply> {
    let mut bearer = of_secret(state, arrival, secret).await?;
    let device = bearer.device.take().ok_or(ApiError::Forbidden)?;
    Ok((device, bearer))
}

/// What a client says of its device, beside what is in use on it.
#[derive(Default)]
struct ClientFields {
    valid_for: Duration,
    battery: Option<u8>,
    charging: Option<bool>,
}

/// Records what is in use on the device of the token that this secret is.
async fn report(
    state: &ListenerState,
    arrival: &Arrival,
    secret: Option<&str>,
    fields: ClientFields,
    content: ReportedContent,
) -> Result<(), ErrorReply> {
    let (id, bearer) = reporter(state, arrival, secret).await?;
    state.limits().heartbeat(&bearer)?;
    let report = DeviceReport {
        id,
        battery: fields.battery,
        charging: fields.charging,
        valid_for: Some(fields.valid_for),
        content,
    };
    Ok(state.service.presence().report(report).await?)
}

/// `GET` and `POST /api/device/set`, and `/device/set` of version 4.
pub(crate) async fn sleepy_set(
    State(state): State<ListenerState>,
    request: Request,
) -> Result<Response, ErrorReply> {
    let arrival = Arrival::of(request.extensions());
    let header = request.headers().get(SLEEPY_SECRET).cloned();
    let header = header.as_ref().and_then(|value| value.to_str().ok());
    let parameters = Parameters::of_request(request).await?;
    let text = |name| parameters.text(name).map_err(|_| ApiError::InvalidBody);
    let secret = text("secret")?.or(header);
    let using = using(&parameters)?;
    let status = text("status")?.filter(|status| !status.is_empty());
    let status = status.or(text("app_name")?).unwrap_or_default();
    let (app, battery) = read_status(status);
    let mut content = in_use(&[app], "", using);
    content.is_one_text = battery.is_none();
    let fields = ClientFields {
        valid_for: if using { SLEEPY } else { Duration::ZERO },
        battery: battery.map(|(percent, _)| percent),
        charging: battery.map(|(_, charging)| charging),
    };
    report(&state, &arrival, secret, fields, content).await?;
    Ok(fresh(&json!({ "success": true })))
}

/// Whether the device is used, in the words that sleepy reads.
fn using(parameters: &Parameters) -> Result<bool, ApiError> {
    const WORDS: [&str; 7] = ["t", "yes", "y", "on", "enable", "active", "positive"];
    const NEGATIONS: [&str; 7] = ["f", "no", "n", "off", "disable", "inactive", "negative"];
    if let Ok(Some(word)) = parameters.text("using") {
        let is_in = |words: [&str; 7]| words.iter().any(|known| word.eq_ignore_ascii_case(known));
        if is_in(WORDS) || is_in(NEGATIONS) {
            return Ok(is_in(WORDS));
        }
    }
    let using = truth(parameters, "using").map_err(|_| ApiError::InvalidBody)?;
    Ok(using.unwrap_or(true))
}

/// The app or the title in the one text of a client of sleepy, and the battery of a phone in percent
/// with whether it is being charged. The clients for Android write that beside the name of the app;
/// the one for Windows writes what plays before the title.
fn read_status(text: &str) -> (&str, Option<(u8, bool)>) {
    let text = text.trim();
    if let Some((app, battery)) = of_phone(text) {
        return (app, Some(battery));
    }
    let window = match text.strip_prefix("[♪") {
        Some(playing) => playing.split_once("] ").map_or("", |(_, window)| window),
        None if text.starts_with('♪') => "",
        None => text,
    };
    (window, None)
}

/// `[85%] App`, `[85% +] App`, `App[85%]⚡` or `App[85%]🔋`.
fn of_phone(text: &str) -> Option<(&str, (u8, bool))> {
    let percent = |text: &str| {
        let percent = text.strip_suffix('%')?.parse().ok()?;
        (0..=100).contains(&percent).then_some(percent)
    };
    let before = text
        .strip_prefix('[')
        .and_then(|rest| rest.split_once("] "));
    if let Some((battery, app)) = before {
        let charged = battery.strip_suffix(" +");
        let percent = percent(charged.unwrap_or(battery))?;
        return Some((app, (percent, charged.is_some())));
    }
    // Some keyboards end the sign with a selector.
    let text = text.trim_end_matches('\u{fe0f}');
    let charged = text.strip_suffix('⚡');
    let after = charged.or_else(|| text.strip_suffix('🔋'))?;
    let (app, battery) = after.strip_suffix(']')?.rsplit_once('[')?;
    Some((app, (percent(battery)?, charged.is_some())))
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

/// An error in the shape of sleepy.
pub(super) fn sleepy_error(status: StatusCode, message: &str) -> (StatusCode, Value) {
    let details = status.canonical_reason();
    let error = json!({
        "success": false, "code": status.as_u16(), "details": details, "message": message,
    });
    (status, error)
}

/// What live-dashboard's clients report. Their `timestamp` counts nothing: clocks differ. As
/// live-dashboard reads them, what is of another type is not there.
#[derive(Deserialize)]
struct LiveReport {
    app_id: String,
    #[serde(default)]
    window_title: Value,
    #[serde(default)]
    app_label: Value,
    #[serde(default)]
    extra: Value,
}

#[derive(Deserialize)]
struct Music {
    title: Option<String>,
    artist: Option<String>,
    #[serde(alias = "processName")]
    app: Option<String>,
}

/// `POST /api/report`
pub(crate) async fn live_report(
    State(state): State<ListenerState>,
    request: Request,
) -> Result<Response, ErrorReply> {
    let arrival = Arrival::of(request.extensions());
    // Before the body: the token is in a header.
    reporter(&state, &arrival, None).await?;
    let reported: LiveReport = parsed(&small(request.into_body()).await?)?;
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    // An app that Android does not name.
    let id = match &*reported.app_id {
        "android" => "",
        id => id,
    };
    let label = text(&reported.app_label);
    let is_idle = id == "idle";
    let mut content = in_use(&[&label, id], &text(&reported.window_title), !is_idle);
    let music = Music::deserialize(&reported.extra["music"]).ok();
    content.track = music.and_then(track);
    let battery = reported.extra["battery_percent"].as_f64();
    let battery = battery.filter(|percent| (0.0..=100.0).contains(percent));
    let fields = ClientFields {
        valid_for: LIVE_DASHBOARD,
        battery: battery.map(whole),
        charging: reported.extra["battery_charging"].as_bool(),
    };
    report(&state, &arrival, None, fields, content).await?;
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
    reporter(&state, &Arrival::of(request.extensions()), None).await?;
    Ok(fresh(&json!({ "ok": true })))
}

/// What mx-space's clients report. The foreground app is its name, or an object with it.
#[derive(Deserialize)]
struct MxReport {
    key: Option<String>,
    process: Option<Value>,
    media: Option<Music>,
}

/// `POST /api/process-reporter`
pub(crate) async fn mx_report(
    State(state): State<ListenerState>,
    request: Request,
) -> Result<Response, ErrorReply> {
    let arrival = Arrival::of(request.extensions());
    let body = request.into_body();
    let MxReport {
        key,
        process,
        media,
    } = with_pictures(&state, arrival.unknown(), body, |body| parsed(&body)).await?;
    let process = process.unwrap_or_default();
    let text = |value: &Value| match value {
        Value::Null => Ok(String::new()),
        Value::String(text) => Ok(text.clone()),
        _ => Err(ApiError::InvalidBody),
    };
    let (name, description) = match process.as_object() {
        Some(_) => (text(&process["name"])?, text(&process["description"])?),
        None => (text(&process)?, String::new()),
    };
    let mut content = in_use(&[&name], &description, true);
    content.track = media.and_then(track);
    let fields = ClientFields {
        valid_for: MX_SPACE,
        ..ClientFields::default()
    };
    report(&state, &arrival, key.as_deref(), fields, content).await?;
    Ok(fresh(&json!({ "ok": 1 })))
}

/// An object; of an array serde would take the fields in their order.
fn parsed<T: DeserializeOwned>(body: &[u8]) -> Result<T, ApiError> {
    let object = body.trim_ascii_start().starts_with(b"{").then_some(body);
    let parsed = object.and_then(|body| serde_json::from_slice(body).ok());
    parsed.ok_or(ApiError::InvalidBody)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_one_text_of_sleepys_clients_is_an_app_with_a_battery_or_a_title() {
        for (text, app, battery) in [
            ("Maps", "Maps", None),
            ("[85%] 微信", "微信", Some((85, false))),
            ("[100% +] 微信", "微信", Some((100, true))),
            ("微信[7%]🔋", "微信", Some((7, false))),
            ("A[1]b[85%]⚡\u{fe0f}", "A[1]b", Some((85, true))),
            ("[101%] Maps", "[101%] Maps", None),
            ("[draft] Maps", "[draft] Maps", None),
            ("Maps[x%]🔋", "Maps[x%]🔋", None),
            ("[♪A song...] plan.rs - Editor", "plan.rs - Editor", None),
            ("[♪A song] ", "", None),
            ("♪A song-An artist-An album", "", None),
            (" ", "", None),
        ] {
            assert_eq!(read_status(text), (app, battery), "{text}");
        }
    }
}
