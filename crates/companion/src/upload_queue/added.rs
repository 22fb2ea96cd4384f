//! The table of added files: those that the owner dropped, chose, pasted or handed over. No watched
//! folder finds them again, so a row is on the disk before it counts as taken.

use std::path::PathBuf;

use rusqlite::{Connection, OptionalExtension as _, Transaction, TransactionBehavior, params};

use super::path::{from_bytes, to_bytes};
use super::{UploadQueue, UploadQueueError};

/// Made by the second step.
pub(super) const CREATE: &str = "
CREATE TABLE added (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    -- Empty for a row that only counts files that were left out.
    file BLOB NOT NULL,
    bytes INTEGER NOT NULL,
    -- 0 waits, 1 under way, 2 failed.
    state INTEGER NOT NULL,
    -- The order in which they go out.
    turn INTEGER NOT NULL,
    -- How often the service failed on it.
    tries INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX added_turn ON added (state, tries, turn);
";

/// A file to be added.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewFile {
    /// The file; empty for what was left out, which cannot be retried.
    pub file: PathBuf,
    /// Its size.
    pub bytes: u64,
    /// It cannot be uploaded as it is, and is only kept to be retried.
    pub failed: bool,
}

/// An added file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AddedFile {
    /// Its number. Later ones have higher numbers.
    pub id: i64,
    /// The file.
    pub file: PathBuf,
    /// Its size.
    pub bytes: u64,
}

fn read(connection: &Connection, rest: &str) -> rusqlite::Result<Vec<AddedFile>> {
    let sql = format!("SELECT id, file, bytes FROM added {rest}");
    let mut statement = connection.prepare(&sql)?;
    let rows = statement.query_map([], |row| {
        Ok(AddedFile {
            id: row.get(0)?,
            file: from_bytes(row.get(1)?),
            bytes: u64::try_from(row.get::<_, i64>(2)?).unwrap_or(0),
        })
    })?;
    rows.collect()
}

fn last_turn(transaction: &Transaction<'_>) -> rusqlite::Result<i64> {
    transaction.query_row("SELECT ifnull(max(turn), 0) FROM added", [], |row| {
        row.get(0)
    })
}

/// In one transaction that is on the disk when this returns.
fn durably<T>(
    connection: &mut Connection,
    work: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T>,
) -> rusqlite::Result<T> {
    // A commit then forces the write-ahead log to the disk.
    connection.pragma_update(None, "synchronous", "FULL")?;
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let done = work(&transaction).and_then(|done| transaction.commit().map(|()| done));
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    done
}

fn in_one<T>(
    connection: &mut Connection,
    work: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T>,
) -> rusqlite::Result<T> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let done = work(&transaction)?;
    transaction.commit()?;
    Ok(done)
}

impl UploadQueue {
    /// Starts where an earlier run ended: what was under way waits, and what failed is gone.
    pub(crate) async fn resume_added(&self) -> Result<Vec<AddedFile>, UploadQueueError> {
        self.run(|connection| {
            in_one(connection, |transaction| {
                transaction.execute("DELETE FROM added WHERE state = 2", [])?;
                transaction.execute("UPDATE added SET state = 0 WHERE state = 1", [])?;
                read(transaction, "ORDER BY id")
            })
        })
        .await
    }

    /// What was cut off waits again.
    pub(crate) async fn release_added(&self) -> Result<(), UploadQueueError> {
        self.run(|connection| connection.execute("UPDATE added SET state = 0 WHERE state = 1", []))
            .await
            .map(drop)
    }

    /// Adds files in this order; their numbers. They are on the disk when this returns.
    pub(crate) async fn add(&self, files: Vec<NewFile>) -> Result<Vec<i64>, UploadQueueError> {
        self.run(move |connection| {
            durably(connection, |transaction| {
                let last = last_turn(transaction)?;
                let mut insert = transaction
                    .prepare("INSERT INTO added (file, bytes, state, turn) VALUES (?, ?, ?, ?)")?;
                let insert = files.iter().zip(last + 1..).map(|(new, turn)| {
                    let bytes = i64::try_from(new.bytes).unwrap_or(i64::MAX);
                    let state = if new.failed { 2 } else { 0 };
                    insert.insert(params![to_bytes(&new.file), bytes, state, turn])
                });
                insert.collect()
            })
        })
        .await
    }

    /// All of them, oldest first.
    pub(crate) async fn all_added(&self) -> Result<Vec<AddedFile>, UploadQueueError> {
        self.run(|connection| read(connection, "ORDER BY id")).await
    }

    /// How many wait.
    pub(crate) async fn added_that_wait(&self) -> Result<u64, UploadQueueError> {
        self.run(|connection| {
            connection.query_row("SELECT count(*) FROM added WHERE state = 0", [], |row| {
                row.get::<_, i64>(0)
            })
        })
        .await
        .map(|count| u64::try_from(count).unwrap_or(0))
    }

    /// Up to `most` that wait, in order, except those in progress.
    pub(crate) async fn next_added(
        &self,
        most: usize,
        in_hand: Vec<i64>,
    ) -> Result<Vec<AddedFile>, UploadQueueError> {
        let in_hand: Vec<String> = in_hand.iter().map(i64::to_string).collect();
        let in_hand = in_hand.join(", ");
        self.run(move |connection| {
            read(
                connection,
                &format!(
                    "WHERE state = 0 AND id NOT IN ({in_hand}) ORDER BY tries, turn LIMIT {most}"
                ),
            )
        })
        .await
    }

    /// From now on it is under way; `false` where it does not wait any more.
    pub(crate) async fn begin_added(&self, id: i64) -> Result<bool, UploadQueueError> {
        self.set_added(id, "state = 1 WHERE state = 0").await
    }

    /// It waits again.
    pub(crate) async fn postpone_added(&self, id: i64) -> Result<bool, UploadQueueError> {
        self.set_added(id, "state = 0 WHERE state = 1").await
    }

    /// The service failed on it: others go first.
    pub(crate) async fn added_failed_once(&self, id: i64) -> Result<bool, UploadQueueError> {
        self.set_added(id, "tries = tries + 1 WHERE true").await
    }

    /// It is kept to be retried.
    pub(crate) async fn added_failed(&self, id: i64) -> Result<bool, UploadQueueError> {
        self.set_added(id, "state = 2 WHERE state = 1").await
    }

    async fn set_added(&self, id: i64, to: &'static str) -> Result<bool, UploadQueueError> {
        self.run(move |connection| {
            connection.execute(&format!("UPDATE added SET {to} AND id = ?"), [id])
        })
        .await
        .map(|changed| changed > 0)
    }

    /// The service has it.
    pub(crate) async fn added_is_done(&self, id: i64) -> Result<(), UploadQueueError> {
        self.run(move |connection| connection.execute("DELETE FROM added WHERE id = ?", [id]))
            .await
            .map(drop)
    }

    /// Those that failed wait again, behind all others; which those are. They are on the disk when
    /// this returns.
    pub(crate) async fn retry_added(&self, ids: Vec<i64>) -> Result<Vec<i64>, UploadQueueError> {
        self.run(move |connection| {
            durably(connection, |transaction| {
                let last = last_turn(transaction)?;
                let mut again = Vec::new();
                for (id, turn) in ids.into_iter().zip(last + 1..) {
                    let changed = transaction
                        .prepare_cached(
                            "UPDATE added SET state = 0, tries = 0, turn = ?
                             WHERE id = ? AND state = 2 AND length(file) > 0",
                        )?
                        .execute([turn, id])?;
                    if changed > 0 {
                        again.push(id);
                    }
                }
                Ok(again)
            })
        })
        .await
    }

    /// Forgets those that failed; their files.
    pub(crate) async fn dismiss_added(
        &self,
        ids: Vec<i64>,
    ) -> Result<Vec<PathBuf>, UploadQueueError> {
        self.run(move |connection| {
            in_one(connection, |transaction| {
                let mut gone = Vec::new();
                for id in ids {
                    gone.extend(remove(transaction, id, 2)?);
                }
                Ok(gone)
            })
        })
        .await
    }

    /// Forgets those of these that wait; their numbers and files.
    pub(crate) async fn cancel_added(
        &self,
        ids: Vec<i64>,
    ) -> Result<Vec<(i64, PathBuf)>, UploadQueueError> {
        self.run(move |connection| {
            durably(connection, |transaction| {
                let mut gone = Vec::new();
                for id in ids {
                    gone.extend(remove(transaction, id, 0)?.map(|file| (id, file)));
                }
                Ok(gone)
            })
        })
        .await
    }
}

fn remove(transaction: &Transaction<'_>, id: i64, state: i64) -> rusqlite::Result<Option<PathBuf>> {
    transaction
        .prepare_cached("DELETE FROM added WHERE id = ? AND state = ? RETURNING file")?
        .query_row([id, state], |row| Ok(from_bytes(row.get(0)?)))
        .optional()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn what_was_added_is_on_the_disk_before_that_is_said() {
        let folder = tempfile::tempdir().expect("a folder");
        let queue = UploadQueue::open_for_added(folder.path()).await;
        let queue = queue.expect("a queue");
        let levels = queue.run(|connection| {
            let level = |connection: &Connection| {
                connection.pragma_query_value(None, "synchronous", |row| row.get::<_, i64>(0))
            };
            let within = durably(connection, |transaction| level(transaction))?;
            Ok((within, level(connection)?))
        });
        // 2 forces each commit to the disk, and 1 leaves that to the system.
        assert_eq!(levels.await.expect("levels"), (2, 1));
    }

    #[tokio::test]
    async fn those_that_failed_or_are_retried_come_after_the_others() {
        let folder = tempfile::tempdir().expect("a folder");
        let queue = UploadQueue::open_for_added(folder.path()).await;
        let queue = queue.expect("a queue");
        let new = |name: &str| NewFile {
            file: folder.path().join(name),
            bytes: 5,
            failed: false,
        };
        let files = ["a", "b", "c", "d"].map(new).to_vec();
        assert_eq!(queue.add(files).await.expect("added"), [1, 2, 3, 4]);
        let order = async |in_hand: Vec<i64>| {
            let next = queue.next_added(10, in_hand).await.expect("rows");
            next.iter().map(|row| row.id).collect::<Vec<_>>()
        };
        assert_eq!(order(vec![2]).await, [1, 3, 4]);
        assert!(queue.begin_added(1).await.expect("written"));
        assert!(
            !queue.begin_added(1).await.expect("written"),
            "it is not waiting"
        );
        assert!(queue.added_failed(1).await.expect("written"));
        assert!(queue.added_failed_once(2).await.expect("written"));
        assert_eq!(order(Vec::new()).await, [3, 4, 2]);
        let again = queue.retry_added(vec![1, 3, 9]).await;
        assert_eq!(again.expect("written"), [1], "only that one has failed");
        assert_eq!(order(Vec::new()).await, [3, 4, 1, 2]);
        let left_out = NewFile {
            failed: true,
            file: PathBuf::new(),
            bytes: 0,
        };
        assert_eq!(queue.add(vec![left_out]).await.expect("added"), [5]);
        let again = queue.retry_added(vec![5]).await;
        assert!(again.expect("written").is_empty(), "there is no file");
    }
}
