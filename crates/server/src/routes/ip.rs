//! `GET /ipcheck`.

use std::net::IpAddr;

use axum::extract::{RawQuery, State};
use axum::response::Response;
use porchlight_api::ApiError;
use porchlight_core::ip::IpError;

use crate::body::Parameters;
use crate::door::Door;
use crate::error::ErrorReply;
use crate::reply::fresh;

pub(crate) async fn ipcheck(
    State(door): State<Door>,
    RawQuery(query): RawQuery,
) -> Result<Response, ErrorReply> {
    let parameters = Parameters::of_query(query.as_deref());
    let address: IpAddr = match parameters.text("ip") {
        Ok(None | Some("")) => return Err(ApiError::IpRequired.into()),
        Ok(Some(text)) => text.trim().parse().map_err(|_| ApiError::InvalidIp)?,
        Err(_) => return Err(ApiError::InvalidIp.into()),
    };
    match door.service.ip().look_up(address).await {
        Ok(found) => Ok(fresh(&found)),
        Err(IpError::BudgetSpent { retry_after }) => {
            Err(ErrorReply::Wait(retry_after.as_secs().max(1)))
        }
        Err(IpError::Failed(cause)) => {
            tracing::warn!(%cause, "an IP look-up failed");
            Err(ApiError::IpLookupFailed.into())
        }
    }
}
