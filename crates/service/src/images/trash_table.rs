//! The table `trash`: images that the owner has deleted and can put back.

use std::collections::HashSet;

use rusqlite::{Connection, Row, Transaction, params};

use super::row::{FormerImage, NewImage, StoredImage, preview, stored};
use crate::clock::timestamp::Timestamp;
use crate::db::query::Query as _;
use crate::storage::StorageKind;
use crate::text::image_hash::ImageHash;

/// - A row of `trash` has all of a deleted image's row. `place` is where its object was, which a row
///   of `removal` names until the object is gone. Then its bytes are in the folder `trash`.
/// - `trash_alias` has its other names, `trash_source` the digests of its sources.
pub(crate) const CREATE: &str = "
    CREATE TABLE trash (
        hash BLOB PRIMARY KEY CHECK (length(hash) = 16),
        sha256 BLOB NOT NULL UNIQUE CHECK (length(sha256) = 32),
        size INTEGER NOT NULL,
        width INTEGER NOT NULL,
        height INTEGER NOT NULL,
        frames INTEGER NOT NULL,
        created_at INTEGER NOT NULL,
        source_size INTEGER NOT NULL,
        source_format TEXT NOT NULL,
        place INTEGER NOT NULL CHECK (place IN (0, 1, 2)),
        name TEXT,
        colour INTEGER,
        thumbhash BLOB,
        album TEXT CHECK (length(album) BETWEEN 1 AND 64),
        deleted_at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX trash_in_order ON trash (deleted_at, hash);
    CREATE TABLE trash_alias (
        hash BLOB NOT NULL REFERENCES trash (hash) ON DELETE CASCADE,
        alias BLOB NOT NULL CHECK (length(alias) = 16),
        PRIMARY KEY (hash, alias)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE trash_source (
        digest BLOB PRIMARY KEY CHECK (length(digest) = 32),
        hash BLOB NOT NULL REFERENCES trash (hash) ON DELETE CASCADE
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX trash_source_of_image ON trash_source (hash);
";

/// A deleted image.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeletedImage {
    /// The image as it was.
    pub image: StoredImage,
    /// Its name.
    pub name: Option<String>,
    /// Its album.
    pub album: Option<String>,
    /// When it was deleted.
    pub deleted_at: Timestamp,
}

/// Copies the row of an image, with its names and sources, before it is deleted.
pub(super) fn put(
    transaction: &Transaction<'_>,
    hash: ImageHash,
    now: Timestamp,
) -> rusqlite::Result<()> {
    transaction.run(
        "INSERT OR REPLACE INTO trash (hash, sha256, size, width, height, frames, created_at,
                 source_size, source_format, place, name, colour, thumbhash, album, deleted_at)
             SELECT hash, sha256, size, width, height, frames, created_at, source_size,
                 source_format, place, name, colour, thumbhash, album,
                 -- A clock that is behind must not make it look old.
                 max(?2, (SELECT created_at FROM image ORDER BY newest, hash LIMIT 1))
             FROM image LEFT JOIN image_name ON image_name.image = image.id WHERE hash = ?1",
        params![hash, now.as_millis()],
    )?;
    for query in [
        "INSERT INTO trash_alias (hash, alias) SELECT image.hash, alias.hash
         FROM image JOIN alias ON alias.image = image.id WHERE image.hash = ?1",
        "INSERT OR REPLACE INTO trash_source (hash, digest) SELECT hash, digest
         FROM image JOIN source ON source.image = image.id WHERE hash = ?1",
    ] {
        transaction.run(query, [hash])?;
    }
    Ok(())
}

/// Takes out what is the image of this name, of these stored bytes or of this source.
pub(super) fn take_out_same(
    transaction: &Transaction<'_>,
    hash: ImageHash,
    sha256: &[u8; 32],
    source: &[u8; 32],
) -> rusqlite::Result<()> {
    transaction
        .run(
            "DELETE FROM trash WHERE hash = ?1 OR sha256 = ?2
                 OR hash IN (SELECT hash FROM trash_source WHERE digest = ?3)",
            params![hash, sha256, source],
        )
        .map(drop)
}

/// Takes out an image.
pub(crate) fn take_out(transaction: &Transaction<'_>, hash: ImageHash) -> rusqlite::Result<()> {
    transaction
        .run("DELETE FROM trash WHERE hash = ?1", [hash])
        .map(drop)
}

/// Takes out all that was deleted at this time or before; how many.
pub(super) fn take_out_until(
    transaction: &Transaction<'_>,
    time: Timestamp,
) -> rusqlite::Result<usize> {
    transaction.run(
        "DELETE FROM trash WHERE deleted_at <= ?1",
        [time.as_millis()],
    )
}

/// Whether there is any that was deleted at this time or before.
pub(super) fn has_until(connection: &Connection, time: Timestamp) -> rusqlite::Result<bool> {
    connection
        .prepare_cached("SELECT EXISTS (SELECT 1 FROM trash WHERE deleted_at <= ?1)")?
        .query_row([time.as_millis()], |row| row.get(0))
}

/// Where the object of a deleted image was, or is to be; `None` where the trash has no such image.
pub(crate) fn place_of(
    connection: &Connection,
    hash: ImageHash,
) -> rusqlite::Result<Option<StorageKind>> {
    connection.first("SELECT place FROM trash WHERE hash = ?1", [hash], |row| {
        row.get(0)
    })
}

/// The object of a deleted image is going to be in this place.
pub(super) fn put_in(
    transaction: &Transaction<'_>,
    hash: ImageHash,
    place: StorageKind,
) -> rusqlite::Result<()> {
    transaction
        .run(
            "UPDATE trash SET place = ?2 WHERE hash = ?1",
            params![hash, place],
        )
        .map(drop)
}

/// The names of all.
pub(super) fn hashes(connection: &Connection) -> rusqlite::Result<HashSet<ImageHash>> {
    let all = connection.all("SELECT hash FROM trash", [], |row| row.get(0))?;
    Ok(all.into_iter().collect())
}

/// How many there are.
pub(super) fn count(connection: &Connection) -> rusqlite::Result<u64> {
    connection
        .prepare_cached("SELECT count(*) FROM trash")?
        .query_row([], |row| row.get::<_, i64>(0))
        .map(i64::unsigned_abs)
}

/// Up to `limit`, those first that were deleted last, after skipping `offset`.
pub(super) fn newest(
    connection: &Connection,
    offset: u64,
    limit: u32,
) -> rusqlite::Result<Vec<DeletedImage>> {
    connection.all(
        "SELECT hash, size, width, height, created_at, place, name, album, deleted_at
             FROM trash ORDER BY deleted_at DESC, hash LIMIT ?1 OFFSET ?2",
        params![limit, offset.cast_signed()],
        |row| {
            Ok(DeletedImage {
                image: stored(row)?,
                name: row.get(6)?,
                album: row.get(7)?,
                deleted_at: Timestamp::from_millis(row.get(8)?),
            })
        },
    )
}

/// All of a deleted image; `None` where the trash has no such image.
pub(super) fn former(
    connection: &Connection,
    hash: ImageHash,
) -> rusqlite::Result<Option<FormerImage>> {
    let image = connection.first(
        "SELECT hash, size, width, height, created_at, place, sha256, frames, source_size,
                 source_format, name, colour, thumbhash, album FROM trash WHERE hash = ?1",
        [hash],
        new_image,
    )?;
    let Some(mut image) = image else {
        return Ok(None);
    };
    let sources = connection.all(
        "SELECT digest FROM trash_source WHERE hash = ?1",
        [hash],
        |row| row.get(0),
    )?;
    if let Some(source) = sources.first() {
        image.source_digest = *source;
    }
    let aliases = connection.all(
        "SELECT alias FROM trash_alias WHERE hash = ?1",
        [hash],
        |row| row.get(0),
    )?;
    Ok(Some(FormerImage {
        image,
        sources,
        aliases,
    }))
}

fn new_image(row: &Row<'_>) -> rusqlite::Result<NewImage> {
    let sha256 = row.get(6)?;
    Ok(NewImage {
        image: stored(row)?,
        sha256,
        frames: row.get(7)?,
        source_digest: sha256,
        source_size: row.get::<_, i64>(8)?.unsigned_abs(),
        source_format: row.get::<_, String>(9)?.into(),
        name: row.get(10)?,
        preview: preview(row, 11)?,
        album: row.get(13)?,
    })
}
