//! The database opened read-only beside the process that serves it: nothing is
//! created, migrated or written.

use std::path::Path;

use rusqlite::{Connection, OpenFlags};

use super::{DatabaseError, OpenDatabaseError, refusal, schema};

/// A connection that cannot write; closed when it is dropped.
pub(crate) struct ReadOnly(tokio_rusqlite::Connection);

impl ReadOnly {
    /// Opens a file that is there and has the tables of this version.
    pub(crate) async fn open(file: &Path) -> Result<Self, OpenDatabaseError> {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = tokio_rusqlite::Connection::open_with_flags(file, flags)
            .await
            .map_err(|error| refusal(file, &error))?;
        let opened = Self(connection);
        let version = opened
            .0
            .call(|connection| {
                connection.query_row("PRAGMA user_version", [], |row| row.get::<_, i64>(0))
            })
            .await
            .map_err(|error| match error {
                tokio_rusqlite::Error::Error(error) => refusal(file, &error),
                other => OpenDatabaseError::Unusable(file.to_owned(), other.to_string()),
            })?;
        match version.cmp(&(schema::STEPS.len() as i64)) {
            std::cmp::Ordering::Equal => Ok(opened),
            std::cmp::Ordering::Greater => Err(OpenDatabaseError::Newer(file.to_owned())),
            std::cmp::Ordering::Less => Err(OpenDatabaseError::Older(file.to_owned())),
        }
    }

    /// Runs `work` in one read transaction: all that it sees is of one moment.
    pub(crate) async fn read<R: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> rusqlite::Result<R> + Send + 'static,
    ) -> Result<R, DatabaseError> {
        let read = move |connection: &mut Connection| {
            let transaction = connection.transaction()?;
            work(&transaction)
        };
        Ok(self.0.call(read).await?)
    }

    /// Writes a copy, of one moment, to a file that is not there yet.
    pub(crate) async fn copy_to(&self, file: &Path) -> Result<(), DatabaseError> {
        let file = file.to_string_lossy().into_owned();
        let copy = move |connection: &mut Connection| {
            connection.execute("VACUUM INTO ?1", [file]).map(drop)
        };
        Ok(self.0.call(copy).await?)
    }
}
