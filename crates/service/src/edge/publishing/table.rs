//! What the database knows of the snapshot: whose it is, which pages are as they should be, and
//! which second names are published.

use rusqlite::{Connection, Transaction, params};

use super::index::Classes;
use crate::db::query::Query as _;
use crate::images::{ListedImage, table as images};
use crate::text::image_hash::ImageHash;

/// - `publisher`: `name` is this data folder's in the index of the snapshot; `takes_over`: the snapshot
///   in the store is to be replaced, whosever it is; `has_published`: something of this data folder's
///   may be in the store.
/// - `published_name` holds the second names whose objects are in the store, with the image that
///   each object names; an image of no bytes where that is not known.
pub(crate) const CREATE: &str = "
    CREATE TABLE publisher (
        only INTEGER PRIMARY KEY CHECK (only = 1),
        name TEXT NOT NULL,
        takes_over INTEGER NOT NULL DEFAULT 0,
        has_published INTEGER NOT NULL DEFAULT 0
    ) STRICT;
    INSERT INTO publisher (only, name) VALUES (1, lower(hex(randomblob(16))));
    CREATE TABLE published_name (
        name BLOB PRIMARY KEY CHECK (length(name) = 16),
        image BLOB NOT NULL
    ) STRICT, WITHOUT ROWID;
";

/// Nothing of this data folder's is in a store.
const NOTHING_PUBLISHED: &str = "
    UPDATE publisher SET has_published = 0, takes_over = 0;
    UPDATE shelf SET published = NULL WHERE published IS NOT NULL;
    DELETE FROM published_name;
";

/// How many second names are read at once.
const NAMES: i64 = 100;

/// A segment of the page index as a page of the snapshot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Segment {
    newest: i64,
    hash: Vec<u8>,
    pub(super) count: u64,
    /// The page that holds it as it is.
    pub(super) published: Option<String>,
    /// How many of its images each class has; those of the page.
    pub(super) classes: Classes,
    edition: i64,
}

/// The name of this data folder.
pub(super) fn publisher(connection: &Connection) -> rusqlite::Result<String> {
    connection.query_row("SELECT name FROM publisher", [], |row| row.get(0))
}

/// Renames this data folder. The snapshot under its former name counts as another's.
pub(crate) fn rename(transaction: &Transaction<'_>) -> rusqlite::Result<()> {
    transaction.execute_batch("UPDATE publisher SET name = lower(hex(randomblob(16)))")
}

/// Has the next index that is written replace the one in the store, whosever that is.
pub(crate) fn take_over(transaction: &Transaction<'_>) -> rusqlite::Result<()> {
    transaction.execute_batch("UPDATE publisher SET takes_over = 1")
}

/// A name that no data folder has.
pub(super) fn new_name(connection: &Connection) -> rusqlite::Result<String> {
    connection.query_row("SELECT lower(hex(randomblob(16)))", [], |row| row.get(0))
}

/// Whether the snapshot in the store is to be replaced.
pub(super) fn takes_over(connection: &Connection) -> rusqlite::Result<bool> {
    connection.query_row("SELECT takes_over FROM publisher", [], |row| row.get(0))
}

/// The index in the store is this data folder's, which it names so.
pub(super) fn has_taken_over(transaction: &Transaction<'_>, name: &str) -> rusqlite::Result<()> {
    let taken_over = "UPDATE publisher SET name = ?1, takes_over = 0";
    transaction.execute(taken_over, [name]).map(drop)
}

/// Whether something of this data folder's may be in the store.
pub(crate) fn has_published(connection: &Connection) -> rusqlite::Result<bool> {
    connection.query_row("SELECT has_published FROM publisher", [], |row| row.get(0))
}

/// Something of this data folder's will be in the store.
pub(super) fn publishes(transaction: &Transaction<'_>) -> rusqlite::Result<()> {
    transaction.execute_batch("UPDATE publisher SET has_published = 1 WHERE NOT has_published")
}

/// Nothing of this data folder's is in the store.
pub(crate) fn nothing_is_published(transaction: &Transaction<'_>) -> rusqlite::Result<()> {
    transaction.execute_batch(NOTHING_PUBLISHED)
}

/// The segments that have images, newest first.
pub(super) fn segments(connection: &Connection) -> rusqlite::Result<Vec<Segment>> {
    connection.all(
        "SELECT newest, hash, count, published, edition, classes FROM shelf WHERE count > 0
             ORDER BY newest, hash",
        [],
        |row| {
            Ok(Segment {
                newest: row.get(0)?,
                hash: row.get(1)?,
                count: row.get::<_, i64>(2)?.unsigned_abs(),
                published: row.get(3)?,
                edition: row.get(4)?,
                // What another version wrote is written again with its page.
                classes: serde_json::from_str(&row.get::<_, String>(5)?).unwrap_or_default(),
            })
        },
    )
}

/// The images of a segment, newest first.
pub(super) fn images_of(
    connection: &Connection,
    segment: &Segment,
) -> rusqlite::Result<Vec<ListedImage>> {
    images::from(
        connection,
        (segment.newest, &segment.hash),
        segment.count.cast_signed(),
    )
}

/// Remembers what is published of a segment, unless it has changed since it was read.
pub(super) fn set_published(
    transaction: &Transaction<'_>,
    segment: &Segment,
    page: Option<&str>,
) -> rusqlite::Result<()> {
    transaction
        .run(
            "UPDATE shelf SET published = ?4, classes = ?5
             WHERE newest = ?1 AND hash = ?2 AND edition = ?3",
            params![
                segment.newest,
                segment.hash,
                segment.edition,
                page,
                serde_json::to_string(&segment.classes).expect("plain data"),
            ],
        )
        .map(drop)
}

/// What differs between the second names and their objects.
#[derive(Debug, Default)]
pub(super) struct NameChanges {
    /// Names to be written, with their images.
    pub(super) wanted: Vec<(ImageHash, ImageHash)>,
    /// Names whose objects are to be removed.
    pub(super) gone: Vec<ImageHash>,
}

impl NameChanges {
    pub(super) fn is_empty(&self) -> bool {
        self.wanted.is_empty() && self.gone.is_empty()
    }
}

/// Some of the differences; none when there are none left.
pub(super) fn name_changes(connection: &Connection) -> rusqlite::Result<NameChanges> {
    let hash = |row: &rusqlite::Row<'_>, column| row.get(column).map(ImageHash::from_bytes);
    let wanted = connection.all(
        "SELECT alias.hash, image.hash FROM alias
             JOIN image ON image.id = alias.image
             LEFT JOIN published_name ON published_name.name = alias.hash
             WHERE published_name.image IS NOT image.hash LIMIT ?1",
        [NAMES],
        |row| Ok((hash(row, 0)?, hash(row, 1)?)),
    )?;
    let gone = connection.all("SELECT name FROM published_name
             WHERE NOT EXISTS (SELECT 1 FROM alias WHERE alias.hash = published_name.name) LIMIT ?1", [NAMES], |row| hash(row, 0))?;
    Ok(NameChanges { wanted, gone })
}

/// The object of a name is there; `image` is what it names, where that is known.
pub(super) fn name_is_there(
    transaction: &Transaction<'_>,
    name: ImageHash,
    image: Option<ImageHash>,
) -> rusqlite::Result<()> {
    let image = image.as_ref().map_or(&[][..], |image| image.as_bytes());
    transaction
        .run(
            "INSERT OR REPLACE INTO published_name (name, image) VALUES (?1, ?2)",
            params![name, image],
        )
        .map(drop)
}

/// The object of a name is not there.
pub(super) fn name_is_gone(transaction: &Transaction<'_>, name: ImageHash) -> rusqlite::Result<()> {
    transaction
        .run("DELETE FROM published_name WHERE name = ?1", [name])
        .map(drop)
}

/// The names whose objects should be there.
pub(super) fn published_names(connection: &Connection) -> rusqlite::Result<Vec<ImageHash>> {
    connection.all("SELECT name FROM published_name", [], |row| row.get(0))
}
