//! Whether the desktop asks for dark colours, by its portal for such settings
//! (flatpak.github.io/xdg-desktop-portal, `Settings`).

use std::time::Duration;

use futures_util::StreamExt as _;
use tauri::Theme;
use zbus::fdo::DBusProxy;
use zbus::zvariant::{OwnedValue, Value};
use zbus::{Connection, Proxy};

const PORTAL: &str = "org.freedesktop.portal.Desktop";
const OBJECT: &str = "/org/freedesktop/portal/desktop";
const SETTINGS: &str = "org.freedesktop.portal.Settings";
const APPEARANCE: &str = "org.freedesktop.appearance";
const COLOUR_SCHEME: &str = "color-scheme";
/// A portal that does not answer within this counts as absent.
const PATIENCE: Duration = Duration::from_secs(10);
/// The value of the portal for a dark desktop.
const DARK: u32 = 1;

/// Sends what it asks for, now and whenever that changes, until the bus ends;
/// `None` while there is no answer.
pub(super) async fn follow(bus: &Connection, send: impl Fn(Option<Theme>)) -> zbus::Result<()> {
    let names = DBusProxy::new(bus).await?;
    // Before it is asked, so that no change goes by in between.
    let mut owners = names
        .receive_name_owner_changed_with_args(&[(0, PORTAL)])
        .await?;
    let portal = Proxy::new(bus, PORTAL, OBJECT, SETTINGS).await?;
    let mut changes = portal
        .receive_signal_with_args("SettingChanged", &[(0, APPEARANCE), (1, COLOUR_SCHEME)])
        .await?;
    loop {
        // `Read` is in every version of the portal; `ReadOne` in newer ones alone.
        let read = portal.call::<_, _, OwnedValue>("Read", &(APPEARANCE, COLOUR_SCHEME));
        let read = tokio::time::timeout(PATIENCE, read).await;
        let read = read.ok().and_then(Result::ok);
        send(read.and_then(|value| theme(&value)));
        tokio::select! {
            Some(_) = owners.next() => {}
            Some(_) = changes.next() => {}
            else => return Ok(()),
        }
    }
}

/// `Read` answers with a value in a value.
fn theme(value: &Value<'_>) -> Option<Theme> {
    match value {
        Value::Value(inner) => theme(inner),
        Value::U32(DARK) => Some(Theme::Dark),
        // That there is no preference means light.
        Value::U32(_) => Some(Theme::Light),
        _ => None,
    }
}
