//! What a heartbeat says.

use std::sync::Arc;

use porchlight_api::text::LONGEST_NAME;
use porchlight_api::{HeartbeatFields, Rgba};

use super::decided::FixedStatus;
use super::front::{Front, Window};
use super::portrait::Portraits;
use super::rules::{self, Told};
use crate::settings::{Language, PresenceSettings};

/// The amber of a lamp: the light is on, and says no more.
fn lamp() -> Rgba {
    Rgba::opaque(255, 180, 84)
}

/// The owner is there, at nothing that is told.
pub(super) fn unnamed() -> HeartbeatFields {
    HeartbeatFields {
        application: String::new(),
        introduce: String::new(),
        rgba: lamp(),
        application_online: true,
    }
}

/// What the owner typed.
pub(super) fn fixed(status: &FixedStatus) -> HeartbeatFields {
    let rgba = match status.rgba.rgb() {
        Some(_) => status.rgba.clone(),
        None => lamp(),
    };
    HeartbeatFields {
        application: status.application.clone(),
        introduce: status.introduce.clone(),
        rgba,
        application_online: true,
    }
}

/// What the rules say of the window in front, or of none: that one is hidden
/// reads like one that is not known.
pub(super) async fn of(
    front: &Front,
    settings: &PresenceSettings,
    portraits: &mut Portraits,
) -> HeartbeatFields {
    let Front::Window(window) = front else {
        return unnamed();
    };
    let language = settings.language.unwrap_or_else(Language::of_the_system);
    match rules::ask(settings, language, window) {
        Told::Hidden => unnamed(),
        Told::Shown {
            name: Some(name),
            introduce,
            rgba: Some(rgba),
        } => shown(name, introduce, rgba),
        Told::Shown {
            name,
            introduce,
            rgba,
        } => {
            let portrait = portraits.of(window, language).await;
            shown(
                name.unwrap_or(portrait.name),
                introduce,
                rgba.unwrap_or(portrait.rgba),
            )
        }
    }
}

/// Whether nothing is told of this window.
pub(super) fn hides(settings: &PresenceSettings, window: &Arc<Window>) -> bool {
    rules::ask(settings, Language::English, window) == Told::Hidden
}

fn shown(name: String, introduce: String, rgba: Rgba) -> HeartbeatFields {
    HeartbeatFields {
        // A rule's name can hold a title of any length.
        application: name.chars().take(LONGEST_NAME).collect(),
        introduce,
        rgba,
        application_online: true,
    }
}
