//! Whether media play, and what, from the players on the session bus (MPRIS, which
//! browsers support too).

use std::collections::HashMap;
use std::convert::Infallible;

use futures_util::StreamExt as _;
use porchlight_api::Message;
use zbus::fdo::DBusProxy;
use zbus::message::Type;
use zbus::zvariant::OwnedValue;
use zbus::{Connection, MatchRule, MessageStream};

use super::StateWriter;
use super::linux::{CALL_TIMEOUT, LOOK_FOR_IT_AGAIN, why};
use crate::logind::bus_ended;
use crate::presence::foreground::{Track, Window};

const PLAYER: &str = "org.mpris.MediaPlayer2.";
const OBJECT: &str = "/org/mpris/MediaPlayer2";
const PROPERTIES: &str = "org.freedesktop.DBus.Properties";
/// The most players that are asked.
const MOST: usize = 16;

/// The properties of an interface, by their names.
type Properties = HashMap<String, OwnedValue>;

/// Watches while polled. Only with `reads_tracks` players are asked for more than whether they play.
pub(super) async fn watch(writer: StateWriter, reads_tracks: bool) {
    loop {
        let Err(error) = follow(&writer, reads_tracks).await;
        writer.change(|state| {
            state.playing = false;
            state.tracks.clear();
            state.unavailable.media = Some(Message::SessionBusFails { why: why(&error) });
        });
        tokio::time::sleep(LOOK_FOR_IT_AGAIN).await;
    }
}

async fn follow(writer: &StateWriter, reads_tracks: bool) -> zbus::Result<Infallible> {
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
        let mut players = names.list_names().await?;
        players.retain(|name| name.starts_with(PLAYER));
        // The same one first each time, where several play.
        players.sort();
        let mut playing = false;
        let mut tracks = Vec::new();
        for name in players.iter().take(MOST).map(|name| name.as_str()) {
            if !plays(&bus, name).await {
                continue;
            }
            playing = true;
            if !reads_tracks {
                break;
            }
            tracks.push(track(&bus, name).await);
        }
        writer.change(|state| {
            state.playing = playing;
            state.tracks = tracks;
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

/// One that does not answer does not play.
async fn plays(bus: &Connection, name: &str) -> bool {
    let status = get(bus, name, "org.mpris.MediaPlayer2.Player", "PlaybackStatus").await;
    status
        .and_then(text)
        .is_some_and(|status| status == "Playing")
}

/// The player, by its names, with its track as the title: `Clair de lune – Claude Debussy`. The
/// title is empty where the player sends none.
/// <https://www.freedesktop.org/wiki/Specifications/mpris-spec/metadata/>
async fn track(bus: &Connection, name: &str) -> Track {
    const ROOT: &str = "org.mpris.MediaPlayer2";
    let metadata = get(bus, name, "org.mpris.MediaPlayer2.Player", "Metadata").await;
    let mut metadata = metadata
        .and_then(|metadata| Properties::try_from(metadata).ok())
        .unwrap_or_default();
    let title = metadata.remove("xesam:title").and_then(text);
    let artists = metadata.remove("xesam:artist");
    let artists = artists.and_then(|artists| Vec::<String>::try_from(artists).ok());
    let artists = artists.unwrap_or_default().join(", ");
    let title = match title.unwrap_or_default() {
        title if title.is_empty() || artists.is_empty() => title,
        title => format!("{title} – {artists}"),
    };
    // `firefox` of `org.mpris.MediaPlayer2.firefox.instance_1_7`
    let on_the_bus = name
        .strip_prefix(PLAYER)
        .and_then(|name| name.split('.').next());
    let named = [
        get(bus, name, ROOT, "DesktopEntry").await.and_then(text),
        get(bus, name, ROOT, "Identity").await.and_then(text),
        on_the_bus.map(str::to_owned),
    ];
    Track {
        player: Window {
            names: Window::names_of(named.into_iter().flatten()),
            title: Window::title_of(&title),
            ..Window::default()
        },
        has_artist: !artists.trim().is_empty(),
    }
}

fn text(value: OwnedValue) -> Option<String> {
    String::try_from(value).ok()
}

/// A property of a player; `None` where it sends none.
async fn get(bus: &Connection, name: &str, interface: &str, property: &str) -> Option<OwnedValue> {
    let arguments = (interface, property);
    let call = bus.call_method(Some(name), OBJECT, Some(PROPERTIES), "Get", &arguments);
    let answer = tokio::time::timeout(CALL_TIMEOUT, call).await.ok()?.ok()?;
    answer.body().deserialize::<OwnedValue>().ok()
}
