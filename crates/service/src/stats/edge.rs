//! What the Worker counted, added to what is counted here.
//!
//! Its counts only grow. How much of each was added is written with the sum in one transaction, so
//! that no restart of either side counts a call twice. Where the Worker has lost counts, it goes on
//! from what it has.

use rusqlite::Transaction;

use super::table::{self, Count, EVER, What};
use super::{Endpoint, Stats};
use crate::db::DatabaseError;
use crate::storage::EdgeCounts;

impl Stats {
    /// Adds what the Worker has counted since the last time: calls that it passed on are not among
    /// them, since they were counted here. A reader who came to both counts twice.
    pub(crate) async fn add_from_edge(&self, counted: EdgeCounts) -> Result<(), DatabaseError> {
        let days = counted.days.iter().filter(|day| day.readers > 0);
        let days = days.filter_map(|day| Some((day.number()?, day.readers)));
        let newest = days.clone().max();
        let days: Vec<(i64, u64)> = days.collect();
        let add = move |transaction: &Transaction<'_>| Ok(add(transaction, &counted, &days)?);
        let added: Result<_, DatabaseError> = self.0.database.write(add).await;
        let added = added?;
        let mut counts = self.counts();
        for (endpoint, count) in added {
            counts.totals[endpoint as usize].add(count);
        }
        counts.edge_readers = newest.unwrap_or(counts.edge_readers);
        Ok(())
    }
}

/// Adds what was not added yet, and returns the calls among it.
fn add(
    transaction: &Transaction<'_>,
    counted: &EdgeCounts,
    days: &[(i64, u64)],
) -> rusqlite::Result<Vec<(Endpoint, Count)>> {
    let mut added = Vec::new();
    for (path, calls) in &counted.calls {
        let Some(endpoint) = Endpoint::of_path(path) else {
            continue;
        };
        let last = calls.last_updated;
        let before = table::get(transaction, EVER, What::EdgeCalls(endpoint))?;
        let new = Count {
            n: calls.count.cast_signed() - before.n,
            last: last.as_millis(),
        };
        if new.n == 0 {
            continue;
        }
        table::add(transaction, EVER, What::EdgeCalls(endpoint), new)?;
        if new.n > 0 {
            table::add(transaction, EVER, What::Calls(endpoint), new)?;
            let answers = What::Answers(endpoint, 2);
            table::add(transaction, table::hour_of(last), answers, new)?;
            added.push((endpoint, new));
        }
    }
    for (day, readers) in days {
        let hour = table::hour_of_day(*day);
        let before = table::get(transaction, hour, What::EdgeReaders)?;
        let n = readers.cast_signed() - before.n;
        if n > 0 {
            table::add(transaction, hour, What::EdgeReaders, Count { n, last: 0 })?;
        }
    }
    Ok(added)
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
            let hours = stats.hours_between(at(-24), at(24)).await.expect("hours");
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
