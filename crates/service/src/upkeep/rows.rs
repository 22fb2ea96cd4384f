//! The rows of images, as `check`, `repair`, `backup` and `restore` read them.

use rusqlite::Connection;

use crate::db::query::Query as _;
use crate::db::{DatabaseError, ReadOnly};
use crate::storage::StorageKind;
use crate::text::image_hash::ImageHash;

/// Rows read at once.
const BATCH: u32 = 1_000;

/// A row's data about its object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Expected {
    pub(super) hash: ImageHash,
    pub(super) sha256: [u8; 32],
    pub(super) size: u64,
    /// Where the object is.
    pub(super) place: StorageKind,
}

/// What of a row makes an [`Expected`], for [`expected`].
const EXPECTED: &str = "SELECT hash, sha256, size, place FROM image";

/// The next rows after this hash, in the order of their hashes.
pub(super) fn after(
    connection: &Connection,
    after: Option<ImageHash>,
) -> rusqlite::Result<Vec<Expected>> {
    let after = after.map_or_else(Vec::new, |hash| hash.as_bytes().to_vec());
    connection.all(
        &format!("{EXPECTED} WHERE hash > ?1 ORDER BY hash LIMIT ?2"),
        rusqlite::params![after, BATCH],
        expected,
    )
}

fn expected(row: &rusqlite::Row<'_>) -> rusqlite::Result<Expected> {
    Ok(Expected {
        hash: row.get(0)?,
        sha256: row.get(1)?,
        size: row.get::<_, i64>(2)?.unsigned_abs(),
        place: row.get(3)?,
    })
}

/// The data of an image's row; `None` when it has none.
pub(super) fn of(connection: &Connection, hash: ImageHash) -> rusqlite::Result<Option<Expected>> {
    connection.first(&format!("{EXPECTED} WHERE hash = ?1"), [hash], expected)
}

/// The current data of an image's row; `None` when it has none.
pub(super) async fn now(
    database: &ReadOnly,
    hash: ImageHash,
) -> Result<Option<Expected>, DatabaseError> {
    database.read(move |connection| of(connection, hash)).await
}

/// How many images there are.
pub(super) fn count(connection: &Connection) -> rusqlite::Result<u64> {
    connection
        .query_row("SELECT count(*) FROM image", [], |row| row.get::<_, i64>(0))
        .map(i64::unsigned_abs)
}
