//! Every path of the service on one screen.

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::routing::{MethodRouter, delete, get, post};
use porchlight_core::stats::Endpoint;

use crate::error::ErrorReply;
use crate::gate::{Counted, Gate};
use crate::listener_state::ListenerState;
use crate::routes::{self, images, ip, presence, stats};
use porchlight_api::ApiError;

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
            counted(Endpoint::RandomImage, get(images::random)),
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
        .fallback(not_found)
        .with_state(state.clone());
    Gate::new(router, state)
}

async fn not_found() -> ErrorReply {
    ApiError::NotFound.into()
}

async fn method_not_allowed() -> ErrorReply {
    ApiError::MethodNotAllowed.into()
}
