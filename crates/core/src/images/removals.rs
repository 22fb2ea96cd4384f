//! The table `removal`: objects that must not exist.
//!
//! An upload and a move announce an object before they store it, and take it out with their commit;
//! a delete puts it in with its commit, and so does an upload that fails. The next start removes what
//! was deleted. Where the database is an earlier state, as a replica has it, an object that was
//! announced then may belong to an image whose upload was answered since: so what an earlier run
//! announced is taken back.

use std::collections::HashSet;

use porchlight_api::ImageHash;
use rusqlite::{Connection, OptionalExtension as _, Transaction, params};

use super::table::{number_of, place_of};
use crate::storage::StorageKind;

/// An object that must not exist.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Removal {
    pub(crate) hash: ImageHash,
    pub(crate) place: StorageKind,
    pub(crate) announced: bool,
}

/// Puts in an object that is going to be stored, also where it still waits to be removed.
pub(super) fn announce(
    transaction: &Transaction<'_>,
    hash: ImageHash,
    place: StorageKind,
) -> rusqlite::Result<()> {
    put(transaction, hash, place, true)
}

/// Puts in an object that is going to be removed, also where it was announced.
pub(super) fn add(
    transaction: &Transaction<'_>,
    hash: ImageHash,
    place: StorageKind,
) -> rusqlite::Result<()> {
    put(transaction, hash, place, false)
}

fn put(
    transaction: &Transaction<'_>,
    hash: ImageHash,
    place: StorageKind,
    announced: bool,
) -> rusqlite::Result<()> {
    transaction
        .prepare_cached(
            "INSERT INTO removal (hash, place, announced) VALUES (?1, ?2, ?3)
             ON CONFLICT (hash, place) DO UPDATE SET announced = excluded.announced",
        )?
        .execute(params![hash.as_bytes(), number_of(place), announced])
        .map(drop)
}

/// What was announced is going to be removed.
pub(super) fn give_up(
    transaction: &Transaction<'_>,
    hash: ImageHash,
    place: StorageKind,
) -> rusqlite::Result<()> {
    transaction
        .prepare_cached("UPDATE removal SET announced = 0 WHERE hash = ?1 AND place = ?2")?
        .execute(params![hash.as_bytes(), number_of(place)])
        .map(drop)
}

/// Takes an object out.
pub(crate) fn take_out(
    transaction: &Transaction<'_>,
    hash: ImageHash,
    place: StorageKind,
) -> rusqlite::Result<()> {
    transaction
        .prepare_cached("DELETE FROM removal WHERE hash = ?1 AND place = ?2")?
        .execute(params![hash.as_bytes(), number_of(place)])
        .map(drop)
}

/// Whether an object was announced, where it is in the table.
pub(super) fn is_announced(
    connection: &Connection,
    hash: ImageHash,
    place: StorageKind,
) -> rusqlite::Result<Option<bool>> {
    connection
        .prepare_cached("SELECT announced FROM removal WHERE hash = ?1 AND place = ?2")?
        .query_row(params![hash.as_bytes(), number_of(place)], |row| row.get(0))
        .optional()
}

/// Those that were to be stored.
pub(crate) fn announced(
    connection: &Connection,
) -> rusqlite::Result<HashSet<(ImageHash, StorageKind)>> {
    let all = all(connection)?.into_iter();
    let announced = all.filter(|removal| removal.announced);
    Ok(announced
        .map(|removal| (removal.hash, removal.place))
        .collect())
}

/// All of them.
pub(crate) fn all(connection: &Connection) -> rusqlite::Result<Vec<Removal>> {
    connection
        .prepare_cached("SELECT hash, place, announced FROM removal")?
        .query_map([], |row| {
            Ok(Removal {
                hash: ImageHash::from_bytes(row.get(0)?),
                place: place_of(row.get(1)?),
                announced: row.get(2)?,
            })
        })?
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::database::DatabaseError;

    #[tokio::test]
    async fn the_last_operation_on_an_object_counts() {
        let folder = tempfile::tempdir().expect("a folder");
        let database = crate::schema::open(&folder.path().join("porchlight.db")).await;
        let database = database.expect("a database");
        let (hash, place) = (ImageHash::from_bytes([1; 16]), StorageKind::S3);
        for (put, announced) in [
            (announce as fn(&Transaction<'_>, _, _) -> _, true),
            (add, false),
            // Uploaded again before the removal was carried out.
            (announce, true),
        ] {
            let written =
                database.write(move |write| Ok::<_, DatabaseError>(put(write, hash, place)?));
            written.await.expect("written");
            let all = database.read(all).await.expect("rows");
            assert_eq!(all.len(), 1);
            assert_eq!(all[0].announced, announced);
        }
    }
}
