//! `GET /ipcheck`.

use std::net::IpAddr;

use axum::Extension;
use axum::extract::{RawQuery, State};
use axum::response::Response;

use crate::http::api_error::ApiError;
use crate::ip::IpError;
use crate::router::bearer::Arrival;
use crate::router::body::Parameters;
use crate::router::error::ErrorReply;
use crate::router::listener_state::ListenerState;
use crate::router::reply::fresh;

pub(crate) async fn ipcheck(
    State(state): State<ListenerState>,
    Extension(caller): Extension<Arrival>,
    RawQuery(query): RawQuery,
) -> Result<Response, ErrorReply> {
    let parameters = Parameters::of_query(query.as_deref());
    let address: IpAddr = match parameters.text("ip") {
        Ok(None | Some("")) => return Err(ApiError::IpRequired.into()),
        Ok(Some(text)) => text.trim().parse().map_err(|_| ApiError::InvalidIp)?,
        Err(_) => return Err(ApiError::InvalidIp.into()),
    };
    let ip = state.service.ip();
    if let Some(found) = ip.at_hand(address) {
        return Ok(fresh(&found));
    }
    state.limits().look_up(caller.address)?;
    match ip.look_up(address).await {
        Ok(found) => Ok(fresh(&found)),
        Err(IpError::BudgetSpent { retry_after }) => {
            Err(ErrorReply::Wait(retry_after.as_secs().max(1)))
        }
        // The look-up has logged this, once for all callers.
        Err(IpError::Failed(_)) => Err(ApiError::IpLookupFailed.into()),
    }
}
