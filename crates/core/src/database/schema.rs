//! The migrations, oldest first. A released migration is never edited; a change
//! is a new migration.

use std::collections::BTreeMap;

use rusqlite::Connection;

use crate::{images, presence, publishing, stats, tokens};

/// Each runs in its own transaction.
pub(crate) const STEPS: [&str; 17] = [
    tokens::table::CREATE,
    presence::table::CREATE,
    images::table::CREATE,
    stats::table::CREATE,
    stats::table::INDEX_MOST_VIEWED,
    presence::table::LAST_RECEIVED,
    presence::table::FIND_BY_END,
    stats::readers::table::CREATE,
    stats::views_by_day::CREATE,
    images::page_index::ADD_PUBLISHED,
    publishing::table::CREATE,
    stats::readers::table::REMOVE_DIGESTS,
    images::removals::ADD_ANNOUNCED,
    images::table::TOTALS,
    stats::bytes::CREATE,
    images::names::CREATE,
    publishing::table::ADD_STATE,
];

/// Whether one of the last `pending` steps removes the digests of readers.
pub(crate) fn removes_digests(pending: usize) -> bool {
    let first = STEPS.len().saturating_sub(pending);
    STEPS[first..].contains(&stats::readers::table::REMOVE_DIGESTS)
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

/// The first table, index, view or trigger that differs from what the migrations up to this
/// database's version create; `None` when all match, or when the version is newer, which is refused
/// when the database is opened.
///
/// # Errors
/// When the schema cannot be read.
pub(crate) fn difference(connection: &Connection) -> rusqlite::Result<Option<String>> {
    let version: i64 = connection.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    let Ok(version) = usize::try_from(version) else {
        return Ok(Some(format!("{version}")));
    };
    let Some(steps) = STEPS.get(..version) else {
        return Ok(None);
    };
    let expected = Connection::open_in_memory()?;
    for step in steps {
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
