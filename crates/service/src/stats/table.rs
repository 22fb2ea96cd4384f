//! The tables of call counts: in all, by hour, and by image.

use rusqlite::{Connection, OptionalExtension as _, Transaction, params};

use super::views_by_day::{self, Views};
use super::{Endpoint, HOUR, bytes, first_hour_from, readers};
use crate::clock::timestamp::Timestamp;
use crate::stats::window::DayReaders;
use crate::text::image_hash::ImageHash;

/// `hour` counts hours since the Unix epoch; other times are Unix milliseconds.
pub(crate) const CREATE: &str = "
    CREATE TABLE call_total (
        key TEXT PRIMARY KEY,
        count INTEGER NOT NULL,
        last INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE call_hour (
        hour INTEGER NOT NULL,
        key TEXT NOT NULL,
        class INTEGER NOT NULL,
        count INTEGER NOT NULL,
        PRIMARY KEY (hour, key, class)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE image_view (
        hash BLOB PRIMARY KEY,
        count INTEGER NOT NULL,
        last INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
";

/// The hours of [`CREATE`] keep under this key which good calls of
/// `/images/{hash}` deleted: they are counted there, too.
const DELETIONS: &str = "DELETE /images/{hash}";

/// Calls of one endpoint in one hour with one class of status.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HourCount {
    /// The start of the hour.
    pub hour: Timestamp,
    /// The endpoint.
    pub endpoint: Endpoint,
    /// The first digit of the status; 0 where the client disconnected.
    pub class: u8,
    /// The calls.
    pub count: u64,
}

/// What is written at once.
#[derive(Debug, Clone, Default)]
pub(super) struct Batch {
    /// The new total of each endpoint that was called.
    pub(super) totals: Vec<(Endpoint, u64, Timestamp)>,
    /// What to add by hour.
    pub(super) hours: Vec<HourCount>,
    /// The hour, and what to add to its deletions.
    pub(super) deletions: Option<(Timestamp, u64)>,
    /// The hour, and what to add to the bytes of images that were sent in it.
    pub(super) sent: Option<(Timestamp, u64)>,
    /// What to add by image.
    pub(super) views: Vec<(ImageHash, Views)>,
    /// The day to add them to.
    pub(super) today: i64,
    /// The current day, when the views of earlier days are to be trimmed.
    pub(super) bound_on: Option<i64>,
    /// The readers of days.
    pub(super) readers: Vec<DayReaders>,
}

impl Batch {
    pub(super) fn is_empty(&self) -> bool {
        self.totals.is_empty()
            && self.hours.is_empty()
            && self.views.is_empty()
            && self.deletions.is_none()
            && self.sent.is_none()
            && self.readers.is_empty()
    }
}

pub(super) fn totals(connection: &Connection) -> rusqlite::Result<Vec<(String, u64, Timestamp)>> {
    connection
        .prepare("SELECT key, count, last FROM call_total")?
        .query_map([], |row| {
            Ok((
                row.get(0)?,
                row.get::<_, i64>(1)?.unsigned_abs(),
                Timestamp::from_millis(row.get(2)?),
            ))
        })?
        .collect()
}

pub(super) fn views(connection: &Connection, hash: ImageHash) -> rusqlite::Result<Option<Views>> {
    connection
        .prepare_cached("SELECT count, last FROM image_view WHERE hash = ?1")?
        .query_row([hash.as_bytes()], |row| {
            Ok(Views {
                count: row.get::<_, i64>(0)?.unsigned_abs(),
                last: Timestamp::from_millis(row.get(1)?),
            })
        })
        .optional()
}

pub(super) fn hours(connection: &Connection, since: Timestamp) -> rusqlite::Result<Vec<HourCount>> {
    let mut rows = Vec::new();
    let for_ever = Timestamp::from_millis(i64::MAX);
    each_hour(connection, since, for_ever, |row| rows.push(row))?;
    Ok(rows)
}

/// Calls `take` with each row of the hours that start at `from` or later and
/// before `to`, in the order of the hours.
pub(super) fn each_hour(
    connection: &Connection,
    from: Timestamp,
    to: Timestamp,
    mut take: impl FnMut(HourCount),
) -> rusqlite::Result<()> {
    let mut statement = connection.prepare_cached(
        "SELECT hour, key, class, count FROM call_hour WHERE hour >= ?1 AND hour < ?2
         ORDER BY hour, key, class",
    )?;
    let mut found = statement.query([first_hour_from(from), first_hour_from(to)])?;
    while let Some(row) = found.next()? {
        // A key that this version does not know is another version's.
        if let Some(endpoint) = Endpoint::of_path(row.get_ref(1)?.as_str()?) {
            take(HourCount {
                hour: Timestamp::from_millis(row.get::<_, i64>(0)? * HOUR),
                endpoint,
                class: row.get(2)?,
                count: row.get::<_, i64>(3)?.unsigned_abs(),
            });
        }
    }
    Ok(())
}

/// How many images were deleted over HTTP in the hours that start at `since` or
/// later.
pub(super) fn deletions(connection: &Connection, since: Timestamp) -> rusqlite::Result<u64> {
    let count: i64 = connection
        .prepare_cached(
            "SELECT coalesce(sum(count), 0) FROM call_hour WHERE hour >= ?1 AND key = ?2",
        )?
        .query_row(
            params![since.as_millis().div_euclid(HOUR), DELETIONS],
            |row| row.get(0),
        )?;
    Ok(count.unsigned_abs())
}

pub(super) fn first_hour(connection: &Connection) -> rusqlite::Result<Option<Timestamp>> {
    let first: Option<i64> =
        connection.query_row("SELECT min(hour) FROM call_hour", [], |row| row.get(0))?;
    Ok(first.map(|hour| Timestamp::from_millis(hour * HOUR)))
}

pub(super) fn store(transaction: &Transaction<'_>, batch: &Batch) -> rusqlite::Result<()> {
    let mut total = transaction.prepare_cached(
        "INSERT INTO call_total (key, count, last) VALUES (?1, ?2, ?3)
         ON CONFLICT (key) DO UPDATE SET count = excluded.count, last = excluded.last",
    )?;
    for (endpoint, count, last) in &batch.totals {
        total.execute(params![
            endpoint.path(),
            count.cast_signed(),
            last.as_millis()
        ])?;
    }
    let mut hour = transaction.prepare_cached(
        "INSERT INTO call_hour (hour, key, class, count) VALUES (?1, ?2, ?3, ?4)
         ON CONFLICT (hour, key, class) DO UPDATE SET count = count + excluded.count",
    )?;
    for row in &batch.hours {
        hour.execute(params![
            row.hour.as_millis().div_euclid(HOUR),
            row.endpoint.path(),
            row.class,
            row.count.cast_signed()
        ])?;
    }
    if let Some((at, count)) = batch.deletions {
        let of_hour = at.as_millis().div_euclid(HOUR);
        hour.execute(params![of_hour, DELETIONS, 2, count.cast_signed()])?;
    }
    if let Some((hour, bytes)) = batch.sent {
        bytes::store(transaction, hour, bytes)?;
    }
    let mut view = transaction.prepare_cached(
        "INSERT INTO image_view (hash, count, last) VALUES (?1, ?2, ?3)
         ON CONFLICT (hash) DO UPDATE SET count = count + excluded.count, last = excluded.last",
    )?;
    for (hash, views) in &batch.views {
        view.execute(params![
            hash.as_bytes(),
            views.count.cast_signed(),
            views.last.as_millis()
        ])?;
    }
    views_by_day::store(transaction, batch.today, &batch.views)?;
    if let Some(today) = batch.bound_on {
        views_by_day::bound(transaction, today)?;
    }
    readers::table::store(transaction, &batch.readers)
}
