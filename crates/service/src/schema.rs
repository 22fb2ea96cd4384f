//! The tables of `porchlight.db`, each feature's own, and what opens it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use rusqlite::Connection;

use crate::db::{Database, ReadOnly, Schema, version_of};
use crate::edge;
use crate::error::message::Message;
use crate::{images, presence, stats, tokens, uploads};

/// The steps, oldest first. Those of a released version are never edited; a change is a new step.
const SCHEMA: Schema = Schema {
    steps: &[&[
        presence::device::CREATE,
        tokens::table::CREATE,
        presence::table::CREATE,
        images::table::CREATE,
        images::names::CREATE,
        images::trash_table::CREATE,
        stats::table::CREATE,
        uploads::table::CREATE,
        edge::table::CREATE,
    ]],
};

/// The database of a data folder.
pub(crate) fn database_file(data_folder: &Path) -> PathBuf {
    data_folder.join("porchlight.db")
}

/// Opens the database in `file`, creating it or bringing it up to date as needed.
pub(crate) async fn open(file: &Path) -> Result<Database, Message> {
    Database::open(file, &SCHEMA).await
}

/// Opens it beside the process that serves it, if any: creates it where there is none, and does not
/// bring an existing one up to date.
pub(crate) async fn open_beside(file: &Path) -> Result<Database, Message> {
    Database::open_beside(file, &SCHEMA).await
}

/// Opens one that is there and has the tables of this version. Nothing is written.
pub(crate) async fn open_read_only(file: &Path) -> Result<ReadOnly, Message> {
    ReadOnly::open(file, &SCHEMA).await
}

/// Tables that litestream keeps in a database that it replicates.
const DROP_LITESTREAM: &str =
    "DROP TABLE IF EXISTS _litestream_seq; DROP TABLE IF EXISTS _litestream_lock;";

/// Removes the tables of litestream.
///
/// # Errors
/// When the file cannot be written, or when objects of another type have these names.
pub(crate) fn drop_litestream(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute_batch(DROP_LITESTREAM)
}

/// The first table, index, view or trigger that differs from those of this database's version;
/// `None` when all match, or when the version is one that is refused when the database is opened.
///
/// # Errors
/// When the schema cannot be read.
pub(crate) fn difference(connection: &Connection) -> rusqlite::Result<Option<String>> {
    let version = version_of(connection)?;
    if !(1..=SCHEMA.steps.len()).contains(&version) {
        return Ok(None);
    }
    let expected = Connection::open_in_memory()?;
    for step in SCHEMA.steps.iter().take(version).copied().flatten() {
        expected.execute_batch(step)?;
    }
    let (expected, found) = (objects(&expected)?, objects(connection)?);
    let names = found.keys().chain(expected.keys());
    let differs = names
        .into_iter()
        .find(|name| found.get(name) != expected.get(name));
    Ok(differs.map(|(kind, name)| format!("{kind} {name:?}")))
}

type Objects = BTreeMap<(String, String), (String, Option<String>)>;

/// Everything in the schema by type and name, with its table and its text. SQLite's
/// own tables and indices are not among them.
fn objects(connection: &Connection) -> rusqlite::Result<Objects> {
    connection
        .prepare(
            "SELECT type, name, tbl_name, sql FROM sqlite_schema
             WHERE NOT (type IN ('table', 'index') AND lower(substr(name, 1, 7)) = 'sqlite_')",
        )?
        .query_map([], |row| {
            Ok(((row.get(0)?, row.get(1)?), (row.get(2)?, row.get(3)?)))
        })?
        .collect()
}

#[cfg(test)]
mod tests;
