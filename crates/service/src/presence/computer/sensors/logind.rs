//! State from logind on the system bus: that the session is locked, and that
//! the machine is about to sleep.

use std::convert::Infallible;
use std::time::Duration;

use futures_util::StreamExt as _;
use zbus::message::Type;
use zbus::zvariant::{OwnedObjectPath, OwnedValue};
use zbus::{Connection, MatchRule, MessageStream};

use super::StateWriter;
use super::bus::why;
use crate::presence::logind::{
    LOGIN, LOOK_FOR_IT_AGAIN, MANAGER, OBJECT, announced_sleeps, bus_ended, hold_up_sleep,
};

const SESSION: &str = "org.freedesktop.login1.Session";
const PROPERTIES: &str = "org.freedesktop.DBus.Properties";

/// How long sleep is delayed, for the goodbye heartbeat.
const HOLD_UP_SLEEP: Duration = Duration::from_millis(1_500);

/// Watches while polled.
pub(super) async fn watch(writer: StateWriter) {
    loop {
        let Err(error) = follow(&writer).await;
        writer.change(|state| {
            (state.locked_by_login, state.asleep) = (false, false);
            let why = crate::detail!("logind cannot be asked ({why})", why = why(&error));
            state.no_login_lock = Some(why.clone());
            state.unavailable.sleep = Some(why);
        });
        tokio::time::sleep(LOOK_FOR_IT_AGAIN).await;
    }
}

async fn follow(writer: &StateWriter) -> zbus::Result<Infallible> {
    let bus = Connection::system().await?;
    // Subscribed before the first call, so that no change is missed in between.
    let mut sleeps = announced_sleeps(&bus).await?;
    let rule = MatchRule::builder()
        .msg_type(Type::Signal)
        .interface(PROPERTIES)?
        .member("PropertiesChanged")?
        .path_namespace("/org/freedesktop/login1/session")?
        .build();
    let mut changes = MessageStream::for_match_rule(rule, &bus, None).await?;

    // Without logind there is nothing to delay; without the permission to delay
    // it sleep is still announced.
    let mut delay = hold_up_sleep(&bus).await.map_err(absent)?;
    let session = session(&bus).await;
    writer.change(|state| state.unavailable.sleep = None);
    loop {
        let locked = match &session {
            Ok(session) => locked(&bus, session).await,
            Err(error) => Err(error.clone()),
        };
        writer.change(|state| {
            state.locked_by_login = locked.as_ref().is_ok_and(|locked| *locked);
            let error = locked.as_ref().err();
            state.no_login_lock = error.map(|error| {
                crate::detail!("logind knows no session of yours ({why})", why = why(error))
            });
        });
        tokio::select! {
            change = changes.next() => drop(change.ok_or_else(bus_ended)??),
            sleep = sleeps.next() => {
                let asleep = sleep.ok_or_else(bus_ended)??.body().deserialize::<bool>()?;
                writer.change(|state| state.asleep = asleep);
                if asleep {
                    tokio::time::sleep(HOLD_UP_SLEEP).await;
                    delay = None;
                } else if delay.is_none() {
                    delay = hold_up_sleep(&bus).await?;
                }
            }
        }
    }
}

fn absent(error: zbus::Error) -> zbus::Error {
    match error {
        zbus::Error::MethodError(name, _, _) => zbus::Error::Failure(name.to_string()),
        error => error,
    }
}

/// The session of this process, or, for one that has none, its user's.
async fn session(bus: &Connection) -> zbus::Result<OwnedObjectPath> {
    let call = bus.call_method(Some(LOGIN), OBJECT, Some(MANAGER), "GetSession", &"auto");
    call.await?.body().deserialize()
}

async fn locked(bus: &Connection, session: &OwnedObjectPath) -> zbus::Result<bool> {
    let arguments = (SESSION, "LockedHint");
    let call = bus.call_method(Some(LOGIN), session, Some(PROPERTIES), "Get", &arguments);
    let answer = call.await?.body().deserialize::<OwnedValue>()?;
    Ok(answer.downcast_ref::<bool>()?)
}
