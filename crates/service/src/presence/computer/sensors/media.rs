//! Whether media play, and what, from the players on the session bus (MPRIS, which
//! browsers support too).

use std::collections::HashMap;
use std::convert::Infallible;
use std::time::Duration;

use futures_util::StreamExt as _;
use zbus::fdo::DBusProxy;
use zbus::message::Type;
use zbus::zvariant::OwnedValue;
use zbus::{Connection, MatchRule, MessageStream};

use super::StateWriter;
use super::bus::{CALL_TIMEOUT, LOOK_FOR_IT_AGAIN, why};
use super::players::{self, Played, Player};
use crate::presence::logind::bus_ended;

const PLAYER: &str = "org.mpris.MediaPlayer2.";
const ROOT: &str = "org.mpris.MediaPlayer2";
const PLAYBACK: &str = "org.mpris.MediaPlayer2.Player";
const OBJECT: &str = "/org/mpris/MediaPlayer2";
const PROPERTIES: &str = "org.freedesktop.DBus.Properties";

/// While something plays, players are asked this often: some end without a signal.
const ASK_EVERY: Duration = Duration::from_secs(10);

/// The properties of an interface, by their names.
type Properties = HashMap<String, OwnedValue>;

/// Watches while polled. Only with `reads_tracks` players are asked for more than whether they play.
pub(super) async fn watch(writer: StateWriter, reads_tracks: bool) {
    loop {
        let Err(error) = follow(&writer, reads_tracks).await;
        players::unavailable(
            &writer,
            crate::detail!("the session bus cannot be asked ({why})", why = why(&error)),
        );
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
    let daemon = DBusProxy::new(&bus).await?;
    let mut owners = daemon.receive_name_owner_changed().await?;
    loop {
        let mut names = daemon.list_names().await?;
        names.retain(|name| name.starts_with(PLAYER));
        // The same one first each time, where several play.
        names.sort();
        let on_the_bus = |name| OnTheBus { bus: &bus, name };
        let found: Vec<OnTheBus> = names.iter().map(|name| on_the_bus(name.as_str())).collect();
        let playing = players::ask(writer, &found, reads_tracks).await;
        let later = tokio::time::sleep(ASK_EVERY);
        tokio::pin!(later);
        loop {
            tokio::select! {
                change = changes.next() => {
                    change.ok_or_else(bus_ended)??;
                    break;
                }
                () = &mut later, if playing => break,
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

struct OnTheBus<'a> {
    bus: &'a Connection,
    name: &'a str,
}

impl OnTheBus<'_> {
    /// A property; `None` where it sends none.
    async fn get(&self, interface: &str, property: &str) -> Option<OwnedValue> {
        let arguments = (interface, property);
        let (bus, name) = (self.bus, Some(self.name));
        let call = bus.call_method(name, OBJECT, Some(PROPERTIES), "Get", &arguments);
        let answer = tokio::time::timeout(CALL_TIMEOUT, call).await.ok()?.ok()?;
        answer.body().deserialize::<OwnedValue>().ok()
    }
}

impl Player for OnTheBus<'_> {
    async fn plays(&self) -> bool {
        let status = self.get(PLAYBACK, "PlaybackStatus").await;
        status
            .and_then(text)
            .is_some_and(|status| status == "Playing")
    }

    /// <https://www.freedesktop.org/wiki/Specifications/mpris-spec/metadata/>
    async fn played(&self) -> Played {
        let metadata = self.get(PLAYBACK, "Metadata").await;
        let mut metadata = metadata
            .and_then(|metadata| Properties::try_from(metadata).ok())
            .unwrap_or_default();
        let artists = metadata.remove("xesam:artist");
        let artists = artists.and_then(|artists| Vec::<String>::try_from(artists).ok());
        // `firefox` of `org.mpris.MediaPlayer2.firefox.instance_1_7`
        let on_the_bus = self
            .name
            .strip_prefix(PLAYER)
            .and_then(|name| name.split('.').next());
        let named = [
            self.get(ROOT, "DesktopEntry").await.and_then(text),
            self.get(ROOT, "Identity").await.and_then(text),
            on_the_bus.map(str::to_owned),
        ];
        let title = metadata.remove("xesam:title").and_then(text);
        Played {
            player: named.into_iter().flatten().collect(),
            title: title.unwrap_or_default(),
            artists: artists.unwrap_or_default().join(", "),
        }
    }
}

fn text(value: OwnedValue) -> Option<String> {
    String::try_from(value).ok()
}
