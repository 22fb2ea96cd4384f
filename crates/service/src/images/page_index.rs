//! The page index: where page 70,000 of the list starts, without counting a
//! million rows.
//!
//! The ordered list is divided into segments (table `shelf`), each stored as
//! its first key and its number of images. To skip `n` images, whole segments
//! are skipped by their counts, and only the rest is counted row by row. A
//! segment that grows too long is split in two; the first segment starts before
//! all keys and always exists.
//!
//! The segments are also the pages of the snapshot: each row knows the name under which the segment
//! was published last, and forgets it when the segment changes.

use rusqlite::{Connection, Transaction, params};

use super::row::StoredImage;
use crate::db::query::Query as _;

/// A segment with more images than this is split; small in tests, so that there
/// are many.
const LONGEST: i64 = if cfg!(test) { 8 } else { 1_000 };

/// Where reading starts: `rest` images after the first key of a segment.
pub(super) struct PageStart {
    pub(super) newest: i64,
    pub(super) hash: Vec<u8>,
    pub(super) rest: u64,
}

/// The position of the image after `offset` others; `None` past the end.
pub(super) fn start_of(
    connection: &Connection,
    offset: u64,
) -> rusqlite::Result<Option<PageStart>> {
    let mut statement =
        connection.prepare_cached("SELECT newest, hash, count FROM shelf ORDER BY newest, hash")?;
    let mut segments = statement.query([])?;
    let mut rest = offset;
    while let Some(segment) = segments.next()? {
        let count = segment.get::<_, i64>(2)?.unsigned_abs();
        if rest < count {
            return Ok(Some(PageStart {
                newest: segment.get(0)?,
                hash: segment.get(1)?,
                rest,
            }));
        }
        rest -= count;
    }
    Ok(None)
}

/// An image was added to the table.
pub(super) fn added(transaction: &Transaction<'_>, image: &StoredImage) -> rusqlite::Result<()> {
    let segment = Segment::of(transaction, image)?;
    if segment.count < LONGEST {
        return segment.recount(transaction, segment.count + 1);
    }
    let kept = segment.count / 2;
    let middle: (i64, Vec<u8>) = transaction.query_row(
        "SELECT newest, hash FROM image WHERE (newest, hash) >= (?1, ?2)
         ORDER BY newest, hash LIMIT 1 OFFSET ?3",
        params![segment.newest, segment.hash, kept],
        |row| Ok((row.get(0)?, row.get(1)?)),
    )?;
    transaction.execute(
        "INSERT INTO shelf (newest, hash, count, edition) VALUES (?1, ?2, ?3, random())",
        params![middle.0, middle.1, segment.count + 1 - kept],
    )?;
    segment.recount(transaction, kept)
}

/// An image was removed from the table.
pub(super) fn removed(transaction: &Transaction<'_>, image: &StoredImage) -> rusqlite::Result<()> {
    let segment = Segment::of(transaction, image)?;
    if segment.count == 1 && !segment.hash.is_empty() {
        return transaction
            .execute(
                "DELETE FROM shelf WHERE newest = ?1 AND hash = ?2",
                params![segment.newest, segment.hash],
            )
            .map(drop);
    }
    segment.recount(transaction, segment.count - 1)
}

/// What the snapshot shows of an image has changed.
pub(super) fn changed(
    transaction: &Transaction<'_>,
    (newest, hash): (i64, &[u8]),
) -> rusqlite::Result<()> {
    transaction
        .run(
            "UPDATE shelf SET published = NULL, edition = random()
             WHERE (newest, hash) = (SELECT newest, hash FROM shelf
                                     WHERE (newest, hash) <= (?1, ?2)
                                     ORDER BY newest DESC, hash DESC LIMIT 1)",
            params![newest, hash],
        )
        .map(drop)
}

struct Segment {
    newest: i64,
    hash: Vec<u8>,
    count: i64,
}

impl Segment {
    /// The segment that contains an image.
    fn of(transaction: &Transaction<'_>, image: &StoredImage) -> rusqlite::Result<Self> {
        transaction
            .prepare_cached(
                "SELECT newest, hash, count FROM shelf WHERE (newest, hash) <= (?1, ?2)
                 ORDER BY newest DESC, hash DESC LIMIT 1",
            )?
            .query_row(params![-image.created_at.as_millis(), image.hash], |row| {
                Ok(Self {
                    newest: row.get(0)?,
                    hash: row.get(1)?,
                    count: row.get(2)?,
                })
            })
    }

    fn recount(&self, transaction: &Transaction<'_>, count: i64) -> rusqlite::Result<()> {
        transaction
            .run(
                "UPDATE shelf SET count = ?3, published = NULL, edition = random()
                 WHERE newest = ?1 AND hash = ?2",
                params![self.newest, self.hash, count],
            )
            .map(drop)
    }
}

#[cfg(test)]
mod tests {
    use crate::clock::timestamp::Timestamp;
    use crate::text::image_hash::ImageHash;
    use rand::rngs::StdRng;
    use rand::{RngExt as _, SeedableRng as _};
    use rusqlite::Connection;

    use crate::images::row::{NewImage, StoredImage};
    use crate::images::table;
    use crate::images::{classes, trash_table};
    use crate::storage::StorageKind;

    fn empty() -> Connection {
        let connection = Connection::open_in_memory().expect("a database");
        for tables in [table::CREATE, classes::CREATE, trash_table::CREATE] {
            connection.execute_batch(tables).expect("the tables");
        }
        connection
    }

    /// Few times and few hashes, so that many share a time.
    fn some_image(rng: &mut StdRng) -> NewImage {
        let mut bytes = [0; 16];
        bytes[..2].copy_from_slice(&rng.random::<u16>().to_be_bytes());
        let mut sha256 = [0; 32];
        sha256[..16].copy_from_slice(&bytes);
        NewImage {
            image: StoredImage {
                hash: ImageHash::from_bytes(bytes),
                size: 1,
                width: 1,
                height: 1,
                created_at: Timestamp::from_millis(rng.random_range(-3..20)),
                place: StorageKind::Disk,
            },
            sha256,
            frames: 1,
            source_digest: sha256,
            source_size: 1,
            source_format: "PNG".into(),
            name: None,
            preview: None,
            album: None,
        }
    }

    fn in_order(images: &[StoredImage]) -> Vec<StoredImage> {
        let mut sorted = images.to_vec();
        sorted.sort_by_key(|image| (-image.created_at.as_millis(), image.hash));
        sorted
    }

    #[test]
    fn any_page_matches_a_linear_count() {
        let mut rng = StdRng::seed_from_u64(7);
        let mut connection = empty();
        let mut there: Vec<StoredImage> = Vec::new();
        for round in 0..1_500 {
            let transaction = connection.transaction().expect("a transaction");
            // Grows at first and shrinks to nothing at the end.
            if there.is_empty() || rng.random_range(0..1_500) > round {
                let new = some_image(&mut rng);
                if table::find(&transaction, new.image.hash)
                    .expect("a look")
                    .is_none()
                {
                    table::insert(&transaction, &new).expect("an insert");
                    there.push(new.image);
                }
            } else {
                let image = there.swap_remove(rng.random_range(0..there.len()));
                assert!(table::delete(&transaction, image.hash).expect("a delete"));
            }
            transaction.commit().expect("a commit");
            if round % 50 == 0 {
                let sorted = in_order(&there);
                for offset in 0..=there.len() {
                    let page = table::page(&connection, offset as u64, 3).expect("a page");
                    let page: Vec<_> = page.into_iter().map(|listed| listed.image).collect();
                    let end = sorted.len().min(offset + 3);
                    assert_eq!(page, sorted[offset.min(end)..end], "after {offset}");
                }
            }
        }
        while let Some(image) = there.pop() {
            let transaction = connection.transaction().expect("a transaction");
            table::delete(&transaction, image.hash).expect("a delete");
            transaction.commit().expect("a commit");
        }
        let segments: i64 = connection
            .query_row("SELECT count(*) FROM shelf", [], |row| row.get(0))
            .expect("a count");
        assert_eq!(segments, 1, "empty segments are removed");
    }
}
