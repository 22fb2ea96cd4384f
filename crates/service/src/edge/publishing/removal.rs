//! Removes what was published, once publishing is switched off.

use std::time::Duration;

use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use rusqlite::Transaction;
use tokio::time::sleep;

use super::index::{INDEX, StoredIndex};
use super::table;
use crate::db::{Database, DatabaseError};
use crate::error::message::Message;
use crate::storage::Documents;

/// Objects that are removed side by side.
const AT_ONCE: usize = 8;
/// The pause between two tries.
const AGAIN: Duration = Duration::from_secs(60);
/// What shows the owner, and what leads to this machine.
const FIRST: [&str; 6] = [
    "check.json",
    "devices.json",
    "lanyard.json",
    "game_status.json",
    "origin.json",
    "widget.js",
];

/// Removes all that this data folder published. Another's snapshot is left as it is; `false` then.
pub(super) async fn remove(documents: &Documents, database: &Database) -> Result<bool, Message> {
    let publisher = database.read(table::publisher).await?;
    let index = StoredIndex::of(documents, &publisher).await?;
    let is_own = !matches!(index, StoredIndex::Another);
    if is_own {
        for name in FIRST {
            documents.remove(name).await?;
        }
        for folder in ["names", "images"] {
            let names = documents.names(folder).await?.into_iter();
            let objects = names.map(|name| format!("{folder}/{name}"));
            let objects = objects.filter(|object| object != INDEX);
            stream::iter(objects)
                .map(|object| async move { documents.remove(&object).await })
                .buffer_unordered(AT_ONCE)
                .try_collect::<()>()
                .await?;
        }
        // Last: it names the owner of the rest.
        documents.remove(INDEX).await?;
    }
    if is_own {
        tracing::info!("what was published is removed from the store");
    } else {
        tracing::warn!("the store holds another Porchlight's snapshot, which is left as it is");
    }
    Ok(is_own)
}

/// Nothing is published any more, in any store.
pub(super) async fn forget(database: &Database) -> Result<(), Message> {
    let forget = |transaction: &Transaction<'_>| Ok(table::nothing_is_published(transaction)?);
    Ok(database.write::<_, DatabaseError>(forget).await?)
}

/// Removes it, tried until it succeeds, or so many times.
pub(super) async fn keep_removing(documents: &Documents, database: &Database, tries: u32) {
    let mut has_failed = false;
    for _ in 0..tries {
        let Err(error) = remove(documents, database).await else {
            return;
        };
        if !has_failed {
            tracing::warn!(%error, "what was published stays in the store for now; retrying");
        }
        has_failed = true;
        sleep(AGAIN).await;
    }
}
