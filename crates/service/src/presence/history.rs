//! Presence history: what readers saw of the owner, and when, with the times of
//! being offline.

use super::table::{self, Change};
use super::{LONGEST_VALID, Presence};
use crate::clock::timestamp::Timestamp;
use crate::db::DatabaseError;
use crate::devices::DeviceId;
use crate::http::replies::HeartbeatFields;

/// The most stretches of one answer; the newest are returned.
const MOST: u32 = 5_000;

/// A time in which readers saw the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PastPresence {
    /// When it began.
    pub from: Timestamp,
    /// When it ended; it may still continue where that is now.
    pub to: Timestamp,
    /// What they saw.
    pub fields: HeartbeatFields,
    /// The name of the device that it was of; `None` for this computer.
    pub device: Option<String>,
}

impl Presence {
    /// What readers saw from `from` to `to`, oldest first: the newest 5,000 stretches of it, cut
    /// where the range ends. Between them the owner was offline: that is, no heartbeat had come for
    /// `heartbeat.alive_seconds`, or for as long as other clients' reports are valid.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn history(
        &self,
        from: Timestamp,
        to: Timestamp,
    ) -> Result<Vec<PastPresence>, DatabaseError> {
        let alive = self.alive_millis();
        let to = to.min(self.0.clock.now());
        let longest = alive.max(LONGEST_VALID);
        let received_after = Timestamp::from_millis(from.as_millis().saturating_sub(longest));
        let changes = self
            .0
            .database
            .read(move |connection| table::changes_between(connection, received_after, to, MOST))
            .await?;
        let known = self.known();
        let name = |id: &DeviceId| {
            let device = known.devices.iter().find(|device| device.decided.id == *id);
            device.map_or_else(|| id.to_string(), |device| device.decided.name.clone())
        };
        Ok(stretches(&changes, alive, (from, to), name))
    }
}

fn stretches(
    changes: &[Change],
    alive: i64,
    (from, to): (Timestamp, Timestamp),
    name: impl Fn(&DeviceId) -> String,
) -> Vec<PastPresence> {
    // After the clock was set back a later one may start before an earlier one:
    // each ends at the earliest start of all that came after it.
    let mut ends = to;
    let mut past = Vec::with_capacity(changes.len());
    for change in changes.iter().rev() {
        let valid_for = change.valid_for.unwrap_or(alive);
        let out = Timestamp::from_millis(change.until.as_millis().saturating_add(valid_for));
        let stretch = PastPresence {
            from: change.at.max(from),
            to: out.min(ends),
            fields: change.fields.clone(),
            device: change.device.as_ref().map(&name),
        };
        ends = ends.min(change.at);
        if stretch.from < stretch.to {
            past.push(stretch);
        }
    }
    past.reverse();
    past
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio_util::sync::CancellationToken;

    use super::*;
    use crate::clock::StoppedClock;
    use crate::presence::HeartbeatSettings;

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
        async fn history(&self, from: i64, to: i64) -> Vec<(String, i64, i64)> {
            let at = |seconds: i64| Timestamp::from_millis(START + seconds * 1_000);
            let past = self.presence.history(at(from), at(to)).await;
            let seconds = |at: Timestamp| (at.as_millis() - START) / 1_000;
            past.expect("the past")
                .into_iter()
                .map(|one| (one.fields.application, seconds(one.from), seconds(one.to)))
                .collect()
        }
    }

    async fn open(folder: &std::path::Path, hand: &StoppedClock) -> Presence {
        let database = crate::schema::open(&folder.join("a.db"))
            .await
            .expect("open");
        let settings = HeartbeatSettings {
            alive_seconds: 10 * MINUTE,
            ..HeartbeatSettings::default()
        };
        let presence = Presence::open(database, &settings, 30, hand.clock()).await;
        presence.expect("open")
    }

    fn change(at: Timestamp, application: String) -> Change {
        Change {
            row: 0,
            device: None,
            at,
            until: at,
            valid_for: None,
            fields: HeartbeatFields {
                application,
                ..HeartbeatFields::default()
            },
        }
    }

    fn expected(stretches: &[(&str, i64, i64)]) -> Vec<(String, i64, i64)> {
        stretches
            .iter()
            .map(|(name, from, to)| ((*name).to_owned(), *from, *to))
            .collect()
    }

    #[tokio::test]
    async fn a_stretch_goes_from_change_to_change_and_the_last_one_on_until_now() {
        let fixture = Light::new().await;
        fixture.beat("a").await;
        fixture.wait(5 * MINUTE);
        fixture.beat("b").await;
        fixture.wait(MINUTE);
        fixture.beat("b").await;
        fixture.wait(MINUTE);
        let past = fixture.history(0, 100_000).await;
        assert_eq!(past, expected(&[("a", 0, 300), ("b", 300, 420)]));
    }

    #[tokio::test]
    async fn without_a_goodbye_a_stretch_ends_when_the_owner_counts_as_offline() {
        let fixture = Light::new().await;
        fixture.beat("a").await;
        fixture.wait(5 * MINUTE);
        fixture.beat("a").await;
        // Killed; hours later the content differs, and then it is the same
        // again.
        fixture.wait(300 * MINUTE);
        fixture.beat("b").await;
        fixture.wait(60 * MINUTE);
        fixture.beat("b").await;
        fixture.wait(MINUTE);
        let past = fixture.history(0, 100_000).await;
        assert_eq!(
            past,
            expected(&[("a", 0, 900), ("b", 18_300, 18_900), ("b", 21_900, 21_960)])
        );
    }

    #[tokio::test]
    async fn stretches_are_cut_where_the_range_ends() {
        let fixture = Light::new().await;
        fixture.beat("a").await;
        fixture.wait(5 * MINUTE);
        fixture.beat("b").await;
        fixture.wait(5 * MINUTE);
        assert_eq!(
            fixture.history(100, 400).await,
            expected(&[("a", 100, 300), ("b", 300, 400)])
        );
        assert_eq!(
            fixture.history(400, 500).await,
            expected(&[("b", 400, 500)])
        );
        assert_eq!(fixture.history(-500, -100).await, expected(&[]));
        fixture.wait(60 * MINUTE);
        assert_eq!(
            fixture.history(1_000, 9_000).await,
            expected(&[]),
            "offline"
        );
    }

    #[tokio::test]
    async fn a_long_history_returns_the_newest_stretches() {
        let fixture = Light::new().await;
        let write = |transaction: &rusqlite::Transaction<'_>| -> Result<(), DatabaseError> {
            for second in 0..i64::from(MOST) + 7 {
                let at = Timestamp::from_millis(START + second * 1_000);
                table::add_change(transaction, &change(at, second.to_string()))?;
            }
            Ok(())
        };
        fixture
            .presence
            .0
            .database
            .write(write)
            .await
            .expect("rows");
        fixture.wait(u64::from(MOST) + 7);
        let past = fixture.history(0, 100_000).await;
        let one = |second: i64| (second.to_string(), second, second + 1);
        let ends = past.first().zip(past.last()).expect("the past");
        assert_eq!(ends, (&one(7), &one(i64::from(MOST) + 6)));
        assert_eq!(past.len(), MOST as usize);
    }

    async fn changes(fixture: &Light) -> u32 {
        let count = fixture.presence.0.database.read(|connection| {
            connection.query_row("SELECT count(*) FROM presence_change", [], |row| row.get(0))
        });
        count.await.expect("a count")
    }

    #[tokio::test]
    async fn the_newest_changes_of_a_day_are_kept_and_the_status_is_right() {
        let fixture = Light::new().await;
        fixture.beat("the day before").await;
        fixture.wait(24 * 60 * MINUTE);
        let most = super::super::MOST_CHANGES_A_DAY;
        let day = fixture.hand.clock().day_of(fixture.hand.clock().now()).from;
        let write = move |transaction: &rusqlite::Transaction<'_>| -> Result<(), DatabaseError> {
            for number in 0..most {
                table::add_change(transaction, &change(day, format!("full {number}")))?;
            }
            Ok(())
        };
        fixture
            .presence
            .0
            .database
            .write(write)
            .await
            .expect("rows");
        for name in ["a", "b", "b"] {
            fixture.beat(name).await;
            fixture.wait(1);
        }
        assert_eq!(changes(&fixture).await, most + 1, "the other day's stays");
        let since = fixture.presence.since();
        let shown = fixture.presence.check().fields.expect("fields").application;
        assert_eq!(shown, "b");
        let again = open(fixture.folder.path(), &fixture.hand).await;
        assert_eq!(again.since(), since);
        let past = fixture.history(0, 1_000_000).await;
        let newest = past.last().expect("a stretch");
        assert_eq!((newest.0.as_str(), newest.2 - newest.1), ("b", 2));
    }

    #[tokio::test]
    async fn a_start_removes_changes_that_were_old_at_the_last_heartbeat() {
        let fixture = Light::new().await;
        let old = |transaction: &rusqlite::Transaction<'_>| -> Result<(), DatabaseError> {
            let at = Timestamp::from_millis(START - 31 * 24 * 3_600_000);
            table::add_change(transaction, &change(at, String::new()))?;
            Ok(())
        };
        let database = &fixture.presence.0.database;
        fixture.beat("a").await;
        database.write(old).await.expect("a row");
        assert_eq!(changes(&fixture).await, 2);
        open(fixture.folder.path(), &fixture.hand).await;
        assert_eq!(changes(&fixture).await, 1);
    }

    #[tokio::test]
    async fn a_clock_that_is_ahead_at_a_start_removes_nothing() {
        let mut fixture = Light::new().await;
        fixture.beat("a").await;
        fixture.wait(31 * 24 * 60 * MINUTE);
        fixture.presence = open(fixture.folder.path(), &fixture.hand).await;
        assert_eq!(changes(&fixture).await, 1);
        fixture.beat("b").await;
        fixture.wait(60 * MINUTE);
        fixture.beat("c").await;
        assert_eq!(changes(&fixture).await, 3);
    }

    #[tokio::test(start_paused = true)]
    async fn old_changes_are_removed_while_running_without_a_heartbeat() {
        let fixture = Light::new().await;
        fixture.beat("a").await;
        fixture.wait(31 * 24 * 60 * MINUTE);
        let stop = CancellationToken::new();
        let presence = fixture.presence.clone();
        let pruning = tokio::spawn({
            let stop = stop.clone();
            async move { presence.keep_pruned(stop).await }
        });
        while changes(&fixture).await > 0 {
            tokio::time::sleep(Duration::from_secs(MINUTE)).await;
        }
        stop.cancel();
        pruning.await.expect("ended");
    }

    #[tokio::test]
    async fn no_stretches_overlap_after_the_clock_was_set_back() {
        let fixture = Light::new().await;
        for name in ["a", "b", "c"] {
            fixture.beat(name).await;
            fixture.wait(100);
        }
        // At 300 it is set back to 50, before two of them began.
        fixture.hand.set(Timestamp::from_millis(START + 50_000));
        fixture.beat("d").await;
        fixture.wait(100);
        fixture.beat("e").await;
        fixture.wait(50);
        assert_eq!(
            fixture.history(0, 100_000).await,
            expected(&[("a", 0, 50), ("d", 50, 150), ("e", 150, 200)])
        );
    }

    #[tokio::test]
    async fn fewer_history_days_remove_what_is_older_at_once() {
        const DAYS: i64 = 24 * 60 * 60;
        let fixture = Light::new().await;
        fixture.beat("a").await;
        fixture.wait(3 * DAYS.unsigned_abs());
        fixture.beat("b").await;
        fixture.wait(MINUTE);
        assert_eq!(fixture.history(0, 4 * DAYS).await.len(), 2);
        let history_days = 1;
        let settings = HeartbeatSettings::default();
        let followed = fixture.presence.follow_settings(&settings, history_days);
        followed.await.expect("removed");
        let kept = fixture.history(0, 4 * DAYS).await;
        assert!(kept.len() == 1 && kept[0].0 == "b", "{kept:?}");
    }

    #[tokio::test]
    async fn since_is_the_start_of_the_current_content_and_survives_a_restart() {
        let fixture = Light::new().await;
        assert_eq!(fixture.presence.since(), None);
        fixture.beat("a").await;
        fixture.wait(MINUTE);
        fixture.beat("b").await;
        fixture.wait(MINUTE);
        fixture.beat("b").await;
        let seconds = |presence: &Presence| {
            let since = presence.since().expect("a time");
            (since.as_millis() - START) / 1_000
        };
        assert_eq!(seconds(&fixture.presence), 60);
        let again = open(fixture.folder.path(), &fixture.hand).await;
        assert_eq!(seconds(&again), 60);
        fixture.wait(60 * MINUTE);
        assert_eq!(seconds(&again), 120 + 600, "since the owner went offline");
    }
}
