//! The database that a restored one has replaced.

use std::path::Path;

use rusqlite::{Connection, OpenFlags};

use super::{database_of, on_a_worker};
use crate::db::DatabaseError;
use crate::error::message::Message;
use crate::stats::readers;
use crate::uploads::table::TAKE_FROM_BEFORE;

/// Takes the queue of uploads from the data folder `before` into the data folder `now`. Watched files
/// whose images are not in `now` are new ones there. Neither folder may be in use.
///
/// # Errors
/// When one of the databases is missing or cannot be read, or `before` has another schema; nothing is
/// changed then.
pub async fn take_uploads(before: &Path, now: &Path) -> Result<(), Message> {
    let (before, now) = (database_of(before)?, database_of(now)?);
    on_a_worker(&now.clone(), move || {
        let take = || {
            let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
            let mut connection = Connection::open_with_flags(&now, flags)?;
            connection.execute("ATTACH ?1 AS before", [before.to_string_lossy()])?;
            let transaction = connection.transaction()?;
            transaction.execute_batch(TAKE_FROM_BEFORE)?;
            transaction.commit()
        };
        Ok(take().map_err(DatabaseError::from)?)
    })
    .await
}

/// Deletes the digests of readers from a data folder that is not in use.
///
/// # Errors
/// When a file cannot be removed.
pub fn forget_readers(data_folder: &Path) -> Result<(), Message> {
    let digests = readers::file_in(data_folder);
    readers::remove(&digests).map_err(Message::at(&digests))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::{self, database_file};

    /// A data folder whose database has these images, and its connection.
    async fn folder(images: &[u8]) -> (tempfile::TempDir, Connection) {
        let folder = tempfile::tempdir().expect("a folder");
        let file = database_file(folder.path());
        let database = schema::open(&file).await.expect("a database");
        database.close().await;
        let connection = Connection::open(file).expect("a database");
        for image in images {
            let hash = [*image; 16];
            connection
                .execute(
                    "INSERT INTO image (hash, sha256, size, width, height, frames, created_at,
                                        source_size, source_format)
                     VALUES (?1, randomblob(32), 1, 1, 1, 1, 0, 1, 'PNG')",
                    [hash],
                )
                .expect("an image");
        }
        (folder, connection)
    }

    #[tokio::test]
    async fn the_queue_stays_and_files_whose_images_are_lost_are_new() {
        let (before, connection) = folder(&[1, 2, 3]).await;
        connection
            .execute_batch(
                "INSERT INTO alias SELECT zeroblob(16), id FROM image WHERE hash = x'03030303030303030303030303030303';
                 INSERT INTO alias SELECT x'09090909090909090909090909090909', id FROM image
                 WHERE hash = x'02020202020202020202020202020202';
                 INSERT INTO watched_folder VALUES (x'2f70');",
            )
            .expect("names");
        // What they are, the watched folder, the state, and the first byte of the hash.
        for (file, folder, state, hash) in [
            ("dropped", None, 0, None),
            ("waiting", Some("/p"), 0, None),
            ("kept", Some("/p"), 2, Some(1)),
            ("kept under another name", Some("/p"), 2, Some(9)),
            ("lost", Some("/p"), 2, Some(3)),
            ("lost under another name", Some("/p"), 2, Some(0)),
            ("lost, not put away", Some("/p"), 1, Some(3)),
            ("deleted before the backup", Some("/p"), 2, Some(8)),
            ("lost and changed", Some("/p"), 0, Some(3)),
            ("left alone", Some("/p"), 4, None),
        ] {
            let hash: Option<[u8; 16]> = hash.map(|byte| [byte; 16]);
            let add = "INSERT INTO upload (file, folder, bytes, changed, state, turn, sha256, hash)
                       VALUES (CAST(?1 AS BLOB), CAST(?2 AS BLOB), 1, 1, ?3, 1, ?4, ?4)";
            let row = (file, folder, state, hash);
            connection.execute(add, row).expect("a row");
        }
        drop(connection);
        let (now, connection) = folder(&[1, 9]).await;
        // As of a start that was killed half-way.
        for _ in 0..2 {
            let taken = take_uploads(before.path(), now.path()).await;
            taken.expect("both are whole");
        }
        let rows = "SELECT CAST(file AS TEXT), hash IS NULL FROM upload ORDER BY id";
        let mut rows = connection.prepare(rows).expect("a query");
        let rows = rows.query_map([], |row| Ok((row.get(0)?, row.get(1)?)));
        let rows: Vec<(String, bool)> =
            rows.expect("rows").collect::<Result<_, _>>().expect("rows");
        let rows: Vec<_> = rows.iter().map(|row| (&*row.0, row.1)).collect();
        let expected = [
            ("dropped", true),
            ("waiting", true),
            ("kept", false),
            ("kept under another name", false),
            ("deleted before the backup", false),
            ("lost and changed", true),
            ("left alone", true),
        ];
        assert_eq!(rows, expected);
    }
}
