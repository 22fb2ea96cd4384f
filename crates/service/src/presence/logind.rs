//! logind on the system bus: announced sleep, and the lock that delays it.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use zbus::message::Type;
use zbus::zvariant::OwnedFd;
use zbus::{Connection, MatchRule, MessageStream};

pub(crate) const LOGIN: &str = "org.freedesktop.login1";
pub(crate) const OBJECT: &str = "/org/freedesktop/login1";
pub(crate) const MANAGER: &str = "org.freedesktop.login1.Manager";

/// The retry interval on a machine without logind.
pub(crate) const LOOK_FOR_IT_AGAIN: Duration = Duration::from_secs(60);

/// What a stream of a bus that has gone away means.
pub(crate) fn bus_ended() -> zbus::Error {
    zbus::Error::InputOutput(Arc::new(io::Error::other(crate::detail!(
        "the bus has gone away"
    ))))
}

/// The announcements of sleep (`true`) and of its end.
pub(crate) async fn announced_sleeps(bus: &Connection) -> zbus::Result<MessageStream> {
    let rule = MatchRule::builder()
        .msg_type(Type::Signal)
        .interface(MANAGER)?
        .member("PrepareForSleep")?
        .build();
    MessageStream::for_match_rule(rule, bus, None).await
}

/// Takes a lock that delays sleep; `None` where this user may not.
pub(crate) async fn hold_up_sleep(bus: &Connection) -> zbus::Result<Option<OwnedFd>> {
    let words = (
        "sleep",
        "Porchlight",
        "publishes that the owner is offline",
        "delay",
    );
    let call = bus.call_method(Some(LOGIN), OBJECT, Some(MANAGER), "Inhibit", &words);
    match call.await {
        Ok(answer) => Ok(Some(answer.body().deserialize()?)),
        Err(zbus::Error::MethodError(name, _, _))
            if name.as_str() == "org.freedesktop.DBus.Error.AccessDenied" =>
        {
            Ok(None)
        }
        Err(error) => Err(error),
    }
}
