//! The table of all counts, and what is counted in it.

use std::collections::HashMap;

use rusqlite::types::{ToSql, ToSqlOutput};
use rusqlite::{Connection, OptionalExtension as _, Row, Transaction, params};

use super::{DayViews, Endpoint, HourCount};
use crate::clock::timestamp::Timestamp;
use crate::db::query::Query as _;
use crate::stats::window::{DayReaders, ReaderCount};
use crate::text::image_hash::ImageHash;

/// `hour` counts hours since the Unix epoch, or is [`EVER`]; what is counted by day is in
/// [`hour_of_day`]. `what` is a [`What`]. `last` is in Unix milliseconds.
pub(crate) const CREATE: &str = "
    CREATE TABLE count (
        hour INTEGER NOT NULL,
        what ANY NOT NULL,
        n INTEGER NOT NULL,
        last INTEGER NOT NULL,
        PRIMARY KEY (hour, what)
    ) STRICT, WITHOUT ROWID;
";

/// Instead of an hour, for a count that never ends.
pub(super) const EVER: i64 = -1;

/// How long views are kept by day: more than a year, which is the longest range that the window
/// offers.
const DAYS_KEPT: i64 = 400;
/// The most images that are kept of a past day, by views: a crawler of a great many images must
/// not fill the disk.
const KEPT_OF_A_DAY: i64 = 1_000;

const HOUR: i64 = 60 * 60 * 1000;

/// What is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum What {
    /// Calls of an endpoint, ever.
    Calls(Endpoint),
    /// Calls of an endpoint in an hour by the first digit of their status; 0 where the client
    /// disconnected.
    Answers(Endpoint, u8),
    /// Views of an image, on a day and ever.
    Views(ImageHash),
    /// Good calls of `/images/{hash}` in an hour that deleted: they are among its answers, too.
    Deletions,
    /// Bytes of images that were sent in an hour.
    Sent,
    /// Distinct readers of a day by the owner's clock.
    Readers,
    /// Above 0 where that day had, or may have had, other readers.
    MoreReaders,
    /// The last batch of the Worker's counts that was added.
    EdgeBatch,
    /// Readers at the Worker on a day of UTC.
    EdgeReaders,
}

impl ToSql for What {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(match self {
            Self::Calls(endpoint) => endpoint.path().into(),
            Self::Answers(endpoint, class) => format!("{} {class}", endpoint.path()).into(),
            Self::Views(hash) => hash.as_bytes().as_slice().into(),
            Self::Deletions => "deletions".into(),
            Self::Sent => "sent".into(),
            Self::Readers => "readers".into(),
            Self::MoreReaders => "more readers".into(),
            Self::EdgeBatch => "edge batch".into(),
            Self::EdgeReaders => "edge readers".into(),
        })
    }
}

/// A count, and the last time that something was added, in Unix milliseconds.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Count {
    pub(super) n: i64,
    pub(super) last: i64,
}

impl Count {
    pub(super) fn add(&mut self, other: Self) {
        self.n += other.n;
        self.last = self.last.max(other.last);
    }
}

/// What is to be added, by hour.
pub(super) type Batch = HashMap<(i64, What), Count>;

/// The hour that contains a time.
pub(super) fn hour_of(time: Timestamp) -> i64 {
    time.as_millis().div_euclid(HOUR)
}

/// The hour under which a day is counted: a date, as days since that of the Unix epoch.
pub(super) fn hour_of_day(day: i64) -> i64 {
    day.saturating_mul(24).max(0)
}

/// When an hour starts.
pub(super) fn start_of(hour: i64) -> Timestamp {
    Timestamp::from_millis(hour * HOUR)
}

/// The hours that start at `from` or later and before `to`.
fn hours_between(from: Timestamp, to: Timestamp) -> [i64; 2] {
    [from, to].map(|time| {
        let begun = i64::from(time.as_millis().rem_euclid(HOUR) > 0);
        (hour_of(time) + begun).max(0)
    })
}

/// A count; 0 where there is none.
pub(super) fn get(connection: &Connection, hour: i64, what: What) -> rusqlite::Result<Count> {
    let count = connection
        .prepare_cached("SELECT n, last FROM count WHERE hour = ?1 AND what = ?2")?
        .query_row(params![hour, what], |row| {
            Ok(Count {
                n: row.get(0)?,
                last: row.get(1)?,
            })
        });
    Ok(count.optional()?.unwrap_or_default())
}

/// Adds to a count.
pub(super) fn add(
    transaction: &Transaction<'_>,
    hour: i64,
    what: What,
    count: Count,
) -> rusqlite::Result<()> {
    transaction
        .run(
            "INSERT INTO count (hour, what, n, last) VALUES (?1, ?2, ?3, ?4)
             ON CONFLICT DO UPDATE SET n = n + excluded.n, last = max(last, excluded.last)",
            params![hour, what, count.n, count.last],
        )
        .map(drop)
}

/// Adds a batch. Before the first views of a day, those of the days before are trimmed.
pub(super) fn add_all(transaction: &Transaction<'_>, batch: &Batch) -> rusqlite::Result<()> {
    let views = batch
        .keys()
        .filter(|(_, what)| matches!(what, What::Views(_)));
    if let Some(today) = views.map(|(hour, _)| *hour).max() {
        trim_views(transaction, today)?;
    }
    for ((hour, what), count) in batch {
        add(transaction, *hour, *what, *count)?;
    }
    Ok(())
}

fn trim_views(transaction: &Transaction<'_>, today: i64) -> rusqlite::Result<()> {
    let newest: Option<i64> = transaction.first(
        "SELECT hour FROM count WHERE hour BETWEEN 0 AND ?1 AND typeof(what) = 'blob'
             ORDER BY hour DESC LIMIT 1",
        [today],
        |row| row.get(0),
    )?;
    let Some(last) = newest.filter(|newest| *newest < today) else {
        return Ok(());
    };
    // Counted from the newest of those days: the machine's clock can be months ahead.
    transaction.execute(
        "DELETE FROM count WHERE hour BETWEEN 0 AND ?1 AND typeof(what) = 'blob'",
        [last - DAYS_KEPT * 24],
    )?;
    transaction.execute(
        "DELETE FROM count WHERE hour = ?1 AND what IN
             (SELECT what FROM count WHERE hour = ?1 AND typeof(what) = 'blob'
              ORDER BY n DESC, what LIMIT -1 OFFSET ?2)",
        [last, KEPT_OF_A_DAY],
    )?;
    Ok(())
}

/// The answers in the hours that start at `from` or later and before `to`, in the order of the
/// hours, then of the paths.
pub(super) fn answers(
    connection: &Connection,
    from: Timestamp,
    to: Timestamp,
) -> rusqlite::Result<Vec<HourCount>> {
    let mut statement = connection.prepare_cached(
        "SELECT hour, what, n FROM count WHERE hour >= ?1 AND hour < ?2 AND typeof(what) = 'text'
         ORDER BY hour, what",
    )?;
    let mut rows = statement.query(hours_between(from, to))?;
    let mut answers = Vec::new();
    while let Some(row) = rows.next()? {
        answers.extend(answer(row)?);
    }
    Ok(answers)
}

/// The answers in a row; `None` where it counts something else.
fn answer(row: &Row<'_>) -> rusqlite::Result<Option<HourCount>> {
    let Some((path, class)) = row.get_ref(1)?.as_str()?.rsplit_once(' ') else {
        return Ok(None);
    };
    let (Some(endpoint), Ok(class)) = (Endpoint::of_path(path), class.parse()) else {
        return Ok(None);
    };
    Ok(Some(HourCount {
        hour: start_of(row.get(0)?),
        endpoint,
        class,
        count: unsigned(row, 2)?,
    }))
}

/// The sum of what was counted in the hours that start at `from` or later and before `to`.
pub(super) fn sum(
    connection: &Connection,
    what: What,
    from: Timestamp,
    to: Timestamp,
) -> rusqlite::Result<u64> {
    let [from, to] = hours_between(from, to);
    connection
        .prepare_cached(
            "SELECT coalesce(sum(n), 0) FROM count WHERE hour >= ?1 AND hour < ?2 AND what = ?3",
        )?
        .query_row(params![from, to, what], |row| unsigned(row, 0))
}

/// The start of the first hour that had a call.
pub(super) fn first_hour(connection: &Connection) -> rusqlite::Result<Option<Timestamp>> {
    let first = connection
        .prepare_cached(
            "SELECT hour FROM count WHERE hour >= 0 AND what GLOB '/* [0-5]'
             ORDER BY hour LIMIT 1",
        )?
        .query_row([], |row| row.get(0));
    Ok(first.optional()?.map(start_of))
}

/// The views on the days from one to another, by day and image.
pub(super) fn views(connection: &Connection, days: [i64; 2]) -> rusqlite::Result<Vec<DayViews>> {
    connection.all(
        "SELECT hour / 24, what, n FROM count
             WHERE hour BETWEEN ?1 AND ?2 AND typeof(what) = 'blob'
             ORDER BY hour, n DESC, what",
        days.map(hour_of_day),
        |row| {
            Ok(DayViews {
                day: row.get(0)?,
                hash: ImageHash::from_bytes(row.get(1)?),
                count: unsigned(row, 2)?,
            })
        },
    )
}

/// The days from one to another that had readers, here or at the Worker.
pub(super) fn readers(
    connection: &Connection,
    days: [i64; 2],
) -> rusqlite::Result<Vec<DayReaders>> {
    let [from, to] = days.map(hour_of_day);
    let (here, more, edge) = (What::Readers, What::MoreReaders, What::EdgeReaders);
    connection.all(
        "SELECT hour / 24, sum(iif(what = ?4, 0, n)), max(what = ?4) FROM count
             WHERE hour BETWEEN ?1 AND ?2 AND what IN (?3, ?4, ?5)
             GROUP BY hour ORDER BY hour",
        params![from, to, here, more, edge],
        |row| {
            Ok(DayReaders {
                day: row.get(0)?,
                readers: ReaderCount {
                    count: unsigned(row, 1)?,
                    more: row.get(2)?,
                },
            })
        },
    )
}

fn unsigned(row: &Row<'_>, column: usize) -> rusqlite::Result<u64> {
    Ok(row.get::<_, i64>(column)?.unsigned_abs())
}

#[cfg(test)]
mod tests;
