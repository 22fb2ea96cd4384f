//! The tables of readers: a number for each day, and today's digests.

use porchlight_api::window::{DayReaders, ReaderCount};
use rusqlite::{Connection, OptionalExtension as _, Transaction, params};

use super::{Remembered, Unwritten};

/// A `day` is a date by the owner's clock, as days since that of the Unix
/// epoch. The last two tables are about one day alone.
pub(crate) const CREATE: &str = "
    CREATE TABLE reader_day (
        day INTEGER PRIMARY KEY,
        count INTEGER NOT NULL,
        more INTEGER NOT NULL
    ) STRICT;
    CREATE TABLE reader_salt (
        only INTEGER PRIMARY KEY CHECK (only = 1),
        day INTEGER NOT NULL,
        salt BLOB NOT NULL
    ) STRICT;
    CREATE TABLE reader_digest (
        digest INTEGER PRIMARY KEY
    ) STRICT;
";

/// Removes a day's digests from the file, so that they cannot be recovered.
pub(crate) fn forget(connection: &Connection) -> rusqlite::Result<()> {
    // What is deleted is overwritten.
    connection.pragma_update(None, "secure_delete", true)?;
    connection.execute("DELETE FROM reader_salt", [])?;
    connection.execute("DELETE FROM reader_digest", [])?;
    connection.pragma_update(None, "secure_delete", false)
}

/// What is remembered, with what was counted on this day.
pub(in crate::stats) fn remembered(
    connection: &Connection,
    today: i64,
) -> rusqlite::Result<Remembered> {
    let salt = connection
        .query_row("SELECT day, salt FROM reader_salt", [], |row| {
            Ok((row.get(0)?, row.get(1)?))
        })
        .optional()?;
    let digests = connection
        .prepare("SELECT digest FROM reader_digest")?
        .query_map([], |row| row.get(0))?
        .collect::<rusqlite::Result<_>>()?;
    let count = between(connection, today, today)?;
    Ok(Remembered {
        salt,
        digests,
        count: count.first().map(|day| day.readers).unwrap_or_default(),
    })
}

/// The days from one to another that had readers.
pub(in crate::stats) fn between(
    connection: &Connection,
    from: i64,
    to: i64,
) -> rusqlite::Result<Vec<DayReaders>> {
    connection
        .prepare_cached(
            "SELECT day, count, more FROM reader_day WHERE day BETWEEN ?1 AND ?2 ORDER BY day",
        )?
        .query_map([from, to], |row| {
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
    unwritten: &Unwritten,
) -> rusqlite::Result<()> {
    if unwritten.forget {
        forget(transaction)?;
    }
    // A day that comes twice, because the clock was set back, keeps the more.
    let mut count = transaction.prepare_cached(
        "INSERT INTO reader_day (day, count, more) VALUES (?1, ?2, ?3)
         ON CONFLICT (day) DO UPDATE
         SET count = max(count, excluded.count), more = max(more, excluded.more)",
    )?;
    for DayReaders { day, readers } in &unwritten.counts {
        count.execute(params![day, readers.count.cast_signed(), readers.more])?;
    }
    if let Some((day, salt, digests)) = &unwritten.digests {
        transaction
            .prepare_cached(
                "INSERT OR REPLACE INTO reader_salt (only, day, salt) VALUES (1, ?1, ?2)",
            )?
            .execute(params![day, salt])?;
        let mut digest = transaction
            .prepare_cached("INSERT OR IGNORE INTO reader_digest (digest) VALUES (?1)")?;
        for new in digests {
            digest.execute([new])?;
        }
    }
    Ok(())
}
