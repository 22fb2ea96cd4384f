//! Whether the desktop asks for dark colours, by its portal for such settings
//! (flatpak.github.io/xdg-desktop-portal, `Settings`).

use std::time::Duration;

use ashpd::desktop::settings::{ColorScheme, Settings};
use futures_util::StreamExt as _;
use tauri::Theme;
use zbus::Connection;

/// A portal that does not answer within this counts as absent.
const PATIENCE: Duration = Duration::from_secs(10);

/// Sends what it asks for, now and whenever that changes, until the bus ends;
/// `None` while there is no answer.
pub(super) async fn follow(bus: &Connection, send: impl Fn(Option<Theme>)) -> ashpd::Result<()> {
    let settings = Settings::with_connection(bus.clone()).await?;
    // Before it is asked, so that no change goes by in between.
    let mut owners = settings.receive_owner_changed().await?;
    let mut changes = settings.receive_color_scheme_changed().await?;
    loop {
        let read = tokio::time::timeout(PATIENCE, settings.color_scheme()).await;
        send(read.ok().and_then(Result::ok).map(|scheme| match scheme {
            ColorScheme::PreferDark => Theme::Dark,
            ColorScheme::PreferLight | ColorScheme::NoPreference => Theme::Light,
        }));
        tokio::select! {
            Some(_) = owners.next() => {}
            Some(_) = changes.next() => {}
            else => return Ok(()),
        }
    }
}
