//! The one SQLite file: one connection that writes, four that read.
//!
//! SQLite lets one writer at a time commit, and a reader that turns into a
//! writer fails at once when another has committed in between. So writes go
//! through one connection with immediate transactions, and reads through
//! connections that cannot write, of which the first free one takes a query.
//! Each has its own thread, so no async thread waits for the disk.

pub mod sqlite;

use std::io;
use std::path::Path;
use std::str::FromStr;

use rusqlite::types::{FromSqlError, Type};
use rusqlite::{Connection, OpenFlags, Row, Transaction, TransactionBehavior, ffi};
use rusqlite_migration::Error as MigrationError;

use crate::db::sqlite::{SqliteThreads, SqliteThreadsError};
use crate::error::message::Message;
use crate::sentence_is_message;

pub(crate) mod bounds;
pub(crate) mod query;
mod reading;
mod schema;

pub(crate) use reading::ReadOnly;
pub(crate) use schema::{Schema, version_of};

const READERS: usize = 4;

/// The database; cheap to clone.
#[derive(Clone)]
pub(crate) struct Database {
    writer: SqliteThreads,
    readers: SqliteThreads,
}

/// Written by an earlier version, which may still be running.
pub(crate) fn older(file: &Path) -> Message {
    crate::detail!(
        "{} was written by an older version of Porchlight: start Porchlight once to bring it up to date",
        file.display()
    )
}

/// Not a database, or a broken one.
fn damaged(file: &Path, why: &dyn std::fmt::Display) -> Message {
    let why = why.to_string().into();
    Message::DatabaseDamaged {
        file: file.into(),
        why,
    }
}

/// A query or a write failed; the cause is for the log.
#[derive(Debug, thiserror::Error)]
pub enum DatabaseError {
    /// The disk has no room for the write.
    #[error("the database has no room to grow: {0}")]
    Full(#[source] rusqlite::Error),
    /// Anything else.
    #[error("Porchlight’s database failed: {0}")]
    Failed(#[source] rusqlite::Error),
    /// An error in Porchlight stopped it. Its transaction was rolled back.
    #[error("an error in Porchlight stopped it; see the log")]
    Panicked,
    /// The database was closed: the program is stopping.
    #[error("the database is closed")]
    Closed,
}

sentence_is_message!(DatabaseError);

impl DatabaseError {
    /// SQLite's error of a full disk, for this one of the system.
    fn over_quota(why: &io::Error) -> Self {
        let full = ffi::Error::new(ffi::SQLITE_FULL);
        Self::Full(rusqlite::Error::SqliteFailure(full, Some(why.to_string())))
    }
}

impl From<rusqlite::Error> for DatabaseError {
    fn from(error: rusqlite::Error) -> Self {
        match error.sqlite_error_code() {
            Some(rusqlite::ErrorCode::DiskFull) => Self::Full(error),
            _ => Self::Failed(error),
        }
    }
}

impl From<SqliteThreadsError> for DatabaseError {
    fn from(error: SqliteThreadsError) -> Self {
        match error {
            SqliteThreadsError::Panicked => Self::Panicked,
            SqliteThreadsError::Closed => Self::Closed,
        }
    }
}

impl Database {
    /// Opens `file`, creating or migrating it as needed.
    pub(crate) async fn open(file: &Path, schema: &'static Schema) -> Result<Self, Message> {
        Self::open_as(file, schema, true).await
    }

    /// Opens `file` beside the process that serves it, if any: creates it where
    /// there is none, and does not migrate an existing one.
    pub(crate) async fn open_beside(file: &Path, schema: &'static Schema) -> Result<Self, Message> {
        Self::open_as(file, schema, false).await
    }

    async fn open_as(
        file: &Path,
        schema: &'static Schema,
        may_migrate: bool,
    ) -> Result<Self, Message> {
        let path = file.to_owned();
        let open = move || {
            let refused = |error: rusqlite::Error| refusal(&path, error);
            let no_thread = |error: io::Error| unusable(&path, error);
            let mut writer = Connection::open(&path).map_err(refused)?;
            prepare(&mut writer, &path, schema, may_migrate)?;
            let readers = (0..READERS).map(|_| open_read_only(&path).map_err(refused));
            let readers = readers.collect::<Result<_, _>>()?;
            Ok(Self {
                writer: SqliteThreads::start("db-writer", vec![writer]).map_err(no_thread)?,
                readers: SqliteThreads::start("db-reader", readers).map_err(no_thread)?,
            })
        };
        on_a_thread(file, open).await
    }

    /// Runs `work` in one immediate transaction that is committed when it
    /// returns `Ok` and rolled back otherwise.
    pub(crate) async fn write<R, E>(
        &self,
        work: impl FnOnce(&Transaction<'_>) -> Result<R, E> + Send + 'static,
    ) -> Result<R, E>
    where
        R: Send + 'static,
        E: From<DatabaseError> + Send + 'static,
    {
        let done = self
            .writer
            .call(move |connection| {
                let transaction = connection
                    .transaction_with_behavior(TransactionBehavior::Immediate)
                    .map_err(|error| E::from(error.into()))?;
                let done = work(&transaction).and_then(|result| {
                    let committed = transaction.execute_batch("COMMIT");
                    committed.map_err(|error| E::from(error.into()))?;
                    Ok(result)
                });
                done.map_err(|error| match sqlite::over_quota(&transaction) {
                    Some(why) => E::from(DatabaseError::over_quota(&why)),
                    None => error,
                })
            })
            .await;
        done.map_err(DatabaseError::from)?
    }

    /// Runs `work` on a connection that cannot write.
    pub(crate) async fn read<R: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> rusqlite::Result<R> + Send + 'static,
    ) -> Result<R, DatabaseError> {
        Ok(self
            .readers
            .call(move |connection| work(connection))
            .await??)
    }

    /// How many queries and writes an error in Porchlight has stopped since the start.
    pub(crate) fn panics(&self) -> u64 {
        self.writer.panics() + self.readers.panics()
    }

    /// Closes the file; what is queued is written first.
    pub(crate) async fn close(self) {
        self.readers.close().await;
        self.writer.close().await;
    }
}

fn open_read_only(file: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    Connection::open_with_flags(file, flags)
}

/// Opens `file` where no async thread waits for it.
async fn on_a_thread<T: Send + 'static>(
    file: &Path,
    open: impl FnOnce() -> Result<T, Message> + Send + 'static,
) -> Result<T, Message> {
    let opened = tokio::task::spawn_blocking(open).await;
    opened.unwrap_or_else(|error| Err(unusable(file, error)))
}

fn prepare(
    connection: &mut Connection,
    file: &Path,
    schema: &Schema,
    may_migrate: bool,
) -> Result<(), Message> {
    let refused = |error: rusqlite::Error| refusal(file, error);
    // The first statement that reads: a file that is no database fails here,
    // before anything is set that would write to it.
    let version = schema.check(connection, file)?;
    let is_old = version.is_some_and(|version| version < schema.steps.len());
    if is_old && !may_migrate {
        return Err(older(file));
    }
    if may_migrate || version.is_none() {
        schema.apply(connection).map_err(|error| match error {
            MigrationError::RusqliteError { err, .. } => refusal(file, err),
            other => damaged(file, &other),
        })?;
    }
    // WAL: readers continue while the writer commits. FULL: a commit is on the disk when it
    // returns, so an answered upload survives a power cut.
    sqlite::set_up(connection, "FULL").map_err(refused)?;
    connection
        .pragma_update(None, "foreign_keys", true)
        .map_err(refused)
}

fn refusal(file: &Path, error: rusqlite::Error) -> Message {
    use rusqlite::ErrorCode::{
        ConstraintViolation, DatabaseBusy, DatabaseCorrupt, DatabaseLocked, NotADatabase,
    };
    match error.sqlite_error_code() {
        // A step of the schema did not find the tables of a version.
        Some(NotADatabase | DatabaseCorrupt | ConstraintViolation) => damaged(file, &error),
        Some(DatabaseBusy | DatabaseLocked) => crate::detail!(
            "{} is locked by another program: close that program and start again",
            file.display()
        ),
        _ => unusable(file, error),
    }
}

fn unusable(file: &Path, why: impl std::fmt::Display) -> Message {
    crate::detail!(
        "{} cannot be opened ({why}): check that the folder exists and may be written, and that the disk has room",
        file.display()
    )
}

/// What a column holds as text.
pub(crate) fn parsed<T: FromStr>(row: &Row<'_>, column: usize) -> rusqlite::Result<T> {
    let parsed = row.get::<_, String>(column)?.parse();
    parsed.map_err(|_| {
        let why = FromSqlError::InvalidType.into();
        rusqlite::Error::FromSqlConversionFailure(column, Type::Text, why)
    })
}

#[cfg(test)]
mod tests;
