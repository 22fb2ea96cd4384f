//! The upload queue: `outbox.db`, a row for each file from before it is sent
//! until after the response. So uploads survive a kill, a week without a
//! network or an expired token.
//!
//! Rows stay when they are done: they record which version of a file was
//! uploaded.

pub(crate) mod dispatcher;
mod path;
mod restored;
mod table;

#[cfg(test)]
mod tests;

use std::fs::{File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rusqlite::params;
use rusqlite::{Connection, TransactionBehavior};
use rusqlite_migration::{M, Migrations};

pub use restored::{is_in, look_up_again};
pub use table::{Counts, SetAside};
pub(crate) use table::{Picture, State, Version};

use crate::file_version::FileVersion;

/// Its file in the folder of state.
const FILE: &str = "outbox.db";

/// The migrations, oldest first. A released one is never edited.
const STEPS: [&str; 1] = [table::CREATE];

/// The upload queue of one folder of state; clones are the same one.
#[derive(Clone)]
pub struct UploadQueue {
    connection: tokio_rusqlite::Connection,
    _alone: Arc<Lock>,
}

/// Why there is no upload queue.
#[derive(Debug, thiserror::Error)]
pub enum OpenUploadQueueError {
    /// Two would upload everything twice.
    #[error(
        "another Porchlight watches folders with {0}: stop that one, or name another folder with --data-dir"
    )]
    Held(PathBuf),
    /// The folder or the lock file cannot be used.
    #[error("{folder} cannot be used: {cause}")]
    Unusable {
        /// The folder of the upload queue.
        folder: PathBuf,
        /// The system's error.
        cause: io::Error,
    },
    /// It is no upload queue, a broken one, or one of a later version.
    #[error("{file} cannot be opened ({cause}): move it away, and files are looked through anew")]
    Broken {
        /// The file.
        file: PathBuf,
        /// SQLite's error.
        cause: String,
    },
}

/// A row was not read or written.
#[derive(Debug, thiserror::Error)]
#[error("the outbox cannot be kept: {0}")]
pub struct UploadQueueError(String);

/// Held while the upload queue is open; released with the process, however that ends.
struct Lock(File);

impl Drop for Lock {
    fn drop(&mut self) {
        // Not left to closing: a child process may have a copy of the file.
        let _ = self.0.unlock();
    }
}

impl UploadQueue {
    /// Opens the upload queue in `folder`, which is made where it is not there.
    ///
    /// # Errors
    /// See [`OpenUploadQueueError`]; the file is left as it is then.
    pub async fn open(folder: &Path) -> Result<Self, OpenUploadQueueError> {
        let place = folder.to_owned();
        let opened = tokio::task::spawn_blocking(move || {
            let alone = lock(&place)?;
            let file = place.join(FILE);
            let mut connection = connect(&file).map_err(|cause| OpenUploadQueueError::Broken {
                file,
                cause: cause.to_string(),
            })?;
            restored::apply_note(&place, &mut connection).map_err(|cause| {
                OpenUploadQueueError::Unusable {
                    folder: place,
                    cause,
                }
            })?;
            Ok((connection, alone))
        });
        let (connection, alone) = opened.await.unwrap_or_else(|error| {
            Err(OpenUploadQueueError::Unusable {
                folder: folder.to_owned(),
                cause: io::Error::other(error),
            })
        })?;
        Ok(Self {
            connection: connection.into(),
            _alone: Arc::new(alone),
        })
    }

    /// What was set aside, oldest first.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub async fn all_set_aside(&self) -> Result<Vec<SetAside>, UploadQueueError> {
        self.run(|connection| table::all_set_aside(connection))
            .await
    }

    /// How many wait and how many were set aside.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub async fn counts(&self) -> Result<Counts, UploadQueueError> {
        self.run(|connection| table::counts(connection)).await
    }

    /// Retries a file that was set aside, or with `None` all of them; returns
    /// how many.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub async fn retry(&self, id: Option<i64>) -> Result<usize, UploadQueueError> {
        self.run(move |connection| {
            connection.execute(
                "UPDATE picture SET state = 0, tries = 0, reason = NULL
                 WHERE state = 3 AND id = ifnull(?, id)",
                [id],
            )
        })
        .await
    }

    /// Ignores a file that was set aside until it changes, or with `None` all
    /// of them; returns how many.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub async fn dismiss(&self, id: Option<i64>) -> Result<usize, UploadQueueError> {
        self.run(move |connection| {
            connection.execute(
                "UPDATE picture SET state = 4, reason = NULL
                 WHERE state = 3 AND id = ifnull(?, id)",
                [id],
            )
        })
        .await
    }

    /// Those versions that are not in the upload queue yet.
    pub(crate) async fn unseen(
        &self,
        mut found: Vec<(PathBuf, FileVersion)>,
    ) -> Result<Vec<(PathBuf, FileVersion)>, UploadQueueError> {
        self.run(move |connection| {
            let mut failed = None;
            found.retain(|(file, version)| {
                table::has_seen(connection, file, *version).map_or_else(
                    |error| {
                        failed = Some(error);
                        false
                    },
                    |seen| !seen,
                )
            });
            failed.map_or(Ok(found), Err)
        })
        .await
    }

    /// Queues the first for upload, in this order, and records the second as
    /// ignored; all in one transaction.
    pub(crate) async fn put(
        &self,
        pictures: Vec<Version>,
        others: Vec<Version>,
    ) -> Result<(), UploadQueueError> {
        self.run(move |connection| {
            let transaction =
                connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            for version in &pictures {
                table::put(&transaction, version)?;
            }
            for version in &others {
                table::leave_alone(&transaction, version)?;
            }
            transaction.commit()
        })
        .await
    }

    /// Returns rows that were uploaded but not put away to the queue, so that the service is
    /// queried before their files are removed; also rows that earlier versions marked done without
    /// a hash. Then removes waiting rows of folders that are no longer watched; they are found
    /// again when the folders are watched again.
    pub(crate) async fn resume(&self, watched: &[PathBuf]) -> Result<(), UploadQueueError> {
        let watched = watched.to_vec();
        self.run(move |connection| {
            table::ask_again(connection)?;
            table::drop_what_waits_elsewhere(connection, &watched)
        })
        .await
    }

    /// Whether the first scan of this watched folder is complete.
    pub(crate) async fn knows_folder(&self, folder: &Path) -> Result<bool, UploadQueueError> {
        let folder = path::to_bytes(folder);
        self.run(move |connection| {
            connection.query_row(
                "SELECT EXISTS (SELECT 1 FROM folder WHERE folder = ?)",
                [folder],
                |row| row.get(0),
            )
        })
        .await
    }

    /// Records that the first scan of this watched folder is complete.
    pub(crate) async fn know_folder(&self, folder: &Path) -> Result<(), UploadQueueError> {
        let folder = path::to_bytes(folder);
        self.run(move |connection| {
            connection.execute("INSERT OR IGNORE INTO folder (folder) VALUES (?)", [folder])
        })
        .await
        .map(drop)
    }

    /// Up to `most` waiting rows in order, except those in progress and those of folders that are
    /// absent.
    pub(crate) async fn next(
        &self,
        most: usize,
        in_hand: Vec<i64>,
        absent: Vec<PathBuf>,
    ) -> Result<Vec<Picture>, UploadQueueError> {
        self.run(move |connection| table::next(connection, most, &in_hand, &absent))
            .await
    }

    /// Records that the service has this version of the file.
    pub(crate) async fn uploaded(
        &self,
        taken: Picture,
        sha256: [u8; 32],
        hash: String,
        then: State,
    ) -> Result<(), UploadQueueError> {
        self.run(move |connection| {
            let transaction =
                connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            table::uploaded(&transaction, &taken, &sha256, &hash, then)?;
            transaction.commit()
        })
        .await
    }

    /// The file was put away: one that comes in its place is a new image.
    pub(crate) async fn put_away(&self, id: i64) -> Result<(), UploadQueueError> {
        self.run(move |connection| {
            connection.execute("DELETE FROM picture WHERE id = ? AND state = 1", [id])
        })
        .await
        .map(drop)
    }

    /// The file stays where it is.
    pub(crate) async fn keep(&self, id: i64) -> Result<(), UploadQueueError> {
        self.run(move |connection| {
            connection.execute(
                "UPDATE picture SET state = 2 WHERE id = ? AND state = 1",
                [id],
            )
        })
        .await
        .map(drop)
    }

    /// The file disappeared before it was uploaded.
    pub(crate) async fn forget(&self, id: i64) -> Result<(), UploadQueueError> {
        self.run(move |connection| {
            connection.execute("DELETE FROM picture WHERE id = ? AND state = 0", [id])
        })
        .await
        .map(drop)
    }

    /// The file has changed. A newer version that waits keeps waiting.
    pub(crate) async fn forget_version(&self, taken: &Picture) -> Result<(), UploadQueueError> {
        let (id, file_version) = (taken.id, taken.file_version);
        self.run(move |connection| {
            connection.execute(
                "DELETE FROM picture WHERE id = ? AND state = 0 AND bytes = ? AND changed = ?",
                params![id, file_version.bytes as i64, file_version.changed],
            )
        })
        .await
        .map(drop)
    }

    /// The service failed on it: others go first.
    pub(crate) async fn failed(&self, id: i64) -> Result<(), UploadQueueError> {
        self.run(move |connection| {
            connection.execute("UPDATE picture SET tries = tries + 1 WHERE id = ?", [id])
        })
        .await
        .map(drop)
    }

    /// It can never work as it is.
    pub(crate) async fn set_aside(
        &self,
        taken: Picture,
        reason: String,
    ) -> Result<(), UploadQueueError> {
        self.run(move |connection| table::set_aside(connection, &taken, &reason))
            .await
    }

    async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, UploadQueueError> {
        self.connection
            .call(work)
            .await
            .map_err(|error| UploadQueueError(error.to_string()))
    }
}

fn lock(folder: &Path) -> Result<Lock, OpenUploadQueueError> {
    let unusable = |cause| OpenUploadQueueError::Unusable {
        folder: folder.to_owned(),
        cause,
    };
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder).map_err(unusable)?;
    let file = File::options()
        .create(true)
        .write(true)
        .truncate(false)
        .open(folder.join("outbox.lock"))
        .map_err(unusable)?;
    match file.try_lock() {
        Ok(()) => Ok(Lock(file)),
        Err(TryLockError::WouldBlock) => Err(OpenUploadQueueError::Held(folder.to_owned())),
        Err(TryLockError::Error(cause)) => Err(unusable(cause)),
    }
}

fn connect(file: &Path) -> Result<Connection, Box<dyn std::error::Error + Send + Sync>> {
    let mut connection = Connection::open(file)?;
    // Fails here, before anything is written, where it is no database.
    connection.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(()))?;
    Migrations::new(STEPS.iter().map(|step| M::up(step)).collect()).to_latest(&mut connection)?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    // What a power cut loses is found again: a waiting file is in its folder, and the service knows
    // its images.
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    Ok(connection)
}
