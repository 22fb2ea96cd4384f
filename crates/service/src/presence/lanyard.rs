//! What Lanyard's clients see of the owner: the answer to a request, and the messages of its sockets.

use std::time::Duration;

use bytes::Bytes;
use serde_json::{Value, json};
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use super::{LanyardSettings, Presence, VisiblePresence};
use crate::clock::Clock;
use crate::devices::DeviceKind;
use crate::state::State;

/// How often the messages are made anew in any case: the machine's clock may be set.
const A_MINUTE: Duration = Duration::from_secs(60);

/// The presence of the owner in Lanyard's form.
#[derive(Debug, Clone)]
pub struct LanyardAnswer {
    /// Whom it is about; `None` while `lanyard.enabled` is off.
    id: Option<String>,
    body: Value,
    /// Unix seconds.
    valid_until: i64,
}

/// What the sockets are sent, as JSON. It changes when readers see something else.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LanyardMessages {
    /// Whom the presence is about.
    pub id: String,
    /// `PRESENCE_UPDATE` with it.
    pub update: Bytes,
    /// `INIT_STATE` with it.
    pub one: Bytes,
    /// `INIT_STATE` with a map that has it under the id.
    pub map: Bytes,
    /// `PRESENCE_UPDATE` with an owner who is offline: the last message before the service stops.
    pub offline: Bytes,
}

impl LanyardAnswer {
    /// What its clients see now.
    pub(crate) fn now(presence: &Presence) -> Self {
        Self::of(presence, presence.shown())
    }

    /// What they see once the presence of now is over.
    pub(crate) fn over(presence: &Presence) -> Self {
        Self::of(presence, presence.shown().over())
    }

    fn of(presence: &Presence, shown: VisiblePresence) -> Self {
        let decisions = presence.decisions();
        let LanyardSettings { enabled: true, id } = decisions.lanyard else {
            return Self {
                id: None,
                body: Self::of_nobody(),
                valid_until: 0,
            };
        };
        // What no valid heartbeat supports is not named.
        let shown = if shown.check.alive {
            shown
        } else {
            shown.over()
        };
        let alive = shown.check.alive;
        let fields = shown.check.fields;
        // A heartbeat without fields means that the owner is there.
        let is_online = alive
            && fields
                .as_ref()
                .is_none_or(|fields| fields.application_online);
        let fields = fields.unwrap_or_default();
        let device = shown.device;
        let used_at = device.as_ref().map(|(.., used_at)| used_at.as_millis());
        let is_listed = decisions.devices.show && alive;
        let (device, kind) = match device.filter(|_| is_listed) {
            Some((id, kind, _)) => (id.to_string(), kind),
            None => (String::new(), DeviceKind::Other),
        };
        let is_mobile = matches!(kind, DeviceKind::Phone | DeviceKind::Tablet);
        let application = Some(&fields.application).filter(|name| is_online && !name.is_empty());
        let activity = application.map(|name| {
            json!({
                "type": 0, "id": "application", "name": name, "details": fields.introduce,
                "created_at": used_at, "timestamps": { "start": used_at },
            })
        });
        // The end of a track is not known.
        let since = shown
            .since
            .map_or(0, |since| since.as_seconds().saturating_mul(1000));
        let track = fields.track.filter(|_| is_online).map(|track| {
            json!({
                "song": track.title, "artist": track.artist, "album": null, "album_art_url": null,
                "track_id": null, "timestamps": { "start": since, "end": null },
            })
        });
        let data = json!({
            "discord_user": {
                "id": id, "username": "porchlight", "global_name": null, "display_name": null,
                "avatar": null, "discriminator": "0", "public_flags": 0, "bot": false,
            },
            "discord_status": match (alive, is_online) {
                (_, true) => "online",
                (true, false) => "idle",
                (false, false) => "offline",
            },
            "active_on_discord_web": false,
            "active_on_discord_desktop": is_online && !is_mobile,
            "active_on_discord_mobile": is_online && is_mobile,
            "active_on_discord_embedded": false,
            "active_on_discord_vr": false,
            "listening_to_spotify": track.is_some(),
            "spotify": track,
            "activities": Vec::from_iter(activity),
            "kv": {
                "application": fields.application, "introduce": fields.introduce,
                "rgba": fields.rgba, "device": device,
            },
        });
        Self {
            id: Some(id),
            body: json!({ "success": true, "data": data }),
            valid_until: shown.valid_until,
        }
    }

    /// The body of the answer to a request for this id; `None` where it is unknown.
    #[must_use]
    pub fn for_id(&self, asked: &str) -> Option<&Value> {
        (self.id.as_deref() == Some(asked)).then_some(&self.body)
    }

    /// The answer to a request for an unknown id.
    #[must_use]
    pub fn of_nobody() -> Value {
        json!({ "success": false, "error": {
            "code": "user_not_monitored", "message": "User is not being monitored by Lanyard",
        }})
    }

    /// `data` of the body; `None` while `lanyard.enabled` is off.
    pub(crate) fn data(&self) -> Option<&Value> {
        self.id.as_ref().and(self.body.get("data"))
    }

    fn messages(self, offline: &Self) -> Option<LanyardMessages> {
        let id = self.id?;
        let message = |event: &str, data: &Value| -> Bytes {
            let message = json!({ "op": 0, "t": event, "d": data });
            message.to_string().into()
        };
        let data = &self.body["data"];
        Some(LanyardMessages {
            update: message("PRESENCE_UPDATE", data),
            one: message("INIT_STATE", data),
            map: message("INIT_STATE", &json!({ (id.as_str()): data })),
            offline: message("PRESENCE_UPDATE", &offline.body["data"]),
            id,
        })
    }
}

/// Keeps the messages of sockets as they should be: with each change of the presence, at its end, and
/// once a minute, since the machine's clock may be set.
pub(crate) async fn keep_current(
    presence: Presence,
    clock: Clock,
    messages: State<Option<LanyardMessages>>,
    stop: CancellationToken,
) {
    let mut changes = presence.changes();
    loop {
        let now = clock.now();
        let answer = LanyardAnswer::now(&presence);
        let end = answer.valid_until.saturating_add(1).saturating_mul(1000);
        let new = answer.messages(&LanyardAnswer::over(&presence));
        messages.update(|known| *known = new);
        let left = u64::try_from(end.saturating_sub(now.as_millis())).map(Duration::from_millis);
        tokio::select! {
            () = stop.cancelled() => return,
            changed = changes.changed() => if changed.is_err() {
                return;
            },
            () = sleep(left.unwrap_or(A_MINUTE).min(A_MINUTE)) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::http::replies::{HeartbeatFields, SharedTrack};

    use super::*;
    use crate::clock::StoppedClock;
    use crate::clock::timestamp::Timestamp;
    use crate::presence::HeartbeatSettings;

    #[tokio::test]
    async fn a_shared_track_is_shown_while_the_owner_is_there() {
        let folder = tempfile::tempdir().expect("a folder");
        let database = crate::schema::open(&folder.path().join("porchlight.db")).await;
        let start = 1_700_000_000_000;
        let clock = StoppedClock::at(Timestamp::from_millis(start));
        let settings = HeartbeatSettings::default();
        let database = database.expect("a database");
        let presence = Presence::open(database, &settings, 30, clock.clock()).await;
        let presence = presence.expect("presence");
        let hears = async |title: &str, online| {
            let fields = HeartbeatFields {
                application: "Editor".to_owned(),
                introduce: format!("♪ {title} – Claude Debussy"),
                application_online: online,
                track: SharedTrack::of(title, "Claude Debussy"),
                ..HeartbeatFields::default()
            };
            presence.record(Some(fields)).await.expect("recorded");
            LanyardAnswer::now(&presence)
        };
        let first = hears("Clair de lune", true).await;
        let track = json!({
            "song": "Clair de lune", "artist": "Claude Debussy", "album": null,
            "album_art_url": null, "track_id": null, "timestamps": { "start": start, "end": null },
        });
        assert_eq!(first.body["data"]["spotify"], track);
        assert_eq!(first.body["data"]["listening_to_spotify"], true);
        clock.advance(Duration::from_secs(30));
        let same = hears("Clair de lune", true).await;
        assert_eq!(same.body, first.body, "a heartbeat is no change");
        assert_eq!(same.valid_until, first.valid_until + 30);
        let next = hears("La mer", true).await.body["data"].take();
        let since = &next["spotify"]["timestamps"]["start"];
        assert_eq!(*since, start + 30_000, "when readers saw it first");
        let app = &next["activities"][0]["timestamps"]["start"];
        assert_eq!(*app, start, "the app is the same");

        let away = hears("La mer", false).await;
        for (hidden, status) in [(away, "idle"), (LanyardAnswer::over(&presence), "offline")] {
            let data = &hidden.body["data"];
            assert_eq!(data["discord_status"], status);
            assert_eq!(data["spotify"], Value::Null);
            assert_eq!(data["listening_to_spotify"], false);
            assert_eq!(data["activities"], json!([]));
        }
    }
}
