//! What one query that fails badly, or that takes long, does to the others.

use std::sync::mpsc;
use std::time::Duration;

use rusqlite::params;

use super::*;

/// Long enough for what must not wait.
const LIMIT: Duration = Duration::from_secs(20);

async fn opened(folder: &Path) -> Database {
    let database = crate::schema::open(&folder.join("some.db")).await;
    database.expect("a database")
}

/// Writes a row, and panics then where `panics`.
async fn write(database: &Database, name: &'static str, panics: bool) -> Result<(), DatabaseError> {
    database
        .write(move |transaction| {
            transaction.execute(
                "INSERT INTO count (hour, what, n, last) VALUES (0, ?1, 1, 0)",
                params![name],
            )?;
            assert!(!panics, "the lamp fell over");
            Ok(())
        })
        .await
}

async fn names(database: &Database) -> Vec<String> {
    let names = database.read(|connection| {
        connection
            .prepare("SELECT what FROM count ORDER BY what")?
            .query_map([], |row| row.get(0))?
            .collect()
    });
    names.await.expect("names")
}

#[tokio::test]
async fn a_write_that_panics_is_undone_and_the_next_one_succeeds() {
    let folder = tempfile::tempdir().expect("a folder");
    let database = opened(folder.path()).await;
    write(&database, "first", false).await.expect("written");
    let failed = write(&database, "half", true).await;
    assert!(failed.is_err(), "{failed:?}");
    write(&database, "second", false).await.expect("written");
    assert_eq!(names(&database).await, ["first", "second"]);
    database.close().await;
}

#[tokio::test]
async fn after_more_panics_than_readers_all_still_read() {
    let folder = tempfile::tempdir().expect("a folder");
    let database = opened(folder.path()).await;
    for _ in 0..2 * READERS {
        let failed = database.read(|connection| {
            let mut rows = connection.prepare("SELECT 1")?;
            let _half = rows.query([])?;
            panic!("the lamp fell over")
        });
        let failed: Result<(), _> = failed.await;
        assert!(failed.is_err(), "{failed:?}");
    }
    for _ in 0..2 * READERS {
        assert_eq!(names(&database).await, [""; 0]);
    }
}

#[tokio::test]
async fn a_slow_query_holds_up_no_other() {
    let folder = tempfile::tempdir().expect("a folder");
    let database = opened(folder.path()).await;
    let (finish, until) = mpsc::channel::<()>();
    let (started, has_started) = tokio::sync::oneshot::channel();
    let slow = database.clone();
    let slow = tokio::spawn(async move {
        let read = slow.read(move |_| {
            let _ = started.send(());
            let _ = until.recv();
            Ok(())
        });
        read.await
    });
    has_started.await.expect("a start");
    for _ in 0..4 * READERS {
        let quick = tokio::time::timeout(LIMIT, names(&database)).await;
        quick.expect("it does not wait for the slow one");
    }
    drop(finish);
    slow.await.expect("no panic").expect("read");
}

/// macOS flushes the drive only where it is asked to.
#[tokio::test]
async fn a_commit_waits_for_the_drive_on_every_system() {
    let folder = tempfile::tempdir().expect("a folder");
    let database = opened(folder.path()).await;
    let pragmas = database.write(|transaction| {
        let pragma = |name| transaction.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
        let [full, fullfsync, checkpoint] =
            ["synchronous", "fullfsync", "checkpoint_fullfsync"].map(pragma);
        Ok::<_, DatabaseError>([full?, fullfsync?, checkpoint?])
    });
    assert_eq!(pragmas.await.expect("read"), [2, 1, 1]);
    database.close().await;
}
