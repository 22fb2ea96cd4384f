//! The session bus: notifications by the specification of freedesktop.org
//! (specifications.freedesktop.org/notification-spec), and the watcher that
//! icons in the tray register with (StatusNotifierItem).

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt as _;
use porchlight_api::state::State;
use tokio::sync::OnceCell;
use zbus::fdo::DBusProxy;
use zbus::message::Type;
use zbus::zvariant::Value;
use zbus::{Connection, MatchRule, MessageStream};

use super::colour_scheme;

const TRAY: &str = "org.kde.StatusNotifierWatcher";
const TRAY_OBJECT: &str = "/StatusNotifierWatcher";
/// Whether somebody shows the icons that register with the watcher.
const TRAY_SHOWS: &str = "IsStatusNotifierHostRegistered";
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

/// The session bus; clones are the same connection.
#[derive(Clone)]
pub(in crate::desktop) struct Session {
    bus: Connection,
    /// Whether markup is read in notifications, once that is known.
    reads_markup: Arc<OnceCell<bool>>,
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
            reads_markup: Arc::default(),
        })
    }

    /// Sends whether there is a tray, now and whenever that changes, until the
    /// bus ends. Then there is none.
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
        loop {
            let there = self.shows_icons(&names).await?;
            present.update(|known| *known = Some(there));
            tokio::select! {
                Some(_) = owners.next() => {}
                Some(_) = signals.next() => {}
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
        let asked = self.bus.call_method(
            Some(TRAY),
            TRAY_OBJECT,
            Some("org.freedesktop.DBus.Properties"),
            "Get",
            &(TRAY, TRAY_SHOWS),
        );
        let Ok(Ok(reply)) = tokio::time::timeout(PATIENCE, asked).await else {
            return Ok(true);
        };
        let body = reply.body();
        let shows = body.deserialize::<Value<'_>>().ok();
        Ok(shows.and_then(|shows| bool::try_from(shows).ok()) != Some(false))
    }

    /// Whether markup is read in notifications. Asked until there is an answer.
    async fn reads_markup(&self) -> bool {
        let ask = async || {
            let asked = self.bus.call_method(
                Some(NOTIFICATIONS),
                OBJECT,
                Some(NOTIFICATIONS),
                "GetCapabilities",
                &(),
            );
            let reply = tokio::time::timeout(PATIENCE, asked).await.ok()?.ok()?;
            let can: Vec<String> = reply.body().deserialize().ok()?;
            Some(can.iter().any(|one| one == MARKUP))
        };
        let known = self
            .reads_markup
            .get_or_try_init(async || ask().await.ok_or(()));
        // Plain characters are harmless; markup may not be.
        known.await.copied().unwrap_or(true)
    }

    /// Sends which colours the desktop asks for, now and whenever that changes,
    /// until the bus ends; `None` where it names none.
    pub(in crate::desktop) async fn follow_colours(&self, send: impl Fn(Option<tauri::Theme>)) {
        if let Err(error) = colour_scheme::follow(&self.bus, send).await {
            tracing::warn!(%error, "the colour scheme of the desktop is unknown");
        }
    }

    /// Shows a notification in place of another one, or, for 0, of none. Gives
    /// its number.
    ///
    /// # Errors
    /// When no program shows it, in words.
    pub(in crate::desktop) async fn notify(
        &self,
        replaced: u32,
        title: &str,
        body: &str,
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
        let reply = tokio::time::timeout(PATIENCE, call)
            .await
            .map_err(|_| "the notification server does not answer".to_owned())?;
        reply
            .and_then(|reply| reply.body().deserialize())
            .map_err(|error| error.to_string())
    }

    /// Sends the number of each notification that is clicked, until the bus
    /// ends; those of other programs, too.
    pub(in crate::desktop) async fn follow_clicks(&self, clicked: impl Fn(u32)) {
        let rule = MatchRule::builder()
            .msg_type(Type::Signal)
            .interface(NOTIFICATIONS)
            .and_then(|rule| rule.member("ActionInvoked"))
            .map(|rule| rule.build());
        let clicks = match rule {
            Ok(rule) => MessageStream::for_match_rule(rule, &self.bus, None).await,
            Err(error) => Err(error),
        };
        let mut clicks = match clicks {
            Ok(clicks) => clicks,
            Err(error) => {
                tracing::warn!(%error, "clicks on notifications are not received");
                return;
            }
        };
        while let Some(Ok(click)) = clicks.next().await {
            if let Ok((number, action)) = click.body().deserialize::<(u32, String)>()
                && action == CLICK
            {
                clicked(number);
            }
        }
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
