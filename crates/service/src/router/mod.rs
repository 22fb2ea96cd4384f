//! Every path of the service on one screen.

pub mod bearer;
pub mod body;
pub mod bounded;
pub mod client_address;
pub mod drain_body;
pub mod edge;
pub mod edge_clock;
pub mod error;
pub mod gate;
pub mod idle_connections;
pub mod limits;
pub mod listen;
pub mod listener_state;
pub mod places;
pub mod private;
pub mod range;
pub mod repeats;
pub mod reply;
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
use crate::router::gate::{Counted, Gate};
use crate::router::listener_state::ListenerState;
use crate::router::routes::{
    badge, clients, document, images, ip, lanyard, presence, random, stats, tools,
};
use crate::stats::Endpoint;

pub(crate) fn router(state: ListenerState) -> Gate<Router> {
    let counted = |endpoint: Endpoint, methods: MethodRouter<ListenerState>| {
        methods
            .route_layer(Counted::new(endpoint, state.service.stats().clone()))
            .fallback(method_not_allowed)
    };
    let upload = post(images::add).layer(DefaultBodyLimit::disable());
    let router = Router::new()
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
        .route(
            "/images/by-source/{sha256}",
            get(images::by_source).fallback(method_not_allowed),
        )
        .route(
            "/images/{hash}",
            counted(
                Endpoint::Image,
                get(images::image).merge(delete(images::delete)),
            ),
        )
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
        .route(
            "/widget.js",
            get(routes::widget).fallback(method_not_allowed),
        )
        .route(
            "/openapi.json",
            get(document::document).fallback(method_not_allowed),
        )
        .route("/docs", get(document::page).fallback(method_not_allowed))
        .route("/badge.json", get(badge::json).fallback(method_not_allowed))
        .route("/badge.svg", get(badge::badge).fallback(method_not_allowed))
        .route("/card.svg", get(badge::card).fallback(method_not_allowed))
        .route(
            "/v1/users/{id}",
            get(lanyard::user).fallback(method_not_allowed),
        )
        .route("/socket", get(lanyard::socket).fallback(method_not_allowed))
        .merge(clients(&state))
        .merge(tools(&state))
        .fallback(not_found)
        .with_state(state.clone());
    Gate::new(router, state)
}

/// The paths of other programs' clients.
fn clients(state: &ListenerState) -> Router<ListenerState> {
    let on = |methods| while_on(state, clients::are_on, methods);
    let client = |methods: MethodRouter<_>| on(methods.fallback(method_not_allowed));
    // A HEAD asks about an address, and must not report.
    let set = get(clients::sleepy_set).post(clients::sleepy_set);
    let set = set.head(only_get_and_post).fallback(only_get_and_post);
    let query = || client(get(clients::sleepy_query));
    Router::new()
        .route("/api/device/set", on(set.clone()))
        .route("/device/set", on(set))
        .route("/api/status/query", query())
        .route("/query", query())
        .route("/api/report", client(post(clients::live_report)))
        .route("/api/health", client(get(clients::live_health)))
        .route("/api/health-data", client(post(clients::live_health_data)))
        .route("/api/process-reporter", client(post(clients::mx_report)))
}

/// The upload APIs of other image hosts.
fn tools(state: &ListenerState) -> Router<ListenerState> {
    let on = |is_on, methods: MethodRouter<_>| {
        while_on(state, is_on, methods.fallback(method_not_allowed))
    };
    let lsky = |methods| on(tools::lsky_is_on, methods);
    let chevereto = |methods| on(tools::chevereto_is_on, methods);
    Router::new()
        .route("/api/v1/upload", lsky(post(tools::lsky_upload)))
        .route("/api/v1/images", lsky(get(tools::lsky_images)))
        .route("/api/v1/images/{key}", lsky(delete(tools::lsky_delete)))
        .route("/api/v1/{about}", lsky(get(tools::lsky_about)))
        .route("/api/upload", lsky(post(tools::lsky_1_upload)))
        .route("/api/1/upload", chevereto(post(tools::chevereto_upload)))
        .route("/api/1/upload/", chevereto(post(tools::chevereto_upload)))
        .layer(DefaultBodyLimit::disable())
}

/// A path that is 404 while it is off, whatever the method.
fn while_on(
    state: &ListenerState,
    is_on: fn(&ListenerState) -> bool,
    methods: MethodRouter<ListenerState>,
) -> MethodRouter<ListenerState> {
    let pass = move |State(state): State<ListenerState>, request: Request, next: Next| async move {
        match is_on(&state) {
            true => next.run(request).await,
            false => not_found().await.into_response(),
        }
    };
    methods.layer(from_fn_with_state(state.clone(), pass))
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
