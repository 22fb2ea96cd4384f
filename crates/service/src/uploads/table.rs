//! The table `upload`: a row for each file from before it is sent until after the answer. So uploads
//! survive a kill, a full disk or a week without the object store.
//!
//! Rows of watched files stay when they are done: they record which version of a file was uploaded.
//! Those of added files stay until the list is cleared or the process ends.

use std::path::{Path, PathBuf};

use rusqlite::{Connection, Row, Transaction, params};
use serde_json::json;

use super::opened::FileVersion;
use super::window::{UploadState, UploadTrouble};
use crate::db::query::Query as _;
use crate::error::message::Message;
use crate::text::image_hash::ImageHash;

/// Part of the first version of the database.
pub(crate) const CREATE: &str = "
CREATE TABLE upload (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    file BLOB NOT NULL,
    -- The watched folder it is in; NULL where the owner added the file.
    folder BLOB,
    -- The album that the image gets if it is new.
    album TEXT,
    -- Size and time of the last change, in nanoseconds, of this version.
    bytes INTEGER NOT NULL,
    changed INTEGER NOT NULL,
    -- 0 waits, 1 uploaded and not put away yet, 2 done, 3 failed, 4 left alone.
    state INTEGER NOT NULL,
    -- How often it failed: those with fewer failures go first.
    tries INTEGER NOT NULL DEFAULT 0,
    -- The order in which they go out.
    turn INTEGER NOT NULL,
    -- Of the version that was uploaded last.
    sha256 BLOB,
    hash BLOB,
    -- How it ended, as JSON: the UploadState of an added file, the Message why a watched one failed.
    outcome TEXT
) STRICT;
CREATE UNIQUE INDEX upload_watched ON upload (file) WHERE folder NOT NULL;
CREATE INDEX upload_turn ON upload (state, tries, turn);
CREATE INDEX upload_added ON upload (state, id) WHERE folder IS NULL;
-- Watched folders whose first walk is over.
CREATE TABLE watched_folder (folder BLOB PRIMARY KEY) STRICT, WITHOUT ROWID;
";

/// Empties the tables, in a backup and in one that is restored: its uploads would be those of another
/// time, perhaps of another computer.
pub(crate) const FORGET_ALL: &str = "DELETE FROM upload; DELETE FROM watched_folder;";

/// Takes the rows of the attached database `before`, which this one has replaced. A watched file whose
/// image is gone is a new one: its digest is looked up again.
pub(crate) const TAKE_FROM_BEFORE: &str = "
DELETE FROM main.upload;
DELETE FROM main.watched_folder;
INSERT INTO main.upload SELECT * FROM before.upload;
INSERT INTO main.watched_folder SELECT * FROM before.watched_folder;
CREATE TEMP TABLE lost AS
    SELECT hash FROM (SELECT hash FROM before.image UNION SELECT hash FROM before.alias)
    WHERE hash NOT IN (SELECT hash FROM main.image) AND hash NOT IN (SELECT hash FROM main.alias);
DELETE FROM main.upload
    WHERE folder NOT NULL AND state IN (1, 2) AND hash IN (SELECT hash FROM lost);
UPDATE main.upload SET sha256 = NULL, hash = NULL WHERE hash IN (SELECT hash FROM lost);
DROP TABLE lost;
";

/// How many rows of added files are listed that failed, and that are done; the newest.
pub(super) const FAILED_LISTED: usize = 2_000;
const DONE_LISTED: usize = 200;

/// The state of a row; 4 is that of a watched file that is left alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    Waiting = 0,
    /// The service has it, and the file is not put away yet.
    Uploaded = 1,
    Done = 2,
    Failed = 3,
}

/// A row that waits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct QueuedFile {
    pub(super) id: i64,
    pub(super) file: PathBuf,
    /// The watched folder it is in; `None` where the owner added the file.
    pub(super) folder: Option<PathBuf>,
    pub(super) album: Option<String>,
    pub(super) file_version: FileVersion,
    /// The digest of the version that was uploaded last, and the hash of its image.
    pub(super) uploaded: Option<([u8; 32], ImageHash)>,
}

/// A row of an added file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct AddedFile {
    /// Its number. Later ones have higher numbers.
    pub(super) id: i64,
    pub(super) file: PathBuf,
    pub(super) bytes: u64,
    pub(super) state: UploadState,
}

/// An added file that has no row yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct NewFile {
    pub(super) file: PathBuf,
    pub(super) bytes: u64,
    /// Why it cannot be uploaded as it is; it is only kept to be retried.
    pub(super) trouble: Option<UploadTrouble>,
}

/// A version of a watched file that is complete.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Version {
    pub(super) folder: PathBuf,
    pub(super) file: PathBuf,
    /// The album that the image gets if it is new.
    pub(super) album: Option<String>,
    pub(super) file_version: FileVersion,
}

/// A watched file that can never work as it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SetAside {
    /// The number of its row.
    pub id: i64,
    pub file: PathBuf,
    pub reason: Message,
}

/// How many rows are in a state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Counts {
    /// Watched files.
    pub(super) waiting: u64,
    pub(super) set_aside: u64,
    /// Added files.
    pub(super) added_waiting: u64,
    pub(super) added_failed: u64,
}

fn integer(bytes: u64) -> i64 {
    i64::try_from(bytes).unwrap_or(i64::MAX)
}

fn bytes(row: &Row<'_>, column: &str) -> rusqlite::Result<u64> {
    Ok(u64::try_from(row.get::<_, i64>(column)?).unwrap_or(0))
}

/// The place in the order behind all that wait.
fn last_turn(look: &Connection) -> rusqlite::Result<i64> {
    let last = "SELECT ifnull(max(turn), 0) + 1 FROM upload WHERE state = 0";
    look.query_row(last, [], |row| row.get(0))
}

/// The place in the order of the first that waits.
fn first_turn(look: &Connection) -> rusqlite::Result<i64> {
    let first = "SELECT ifnull(min(turn), 0) FROM upload WHERE state = 0";
    look.query_row(first, [], |row| row.get(0))
}

/// How many wait and how many have failed.
pub(super) fn counts(look: &Connection) -> rusqlite::Result<Counts> {
    let sql =
        "SELECT state, folder IS NULL, count(*) FROM upload WHERE state IN (0, 3) GROUP BY 1, 2";
    let mut counts = Counts::default();
    for (state, is_added, count) in look.all(sql, [], |row| {
        Ok((row.get::<_, i64>(0)?, row.get(1)?, row.get::<_, u32>(2)?))
    })? {
        let of_these = match (state, is_added) {
            (0, false) => &mut counts.waiting,
            (0, true) => &mut counts.added_waiting,
            (_, false) => &mut counts.set_aside,
            (_, true) => &mut counts.added_failed,
        };
        *of_these = count.into();
    }
    Ok(counts)
}

/// Up to `most` waiting rows in order, except those in progress: of added files, and of these watched
/// folders.
pub(super) fn next(
    look: &Connection,
    most: usize,
    in_progress: &[i64],
    folders: &[PathBuf],
) -> rusqlite::Result<Vec<QueuedFile>> {
    let sql = "SELECT * FROM upload
               WHERE state = 0 AND id NOT IN (SELECT value FROM json_each(?1))
                   AND (folder IS NULL OR hex(folder) IN (SELECT value FROM json_each(?2)))
               ORDER BY tries, turn LIMIT ?3";
    let params = params![
        json!(in_progress).to_string(),
        hexes(folders),
        i64::try_from(most).unwrap_or(i64::MAX)
    ];
    look.all(sql, params, |row| {
        let (sha256, hash) = (row.get("sha256")?, row.get("hash")?);
        Ok(QueuedFile {
            id: row.get("id")?,
            file: from_bytes(row.get("file")?),
            folder: row.get::<_, Option<_>>("folder")?.map(from_bytes),
            album: row.get("album")?,
            file_version: FileVersion {
                bytes: bytes(row, "bytes")?,
                changed: row.get("changed")?,
            },
            uploaded: Option::zip(sha256, hash),
        })
    })
}

/// It failed once: others go first. One of a folder that is no longer watched is forgotten.
pub(super) fn failed_once(
    change: &Transaction<'_>,
    id: i64,
    watched: &[PathBuf],
) -> rusqlite::Result<()> {
    change.run("UPDATE upload SET tries = tries + 1 WHERE id = ?", [id])?;
    let unwatched = "DELETE FROM upload WHERE id = ? AND folder NOT NULL
                         AND hex(folder) NOT IN (SELECT value FROM json_each(?))";
    change.run(unwatched, (id, hexes(watched))).map(drop)
}

/// These paths, which need not be Unicode, as a list for SQL.
fn hexes(paths: &[PathBuf]) -> String {
    let paths = paths.iter();
    let hexes = paths.map(|path| hex::encode_upper(to_bytes(path)));
    json!(hexes.collect::<Vec<_>>()).to_string()
}

/// Those that failed wait again, behind all others: added files, or watched ones with `are_watched`;
/// these, or all with `None`. Their numbers.
pub(super) fn retry(
    change: &Transaction<'_>,
    are_watched: bool,
    ids: Option<&[i64]>,
) -> rusqlite::Result<Vec<i64>> {
    let sql = "UPDATE upload SET state = 0, tries = 0, outcome = NULL, turn = id + ?1
               WHERE state = 3 AND (folder NOT NULL) = ?2
                   AND (?3 = 'null' OR id IN (SELECT value FROM json_each(?3))) RETURNING id";
    let params = params![last_turn(change)?, are_watched, json!(ids).to_string()];
    change.all(sql, params, |row| row.get(0))
}

/// Adds files in this order, behind all that wait or before them; their numbers, which grow.
pub(super) fn add(
    change: &Transaction<'_>,
    files: &[NewFile],
    go_first: bool,
) -> rusqlite::Result<Vec<i64>> {
    let sql =
        "INSERT INTO upload (file, bytes, changed, state, turn, outcome) VALUES (?, ?, 0, ?, ?, ?)";
    let turns = match go_first {
        true => first_turn(change)? - i64::try_from(files.len()).unwrap_or(0)..,
        false => last_turn(change)?..,
    };
    let insert = files.iter().zip(turns).map(|(new, turn)| {
        let (state, outcome) = match new.trouble {
            None => (State::Waiting, None),
            Some(trouble) => (
                State::Failed,
                Some(to_text(&UploadState::Failed { trouble })),
            ),
        };
        let (file, bytes) = (to_bytes(&new.file), integer(new.bytes));
        change.run(sql, params![file, bytes, state as i64, turn, outcome])?;
        Ok(change.last_insert_rowid())
    });
    insert.collect()
}

fn to_text(state: &UploadState) -> String {
    json!(state).to_string()
}

fn added_file(row: &Row<'_>) -> rusqlite::Result<AddedFile> {
    let outcome: Option<String> = row.get("outcome")?;
    let state = match outcome {
        None => UploadState::Waiting { why: None },
        Some(text) => serde_json::from_str(&text).unwrap_or(UploadState::Failed {
            trouble: UploadTrouble::Storage,
        }),
    };
    Ok(AddedFile {
        id: row.get("id")?,
        file: from_bytes(row.get("file")?),
        bytes: bytes(row, "bytes")?,
        state,
    })
}

/// The added files that wait, and the newest of those that are over; oldest first.
pub(super) fn listed(look: &Connection) -> rusqlite::Result<Vec<AddedFile>> {
    let newest = |state, most| {
        format!(
            "SELECT id FROM (SELECT id FROM upload WHERE folder IS NULL AND state = {state}
                             ORDER BY id DESC LIMIT {most})"
        )
    };
    let sql = format!(
        "SELECT * FROM upload WHERE folder IS NULL AND (state = 0 OR id IN ({}) OR id IN ({}))
         ORDER BY id",
        newest(State::Failed as i64, FAILED_LISTED),
        newest(State::Done as i64, DONE_LISTED),
    );
    look.all(&sql, [], added_file)
}

/// The added files with these numbers.
pub(super) fn added(look: &Connection, ids: &[i64]) -> rusqlite::Result<Vec<AddedFile>> {
    let sql = "SELECT * FROM upload
               WHERE folder IS NULL AND id IN (SELECT value FROM json_each(?)) ORDER BY id";
    look.all(sql, [json!(ids).to_string()], added_file)
}

/// The added files in this state, oldest first: these, or all with `None`.
pub(super) fn added_in(
    look: &Connection,
    state: State,
    ids: Option<&[i64]>,
) -> rusqlite::Result<Vec<AddedFile>> {
    let sql = "SELECT * FROM upload WHERE folder IS NULL AND state = ?1
                   AND (?2 = 'null' OR id IN (SELECT value FROM json_each(?2))) ORDER BY id";
    let params = (state as i64, json!(ids).to_string());
    look.all(sql, params, added_file)
}

/// How an added file ended, and its size.
pub(super) fn end(
    change: &Transaction<'_>,
    id: i64,
    outcome: &UploadState,
    bytes: Option<u64>,
) -> rusqlite::Result<usize> {
    let state = match outcome {
        UploadState::Failed { .. } => State::Failed,
        _ => State::Done,
    };
    change.run(
        "UPDATE upload SET state = ?, outcome = ?, bytes = ifnull(?, bytes) WHERE id = ?",
        params![state as i64, to_text(outcome), bytes.map(integer), id],
    )
}

/// The file of this row is here now.
pub(super) fn move_to(change: &Transaction<'_>, id: i64, file: &Path) -> rusqlite::Result<usize> {
    let moved = "UPDATE upload SET file = ? WHERE id = ?";
    change.run(moved, (to_bytes(file), id))
}

/// Removes these rows.
pub(super) fn forget(change: &Transaction<'_>, ids: &[i64]) -> rusqlite::Result<usize> {
    let forget = "DELETE FROM upload WHERE id IN (SELECT value FROM json_each(?))";
    change.run(forget, [json!(ids).to_string()])
}

/// The watched files that were set aside, oldest first.
pub(super) fn all_set_aside(look: &Connection) -> rusqlite::Result<Vec<SetAside>> {
    let sql = "SELECT * FROM upload WHERE state = 3 AND folder NOT NULL ORDER BY id";
    look.all(sql, [], |row| {
        let reason: Option<String> = row.get("outcome")?;
        Ok(SetAside {
            id: row.get("id")?,
            file: from_bytes(row.get("file")?),
            reason: Message::read(&reason.unwrap_or_default()),
        })
    })
}

/// Ignores a watched file that was set aside until it changes, or with `None` all of them; how many.
pub(super) fn dismiss(change: &Transaction<'_>, id: Option<i64>) -> rusqlite::Result<usize> {
    let dismiss = "UPDATE upload SET state = 4, outcome = NULL
                   WHERE state = 3 AND folder NOT NULL AND id = ifnull(?, id)";
    change.run(dismiss, [id])
}

/// Those versions of watched files that have no row yet, in whatever state.
pub(super) fn unseen(
    look: &Connection,
    found: Vec<(PathBuf, FileVersion)>,
) -> rusqlite::Result<Vec<(PathBuf, FileVersion)>> {
    let sql = "SELECT 1 FROM upload
               WHERE folder NOT NULL AND file = ? AND bytes = ? AND changed = ?";
    let mut seen = look.prepare_cached(sql)?;
    let mut unseen = Vec::new();
    for (file, version) in found {
        let params = (to_bytes(&file), integer(version.bytes), version.changed);
        if !seen.exists(params)? {
            unseen.push((file, version));
        }
    }
    Ok(unseen)
}

/// Queues the first for upload, in this order, and records the second as left alone.
pub(super) fn put(
    change: &Transaction<'_>,
    pictures: &[Version],
    others: &[Version],
) -> rusqlite::Result<()> {
    // One that waits keeps its place; another one comes behind all others.
    let queue = "INSERT INTO upload (file, folder, album, bytes, changed, turn, state)
                 VALUES (?, ?, ?, ?, ?, ?, 0)
                 ON CONFLICT (file) WHERE folder NOT NULL DO UPDATE
                 SET folder = excluded.folder, album = excluded.album,
                     bytes = excluded.bytes, changed = excluded.changed,
                     turn = iif(state = 0, turn, excluded.turn), tries = iif(state = 0, tries, 0),
                     outcome = NULL, state = 0";
    // One that waits is left as it is.
    let leave = "INSERT INTO upload (file, folder, album, bytes, changed, turn, state)
                 VALUES (?, ?, ?, ?, ?, ?, 4)
                 ON CONFLICT (file) WHERE folder NOT NULL DO UPDATE
                 SET bytes = excluded.bytes, changed = excluded.changed, state = 4, outcome = NULL
                 WHERE state > 1";
    let of = |version: &Version, turn: i64| {
        let FileVersion { bytes, changed } = version.file_version;
        let (file, folder) = (to_bytes(&version.file), to_bytes(&version.folder));
        let album = version.album.clone();
        (file, folder, album, integer(bytes), changed, turn)
    };
    for (version, turn) in pictures.iter().zip(last_turn(change)?..) {
        change.run(queue, of(version, turn))?;
    }
    for version in others {
        change.run(leave, of(version, 0))?;
    }
    Ok(())
}

/// Returns rows that were uploaded but not put away to the queue, so that their digest is looked up
/// before their files are removed; a file that was put away just before a kill no longer exists, so
/// its row is removed. Those in progress are left as they are. Then removes waiting rows of folders that
/// are no longer watched; they are found again when the folders are watched again.
pub(super) fn resume(
    change: &Transaction<'_>,
    watched: &[PathBuf],
    in_progress: &[i64],
) -> rusqlite::Result<()> {
    let uploaded = "SELECT id, file FROM upload
                    WHERE state = 1 AND id NOT IN (SELECT value FROM json_each(?))";
    let uploaded = change.all(uploaded, [json!(in_progress).to_string()], |row| {
        Ok((row.get(0)?, from_bytes(row.get(1)?)))
    })?;
    let gone = uploaded
        .iter()
        .filter(|(_, file)| file.symlink_metadata().is_err());
    let gone: Vec<i64> = gone.map(|(id, _)| *id).collect();
    forget(change, &gone)?;
    let again = "UPDATE upload SET state = 0
                 WHERE state = 1 AND id NOT IN (SELECT value FROM json_each(?))";
    change.run(again, [json!(in_progress).to_string()])?;
    let unwatched = "DELETE FROM upload WHERE state = 0 AND folder NOT NULL
                         AND hex(folder) NOT IN (SELECT value FROM json_each(?))
                         AND id NOT IN (SELECT value FROM json_each(?))";
    let in_progress = json!(in_progress).to_string();
    change
        .run(unwatched, (hexes(watched), in_progress))
        .map(drop)
}

/// Whether the first walk of this watched folder is complete.
pub(super) fn knows_folder(look: &Connection, folder: &Path) -> rusqlite::Result<bool> {
    let mut known = look.prepare("SELECT 1 FROM watched_folder WHERE folder = ?")?;
    known.exists([to_bytes(folder)])
}

/// Records that the first walk of this watched folder is complete.
pub(super) fn know_folder(change: &Transaction<'_>, folder: &Path) -> rusqlite::Result<usize> {
    let insert = "INSERT OR IGNORE INTO watched_folder (folder) VALUES (?)";
    change.run(insert, [to_bytes(folder)])
}

/// Records that the service has this version of a watched file, and its state then. Where the file has
/// got a newer version in between, that one keeps waiting.
pub(super) fn uploaded(
    change: &Transaction<'_>,
    sent: &QueuedFile,
    sha256: [u8; 32],
    hash: ImageHash,
    then: State,
) -> rusqlite::Result<usize> {
    let FileVersion { bytes, changed } = sent.file_version;
    change.run(
        "UPDATE upload SET sha256 = ?1, hash = ?2,
             state = iif(bytes = ?3 AND changed = ?4, ?5, state) WHERE id = ?6",
        params![sha256, hash, integer(bytes), changed, then as i64, sent.id],
    )
}

/// The file was put away: one that comes in its place is a new image.
pub(super) fn put_away(change: &Transaction<'_>, id: i64) -> rusqlite::Result<usize> {
    change.run("DELETE FROM upload WHERE id = ? AND state = 1", [id])
}

/// The file stays where it is.
pub(super) fn keep(change: &Transaction<'_>, id: i64) -> rusqlite::Result<usize> {
    change.run(
        "UPDATE upload SET state = 2 WHERE id = ? AND state = 1",
        [id],
    )
}

/// The file has changed or is gone. A newer version that waits keeps waiting.
pub(super) fn forget_version(
    change: &Transaction<'_>,
    sent: &QueuedFile,
) -> rusqlite::Result<usize> {
    let FileVersion { bytes, changed } = sent.file_version;
    let delete = "DELETE FROM upload WHERE id = ? AND state = 0 AND bytes = ? AND changed = ?";
    change.run(delete, (sent.id, integer(bytes), changed))
}

/// This version of a watched file can never work as it is.
pub(super) fn set_aside(
    change: &Transaction<'_>,
    sent: &QueuedFile,
    reason: &Message,
) -> rusqlite::Result<usize> {
    let FileVersion { bytes, changed } = sent.file_version;
    let set_aside = "UPDATE upload SET state = 3, outcome = ?
                     WHERE id = ? AND bytes = ? AND changed = ?";
    let params = (reason.to_json(), sent.id, integer(bytes), changed);
    change.run(set_aside, params)
}

/// The path's own bytes, so that a name that is no text comes back as it was; on Windows its UTF-16
/// words, low byte first.
#[cfg(unix)]
fn to_bytes(path: &Path) -> Vec<u8> {
    use std::os::unix::ffi::OsStrExt as _;
    path.as_os_str().as_bytes().to_vec()
}

/// The path that [`to_bytes`] was given.
#[cfg(unix)]
fn from_bytes(bytes: Vec<u8>) -> PathBuf {
    use std::os::unix::ffi::OsStringExt as _;
    std::ffi::OsString::from_vec(bytes).into()
}

/// The path's own bytes, so that a name that is no text comes back as it was; on Windows its UTF-16
/// words, low byte first.
#[cfg(windows)]
fn to_bytes(path: &Path) -> Vec<u8> {
    use std::os::windows::ffi::OsStrExt as _;
    let words = path.as_os_str().encode_wide();
    words.flat_map(u16::to_le_bytes).collect()
}

/// The path that [`to_bytes`] was given.
#[cfg(windows)]
fn from_bytes(bytes: Vec<u8>) -> PathBuf {
    use std::os::windows::ffi::OsStringExt as _;
    let words: Vec<u16> = bytes
        .chunks_exact(2)
        .map(|word| u16::from_le_bytes([word[0], word[1]]))
        .collect();
    std::ffi::OsString::from_wide(&words).into()
}

#[cfg(test)]
mod tests;
