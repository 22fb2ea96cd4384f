//! Which tables a database has: its version counts the steps that made them.

use std::path::Path;

use rusqlite::Connection;
use rusqlite_migration::{M, Migrations};

use super::{OpenDatabaseError, refusal};

/// The tables of a database.
pub(crate) struct Schema {
    /// What leads from each version to the next, the first from an empty file.
    pub(crate) steps: &'static [&'static [&'static str]],
    /// Builds before the first version have counted its tables as this version, and earlier ones as
    /// those below.
    pub(crate) first_as: usize,
    /// The table and the column of it that the last of these builds added: a database with them and
    /// a lower version is of a version, one without them of an earlier build.
    pub(crate) last_column: (&'static str, &'static str),
}

impl Schema {
    /// The version of a database with its tables; `None` of one that is empty or has others.
    pub(crate) fn version_of(&self, connection: &Connection) -> rusqlite::Result<Option<usize>> {
        let written = written_version(connection)?;
        if written == self.first_as {
            return Ok(Some(1));
        }
        let known = (1..=self.steps.len()).contains(&written);
        Ok((known && self.is_of_a_version(connection)?).then_some(written))
    }

    fn is_of_a_version(&self, connection: &Connection) -> rusqlite::Result<bool> {
        connection.query_row(
            "SELECT EXISTS (SELECT 1 FROM pragma_table_info(?1) WHERE name = ?2)",
            self.last_column,
            |row| row.get(0),
        )
    }

    /// The version of a database that this program can open; `None` of an empty one.
    pub(super) fn check(
        &self,
        connection: &Connection,
        file: &Path,
    ) -> Result<Option<usize>, OpenDatabaseError> {
        let read = || {
            let version = self.version_of(connection)?;
            let of_a_version = self.is_of_a_version(connection)?;
            Ok((version, written_version(connection)?, of_a_version))
        };
        match read().map_err(|error| refusal(file, error))? {
            (Some(version), ..) => Ok(Some(version)),
            (None, 0, _) => Ok(None),
            (None, written, of_a_version) if of_a_version || written > self.first_as => {
                Err(OpenDatabaseError::Newer(file.to_owned()))
            }
            (None, ..) => Err(OpenDatabaseError::Older(file.to_owned())),
        }
    }

    /// Makes the tables, or takes the steps that are missing.
    pub(super) fn apply(&self, connection: &mut Connection) -> rusqlite_migration::Result<()> {
        if written_version(connection)? == self.first_as {
            connection.pragma_update(None, "user_version", 1)?;
        }
        let steps: Vec<String> = self.steps.iter().map(|step| step.concat()).collect();
        Migrations::new(steps.iter().map(|step| M::up(step)).collect()).to_latest(connection)
    }
}

fn written_version(connection: &Connection) -> rusqlite::Result<usize> {
    let version = connection.query_row("PRAGMA user_version", [], |row| row.get::<_, u32>(0));
    version.map(|version| version as usize)
}
