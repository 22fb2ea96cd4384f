//! The tables of presence: the last heartbeat, and the history of changes.

use porchlight_api::{HeartbeatFields, Timestamp};
use rusqlite::{Connection, OptionalExtension as _, Row, Transaction, params};

use super::Recorded;

/// Times are Unix milliseconds. A change is written when a heartbeat's content
/// differs from the one before it, or ends a time without one. `until` is when
/// the last heartbeat with its content came: a program that is killed sends no
/// goodbye, so the next change does not reveal it. A range is searched by it.
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
        online INTEGER NOT NULL,
        until INTEGER NOT NULL DEFAULT 0
    ) STRICT;
    CREATE INDEX presence_change_at ON presence_change (at);
    CREATE INDEX presence_change_until ON presence_change (until);
";

/// Both ends are compared, since a clock that was set back turns them around.
const FORGET: &str = "DELETE FROM presence_change WHERE at < ?1 AND until < ?1";

/// The oldest change above the limit: each new change adds one. With `+`, as below.
const FORGET_ONE_TOO_MANY: &str = "DELETE FROM presence_change WHERE id =
    (SELECT id FROM presence_change WHERE at >= ?1 ORDER BY +id DESC LIMIT 1 OFFSET ?2)";

/// With `+`, or SQLite would avoid the sort and scan all rows by their ids.
const HEARTBEATS_BETWEEN: &str = "
    SELECT at, until, application, introduce, rgba, online FROM presence_change
    WHERE until >= ?1 AND at < ?2 ORDER BY +id DESC LIMIT ?3";

/// Consecutive heartbeats with the same content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct StoredHeartbeat {
    /// When the first of them came.
    pub(super) at: Timestamp,
    /// When the last of them came.
    pub(super) until: Timestamp,
    /// Their content.
    pub(super) fields: HeartbeatFields,
}

pub(super) fn current(connection: &Connection) -> rusqlite::Result<Recorded> {
    let stored = connection
        .query_row(
            "SELECT at, at, application, introduce, rgba, online FROM presence",
            [],
            stored_heartbeat,
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

/// One more heartbeat with the content of the last change.
pub(super) fn extend_last_change(
    transaction: &Transaction<'_>,
    at: Timestamp,
) -> rusqlite::Result<()> {
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
        .prepare_cached(FORGET)?
        .execute([time.as_millis()])
        .map(drop)
}

/// Keeps the newest `most` changes of the day that began at `from`.
pub(super) fn forget_all_but(
    transaction: &Transaction<'_>,
    from: Timestamp,
    most: u32,
) -> rusqlite::Result<()> {
    transaction
        .prepare_cached(FORGET_ONE_TOO_MANY)?
        .execute(params![from.as_millis(), most])
        .map(drop)
}

/// The heartbeats in a range, oldest first: the newest `limit` of them.
pub(super) fn heartbeats_between(
    connection: &Connection,
    received_after: Timestamp,
    before: Timestamp,
    limit: u32,
) -> rusqlite::Result<Vec<StoredHeartbeat>> {
    let mut newest_first: Vec<StoredHeartbeat> = connection
        .prepare_cached(HEARTBEATS_BETWEEN)?
        .query_map(
            params![received_after.as_millis(), before.as_millis(), limit],
            stored_heartbeat,
        )?
        .collect::<rusqlite::Result<_>>()?;
    newest_first.reverse();
    Ok(newest_first)
}

fn stored_heartbeat(row: &Row<'_>) -> rusqlite::Result<StoredHeartbeat> {
    let rgba: String = row.get(4)?;
    Ok(StoredHeartbeat {
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
        connection.execute_batch(CREATE).expect("the tables");
        for (query, times) in [
            (FORGET, &[1][..]),
            (FORGET_ONE_TOO_MANY, &[1, 2]),
            (HEARTBEATS_BETWEEN, &[1, 2, 3]),
        ] {
            let plan = plan(&connection, query, times);
            assert!(plan.contains("SEARCH presence_change USING"), "{plan}");
            assert!(!plan.contains("SCAN"), "{plan}");
        }
    }
}
