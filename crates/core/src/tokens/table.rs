//! The table of tokens.

use porchlight_api::Timestamp;
use rusqlite::{Connection, OptionalExtension as _, Row, Transaction, params};
use serde::Serialize;

use porchlight_api::Scope;

use crate::schema::bounds::is_line;

/// `digest` is the SHA-256 of the token; times are Unix milliseconds. `device` is the one device that
/// reports with it; NULL where it is this computer's, or may not report alone. The one row of
/// `first_run` is there once the tokens of the first run have been made.
pub(crate) const CREATE: &str = concat!(
    "CREATE TABLE token (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        name TEXT NOT NULL UNIQUE CHECK (length(name) > 0 AND ",
    is_line!("name", 100),
    "),
        scope TEXT NOT NULL CHECK (scope IN ('heartbeat', 'upload', 'admin')),
        digest BLOB NOT NULL UNIQUE CHECK (length(digest) = 32),
        created_at INTEGER NOT NULL CHECK (created_at >= 0),
        last_used INTEGER CHECK (last_used >= 0),
        device TEXT UNIQUE REFERENCES device (id) ON DELETE CASCADE
            CHECK (device IS NULL OR scope = 'heartbeat')
    ) STRICT;
    CREATE TABLE first_run (
        id INTEGER PRIMARY KEY CHECK (id = 1),
        done_at INTEGER NOT NULL
    ) STRICT;"
);

/// A token as its owner sees it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TokenRow {
    /// Its number.
    pub id: i64,
    /// What the owner calls it.
    pub name: String,
    /// What it may do.
    pub scope: Scope,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it was last used, to the minute; `None` when it never was.
    pub last_used: Option<Timestamp>,
}

/// Whether the tokens of the first run have been made.
pub(super) fn first_run_is_done(connection: &Connection) -> rusqlite::Result<bool> {
    connection.query_row("SELECT EXISTS (SELECT 1 FROM first_run)", [], |row| {
        row.get(0)
    })
}

/// Whether that was not noted before.
pub(super) fn note_first_run(
    transaction: &Transaction<'_>,
    now: Timestamp,
) -> rusqlite::Result<bool> {
    let rows = transaction.execute(
        "INSERT INTO first_run (id, done_at) VALUES (1, ?1) ON CONFLICT (id) DO NOTHING",
        [now.as_millis()],
    )?;
    Ok(rows == 1)
}

/// Whether the name was free.
pub(super) fn insert(
    transaction: &Transaction<'_>,
    name: &str,
    scope: Scope,
    digest: &[u8; 32],
    now: Timestamp,
) -> rusqlite::Result<bool> {
    let rows = transaction.execute(
        "INSERT INTO token (name, scope, digest, created_at) VALUES (?1, ?2, ?3, ?4)
         ON CONFLICT (name) DO NOTHING",
        params![name, scope.to_string(), digest, now.as_millis()],
    )?;
    Ok(rows == 1)
}

pub(super) fn all(connection: &Connection) -> rusqlite::Result<Vec<TokenRow>> {
    connection
        .prepare_cached("SELECT id, name, scope, created_at, last_used FROM token ORDER BY id")?
        .query_map([], |row| {
            Ok(TokenRow {
                id: row.get(0)?,
                name: row.get(1)?,
                scope: scope_of(row, 2)?,
                created_at: Timestamp::from_millis(row.get(3)?),
                last_used: row.get::<_, Option<i64>>(4)?.map(Timestamp::from_millis),
            })
        })?
        .collect()
}

pub(super) fn digests(connection: &Connection) -> rusqlite::Result<Vec<(i64, [u8; 32], Scope)>> {
    connection
        .prepare_cached("SELECT id, digest, scope FROM token")?
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?, scope_of(row, 2)?)))?
        .collect()
}

pub(super) fn name(connection: &Connection, id: i64) -> rusqlite::Result<Option<String>> {
    connection
        .prepare_cached("SELECT name FROM token WHERE id = ?1")?
        .query_row([id], |row| row.get(0))
        .optional()
}

/// Names come first: a token may be called `7`.
pub(super) fn delete(transaction: &Transaction<'_>, which: &str) -> rusqlite::Result<bool> {
    if transaction.execute("DELETE FROM token WHERE name = ?1", [which])? > 0 {
        return Ok(true);
    }
    let Ok(id) = which.parse::<i64>() else {
        return Ok(false);
    };
    Ok(transaction.execute("DELETE FROM token WHERE id = ?1", [id])? > 0)
}

pub(super) fn note_use(
    transaction: &Transaction<'_>,
    id: i64,
    now: Timestamp,
) -> rusqlite::Result<()> {
    transaction
        .execute(
            "UPDATE token SET last_used = ?2 WHERE id = ?1",
            params![id, now.as_millis()],
        )
        .map(drop)
}

fn scope_of(row: &Row<'_>, column: usize) -> rusqlite::Result<Scope> {
    row.get::<_, String>(column)?.parse().map_err(|error| {
        rusqlite::Error::FromSqlConversionFailure(
            column,
            rusqlite::types::Type::Text,
            Box::new(error),
        )
    })
}
