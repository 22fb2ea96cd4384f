//! Opens the file of the upload queue, and locks it for who watches folders.

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use rusqlite::Connection;
use rusqlite_migration::{M, Migrations};

use super::{FILE, OpenUploadQueueError, UploadQueue, added, restored, watched};
use crate::db::sqlite::{self, SqliteThreads};
use crate::files::lock_file::{LockError, LockFile};
use crate::files::private_files;

/// The migrations, oldest first: the statements that lead from each version to the next. A released
/// one is never edited.
const STEPS: [&[&str]; 1] = [&[watched::CREATE, added::CREATE]];

/// How often the steps are tried.
const MOST_TRIES: u32 = 20;
/// The first pause between two tries; each is longer by as much.
const PAUSE: Duration = Duration::from_millis(10);

impl UploadQueue {
    /// Opens the upload queue in `folder`, which is made where it is not there, to
    /// watch folders.
    ///
    /// # Errors
    /// See [`OpenUploadQueueError`]; the file is left as it is then.
    pub async fn open(folder: &Path) -> Result<Self, OpenUploadQueueError> {
        let place = folder.to_owned();
        opened(folder, move || {
            let alone = lock(&place)?;
            let mut connection = connect(&place)?;
            restored::apply_note(&place, &mut connection)
                .map_err(|cause| unusable(&place, cause))?;
            Ok((connection, Some(alone)))
        })
        .await
    }

    /// Opens it for added files alone. Another process may watch folders with it.
    ///
    /// # Errors
    /// See [`OpenUploadQueueError`]; the file is left as it is then.
    pub(crate) async fn open_for_added(folder: &Path) -> Result<Self, OpenUploadQueueError> {
        let place = folder.to_owned();
        opened(folder, move || {
            make(&place)?;
            Ok((connect(&place)?, None))
        })
        .await
    }
}

/// Opens it on a separate thread.
async fn opened(
    folder: &Path,
    open: impl FnOnce() -> Result<(Connection, Option<LockFile>), OpenUploadQueueError> + Send + 'static,
) -> Result<UploadQueue, OpenUploadQueueError> {
    let opened = tokio::task::spawn_blocking(open).await;
    let (connection, alone) =
        opened.unwrap_or_else(|error| Err(unusable(folder, io::Error::other(error))))?;
    let connection = SqliteThreads::start("upload-queue", vec![connection]);
    Ok(UploadQueue {
        connection: connection.map_err(|error| unusable(folder, error))?,
        _alone: alone.map(Arc::new),
    })
}

fn unusable(folder: &Path, cause: io::Error) -> OpenUploadQueueError {
    OpenUploadQueueError::Unusable {
        folder: folder.to_owned(),
        cause,
    }
}

fn make(folder: &Path) -> Result<(), OpenUploadQueueError> {
    private_files::make_folder(folder).map_err(|cause| unusable(folder, cause))
}

fn lock(folder: &Path) -> Result<LockFile, OpenUploadQueueError> {
    make(folder)?;
    LockFile::take(&folder.join("outbox.lock")).map_err(|error| match error {
        LockError::Held(_) => OpenUploadQueueError::Held(folder.to_owned()),
        LockError::Unusable(cause) => unusable(folder, cause),
    })
}

fn connect(folder: &Path) -> Result<Connection, OpenUploadQueueError> {
    let file = folder.join(FILE);
    try_to_connect(&file).map_err(|cause| OpenUploadQueueError::Broken {
        file,
        cause: cause.to_string(),
    })
}

fn try_to_connect(file: &Path) -> Result<Connection, Box<dyn std::error::Error + Send + Sync>> {
    let mut connection = Connection::open(file)?;
    // Fails here, before anything is written, where it is no database.
    connection.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(()))?;
    let mut tries = 0;
    // Another process may take the same step meanwhile; it is taken already the next time.
    while let Err(error) = migrate(&mut connection) {
        tries += 1;
        if tries == MOST_TRIES {
            return Err(error);
        }
        // SQLite does not wait for the lock that the change to WAL needs.
        std::thread::sleep(PAUSE * tries);
    }
    Ok(connection)
}

fn migrate(connection: &mut Connection) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    let steps = STEPS.map(<[&str]>::concat);
    Migrations::new(steps.iter().map(|step| M::up(step)).collect()).to_latest(connection)?;
    // What a power cut loses is found again: a watched file is in its folder, and the service knows
    // its images. Added files are written durably.
    sqlite::set_up(connection, "NORMAL")?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn processes_that_open_it_at_once_all_get_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let opening = (0..8).map(|_| UploadQueue::open_for_added(folder.path()));
        for opened in futures_util::future::join_all(opening).await {
            assert!(opened.is_ok(), "{:?}", opened.err());
        }
    }

    #[tokio::test]
    async fn a_queue_of_a_later_version_is_left_as_it_is_and_named() {
        let folder = tempfile::tempdir().expect("a folder");
        let queue = folder.path().join(FILE);
        let file = Connection::open(&queue).expect("a file");
        file.execute_batch("CREATE TABLE picture (id INTEGER) STRICT; PRAGMA user_version = 2;")
            .expect("a queue");
        drop(file);
        let before = std::fs::read(&queue).expect("a file");
        let error = UploadQueue::open(folder.path()).await.err();
        let error = error.expect("it is later").to_string();
        assert!(error.contains("outbox.db"), "{error}");
        assert!(error.contains("must be added again"), "{error}");
        let after = std::fs::read(&queue).expect("a file");
        assert_eq!(after, before);
    }
}
