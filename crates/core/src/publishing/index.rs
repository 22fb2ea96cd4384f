//! The index of the snapshot's pages, which names the owner of the snapshot.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::storage::{Documents, StorageError};

/// Its name.
pub(super) const INDEX: &str = "images/index.json";

/// `images/index.json`.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Index {
    pub(super) publisher: String,
    pub(super) total: u64,
    pub(super) pages: Vec<NamedPage>,
    pub(super) written_at: i64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct NamedPage {
    pub(super) name: String,
    pub(super) count: u64,
    /// An index of an earlier version has none.
    #[serde(default)]
    pub(super) classes: Classes,
}

/// How many images of a page each class has: those of an orientation and an album, as
/// `landscape/cats`; `landscape/` are in no album.
pub(super) type Classes = BTreeMap<String, u64>;

/// The index in the store.
pub(super) enum StoredIndex {
    Own(Vec<NamedPage>),
    Another,
    Nothing,
}

impl StoredIndex {
    pub(super) async fn of(documents: &Documents, publisher: &str) -> Result<Self, StorageError> {
        let Some(found) = documents.get(INDEX).await? else {
            return Ok(Self::Nothing);
        };
        let index: Option<Index> = serde_json::from_slice(&found).ok();
        let own = index.filter(|index| index.publisher == publisher);
        Ok(own.map_or(Self::Another, |index| Self::Own(index.pages)))
    }
}
