//! Keys asked of a desktop under Wayland, by the portal for them
//! (flatpak.github.io/xdg-desktop-portal, `GlobalShortcuts`). The desktop asks
//! the owner, and may give other keys than those that were requested.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU32, Ordering};

use futures_util::StreamExt as _;
use porchlight_api::Message;
use porchlight_app::settings::shortcut::{Key, Shortcut};
use zbus::fdo::{DBusProxy, NameOwnerChangedStream};
use zbus::names::OwnedUniqueName;
use zbus::zvariant::{OwnedObjectPath, OwnedValue, Value};
use zbus::{Connection, Proxy};

const PORTAL: &str = "org.freedesktop.portal.Desktop";
const OBJECT: &str = "/org/freedesktop/portal/desktop";
const SHORTCUTS: &str = "org.freedesktop.portal.GlobalShortcuts";
/// Where a program that is in no sandbox registers its name.
const REGISTRY: &str = "org.freedesktop.host.portal.Registry";
/// The one shortcut, among those of this program.
const UPLOAD: &str = "upload-clipboard";
/// What the portal answers when it does not know which program asks.
const NOT_ALLOWED: &str = "org.freedesktop.portal.Error.NotAllowed";
/// The answers to a request: it was granted, or the owner declined.
const GRANTED: u32 = 0;
const CANCELLED: u32 = 1;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum PortalEvent {
    /// They are had; what the desktop calls them, where it does.
    Bound(String),
    /// They are not, and why.
    Trouble(Message),
}

/// Whom to ask for, and what.
pub(super) struct ShortcutRequest {
    /// The name of the program's entry in the menu of applications.
    pub(super) application: String,
    /// What the keys do, in the owner's language.
    pub(super) does: &'static str,
    /// The keys that would be liked.
    pub(super) keys: Shortcut,
}

type Options = HashMap<&'static str, Value<'static>>;
type Results = HashMap<String, OwnedValue>;
type Given = Vec<(String, Results)>;

/// Why keys are not had, or no longer.
struct Ended {
    why: Message,
    /// Another portal is there already.
    retry: bool,
}

impl Ended {
    fn with(why: Message) -> Self {
        Self { why, retry: false }
    }
}

impl From<zbus::Error> for Ended {
    fn from(error: zbus::Error) -> Self {
        let name = match &error {
            zbus::Error::MethodError(name, ..) => name.as_str(),
            _ => "",
        };
        Self::with(match name {
            NOT_ALLOWED => Message::PortalNeedsMenuEntry,
            "org.freedesktop.DBus.Error.UnknownMethod"
            | "org.freedesktop.DBus.Error.UnknownInterface"
            | "org.freedesktop.DBus.Error.UnknownObject"
            | "org.freedesktop.DBus.Error.ServiceUnknown" => Message::NoPortal,
            _ => fails(&error),
        })
    }
}

impl From<zbus::fdo::Error> for Ended {
    fn from(error: zbus::fdo::Error) -> Self {
        match error {
            zbus::fdo::Error::NameHasNoOwner(_) => Self::with(Message::NoPortal),
            other => Self::with(fails(&other)),
        }
    }
}

fn fails(error: &impl std::fmt::Display) -> Message {
    let why = error.to_string().into();
    Message::PortalFails { why }
}

/// Whether this desktop has such a portal.
pub(super) async fn is_here() -> bool {
    let version = async {
        let portal = Proxy::new(&Connection::session().await?, PORTAL, OBJECT, SHORTCUTS).await?;
        portal.get_property::<u32>("version").await
    };
    version.await.is_ok()
}

/// Has the keys for as long as it runs; asks for them again when the portal
/// has restarted. Ends where there is no portal for them.
pub(super) async fn keep(
    shortcut: ShortcutRequest,
    send: impl Fn(PortalEvent),
    pressed: impl Fn(),
) {
    loop {
        let ended = match join().await {
            Ok((bus, mut owners)) => {
                let Err(mut ended) = hold(&bus, &mut owners, &shortcut, &send, &pressed).await;
                send(PortalEvent::Trouble(ended.why.clone()));
                while !ended.retry {
                    let Some(change) = owners.next().await else {
                        return;
                    };
                    ended.retry = change
                        .args()
                        .is_ok_and(|change| change.new_owner().is_some());
                }
                ended
            }
            Err(error) => Ended::with(Message::NoBusForKeys {
                why: error.to_string().into(),
            }),
        };
        if !ended.retry {
            send(PortalEvent::Trouble(ended.why));
            return;
        }
    }
}

/// A separate connection, which is what the portal knows a program by, and
/// the portals that come and go.
async fn join() -> zbus::Result<(Connection, NameOwnerChangedStream)> {
    let bus = Connection::session().await?;
    let names = DBusProxy::new(&bus).await?;
    let owners = names
        .receive_name_owner_changed_with_args(&[(0, PORTAL)])
        .await?;
    Ok((bus, owners))
}

/// Asks for the keys and receives their events until they are lost.
async fn hold(
    bus: &Connection,
    owners: &mut NameOwnerChangedStream,
    shortcut: &ShortcutRequest,
    send: &impl Fn(PortalEvent),
    pressed: &impl Fn(),
) -> Result<std::convert::Infallible, Ended> {
    let names = DBusProxy::new(bus).await?;
    let portal = PORTAL.try_into().map_err(zbus::Error::from)?;
    // A portal that nothing starts may be there all the same.
    let started = names.start_service_by_name(portal, 0).await;
    tracing::debug!(?started, "the desktop's portal");
    let portal = PORTAL.try_into().map_err(zbus::Error::from)?;
    let owner = names.get_name_owner(portal).await?;
    tokio::select! {
        ended = gone(owners, &owner) => Err(ended),
        ended = use_keys(bus, shortcut, send, pressed) => ended,
    }
}

/// Done when this portal is no longer there.
async fn gone(owners: &mut NameOwnerChangedStream, owner: &OwnedUniqueName) -> Ended {
    while let Some(change) = owners.next().await {
        let Ok(change) = change.args() else { continue };
        // Its own start may be reported only now.
        let now = change.new_owner().as_ref();
        if now.is_some_and(|now| now.as_str() == owner.as_str()) {
            continue;
        }
        return Ended {
            why: Message::PortalGone,
            retry: now.is_some(),
        };
    }
    Ended::with(Message::PortalGone)
}

async fn use_keys(
    bus: &Connection,
    shortcut: &ShortcutRequest,
    send: &impl Fn(PortalEvent),
    pressed: &impl Fn(),
) -> Result<std::convert::Infallible, Ended> {
    let registry = Proxy::new(bus, PORTAL, OBJECT, REGISTRY).await?;
    let nothing = Options::new();
    // Older ones do not ask who it is. Newer ones refuse the next call then.
    if let Err(error) = registry
        .call_method("Register", &(shortcut.application.as_str(), &nothing))
        .await
    {
        tracing::info!(%error, "the desktop's portal does not take the name of this program");
    }
    let portal = Proxy::new(bus, PORTAL, OBJECT, SHORTCUTS).await?;
    let request = Request::new(bus).await?;
    let mut options = request.options();
    options.insert("session_handle_token", Value::from(request.token.clone()));
    let created = portal.call_method("CreateSession", &(options,)).await;
    let mut created = request.answered(created).await?;
    let session = created
        .remove("session_handle")
        .and_then(|session| String::try_from(session).ok())
        .and_then(|session| OwnedObjectPath::try_from(session).ok())
        .ok_or_else(|| Ended::with(Message::PortalNamesNoSession))?;

    let mut presses = portal.receive_signal("Activated").await?;
    let mut changes = portal.receive_signal("ShortcutsChanged").await?;
    let lasting = Proxy::new(bus, PORTAL, &session, "org.freedesktop.portal.Session").await?;
    let mut closed = lasting.receive_signal("Closed").await?;
    let request = Request::new(bus).await?;
    let keys = HashMap::from([
        ("description", Value::from(shortcut.does)),
        ("preferred_trigger", Value::from(trigger(shortcut.keys))),
    ]);
    let wanted = [(UPLOAD, keys)];
    // No window is named: the owner may be anywhere.
    let words = (&session, &wanted[..], "", request.options());
    let bound = portal.call_method("BindShortcuts", &words).await;
    let mut bound = request.answered(bound).await?;
    let given = bound.remove("shortcuts");
    send(of(given.and_then(|given| Given::try_from(given).ok())));
    loop {
        tokio::select! {
            Some(press) = presses.next() => {
                let press = press.body();
                let press = press.deserialize::<(OwnedObjectPath, String, u64, Results)>();
                if press.is_ok_and(|(of, which, ..)| of == session && which == UPLOAD) {
                    pressed();
                }
            }
            Some(change) = changes.next() => {
                let change = change.body();
                if let Ok((of_session, given)) = change.deserialize::<(OwnedObjectPath, Given)>()
                    && of_session == session
                {
                    send(of(Some(given)));
                }
            }
            _ = closed.next() => return Err(Ended::with(Message::PortalTookKeysBack)),
        }
    }
}

/// What the desktop has given.
fn of(given: Option<Given>) -> PortalEvent {
    let ours = given
        .into_iter()
        .flatten()
        .find(|(which, _)| which == UPLOAD);
    match ours {
        Some((_, mut about)) => PortalEvent::Bound(
            about
                .remove("trigger_description")
                .and_then(|keys| String::try_from(keys).ok())
                .unwrap_or_default(),
        ),
        None => PortalEvent::Trouble(Message::PortalHasNoKeys),
    }
}

/// A question to the portal, which it answers later by a signal.
struct Request<'a> {
    token: String,
    responses: zbus::proxy::SignalStream<'a>,
}

impl<'a> Request<'a> {
    /// One to be asked: its answer is listened for already.
    async fn new(bus: &Connection) -> zbus::Result<Request<'a>> {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let token = format!("porchlight_{}_{number}", std::process::id());
        let own = bus.unique_name().map_or("", |name| name.as_str());
        let own = own.trim_start_matches(':').replace('.', "_");
        let path = format!("{OBJECT}/request/{own}/{token}");
        let request = Proxy::new(bus, PORTAL, path, "org.freedesktop.portal.Request").await?;
        Ok(Self {
            token,
            responses: request.receive_signal("Response").await?,
        })
    }

    fn options(&self) -> Options {
        Options::from([("handle_token", Value::from(self.token.clone()))])
    }

    /// Its answer, once the call that asked it was taken.
    async fn answered(mut self, asked: zbus::Result<zbus::Message>) -> Result<Results, Ended> {
        asked?;
        let response = self.responses.next().await;
        let response = response.ok_or_else(|| Ended::with(Message::PortalGone))?;
        match response.body().deserialize::<(u32, Results)>()? {
            (GRANTED, results) => Ok(results),
            (CANCELLED, _) => Err(Ended::with(Message::PortalDenied)),
            _ => Err(Ended::with(Message::PortalRefuses)),
        }
    }
}

/// The keys as the portal reads them: by the Shortcuts Specification
/// (specifications.freedesktop.org/shortcuts-spec), with the names of xkb.
fn trigger(shortcut: Shortcut) -> String {
    let held = [
        (shortcut.control, "CTRL"),
        (shortcut.alt, "ALT"),
        (shortcut.shift, "SHIFT"),
        (shortcut.system, "LOGO"),
    ];
    let held = held.into_iter().filter(|(held, _)| *held);
    let mut words: Vec<String> = held.map(|(_, name)| name.to_owned()).collect();
    words.push(match shortcut.key {
        Key::Sign(sign) => sign.to_string(),
        Key::Function(number) => format!("F{number}"),
        Key::Print => "Print".to_owned(),
        Key::Insert => "Insert".to_owned(),
        Key::Pause => "Pause".to_owned(),
        Key::Home => "Home".to_owned(),
        Key::End => "End".to_owned(),
        Key::PageUp => "Page_Up".to_owned(),
        Key::PageDown => "Page_Down".to_owned(),
    });
    words.join("+")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_written_as_the_portal_reads_them() {
        for (written, read) in [
            ("Ctrl+Alt+U", "CTRL+ALT+u"),
            ("Shift+Super+F12", "SHIFT+LOGO+F12"),
            ("Ctrl+PageUp", "CTRL+Page_Up"),
        ] {
            let shortcut = written.parse().expect("a shortcut");
            assert_eq!(trigger(shortcut), read);
        }
    }
}
