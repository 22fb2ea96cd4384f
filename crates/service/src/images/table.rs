//! The table of images, and of the source bytes they came from.

use rusqlite::types::Value;
use rusqlite::{Connection, Transaction, params, params_from_iter};

use super::row::{
    COLUMNS, FormerImage, LISTED, ListedImage, NewImage, StoredImage, listed, stored,
};
use super::{names, trash_table};
use crate::db::query::Query as _;
use crate::images::window::PictureSpace;
use crate::storage::StorageKind;
use crate::text::image_hash::ImageHash;

/// - `hash` is the public name, `sha256` that of the stored WebP.
/// - `newest` turns the order of the list (newest first, then by hash) into an
///   ascending one, which is what row comparisons and the index need.
/// - `place` is where the object is: 0 on disk, 1 in the object store, 2 at the Worker.
/// - `album` is the one album that an image may be in.
/// - `colour` and `thumbhash` are its [preview](Preview): NULL before it is made, an empty
///   `thumbhash` where that is impossible.
/// - `source` remembers the bytes that images were made from.
/// - `alias` contains aliases of images. No name is in both tables.
/// - `removal` lists objects that must not exist, and their place: a delete and a move put them in with
///   their commit, and they are taken out when the object is gone.
pub(crate) const CREATE: &str = "
    CREATE TABLE image (
        id INTEGER PRIMARY KEY,
        hash BLOB NOT NULL UNIQUE CHECK (length(hash) = 16),
        sha256 BLOB NOT NULL UNIQUE CHECK (length(sha256) = 32),
        size INTEGER NOT NULL,
        width INTEGER NOT NULL,
        height INTEGER NOT NULL,
        frames INTEGER NOT NULL,
        created_at INTEGER NOT NULL,
        newest INTEGER NOT NULL GENERATED ALWAYS AS (-created_at) VIRTUAL,
        source_size INTEGER NOT NULL,
        source_format TEXT NOT NULL,
        place INTEGER NOT NULL DEFAULT 0 CHECK (place IN (0, 1, 2)),
        album TEXT CHECK (length(album) BETWEEN 1 AND 64),
        colour INTEGER,
        thumbhash BLOB,
        orientation TEXT NOT NULL GENERATED ALWAYS AS
            (CASE WHEN width > height THEN 'l' WHEN width < height THEN 'p' ELSE 's' END) VIRTUAL
    ) STRICT;
    CREATE INDEX image_in_order ON image (newest, hash);
    CREATE INDEX image_in_place ON image (place);
    CREATE INDEX image_of_album ON image (album, newest, hash) WHERE album IS NOT NULL;
    CREATE INDEX image_of_orientation ON image (orientation, hash);
    CREATE INDEX image_of_class ON image (album, orientation, hash) WHERE album IS NOT NULL;
    CREATE INDEX image_without_preview ON image (newest, hash) WHERE thumbhash IS NULL;
    CREATE TABLE alias (
        hash BLOB PRIMARY KEY CHECK (length(hash) = 16),
        image INTEGER NOT NULL REFERENCES image (id) ON DELETE CASCADE
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX alias_of_image ON alias (image);
    CREATE TABLE source (
        digest BLOB PRIMARY KEY CHECK (length(digest) = 32),
        image INTEGER NOT NULL REFERENCES image (id) ON DELETE CASCADE
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX source_of_image ON source (image);
    CREATE TABLE removal (
        hash BLOB NOT NULL,
        place INTEGER NOT NULL DEFAULT 0 CHECK (place IN (0, 1, 2)),
        PRIMARY KEY (hash, place)
    ) STRICT, WITHOUT ROWID;
";

/// The image of this own name.
pub(crate) fn find(
    connection: &Connection,
    hash: ImageHash,
) -> rusqlite::Result<Option<StoredImage>> {
    connection.first(
        &format!("SELECT {COLUMNS} FROM image WHERE hash = ?1"),
        [hash],
        stored,
    )
}

/// The image that has this name or alias.
pub(crate) fn named(
    connection: &Connection,
    name: ImageHash,
) -> rusqlite::Result<Option<StoredImage>> {
    if let Some(image) = find(connection, name)? {
        return Ok(Some(image));
    }
    connection.first(
        &format!(
            "SELECT {COLUMNS} FROM alias JOIN image ON image.id = alias.image
             WHERE alias.hash = ?1"
        ),
        [name],
        stored,
    )
}

/// The aliases of an image.
pub(crate) fn aliases(
    connection: &Connection,
    hash: ImageHash,
) -> rusqlite::Result<Vec<ImageHash>> {
    connection.all(
        "SELECT alias.hash FROM image JOIN alias ON alias.image = image.id
             WHERE image.hash = ?1",
        [hash],
        |row| row.get(0),
    )
}

/// Gives an image an alias, which must not be in use.
pub(crate) fn add_alias(
    transaction: &Transaction<'_>,
    alias: ImageHash,
    hash: ImageHash,
) -> rusqlite::Result<()> {
    transaction
        .run(
            "INSERT INTO alias (hash, image) SELECT ?1, id FROM image WHERE hash = ?2",
            params![alias, hash],
        )
        .map(drop)
}

/// The image that an upload is: by its source, else by what it became.
pub(super) fn owner(
    connection: &Connection,
    (source, sha256): ([u8; 32], [u8; 32]),
) -> rusqlite::Result<Option<ImageHash>> {
    match find_source(connection, &source)? {
        None => find_source(connection, &sha256),
        known => Ok(known),
    }
}

/// The image has other bytes now: those of another quality, as one has that is uploaded today. Its
/// name, its time and where it is stay.
pub(super) fn renew(transaction: &Transaction<'_>, new: &NewImage) -> rusqlite::Result<()> {
    let image = &new.image;
    transaction.run(
        "UPDATE image SET sha256 = ?2, size = ?3, width = ?4, height = ?5, frames = ?6,
                              colour = ?7, thumbhash = ?8
             WHERE hash = ?1",
        params![
            image.hash,
            new.sha256,
            image.size.cast_signed(),
            image.width,
            image.height,
            new.frames,
            new.preview.as_ref().map(|preview| preview.colour),
            new.preview.as_ref().map(|preview| &preview.thumbhash),
        ],
    )?;
    add_source(transaction, &new.source_digest, image.hash)
}

/// The image that these source bytes became, or that they are.
pub(crate) fn find_source(
    connection: &Connection,
    digest: &[u8; 32],
) -> rusqlite::Result<Option<ImageHash>> {
    connection
        .first(
            "SELECT hash FROM image WHERE sha256 = ?1
             UNION ALL
             SELECT image.hash FROM source JOIN image ON image.id = source.image
             WHERE source.digest = ?1
             LIMIT 1",
            [digest],
            |row| row.get(0),
        )
        .map(|found| found.map(ImageHash::from_bytes))
}

/// Adds a source of an image that is there already.
pub(crate) fn add_source(
    transaction: &Transaction<'_>,
    digest: &[u8; 32],
    hash: ImageHash,
) -> rusqlite::Result<()> {
    transaction
        .run(
            "INSERT OR IGNORE INTO source (digest, image) SELECT ?1, id FROM image WHERE hash = ?2",
            params![digest, hash],
        )
        .map(drop)
}

/// Adds an image. The same one in the trash is none any more.
pub(crate) fn insert(transaction: &Transaction<'_>, new: &NewImage) -> rusqlite::Result<()> {
    let image = &new.image;
    trash_table::take_out_same(transaction, image.hash, &new.sha256, &new.source_digest)?;
    transaction.run(
        "INSERT INTO image (hash, sha256, size, width, height, frames, created_at,
                                source_size, source_format, place, colour, thumbhash, album)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)",
        params![
            image.hash,
            new.sha256,
            image.size.cast_signed(),
            image.width,
            image.height,
            new.frames,
            image.created_at.as_millis(),
            new.source_size.cast_signed(),
            new.source_format,
            image.place,
            new.preview.as_ref().map(|preview| preview.colour),
            new.preview.as_ref().map(|preview| &preview.thumbhash),
            new.album,
        ],
    )?;
    add_source(transaction, &new.source_digest, image.hash)?;
    match &new.name {
        Some(name) => names::put(transaction, image.hash, name),
        None => Ok(()),
    }
}

/// Deletes the row of this own name, with its aliases and its sources; returns
/// whether there was one.
pub(crate) fn delete(transaction: &Transaction<'_>, hash: ImageHash) -> rusqlite::Result<bool> {
    let deleted = transaction.run("DELETE FROM image WHERE hash = ?1", [hash])?;
    Ok(deleted > 0)
}

pub(super) fn count(connection: &Connection) -> rusqlite::Result<u64> {
    connection
        .prepare_cached("SELECT count(*) FROM image")?
        .query_row([], |row| row.get::<_, i64>(0))
        .map(i64::unsigned_abs)
}

/// How many images there are, and how large they are.
pub(super) fn space(connection: &Connection) -> rusqlite::Result<PictureSpace> {
    connection
        .prepare_cached(
            "SELECT count(*), coalesce(sum(size), 0), coalesce(sum(source_size), 0) FROM image",
        )?
        .query_row([], |row| {
            Ok(PictureSpace {
                pictures: row.get::<_, i64>(0)?.unsigned_abs(),
                stored: row.get::<_, i64>(1)?.unsigned_abs(),
                sources: row.get::<_, i64>(2)?.unsigned_abs(),
            })
        })
}

/// Up to `limit` images of an album or of all, newest first, after skipping `offset`.
pub(super) fn page(
    connection: &Connection,
    album: Option<&str>,
    offset: u64,
    limit: u32,
) -> rusqlite::Result<Vec<ListedImage>> {
    let of_album = album.map_or("", |_| "WHERE album = ?3");
    connection.all(
        &format!("SELECT {LISTED} FROM image {of_album} ORDER BY newest, hash LIMIT ?1 OFFSET ?2"),
        params_from_iter(
            [Value::from(limit), offset.cast_signed().into()]
                .into_iter()
                .chain(album.map(|album| album.to_owned().into())),
        ),
        listed,
    )
}

/// Up to `limit` images with a number above `after`, by their numbers, each with its number.
pub(crate) fn after(
    connection: &Connection,
    after: i64,
    limit: u32,
) -> rusqlite::Result<Vec<(i64, ListedImage)>> {
    connection.all(
        &format!("SELECT {LISTED}, id FROM image WHERE id > ?1 ORDER BY id LIMIT ?2"),
        params![after, limit],
        |row| Ok((row.get(10)?, listed(row)?)),
    )
}

/// The image of this own name, with all that lists show.
pub(crate) fn find_listed(
    connection: &Connection,
    hash: ImageHash,
) -> rusqlite::Result<Option<ListedImage>> {
    let query = format!("SELECT {LISTED} FROM image WHERE hash = ?1");
    connection.first(&query, [hash], listed)
}

/// Up to `limit` images whose preview was never made, newest first.
pub(super) fn without_preview(
    connection: &Connection,
    limit: u32,
) -> rusqlite::Result<Vec<StoredImage>> {
    connection.all(
        &format!(
            "SELECT {COLUMNS} FROM image WHERE thumbhash IS NULL ORDER BY newest, hash LIMIT ?1"
        ),
        [limit],
        stored,
    )
}

/// Up to `limit` images that are not in this place, with their numbers, in the order
/// of those from the one after `after`.
pub(super) fn elsewhere(
    connection: &Connection,
    place: StorageKind,
    after: i64,
    limit: u32,
) -> rusqlite::Result<Vec<(i64, ImageHash)>> {
    connection.all(
        "SELECT id, hash FROM image WHERE place <> ?1 AND id > ?2 ORDER BY id LIMIT ?3",
        params![place, after, limit],
        |row| Ok((row.get(0)?, row.get(1)?)),
    )
}

/// Whether an image is in this place, or an object in it is still to be removed.
pub(crate) fn refers_to(connection: &Connection, place: StorageKind) -> rusqlite::Result<bool> {
    connection.query_row(
        "SELECT EXISTS (SELECT 1 FROM image WHERE place = ?1)
             OR EXISTS (SELECT 1 FROM removal WHERE place = ?1)",
        [place],
        |row| row.get(0),
    )
}

/// How many images are in this place.
pub(crate) fn count_in(connection: &Connection, place: StorageKind) -> rusqlite::Result<u64> {
    connection
        .prepare_cached("SELECT count(*) FROM image WHERE place = ?1")?
        .query_row([place], |row| row.get::<_, i64>(0))
        .map(i64::unsigned_abs)
}

/// The SHA-256 of an image's stored bytes.
pub(super) fn sha256_of(
    connection: &Connection,
    hash: ImageHash,
) -> rusqlite::Result<Option<[u8; 32]>> {
    connection.first("SELECT sha256 FROM image WHERE hash = ?1", [hash], |row| {
        row.get(0)
    })
}

/// The image's object is in another place now.
pub(crate) fn put_in(
    transaction: &Transaction<'_>,
    hash: ImageHash,
    place: StorageKind,
) -> rusqlite::Result<()> {
    transaction
        .run(
            "UPDATE image SET place = ?2 WHERE hash = ?1",
            params![hash, place],
        )
        .map(drop)
}

/// Makes a former image an image again whose object is in this place; whether it could be: an image that is
/// here keeps its name and its bytes.
///
/// # Errors
/// When the database fails.
pub(crate) fn put_back(
    transaction: &Transaction<'_>,
    mut former: FormerImage,
    place: StorageKind,
) -> rusqlite::Result<bool> {
    let hash = former.image.image.hash;
    if named(transaction, hash)?.is_some()
        || find_source(transaction, &former.image.sha256)?.is_some()
    {
        return Ok(false);
    }
    former.image.image.place = place;
    insert(transaction, &former.image)?;
    for source in &former.sources {
        add_source(transaction, source, hash)?;
    }
    for alias in former.aliases {
        if named(transaction, alias)?.is_none() {
            add_alias(transaction, alias, hash)?;
        }
    }
    Ok(true)
}
