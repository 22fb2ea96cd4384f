//! The database that a restored one has replaced.

use std::path::Path;

use rusqlite::{Connection, OpenFlags};

use super::{UpkeepError, database_of, on_a_worker};
use crate::database::{Database, DatabaseError};
use crate::stats::readers::digest_file;

/// Names of images that are in the data folder `before` and not in the data folder `now`. Neither
/// folder may be in use.
///
/// # Errors
/// When one of the databases is missing or cannot be read.
pub async fn lost_images(before: &Path, now: &Path) -> Result<Vec<String>, UpkeepError> {
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

/// Deletes the digests of readers from a data folder that is not in use. Earlier versions kept them
/// in the database; a migration takes them out of it.
///
/// # Errors
/// When a file cannot be removed, or the database is missing or cannot be migrated.
pub async fn forget_readers(data_folder: &Path) -> Result<(), UpkeepError> {
    let digests = digest_file::of(data_folder);
    digest_file::remove(&digests).map_err(UpkeepError::file(&digests))?;
    let database = Database::open(&database_of(data_folder)?).await?;
    database.close().await;
    Ok(())
}

#[cfg(test)]
mod tests {
    use rusqlite_migration::{M, Migrations};

    use super::*;
    use crate::database::schema;
    use crate::database_file;

    /// A data folder whose database has these images, and its connection. It is as many migrations
    /// behind as `behind` says.
    fn folder(images: &[u8], behind: usize) -> (tempfile::TempDir, Connection) {
        let folder = tempfile::tempdir().expect("a folder");
        let mut connection = Connection::open(database_file(folder.path())).expect("a database");
        connection
            .pragma_update(None, "journal_mode", "WAL")
            .expect("WAL");
        let steps = &schema::STEPS[..schema::STEPS.len() - behind];
        let migrations = Migrations::new(steps.iter().map(|step| M::up(step)).collect());
        migrations.to_latest(&mut connection).expect("the tables");
        for image in images {
            let hash = [*image; 16];
            connection
                .execute(
                    "INSERT INTO image (hash, sha256, size, width, height, frames, created_at,
                                        slot, source_size, source_format)
                     VALUES (?1, randomblob(32), 1, 1, 1, 1, 0, ?2, 1, 'PNG')",
                    rusqlite::params![hash, image],
                )
                .expect("an image");
        }
        (folder, connection)
    }

    #[tokio::test]
    async fn images_of_the_replaced_database_only_are_lost_under_all_names() {
        let (before, connection) = folder(&[1, 2, 3], 0);
        connection
            .execute_batch(
                "INSERT INTO alias SELECT zeroblob(16), id FROM image WHERE slot = 3;
                 INSERT INTO alias SELECT x'09090909090909090909090909090909', id FROM image
                 WHERE slot = 2;",
            )
            .expect("names");
        drop(connection);
        let (now, _) = folder(&[1, 9], 0);
        let mut lost = lost_images(before.path(), now.path()).await.expect("both");
        lost.sort();
        let name = |digit: &str| digit.repeat(16);
        assert_eq!(lost, [name("00"), name("02"), name("03")]);
    }

    #[tokio::test]
    async fn nothing_of_a_reader_is_left_of_an_earlier_version_or_of_this_one() {
        let last = schema::STEPS
            .iter()
            .position(|step| step.contains("reader_salt;"));
        let behind = schema::STEPS.len() - last.expect("the step that removes them");
        let (data, connection) = folder(&[], behind);
        let (salt, digest) = ([0xa7_u8; 32], 0x1234_5678_9abc_def0_u64);
        connection
            .execute_batch("PRAGMA wal_autocheckpoint = 0")
            .expect("set");
        for query in [
            "INSERT INTO reader_salt VALUES (1, 0, ?1)",
            "UPDATE reader_salt SET day = 1 WHERE salt = ?1",
        ] {
            connection.execute(query, [salt]).expect("a salt");
        }
        connection
            .execute("INSERT INTO reader_digest VALUES (?1)", [digest as i64])
            .expect("a digest");
        for name in ["readers.db", "readers.db-journal"] {
            std::fs::write(data.path().join(name), salt).expect("a file");
        }
        // As a process that is killed leaves it.
        let killed = tempfile::tempdir().expect("a folder");
        for entry in std::fs::read_dir(data.path()).expect("a folder") {
            let entry = entry.expect("an entry");
            std::fs::copy(entry.path(), killed.path().join(entry.file_name())).expect("a copy");
        }
        let holds = |needle: &[u8]| {
            let entries = std::fs::read_dir(killed.path()).expect("a folder");
            entries.flatten().any(|entry| {
                let bytes = std::fs::read(entry.path()).expect("a file");
                bytes.windows(needle.len()).any(|part| part == needle)
            })
        };
        // A row's number is stored with seven bits per byte.
        let number: [u8; 9] = std::array::from_fn(|place| match place {
            8 => digest as u8,
            _ => 0x80 | (digest >> (57 - 7 * place)) as u8,
        });
        assert!(holds(&salt) && holds(&number));
        forget_readers(killed.path()).await.expect("forgotten");
        assert!(!holds(&salt) && !holds(&number));
    }
}
