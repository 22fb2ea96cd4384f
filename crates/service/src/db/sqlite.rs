//! Threads that own SQLite connections, so that no async thread waits for the disk. They share one
//! queue: a slow query holds up the others only once every thread has one.
//!
//! Work that panics fails alone. Its transaction is rolled back, and its connection stays in use.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, mpsc};
use std::thread::{Builder, JoinHandle};

use parking_lot::Mutex;
use rusqlite::{Connection, ffi};
use tokio::sync::oneshot;

use crate::error::message::is_full;

/// Has a connection that writes use a write-ahead log, with this value of `PRAGMA synchronous`, and wait
/// for the drive where the system does so only when it is asked to: macOS, by `fullfsync`. Where there can
/// be no such log the connection works with another journal, which the log of the process says.
///
/// # Errors
/// When SQLite refuses one of them.
pub fn set_up(connection: &Connection, synchronous: &str) -> rusqlite::Result<()> {
    let mode = connection
        .pragma_update_and_check(None, "journal_mode", "WAL", |row| row.get::<_, String>(0))?;
    if mode != "wal" {
        let file = connection.path().unwrap_or_default();
        tracing::warn!(file, mode, "SQLite cannot use its write-ahead log here");
    }
    connection.pragma_update(None, "synchronous", synchronous)?;
    connection.pragma_update(None, "fullfsync", true)?;
    connection.pragma_update(None, "checkpoint_fullfsync", true)
}

/// Why the last call to this connection failed, where the disk is full ([`is_full`]). SQLite knows
/// a full disk, and reports a used up quota like any other error of the disk.
#[must_use]
pub fn over_quota(connection: &Connection) -> Option<io::Error> {
    // SAFETY: the connection is open as long as it is borrowed, and neither call keeps the pointer.
    #[allow(unsafe_code, reason = "rusqlite has no such calls")]
    let (code, system) = unsafe {
        let handle = connection.handle();
        (
            ffi::sqlite3_extended_errcode(handle),
            ffi::sqlite3_system_errno(handle),
        )
    };
    let error = io::Error::from_raw_os_error(system);
    (code & 0xff == ffi::SQLITE_IOERR && is_full(&error)).then_some(error)
}

type Work = Box<dyn FnOnce(&mut Connection) + Send>;

/// Why work was not done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SqliteThreadsError {
    /// It panicked: an error in Porchlight, which is in the log.
    Panicked,
    /// The connections were closed before.
    Closed,
}

/// Threads with one connection each; cheap to clone. They end with the last clone.
#[derive(Clone)]
pub struct SqliteThreads(Arc<Inner>);

struct Inner {
    /// `None` once they are closed.
    queue: Mutex<Option<mpsc::Sender<Work>>>,
    threads: Mutex<Vec<JoinHandle<()>>>,
    panics: Arc<AtomicU64>,
}

impl SqliteThreads {
    /// Starts a thread of this name for each connection.
    ///
    /// # Errors
    /// When the system starts no more threads.
    pub fn start(name: &str, connections: Vec<Connection>) -> io::Result<Self> {
        let (queue, work) = mpsc::channel();
        let work = Arc::new(Mutex::new(work));
        let panics = Arc::<AtomicU64>::default();
        let threads = connections.into_iter().map(|connection| {
            let (work, panics) = (Arc::clone(&work), Arc::clone(&panics));
            let thread = Builder::new().name(name.to_owned());
            thread.spawn(move || run(connection, &work, &panics))
        });
        Ok(Self(Arc::new(Inner {
            threads: Mutex::new(threads.collect::<io::Result<_>>()?),
            queue: Mutex::new(Some(queue)),
            panics,
        })))
    }

    /// Runs `work` on the first connection that is free, to its end even where the caller no longer
    /// waits.
    ///
    /// # Errors
    /// See [`SqliteThreadsError`].
    pub async fn call<R: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Connection) -> R + Send + 'static,
    ) -> Result<R, SqliteThreadsError> {
        let (answer, answered) = oneshot::channel();
        let work: Work = Box::new(move |connection| {
            let done = work(connection);
            let _ = answer.send(done);
        });
        let queue = self.0.queue.lock().clone();
        let queue = queue.ok_or(SqliteThreadsError::Closed)?;
        queue.send(work).map_err(|_| SqliteThreadsError::Closed)?;
        answered.await.map_err(|_| SqliteThreadsError::Panicked)
    }

    /// How much work has panicked since the start.
    #[must_use]
    pub fn panics(&self) -> u64 {
        self.0.panics.load(Ordering::Relaxed)
    }

    /// Does what is queued, and closes the connections.
    pub async fn close(&self) {
        self.0.queue.lock().take();
        let threads = std::mem::take(&mut *self.0.threads.lock());
        // An error: the runtime is ending.
        let _ = tokio::task::spawn_blocking(move || threads.into_iter().for_each(join)).await;
    }
}

fn join(thread: JoinHandle<()>) {
    // An error: it has panicked, which is in the log.
    let _ = thread.join();
}

fn run(mut connection: Connection, queue: &Mutex<mpsc::Receiver<Work>>, panics: &AtomicU64) {
    loop {
        let next = queue.lock().recv();
        let Ok(work) = next else { break };
        if catch_unwind(AssertUnwindSafe(|| work(&mut connection))).is_err() {
            panics.fetch_add(1, Ordering::Relaxed);
            let is_rolled_back =
                connection.is_autocommit() || connection.execute_batch("ROLLBACK").is_ok();
            let thread = std::thread::current();
            let name = thread.name().unwrap_or_default();
            tracing::error!(
                is_rolled_back,
                "work on the database panicked; {name} goes on"
            );
        }
    }
    if let Err((_, error)) = connection.close() {
        tracing::warn!(%error, "the database did not close cleanly");
    }
}

#[cfg(test)]
mod tests {
    use std::fs::{File, read_to_string};

    use super::*;

    #[test]
    fn a_connection_without_a_write_ahead_log_is_named_in_the_log() {
        let folder = tempfile::tempdir().expect("a folder");
        let logged = |connection: Connection| {
            let log = folder.path().join("log");
            let to = File::create(&log).expect("a file");
            let subscriber = tracing_subscriber::fmt().with_writer(std::sync::Mutex::new(to));
            tracing::subscriber::with_default(subscriber.finish(), || {
                set_up(&connection, "NORMAL").expect("set up");
            });
            read_to_string(log).expect("the log")
        };
        let on_disk = Connection::open(folder.path().join("a.db")).expect("a database");
        assert_eq!(logged(on_disk), "");
        // A database in memory has no log, as one on some network drives.
        let in_memory = Connection::open_in_memory().expect("a database");
        let text = logged(in_memory);
        assert!(
            text.contains("write-ahead log") && text.contains("memory"),
            "{text}"
        );
    }

    #[tokio::test]
    async fn closing_finishes_queued_work_and_refuses_later_work() {
        let connection = Connection::open_in_memory().expect("a database");
        let threads = SqliteThreads::start("some", vec![connection]).expect("threads");
        let create = threads.call(|connection| connection.execute_batch("CREATE TABLE a (b)"));
        let (created, ()) = tokio::join!(create, threads.close());
        created.expect("done").expect("created");
        let after = threads.call(|_| ()).await;
        assert_eq!(after, Err(SqliteThreadsError::Closed));
        threads.close().await;
    }
}
