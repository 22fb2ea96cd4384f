//! The table `removal`: objects that must not exist. A deletion puts them in with its commit, and so does
//! a move; they leave when the object is gone. The next start finishes what is left.

use rusqlite::{Connection, Transaction, params};

use crate::db::query::Query as _;
use crate::storage::StorageKind;
use crate::text::image_hash::ImageHash;

/// Puts in an object that is going to be removed.
pub(super) fn add(
    transaction: &Transaction<'_>,
    hash: ImageHash,
    place: StorageKind,
) -> rusqlite::Result<()> {
    transaction
        .run(
            "INSERT OR IGNORE INTO removal (hash, place) VALUES (?1, ?2)",
            params![hash, place],
        )
        .map(drop)
}

/// Takes an object out.
pub(crate) fn take_out(
    transaction: &Transaction<'_>,
    hash: ImageHash,
    place: StorageKind,
) -> rusqlite::Result<()> {
    transaction
        .run(
            "DELETE FROM removal WHERE hash = ?1 AND place = ?2",
            params![hash, place],
        )
        .map(drop)
}

/// Whether an object is in the table.
pub(crate) fn holds(
    connection: &Connection,
    hash: ImageHash,
    place: StorageKind,
) -> rusqlite::Result<bool> {
    connection
        .prepare_cached("SELECT 1 FROM removal WHERE hash = ?1 AND place = ?2")?
        .exists(params![hash, place])
}

/// All of them.
pub(crate) fn all(connection: &Connection) -> rusqlite::Result<Vec<(ImageHash, StorageKind)>> {
    connection.all("SELECT hash, place FROM removal", [], |row| {
        Ok((row.get(0)?, row.get(1)?))
    })
}
