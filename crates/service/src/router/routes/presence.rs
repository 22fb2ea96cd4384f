//! `GET /check`, `GET /devices` and `POST /heartbeat`.

use std::str::FromStr;

use axum::body::Body;
use axum::extract::State;
use axum::response::Response;
use http::Request;

use crate::devices::{DeviceId, DeviceKind, DevicesReply};
use crate::http::api_error::ApiError;
use crate::http::replies::{HeartbeatFields, HeartbeatReply};
use crate::presence::{DeviceReport, ReportedContent};
use crate::router::bearer::MayReport;
use crate::router::body::{ParameterValue, Parameters};
use crate::router::error::ErrorReply;
use crate::router::listener_state::ListenerState;
use crate::router::reply::fresh;
use crate::text::rgba::Rgba;
use crate::text::{LONGEST_DEVICE_NAME, LONGEST_LINE, LONGEST_NAME, clean};

pub(crate) async fn check(State(state): State<ListenerState>) -> Response {
    fresh(&state.service.presence().check())
}

pub(crate) async fn devices(State(state): State<ListenerState>) -> Response {
    let mut devices = state.service.presence().devices();
    for device in &mut devices {
        device.valid_until = None;
    }
    fresh(&DevicesReply { devices })
}

pub(crate) async fn heartbeat(
    MayReport(device): MayReport,
    State(state): State<ListenerState>,
    request: Request<Body>,
) -> Result<Response, ErrorReply> {
    let presence = state.service.presence();
    let with_fields = presence.with_fields();
    let parameters = Parameters::of_request(request).await;
    let parameters = match parameters {
        // Without fields nothing is wrong about them.
        Err(_) if !with_fields => Parameters::default(),
        parameters => parameters?,
    };
    let fields = match fields(&parameters) {
        Err(_) if !with_fields => HeartbeatFields::default(),
        fields => fields?,
    };
    let named = named(&parameters)?;
    if named.is_some() && named != device {
        return Err(ApiError::Forbidden.into());
    }
    let report = device.map(|id| report(id, &parameters, &fields));
    let fields = with_fields.then_some(fields);
    match report.transpose()? {
        Some(report) => presence.report(report).await?,
        None => presence.record(fields.clone()).await?,
    }
    Ok(fresh(&HeartbeatReply {
        message: "Heartbeat received".to_owned(),
        fields,
    }))
}

/// The device that the request names; `None` where it names none.
fn named(parameters: &Parameters) -> Result<Option<DeviceId>, ApiError> {
    match parameters.get("device") {
        // Ids have no plus, but any number may be an id: 1e+20 becomes 1e20.
        Some(ParameterValue::Number(number)) => {
            let id = number.replace('+', "").parse();
            id.map(Some).map_err(|_| ApiError::Invalid("device"))
        }
        _ => parsed(parameters, "device"),
    }
}

/// The report of a device. Its name and its kind are checked; those of its owner count.
fn report(
    id: DeviceId,
    parameters: &Parameters,
    fields: &HeartbeatFields,
) -> Result<DeviceReport, ApiError> {
    let name = plain(parameters, "deviceName", LONGEST_DEVICE_NAME)?;
    if name.is_some_and(|name| name.trim().is_empty()) {
        return Err(ApiError::Invalid("deviceName"));
    }
    parsed::<DeviceKind>(parameters, "kind")?;
    Ok(DeviceReport {
        id,
        battery: match parsed(parameters, "battery")? {
            Some(101..) => return Err(ApiError::Invalid("battery")),
            battery => battery,
        },
        charging: truth(parameters, "charging")?,
        valid_for: None,
        content: ReportedContent {
            names: vec![fields.application.clone()],
            title: fields.introduce.clone(),
            rgba: fields.rgba.clone(),
            in_use: fields.application_online,
            ..ReportedContent::default()
        },
    })
}

fn fields(parameters: &Parameters) -> Result<HeartbeatFields, ApiError> {
    let text = |name, longest| Ok(plain(parameters, name, longest)?.unwrap_or_default());
    Ok(HeartbeatFields {
        application: text("application", LONGEST_NAME)?,
        introduce: text("introduce", LONGEST_LINE)?,
        rgba: parsed(parameters, "rgba")?.unwrap_or_else(Rgba::none),
        application_online: truth(parameters, "applicationOnline")?.unwrap_or_default(),
        track: None,
    })
}

/// What a text was read as, if one was given.
fn parsed<T: FromStr>(parameters: &Parameters, name: &'static str) -> Result<Option<T>, ApiError> {
    let parsed = parameters.text(name)?.map(str::parse).transpose();
    parsed.map_err(|_| ApiError::Invalid(name))
}

/// A cleaned text of at most so many characters, if one was given.
fn plain(
    parameters: &Parameters,
    name: &'static str,
    longest: usize,
) -> Result<Option<String>, ApiError> {
    let text = parameters.text(name)?.map(clean);
    match text {
        Some(text) if !is_plain(&text, longest) => Err(ApiError::Invalid(name)),
        text => Ok(text),
    }
}

/// What was given, if anything was.
pub(super) fn truth(parameters: &Parameters, name: &'static str) -> Result<Option<bool>, ApiError> {
    let text = match parameters.get(name) {
        Some(ParameterValue::Truth(truth)) => return Ok(Some(*truth)),
        _ => parameters.text(name)?,
    };
    Ok(match text.map(str::trim) {
        None => None,
        Some("1") => Some(true),
        Some("0" | "") => Some(false),
        Some(word) if word.eq_ignore_ascii_case("true") => Some(true),
        Some(word) if word.eq_ignore_ascii_case("false") => Some(false),
        Some(_) => return Err(ApiError::Invalid(name)),
    })
}

fn is_plain(text: &str, longest: usize) -> bool {
    text.chars().count() <= longest && !text.chars().any(char::is_control)
}
