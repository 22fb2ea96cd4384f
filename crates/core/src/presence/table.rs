//! The tables of presence: the last heartbeat, and the history of changes.

use porchlight_api::{HeartbeatFields, Timestamp};
use rusqlite::{Connection, OptionalExtension as _, Row, Transaction, params};

use super::Recorded;

/// Times are Unix milliseconds. A change is written when a heartbeat says
/// something else than the one before it, or ends a time without one.
pub(crate) const CREATE: &str = "
    CREATE TABLE presence (
        only INTEGER PRIMARY KEY CHECK (only = 1),
        at INTEGER NOT NULL,
        application TEXT NOT NULL,
        introduce TEXT NOT NULL,
        rgba TEXT NOT NULL,
        online INTEGER NOT NULL
    ) STRICT;
    CREATE TABLE presence_change (
        id INTEGER PRIMARY KEY,
        at INTEGER NOT NULL,
        application TEXT NOT NULL,
        introduce TEXT NOT NULL,
        rgba TEXT NOT NULL,
        online INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX presence_change_at ON presence_change (at);
";

/// When the last heartbeat came that said what a change says: a program that
/// is killed says no goodbye, so the next change does not tell it.
pub(crate) const HEARD_UNTIL: &str = "
    ALTER TABLE presence_change ADD COLUMN until INTEGER NOT NULL DEFAULT 0;
    UPDATE presence_change SET until = at;
";

/// Heartbeats that said the same, one after the other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Heard {
    /// When the first of them came.
    pub(super) at: Timestamp,
    /// When the last of them came.
    pub(super) until: Timestamp,
    /// What they said.
    pub(super) fields: HeartbeatFields,
}

pub(super) fn current(connection: &Connection) -> rusqlite::Result<Recorded> {
    let stored = connection
        .query_row(
            "SELECT at, at, application, introduce, rgba, online FROM presence",
            [],
            heard,
        )
        .optional()?;
    let since: Option<i64> = connection
        .query_row(
            "SELECT at FROM presence_change ORDER BY id DESC LIMIT 1",
            [],
            |row| row.get(0),
        )
        .optional()?;
    Ok(stored.map_or_else(Recorded::default, |row| Recorded {
        at: Some(row.at),
        since: since.map(Timestamp::from_millis),
        fields: row.fields,
    }))
}

pub(super) fn store(
    transaction: &Transaction<'_>,
    at: Timestamp,
    fields: &HeartbeatFields,
) -> rusqlite::Result<()> {
    transaction
        .prepare_cached(
            "INSERT OR REPLACE INTO presence (only, at, application, introduce, rgba, online)
             VALUES (1, ?1, ?2, ?3, ?4, ?5)",
        )?
        .execute(params![
            at.as_millis(),
            fields.application,
            fields.introduce,
            fields.rgba.as_str(),
            fields.application_online
        ])
        .map(drop)
}

pub(super) fn add_change(
    transaction: &Transaction<'_>,
    at: Timestamp,
    fields: &HeartbeatFields,
) -> rusqlite::Result<()> {
    transaction
        .prepare_cached(
            "INSERT INTO presence_change (at, until, application, introduce, rgba, online)
             VALUES (?1, ?1, ?2, ?3, ?4, ?5)",
        )?
        .execute(params![
            at.as_millis(),
            fields.application,
            fields.introduce,
            fields.rgba.as_str(),
            fields.application_online
        ])
        .map(drop)
}

/// One more heartbeat that said what the last change says.
pub(super) fn hear_again(transaction: &Transaction<'_>, at: Timestamp) -> rusqlite::Result<()> {
    transaction
        .prepare_cached(
            "UPDATE presence_change SET until = ?1
             WHERE id = (SELECT MAX(id) FROM presence_change)",
        )?
        .execute([at.as_millis()])
        .map(drop)
}

pub(super) fn forget_changes_before(
    transaction: &Transaction<'_>,
    time: Timestamp,
) -> rusqlite::Result<()> {
    transaction
        .execute(
            "DELETE FROM presence_change WHERE until < ?1",
            [time.as_millis()],
        )
        .map(drop)
}

/// What was said in a range, oldest first: at most `limit`.
pub(super) fn heard_between(
    connection: &Connection,
    heard_after: Timestamp,
    before: Timestamp,
    limit: u32,
) -> rusqlite::Result<Vec<Heard>> {
    connection
        .prepare_cached(
            "SELECT at, until, application, introduce, rgba, online FROM presence_change
             WHERE until >= ?1 AND at < ?2 ORDER BY id LIMIT ?3",
        )?
        .query_map(
            params![heard_after.as_millis(), before.as_millis(), limit],
            heard,
        )?
        .collect()
}

fn heard(row: &Row<'_>) -> rusqlite::Result<Heard> {
    let rgba: String = row.get(4)?;
    Ok(Heard {
        at: Timestamp::from_millis(row.get(0)?),
        until: Timestamp::from_millis(row.get(1)?),
        fields: HeartbeatFields {
            application: row.get(2)?,
            introduce: row.get(3)?,
            rgba: rgba.parse().unwrap_or_default(),
            application_online: row.get(5)?,
        },
    })
}
