//! What the Worker counted, added to what is counted here.
//!
//! Its counts only grow. How much of each was added is written with the sum in one transaction, so
//! that no restart of either side counts a call twice. Where the Worker has lost counts, it goes on
//! from what it has.

use rusqlite::{OptionalExtension as _, Transaction, params};

use super::{Endpoint, HOUR, Stats};
use crate::clock::timestamp::Timestamp;
use crate::db::DatabaseError;
use crate::storage::EdgeCounts;

/// The totals keep below this, with the endpoint's path after it, how many calls at the Worker were
/// added.
const CALLS: &str = "EDGE ";
/// The hours keep under this, in the first hour of each day of UTC, the readers at the Worker.
pub(super) const READERS: &str = "EDGE readers";

/// Calls of an endpoint at the Worker, and the last one.
type Calls = (Endpoint, u64, Timestamp);

impl Stats {
    /// Adds what the Worker has counted since the last time: calls that it passed on are not among
    /// them, since they were counted here. A reader who came to both counts twice.
    pub(crate) async fn add_from_edge(&self, counted: EdgeCounts) -> Result<(), DatabaseError> {
        let calls = counted.calls.iter().filter_map(|(path, calls)| {
            let endpoint = Endpoint::of_path(path)?;
            Some((endpoint, calls.count, calls.last_updated))
        });
        let calls: Vec<Calls> = calls.collect();
        let days = counted.days.iter().filter(|day| day.readers > 0);
        let days = days.filter_map(|day| Some((day.number()?, day.readers)));
        let days: Vec<(i64, u64)> = days.collect();
        let newest = days.iter().max().copied();
        // The totals are written from memory, so these are added there before the next batch.
        let _turn = self.0.writing.lock().await;
        let added: Result<Vec<Calls>, DatabaseError> = self
            .0
            .database
            .write(move |transaction| Ok(add(transaction, &calls, &days)?))
            .await;
        for (endpoint, count, last) in added? {
            self.counter(endpoint).add_written(count, last);
        }
        if let Some(newest) = newest {
            *self.edge_readers() = newest;
        }
        Ok(())
    }
}

/// Adds the calls that were not added yet, and returns them.
fn add(
    transaction: &Transaction<'_>,
    calls: &[Calls],
    days: &[(i64, u64)],
) -> rusqlite::Result<Vec<Calls>> {
    let mut added_before = transaction.prepare("SELECT count FROM call_total WHERE key = ?1")?;
    let mut remember = transaction.prepare(
        "INSERT INTO call_total (key, count, last) VALUES (?1, ?2, ?3)
         ON CONFLICT (key) DO UPDATE SET count = excluded.count, last = excluded.last",
    )?;
    let mut total = transaction.prepare(
        "INSERT INTO call_total (key, count, last) VALUES (?1, ?2, ?3)
         ON CONFLICT (key) DO UPDATE
         SET count = count + excluded.count, last = max(last, excluded.last)",
    )?;
    let mut hour = transaction.prepare(
        "INSERT INTO call_hour (hour, key, class, count) VALUES (?1, ?2, 2, ?3)
         ON CONFLICT (hour, key, class) DO UPDATE SET count = count + excluded.count",
    )?;
    let mut added = Vec::new();
    for (endpoint, count, last) in calls {
        let (path, at) = (endpoint.path(), last.as_millis());
        let key = format!("{CALLS}{path}");
        let before = added_before.query_row([&key], |row| row.get::<_, i64>(0));
        let before = before.optional()?.unwrap_or(0).unsigned_abs();
        if before == *count {
            continue;
        }
        remember.execute(params![key, count.cast_signed(), at])?;
        let new = count.saturating_sub(before);
        if new > 0 {
            total.execute(params![path, new.cast_signed(), at])?;
            hour.execute(params![at.div_euclid(HOUR), path, new.cast_signed()])?;
            added.push((*endpoint, new, *last));
        }
    }
    let mut readers = transaction.prepare(
        "INSERT INTO call_hour (hour, key, class, count) VALUES (?1, ?2, 0, ?3)
         ON CONFLICT (hour, key, class) DO UPDATE
         SET count = excluded.count WHERE count < excluded.count",
    )?;
    for (day, count) in days {
        readers.execute(params![day * 24, READERS, count.cast_signed()])?;
    }
    Ok(added)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::clock::StoppedClock;
    use crate::service::Service;
    use crate::settings::sections::Settings;
    use crate::stats::Reader;

    /// Noon of 2024-10-04.
    const NOON: i64 = 20_000 * 24 * HOUR + 12 * HOUR;

    fn counted(calls: u64, readers: u64) -> EdgeCounts {
        let counted = json!({
            "days": [
                { "day": "2024-10-04", "requests": 9, "readers": readers },
                { "day": "2024-10-03", "requests": 9, "readers": 5 },
            ],
            "calls": {
                "/check": { "count": calls, "lastUpdated": "2024-10-04T10:30:00.000Z" },
                "/of-a-later-version": { "count": 7, "lastUpdated": "2024-10-04T10:30:00.000Z" },
            },
        });
        serde_json::from_value(counted).expect("counts")
    }

    #[tokio::test]
    async fn no_restart_counts_a_call_twice() {
        let folder = tempfile::tempdir().expect("a folder");
        let clock = StoppedClock::at(Timestamp::from_millis(NOON));
        let open = async || {
            let opened = Service::open(folder.path(), Settings::default(), clock.clock()).await;
            opened.expect("a data folder")
        };
        let at = |hours: i64| Timestamp::from_millis(NOON + hours * HOUR);
        let mut service = open().await;
        service.stats().call(Endpoint::Check).answered(200);
        service.stats().read_by(Reader::At([192, 0, 2, 1].into()));
        // Counted, asked again, and after the Worker has lost 30.
        for (calls, readers, sum) in [(40, 2, 41), (40, 2, 41), (10, 1, 41), (15, 3, 46)] {
            let stats = service.stats().clone();
            stats
                .add_from_edge(counted(calls, readers))
                .await
                .expect("added");
            assert_eq!(stats.total(Endpoint::Check).count, sum);
            stats.write().await.expect("written");
            service.close().await;
            service = open().await;
            let stats = service.stats();
            assert_eq!(stats.total(Endpoint::Check).count, sum, "after a restart");
            let hours = stats.hours(at(-24)).await.expect("hours");
            let of_hour = hours.iter().filter(|row| row.hour == at(-2));
            assert_eq!(of_hour.map(|row| row.count).sum::<u64>(), sum - 1);
        }
        let stats = service.stats();
        stats.add_from_edge(counted(15, 3)).await.expect("added");
        assert_eq!(stats.readers_today().count, 4);
        assert!(!stats.readers_today().more);
        let days = stats.readers_between(at(-48), at(12)).await.expect("days");
        let days: Vec<_> = days
            .iter()
            .map(|day| (day.day, day.readers.count))
            .collect();
        assert_eq!(days, [(19_999, 5), (20_000, 4)]);
        service.close().await;
    }
}
