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
    #[serde(flatten)]
    pub(super) contents: Contents,
    pub(super) written_at: i64,
}

/// What an index names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Contents {
    pub(super) pages: Vec<NamedPage>,
    /// Whether the classes have their albums; otherwise only the service knows them.
    #[serde(default = "yes")]
    pub(super) albums: bool,
    /// The document of all places, which seeds draw from; `None` where there are too many.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) places: Option<String>,
}

fn yes() -> bool {
    true
}

/// With more counts than these the index would be too much work for the Worker, which reads it for
/// each answer, so albums are left out.
const MOST_COUNTS: usize = if cfg!(test) { 60 } else { 4_000 };

impl Contents {
    pub(super) fn of(mut pages: Vec<NamedPage>, places: Option<String>) -> Self {
        let counts: usize = pages.iter().map(|page| page.classes.len()).sum();
        let albums = counts <= MOST_COUNTS;
        if !albums {
            for page in &mut pages {
                let mut classes = Classes::new();
                for (class, count) in &page.classes {
                    let orientation = class.split('/').next().unwrap_or_default();
                    *classes.entry(format!("{orientation}/")).or_default() += count;
                }
                page.classes = classes;
            }
        }
        Self {
            pages,
            albums,
            places,
        }
    }

    /// The names of its documents.
    pub(super) fn names(&self) -> impl Iterator<Item = &String> {
        let pages = self.pages.iter().map(|page| &page.name);
        pages.chain(&self.places)
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct NamedPage {
    pub(super) name: String,
    pub(super) count: u64,
    pub(super) classes: Classes,
}

/// How many images of a page each class has: those of an orientation and an album, as
/// `landscape/cats`; `landscape/` are in no album.
pub(super) type Classes = BTreeMap<String, u64>;

/// The index in the store.
pub(super) enum StoredIndex {
    Own(Contents),
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
        Ok(own.map_or(Self::Another, |index| Self::Own(index.contents)))
    }
}
