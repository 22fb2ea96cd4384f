//! Keys asked of a desktop under Wayland, by the portal for them
//! (flatpak.github.io/xdg-desktop-portal, `GlobalShortcuts`). The desktop asks
//! the owner, and may give other keys than those that were requested.

use std::collections::HashMap;

use ashpd::desktop::ResponseError;
use ashpd::desktop::global_shortcuts::{GlobalShortcuts, NewShortcut, Shortcut as Given};
use ashpd::{Error, PortalError};
use futures_util::StreamExt as _;
use porchlight_service::error::message::Message;
use porchlight_service::settings::shortcut::{Key, Shortcut};
use zbus::zvariant::Value;
use zbus::{Connection, fdo};

use super::{name, written};

const PORTAL: &str = "org.freedesktop.portal.Desktop";
const OBJECT: &str = "/org/freedesktop/portal/desktop";
/// The one shortcut, among those of this program.
const UPLOAD: &str = "upload-clipboard";

/// Whom to ask for, and what.
pub(super) struct ShortcutRequest {
    /// The name of the program's entry in the menu of applications.
    pub(super) application: String,
    /// What the keys do, in the owner's language.
    pub(super) does: &'static str,
    /// The keys that would be liked.
    pub(super) keys: Shortcut,
}

/// Whether this desktop has such a portal.
pub(super) async fn is_here() -> bool {
    let version = async {
        let portal = GlobalShortcuts::new().await?;
        Ok::<_, Error>(portal.get_property::<u32>("version").await?)
    };
    version.await.is_ok()
}

/// Has the keys for as long as it runs; asks for them again when the portal has restarted. Sends what the
/// desktop calls the keys that are had, which may be nothing, or why there are none.
pub(super) async fn keep(
    request: ShortcutRequest,
    send: impl Fn(Result<String, Message>),
    pressed: impl Fn(),
) {
    loop {
        if let Err(error) = hold(&request, &send, &pressed).await {
            return send(Err(why(error)));
        }
    }
}

/// Asks for the keys and receives their events, until there is another portal.
async fn hold(
    request: &ShortcutRequest,
    send: &impl Fn(Result<String, Message>),
    pressed: &impl Fn(),
) -> Result<(), Error> {
    // A separate connection, which is what the portal knows a program by.
    let bus = Connection::session().await?;
    // The library takes no name without a dot.
    let words = (&request.application, HashMap::<&str, Value<'_>>::new());
    let registry = Some("org.freedesktop.host.portal.Registry");
    // Older ones do not ask who it is. Newer ones refuse the next call then.
    if let Err(error) = bus
        .call_method(Some(PORTAL), OBJECT, registry, "Register", &words)
        .await
    {
        tracing::info!(%error, "the desktop's portal does not take the name of this program");
    }
    let portal = GlobalShortcuts::with_connection(bus).await?;
    let mut owners = portal.receive_owner_changed().await?;
    let mut owner = None;
    tokio::select! {
        why = use_keys(&portal, request, send, pressed) => send(Err(why)),
        changed = owners.next() => {
            send(Err(porchlight_service::detail!("The desktop's portal has gone, and the keys with it. They are asked for again when it is back.")));
            owner = changed.flatten();
        }
    }
    while owner.is_none() {
        owner = owners.next().await.ok_or(Error::NoResponse)?;
    }
    Ok(())
}

/// Has the keys until they are lost; why they are.
async fn use_keys(
    portal: &GlobalShortcuts,
    request: &ShortcutRequest,
    send: &impl Fn(Result<String, Message>),
    pressed: &impl Fn(),
) -> Message {
    let events = async {
        let session = portal.create_session(Default::default()).await?;
        let mut presses = portal.receive_activated().await?;
        let mut changes = portal.receive_shortcuts_changed().await?;
        let mut closed = session.receive_closed().await?;
        let keys = written(
            request.keys,
            ["CTRL", "ALT", "SHIFT", "LOGO"],
            |key| match key {
                Key::PageUp => "Page_Up".to_owned(),
                Key::PageDown => "Page_Down".to_owned(),
                other => name(other),
            },
        );
        let wanted = [NewShortcut::new(UPLOAD, request.does).preferred_trigger(keys.as_str())];
        // No window is named: the owner may be anywhere.
        let bound = portal.bind_shortcuts(&session, &wanted, None, Default::default());
        send(of(bound.await?.response()?.shortcuts()));
        loop {
            tokio::select! {
                Some(press) = presses.next() => {
                    if press.shortcut_id() == UPLOAD {
                        pressed();
                    }
                }
                Some(change) = changes.next() => send(of(change.shortcuts())),
                _ = closed.next() => return Ok(porchlight_service::detail!("The desktop has taken the keys back. Take them out here and choose them again to ask for them.")),
            }
        }
    };
    events.await.unwrap_or_else(why)
}

/// What the desktop calls the keys, among those it has given.
fn of(given: &[Given]) -> Result<String, Message> {
    let ours = given.iter().find(|given| given.id() == UPLOAD);
    ours.map(|given| given.trigger_description().to_owned())
        .ok_or(porchlight_service::detail!("No keys are set yet: choose them in your desktop’s keyboard settings, under Porchlight."))
}

fn why(error: Error) -> Message {
    match error {
        Error::Response(ResponseError::Cancelled) => porchlight_service::detail!(
            "Your desktop didn’t assign these keys because the request was declined. Clear them and choose again to be asked once more."
        ),
        Error::Response(ResponseError::Other) => {
            porchlight_service::detail!("The desktop's portal does not give these keys.")
        }
        Error::Portal(PortalError::NotAllowed(_)) => Message::PortalNeedsMenuEntry,
        Error::PortalNotFound(_) => Message::NoPortal,
        Error::Portal(PortalError::ZBus(error)) | Error::Zbus(error) => match error.into() {
            fdo::Error::UnknownMethod(_)
            | fdo::Error::UnknownInterface(_)
            | fdo::Error::UnknownObject(_)
            | fdo::Error::ServiceUnknown(_) => Message::NoPortal,
            error => porchlight_service::detail!(
                "The desktop's portal gives no keys: {why}.",
                why = error.to_string()
            ),
        },
        error => porchlight_service::detail!(
            "The desktop's portal gives no keys: {why}.",
            why = error.to_string()
        ),
    }
}
