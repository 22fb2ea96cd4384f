//! Every path of the service on one screen; those of editors are in `routes::picgo`.

pub mod bearer;
pub mod body;
pub mod client_address;
pub mod connection;
pub mod edge;
pub mod error;
pub mod gate;
pub mod limits;
pub mod listen;
pub mod listener_state;
pub mod places;
pub mod private;
pub mod range;
pub mod repeats;
pub mod reply;
pub mod request_body;
pub mod routes;
pub mod socket;

use axum::Router;
use axum::extract::{DefaultBodyLimit, Request, State};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse as _, Response};
use axum::routing::{MethodRouter, delete, get, post};
use http::header::ALLOW;

use crate::http::api_error::ApiError;
use crate::router::error::ErrorReply;
use crate::router::listener_state::ListenerState;
use crate::router::routes::{
    badge, clients, document, images, ip, lanyard, presence, random, stats, tools,
};
use crate::stats::Endpoint;

/// Every path, and the layers that a request passes on its way there: the gate, then the switch of
/// other programs' paths or the count of calls.
pub(crate) fn router(state: ListenerState) -> Router {
    let counted = |endpoint: Endpoint, methods: MethodRouter<ListenerState>| {
        let stats = state.service.stats().clone();
        methods.route_layer(from_fn_with_state((endpoint, stats), gate::count))
    };
    let image = get(images::image).delete(images::delete);
    let upload = post(images::add).layer(DefaultBodyLimit::disable());
    let switched = |is_on: IsOn| from_fn_with_state((state.clone(), is_on), while_on);
    Router::new()
        .route("/", counted(Endpoint::Root, get(routes::greeting)))
        .route("/sysinfo", counted(Endpoint::SysInfo, get(routes::sysinfo)))
        .route(
            "/heartbeat",
            counted(Endpoint::Heartbeat, post(presence::heartbeat)),
        )
        .route("/check", counted(Endpoint::Check, get(presence::check)))
        .route(
            "/devices",
            counted(Endpoint::Devices, get(presence::devices)),
        )
        .route(
            "/random_image",
            counted(Endpoint::RandomImage, get(random::random)),
        )
        .route("/images/add", counted(Endpoint::AddImage, upload))
        .route(
            "/images/list",
            counted(Endpoint::ListImages, get(images::list)),
        )
        .route(
            "/images/count",
            counted(Endpoint::CountImages, get(images::count)),
        )
        .route("/images/by-source/{sha256}", get(images::by_source))
        .route("/images/{hash}", counted(Endpoint::Image, image))
        .route(
            "/i/{hash}",
            counted(Endpoint::ShortImage, get(images::short)),
        )
        .route(
            "/i/{hash}/{name}",
            counted(Endpoint::ShortImage, get(images::named)),
        )
        .route(
            "/game_status",
            counted(Endpoint::GameStatus, get(routes::game_status)),
        )
        .route("/ipcheck", counted(Endpoint::IpCheck, get(ip::ipcheck)))
        .route("/api_stats", counted(Endpoint::ApiStats, get(stats::all)))
        .route(
            "/api_stats/{*key}",
            counted(Endpoint::ApiStat, get(stats::one)),
        )
        .route("/widget.js", get(routes::widget))
        .route("/openapi.json", get(document::document))
        .route("/docs", get(document::page))
        .route("/badge.json", get(badge::json))
        .route("/badge.svg", get(badge::badge))
        .route("/card.svg", get(badge::card))
        .route("/v1/users/{id}", get(lanyard::user))
        .route("/socket", get(lanyard::socket))
        .method_not_allowed_fallback(method_not_allowed)
        .merge(clients().layer(switched(clients::are_on)))
        .merge(lsky().layer(switched(tools::lsky_is_on)))
        .merge(chevereto().layer(switched(tools::chevereto_is_on)))
        .fallback(not_found)
        .layer(from_fn_with_state(state.clone(), gate::pass))
        .with_state(state)
}

/// The paths of other programs' clients.
fn clients() -> Router<ListenerState> {
    // A HEAD asks about an address, and must not report.
    let set = get(clients::sleepy_set).post(clients::sleepy_set);
    let set = set.head(only_get_and_post).fallback(only_get_and_post);
    Router::new()
        .route("/api/device/set", set.clone())
        .route("/device/set", set)
        .route("/api/status/query", get(clients::sleepy_query))
        .route("/query", get(clients::sleepy_query))
        .route("/api/report", post(clients::live_report))
        .route("/api/health", get(clients::live_health))
        .route("/api/health-data", post(clients::live_health_data))
        .route("/api/process-reporter", post(clients::mx_report))
        .method_not_allowed_fallback(method_not_allowed)
}

/// The upload API of Lsky Pro, of both versions.
fn lsky() -> Router<ListenerState> {
    Router::new()
        .route("/api/v1/upload", post(tools::lsky_upload))
        .route("/api/v1/images", get(tools::lsky_images))
        .route("/api/v1/images/{key}", delete(tools::lsky_delete))
        .route("/api/v1/{about}", get(tools::lsky_about))
        .route("/api/upload", post(tools::lsky_1_upload))
        .method_not_allowed_fallback(method_not_allowed)
        .layer(DefaultBodyLimit::disable())
}

/// The upload API of Chevereto.
fn chevereto() -> Router<ListenerState> {
    Router::new()
        .route("/api/1/upload", post(tools::chevereto_upload))
        .route("/api/1/upload/", post(tools::chevereto_upload))
        .method_not_allowed_fallback(method_not_allowed)
        .layer(DefaultBodyLimit::disable())
}

/// Whether the paths of other programs are on now.
type IsOn = fn(&ListenerState) -> bool;

/// A path that is 404 while it is off, whatever the method.
async fn while_on(
    State((state, is_on)): State<(ListenerState, IsOn)>,
    request: Request,
    next: Next,
) -> Response {
    match is_on(&state) {
        true => next.run(request).await,
        false => not_found().await.into_response(),
    }
}

async fn not_found() -> ErrorReply {
    ApiError::NotFound.into()
}

async fn method_not_allowed() -> ErrorReply {
    ApiError::MethodNotAllowed.into()
}

async fn only_get_and_post() -> Response {
    ([(ALLOW, "GET,POST")], method_not_allowed().await).into_response()
}
