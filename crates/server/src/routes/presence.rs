//! `GET /check` and `POST /heartbeat`.

use axum::body::Body;
use axum::extract::State;
use axum::response::Response;
use http::Request;
use porchlight_api::text::{LONGEST_LINE, LONGEST_NAME, clean};
use porchlight_api::{ApiError, HeartbeatFields, HeartbeatReply, Rgba};

use crate::bearer::MayReport;
use crate::body::{Given, Parameters};
use crate::error::ErrorReply;
use crate::listener_state::ListenerState;
use crate::reply::fresh;

pub(crate) async fn check(State(state): State<ListenerState>) -> Response {
    fresh(&state.service.presence().check())
}

pub(crate) async fn heartbeat(
    _: MayReport,
    State(state): State<ListenerState>,
    request: Request<Body>,
) -> Result<Response, ErrorReply> {
    let presence = state.service.presence();
    let fields = if presence.with_fields() {
        Some(fields(&Parameters::of_request(request).await?)?)
    } else {
        None
    };
    presence.record(fields.clone()).await?;
    Ok(fresh(&HeartbeatReply {
        message: "Heartbeat received".to_owned(),
        fields,
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
        application_online: match parameters.get("applicationOnline") {
            None => false,
            Some(Given::Truth(truth)) => *truth,
            Some(Given::Text(text)) => match text.trim() {
                "1" => true,
                "0" | "" => false,
                word if word.eq_ignore_ascii_case("true") => true,
                word if word.eq_ignore_ascii_case("false") => false,
                _ => return Err(ApiError::InvalidApplicationOnline),
            },
            Some(Given::Unusable) => return Err(ApiError::InvalidApplicationOnline),
        },
    })
}

fn is_plain(text: &str, longest: usize) -> bool {
    text.chars().count() <= longest && !text.chars().any(char::is_control)
}
