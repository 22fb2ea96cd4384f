//! The database that a restored one has replaced.

use std::path::Path;

use rusqlite::{Connection, OpenFlags};

use super::{database_of, on_a_worker};
use crate::db::DatabaseError;
use crate::error::message::Message;
use crate::stats::readers;

/// Names of images that are in the data folder `before` and not in the data folder `now`. Neither
/// folder may be in use.
///
/// # Errors
/// When one of the databases is missing or cannot be read.
pub async fn lost_images(before: &Path, now: &Path) -> Result<Vec<String>, Message> {
    const LOST: &str = "
        SELECT lower(hex(hash)) FROM
            (SELECT hash FROM before.image UNION SELECT hash FROM before.alias)
        WHERE hash NOT IN (SELECT hash FROM main.image)
            AND hash NOT IN (SELECT hash FROM main.alias)";
    let (before, now) = (database_of(before)?, database_of(now)?);
    on_a_worker(&now.clone(), move || {
        let lost = || {
            let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
            let connection = Connection::open_with_flags(&now, flags)?;
            connection.execute("ATTACH ?1 AS before", [before.to_string_lossy()])?;
            connection
                .prepare(LOST)?
                .query_map([], |row| row.get(0))?
                .collect::<rusqlite::Result<_>>()
        };
        Ok(lost().map_err(DatabaseError::from)?)
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
    async fn images_of_the_replaced_database_only_are_lost_under_all_names() {
        let (before, connection) = folder(&[1, 2, 3]).await;
        connection
            .execute_batch(
                "INSERT INTO alias SELECT zeroblob(16), id FROM image WHERE hash = x'03030303030303030303030303030303';
                 INSERT INTO alias SELECT x'09090909090909090909090909090909', id FROM image
                 WHERE hash = x'02020202020202020202020202020202';",
            )
            .expect("names");
        drop(connection);
        let (now, _) = folder(&[1, 9]).await;
        let mut lost = lost_images(before.path(), now.path()).await.expect("both");
        lost.sort();
        let name = |digit: &str| digit.repeat(16);
        assert_eq!(lost, [name("00"), name("02"), name("03")]);
    }
}
