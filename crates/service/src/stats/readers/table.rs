//! The number of readers of each day.

use rusqlite::{Connection, OptionalExtension as _, Transaction, params};

use crate::stats::edge;
use crate::stats::window::{DayReaders, ReaderCount};

/// A `day` is a date by the owner's clock, as days since that of the Unix epoch.
pub(crate) const CREATE: &str = "
    CREATE TABLE reader_day (
        day INTEGER PRIMARY KEY,
        count INTEGER NOT NULL,
        more INTEGER NOT NULL
    ) STRICT;
";

/// The readers of one day who were counted here.
pub(in crate::stats) fn of_day(connection: &Connection, day: i64) -> rusqlite::Result<ReaderCount> {
    let query = "SELECT count, more FROM reader_day WHERE day = ?1";
    let found = connection.query_row(query, [day], |row| {
        Ok(ReaderCount {
            count: row.get::<_, i64>(0)?.unsigned_abs(),
            more: row.get(1)?,
        })
    });
    Ok(found.optional()?.unwrap_or_default())
}

/// The days from one to another that had readers, here or at the Worker, whose days are those of UTC.
pub(in crate::stats) fn between(
    connection: &Connection,
    from: i64,
    to: i64,
) -> rusqlite::Result<Vec<DayReaders>> {
    connection
        .prepare_cached(
            "SELECT day, sum(count), max(more) FROM (
                 SELECT day, count, more FROM reader_day WHERE day BETWEEN ?1 AND ?2
                 UNION ALL
                 SELECT hour / 24, count, 0 FROM call_hour
                 WHERE hour BETWEEN ?1 * 24 AND ?2 * 24 AND key = ?3
             ) GROUP BY day ORDER BY day",
        )?
        .query_map(params![from, to, edge::READERS], |row| {
            Ok(DayReaders {
                day: row.get(0)?,
                readers: ReaderCount {
                    count: row.get::<_, i64>(1)?.unsigned_abs(),
                    more: row.get(2)?,
                },
            })
        })?
        .collect()
}

pub(in crate::stats) fn store(
    transaction: &Transaction<'_>,
    counts: &[DayReaders],
) -> rusqlite::Result<()> {
    // A day that comes twice, because the clock was set back, keeps the more.
    let mut count = transaction.prepare_cached(
        "INSERT INTO reader_day (day, count, more) VALUES (?1, ?2, ?3)
         ON CONFLICT (day) DO UPDATE
         SET count = max(count, excluded.count), more = max(more, excluded.more)",
    )?;
    for DayReaders { day, readers } in counts {
        count.execute(params![day, readers.count.cast_signed(), readers.more])?;
    }
    Ok(())
}
