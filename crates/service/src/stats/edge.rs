//! What the Worker counted, added to what is counted here.
//!
//! It counts in batches, and repeats one until it is told that the batch was added. Which one was added
//! last is written with the sums in one transaction, so that no restart of either side counts a call
//! twice.

use std::sync::atomic::Ordering;

use rusqlite::{Connection, Transaction};

use super::table::{self, Count, EVER, What};
use super::{Endpoint, Stats};
use crate::clock::timestamp::Timestamp;
use crate::db::DatabaseError;
use crate::storage::EdgeCounts;

impl Stats {
    /// Adds what the Worker has counted: calls that it passed on are not among it, since they were
    /// counted here. A reader who came to both counts twice.
    pub(crate) async fn add_from_edge(&self, counted: EdgeCounts) -> Result<(), DatabaseError> {
        let days = counted.days.iter().filter(|day| day.readers > 0);
        let days = days.filter_map(|day| Some((day.number()?, day.readers)));
        let newest = days.clone().max();
        let days: Vec<(i64, u64)> = days.collect();
        let clock = self.0.clock.clone();
        let day_of = move |at: Timestamp| clock.day_of(at).number;
        let add = move |transaction: &Transaction<'_>| {
            add_readers(transaction, &days)?;
            Ok(add_batch(transaction, &counted, day_of)?)
        };
        let added: Result<_, DatabaseError> = self.0.database.write(add).await;
        for (endpoint, count) in added? {
            if endpoint == Endpoint::Check {
                self.0.status_asked.fetch_max(count.last, Ordering::Relaxed);
            }
            self.counts().totals[endpoint as usize].add(count);
        }
        let mut counts = self.counts();
        counts.edge_readers = newest.unwrap_or(counts.edge_readers);
        Ok(())
    }

    /// The last batch of the Worker's counts that was added.
    pub(crate) fn edge_batch(connection: &Connection) -> rusqlite::Result<i64> {
        Ok(table::get(connection, EVER, What::EdgeBatch)?.n)
    }
}

/// Adds a batch, unless that was done, and returns the calls in it.
fn add_batch(
    transaction: &Transaction<'_>,
    counted: &EdgeCounts,
    day_of: impl Fn(Timestamp) -> i64,
) -> rusqlite::Result<Vec<(Endpoint, Count)>> {
    let before = Stats::edge_batch(transaction)?;
    let Some(batch) = counted.batch.filter(|batch| *batch != before) else {
        return Ok(Vec::new());
    };
    let n = batch - before;
    table::add(transaction, EVER, What::EdgeBatch, Count { n, last: batch })?;
    let mut added = Vec::new();
    for (path, calls) in &counted.calls {
        let Some(endpoint) = Endpoint::of_path(path) else {
            continue;
        };
        let n = calls.count.cast_signed();
        let count = Count {
            n,
            last: calls.last,
        };
        table::add(transaction, EVER, What::Calls(endpoint), count)?;
        let hour = table::hour_of(Timestamp::from_millis(calls.last));
        table::add(transaction, hour, What::Answers(endpoint, 2), count)?;
        added.push((endpoint, count));
    }
    let day = table::hour_of_day(day_of(Timestamp::from_millis(batch)));
    for (hash, views) in &counted.pictures {
        let count = Count {
            n: views.cast_signed(),
            last: batch,
        };
        for hour in [day, EVER] {
            table::add(transaction, hour, What::Views(*hash), count)?;
        }
    }
    Ok(added)
}

fn add_readers(transaction: &Transaction<'_>, days: &[(i64, u64)]) -> rusqlite::Result<()> {
    for (day, readers) in days {
        let hour = table::hour_of_day(*day);
        let before = table::get(transaction, hour, What::EdgeReaders)?;
        let n = readers.cast_signed() - before.n;
        if n > 0 {
            table::add(transaction, hour, What::EdgeReaders, Count { n, last: 0 })?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::clock::StoppedClock;
    use crate::clock::timestamp::Timestamp;
    use crate::service::Service;
    use crate::settings::Settings;
    use crate::stats::Reader;

    /// Noon of 2024-10-04.
    const NOON: i64 = 20_000 * 24 * HOUR + 12 * HOUR;
    const HOUR: i64 = 60 * 60 * 1000;

    const PICTURE: &str = "0123456789abcdef0123456789abcdef";

    fn counted(batch: Option<i64>, calls: u64, readers: u64) -> EdgeCounts {
        let counted = json!({
            "batch": batch,
            "pictures": { (PICTURE): 2 },
            "days": [
                { "day": "2024-10-04", "requests": 9, "readers": readers },
                { "day": "2024-10-03", "requests": 9, "readers": 5 },
            ],
            "calls": {
                "/check": { "count": calls, "last": NOON - HOUR - HOUR / 2 },
                "/of-a-later-version": { "count": 7, "last": NOON },
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
        // Counted, repeated, nothing, and the next.
        for (batch, calls, readers, sum) in [
            (Some(7), 40, 2, 41),
            (Some(7), 40, 2, 41),
            (None, 9, 2, 41),
            (Some(9), 5, 3, 46),
        ] {
            let stats = service.stats().clone();
            stats
                .add_from_edge(counted(batch, calls, readers))
                .await
                .expect("added");
            assert_eq!(stats.total(Endpoint::Check).count, sum);
            stats.write().await.expect("written");
            service.close().await;
            service = open().await;
            let stats = service.stats();
            assert_eq!(stats.total(Endpoint::Check).count, sum, "after a restart");
            let hours = stats.hours_between(at(-24), at(24)).await.expect("hours");
            let of_hour = hours.iter().filter(|row| row.hour == at(-2));
            assert_eq!(of_hour.map(|row| row.count).sum::<u64>(), sum - 1);
        }
        let stats = service.stats();
        stats
            .add_from_edge(counted(Some(9), 5, 3))
            .await
            .expect("added");
        let views = stats.views(PICTURE.parse().expect("a hash")).await;
        assert_eq!(views.expect("views").0, 4);
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
