//! What readers saw of the owner, and when: the heartbeats of the past, and the
//! times in which the light was out.

use porchlight_api::{HeartbeatFields, Timestamp};

use super::Presence;
use super::table::{self, Heard};
use crate::database::DatabaseError;

/// The most stretches of one answer.
const MOST: u32 = 5_000;

/// A time in which readers saw the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PresenceStretch {
    /// When it began.
    pub from: Timestamp,
    /// When it ended; it may go on where that is now.
    pub to: Timestamp,
    /// What they saw.
    pub fields: HeartbeatFields,
}

impl Presence {
    /// What readers saw from `from` to `to`, oldest first: at most 5,000
    /// stretches, cut where the range ends. Between them the light was out: it
    /// goes out when no heartbeat has come for `heartbeat.alive_seconds`.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn past(
        &self,
        from: Timestamp,
        to: Timestamp,
    ) -> Result<Vec<PresenceStretch>, DatabaseError> {
        let alive = self.0.alive_millis;
        let to = to.min(self.0.clock.now());
        let heard_after = Timestamp::from_millis(from.as_millis().saturating_sub(alive));
        let heard = self
            .0
            .database
            .read(move |connection| table::heard_between(connection, heard_after, to, MOST + 1))
            .await?;
        let mut past = stretches(&heard, alive, from, to);
        past.truncate(MOST as usize);
        Ok(past)
    }
}

fn stretches(heard: &[Heard], alive: i64, from: Timestamp, to: Timestamp) -> Vec<PresenceStretch> {
    let next = heard.iter().skip(1).map(|next| next.at).chain([to]);
    let stretch = |(heard, next): (&Heard, Timestamp)| {
        let out = Timestamp::from_millis(heard.until.as_millis().saturating_add(alive));
        PresenceStretch {
            from: heard.at.max(from),
            to: out.min(next).min(to),
            fields: heard.fields.clone(),
        }
    };
    let seen = heard.iter().zip(next).map(stretch);
    // A clock that was set back makes some that end before they begin.
    seen.filter(|stretch| stretch.from < stretch.to).collect()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::clock::StoppedClock;
    use crate::database::Database;
    use crate::settings::HeartbeatSettings;

    const START: i64 = 1_000_000_000_000;
    const MINUTE: u64 = 60;

    struct Light {
        presence: Presence,
        hand: StoppedClock,
        folder: tempfile::TempDir,
    }

    impl Light {
        async fn new() -> Self {
            let hand = StoppedClock::at(Timestamp::from_millis(START));
            let folder = tempfile::tempdir().expect("a folder");
            let presence = open(folder.path(), &hand).await;
            Self {
                presence,
                hand,
                folder,
            }
        }

        async fn beat(&self, application: &str) {
            let fields = HeartbeatFields {
                application: application.to_owned(),
                application_online: true,
                ..HeartbeatFields::default()
            };
            self.presence.record(Some(fields)).await.expect("recorded");
        }

        fn wait(&self, seconds: u64) {
            self.hand.advance(Duration::from_secs(seconds));
        }

        /// Application, and seconds since the start of its two ends.
        async fn past(&self, from: i64, to: i64) -> Vec<(String, i64, i64)> {
            let at = |seconds: i64| Timestamp::from_millis(START + seconds * 1_000);
            let past = self.presence.past(at(from), at(to)).await;
            let seconds = |at: Timestamp| (at.as_millis() - START) / 1_000;
            past.expect("the past")
                .into_iter()
                .map(|one| (one.fields.application, seconds(one.from), seconds(one.to)))
                .collect()
        }
    }

    async fn open(folder: &std::path::Path, hand: &StoppedClock) -> Presence {
        let database = Database::open(&folder.join("a.db")).await.expect("open");
        let settings = HeartbeatSettings {
            alive_seconds: 10 * MINUTE,
            ..HeartbeatSettings::default()
        };
        let presence = Presence::open(database, &settings, 30, hand.clock()).await;
        presence.expect("open")
    }

    fn told(stretches: &[(&str, i64, i64)]) -> Vec<(String, i64, i64)> {
        stretches
            .iter()
            .map(|(name, from, to)| ((*name).to_owned(), *from, *to))
            .collect()
    }

    #[tokio::test]
    async fn a_stretch_goes_from_change_to_change_and_the_last_one_on_until_now() {
        let light = Light::new().await;
        light.beat("a").await;
        light.wait(5 * MINUTE);
        light.beat("b").await;
        light.wait(MINUTE);
        light.beat("b").await;
        light.wait(MINUTE);
        let past = light.past(0, 100_000).await;
        assert_eq!(past, told(&[("a", 0, 300), ("b", 300, 420)]));
    }

    #[tokio::test]
    async fn where_nobody_said_goodbye_a_stretch_ends_when_the_light_went_out() {
        let light = Light::new().await;
        light.beat("a").await;
        light.wait(5 * MINUTE);
        light.beat("a").await;
        // Killed; hours later it is something else, and then the same again.
        light.wait(300 * MINUTE);
        light.beat("b").await;
        light.wait(60 * MINUTE);
        light.beat("b").await;
        light.wait(MINUTE);
        let past = light.past(0, 100_000).await;
        assert_eq!(
            past,
            told(&[("a", 0, 900), ("b", 18_300, 18_900), ("b", 21_900, 21_960)])
        );
    }

    #[tokio::test]
    async fn stretches_are_cut_where_the_range_ends() {
        let light = Light::new().await;
        light.beat("a").await;
        light.wait(5 * MINUTE);
        light.beat("b").await;
        light.wait(5 * MINUTE);
        assert_eq!(
            light.past(100, 400).await,
            told(&[("a", 100, 300), ("b", 300, 400)])
        );
        assert_eq!(light.past(400, 500).await, told(&[("b", 400, 500)]));
        assert_eq!(light.past(-500, -100).await, told(&[]));
        light.wait(60 * MINUTE);
        assert_eq!(
            light.past(1_000, 9_000).await,
            told(&[]),
            "the light was out"
        );
    }

    #[tokio::test]
    async fn since_is_when_what_is_seen_began_and_outlives_a_restart() {
        let light = Light::new().await;
        assert_eq!(light.presence.since(), None);
        light.beat("a").await;
        light.wait(MINUTE);
        light.beat("b").await;
        light.wait(MINUTE);
        light.beat("b").await;
        let seconds = |presence: &Presence| {
            let since = presence.since().expect("a time");
            (since.as_millis() - START) / 1_000
        };
        assert_eq!(seconds(&light.presence), 60);
        let again = open(light.folder.path(), &light.hand).await;
        assert_eq!(seconds(&again), 60);
        light.wait(60 * MINUTE);
        assert_eq!(seconds(&again), 120 + 600, "since the light went out");
    }
}
