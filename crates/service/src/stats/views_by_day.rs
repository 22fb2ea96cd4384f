//! Views of images by day, for the most viewed images of a time range. Total
//! views are in another table and stay.

use rusqlite::{Connection, Transaction, params};

use super::Stats;
use crate::clock::timestamp::Timestamp;
use crate::db::DatabaseError;
use crate::text::image_hash::ImageHash;

/// A `day` is a date by the owner's clock, as days since that of the Unix epoch. The index of all
/// views is no longer used.
pub(crate) const CREATE: &str = "
    CREATE TABLE image_view_day (
        day INTEGER NOT NULL,
        hash BLOB NOT NULL,
        count INTEGER NOT NULL,
        PRIMARY KEY (day, hash)
    ) STRICT, WITHOUT ROWID;
";

/// How long days are kept: more than a year, which is the longest range that
/// the window offers.
const DAYS_KEPT: i64 = 400;
/// The most images that are kept of a past day, by views: a crawler of a great
/// many images must not fill the disk.
const KEPT_OF_A_DAY: i64 = 1_000;

/// Views of one image.
#[derive(Debug, Clone, Copy)]
pub(super) struct Views {
    pub(super) count: u64,
    pub(super) last: Timestamp,
}

/// Views of one image on one day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DayViews {
    /// The day's date, as days since that of the Unix epoch.
    pub day: i64,
    /// The image, which may have been deleted since.
    pub hash: ImageHash,
    /// The views.
    pub count: u64,
}

impl Stats {
    /// Views on the days of a time, by day and image. For past days, only the
    /// thousand most viewed images. Views of the last second may be missing.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn views_between(
        &self,
        from: Timestamp,
        to: Timestamp,
    ) -> Result<Vec<DayViews>, DatabaseError> {
        let days = self.0.clock.days_between(from, to);
        self.0
            .database
            .read(move |connection| by_day(connection, days))
            .await
    }
}

fn by_day(connection: &Connection, days: [i64; 2]) -> rusqlite::Result<Vec<DayViews>> {
    connection
        .prepare_cached(
            "SELECT day, hash, count FROM image_view_day WHERE day BETWEEN ?1 AND ?2
             ORDER BY day, count DESC, hash",
        )?
        .query_map(days, |row| {
            Ok(DayViews {
                day: row.get(0)?,
                hash: ImageHash::from_bytes(row.get(1)?),
                count: row.get::<_, i64>(2)?.unsigned_abs(),
            })
        })?
        .collect()
}

pub(super) fn store(
    transaction: &Transaction<'_>,
    day: i64,
    views: &[(ImageHash, Views)],
) -> rusqlite::Result<()> {
    let mut view = transaction.prepare_cached(
        "INSERT INTO image_view_day (day, hash, count) VALUES (?1, ?2, ?3)
         ON CONFLICT (day, hash) DO UPDATE SET count = count + excluded.count",
    )?;
    for (hash, views) in views {
        view.execute(params![day, hash.as_bytes(), views.count.cast_signed()])?;
    }
    Ok(())
}

/// Bounds what is kept of the days before this one.
pub(super) fn bound(transaction: &Transaction<'_>, today: i64) -> rusqlite::Result<()> {
    transaction.execute(
        // Counted from the newest of those days: the machine's clock can be months ahead.
        "DELETE FROM image_view_day
         WHERE day <= (SELECT max(day) FROM image_view_day WHERE day < ?1) - ?2",
        [today, DAYS_KEPT],
    )?;
    let crowded: Vec<i64> = transaction
        .prepare(
            "SELECT day FROM image_view_day WHERE day < ?1
             GROUP BY day HAVING count(*) > ?2",
        )?
        .query_map([today, KEPT_OF_A_DAY], |row| row.get(0))?
        .collect::<rusqlite::Result<_>>()?;
    for day in crowded {
        transaction.execute(
            "DELETE FROM image_view_day WHERE day = ?1 AND hash NOT IN
                 (SELECT hash FROM image_view_day WHERE day = ?1
                  ORDER BY count DESC, hash LIMIT ?2)",
            [day, KEPT_OF_A_DAY],
        )?;
    }
    Ok(())
}

#[cfg(test)]
mod tests;
