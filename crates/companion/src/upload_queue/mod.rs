//! The upload queue: `outbox.db`, a row for each file from before it is sent
//! until after the response. So uploads survive a kill, a week without a
//! network or an expired token.
//!
//! Rows of watched files stay when they are done: they record which version of a file was
//! uploaded.

mod added;
pub(crate) mod dispatcher;
mod open;
mod path;
mod restored;
mod table;

#[cfg(test)]
mod tests;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use porchlight_api::sqlite::{SqliteThreads, SqliteThreadsError};
use porchlight_api::{Message, into_message};
use rusqlite::params;
use rusqlite::{Connection, Transaction, TransactionBehavior};

pub use added::{AddedFile, NewFile};
pub use restored::{is_in, look_up_again};
pub use table::{Counts, SetAside};
pub(crate) use table::{Picture, State, Version};

use crate::file_version::FileVersion;
use crate::lock_file::LockFile;

/// Its file in the folder of state.
const FILE: &str = "outbox.db";

/// The upload queue of one folder of state; clones are the same one.
#[derive(Clone)]
pub struct UploadQueue {
    connection: SqliteThreads,
    _alone: Option<Arc<LockFile>>,
}

/// Why there is no upload queue.
#[derive(Debug, thiserror::Error)]
#[error("{}", Message::from(self))]
pub enum OpenUploadQueueError {
    /// Two would upload everything twice.
    Held(PathBuf),
    /// The folder or the lock file cannot be used.
    Unusable {
        /// The folder of the upload queue.
        folder: PathBuf,
        /// The system's error.
        cause: io::Error,
    },
    /// It is no upload queue, a broken one, or one of a later version.
    Broken {
        /// The file.
        file: PathBuf,
        /// SQLite's error.
        cause: String,
    },
}

impl From<&OpenUploadQueueError> for Message {
    fn from(error: &OpenUploadQueueError) -> Self {
        match error {
            OpenUploadQueueError::Held(folder) => {
                let folder = folder.into();
                Self::QueueHeld { folder }
            }
            OpenUploadQueueError::Unusable { folder, cause } => Self::CannotUse {
                folder: folder.into(),
                why: cause.into(),
            },
            OpenUploadQueueError::Broken { file, cause } => Self::QueueBroken {
                file: file.into(),
                why: cause.as_str().into(),
            },
        }
    }
}

into_message!(OpenUploadQueueError);

/// A row was not read or written.
#[derive(Debug, thiserror::Error)]
#[error("{}", Message::from(self))]
pub struct UploadQueueError(Message);

impl From<&UploadQueueError> for Message {
    fn from(UploadQueueError(why): &UploadQueueError) -> Self {
        let why = why.clone().into();
        Self::QueueFails { why }
    }
}

impl From<SqliteThreadsError> for UploadQueueError {
    fn from(error: SqliteThreadsError) -> Self {
        Self(match error {
            SqliteThreadsError::Panicked => Message::DatabasePanicked,
            SqliteThreadsError::Closed => Message::DatabaseClosed,
        })
    }
}

into_message!(UploadQueueError);

impl UploadQueue {
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
            in_one(connection, |transaction| {
                for version in &pictures {
                    table::put(transaction, version)?;
                }
                for version in &others {
                    table::leave_alone(transaction, version)?;
                }
                Ok(())
            })
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
            in_one(connection, |transaction| {
                table::uploaded(transaction, &taken, &sha256, &hash, then)
            })
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
        reason: Message,
    ) -> Result<(), UploadQueueError> {
        self.run(move |connection| table::set_aside(connection, &taken, &reason))
            .await
    }

    async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, UploadQueueError> {
        let done = self.connection.call(work).await?;
        done.map_err(|error| UploadQueueError(Message::text(error)))
    }
}

fn in_one<T>(
    connection: &mut Connection,
    work: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T>,
) -> rusqlite::Result<T> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let done = work(&transaction)?;
    transaction.commit()?;
    Ok(done)
}

/// In one transaction that is on the disk when this returns.
fn durably<T>(
    connection: &mut Connection,
    work: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T>,
) -> rusqlite::Result<T> {
    // A commit then forces the write-ahead log to the disk.
    connection.pragma_update(None, "synchronous", "FULL")?;
    let done = in_one(connection, work);
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    done
}
