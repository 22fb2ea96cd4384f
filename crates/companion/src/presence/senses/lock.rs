//! Whether the session is locked, by the word of its screen saver on the
//! session bus: those of KDE, GNOME, Cinnamon, MATE and Xfce all speak alike.

use std::collections::HashSet;
use std::convert::Infallible;

use futures_util::StreamExt as _;
use zbus::fdo::DBusProxy;
use zbus::message::Type;
use zbus::names::OwnedUniqueName;
use zbus::{Connection, MatchRule, Message, MessageStream};

use super::Seen;
use super::bus::{LOOK_FOR_IT_AGAIN, PATIENCE, bus_ended};

/// Those who can say it: name (which is the interface too) and object.
const SCREEN_SAVERS: [(&str, &str); 5] = [
    (
        "org.freedesktop.ScreenSaver",
        "/org/freedesktop/ScreenSaver",
    ),
    ("org.gnome.ScreenSaver", "/org/gnome/ScreenSaver"),
    ("org.cinnamon.ScreenSaver", "/org/cinnamon/ScreenSaver"),
    ("org.mate.ScreenSaver", "/org/mate/ScreenSaver"),
    ("org.xfce.ScreenSaver", "/org/xfce/ScreenSaver"),
];

/// Watches for as long as it is polled.
pub(super) async fn watch(seen: Seen) {
    loop {
        let Err(error) = follow(&seen).await;
        seen.change(|sight| {
            sight.locked_by_session = false;
            sight.no_session_lock = Some(format!("the session bus cannot be asked ({error})"));
        });
        tokio::time::sleep(LOOK_FOR_IT_AGAIN).await;
    }
}

async fn follow(seen: &Seen) -> zbus::Result<Infallible> {
    let bus = Connection::session().await?;
    // Before anybody is asked, so that no change goes by in between.
    let rule = MatchRule::builder()
        .msg_type(Type::Signal)
        .member("ActiveChanged")?
        .build();
    let mut changes = MessageStream::for_match_rule(rule, &bus, None).await?;
    let names = DBusProxy::new(&bus).await?;
    let mut owners = names.receive_name_owner_changed().await?;
    let mut savers = Savers::default();
    savers.look_for_them(&bus, &names).await?;
    loop {
        savers.tell(seen);
        tokio::select! {
            change = changes.next() => {
                savers.take(&change.ok_or_else(bus_ended)??);
            }
            change = owners.next() => {
                let change = change.ok_or_else(bus_ended)?;
                let change = change.args()?;
                if SCREEN_SAVERS.iter().any(|(name, _)| *name == change.name().as_str()) {
                    savers.look_for_them(&bus, &names).await?;
                }
            }
        }
    }
}

/// Who is there, and who of them says that the session is locked.
#[derive(Default)]
struct Savers {
    there: HashSet<OwnedUniqueName>,
    locked: HashSet<OwnedUniqueName>,
}

impl Savers {
    /// Asks all that are there how it stands; starts none that is not.
    async fn look_for_them(&mut self, bus: &Connection, names: &DBusProxy<'_>) -> zbus::Result<()> {
        self.there.clear();
        for (name, object) in SCREEN_SAVERS {
            let Ok(owner) = names.get_name_owner(name.try_into()?).await else {
                continue;
            };
            let call = bus.call_method(Some(name), object, Some(name), "GetActive", &());
            let answer = match tokio::time::timeout(PATIENCE, call).await {
                Ok(Ok(answer)) => answer.body().deserialize::<bool>().ok(),
                Ok(Err(_)) | Err(_) => None,
            };
            match answer {
                Some(true) => drop(self.locked.insert(owner.clone())),
                Some(false) => drop(self.locked.remove(&owner)),
                // One that does not answer is believed when it speaks.
                None => {}
            }
            self.there.insert(owner);
        }
        self.locked.retain(|owner| self.there.contains(owner));
        Ok(())
    }

    fn take(&mut self, change: &Message) {
        let header = change.header();
        let of_a_saver = header.interface().is_some_and(|interface| {
            SCREEN_SAVERS
                .iter()
                .any(|(name, _)| *name == interface.as_str())
        });
        let (Some(sender), Ok(locked)) = (header.sender(), change.body().deserialize::<bool>())
        else {
            return;
        };
        let sender = OwnedUniqueName::from(sender.to_owned());
        if of_a_saver && locked {
            self.locked.insert(sender);
        } else if of_a_saver {
            self.locked.remove(&sender);
        }
    }

    fn tell(&self, seen: &Seen) {
        seen.change(|sight| {
            sight.locked_by_session = !self.locked.is_empty();
            sight.no_session_lock = self
                .there
                .is_empty()
                .then(|| "no screen saver is on the session bus".to_owned());
        });
    }
}
