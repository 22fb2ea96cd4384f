//! The table of images: one row a file, from before its upload on.

use std::path::{Path, PathBuf};

use porchlight_api::Message;
use rusqlite::{Connection, OptionalExtension as _, Row, Transaction, params};

use super::path::{from_bytes, to_bytes};
use crate::file_version::FileVersion;

/// Made by the first step.
pub(super) const CREATE: &str = "
CREATE TABLE picture (
    -- The order in which they go out.
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    file BLOB NOT NULL UNIQUE,
    -- The watched folder it is in.
    folder BLOB NOT NULL,
    -- Size and time of the last change, in nanoseconds, of this version.
    bytes INTEGER NOT NULL,
    changed INTEGER NOT NULL,
    -- 0 waits, 1 uploaded and not put away yet, 2 done, 3 set aside, 4 left alone.
    state INTEGER NOT NULL,
    -- How often the service failed on it.
    tries INTEGER NOT NULL DEFAULT 0,
    -- Of the version that was uploaded last.
    sha256 BLOB,
    hash TEXT,
    -- Why it was set aside.
    reason TEXT
) STRICT;
CREATE INDEX picture_turn ON picture (state, tries, id);
-- Folders whose first look is over.
CREATE TABLE folder (folder BLOB PRIMARY KEY) STRICT, WITHOUT ROWID;
";

/// The state of a row; ignored rows (4) are never read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum State {
    Waiting = 0,
    Uploaded = 1,
    Done = 2,
    SetAside = 3,
}

/// A file to be uploaded now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Picture {
    pub(crate) id: i64,
    pub(crate) file: PathBuf,
    pub(crate) folder: PathBuf,
    pub(crate) file_version: FileVersion,
    /// The digest of the version that was uploaded last.
    pub(crate) sha256: Option<[u8; 32]>,
    /// Its name at the service.
    pub(crate) hash: Option<String>,
}

/// A version of a file that is complete.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Version {
    pub(crate) folder: PathBuf,
    pub(crate) file: PathBuf,
    pub(crate) file_version: FileVersion,
}

/// A file that can never work as it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SetAside {
    /// Its number, for [`super::UploadQueue::retry`] and [`super::UploadQueue::dismiss`].
    pub id: i64,
    /// The file.
    pub file: PathBuf,
    /// Why.
    pub reason: Message,
}

/// How many files there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    /// That wait to be uploaded.
    pub waiting: u64,
    /// That were set aside.
    pub set_aside: u64,
}

fn number(size: u64) -> i64 {
    i64::try_from(size).unwrap_or(i64::MAX)
}

fn file_version(row: &Row<'_>, first: usize) -> rusqlite::Result<FileVersion> {
    Ok(FileVersion {
        bytes: u64::try_from(row.get::<_, i64>(first)?).unwrap_or(0),
        changed: row.get(first + 1)?,
    })
}

/// Whether this version of the file is in the table, in whatever state.
pub(super) fn has_seen(
    connection: &Connection,
    file: &Path,
    version: FileVersion,
) -> rusqlite::Result<bool> {
    let known = connection
        .prepare_cached("SELECT bytes, changed FROM picture WHERE file = ?")?
        .query_row([to_bytes(file)], |row| file_version(row, 0))
        .optional()?;
    Ok(known == Some(version))
}

/// Queues the version behind all others. One that waits already keeps its
/// place.
pub(super) fn put(transaction: &Transaction<'_>, version: &Version) -> rusqlite::Result<()> {
    let file = to_bytes(&version.file);
    let (bytes, changed) = (
        number(version.file_version.bytes),
        version.file_version.changed,
    );
    let waits = transaction
        .prepare_cached("UPDATE picture SET bytes = ?, changed = ? WHERE file = ? AND state = 0")?
        .execute(params![bytes, changed, file])?;
    if waits > 0 {
        return Ok(());
    }
    let before: Option<(Option<[u8; 32]>, Option<String>)> = transaction
        .prepare_cached("DELETE FROM picture WHERE file = ? RETURNING sha256, hash")?
        .query_row([&file], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?;
    let (sha256, hash) = before.unwrap_or_default();
    transaction
        .prepare_cached(
            "INSERT INTO picture (file, folder, bytes, changed, state, sha256, hash)
             VALUES (?, ?, ?, ?, 0, ?, ?)",
        )?
        .execute(params![
            file,
            to_bytes(&version.folder),
            bytes,
            changed,
            sha256,
            hash
        ])?;
    Ok(())
}

/// Remembers a version that is not to be uploaded; one that waits is left as
/// it is.
pub(super) fn leave_alone(
    transaction: &Transaction<'_>,
    version: &Version,
) -> rusqlite::Result<()> {
    transaction
        .prepare_cached(
            "INSERT INTO picture (file, folder, bytes, changed, state) VALUES (?, ?, ?, ?, 4)
             ON CONFLICT (file) DO UPDATE
             SET bytes = excluded.bytes, changed = excluded.changed, state = 4, reason = NULL
             WHERE state > 1",
        )?
        .execute(params![
            to_bytes(&version.file),
            to_bytes(&version.folder),
            number(version.file_version.bytes),
            version.file_version.changed
        ])?;
    Ok(())
}

/// Waiting rows whose retry time has come, those with the fewest failures first.
pub(super) fn next(
    connection: &Connection,
    most: usize,
    in_hand: &[i64],
    absent: &[PathBuf],
) -> rusqlite::Result<Vec<Picture>> {
    let marks = |count: usize| vec!["?"; count].join(", ");
    let sql = format!(
        "SELECT id, file, folder, bytes, changed, sha256, hash FROM picture
         WHERE state = {} AND id NOT IN ({}) AND folder NOT IN ({})
         ORDER BY tries, id LIMIT {most}",
        State::Waiting as i64,
        marks(in_hand.len()),
        marks(absent.len()),
    );
    let values = in_hand
        .iter()
        .map(|id| rusqlite::types::Value::Integer(*id))
        .chain(
            absent
                .iter()
                .map(|folder| rusqlite::types::Value::Blob(to_bytes(folder))),
        );
    let mut statement = connection.prepare_cached(&sql)?;
    let rows = statement.query_map(rusqlite::params_from_iter(values), |row| {
        Ok(Picture {
            id: row.get(0)?,
            file: from_bytes(row.get(1)?),
            folder: from_bytes(row.get(2)?),
            file_version: file_version(row, 3)?,
            sha256: row.get(5)?,
            hash: row.get(6)?,
        })
    })?;
    rows.collect()
}

/// Records that the service has it. When the file has got a newer version in
/// between, that one keeps waiting.
pub(super) fn uploaded(
    connection: &Connection,
    taken: &Picture,
    sha256: &[u8; 32],
    hash: &str,
    then: State,
) -> rusqlite::Result<()> {
    connection.execute(
        "UPDATE picture SET sha256 = ?, hash = ? WHERE id = ?",
        params![sha256, hash, taken.id],
    )?;
    connection.execute(
        "UPDATE picture SET state = ?, reason = NULL
         WHERE id = ? AND bytes = ? AND changed = ?",
        params![
            then as i64,
            taken.id,
            number(taken.file_version.bytes),
            taken.file_version.changed
        ],
    )?;
    Ok(())
}

/// Sets the version aside, unless there is a newer one.
pub(super) fn set_aside(
    connection: &Connection,
    taken: &Picture,
    reason: &Message,
) -> rusqlite::Result<()> {
    connection.execute(
        "UPDATE picture SET state = 3, reason = ? WHERE id = ? AND bytes = ? AND changed = ?",
        params![
            format!("{reason:#}"),
            taken.id,
            number(taken.file_version.bytes),
            taken.file_version.changed
        ],
    )?;
    Ok(())
}

/// Removes the uploads of these hashes; all with `None`.
pub(super) fn look_up_again(
    transaction: &Transaction<'_>,
    lost: Option<&[String]>,
) -> rusqlite::Result<()> {
    transaction.execute_batch("CREATE TEMP TABLE lost (hash TEXT PRIMARY KEY) WITHOUT ROWID")?;
    match lost {
        None => {
            let all = "INSERT OR IGNORE INTO lost SELECT hash FROM picture WHERE hash NOT NULL";
            transaction.execute(all, [])?;
        }
        Some(hashes) => {
            let mut one = transaction.prepare("INSERT OR IGNORE INTO lost VALUES (?)")?;
            for hash in hashes {
                one.execute([hash])?;
            }
        }
    }
    // A file without a row is treated as new.
    transaction.execute_batch(
        "DELETE FROM picture WHERE state IN (1, 2) AND hash IN (SELECT hash FROM lost);
         UPDATE picture SET sha256 = NULL, hash = NULL WHERE hash IN (SELECT hash FROM lost);
         DROP TABLE lost;",
    )
}

/// What was set aside, oldest first.
pub(super) fn all_set_aside(connection: &Connection) -> rusqlite::Result<Vec<SetAside>> {
    let mut statement =
        connection.prepare("SELECT id, file, reason FROM picture WHERE state = 3 ORDER BY id")?;
    let rows = statement.query_map([], |row| {
        Ok(SetAside {
            id: row.get(0)?,
            file: from_bytes(row.get(1)?),
            reason: Message::read(&row.get::<_, Option<String>>(2)?.unwrap_or_default()),
        })
    })?;
    rows.collect()
}

/// Returns rows to the queue when it is not certain that the service has them. A file that was put
/// away just before a kill no longer exists, so its row is removed.
pub(super) fn ask_again(connection: &Connection) -> rusqlite::Result<()> {
    let mut uploaded = connection.prepare("SELECT id, file FROM picture WHERE state = 1")?;
    let uploaded = uploaded.query_map([], |row| Ok((row.get(0)?, from_bytes(row.get(1)?))))?;
    let uploaded: Vec<(i64, PathBuf)> = uploaded.collect::<rusqlite::Result<_>>()?;
    for (id, file) in uploaded {
        if file.symlink_metadata().is_err() {
            connection.execute("DELETE FROM picture WHERE id = ?", [id])?;
        }
    }
    connection.execute(
        "UPDATE picture SET state = 0 WHERE state = 1 OR state = 2 AND hash IS NULL",
        [],
    )?;
    Ok(())
}

/// Forgets what waits in any other folder than these.
pub(super) fn drop_what_waits_elsewhere(
    connection: &Connection,
    watched: &[PathBuf],
) -> rusqlite::Result<()> {
    let marks = vec!["?"; watched.len()].join(", ");
    connection.execute(
        &format!("DELETE FROM picture WHERE state = 0 AND folder NOT IN ({marks})"),
        rusqlite::params_from_iter(watched.iter().map(|folder| to_bytes(folder))),
    )?;
    Ok(())
}

/// How many wait and how many were set aside.
pub(super) fn counts(connection: &Connection) -> rusqlite::Result<Counts> {
    let count = |state: State| {
        connection
            .prepare_cached("SELECT count(*) FROM picture WHERE state = ?")?
            .query_row([state as i64], |row| row.get::<_, i64>(0))
            .map(|count| u64::try_from(count).unwrap_or(0))
    };
    Ok(Counts {
        waiting: count(State::Waiting)?,
        set_aside: count(State::SetAside)?,
    })
}
