//! The table of added files: those that the owner dropped, chose, pasted or handed over. No watched
//! folder finds them again, so a row is on the disk before it counts as taken.

use std::path::PathBuf;

use rusqlite::{Connection, Transaction, params};

use super::{UploadQueue, UploadQueueError, durably, from_bytes, list, to_bytes};
use crate::db::query::Query as _;
use crate::uploads::window::UploadTrouble;

/// Part of the first version. What is under way is known to the process alone.
pub(super) const CREATE: &str = "
CREATE TABLE added (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    -- Empty for a row that only counts files that were left out.
    file BLOB NOT NULL,
    bytes INTEGER NOT NULL,
    -- The order in which they go out.
    turn INTEGER NOT NULL,
    -- How often the service failed on it.
    tries INTEGER NOT NULL DEFAULT 0,
    -- An UploadTrouble as JSON where it failed, until the owner retries or dismisses it, and NULL
    -- while it waits.
    trouble TEXT
) STRICT;
CREATE INDEX added_turn ON added (tries, turn) WHERE trouble IS NULL;
";

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewFile {
    /// The file; empty for what was left out, which cannot be retried.
    pub file: PathBuf,
    pub bytes: u64,
    /// Why it cannot be uploaded as it is; it is only kept to be retried.
    pub trouble: Option<UploadTrouble>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AddedFile {
    /// Its number. Later ones have higher numbers.
    pub id: i64,
    pub file: PathBuf,
    pub bytes: u64,
    /// Why it failed; `None` while it waits.
    pub trouble: Option<UploadTrouble>,
}

const FORGET: &str = "DELETE FROM added WHERE id = ?";

/// As JSON.
fn to_text(trouble: UploadTrouble) -> String {
    serde_json::json!(trouble).to_string()
}

fn read(connection: &Connection, rest: &str) -> rusqlite::Result<Vec<AddedFile>> {
    let sql = format!("SELECT id, file, bytes, trouble FROM added {rest}");
    let mut statement = connection.prepare(&sql)?;
    let rows = statement.query_map([], |row| {
        let trouble: Option<String> = row.get(3)?;
        // One of a later version.
        let read = |text: String| serde_json::from_str(&text).unwrap_or(UploadTrouble::Storage);
        Ok(AddedFile {
            id: row.get(0)?,
            file: from_bytes(row.get(1)?),
            bytes: u64::try_from(row.get::<_, i64>(2)?).unwrap_or(0),
            trouble: trouble.map(read),
        })
    })?;
    rows.collect()
}

fn last_turn(transaction: &Transaction<'_>) -> rusqlite::Result<i64> {
    transaction.query_row("SELECT ifnull(max(turn), 0) FROM added", [], |row| {
        row.get(0)
    })
}

impl UploadQueue {
    /// Adds files in this order; their numbers. They are on the disk when this returns.
    pub(crate) async fn add(&self, files: Vec<NewFile>) -> Result<Vec<i64>, UploadQueueError> {
        self.run(move |connection| {
            durably(connection, |transaction| {
                let last = last_turn(transaction)?;
                let mut insert = transaction.prepare(
                    "INSERT INTO added (file, bytes, trouble, turn) VALUES (?, ?, ?, ?)",
                )?;
                let insert = files.iter().zip(last + 1..).map(|(new, turn)| {
                    let bytes = i64::try_from(new.bytes).unwrap_or(i64::MAX);
                    let trouble = new.trouble.map(to_text);
                    insert.insert(params![to_bytes(&new.file), bytes, trouble, turn])
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

    pub(crate) async fn added_that_wait(&self) -> Result<u64, UploadQueueError> {
        self.run(|connection| {
            let count = "SELECT count(*) FROM added WHERE trouble IS NULL";
            connection.query_row(count, [], |row| row.get::<_, u32>(0))
        })
        .await
        .map(u64::from)
    }

    /// Up to `most` that wait, in order, except those in progress.
    pub(crate) async fn next_added(
        &self,
        most: usize,
        in_hand: Vec<i64>,
    ) -> Result<Vec<AddedFile>, UploadQueueError> {
        let rest = format!(
            "WHERE trouble IS NULL AND id NOT IN ({}) ORDER BY tries, turn LIMIT {most}",
            list(&in_hand)
        );
        self.run(move |connection| read(connection, &rest)).await
    }

    /// Whether it waits; the owner may have cancelled it.
    pub(crate) async fn added_waits(&self, id: i64) -> Result<bool, UploadQueueError> {
        self.run(move |connection| {
            let sql = "SELECT 1 FROM added WHERE id = ? AND trouble IS NULL";
            connection.prepare_cached(sql)?.exists([id])
        })
        .await
    }

    /// The service failed on it: others go first.
    pub(crate) async fn added_failed_once(&self, id: i64) -> Result<(), UploadQueueError> {
        let failed = "UPDATE added SET tries = tries + 1 WHERE id = ?";
        self.execute(failed, (id,)).await.map(drop)
    }

    /// It is kept to be retried.
    pub(crate) async fn added_failed(
        &self,
        id: i64,
        trouble: UploadTrouble,
    ) -> Result<(), UploadQueueError> {
        let failed = "UPDATE added SET trouble = ? WHERE id = ?";
        self.execute(failed, (to_text(trouble), id)).await.map(drop)
    }

    /// The service has it.
    pub(crate) async fn added_is_done(&self, id: i64) -> Result<(), UploadQueueError> {
        self.execute(FORGET, (id,)).await.map(drop)
    }

    /// Those that failed wait again, behind all others; which those are. They are on the disk when
    /// this returns.
    pub(crate) async fn retry_added(&self, ids: Vec<i64>) -> Result<Vec<i64>, UploadQueueError> {
        self.run(move |connection| {
            durably(connection, |transaction| {
                let last = last_turn(transaction)?;
                let mut again = Vec::new();
                for (id, turn) in ids.into_iter().zip(last + 1..) {
                    let retry = "UPDATE added SET trouble = NULL, tries = 0, turn = ?
                                 WHERE id = ? AND trouble NOT NULL AND length(file) > 0";
                    if transaction.run(retry, [turn, id])? > 0 {
                        again.push(id);
                    }
                }
                Ok(again)
            })
        })
        .await
    }

    /// The file of this row is here now.
    pub(crate) async fn move_added(&self, id: i64, file: PathBuf) -> Result<(), UploadQueueError> {
        let moved = "UPDATE added SET file = ? WHERE id = ?";
        self.execute(moved, (to_bytes(&file), id)).await.map(drop)
    }

    /// Forgets these. They are gone from the disk when this returns.
    pub(crate) async fn forget_added(&self, ids: Vec<i64>) -> Result<(), UploadQueueError> {
        self.run(move |connection| {
            durably(connection, |transaction| {
                let mut forget = transaction.prepare(FORGET)?;
                ids.iter().try_for_each(|id| forget.execute([id]).map(drop))
            })
        })
        .await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn an_added_file_is_synced_before_it_is_accepted() {
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
    async fn failed_and_retried_files_come_after_the_others() {
        let folder = tempfile::tempdir().expect("a folder");
        let queue = UploadQueue::open_for_added(folder.path()).await;
        let queue = queue.expect("a queue");
        let new = |name: &str| NewFile {
            file: folder.path().join(name),
            bytes: 5,
            trouble: None,
        };
        let files = ["a", "b", "c", "d"].map(new).to_vec();
        assert_eq!(queue.add(files).await.expect("added"), [1, 2, 3, 4]);
        let order = async |in_hand: Vec<i64>| {
            let next = queue.next_added(10, in_hand).await.expect("rows");
            next.iter().map(|row| row.id).collect::<Vec<_>>()
        };
        assert_eq!(order(vec![2]).await, [1, 3, 4]);
        let failed = queue.added_failed(1, UploadTrouble::Broken).await;
        failed.expect("written");
        assert!(!queue.added_waits(1).await.expect("read"));
        assert!(queue.added_waits(2).await.expect("read"));
        queue.added_failed_once(2).await.expect("written");
        assert_eq!(queue.added_that_wait().await.expect("a count"), 3);
        assert_eq!(order(Vec::new()).await, [3, 4, 2]);
        let again = queue.retry_added(vec![1, 3, 9]).await;
        assert_eq!(again.expect("written"), [1], "only that one has failed");
        assert_eq!(order(Vec::new()).await, [3, 4, 1, 2]);
        let left_out = NewFile {
            trouble: Some(UploadTrouble::TooMany),
            file: PathBuf::new(),
            bytes: 0,
        };
        assert_eq!(queue.add(vec![left_out]).await.expect("added"), [5]);
        let again = queue.retry_added(vec![5]).await;
        assert!(again.expect("written").is_empty(), "there is no file");
    }
}
