//! Opens the file of the upload queue, and locks it for who watches folders.

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use porchlight_api::sqlite::{self, SqliteThreads};
use rusqlite::{Connection, TransactionBehavior};
use rusqlite_migration::{M, Migrations};

use super::{FILE, OpenUploadQueueError, UploadQueue, added, restored, watched};
use crate::lock_file::{LockError, LockFile};
use crate::private_files;

/// The migrations, oldest first: the statements that lead from each version to the next. A released
/// one is never edited.
const STEPS: [&[&str]; 1] = [&[watched::CREATE, added::CREATE]];

/// The `application_id` of a queue whose `user_version` counts [`STEPS`].
const APPLICATION_ID: i64 = 0x706c_7571;
/// The last `user_version` of builds before the first version, whose tables are those of version 1.
const LAST_BEFORE_FIRST: i64 = 3;

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
    number(connection)?;
    let steps = STEPS.map(<[&str]>::concat);
    Migrations::new(steps.iter().map(|step| M::up(step)).collect()).to_latest(connection)?;
    // What a power cut loses is found again: a watched file is in its folder, and the service knows
    // its images. Added files are written durably.
    sqlite::set_up(connection, "NORMAL")?;
    Ok(())
}

/// Has the `user_version` of a queue of a build before the first version count [`STEPS`]. Nothing of
/// it is lost.
fn number(connection: &mut Connection) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    let pragma = |connection: &Connection, name| {
        connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0))
    };
    if pragma(connection, "application_id")? == APPLICATION_ID {
        return Ok(());
    }
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    // Another process may have done it meanwhile.
    if pragma(&transaction, "application_id")? == APPLICATION_ID {
        return Ok(());
    }
    match pragma(&transaction, "user_version")? {
        0 => {}
        LAST_BEFORE_FIRST => transaction.pragma_update(None, "user_version", 1)?,
        _ => return Err("it was made by an earlier or a later build".into()),
    }
    transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
    transaction.commit()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use porchlight_api::window::UploadTrouble;
    use regex::{Captures, Regex};

    use super::*;

    #[tokio::test]
    async fn processes_that_open_it_at_once_all_get_it() {
        for before in [String::new(), before_first()] {
            let folder = tempfile::tempdir().expect("a folder");
            make(folder.path(), &before);
            let opening = (0..8).map(|_| UploadQueue::open_for_added(folder.path()));
            for opened in futures_util::future::join_all(opening).await {
                assert!(opened.is_ok(), "{:?}", opened.err());
            }
        }
    }

    /// A queue of a build before the first version, with paths as this system has them.
    fn before_first() -> String {
        let path = Regex::new(r"CAST\('([^']*)' AS BLOB\)").expect("a pattern");
        let blob = |found: &Captures<'_>| {
            let bytes = super::super::to_bytes(Path::new(&found[1]));
            format!("x'{}'", hex::encode(bytes))
        };
        let sql = include_str!("before_first_version.sql");
        path.replace_all(sql, blob).into_owned()
    }

    fn make(folder: &Path, sql: &str) {
        let file = Connection::open(folder.join(FILE)).expect("a file");
        file.execute_batch(sql).expect("a queue");
    }

    /// The columns of all tables, and the indexes.
    fn schema(folder: &Path) -> Vec<String> {
        let file = Connection::open(folder.join(FILE)).expect("a file");
        let sql = "SELECT t.name || ' ' || c.name || ' ' || c.type || ' ' || c.\"notnull\" \
                   || ifnull(c.dflt_value, '') || c.pk \
                   FROM sqlite_schema t, pragma_table_info(t.name) c WHERE t.type = 'table' \
                   UNION ALL SELECT sql FROM sqlite_schema WHERE type = 'index' AND sql NOT NULL \
                   UNION ALL SELECT user_version FROM pragma_user_version";
        let mut read = file.prepare(sql).expect("a query");
        let rows = read.query_map([], |row| row.get::<_, rusqlite::types::Value>(0));
        let rows = rows
            .expect("rows")
            .map(|row| format!("{:?}", row.expect("a row")));
        rows.collect()
    }

    #[tokio::test]
    async fn a_queue_of_a_build_before_the_first_version_is_kept_as_version_1() {
        let (fresh, folder) = (
            tempfile::tempdir().expect("a folder"),
            tempfile::tempdir().expect("a folder"),
        );
        make(folder.path(), &before_first());
        for folder in [&fresh, &folder] {
            let opened = UploadQueue::open(folder.path()).await;
            drop(opened.expect("a queue"));
        }
        assert_eq!(schema(folder.path()), schema(fresh.path()));

        // A second start finds it as it was left.
        let queue = UploadQueue::open(folder.path()).await.expect("a queue");
        let waiting = queue.next(9, Vec::new(), Vec::new()).await.expect("rows");
        let waiting: Vec<_> = waiting.iter().map(|row| row.file.as_path()).collect();
        assert_eq!(waiting, [Path::new("/pictures/waits.png")]);
        let counts = queue.counts().await.expect("counts");
        assert_eq!((counts.waiting, counts.set_aside), (1, 1));
        let known = queue.knows_folder(Path::new("/pictures")).await;
        assert!(known.expect("an answer"));
        let added = queue.all_added().await.expect("rows");
        let added: Vec<_> = added.iter().map(|row| (row.id, row.trouble)).collect();
        assert_eq!(added, [(8, None), (9, Some(UploadTrouble::Broken))]);
    }

    #[tokio::test]
    async fn a_queue_of_an_older_build_is_left_as_it_is_and_named() {
        let folder = tempfile::tempdir().expect("a folder");
        make(
            folder.path(),
            "CREATE TABLE picture (id INTEGER) STRICT; PRAGMA user_version = 2;",
        );
        let before = std::fs::read(folder.path().join(FILE)).expect("a file");
        let error = UploadQueue::open(folder.path()).await.err();
        let error = error.expect("it is older").to_string();
        assert!(error.contains("outbox.db"), "{error}");
        assert!(error.contains("must be added again"), "{error}");
        let after = std::fs::read(folder.path().join(FILE)).expect("a file");
        assert_eq!(after, before);
    }
}
