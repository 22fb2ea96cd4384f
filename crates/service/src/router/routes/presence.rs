//! `GET /check`, `GET /devices` and `POST /heartbeat`.

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
    let id = match parameters.get("device") {
        // Ids have no plus, but any number may be an id: 1e+20 becomes 1e20.
        Some(ParameterValue::Number(number)) => Some(number.replace('+', "").parse()),
        _ => {
            let text = parameters.text("device");
            text.map_err(|_| ApiError::InvalidDevice)?.map(str::parse)
        }
    };
    id.transpose().map_err(|_| ApiError::InvalidDevice)
}

/// The report of a device. Its name and its kind are checked; those of its owner count.
fn report(
    id: DeviceId,
    parameters: &Parameters,
    fields: &HeartbeatFields,
) -> Result<DeviceReport, ApiError> {
    let text = |name, error| parameters.text(name).map_err(|_| error);
    if let Some(name) = text("deviceName", ApiError::InvalidDeviceName)?.map(clean)
        && (name.trim().is_empty() || !is_plain(&name, LONGEST_DEVICE_NAME))
    {
        return Err(ApiError::InvalidDeviceName);
    }
    if let Some(kind) = text("kind", ApiError::InvalidKind)? {
        kind.parse::<DeviceKind>()
            .map_err(|_| ApiError::InvalidKind)?;
    }
    let battery = text("battery", ApiError::InvalidBattery)?.map(str::parse);
    let battery: Option<u8> = battery.transpose().map_err(|_| ApiError::InvalidBattery)?;
    Ok(DeviceReport {
        id,
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
    })
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
        Some(ParameterValue::Truth(truth)) => *truth,
        Some(ParameterValue::Text(text) | ParameterValue::Number(text)) => match text.trim() {
            "1" => true,
            "0" | "" => false,
            word if word.eq_ignore_ascii_case("true") => true,
            word if word.eq_ignore_ascii_case("false") => false,
            _ => return Err(error),
        },
        Some(ParameterValue::Unusable) => return Err(error),
    }))
}

fn is_plain(text: &str, longest: usize) -> bool {
    text.chars().count() <= longest && !text.chars().any(char::is_control)
}
