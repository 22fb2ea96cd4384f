//! The table of tokens.

use rusqlite::types::ValueRef;
use rusqlite::{Connection, Row, Transaction, params};
use serde::Serialize;

use crate::clock::timestamp::Timestamp;
use crate::db::bounds::is_line;
use crate::db::parsed;
use crate::db::query::Query as _;
use crate::devices::DeviceId;
use crate::tokens::scope::Scope;

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
    /// The device that reports with it; `None` of one for this computer and of other scopes.
    pub device: Option<DeviceId>,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it was last used, to the minute; `None` when it never was.
    pub last_used: Option<Timestamp>,
    #[serde(skip)]
    pub(super) digest: [u8; 32],
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
pub(crate) fn insert(
    transaction: &Transaction<'_>,
    name: &str,
    scope: Scope,
    device: Option<&DeviceId>,
    digest: &[u8; 32],
    now: Timestamp,
) -> rusqlite::Result<bool> {
    let rows = transaction.execute(
        "INSERT INTO token (name, scope, device, digest, created_at) VALUES (?1, ?2, ?3, ?4, ?5)
         ON CONFLICT (name) DO NOTHING",
        params![
            name,
            scope.to_string(),
            device.map(DeviceId::as_str),
            digest,
            now.as_millis()
        ],
    )?;
    Ok(rows == 1)
}

/// All tokens, oldest first.
pub(super) fn all(connection: &Connection) -> rusqlite::Result<Vec<TokenRow>> {
    connection.all(
        "SELECT id, name, scope, device, created_at, last_used, digest FROM token
             ORDER BY id",
        [],
        |row| {
            Ok(TokenRow {
                id: row.get(0)?,
                name: row.get(1)?,
                scope: parsed(row, 2)?,
                device: device_of(row, 3)?,
                created_at: Timestamp::from_millis(row.get(4)?),
                last_used: row.get::<_, Option<i64>>(5)?.map(Timestamp::from_millis),
                digest: row.get(6)?,
            })
        },
    )
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

/// The device in a column that may be NULL.
fn device_of(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<DeviceId>> {
    match row.get_ref(column)? {
        ValueRef::Null => Ok(None),
        _ => parsed(row, column).map(Some),
    }
}
