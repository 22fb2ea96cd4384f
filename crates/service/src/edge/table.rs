//! What the database knows of the Worker: whose rows it holds, and which images have changed.

use rusqlite::{Connection, OptionalExtension as _, Transaction};
use serde_json::{Value, json};

use crate::db::query::Query as _;
use crate::images::{ListedImage, table as images};
use crate::text::image_hash::ImageHash;

/// - `edge.service` is the id by which the Worker knows this data folder; `take_over`: it replaces the
///   service whose rows the Worker has.
/// - `image_change` has a row for each change of what readers see of an image, the last 10,000.
pub(crate) const CREATE: &str = "
    CREATE TABLE edge (
        only INTEGER PRIMARY KEY CHECK (only = 1),
        service TEXT NOT NULL,
        take_over INTEGER NOT NULL DEFAULT 0
    ) STRICT;
    INSERT INTO edge (only, service) VALUES (1, lower(hex(randomblob(16))));
    CREATE TABLE image_change (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        hash BLOB NOT NULL
    ) STRICT;
    CREATE TRIGGER image_change_limit AFTER INSERT ON image_change BEGIN
        DELETE FROM image_change WHERE number <= new.number - 10000;
    END;
    CREATE TRIGGER image_added AFTER INSERT ON image BEGIN
        INSERT INTO image_change (hash) VALUES (new.hash);
    END;
    CREATE TRIGGER image_removed AFTER DELETE ON image BEGIN
        INSERT INTO image_change (hash) VALUES (old.hash);
    END;
    CREATE TRIGGER image_changed AFTER UPDATE OF
        size, width, height, frames, colour, thumbhash, album, place ON image BEGIN
        INSERT INTO image_change (hash) VALUES (new.hash);
    END;
    CREATE TRIGGER alias_added AFTER INSERT ON alias BEGIN
        INSERT INTO image_change (hash) SELECT hash FROM image WHERE id = new.image;
    END;
    CREATE TRIGGER alias_removed AFTER DELETE ON alias BEGIN
        INSERT INTO image_change (hash) SELECT hash FROM image WHERE id = old.image;
    END;
";

/// The most rows of one call.
const ROWS: u32 = 1_000;

/// The id of this data folder.
pub(super) fn service(connection: &Connection) -> rusqlite::Result<String> {
    connection.query_row("SELECT service FROM edge", [], |row| row.get(0))
}

/// Gives this data folder another id: the Worker knows the former one as another service.
pub(crate) fn rename(transaction: &Transaction<'_>) -> rusqlite::Result<()> {
    transaction.execute_batch("UPDATE edge SET service = lower(hex(randomblob(16))), take_over = 0")
}

/// Whether the service whose rows the Worker has is to be replaced.
pub(super) fn takes_over(connection: &Connection) -> rusqlite::Result<bool> {
    connection.query_row("SELECT take_over FROM edge", [], |row| row.get(0))
}

/// Sets that.
pub(crate) fn take_over(transaction: &Transaction<'_>, wanted: bool) -> rusqlite::Result<()> {
    transaction
        .run("UPDATE edge SET take_over = ?1", [wanted])
        .map(drop)
}

/// The number of the list as it is now; the list without images of a new data folder has 1.
pub(super) fn number(connection: &Connection) -> rusqlite::Result<i64> {
    let last = "SELECT seq FROM sqlite_sequence WHERE name = 'image_change'";
    let last = connection.query_row(last, [], |row| row.get::<_, i64>(0));
    Ok(last.optional()?.unwrap_or(0) + 1)
}

/// What the Worker needs to have another list: `images` of a call.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ImageRows {
    /// The number after it.
    pub(super) to: i64,
    pub(super) put: Vec<Value>,
    pub(super) delete: Vec<ImageHash>,
}

/// What has changed since the list of this number; `None` where that is not known any more.
pub(super) fn changes(connection: &Connection, from: i64) -> rusqlite::Result<Option<ImageRows>> {
    let connection = &connection.unchecked_transaction()?;
    let now = number(connection)?;
    // A change is numbered one less than the list after it.
    let oldest = "SELECT coalesce(min(number), ?1) FROM image_change";
    let oldest: i64 = connection.query_row(oldest, [now], |row| row.get(0))?;
    if from > now || from < oldest {
        return Ok(None);
    }
    let changed: Vec<(i64, ImageHash)> = connection.all(
        "SELECT number, hash FROM image_change WHERE number >= ?1 ORDER BY number LIMIT ?2",
        (from, ROWS),
        |row| Ok((row.get(0)?, row.get(1)?)),
    )?;
    let to = changed.last().map_or(from, |(number, _)| number + 1);
    let mut hashes: Vec<ImageHash> = changed.into_iter().map(|(_, hash)| hash).collect();
    hashes.sort_unstable();
    hashes.dedup();
    let (mut put, mut delete) = (Vec::new(), Vec::new());
    for hash in hashes {
        match images::find_listed(connection, hash)? {
            Some(image) => put.push(row(connection, &image)?),
            None => delete.push(hash),
        }
    }
    Ok(Some(ImageRows { to, put, delete }))
}

/// Some rows of the whole list, of the images with a number above `after`, and the last number.
pub(super) fn rows_after(
    connection: &Connection,
    after: i64,
) -> rusqlite::Result<(Vec<Value>, Option<i64>)> {
    let connection = &connection.unchecked_transaction()?;
    let found = images::after(connection, after, ROWS)?;
    let is_last = found.len() < ROWS as usize;
    let last = found.last().map(|(id, _)| *id).filter(|_| !is_last);
    let rows = found.iter().map(|(_, image)| row(connection, image));
    Ok((rows.collect::<rusqlite::Result<_>>()?, last))
}

/// An image as the Worker has it: `edge/src/answers.js` says what the parts are.
fn row(connection: &Connection, image: &ListedImage) -> rusqlite::Result<Value> {
    let names = images::aliases(connection, image.image.hash)?;
    let item = image.item(true);
    let details = item.details.as_ref();
    let mut row = vec![
        json!(item.hash),
        json!(item.created_at),
        json!(image.image.width),
        json!(image.image.height),
        json!(image.image.size),
        json!(image.frames > 1),
        json!(details.and_then(|details| details.color.clone())),
        json!(image.thumbhash()),
        json!(image.album),
        json!(image.image.place),
    ];
    if !names.is_empty() {
        row.push(json!(names));
    }
    Ok(row.into())
}

#[cfg(test)]
mod tests {
    use crate::images::{names, trash_table};

    use super::*;

    fn empty() -> Connection {
        let connection = Connection::open_in_memory().expect("a database");
        for tables in [images::CREATE, names::CREATE, trash_table::CREATE, CREATE] {
            connection.execute_batch(tables).expect("the tables");
        }
        connection
    }

    fn hash(number: u16) -> [u8; 16] {
        let mut hash = [0; 16];
        hash[..2].copy_from_slice(&number.to_be_bytes());
        hash
    }

    fn add(connection: &Connection, numbers: std::ops::Range<u16>) {
        for number in numbers {
            let insert = "INSERT INTO image (hash, sha256, size, width, height, frames, created_at,
                                             source_size, source_format)
                          VALUES (?1, ?2, 1, 2, 3, 1, 0, 1, 'PNG')";
            let sha256 = [hash(number), hash(number)].concat();
            connection
                .execute(insert, (hash(number), sha256))
                .expect("an image");
        }
    }

    /// How many rows are put and deleted, and the number after it.
    fn since(connection: &Connection, from: i64) -> Option<(usize, usize, i64)> {
        let changes = changes(connection, from).expect("changes")?;
        Some((changes.put.len(), changes.delete.len(), changes.to))
    }

    #[test]
    fn each_change_that_readers_see_is_sent_once() {
        let connection = empty();
        assert_eq!(number(&connection), Ok(1));
        assert_eq!(since(&connection, 1), Some((0, 0, 1)));
        add(&connection, 0..3);
        assert_eq!(since(&connection, 1), Some((3, 0, 4)));
        assert_eq!(since(&connection, 3), Some((1, 0, 4)));
        let run = |sql: &str| connection.execute(sql, []).expect("a change");
        run("UPDATE image SET album = 'cats' WHERE id = 1");
        run("UPDATE image SET source_size = 9");
        run("INSERT INTO alias (hash, image) SELECT randomblob(16), id FROM image WHERE id = 1");
        assert_eq!(since(&connection, 4), Some((1, 0, 6)));
        let sent = changes(&connection, 4).expect("changes").expect("known");
        assert_eq!(sent.put[0][8], "cats");
        assert_eq!(sent.put[0][9], "disk");
        assert_eq!(sent.put[0][10].as_array().map(Vec::len), Some(1));
        run("DELETE FROM image WHERE id = 2");
        assert_eq!(since(&connection, 6), Some((0, 1, 7)));
        assert_eq!(since(&connection, 8), None, "the Worker is ahead");
        assert_eq!(since(&connection, 0), None, "before the first list");
    }

    #[test]
    fn many_changes_are_sent_in_parts_and_old_ones_are_forgotten() {
        let connection = empty();
        add(&connection, 0..2_500);
        assert_eq!(since(&connection, 1), Some((1_000, 0, 1_001)));
        assert_eq!(since(&connection, 2_001), Some((500, 0, 2_501)));
        let (rows, last) = rows_after(&connection, 0).expect("rows");
        assert_eq!((rows.len(), last), (1_000, Some(1_000)));
        let (rows, last) = rows_after(&connection, 2_000).expect("rows");
        assert_eq!((rows.len(), last), (500, None));
        let change = "UPDATE image SET album = 'a' || id WHERE id = 1";
        let again = "UPDATE image SET album = NULL WHERE id = 1";
        for _ in 0..5_000 {
            connection.execute(change, []).expect("a change");
            connection.execute(again, []).expect("a change");
        }
        assert_eq!(number(&connection), Ok(12_501));
        assert_eq!(since(&connection, 2_500), None);
        assert_eq!(since(&connection, 2_501), Some((1, 0, 3_501)));
    }
}
