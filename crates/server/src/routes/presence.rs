//! `GET /check`, `GET /devices` and `POST /heartbeat`.

use axum::body::Body;
use axum::extract::State;
use axum::response::Response;
use http::Request;
use porchlight_api::text::{LONGEST_DEVICE_NAME, LONGEST_LINE, LONGEST_NAME, clean};
use porchlight_api::{ApiError, DeviceId, DevicesReply, HeartbeatFields, HeartbeatReply, Rgba};
use porchlight_core::presence::{DeviceReport, ReportedContent};
use porchlight_core::tokens::Bearer;

use crate::bearer::MayReport;
use crate::body::{Given, Parameters};
use crate::error::ErrorReply;
use crate::listener_state::ListenerState;
use crate::reply::fresh;

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
    MayReport(bearer): MayReport,
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
    let device = device(&parameters, &fields, bearer)?;
    let fields = with_fields.then_some(fields);
    match device {
        Some(device) => presence.report(device).await?,
        None => presence.record(fields.clone()).await?,
    }
    Ok(fresh(&HeartbeatReply {
        message: "Heartbeat received".to_owned(),
        fields,
    }))
}

/// The report of the device that the request names; `None` where it names none.
fn device(
    parameters: &Parameters,
    fields: &HeartbeatFields,
    bearer: Bearer,
) -> Result<Option<DeviceReport>, ApiError> {
    let text = |name, error| parameters.text(name).map_err(|_| error);
    let Some(id) = text("device", ApiError::InvalidDevice)? else {
        return Ok(None);
    };
    // Ids have no plus, but any number may be an id: 1e+20 becomes 1e20.
    let id = match parameters.get("device") {
        Some(Given::Number(number)) => number.replace('+', "").parse(),
        _ => id.parse(),
    };
    let id: DeviceId = id.map_err(|_| ApiError::InvalidDevice)?;
    let name = text("deviceName", ApiError::InvalidDeviceName)?;
    let name = name.map_or_else(|| id.to_string(), clean);
    if name.trim().is_empty() || !is_plain(&name, LONGEST_DEVICE_NAME) {
        return Err(ApiError::InvalidDeviceName);
    }
    let kind = text("kind", ApiError::InvalidKind)?.map(str::parse);
    let battery = text("battery", ApiError::InvalidBattery)?.map(str::parse);
    let battery: Option<u8> = battery.transpose().map_err(|_| ApiError::InvalidBattery)?;
    Ok(Some(DeviceReport {
        id,
        token: bearer.number(),
        name,
        kind: kind
            .transpose()
            .map_err(|_| ApiError::InvalidKind)?
            .unwrap_or_default(),
        battery: match battery {
            Some(101..) => return Err(ApiError::InvalidBattery),
            battery => battery,
        },
        charging: truth(parameters, "charging", ApiError::InvalidCharging)?,
        valid_for: None,
        content: ReportedContent {
            names: vec![fields.application.clone()],
            title: fields.introduce.clone(),
            rgba: fields.rgba.clone(),
            in_use: fields.application_online,
            ..ReportedContent::default()
        },
    }))
}

fn fields(parameters: &Parameters) -> Result<HeartbeatFields, ApiError> {
    let text = |name, longest, error: ApiError| match parameters.text(name) {
        Ok(None) => Ok(String::new()),
        Ok(Some(text)) => Some(clean(text))
            .filter(|text| is_plain(text, longest))
            .ok_or(error),
        Err(_) => Err(error),
    };
    Ok(HeartbeatFields {
        application: text("application", LONGEST_NAME, ApiError::InvalidApplication)?,
        introduce: text("introduce", LONGEST_LINE, ApiError::InvalidIntroduce)?,
        rgba: match parameters.text("rgba") {
            Ok(None) => Rgba::none(),
            Ok(Some(text)) => text.parse().map_err(|_| ApiError::InvalidRgba)?,
            Err(_) => return Err(ApiError::InvalidRgba),
        },
        application_online: truth(
            parameters,
            "applicationOnline",
            ApiError::InvalidApplicationOnline,
        )?
        .unwrap_or_default(),
        track: None,
    })
}

/// What was given, if anything was.
pub(super) fn truth(
    parameters: &Parameters,
    name: &str,
    error: ApiError,
) -> Result<Option<bool>, ApiError> {
    Ok(Some(match parameters.get(name) {
        None => return Ok(None),
        Some(Given::Truth(truth)) => *truth,
        Some(Given::Text(text) | Given::Number(text)) => match text.trim() {
            "1" => true,
            "0" | "" => false,
            word if word.eq_ignore_ascii_case("true") => true,
            word if word.eq_ignore_ascii_case("false") => false,
            _ => return Err(error),
        },
        Some(Given::Unusable) => return Err(error),
    }))
}

fn is_plain(text: &str, longest: usize) -> bool {
    text.chars().count() <= longest && !text.chars().any(char::is_control)
}
