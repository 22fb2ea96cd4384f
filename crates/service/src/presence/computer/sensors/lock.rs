//! Whether the session is locked, from its screen saver on the session bus:
//! those of KDE, GNOME, Cinnamon, MATE and Xfce share one interface.

use std::collections::HashSet;
use std::convert::Infallible;

use futures_util::StreamExt as _;
use zbus::fdo::DBusProxy;
use zbus::message::Type;
use zbus::names::OwnedUniqueName;
use zbus::{Connection, MatchRule, Message, MessageStream};

use super::StateWriter;
use super::bus::{CALL_TIMEOUT, LOOK_FOR_IT_AGAIN, why};
use crate::presence::logind::bus_ended;

/// The services that report it: name (which is the interface too) and object.
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

/// Watches while polled.
pub(super) async fn watch(writer: StateWriter) {
    loop {
        let Err(error) = follow(&writer).await;
        writer.change(|state| {
            state.locked_by_session = false;
            state.no_session_lock = Some(crate::detail!(
                "the session bus cannot be asked ({why})",
                why = why(&error)
            ));
        });
        tokio::time::sleep(LOOK_FOR_IT_AGAIN).await;
    }
}

async fn follow(writer: &StateWriter) -> zbus::Result<Infallible> {
    let bus = Connection::session().await?;
    // Subscribed before the first call, so that no change is missed in between.
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
        savers.write(writer);
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

/// The screen savers that are running, and those that report the session as
/// locked.
#[derive(Default)]
struct Savers {
    there: HashSet<OwnedUniqueName>,
    locked: HashSet<OwnedUniqueName>,
}

impl Savers {
    /// Queries all that are running; starts none.
    async fn look_for_them(&mut self, bus: &Connection, names: &DBusProxy<'_>) -> zbus::Result<()> {
        self.there.clear();
        for (name, object) in SCREEN_SAVERS {
            let Ok(owner) = names.get_name_owner(name.try_into()?).await else {
                continue;
            };
            let call = bus.call_method(Some(name), object, Some(name), "GetActive", &());
            let answer = match tokio::time::timeout(CALL_TIMEOUT, call).await {
                Ok(Ok(answer)) => answer.body().deserialize::<bool>().ok(),
                Ok(Err(_)) | Err(_) => None,
            };
            match answer {
                Some(true) => drop(self.locked.insert(owner.clone())),
                Some(false) => drop(self.locked.remove(&owner)),
                // One that does not answer still counts when it sends a signal.
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

    fn write(&self, writer: &StateWriter) {
        writer.change(|state| {
            state.locked_by_session = !self.locked.is_empty();
            state.no_session_lock = self
                .there
                .is_empty()
                .then_some(crate::detail!("no screen saver is on the session bus"));
        });
    }
}
