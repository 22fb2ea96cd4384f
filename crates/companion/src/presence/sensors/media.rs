//! Whether media play, from the players on the session bus (MPRIS, which
//! browsers support too).

use std::convert::Infallible;

use futures_util::StreamExt as _;
use porchlight_api::Message;
use zbus::fdo::DBusProxy;
use zbus::message::Type;
use zbus::zvariant::OwnedValue;
use zbus::{Connection, MatchRule, MessageStream};

use super::StateWriter;
use super::bus::{CALL_TIMEOUT, LOOK_FOR_IT_AGAIN, bus_ended, why};

/// The prefix of players' names.
const PLAYER: &str = "org.mpris.MediaPlayer2.";
const OBJECT: &str = "/org/mpris/MediaPlayer2";
const PROPERTIES: &str = "org.freedesktop.DBus.Properties";

/// Watches while polled.
pub(super) async fn watch(writer: StateWriter) {
    loop {
        let Err(error) = follow(&writer).await;
        writer.change(|state| {
            state.playing = false;
            state.unavailable.media = Some(Message::SessionBusFails { why: why(&error) });
        });
        tokio::time::sleep(LOOK_FOR_IT_AGAIN).await;
    }
}

async fn follow(writer: &StateWriter) -> zbus::Result<Infallible> {
    let bus = Connection::session().await?;
    // Subscribed before the first call, so that no change is missed in between.
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
        let playing = any_player_plays(&bus, &names).await?;
        writer.change(|state| {
            state.playing = playing;
            state.unavailable.media = None;
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

async fn any_player_plays(bus: &Connection, names: &DBusProxy<'_>) -> zbus::Result<bool> {
    for name in names.list_names().await? {
        if name.starts_with(PLAYER) && plays(bus, name.as_str()).await {
            return Ok(true);
        }
    }
    Ok(false)
}

/// One that does not answer does not play.
async fn plays(bus: &Connection, name: &str) -> bool {
    let arguments = ("org.mpris.MediaPlayer2.Player", "PlaybackStatus");
    let call = bus.call_method(Some(name), OBJECT, Some(PROPERTIES), "Get", &arguments);
    let Ok(Ok(answer)) = tokio::time::timeout(CALL_TIMEOUT, call).await else {
        return false;
    };
    let status = answer.body().deserialize::<OwnedValue>();
    status.is_ok_and(|status| {
        status
            .downcast_ref::<&str>()
            .is_ok_and(|status| status == "Playing")
    })
}
