//! The images of the snapshot: pages, their index, and second names. Written after each change, a
//! page at a time, so that memory stays bounded however many images there are.

use std::collections::{HashSet, VecDeque};
use std::time::Duration;

use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use rusqlite::{Connection, Transaction};
use serde::Serialize;
use sha2::{Digest as _, Sha256};
use tokio::time::{Instant, sleep, sleep_until};

use super::index::{Classes, Contents, INDEX, Index, NamedPage, StoredIndex};
use super::table::{self, Segment};
use super::{JSON, NO_CACHE, places};
use crate::clock::Clock;
use crate::db::{Database, DatabaseError};
use crate::error::message::Message;
use crate::http::replies::ImageItem;
use crate::images::{ListedImage, table as images};
use crate::storage::{Document, Documents, StorageKind};
use crate::text::image_hash::ImageHash;

/// A page's name is the digest of its content.
const A_DAY: &str = "public, max-age=86400, immutable";
/// Pages that are read and written together.
const PAGES_AT_ONCE: usize = 4;
/// Second names that are written side by side.
const NAMES_AT_ONCE: usize = 8;
/// How long a page stays after the last index that named it; shorter in tests.
const KEPT: Duration = Duration::from_millis(if cfg!(test) { 200 } else { 60_000 });
/// Unnamed pages that are remembered; the next start finds the others.
const MOST_UNNAMED: usize = 10_000;
/// Stores take one write of an object a second; tests do not wait for that.
pub(super) const A_SECOND: Duration = Duration::from_millis(if cfg!(test) { 10 } else { 1_050 });

/// `images/<name>.json`.
#[derive(Serialize)]
struct Page {
    images: Vec<PageItem>,
}

#[derive(Serialize)]
struct PageItem {
    #[serde(flatten)]
    item: ImageItem,
    #[serde(skip_serializing_if = "Option::is_none")]
    album: Option<String>,
}

/// A page and its name.
struct PageContent {
    name: String,
    json: Vec<u8>,
    classes: Classes,
}

impl PageContent {
    fn of(images: Vec<ListedImage>) -> Self {
        let mut classes = Classes::new();
        for image in &images {
            *classes.entry(image.class()).or_default() += 1;
        }
        let item = |image: ListedImage| PageItem {
            item: image.item(true),
            album: image.album,
        };
        let images = images.into_iter().map(item).collect();
        let json = serde_json::to_vec(&Page { images }).expect("plain data");
        Self {
            name: name_of(&json),
            json,
            classes,
        }
    }
}

/// Whose snapshot is in the store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SnapshotOwner {
    Own,
    Another,
}

/// Writes pages, index and names.
pub(super) struct Pages {
    documents: Documents,
    database: Database,
    clock: Clock,
    /// What the index names as it was written last.
    index: Option<Contents>,
    index_tried: Option<Instant>,
    /// Pages that no index names any more, and since when.
    unnamed: VecDeque<(Instant, String)>,
}

/// One moment of the table of images.
struct PagesAtOnce {
    segments: Vec<Segment>,
    /// The first of those that are not published, by their place, with their contents.
    changed: Vec<(usize, PageContent)>,
    /// Whether these are all that are not published.
    is_all: bool,
    /// The document of all places in this moment's pages, once these are all.
    places: Option<Vec<u8>>,
}

impl Pages {
    pub(super) fn new(documents: Documents, database: Database, clock: Clock) -> Self {
        Self {
            documents,
            database,
            clock,
            index: None,
            index_tried: None,
            unnamed: VecDeque::new(),
        }
    }

    /// Whose snapshot is in the store. Another's is only taken over where that is wanted.
    pub(super) async fn owner(&mut self) -> Result<SnapshotOwner, Message> {
        let publisher = self.database.read(table::publisher).await?;
        let take_over = self.database.read(table::takes_over).await?;
        self.index = None;
        match StoredIndex::of(&self.documents, &publisher).await? {
            StoredIndex::Own(contents) => self.index = Some(contents),
            StoredIndex::Another if !take_over => return Ok(SnapshotOwner::Another),
            StoredIndex::Another | StoredIndex::Nothing => {}
        }
        Ok(SnapshotOwner::Own)
    }

    /// Waits until the owner wants another's snapshot replaced, here or with the command.
    pub(super) async fn wait_for_take_over(&self) {
        while !matches!(self.database.read(table::takes_over).await, Ok(true)) {
            sleep(A_SECOND).await;
        }
    }

    /// Records, before anything is written, that something of this data folder's is in the store.
    pub(super) async fn record_use(&self) -> Result<(), DatabaseError> {
        self.record(table::publishes).await
    }

    /// Compares what is in the store with the rows: whatever is missing or different there is
    /// written by the next round.
    pub(super) async fn compare(&mut self) -> Result<(), Message> {
        self.compare_pages().await?;
        self.compare_names().await
    }

    async fn compare_pages(&mut self) -> Result<(), Message> {
        let mut there = self.documents.names("images").await?;
        for segment in self.database.read(table::segments).await? {
            let Some(name) = segment.published.clone() else {
                continue;
            };
            let rows = segment.clone();
            let images = self
                .database
                .read(move |look| table::images_of(look, &rows));
            let is_right = there.remove(&format!("{name}.json"))
                && PageContent::of(images.await?).name == name;
            if !is_right {
                self.set_published(segment, None).await?;
            }
        }
        let places = self.index.as_ref().and_then(|index| index.places.as_ref());
        if places.is_some_and(|name| !there.remove(&format!("{name}.json"))) {
            // It is written again with them.
            self.index = None;
        }
        let now = Instant::now();
        let left = there.iter().filter_map(|file| file.strip_suffix(".json"));
        let left = left.filter(|name| *name != "index");
        self.unnamed = left.map(|name| (now, name.to_owned())).collect();
        Ok(())
    }

    async fn compare_names(&self) -> Result<(), Message> {
        let mut there = self.documents.names("names").await?;
        for name in self.database.read(table::published_names).await? {
            if !there.remove(&name.to_string()) {
                self.name_is_gone(name).await?;
            }
        }
        for name in there.iter().filter_map(|name| name.parse().ok()) {
            self.name_is_there(name, None).await?;
        }
        Ok(())
    }

    /// Writes the pages that have changed, then the index, and some of the second names; whether
    /// there are more of these.
    pub(super) async fn round(&mut self) -> Result<bool, Message> {
        loop {
            let PagesAtOnce {
                mut segments,
                changed,
                is_all,
                places,
            } = self.database.read(moment).await?;
            for (place, content) in changed {
                let PageContent {
                    name,
                    json,
                    classes,
                } = content;
                self.put(&name, json).await?;
                let segment = &mut segments[place];
                segment.classes = classes;
                self.set_published(segment.clone(), Some(name.clone()))
                    .await?;
                segment.published = Some(name);
            }
            if is_all {
                self.write_index(segments, places).await?;
                break;
            }
        }
        let more = self.write_names().await?;
        self.remove_unnamed().await?;
        Ok(more)
    }

    async fn write_index(
        &mut self,
        segments: Vec<Segment>,
        document: Option<Vec<u8>>,
    ) -> Result<(), Message> {
        let pages: Vec<NamedPage> = segments
            .into_iter()
            .filter_map(|segment| {
                let (count, classes) = (segment.count, segment.classes);
                segment.published.map(|name| NamedPage {
                    name,
                    count,
                    classes,
                })
            })
            .collect();
        let places = document.as_deref().map(name_of);
        let contents = Contents::of(pages, places);
        let takes_over = self.database.read(table::takes_over).await?;
        if !takes_over && self.index.as_ref() == Some(&contents) {
            return Ok(());
        }
        let before = self.index.as_ref().and_then(|index| index.places.as_ref());
        if let (Some(name), Some(json)) = (&contents.places, document)
            && before != Some(name)
        {
            self.put(name, json).await?;
        }
        // Under a new name, the index counts as another's for a data folder with a copy of this
        // database.
        let name = if takes_over {
            table::new_name
        } else {
            table::publisher
        };
        if let Some(tried) = self.index_tried {
            sleep_until(tried + A_SECOND).await;
        }
        let index = Index {
            publisher: self.database.read(name).await?,
            total: contents.pages.iter().map(|page| page.count).sum(),
            contents,
            written_at: self.clock.now().as_seconds(),
        };
        let document = Document {
            content: serde_json::to_vec(&index).expect("plain data").into(),
            content_type: JSON,
            cache_control: NO_CACHE,
        };
        let written = self.documents.put(INDEX, document).await;
        let now = Instant::now();
        self.index_tried = Some(now);
        written?;
        if takes_over {
            let name = index.publisher.clone();
            self.record(move |write| table::has_taken_over(write, &name))
                .await?;
        }
        let named: HashSet<&String> = index.contents.names().collect();
        let before = self.index.take();
        let dropped = before.iter().flat_map(Contents::names);
        let dropped = dropped.map(|name| (now, name.clone()));
        self.unnamed.extend(dropped);
        self.unnamed.retain(|(_, name)| !named.contains(name));
        self.unnamed.truncate(MOST_UNNAMED);
        self.index = Some(index.contents);
        Ok(())
    }

    /// Writes a document under its name.
    async fn put(&self, name: &str, json: Vec<u8>) -> Result<(), Message> {
        let document = Document {
            content: json.into(),
            content_type: JSON,
            cache_control: A_DAY,
        };
        Ok(self.documents.put(&file(name), document).await?)
    }

    /// Writes some of the second names that have changed; whether there may be more.
    async fn write_names(&self) -> Result<bool, Message> {
        let changes = self.database.read(table::name_changes).await?;
        let more = !changes.is_empty();
        let wanted = changes.wanted.into_iter().map(|(name, image)| async move {
            let document = Document {
                content: image.to_string().into(),
                content_type: "text/plain; charset=utf-8",
                cache_control: NO_CACHE,
            };
            self.documents.put(&object_of(name), document).await?;
            self.name_is_there(name, Some(image)).await?;
            Ok::<_, Message>(())
        });
        let gone = changes.gone.into_iter().map(|name| async move {
            self.documents.remove(&object_of(name)).await?;
            self.name_is_gone(name).await?;
            Ok::<_, Message>(())
        });
        at_once(wanted).await?;
        at_once(gone).await?;
        Ok(more)
    }

    /// Removes the pages that no index has named for a minute. The index names what is published
    /// now, so none of these is wanted again.
    async fn remove_unnamed(&mut self) -> Result<(), Message> {
        while let Some((since, name)) = self.unnamed.front() {
            if since.elapsed() < KEPT {
                break;
            }
            self.documents.remove(&file(name)).await?;
            self.unnamed.pop_front();
        }
        Ok(())
    }

    /// How many images are listed that are not in the store.
    pub(super) async fn on_disk(&self) -> Result<u64, DatabaseError> {
        let count = |connection: &Connection| images::count_in(connection, StorageKind::Disk);
        self.database.read(count).await
    }

    /// When there is something to remove.
    pub(super) fn next_removal(&self) -> Option<Instant> {
        self.unnamed.front().map(|(since, _)| *since + KEPT)
    }

    async fn set_published(
        &self,
        segment: Segment,
        page: Option<String>,
    ) -> Result<(), DatabaseError> {
        self.record(move |write| table::set_published(write, &segment, page.as_deref()))
            .await
    }

    async fn name_is_there(
        &self,
        name: ImageHash,
        image: Option<ImageHash>,
    ) -> Result<(), DatabaseError> {
        self.record(move |write| table::name_is_there(write, name, image))
            .await
    }

    async fn name_is_gone(&self, name: ImageHash) -> Result<(), DatabaseError> {
        self.record(move |write| table::name_is_gone(write, name))
            .await
    }

    async fn record(
        &self,
        write: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<()> + Send + 'static,
    ) -> Result<(), DatabaseError> {
        self.database
            .write(move |transaction| Ok::<_, DatabaseError>(write(transaction)?))
            .await
    }
}

/// Runs some of these side by side, until one fails.
async fn at_once<W>(writes: impl Iterator<Item = W>) -> Result<(), Message>
where
    W: Future<Output = Result<(), Message>>,
{
    let writes = stream::iter(writes).buffer_unordered(NAMES_AT_ONCE);
    writes.try_collect().await
}

/// The object of a second name.
fn object_of(name: ImageHash) -> String {
    format!("names/{name}")
}

/// The name of a document with this content.
fn name_of(json: &[u8]) -> String {
    hex::encode(&Sha256::digest(json)[..8])
}

fn file(name: &str) -> String {
    format!("images/{name}.json")
}

/// Segments and contents of one moment, so that no image is on two pages or on none.
fn moment(connection: &Connection) -> rusqlite::Result<PagesAtOnce> {
    let moment = connection.unchecked_transaction()?;
    let segments = table::segments(&moment)?;
    let is_changed = |(_, segment): &(usize, &Segment)| segment.published.is_none();
    let all = segments.iter().enumerate().filter(is_changed);
    let is_all = all.clone().count() <= PAGES_AT_ONCE;
    let first = all.take(PAGES_AT_ONCE);
    let changed = first
        .map(|(place, segment)| Ok((place, PageContent::of(table::images_of(&moment, segment)?))))
        .collect::<rusqlite::Result<_>>()?;
    let places = is_all.then(|| places::document(&moment)).transpose()?;
    Ok(PagesAtOnce {
        segments,
        changed,
        is_all,
        places: places.flatten(),
    })
}
