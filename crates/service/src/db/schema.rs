//! Which tables a database has: its version counts the steps that made them.

use std::path::Path;

use rusqlite::Connection;
use rusqlite_migration::{M, Migrations};

use super::refusal;

use crate::error::message::Message;

/// The tables of a database.
pub(crate) struct Schema {
    /// What leads from each version to the next, the first from an empty file.
    pub(crate) steps: &'static [&'static [&'static str]],
}

impl Schema {
    /// The version of a database that this program can open; `None` of an empty one.
    pub(super) fn check(
        &self,
        connection: &Connection,
        file: &Path,
    ) -> Result<Option<usize>, Message> {
        match version_of(connection).map_err(|error| refusal(file, error))? {
            0 => Ok(None),
            version if version <= self.steps.len() => Ok(Some(version)),
            _ => Err(Message::DatabaseNewer { file: file.into() }),
        }
    }

    /// Makes the tables, or takes the steps that are missing.
    pub(super) fn apply(&self, connection: &mut Connection) -> rusqlite_migration::Result<()> {
        let steps: Vec<String> = self.steps.iter().map(|step| step.concat()).collect();
        Migrations::new(steps.iter().map(|step| M::up(step)).collect()).to_latest(connection)
    }
}

/// The version of a database with tables; 0 of an empty one.
pub(crate) fn version_of(connection: &Connection) -> rusqlite::Result<usize> {
    let version = connection.query_row("PRAGMA user_version", [], |row| row.get::<_, u32>(0));
    version.map(|version| version as usize)
}
