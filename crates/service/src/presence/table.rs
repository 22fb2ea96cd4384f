//! The tables of presence: the last heartbeat, and the history of changes.

use rusqlite::{Connection, OptionalExtension as _, Row, Transaction, params};

use super::report::Report;
use crate::clock::timestamp::Timestamp;
use crate::db::bounds::{content_columns, is_id, longest_valid};
use crate::db::query::Query as _;
use crate::devices::DeviceId;
use crate::http::replies::HeartbeatFields;

/// Times are Unix milliseconds. A change is written when a heartbeat's content
/// differs from the one before it, or ends a time without one. `until` is when
/// the last heartbeat with its content came: a program that is killed sends no
/// goodbye, so the next change does not reveal it. A range is searched by it.
/// `device` and `valid_for` of a change are NULL where it is of this computer.
pub(crate) const CREATE: &str = concat!(
    "CREATE TABLE presence (
        only INTEGER PRIMARY KEY CHECK (only = 1),
        at INTEGER NOT NULL CHECK (at >= 0),
        used_at INTEGER NOT NULL CHECK (used_at >= 0),",
    content_columns!(),
    ") STRICT;
    CREATE TABLE presence_change (
        id INTEGER PRIMARY KEY,
        device TEXT CHECK (",
    is_id!("device"),
    "),
        at INTEGER NOT NULL CHECK (at >= 0),
        until INTEGER NOT NULL CHECK (until >= 0),
        valid_for INTEGER CHECK (valid_for BETWEEN 0 AND ",
    longest_valid!(),
    "),",
    content_columns!(),
    ") STRICT;
    CREATE INDEX presence_change_at ON presence_change (at);
    CREATE INDEX presence_change_until ON presence_change (until);"
);

/// Both ends are compared, since a clock that was set back turns them around.
const FORGET: &str = "DELETE FROM presence_change WHERE at < ?1 AND until < ?1";

/// The oldest change above the limit: each new change adds one. With `+`, as below.
const FORGET_ONE_TOO_MANY: &str = "DELETE FROM presence_change WHERE id =
    (SELECT id FROM presence_change WHERE at >= ?1 ORDER BY +id DESC LIMIT 1 OFFSET ?2)";

/// With `+`, or SQLite would avoid the sort and scan all rows by their ids.
const CHANGES_BETWEEN: &str = "
    SELECT application, introduce, rgba, online, id, device, at, until, valid_for
    FROM presence_change WHERE until >= ?1 AND at < ?2 ORDER BY +id DESC LIMIT ?3";

/// Consecutive heartbeats of a device with the same content, while readers saw it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Change {
    /// The number of its row; 0 before it has one.
    pub(super) row: i64,
    /// `None` for this computer.
    pub(super) device: Option<DeviceId>,
    /// Since when readers saw it.
    pub(super) at: Timestamp,
    /// When the last heartbeat came.
    pub(super) until: Timestamp,
    /// For how many milliseconds that is valid; `None` for `heartbeat.alive_seconds`.
    pub(super) valid_for: Option<i64>,
    /// The content.
    pub(super) fields: HeartbeatFields,
}

/// The last heartbeat of this computer.
pub(super) fn own(connection: &Connection, alive: i64) -> rusqlite::Result<Option<Report>> {
    connection
        .query_row(
            "SELECT application, introduce, rgba, online, at, used_at FROM presence",
            [],
            |row| {
                Ok(Report {
                    at: Timestamp::from_millis(row.get(4)?),
                    valid_for: alive,
                    used_at: Timestamp::from_millis(row.get(5)?),
                    fields: fields(row)?,
                })
            },
        )
        .optional()
}

pub(super) fn store(transaction: &Transaction<'_>, own: &Report) -> rusqlite::Result<()> {
    let fields = &own.fields;
    transaction
        .run(
            "INSERT OR REPLACE INTO presence
                 (only, at, used_at, application, introduce, rgba, online)
             VALUES (1, ?1, ?2, ?3, ?4, ?5, ?6)",
            params![
                own.at.as_millis(),
                own.used_at.as_millis(),
                fields.application,
                fields.introduce,
                fields.rgba.as_str(),
                fields.application_online
            ],
        )
        .map(drop)
}

pub(super) fn last_change(connection: &Connection) -> rusqlite::Result<Option<Change>> {
    connection
        .query_row(
            "SELECT application, introduce, rgba, online, id, device, at, until, valid_for
             FROM presence_change ORDER BY id DESC LIMIT 1",
            [],
            change,
        )
        .optional()
}

/// Adds a row, and returns its number.
pub(super) fn add_change(transaction: &Transaction<'_>, change: &Change) -> rusqlite::Result<i64> {
    let fields = &change.fields;
    transaction
        .prepare_cached(
            "INSERT INTO presence_change
                 (device, at, until, valid_for, application, introduce, rgba, online)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
        )?
        .insert(params![
            change.device.as_ref().map(DeviceId::as_str),
            change.at.as_millis(),
            change.until.as_millis(),
            change.valid_for,
            fields.application,
            fields.introduce,
            fields.rgba.as_str(),
            fields.application_online
        ])
}

/// Writes until when a change that has a row is valid.
pub(super) fn set_end(transaction: &Transaction<'_>, change: &Change) -> rusqlite::Result<()> {
    transaction
        .run(
            "UPDATE presence_change SET until = ?2, valid_for = ?3 WHERE id = ?1",
            params![change.row, change.until.as_millis(), change.valid_for],
        )
        .map(drop)
}

/// Ends every report and the last change of the history at the latest time that is known, and forgets
/// what is later than `now`: this machine knows nothing about the present of these devices.
pub(crate) fn end_all(transaction: &Transaction<'_>, now: Timestamp) -> rusqlite::Result<()> {
    let now = [now.as_millis()];
    transaction.execute_batch(
        "DELETE FROM presence;
         UPDATE device SET at = NULL, valid_for = 0, used_at = 0, battery = NULL, charging = NULL,
                           application = '', introduce = '', rgba = '', online = 0;",
    )?;
    for query in [
        "DELETE FROM presence_change WHERE at > ?1",
        "UPDATE presence_change SET until = ?1 WHERE until > ?1",
        "UPDATE presence_change SET valid_for = 0
         WHERE until + valid_for > ?1 OR id = (SELECT max(id) FROM presence_change)",
    ] {
        transaction.execute(query, now)?;
    }
    Ok(())
}

pub(super) fn forget_changes_before(
    transaction: &Transaction<'_>,
    time: Timestamp,
) -> rusqlite::Result<()> {
    transaction.run(FORGET, [time.as_millis()]).map(drop)
}

/// Keeps the newest `most` changes of the day that began at `from`.
pub(super) fn forget_all_but(
    transaction: &Transaction<'_>,
    from: Timestamp,
    most: u32,
) -> rusqlite::Result<()> {
    transaction
        .run(FORGET_ONE_TOO_MANY, params![from.as_millis(), most])
        .map(drop)
}

/// The changes in a range, oldest first: the newest `limit` of them.
pub(super) fn changes_between(
    connection: &Connection,
    received_after: Timestamp,
    before: Timestamp,
    limit: u32,
) -> rusqlite::Result<Vec<Change>> {
    let mut newest_first: Vec<Change> = connection.all(
        CHANGES_BETWEEN,
        params![received_after.as_millis(), before.as_millis(), limit],
        change,
    )?;
    newest_first.reverse();
    Ok(newest_first)
}

fn change(row: &Row<'_>) -> rusqlite::Result<Change> {
    Ok(Change {
        row: row.get(4)?,
        device: row
            .get::<_, Option<String>>(5)?
            .and_then(|id| id.parse().ok()),
        at: Timestamp::from_millis(row.get(6)?),
        until: Timestamp::from_millis(row.get(7)?),
        valid_for: row.get(8)?,
        fields: fields(row)?,
    })
}

/// The content.
pub(super) fn fields(row: &Row<'_>) -> rusqlite::Result<HeartbeatFields> {
    let rgba: String = row.get("rgba")?;
    Ok(HeartbeatFields {
        application: row.get("application")?,
        introduce: row.get("introduce")?,
        rgba: rgba.parse().unwrap_or_default(),
        application_online: row.get("online")?,
        track: None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(connection: &Connection, query: &str, times: &[i64]) -> String {
        let explained = format!("EXPLAIN QUERY PLAN {query}");
        let mut statement = connection.prepare(&explained).expect("a query");
        let steps = statement
            .query_map(rusqlite::params_from_iter(times), |row| {
                row.get::<_, String>("detail")
            })
            .expect("a plan");
        steps.map(|step| step.expect("a step") + "\n").collect()
    }

    #[test]
    fn no_query_of_the_history_scans_all_of_it() {
        let connection = Connection::open_in_memory().expect("a database");
        for tables in [CREATE, super::super::device::CREATE] {
            connection.execute_batch(tables).expect("the tables");
        }
        for (query, times) in [
            (FORGET, &[1][..]),
            (FORGET_ONE_TOO_MANY, &[1, 2]),
            (CHANGES_BETWEEN, &[1, 2, 3]),
        ] {
            let plan = plan(&connection, query, times);
            assert!(plan.contains("SEARCH presence_change USING"), "{plan}");
            assert!(!plan.contains("SCAN"), "{plan}");
        }
    }
}
