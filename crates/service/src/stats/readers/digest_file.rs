//! Today's digests in a file of their own, `readers.db`: no backup has it, nor a program that keeps
//! a copy of the database.
//!
//! The service runs without it. A lost or damaged file is created again; then the count of the day,
//! which is in the database, becomes a lower bound. The file is opened for each write, so that no
//! log of earlier writes stays beside it.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use rusqlite::{Connection, OptionalExtension as _, params};

use super::{DigestChanges, Remembered};
use crate::db::DatabaseError;

/// Both tables are about one day alone, a date as days since that of the Unix epoch.
const CREATE: &str = "
    CREATE TABLE IF NOT EXISTS salt (
        only INTEGER PRIMARY KEY CHECK (only = 1),
        day INTEGER NOT NULL,
        salt BLOB NOT NULL
    ) STRICT;
    CREATE TABLE IF NOT EXISTS digest (
        digest INTEGER PRIMARY KEY
    ) STRICT;
";

/// Where it is.
pub(crate) fn of(data_folder: &Path) -> PathBuf {
    data_folder.join("readers.db")
}

/// Removes it, also after a kill.
pub(crate) fn remove(file: &Path) -> io::Result<()> {
    for path in [file.to_owned(), file.with_extension("db-journal")] {
        match std::fs::remove_file(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    Ok(())
}

/// The file while the service runs.
pub(in crate::stats) struct DigestFile {
    file: PathBuf,
    /// Logged once, not twice a second for as long as the disk is full.
    failing: AtomicBool,
}

impl DigestFile {
    pub(in crate::stats) fn new(data_folder: &Path) -> Self {
        Self {
            file: of(data_folder),
            failing: AtomicBool::new(false),
        }
    }

    /// What an earlier run has written; nothing where the file is missing or damaged.
    pub(in crate::stats) async fn remembered(&self) -> Remembered {
        let file = self.file.clone();
        let read = on_a_worker(move || match read(&file) {
            // Whatever the reason: digests that are not known would not be deleted at midnight.
            Err(error) => {
                create_again(&file, &error);
                Ok(Remembered::default())
            }
            read => read,
        });
        read.await.unwrap_or_default()
    }

    /// Writes the changes. Returns them where that fails, for the next time.
    pub(in crate::stats) async fn write(
        &self,
        changes: DigestChanges,
    ) -> Result<(), DigestChanges> {
        if !changes.forget && changes.new.is_none() {
            return Ok(());
        }
        let (file, pending) = (self.file.clone(), changes.clone());
        let written = on_a_worker(move || match store(&file, &pending) {
            Err(error) if is_damage(&error) => {
                create_again(&file, &error);
                store(&file, &pending)
            }
            written => written,
        });
        let written = written.await;
        let failed_before = self.failing.swap(written.is_err(), Ordering::Relaxed);
        written.map_err(|error| {
            if !failed_before {
                tracing::warn!(
                    %error,
                    "{} cannot be written: after a restart today's readers are a lower bound",
                    self.file.display()
                );
            }
            changes
        })
    }
}

async fn on_a_worker<R: Send + 'static>(
    work: impl FnOnce() -> rusqlite::Result<R> + Send + 'static,
) -> Result<R, DatabaseError> {
    let done = tokio::task::spawn_blocking(work).await;
    Ok(done.map_err(|_| DatabaseError::Panicked)??)
}

fn is_damage(error: &rusqlite::Error) -> bool {
    use rusqlite::ErrorCode::{DatabaseCorrupt, NotADatabase};
    let code = error.sqlite_error_code();
    matches!(code, Some(DatabaseCorrupt | NotADatabase))
}

fn create_again(file: &Path, error: &rusqlite::Error) {
    let file_name = file.display();
    match remove(file) {
        Ok(()) => tracing::warn!("{file_name} cannot be read ({error}) and is created again"),
        Err(cause) => {
            tracing::warn!("{file_name} cannot be read ({error}), nor removed: {cause}");
        }
    }
}

fn connect(file: &Path) -> rusqlite::Result<Connection> {
    let connection = Connection::open(file)?;
    // What is deleted is overwritten.
    connection.pragma_update(None, "secure_delete", true)?;
    // A journal on the disk would hold it, too. What a kill damages is created again.
    connection.pragma_update(None, "journal_mode", "memory")?;
    connection.execute_batch(CREATE)?;
    Ok(connection)
}

fn read(file: &Path) -> rusqlite::Result<Remembered> {
    if !file.exists() {
        return Ok(Remembered::default());
    }
    let connection = connect(file)?;
    let salt = connection
        .query_row("SELECT day, salt FROM salt", [], |row| {
            Ok((row.get(0)?, row.get(1)?))
        })
        .optional()?;
    let digests = connection
        .prepare("SELECT digest FROM digest")?
        .query_map([], |row| row.get(0))?
        .collect::<rusqlite::Result<_>>()?;
    Ok(Remembered { salt, digests })
}

fn store(file: &Path, changes: &DigestChanges) -> rusqlite::Result<()> {
    let mut connection = connect(file)?;
    let transaction = connection.transaction()?;
    if changes.forget {
        transaction.execute_batch("DELETE FROM salt; DELETE FROM digest;")?;
    }
    if let Some((day, salt, digests)) = &changes.new {
        // Also where the file could not be read, so that what it holds is not known.
        transaction.execute(
            "DELETE FROM digest
             WHERE NOT EXISTS (SELECT 1 FROM salt WHERE day = ?1 AND salt = ?2)",
            params![day, salt],
        )?;
        transaction.execute(
            "INSERT OR REPLACE INTO salt (only, day, salt) VALUES (1, ?1, ?2)",
            params![day, salt],
        )?;
        let mut digest =
            transaction.prepare("INSERT OR IGNORE INTO digest (digest) VALUES (?1)")?;
        for new in digests {
            digest.execute([new])?;
        }
    }
    transaction.commit()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digests_of_another_salt_or_day_do_not_stay_beside_new_ones() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = of(folder.path());
        let add = |day, salt: u8, digest| {
            let changes = DigestChanges {
                forget: false,
                new: Some((day, [salt; _], vec![digest])),
            };
            store(&file, &changes).expect("stored");
            let mut digests: Vec<i64> = read(&file).expect("read").digests.into_iter().collect();
            digests.sort_unstable();
            digests
        };
        assert_eq!(add(1, 7, 10), [10]);
        assert_eq!(add(1, 7, 11), [10, 11]);
        assert_eq!(add(1, 8, 12), [12]);
        assert_eq!(add(2, 8, 13), [13]);
    }
}
