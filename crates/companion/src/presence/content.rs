//! The content of a heartbeat.

use std::sync::Arc;

use porchlight_api::text::LONGEST_NAME;
use porchlight_api::{HeartbeatFields, Rgba};

use super::app_metadata::AppMetadataCache;
use super::foreground::{Foreground, Track, Window};
use super::overrides::FixedStatus;
use super::rules::{self, Decision};
use crate::settings::{Language, PresenceSettings};

/// The default colour: amber, for presence without an app.
fn default_colour() -> Rgba {
    Rgba::opaque(255, 180, 84)
}

/// The owner is there, without an app that is shared.
pub(super) fn unnamed() -> HeartbeatFields {
    HeartbeatFields {
        application: String::new(),
        introduce: String::new(),
        rgba: default_colour(),
        application_online: true,
    }
}

pub(super) fn fixed(status: &FixedStatus) -> HeartbeatFields {
    let rgba = match status.rgba.rgb() {
        Some(_) => status.rgba.clone(),
        None => default_colour(),
    };
    HeartbeatFields {
        application: status.application.clone(),
        introduce: status.introduce.clone(),
        rgba,
        application_online: true,
    }
}

/// The content by the rules for the foreground window, or without one: a hidden
/// window looks like an unknown one.
pub(super) async fn of(
    front: &Foreground,
    settings: &PresenceSettings,
    app_metadata: &mut AppMetadataCache,
) -> HeartbeatFields {
    let Foreground::Window(window) = front else {
        return unnamed();
    };
    let language = settings.language();
    match rules::decide(settings, language, window) {
        Decision::Hidden => unnamed(),
        Decision::Shown {
            name: Some(name),
            introduce,
            rgba: Some(rgba),
        } => shown(name, introduce, rgba),
        Decision::Shown {
            name,
            introduce,
            rgba,
        } => {
            let metadata = app_metadata.of(window, language).await;
            shown(
                name.unwrap_or(metadata.name),
                introduce,
                rgba.unwrap_or(metadata.rgba),
            )
        }
    }
}

/// The line about the first of these tracks that is shared.
pub(super) fn music(tracks: &[Track], settings: &PresenceSettings) -> Option<String> {
    tracks
        .iter()
        .find_map(|track| rules::music_line(settings, track))
}

pub(super) fn hides(settings: &PresenceSettings, window: &Arc<Window>) -> bool {
    rules::decide(settings, Language::English, window) == Decision::Hidden
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
