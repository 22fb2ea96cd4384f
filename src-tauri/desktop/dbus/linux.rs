//! The session bus: notifications by the specification of freedesktop.org
//! (specifications.freedesktop.org/notification-spec), and the watcher that
//! icons in the tray register with (StatusNotifierItem).

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt as _;
use parking_lot::Mutex;
use porchlight_service::state::State;
use tokio::time::{Instant, sleep_until, timeout};
use zbus::fdo::DBusProxy;
use zbus::message::Type;
use zbus::names::BusName;
use zbus::zvariant::{OwnedValue, Value};
use zbus::{Connection, MatchRule, MessageStream};

use super::colour_scheme;

const TRAY: &str = "org.kde.StatusNotifierWatcher";
const TRAY_OBJECT: &str = "/StatusNotifierWatcher";
/// Whether somebody shows the icons that register with the watcher.
const TRAY_SHOWS: &str = "IsStatusNotifierHostRegistered";
/// The icons that have registered: of each a name on the bus, and the path of an object.
const TRAY_ICONS: &str = "RegisteredStatusNotifierItems";
/// How long the icon has to register after the app or the watcher has appeared. It may do so later.
const REGISTERS_WITHIN: Duration = Duration::from_secs(3);
const NOTIFICATIONS: &str = "org.freedesktop.Notifications";
const OBJECT: &str = "/org/freedesktop/Notifications";
/// What those who read markup in a notification can.
const MARKUP: &str = "body-markup";
/// Whoever shows notifications may have to be started first.
const PATIENCE: Duration = Duration::from_secs(10);
/// What a click on a notification is called.
const CLICK: &str = "default";
/// The name of the installed icon, and of the entry in the menu of
/// applications.
const APPLICATION: &str = "porchlight";

type Click = Box<dyn Fn() + Send>;

/// The session bus; clones are the same connection.
#[derive(Clone)]
pub(in crate::desktop) struct Session {
    bus: Connection,
    /// What a click on each notification of this run does, by its number.
    clicks: Arc<Mutex<HashMap<u32, Click>>>,
}

impl Session {
    /// Joins it.
    ///
    /// # Errors
    /// When there is none, in words.
    pub(in crate::desktop) async fn join() -> Result<Self, String> {
        let bus = Connection::session().await;
        let bus = bus.map_err(|error| format!("there is no session bus ({error})"))?;
        Ok(Self {
            bus,
            clicks: Arc::default(),
        })
    }

    /// Sends whether the icon is in a tray, now and whenever that changes, until
    /// the bus ends. Then it is in none.
    pub(in crate::desktop) async fn follow_tray(&self, present: &State<Option<bool>>) {
        if let Err(error) = self.try_to_follow_tray(present).await {
            tracing::warn!(%error, "it is unknown whether there is a tray");
        }
        present.set(Some(false));
    }

    async fn try_to_follow_tray(&self, present: &State<Option<bool>>) -> zbus::Result<()> {
        let names = DBusProxy::new(&self.bus).await?;
        // Before it is asked, so that no change goes by in between.
        let mut owners = names
            .receive_name_owner_changed_with_args(&[(0, TRAY)])
            .await?;
        // That a program shows icons is a separate signal, or a property that
        // has changed; that none does any more is not reported by all.
        let signals = MatchRule::builder()
            .msg_type(Type::Signal)
            .path(TRAY_OBJECT)?
            .build();
        let mut signals = MessageStream::for_match_rule(signals, &self.bus, None).await?;
        let mut registers_by = Instant::now() + REGISTERS_WITHIN;
        loop {
            let shows = self.shows_icons(&names).await?;
            let there = shows && self.has_icon(&names).await;
            let waits = shows && !there && Instant::now() < registers_by;
            if !waits {
                present.update(|known| *known = Some(there));
            }
            tokio::select! {
                Some(_) = owners.next() => registers_by = Instant::now() + REGISTERS_WITHIN,
                Some(_) = signals.next() => {}
                () = sleep_until(registers_by), if waits => {}
                else => return Ok(()),
            }
        }
    }

    /// Whether there is a watcher, and somebody who shows what it knows of. One
    /// that does not name it is taken at its name.
    async fn shows_icons(&self, names: &DBusProxy<'_>) -> zbus::Result<bool> {
        if !names.name_has_owner(TRAY.try_into()?).await? {
            return Ok(false);
        }
        Ok(self.of_watcher(TRAY_SHOWS).await != Some(false))
    }

    /// Whether the watcher has an icon of this process.
    async fn has_icon(&self, names: &DBusProxy<'_>) -> bool {
        let icons: Vec<String> = self.of_watcher(TRAY_ICONS).await.unwrap_or_default();
        for icon in icons {
            // Some put an @ between the name and the path.
            let name = icon.split(['/', '@']).next().unwrap_or_default();
            let Ok(name) = BusName::try_from(name) else {
                continue;
            };
            let owner = names.get_connection_unix_process_id(name).await;
            if owner.is_ok_and(|owner| owner == std::process::id()) {
                return true;
            }
        }
        false
    }

    /// A property of the watcher; `None` where it does not give one of this type.
    async fn of_watcher<T: TryFrom<OwnedValue>>(&self, property: &str) -> Option<T> {
        let which = (TRAY, property);
        let asked = self.bus.call_method(
            Some(TRAY),
            TRAY_OBJECT,
            Some("org.freedesktop.DBus.Properties"),
            "Get",
            &which,
        );
        let reply = timeout(PATIENCE, asked).await.ok()?.ok()?;
        let value: OwnedValue = reply.body().deserialize().ok()?;
        T::try_from(value).ok()
    }

    /// Whether markup is read in notifications.
    async fn reads_markup(&self) -> bool {
        let name = Some(NOTIFICATIONS);
        let asked = self
            .bus
            .call_method(name, OBJECT, name, "GetCapabilities", &());
        let reply = timeout(PATIENCE, asked).await.ok().and_then(Result::ok);
        let can = reply.and_then(|reply| reply.body().deserialize::<Vec<String>>().ok());
        // Plain characters are harmless; markup may not be.
        can.is_none_or(|can| can.iter().any(|one| one == MARKUP))
    }

    /// Sends which colours the desktop asks for, now and whenever that changes,
    /// until the bus ends; `None` where it names none.
    pub(in crate::desktop) async fn follow_colours(&self, send: impl Fn(Option<tauri::Theme>)) {
        if let Err(error) = colour_scheme::follow(&self.bus, send).await {
            tracing::warn!(%error, "the colour scheme of the desktop is unknown");
        }
    }

    /// Shows a notification in place of another one, or, for 0, of none. Gives
    /// its number. `clicked` is called when it is clicked.
    ///
    /// # Errors
    /// When no program shows it, in words.
    pub(in crate::desktop) async fn notify(
        &self,
        replaced: u32,
        title: &str,
        body: &str,
        clicked: impl Fn() + Send + 'static,
    ) -> Result<u32, String> {
        let hints = HashMap::from([("desktop-entry", Value::from(APPLICATION))]);
        let body = if self.reads_markup().await {
            without_markup(body)
        } else {
            body.to_owned()
        };
        let actions: &[&str] = &[CLICK, ""];
        // Name, replaced, icon, title, body, actions, hints, and how long it is
        // shown: the default of the program that shows it.
        let words = (
            "Porchlight",
            replaced,
            APPLICATION,
            title,
            body.as_str(),
            actions,
            hints,
            -1_i32,
        );
        let call = self.bus.call_method(
            Some(NOTIFICATIONS),
            OBJECT,
            Some(NOTIFICATIONS),
            "Notify",
            &words,
        );
        let reply = timeout(PATIENCE, call)
            .await
            .map_err(|_| "the notification server does not answer".to_owned())?;
        let number = reply.and_then(|reply| reply.body().deserialize());
        let number = number.map_err(|error| error.to_string())?;
        self.clicks.lock().insert(number, Box::new(clicked));
        Ok(number)
    }

    /// Follows clicks on notifications until the bus ends.
    pub(in crate::desktop) async fn follow_clicks(&self) {
        if let Err(error) = self.try_to_follow_clicks().await {
            tracing::warn!(%error, "clicks on notifications are not received");
        }
    }

    async fn try_to_follow_clicks(&self) -> zbus::Result<()> {
        let rule = MatchRule::builder()
            .msg_type(Type::Signal)
            .interface(NOTIFICATIONS)?
            .member("ActionInvoked")?
            .build();
        let mut clicks = MessageStream::for_match_rule(rule, &self.bus, None).await?;
        while let Some(Ok(click)) = clicks.next().await {
            if let Ok((number, action)) = click.body().deserialize::<(u32, String)>()
                && action == CLICK
                && let Some(clicked) = self.clicks.lock().get(&number)
            {
                clicked();
            }
        }
        Ok(())
    }
}

/// A text in which those who read markup find none.
fn without_markup(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::without_markup;

    #[test]
    fn a_file_name_is_no_markup() {
        assert_eq!(
            without_markup("<img src=x> & co.png"),
            "&lt;img src=x&gt; &amp; co.png"
        );
        assert_eq!(
            without_markup("</script><a href='//x'>&lt;"),
            "&lt;/script&gt;&lt;a href='//x'&gt;&amp;lt;"
        );
    }
}
