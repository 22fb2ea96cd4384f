//! The database opened read-only beside the process that serves it: nothing is
//! created, migrated or written.

use std::path::Path;

use rusqlite::Connection;

use super::{DatabaseError, Schema, on_a_thread, open_read_only, refusal, unusable};
use crate::db::sqlite::SqliteThreads;
use crate::error::message::Message;

/// A connection that cannot write; closed when it is dropped.
pub(crate) struct ReadOnly(SqliteThreads);

impl ReadOnly {
    /// Opens a file that is there and has the tables of this version.
    pub(crate) async fn open(file: &Path, schema: &'static Schema) -> Result<Self, Message> {
        let path = file.to_owned();
        let open = move || {
            let refused = |error: rusqlite::Error| refusal(&path, error);
            let connection = open_read_only(&path).map_err(refused)?;
            if schema.check(&connection, &path)? != Some(schema.steps.len()) {
                return Err(super::older(&path));
            }
            let threads = SqliteThreads::start("db-read-only", vec![connection]);
            Ok(Self(threads.map_err(|error| unusable(&path, error))?))
        };
        on_a_thread(file, open).await
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
        Ok(self.0.call(read).await??)
    }

    /// Writes a copy, of one moment, to a file that is not there yet.
    pub(crate) async fn copy_to(&self, file: &Path) -> Result<(), DatabaseError> {
        let file = file.to_string_lossy().into_owned();
        let copy = move |connection: &mut Connection| {
            connection.execute("VACUUM INTO ?1", [file]).map(drop)
        };
        Ok(self.0.call(copy).await??)
    }

    /// When this returns the file is closed; without it, a moment after the last use.
    pub(crate) async fn close(self) {
        self.0.close().await;
    }
}
