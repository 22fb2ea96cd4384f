//! What the window's first page shows, put together from the service and from
//! what the owner has decided.

use porchlight_service::app::devices;
use porchlight_service::app::host::Host;
use porchlight_service::clock::timestamp::Timestamp;
use porchlight_service::db::DatabaseError;
use porchlight_service::game::window::GameGlance;
use porchlight_service::images::ImageSearch;
use porchlight_service::settings::sections::StorageKind;
use porchlight_service::status::window::alerts::Alert;
use porchlight_service::status::window::home::{Caches, Home, Light};

use super::links;
use super::pictures::picture;

/// Pictures on the first page.
const NEWEST: u32 = 12;
/// Hours whose calls are drawn.
const HOURS: u16 = 24;

/// Reads everything on the first page. `tray` is whether the icon is in one,
/// `alerts` what needs the owner.
///
/// # Errors
/// When the database fails.
pub(super) async fn read(
    host: &Host,
    alerts: Vec<Alert>,
    tray: bool,
) -> Result<Home, DatabaseError> {
    let service = host.service();
    // With the window open the owner wants to see a game that has just started;
    // the result is sent as a change.
    drop(service.game().look());
    let newest = service.images().search(ImageSearch::default(), 0, NEWEST);
    let newest = newest.await?;
    let pictures = newest.images.iter().map(|image| picture(host, image));
    Ok(Home {
        picture_count: newest.total,
        newest: pictures.collect(),
        calls_by_hour: service.stats().by_hour(HOURS).await?,
        pictures_served: service.stats().images_served(HOURS).await?,
        ..status(host, alerts, tray)
    })
}

/// Everything on the first page that is known without the database.
pub(super) fn status(host: &Host, alerts: Vec<Alert>, tray: bool) -> Home {
    Home {
        alerts,
        light: light(host),
        sharing: host.consent().sharing(),
        settling: host.consent().is_settling(),
        address: host.blog_address(),
        links: links::glance(host),
        caches: caches(host),
        picture_count: 0,
        newest: Vec::new(),
        readers_today: host.service().stats().readers_today(),
        calls_by_hour: Vec::new(),
        presence: host.presence(),
        devices: devices::glance(host),
        tunnel: host.tunnel(),
        edge: host.edge(),
        watching: host.watched_folders(),
        editors: host.editors(),
        game: game(host),
        pictures_served: 0,
        tray,
        welcomed: was_welcomed(host),
        file_problems: host.store().file_problems(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
    }
}

/// The status of the game. Without any Steam there is no error where the owner
/// has set nothing up; the page of the game shows what was found.
fn game(host: &Host) -> GameGlance {
    let settings = host.settings();
    let game = host.game();
    let set_up = settings.game.steam_api_key.is_some() || settings.game.steam_id.is_some();
    GameGlance {
        trouble: game.trouble.filter(|_| set_up || game.source.is_some()),
        ..game
    }
}

/// What can keep a deleted picture, beside browsers.
fn caches(host: &Host) -> Caches {
    let settings = host.settings();
    Caches {
        edge: settings.edge.url.is_some(),
        store: settings.storage.kind == StorageKind::S3 && settings.storage.storage_url.is_some(),
    }
}

/// Whether the owner was welcomed, or has set by hand what the welcome asks.
fn was_welcomed(host: &Host) -> bool {
    let settings = host.settings();
    settings.app.welcomed || settings.presence.enabled.is_some()
}

/// The presence as readers see it, and why no heartbeats come if they should.
pub(super) fn light(host: &Host) -> Light {
    let presence = host.service().presence();
    let check = presence.check();
    // Behaviour A knows of no fields: who is alive is there.
    let online = check
        .fields
        .as_ref()
        .map_or(check.alive, |fields| fields.application_online);
    let fields = check.fields.unwrap_or_default();
    Light {
        alive: check.alive,
        online,
        application: fields.application,
        introduce: fields.introduce,
        rgba: fields.rgba.to_string(),
        since: presence.since().map(Timestamp::as_millis),
        last_heartbeat: (check.last_heartbeat > 0).then_some(check.last_heartbeat),
        trouble: host.consent().presence().get().reporter.trouble,
    }
}
