//! `check.json`, `devices.json` and `game_status.json`: what readers see of the owner, and for how
//! long that holds.

use serde::Serialize;

use crate::clock::timestamp::Timestamp;
use crate::devices::{DeviceItem, DevicesReply};
use crate::http::replies::{Check, GameStatus, HeartbeatFields};
use crate::presence::{Presence, VisiblePresence};
use crate::text::address::WebAddress;

/// How long a game status holds after it was written.
const GAME_HOLDS: i64 = 180;

/// What the process is about to do, as far as it concerns the snapshot.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct PublishOrders {
    /// Nothing about the owner is shown.
    pub(super) paused: bool,
    /// Since when the service sleeps or stops.
    pub(super) absent_since: Option<Timestamp>,
    /// How often what is hidden has changed: an older order does not count for a newer one.
    pub(super) hidings: u64,
    /// How often the presence hid something, as of these orders.
    pub(super) presence_hidings: u64,
    /// It stops for good.
    pub(super) stopping: bool,
    /// The proven address of the tunnel.
    pub(super) tunnel: Option<WebAddress>,
}

impl PublishOrders {
    /// The address for `origin.json`. A plain HTTP address is not published.
    pub(super) fn origin(&self) -> Option<&WebAddress> {
        let url = self.tunnel.as_ref().filter(|_| self.absent_since.is_none());
        url.filter(|url| !is_plain(url))
    }

    /// What hides the owner: a pause, and since when the service is absent; and how often the presence
    /// hid something.
    pub(super) fn hiding(&self) -> (bool, Option<Timestamp>, u64) {
        (self.paused, self.absent_since, self.presence_hidings)
    }

    /// Whether anything is hidden of the owner.
    pub(super) fn hides(&self) -> bool {
        self.paused || self.absent_since.is_some()
    }
}

/// Whether everybody on the way could read and change what this address carries.
pub(super) fn is_plain(url: &WebAddress) -> bool {
    !url.is_https() && !url.is_loopback()
}

/// Whether the owner is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum SnapshotState {
    /// A heartbeat is valid, and reports it.
    Online,
    /// A heartbeat is valid, and reports away; also a pause, which looks the same to readers.
    Away,
    /// No heartbeat is valid, or the service sleeps or stops.
    Offline,
}

/// The content of `check.json`, less the time at which it was written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct CheckAnswer {
    #[serde(flatten)]
    pub(super) check: Check,
    pub(super) state: SnapshotState,
    /// Unix seconds.
    pub(super) since: i64,
    written_at: i64,
    /// Unix seconds.
    pub(super) valid_until: i64,
}

impl CheckAnswer {
    /// What readers are to see now.
    pub(super) fn now(presence: &Presence, orders: &PublishOrders, now: Timestamp) -> Self {
        Self::of(presence.shown(), orders, now)
    }

    /// What they are to see of this.
    pub(super) fn of(shown: VisiblePresence, orders: &PublishOrders, now: Timestamp) -> Self {
        let VisiblePresence {
            mut check,
            since,
            valid_until,
            device: _,
        } = shown;
        check.alive &= orders.absent_since.is_none();
        // What no valid heartbeat supports is not named. Of a client that reports it is away, the
        // rest of its report stays.
        if (orders.paused || !check.alive)
            && let Some(fields) = &mut check.fields
        {
            *fields = HeartbeatFields::default();
        }
        // A heartbeat without fields means that the owner is there.
        let here = check
            .fields
            .as_ref()
            .map(|fields| fields.application_online);
        let state = match here {
            _ if !check.alive => SnapshotState::Offline,
            Some(true) => SnapshotState::Online,
            None if !orders.paused => SnapshotState::Online,
            _ => SnapshotState::Away,
        };
        if state != SnapshotState::Online
            && let Some(fields) = &mut check.fields
        {
            fields.application_online = false;
        }
        let since = orders.absent_since.or(since);
        Self {
            state,
            since: since.map_or(0, Timestamp::as_seconds),
            written_at: now.as_seconds(),
            valid_until,
            check,
        }
    }

    /// Whether readers see the same in both, for however long.
    pub(super) fn shows_the_same(&self, other: &Self) -> bool {
        let timeless = |answer: &Self| Self {
            check: Check {
                last_heartbeat: 0,
                ..answer.check.clone()
            },
            written_at: 0,
            valid_until: 0,
            ..answer.clone()
        };
        timeless(self) == timeless(other)
    }
}

/// The content of `devices.json`: the devices that readers are to see now. A pause and an absence hide
/// what each of them shows.
pub(super) fn devices_now(presence: &Presence, orders: &PublishOrders) -> DevicesReply {
    let mut devices = presence.devices();
    if orders.hides() {
        devices.iter_mut().for_each(DeviceItem::hide);
    }
    DevicesReply { devices }
}

/// Whether readers see the same devices in both, for however long.
pub(super) fn show_the_same(one: &DevicesReply, other: &DevicesReply) -> bool {
    let timeless = |device: &DeviceItem| DeviceItem {
        last_heartbeat: 0,
        valid_until: None,
        ..device.clone()
    };
    let other = other.devices.iter().map(timeless);
    one.devices.iter().map(timeless).eq(other)
}

/// The content of `game_status.json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct GameAnswer {
    #[serde(flatten)]
    pub(super) status: GameStatus,
    /// Unix seconds.
    valid_until: i64,
}

impl GameAnswer {
    pub(super) fn now(status: GameStatus, now: Timestamp) -> Self {
        Self {
            status,
            valid_until: now.as_seconds().saturating_add(GAME_HOLDS),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use crate::text::rgba::Rgba;
    use serde_json::{Value, json};

    use super::*;
    use crate::clock::StoppedClock;
    use crate::presence::HeartbeatSettings;

    const START: i64 = 1_700_000_000;
    const ALIVE: Duration = Duration::from_secs(600);

    struct Owner {
        presence: Presence,
        clock: StoppedClock,
        _folder: tempfile::TempDir,
    }

    impl Owner {
        async fn new(fields: bool) -> Self {
            let folder = tempfile::tempdir().expect("a folder");
            let database = crate::schema::open(&folder.path().join("porchlight.db")).await;
            let clock = StoppedClock::at(Timestamp::from_millis(START * 1000));
            let settings = HeartbeatSettings {
                fields,
                alive_seconds: ALIVE.as_secs(),
            };
            let database = database.expect("a database");
            let presence = Presence::open(database, &settings, 30, clock.clock()).await;
            Self {
                presence: presence.expect("a presence"),
                clock,
                _folder: folder,
            }
        }

        async fn is(&self, online: bool) {
            let fields = HeartbeatFields {
                application: "Editor".to_owned(),
                introduce: "Writing".to_owned(),
                rgba: Rgba::opaque(1, 2, 3),
                application_online: online,
                track: None,
            };
            let fields = self.presence.with_fields().then_some(fields);
            self.presence.record(fields).await.expect("a heartbeat");
        }

        fn seen(&self, orders: &PublishOrders) -> Value {
            let now = self.clock.clock().now();
            let answer = CheckAnswer::now(&self.presence, orders, now);
            serde_json::to_value(answer).expect("JSON")
        }
    }

    fn assert_shows_nothing(seen: &Value) {
        for key in ["application", "introduce", "rgba"] {
            assert_eq!(seen[key], "", "{key}: {seen}");
        }
        assert_eq!(seen["applicationOnline"], false, "{seen}");
    }

    #[tokio::test]
    async fn the_snapshot_is_the_body_of_check_with_a_state_and_an_expiry() {
        let owner = Owner::new(true).await;
        owner.is(true).await;
        owner.clock.advance(Duration::from_secs(5));
        let online = json!({
            "alive": true, "last_heartbeat": START, "application": "Editor",
            "introduce": "Writing", "rgba": "1,2,3,1", "applicationOnline": true,
            "state": "online", "since": START, "written_at": START + 5,
            "valid_until": START + 600,
        });
        assert_eq!(owner.seen(&PublishOrders::default()), online);
        owner.is(false).await;
        let away = owner.seen(&PublishOrders::default());
        assert_eq!(away["state"], "away");
        assert_eq!(away["alive"], true);
        assert_eq!(away["applicationOnline"], false);
        // A client that reports away decides what stays beside it.
        assert_eq!(away["application"], "Editor");
        owner.clock.advance(Duration::from_secs(601));
        let offline = owner.seen(&PublishOrders::default());
        assert_eq!(offline["state"], "offline");
        assert_eq!(offline["alive"], false);
        assert_shows_nothing(&offline);
        assert_eq!(offline["since"], START + 5 + 600);
    }

    #[tokio::test]
    async fn a_pause_looks_like_being_away_and_shows_nothing() {
        let owner = Owner::new(true).await;
        owner.is(true).await;
        let paused = PublishOrders {
            paused: true,
            ..PublishOrders::default()
        };
        let seen = owner.seen(&paused);
        assert_eq!(seen["state"], "away");
        assert_shows_nothing(&seen);
    }

    #[tokio::test]
    async fn sleep_and_stop_publish_offline_at_once() {
        for fields in [true, false] {
            let owner = Owner::new(fields).await;
            owner.is(true).await;
            let slept = PublishOrders {
                absent_since: Some(Timestamp::from_millis((START + 7) * 1000)),
                ..PublishOrders::default()
            };
            let seen = owner.seen(&slept);
            assert_eq!(seen["state"], "offline");
            assert_eq!(seen["alive"], false);
            assert_eq!(seen["since"], START + 7);
            if fields {
                assert_shows_nothing(&seen);
            } else {
                assert_eq!(seen.get("application"), None);
            }
            assert_eq!(owner.seen(&PublishOrders::default())["state"], "online");
        }
    }

    #[test]
    fn the_tunnel_is_named_by_https_alone_and_while_the_service_is_there() {
        let orders = |url: &str, absent| PublishOrders {
            tunnel: Some(url.parse().expect("an address")),
            absent_since: absent,
            ..PublishOrders::default()
        };
        let named = |orders: PublishOrders| orders.origin().is_some();
        assert!(named(orders("https://t.example", None)));
        assert!(named(orders("http://127.0.0.1:1", None)));
        assert!(!named(orders("http://t.example", None)));
        let now = Some(Timestamp::from_millis(0));
        assert!(!named(orders("https://t.example", now)));
    }
}
