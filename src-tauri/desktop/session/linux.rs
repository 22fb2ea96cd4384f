//! The session bus: notifications by the specification of freedesktop.org
//! (specifications.freedesktop.org/notification-spec), and the watcher that
//! icons in the tray register with (StatusNotifierItem).

use std::collections::HashMap;
use std::time::Duration;

use futures_util::StreamExt as _;
use tokio::sync::watch;
use zbus::fdo::DBusProxy;
use zbus::message::Type;
use zbus::zvariant::Value;
use zbus::{Connection, MatchRule, MessageStream};

use super::colour_scheme;

const TRAY: &str = "org.kde.StatusNotifierWatcher";
const NOTIFICATIONS: &str = "org.freedesktop.Notifications";
const OBJECT: &str = "/org/freedesktop/Notifications";
/// Whoever shows notifications may have to be started first.
const PATIENCE: Duration = Duration::from_secs(10);
/// What a click on a notification is called.
const CLICK: &str = "default";
/// The name of the installed icon, and of the entry in the menu of
/// applications.
const APPLICATION: &str = "porchlight";

/// The session bus; clones are the same connection.
#[derive(Clone)]
pub(in crate::desktop) struct Session(Connection);

impl Session {
    /// Joins it.
    ///
    /// # Errors
    /// When there is none, in words.
    pub(in crate::desktop) async fn join() -> Result<Self, String> {
        Connection::session()
            .await
            .map(Self)
            .map_err(|error| format!("there is no session bus ({error})"))
    }

    /// Says whether there is a tray, now and whenever that changes, until the
    /// bus ends. Then there is none.
    pub(in crate::desktop) async fn follow_tray(&self, present: &watch::Sender<Option<bool>>) {
        if let Err(error) = self.try_to_follow_tray(present).await {
            tracing::warn!(%error, "whether there is a tray cannot be told");
        }
        present.send_replace(Some(false));
    }

    async fn try_to_follow_tray(&self, present: &watch::Sender<Option<bool>>) -> zbus::Result<()> {
        let names = DBusProxy::new(&self.0).await?;
        // Before it is asked, so that no change goes by in between.
        let mut owners = names
            .receive_name_owner_changed_with_args(&[(0, TRAY)])
            .await?;
        let there = names.name_has_owner(TRAY.try_into()?).await?;
        present.send_replace(Some(there));
        while let Some(change) = owners.next().await {
            let there = change.args()?.new_owner().is_some();
            present.send_replace(Some(there));
        }
        Ok(())
    }

    /// Says which colours the desktop asks for, now and whenever that changes,
    /// until the bus ends; `None` where it does not say.
    pub(in crate::desktop) async fn follow_colours(&self, say: impl Fn(Option<tauri::Theme>)) {
        if let Err(error) = colour_scheme::follow(&self.0, say).await {
            tracing::warn!(%error, "which colours the desktop asks for cannot be told");
        }
    }

    /// Shows a notification in place of another one, or, for 0, of none. Gives
    /// its number.
    ///
    /// # Errors
    /// When nobody shows it, in words.
    pub(in crate::desktop) async fn notify(
        &self,
        replaced: u32,
        title: &str,
        body: &str,
    ) -> Result<u32, String> {
        let hints = HashMap::from([("desktop-entry", Value::from(APPLICATION))]);
        let body = without_markup(body);
        let actions: &[&str] = &[CLICK, ""];
        // Name, replaced, icon, title, body, actions, hints, and how long it is
        // shown: as whoever shows it likes.
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
        let call = self.0.call_method(
            Some(NOTIFICATIONS),
            OBJECT,
            Some(NOTIFICATIONS),
            "Notify",
            &words,
        );
        let reply = tokio::time::timeout(PATIENCE, call)
            .await
            .map_err(|_| "whoever shows notifications does not answer".to_owned())?;
        reply
            .and_then(|reply| reply.body().deserialize())
            .map_err(|error| error.to_string())
    }

    /// Tells the number of each notification that is clicked, until the bus
    /// ends; those of other programs, too.
    pub(in crate::desktop) async fn follow_clicks(&self, clicked: impl Fn(u32)) {
        let rule = MatchRule::builder()
            .msg_type(Type::Signal)
            .interface(NOTIFICATIONS)
            .and_then(|rule| rule.member("ActionInvoked"))
            .map(|rule| rule.build());
        let clicks = match rule {
            Ok(rule) => MessageStream::for_match_rule(rule, &self.0, None).await,
            Err(error) => Err(error),
        };
        let mut clicks = match clicks {
            Ok(clicks) => clicks,
            Err(error) => {
                tracing::warn!(%error, "clicks on notifications are not heard");
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

/// A text in which those who read markup find none. Those who read none show
/// the few signs that it takes, which no address has.
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
    }
}
