//! What the window's first page shows, put together from the service and from
//! what the owner has decided.

use porchlight_api::GameStatus;
use porchlight_api::window::{
    Address, EditorsGlance, GameGlance, Home, Light, Picture, Telling, TunnelGlance, WatchGlance,
};
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
        telling: Telling {
            preview: None,
            pause: None,
            fixed: None,
            away: None,
            hidden: false,
            lacks: Vec::new(),
            trouble: None,
            next_try: None,
        },
        tunnel: TunnelGlance::Off,
        watching: WatchGlance {
            folders: Vec::new(),
            paused: false,
            waiting: 0,
            set_aside: 0,
            under_way: Vec::new(),
            trouble: None,
        },
        editors: EditorsGlance::Off,
        game: GameGlance {
            status: GameStatus::ONLINE.to_owned(),
            game: None,
            source: None,
            hidden: None,
            trouble: None,
        },
        pictures_served: 0,
        tray: true,
        welcomed: true,
        needs_restart: host.needs_restart(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
    })
}

/// The light as readers see it, and why it is not fed if it should be.
pub(super) fn light(host: &Host) -> Light {
    let check = host.service().presence().check();
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
        since: None,
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
