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

/// From this moment on the heartbeats said this.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PresenceChange {
    /// When the first heartbeat that said so came.
    pub at: Timestamp,
    /// What it said.
    pub fields: HeartbeatFields,
}

pub(super) fn current(connection: &Connection) -> rusqlite::Result<Recorded> {
    let stored = connection
        .query_row(
            "SELECT at, application, introduce, rgba, online FROM presence",
            [],
            change,
        )
        .optional()?;
    Ok(stored.map_or_else(Recorded::default, |row| Recorded {
        at: Some(row.at),
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
            "INSERT INTO presence_change (at, application, introduce, rgba, online)
             VALUES (?1, ?2, ?3, ?4, ?5)",
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

pub(super) fn forget_changes_before(
    transaction: &Transaction<'_>,
    time: Timestamp,
) -> rusqlite::Result<()> {
    transaction
        .execute(
            "DELETE FROM presence_change WHERE at < ?1",
            [time.as_millis()],
        )
        .map(drop)
}

pub(super) fn changes(
    connection: &Connection,
    since: Timestamp,
    limit: u32,
) -> rusqlite::Result<Vec<PresenceChange>> {
    connection
        .prepare_cached(
            "SELECT at, application, introduce, rgba, online FROM presence_change
             WHERE at >= ?1 ORDER BY at, id LIMIT ?2",
        )?
        .query_map(params![since.as_millis(), limit], change)?
        .collect()
}

fn change(row: &Row<'_>) -> rusqlite::Result<PresenceChange> {
    let rgba: String = row.get(3)?;
    Ok(PresenceChange {
        at: Timestamp::from_millis(row.get(0)?),
        fields: HeartbeatFields {
            application: row.get(1)?,
            introduce: row.get(2)?,
            rgba: rgba.parse().unwrap_or_default(),
            application_online: row.get(4)?,
        },
    })
}
