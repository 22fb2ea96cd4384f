//! Whether media play, by the word of the players on the session bus (MPRIS:
//! browsers are among them).

use std::convert::Infallible;

use futures_util::StreamExt as _;
use zbus::fdo::DBusProxy;
use zbus::message::Type;
use zbus::zvariant::OwnedValue;
use zbus::{Connection, MatchRule, MessageStream};

use super::Seen;
use super::bus::{LOOK_FOR_IT_AGAIN, PATIENCE, bus_ended};

/// What the names of players begin with.
const PLAYER: &str = "org.mpris.MediaPlayer2.";
const OBJECT: &str = "/org/mpris/MediaPlayer2";
const PROPERTIES: &str = "org.freedesktop.DBus.Properties";

/// Watches for as long as it is polled.
pub(super) async fn watch(seen: Seen) {
    loop {
        let Err(error) = follow(&seen).await;
        seen.change(|sight| {
            sight.playing = false;
            sight.lacks.media = Some(format!("the session bus cannot be asked ({error})"));
        });
        tokio::time::sleep(LOOK_FOR_IT_AGAIN).await;
    }
}

async fn follow(seen: &Seen) -> zbus::Result<Infallible> {
    let bus = Connection::session().await?;
    // Before anybody is asked, so that no change goes by in between.
    let rule = MatchRule::builder()
        .msg_type(Type::Signal)
        .interface(PROPERTIES)?
        .member("PropertiesChanged")?
        .path(OBJECT)?
        .build();
    let mut changes = MessageStream::for_match_rule(rule, &bus, None).await?;
    let names = DBusProxy::new(&bus).await?;
    let mut owners = names.receive_name_owner_changed().await?;
    loop {
        let playing = anybody_plays(&bus, &names).await?;
        seen.change(|sight| {
            sight.playing = playing;
            sight.lacks.media = None;
        });
        loop {
            tokio::select! {
                change = changes.next() => {
                    change.ok_or_else(bus_ended)??;
                    break;
                }
                change = owners.next() => {
                    let change = change.ok_or_else(bus_ended)?;
                    if change.args()?.name().starts_with(PLAYER) {
                        break;
                    }
                }
            }
        }
    }
}

async fn anybody_plays(bus: &Connection, names: &DBusProxy<'_>) -> zbus::Result<bool> {
    for name in names.list_names().await? {
        if name.starts_with(PLAYER) && plays(bus, name.as_str()).await {
            return Ok(true);
        }
    }
    Ok(false)
}

/// One that does not answer does not play.
async fn plays(bus: &Connection, name: &str) -> bool {
    let asked = ("org.mpris.MediaPlayer2.Player", "PlaybackStatus");
    let call = bus.call_method(Some(name), OBJECT, Some(PROPERTIES), "Get", &asked);
    let Ok(Ok(answer)) = tokio::time::timeout(PATIENCE, call).await else {
        return false;
    };
    let status = answer.body().deserialize::<OwnedValue>();
    status.is_ok_and(|status| {
        status
            .downcast_ref::<&str>()
            .is_ok_and(|status| status == "Playing")
    })
}
