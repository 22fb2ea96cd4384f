//! The upload queue: `outbox.db`, a row for each file from before it is sent
//! until after the response. So uploads survive a kill, a week without a
//! network or an expired token.
//!
//! `watched` and `added` are its two tables, each with its statements.

mod added;
pub(crate) mod dispatcher;
mod open;
mod restored;
mod watched;

#[cfg(test)]
mod tests;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::db::query::Query as _;
use crate::db::sqlite::{SqliteThreads, SqliteThreadsError};
use crate::error::message::Message;
use crate::sentence_is_message;
use rusqlite::{Connection, Params, Transaction, TransactionBehavior};

pub use added::{AddedFile, NewFile};
pub use restored::{is_in, look_up_again};
pub use watched::{Counts, SetAside};
pub(crate) use watched::{State, Version, WatchedFile};

use crate::files::lock_file::LockFile;

/// Its file in the folder of state.
const FILE: &str = "outbox.db";

/// The upload queue of one folder of state; clones are the same one.
#[derive(Clone)]
pub struct UploadQueue {
    connection: SqliteThreads,
    _alone: Option<Arc<LockFile>>,
}

#[derive(Debug, thiserror::Error)]
pub enum OpenUploadQueueError {
    /// Two would upload everything twice.
    #[error("another Porchlight watches folders with {}: stop that one, or name another folder with --data-dir", .0.display())]
    Held(PathBuf),
    /// The folder or the lock file cannot be used.
    #[error("{} cannot be used: {cause}", folder.display())]
    Unusable { folder: PathBuf, cause: io::Error },
    /// It is no upload queue, a broken one, or one of a later version.
    #[error("{} cannot be opened ({cause}): move it away and restart. Watched folders are then scanned again, pasted images are queued again, and files that were dropped must be added again", file.display())]
    Broken { file: PathBuf, cause: String },
}

sentence_is_message!(OpenUploadQueueError);

/// A row was not read or written.
#[derive(Debug, thiserror::Error)]
#[error("what waits to be uploaded cannot be written down: {0}")]
pub struct UploadQueueError(Message);

impl From<SqliteThreadsError> for UploadQueueError {
    fn from(error: SqliteThreadsError) -> Self {
        Self(match error {
            SqliteThreadsError::Panicked => {
                crate::detail!("an error in Porchlight stopped it; see the log")
            }
            SqliteThreadsError::Closed => crate::detail!("the database is closed"),
        })
    }
}

sentence_is_message!(UploadQueueError);

impl UploadQueue {
    async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, UploadQueueError> {
        let done = self.connection.call(work).await?;
        done.map_err(|error| UploadQueueError(Message::text(error)))
    }

    /// Runs one statement; how many rows it has changed.
    async fn execute(
        &self,
        statement: &'static str,
        values: impl Params + Send + 'static,
    ) -> Result<usize, UploadQueueError> {
        self.run(move |connection| connection.run(statement, values))
            .await
    }
}

/// The numbers of rows for SQL.
fn list(ids: &[i64]) -> String {
    let ids: Vec<String> = ids.iter().map(i64::to_string).collect();
    ids.join(", ")
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

/// The path's own bytes, so that a name that is no text comes back as it was; on Windows its UTF-16
/// words, low byte first.
#[cfg(unix)]
fn to_bytes(path: &Path) -> Vec<u8> {
    use std::os::unix::ffi::OsStrExt as _;
    path.as_os_str().as_bytes().to_vec()
}

/// The path that [`to_bytes`] was given.
#[cfg(unix)]
fn from_bytes(bytes: Vec<u8>) -> PathBuf {
    use std::os::unix::ffi::OsStringExt as _;
    std::ffi::OsString::from_vec(bytes).into()
}

/// The path's own bytes, so that a name that is no text comes back as it was; on Windows its UTF-16
/// words, low byte first.
#[cfg(windows)]
fn to_bytes(path: &Path) -> Vec<u8> {
    use std::os::windows::ffi::OsStrExt as _;
    let words = path.as_os_str().encode_wide();
    words.flat_map(u16::to_le_bytes).collect()
}

/// The path that [`to_bytes`] was given.
#[cfg(windows)]
fn from_bytes(bytes: Vec<u8>) -> PathBuf {
    use std::os::windows::ffi::OsStringExt as _;
    let words: Vec<u16> = bytes
        .chunks_exact(2)
        .map(|word| u16::from_le_bytes([word[0], word[1]]))
        .collect();
    std::ffi::OsString::from_wide(&words).into()
}
