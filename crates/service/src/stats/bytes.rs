//! The bytes of images that were sent, by hour.

use std::sync::atomic::Ordering;

use rusqlite::{Connection, Transaction, params};

use super::{HOUR, Stats, first_hour_from};
use crate::clock::timestamp::Timestamp;
use crate::db::DatabaseError;

/// `hour` counts hours since the Unix epoch.
pub(crate) const CREATE: &str = "
    CREATE TABLE sent_hour (
        hour INTEGER PRIMARY KEY,
        bytes INTEGER NOT NULL
    ) STRICT;
";

impl Stats {
    /// Counts the bytes of an image that is sent to a client.
    pub fn sent(&self, bytes: u64) {
        self.0.sent.fetch_add(bytes, Ordering::Relaxed);
    }

    /// The bytes of images that were sent in the hours that start at `from` or
    /// later and before `to`. Those of the last second may be missing.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn sent_between(&self, from: Timestamp, to: Timestamp) -> Result<u64, DatabaseError> {
        self.0
            .database
            .read(move |connection| between(connection, from, to))
            .await
    }
}

fn between(connection: &Connection, from: Timestamp, to: Timestamp) -> rusqlite::Result<u64> {
    connection
        .prepare_cached(
            "SELECT coalesce(sum(bytes), 0) FROM sent_hour WHERE hour >= ?1 AND hour < ?2",
        )?
        .query_row([first_hour_from(from), first_hour_from(to)], |row| {
            row.get::<_, i64>(0).map(i64::unsigned_abs)
        })
}

pub(super) fn store(
    transaction: &Transaction<'_>,
    hour: Timestamp,
    bytes: u64,
) -> rusqlite::Result<()> {
    transaction
        .prepare_cached(
            "INSERT INTO sent_hour (hour, bytes) VALUES (?1, ?2)
             ON CONFLICT (hour) DO UPDATE SET bytes = bytes + excluded.bytes",
        )?
        .execute(params![
            hour.as_millis().div_euclid(HOUR),
            bytes.cast_signed()
        ])
        .map(drop)
}
