//! What the window's first page shows, put together from the service and from
//! what the owner has decided.

use porchlight_api::Timestamp;
use porchlight_api::window::{Address, Home, Light, Picture};
use porchlight_core::{DatabaseError, images::StoredImage};

use super::links::link_to;
use crate::host::Host;

/// Pictures on the first page.
const NEWEST: u32 = 12;
/// Hours whose calls are drawn.
const HOURS: u16 = 24;

/// Reads everything on the first page.
///
/// # Errors
/// When the database fails.
pub(super) async fn read(host: &Host) -> Result<Home, DatabaseError> {
    let service = host.service();
    // Whoever has the window open wants to see the game that began just now;
    // what comes of it is told as a change.
    drop(service.game().look());
    let page = service.images().page(0, NEWEST).await?;
    let calls_by_hour = service.stats().by_hour(HOURS).await?;
    Ok(Home {
        light: light(host),
        sharing: host.sharing(),
        address: address(host),
        picture_count: page.total,
        newest: page
            .images
            .iter()
            .map(|image| picture(host, image))
            .collect(),
        calls_by_hour,
        telling: host.telling(),
        tunnel: host.tunnel(),
        watching: host.watching(),
        editors: host.editors(),
        game: host.game(),
        pictures_served: 0,
        tray: true,
        welcomed: true,
        needs_restart: false,
        version: env!("CARGO_PKG_VERSION").to_owned(),
    })
}

/// The light as readers see it, and why it is not fed if it should be.
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
        trouble: host.presence().borrow().reporter.trouble.clone(),
    }
}

fn address(host: &Host) -> Address {
    Address {
        url: host.blog_url(),
        public: host.settings().server.public_url.is_some(),
        // The app ends when its listener does, so a window always has both.
        port: Some(host.address().port()),
        trouble: None,
    }
}

fn picture(host: &Host, image: &StoredImage) -> Picture {
    Picture {
        hash: image.hash,
        width: image.width,
        height: image.height,
        size: image.size,
        source_size: 0,
        source_format: String::new(),
        animated: false,
        views: 0,
        created_at: image.created_at.as_millis(),
        url: link_to(host, image.hash),
    }
}
