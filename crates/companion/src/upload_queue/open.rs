//! Opens the file of the upload queue, and locks it for who watches folders.

use std::fs::{File, TryLockError};
use std::io;
use std::path::Path;
use std::sync::Arc;

use rusqlite::Connection;
use rusqlite_migration::{M, Migrations};

use super::{FILE, OpenUploadQueueError, UploadQueue, added, restored, table};

/// The migrations, oldest first. A released one is never edited.
const STEPS: [&str; 2] = [table::CREATE, added::CREATE];

/// Held while the upload queue is open; released with the process, however that ends.
pub(super) struct Lock(File);

impl Drop for Lock {
    fn drop(&mut self) {
        // Not left to closing: a child process may have a copy of the file.
        let _ = self.0.unlock();
    }
}

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
    open: impl FnOnce() -> Result<(Connection, Option<Lock>), OpenUploadQueueError> + Send + 'static,
) -> Result<UploadQueue, OpenUploadQueueError> {
    let opened = tokio::task::spawn_blocking(open).await;
    let (connection, alone) =
        opened.unwrap_or_else(|error| Err(unusable(folder, io::Error::other(error))))?;
    Ok(UploadQueue {
        connection: connection.into(),
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
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder
        .create(folder)
        .map_err(|cause| unusable(folder, cause))
}

fn lock(folder: &Path) -> Result<Lock, OpenUploadQueueError> {
    make(folder)?;
    let file = File::options()
        .create(true)
        .write(true)
        .truncate(false)
        .open(folder.join("outbox.lock"))
        .map_err(|cause| unusable(folder, cause))?;
    match file.try_lock() {
        Ok(()) => Ok(Lock(file)),
        Err(TryLockError::WouldBlock) => Err(OpenUploadQueueError::Held(folder.to_owned())),
        Err(TryLockError::Error(cause)) => Err(unusable(folder, cause)),
    }
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
    Migrations::new(STEPS.iter().map(|step| M::up(step)).collect()).to_latest(&mut connection)?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    // What a power cut loses is found again: a watched file is in its folder, and the service knows
    // its images. Added files are written durably.
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    Ok(connection)
}
