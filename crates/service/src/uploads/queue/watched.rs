//! The table of watched files: one row a file, from before its upload on. Rows stay when they are
//! done: they record which version of a file was uploaded.

use std::path::{Path, PathBuf};

use rusqlite::{Row, Transaction, params, params_from_iter};

use super::{UploadQueue, UploadQueueError, from_bytes, in_one, list, to_bytes};
use crate::db::query::Query as _;
use crate::error::message::Message;
use crate::uploads::opened::FileVersion;

/// Part of the first version.
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

/// The state of a row whose version the service has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum State {
    /// It is not put away yet.
    Uploaded = 1,
    Done = 2,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct WatchedFile {
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
    /// Its number, for [`UploadQueue::retry`] and [`UploadQueue::dismiss`].
    pub id: i64,
    pub file: PathBuf,
    pub reason: Message,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    pub waiting: u64,
    pub set_aside: u64,
}

/// The two columns of a version.
fn columns(version: FileVersion) -> (i64, i64) {
    let bytes = i64::try_from(version.bytes).unwrap_or(i64::MAX);
    (bytes, version.changed)
}

fn file_version(row: &Row<'_>, first: usize) -> rusqlite::Result<FileVersion> {
    Ok(FileVersion {
        bytes: u64::try_from(row.get::<_, i64>(first)?).unwrap_or(0),
        changed: row.get(first + 1)?,
    })
}

impl UploadQueue {
    /// What was set aside, oldest first.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub async fn all_set_aside(&self) -> Result<Vec<SetAside>, UploadQueueError> {
        self.run(|connection| {
            let sql = "SELECT id, file, reason FROM picture WHERE state = 3 ORDER BY id";
            let mut select = connection.prepare(sql)?;
            let rows = select.query_map([], |row| {
                Ok(SetAside {
                    id: row.get(0)?,
                    file: from_bytes(row.get(1)?),
                    reason: Message::read(&row.get::<_, Option<String>>(2)?.unwrap_or_default()),
                })
            })?;
            rows.collect()
        })
        .await
    }

    /// How many wait and how many were set aside.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub async fn counts(&self) -> Result<Counts, UploadQueueError> {
        self.run(|connection| {
            let sql = "SELECT count(*) FILTER (WHERE state = 0), count(*) FILTER (WHERE state = 3)
                       FROM picture WHERE state IN (0, 3)";
            connection.prepare_cached(sql)?.query_row([], |row| {
                Ok(Counts {
                    waiting: row.get::<_, u32>(0)?.into(),
                    set_aside: row.get::<_, u32>(1)?.into(),
                })
            })
        })
        .await
    }

    /// Retries a file that was set aside, or with `None` all of them; returns
    /// how many.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub async fn retry(&self, id: Option<i64>) -> Result<usize, UploadQueueError> {
        let retry = "UPDATE picture SET state = 0, tries = 0, reason = NULL
                     WHERE state = 3 AND id = ifnull(?, id)";
        self.execute(retry, (id,)).await
    }

    /// Ignores a file that was set aside until it changes, or with `None` all
    /// of them; returns how many.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub async fn dismiss(&self, id: Option<i64>) -> Result<usize, UploadQueueError> {
        let dismiss = "UPDATE picture SET state = 4, reason = NULL
                       WHERE state = 3 AND id = ifnull(?, id)";
        self.execute(dismiss, (id,)).await
    }

    /// Those versions that are not in the upload queue yet, in whatever state.
    pub(crate) async fn unseen(
        &self,
        found: Vec<(PathBuf, FileVersion)>,
    ) -> Result<Vec<(PathBuf, FileVersion)>, UploadQueueError> {
        self.run(move |connection| {
            let sql = "SELECT 1 FROM picture WHERE file = ? AND bytes = ? AND changed = ?";
            let mut seen = connection.prepare_cached(sql)?;
            let mut unseen = Vec::new();
            for (file, version) in found {
                let (bytes, changed) = columns(version);
                if !seen.exists((to_bytes(&file), bytes, changed))? {
                    unseen.push((file, version));
                }
            }
            Ok(unseen)
        })
        .await
    }

    /// Queues the first for upload, in this order, and records the second as
    /// ignored; all in one transaction.
    pub(crate) async fn put(
        &self,
        pictures: Vec<Version>,
        others: Vec<Version>,
    ) -> Result<(), UploadQueueError> {
        self.run(move |connection| {
            in_one(connection, |transaction| {
                pictures.iter().try_for_each(|new| put(transaction, new))?;
                others
                    .iter()
                    .try_for_each(|new| leave_alone(transaction, new))
            })
        })
        .await
    }

    /// Returns rows that were uploaded but not put away to the queue, so that the service is
    /// queried before their files are removed. Then removes waiting rows of folders that are no
    /// longer watched; they are found again when the folders are watched again.
    pub(crate) async fn resume(&self, watched: &[PathBuf]) -> Result<(), UploadQueueError> {
        let watched: Vec<_> = watched.iter().map(|folder| to_bytes(folder)).collect();
        self.run(move |connection| {
            in_one(connection, |transaction| {
                ask_again(transaction)?;
                let marks = vec!["?"; watched.len()].join(", ");
                let elsewhere =
                    format!("DELETE FROM picture WHERE state = 0 AND folder NOT IN ({marks})");
                transaction.execute(&elsewhere, params_from_iter(watched))
            })
        })
        .await
        .map(drop)
    }

    /// Whether the first scan of this watched folder is complete.
    pub(crate) async fn knows_folder(&self, folder: &Path) -> Result<bool, UploadQueueError> {
        let folder = to_bytes(folder);
        self.run(move |connection| {
            let mut known = connection.prepare("SELECT 1 FROM folder WHERE folder = ?")?;
            known.exists([folder])
        })
        .await
    }

    /// Records that the first scan of this watched folder is complete.
    pub(crate) async fn know_folder(&self, folder: &Path) -> Result<(), UploadQueueError> {
        let insert = "INSERT OR IGNORE INTO folder (folder) VALUES (?)";
        self.execute(insert, (to_bytes(folder),)).await.map(drop)
    }

    /// Up to `most` waiting rows, those with the fewest failures first, except those in progress
    /// and those of folders that are absent.
    pub(crate) async fn next(
        &self,
        most: usize,
        in_hand: Vec<i64>,
        absent: Vec<PathBuf>,
    ) -> Result<Vec<WatchedFile>, UploadQueueError> {
        let sql = format!(
            "SELECT id, file, folder, bytes, changed, sha256, hash FROM picture
             WHERE state = 0 AND id NOT IN ({}) AND folder NOT IN ({})
             ORDER BY tries, id LIMIT {most}",
            list(&in_hand),
            vec!["?"; absent.len()].join(", "),
        );
        self.run(move |connection| {
            let absent = absent.iter().map(|folder| to_bytes(folder));
            let mut select = connection.prepare_cached(&sql)?;
            let rows = select.query_map(params_from_iter(absent), |row| {
                Ok(WatchedFile {
                    id: row.get(0)?,
                    file: from_bytes(row.get(1)?),
                    folder: from_bytes(row.get(2)?),
                    file_version: file_version(row, 3)?,
                    sha256: row.get(5)?,
                    hash: row.get(6)?,
                })
            })?;
            rows.collect()
        })
        .await
    }

    /// Records that the service has this version of the file. When the file has got a newer version
    /// in between, that one keeps waiting.
    pub(crate) async fn uploaded(
        &self,
        taken: WatchedFile,
        sha256: [u8; 32],
        hash: String,
        then: State,
    ) -> Result<(), UploadQueueError> {
        let (bytes, changed) = columns(taken.file_version);
        self.run(move |connection| {
            in_one(connection, |transaction| {
                transaction.execute(
                    "UPDATE picture SET sha256 = ?, hash = ? WHERE id = ?",
                    params![sha256, hash, taken.id],
                )?;
                transaction.execute(
                    "UPDATE picture SET state = ?, reason = NULL
                     WHERE id = ? AND bytes = ? AND changed = ?",
                    params![then as i64, taken.id, bytes, changed],
                )
            })
        })
        .await
        .map(drop)
    }

    /// The file was put away: one that comes in its place is a new image.
    pub(crate) async fn put_away(&self, id: i64) -> Result<(), UploadQueueError> {
        let delete = "DELETE FROM picture WHERE id = ? AND state = 1";
        self.execute(delete, (id,)).await.map(drop)
    }

    /// The file stays where it is.
    pub(crate) async fn keep(&self, id: i64) -> Result<(), UploadQueueError> {
        let keep = "UPDATE picture SET state = 2 WHERE id = ? AND state = 1";
        self.execute(keep, (id,)).await.map(drop)
    }

    /// The file has changed or is gone. A newer version that waits keeps waiting.
    pub(crate) async fn forget_version(&self, taken: &WatchedFile) -> Result<(), UploadQueueError> {
        let delete = "DELETE FROM picture WHERE id = ? AND state = 0 AND bytes = ? AND changed = ?";
        let (bytes, changed) = columns(taken.file_version);
        self.execute(delete, (taken.id, bytes, changed))
            .await
            .map(drop)
    }

    /// The service failed on it: others go first.
    pub(crate) async fn failed(&self, id: i64) -> Result<(), UploadQueueError> {
        let failed = "UPDATE picture SET tries = tries + 1 WHERE id = ?";
        self.execute(failed, (id,)).await.map(drop)
    }

    /// This version can never work as it is.
    pub(crate) async fn set_aside(
        &self,
        taken: WatchedFile,
        reason: Message,
    ) -> Result<(), UploadQueueError> {
        let set_aside = "UPDATE picture SET state = 3, reason = ?
                         WHERE id = ? AND bytes = ? AND changed = ?";
        let (bytes, changed) = columns(taken.file_version);
        let values = (reason.to_json(), taken.id, bytes, changed);
        self.execute(set_aside, values).await.map(drop)
    }
}

/// Queues the version behind all others. One that waits already keeps its
/// place.
fn put(transaction: &Transaction<'_>, version: &Version) -> rusqlite::Result<()> {
    let file = to_bytes(&version.file);
    let (bytes, changed) = columns(version.file_version);
    let waits = transaction.run(
        "UPDATE picture SET bytes = ?, changed = ? WHERE file = ? AND state = 0",
        params![bytes, changed, file],
    )?;
    if waits > 0 {
        return Ok(());
    }
    let before: Option<(Option<[u8; 32]>, Option<String>)> = transaction.first(
        "DELETE FROM picture WHERE file = ? RETURNING sha256, hash",
        [&file],
        |row| Ok((row.get(0)?, row.get(1)?)),
    )?;
    let (sha256, hash) = before.unwrap_or_default();
    transaction.run(
        "INSERT INTO picture (file, folder, bytes, changed, state, sha256, hash)
             VALUES (?, ?, ?, ?, 0, ?, ?)",
        params![
            file,
            to_bytes(&version.folder),
            bytes,
            changed,
            sha256,
            hash
        ],
    )?;
    Ok(())
}

/// Remembers a version that is not to be uploaded; one that waits is left as
/// it is.
fn leave_alone(transaction: &Transaction<'_>, version: &Version) -> rusqlite::Result<()> {
    let (bytes, changed) = columns(version.file_version);
    transaction.run(
        "INSERT INTO picture (file, folder, bytes, changed, state) VALUES (?, ?, ?, ?, 4)
             ON CONFLICT (file) DO UPDATE
             SET bytes = excluded.bytes, changed = excluded.changed, state = 4, reason = NULL
             WHERE state > 1",
        params![
            to_bytes(&version.file),
            to_bytes(&version.folder),
            bytes,
            changed
        ],
    )?;
    Ok(())
}

/// Returns rows to the queue when it is not certain that the service has them. A file that was put
/// away just before a kill no longer exists, so its row is removed.
fn ask_again(connection: &Transaction<'_>) -> rusqlite::Result<()> {
    let mut uploaded = connection.prepare("SELECT id, file FROM picture WHERE state = 1")?;
    let uploaded = uploaded.query_map([], |row| Ok((row.get(0)?, from_bytes(row.get(1)?))))?;
    let uploaded: Vec<(i64, PathBuf)> = uploaded.collect::<rusqlite::Result<_>>()?;
    for (id, file) in uploaded {
        if file.symlink_metadata().is_err() {
            connection.execute("DELETE FROM picture WHERE id = ?", [id])?;
        }
    }
    connection.execute("UPDATE picture SET state = 0 WHERE state = 1", [])?;
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
