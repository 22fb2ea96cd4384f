//! How often each endpoint was called and each image viewed, and how many readers came: counted in
//! memory, written in batches to one table.
//!
//! Counting takes no query. A call from the internet is also looked up in a set of digests.

pub mod window;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};

use parking_lot::{Mutex, MutexGuard};
use readers::Readers;
use rusqlite::{Connection, Transaction};
use table::{Batch, Count, EVER, What};

use crate::clock::Clock;
use crate::clock::timestamp::Timestamp;
use crate::db::{Database, DatabaseError};
use crate::http::replies::ApiStat;
use crate::stats::window::{DayReaders, ReaderCount};
use crate::text::image_hash::ImageHash;

mod edge;
mod endpoint;
mod ranges;
pub(crate) mod readers;
pub(crate) mod table;

pub use endpoint::Endpoint;
pub use ranges::{CallsBetween, Edges};
pub use readers::Reader;

/// Calls of one endpoint in one hour with one class of status.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HourCount {
    /// The start of the hour.
    pub hour: Timestamp,
    /// The endpoint.
    pub endpoint: Endpoint,
    /// The first digit of the status; 0 where the client disconnected.
    pub class: u8,
    /// The calls.
    pub count: u64,
}

/// Views of one image on one day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DayViews {
    /// The day's date, as days since that of the Unix epoch.
    pub day: i64,
    /// The image, which may have been deleted since.
    pub hash: ImageHash,
    /// The views.
    pub count: u64,
}

/// The call counts; cheap to clone.
#[derive(Clone)]
pub struct Stats(Arc<Inner>);

struct Inner {
    database: Database,
    clock: Clock,
    counts: Mutex<Counts>,
    digest_file: PathBuf,
    /// Whether it was logged that this file cannot be written.
    warned: AtomicBool,
    /// When a reader last asked for the status, in this run; 0 where none has.
    status_asked: AtomicI64,
    /// One batch at a time: what is on its way to the disk is in neither place.
    writing: tokio::sync::Mutex<()>,
}

/// What is in memory.
struct Counts {
    /// Of each endpoint, ever.
    totals: [Count; Endpoint::COUNT],
    /// What is not written yet.
    unwritten: Batch,
    readers: Readers,
    /// A day of UTC, and its readers at the Worker.
    edge_readers: (i64, u64),
}

impl Counts {
    fn add(&mut self, hour: i64, what: What, n: u64, at: Timestamp) {
        let added = Count {
            n: n.cast_signed(),
            last: at.as_millis(),
        };
        self.unwritten.entry((hour, what)).or_default().add(added);
        if let What::Calls(endpoint) = what {
            self.totals[endpoint as usize].add(added);
        }
    }
}

/// A call that is being answered. Its status is recorded when it is known; a
/// call that is dropped before counts as disconnected.
pub struct Call {
    stats: Stats,
    endpoint: Endpoint,
    class: u8,
}

impl Call {
    /// Records the HTTP status of the response.
    pub fn answered(mut self, status: u16) {
        self.class = u8::try_from(status / 100).unwrap_or(5).min(5);
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        self.stats
            .add_in_this_hour(What::Answers(self.endpoint, self.class), 1);
    }
}

impl Stats {
    pub(crate) async fn open(
        data_folder: &Path,
        database: Database,
        clock: Clock,
    ) -> Result<Self, DatabaseError> {
        let today = clock.day_of(clock.now()).number;
        let (totals, counted) = database
            .read(move |connection| {
                let mut totals = [Count::default(); Endpoint::COUNT];
                for endpoint in Endpoint::all() {
                    totals[endpoint as usize] =
                        table::get(connection, EVER, What::Calls(endpoint))?;
                }
                let of_today = |what| table::get(connection, table::hour_of_day(today), what);
                let counted = ReaderCount {
                    count: of_today(What::Readers)?.n.unsigned_abs(),
                    more: of_today(What::MoreReaders)?.n > 0,
                };
                Ok((totals, counted))
            })
            .await?;
        let digest_file = readers::file_in(data_folder);
        let remembered = readers::read(&digest_file);
        let mut readers = Readers::open(&clock, remembered, counted);
        let mut unwritten = Batch::new();
        if readers.today(&clock).readers.more && !counted.more {
            let last = clock.now().as_millis();
            let place = (table::hour_of_day(readers.day()), What::MoreReaders);
            unwritten.insert(place, Count { n: 1, last });
        }
        Ok(Self(Arc::new(Inner {
            counts: Mutex::new(Counts {
                totals,
                unwritten,
                readers,
                edge_readers: (0, 0),
            }),
            digest_file,
            warned: AtomicBool::new(false),
            database,
            clock,
            status_asked: AtomicI64::new(0),
            writing: tokio::sync::Mutex::default(),
        })))
    }

    /// Counts a call that has reached `endpoint`.
    #[must_use]
    pub fn call(&self, endpoint: Endpoint) -> Call {
        let now = self.0.clock.now();
        self.counts().add(EVER, What::Calls(endpoint), 1, now);
        Call {
            stats: self.clone(),
            endpoint,
            class: 0,
        }
    }

    /// Records that a successful call of `/images/{hash}` deleted an image, and
    /// did not serve one.
    pub fn deleted(&self) {
        self.add_in_this_hour(What::Deletions, 1);
    }

    /// Counts the bytes of an image that is sent to a client.
    pub fn sent(&self, bytes: u64) {
        self.add_in_this_hour(What::Sent, bytes);
    }

    /// Counts a call of `/i/{hash}` for an image that is there. Only such may
    /// be counted, or strangers could grow the table.
    pub fn view(&self, hash: ImageHash) {
        let now = self.0.clock.now();
        let today = table::hour_of_day(self.0.clock.day_of(now).number);
        let mut counts = self.counts();
        counts.add(today, What::Views(hash), 1, now);
        counts.add(EVER, What::Views(hash), 1, now);
    }

    /// Records the reader of a call. No address is stored.
    pub fn read_by(&self, reader: Reader) {
        let mut counts = self.counts();
        if let Some((what, n)) = counts.readers.came(&self.0.clock, reader) {
            let today = counts.readers.day();
            let now = self.0.clock.now();
            counts.add(table::hour_of_day(today), what, n, now);
        }
    }

    /// Notes that a page, a reader or the Worker asks for the status.
    pub fn status_is_asked(&self) {
        let now = self.0.clock.now().as_millis();
        self.0.status_asked.fetch_max(now, Ordering::Relaxed);
    }

    /// When a page, a reader or the Worker last asked for the status in this run.
    #[must_use]
    pub fn status_asked(&self) -> Option<Timestamp> {
        let asked = self.0.status_asked.load(Ordering::Relaxed);
        (asked > 0).then(|| Timestamp::from_millis(asked))
    }

    /// How many readers have come today.
    #[must_use]
    pub fn readers_today(&self) -> ReaderCount {
        let mut counts = self.counts();
        let today = counts.readers.today(&self.0.clock);
        let (day, at_edge) = counts.edge_readers;
        let mut readers = today.readers;
        readers.count += if day == today.day { at_edge } else { 0 };
        readers
    }

    /// The days of a time that had readers, in their order. Those of the last
    /// second may be missing.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn readers_between(
        &self,
        from: Timestamp,
        to: Timestamp,
    ) -> Result<Vec<DayReaders>, DatabaseError> {
        let days = self.0.clock.days_between(from, to);
        let read = move |connection: &Connection| table::readers(connection, days);
        self.0.database.read(read).await
    }

    /// Every endpoint that was ever called, in the order of the interface.
    #[must_use]
    pub fn totals(&self) -> Vec<ApiStat> {
        Endpoint::all()
            .map(|endpoint| self.total(endpoint))
            .filter(|stat| stat.count > 0)
            .collect()
    }

    /// The calls of one endpoint.
    #[must_use]
    pub fn total(&self, endpoint: Endpoint) -> ApiStat {
        let Count { n, last } = self.counts().totals[endpoint as usize];
        ApiStat {
            key: endpoint.path().to_owned(),
            count: n.unsigned_abs(),
            last_updated: (n > 0).then(|| Timestamp::from_millis(last)),
        }
    }

    /// The calls of `/i/<hash>` for one image, and when the last one came.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn views(&self, hash: ImageHash) -> Result<(u64, Option<Timestamp>), DatabaseError> {
        let what = What::Views(hash);
        let _turn = self.0.writing.lock().await;
        let stored = move |connection: &Connection| table::get(connection, EVER, what);
        let mut views = self.0.database.read(stored).await?;
        if let Some(unwritten) = self.counts().unwritten.get(&(EVER, what)) {
            views.add(*unwritten);
        }
        let last = (views.n > 0).then(|| Timestamp::from_millis(views.last));
        Ok((views.n.unsigned_abs(), last))
    }

    /// Calls by hour, endpoint and class of status, for the hours that start at
    /// `from` or later and before `to`. Those of the last second may be
    /// missing.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn hours_between(
        &self,
        from: Timestamp,
        to: Timestamp,
    ) -> Result<Vec<HourCount>, DatabaseError> {
        let read = move |connection: &Connection| table::answers(connection, from, to);
        self.0.database.read(read).await
    }

    /// The start of the first hour in which a call was counted.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn first_hour(&self) -> Result<Option<Timestamp>, DatabaseError> {
        self.0.database.read(table::first_hour).await
    }

    /// Views on the days of a time, by day and image. For past days, only the
    /// thousand most viewed images. Views of the last second may be missing.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn views_between(
        &self,
        from: Timestamp,
        to: Timestamp,
    ) -> Result<Vec<DayViews>, DatabaseError> {
        let days = self.0.clock.days_between(from, to);
        let read = move |connection: &Connection| table::views(connection, days);
        self.0.database.read(read).await
    }

    /// The bytes of images that were sent in the hours that start at `from` or
    /// later and before `to`. Those of the last second may be missing.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn sent_between(&self, from: Timestamp, to: Timestamp) -> Result<u64, DatabaseError> {
        self.sum(What::Sent, from, to).await
    }

    async fn sum(&self, what: What, from: Timestamp, to: Timestamp) -> Result<u64, DatabaseError> {
        let read = move |connection: &Connection| table::sum(connection, what, from, to);
        self.0.database.read(read).await
    }

    /// Writes what has been counted since the last time.
    ///
    /// # Errors
    /// When the database fails; nothing is lost, the next call writes it.
    pub async fn write(&self) -> Result<(), DatabaseError> {
        self.write_counts(false).await
    }

    /// The same before the process ends.
    ///
    /// # Errors
    /// As [`Self::write`].
    pub(crate) async fn write_last(&self) -> Result<(), DatabaseError> {
        self.write_counts(true).await
    }

    async fn write_counts(&self, last: bool) -> Result<(), DatabaseError> {
        let _turn = self.0.writing.lock().await;
        let (batch, digests) = {
            let mut counts = self.counts();
            let digests = counts.readers.take_changed(&self.0.clock, last);
            (std::mem::take(&mut counts.unwritten), digests)
        };
        // First the digests: a count without them would be a lower bound after a kill.
        if let Some(digests) = digests {
            let file = self.0.digest_file.clone();
            let write = move || readers::write(&file, &digests);
            let written = tokio::task::spawn_blocking(write).await;
            if let Err(error) = written.map_err(std::io::Error::other).flatten() {
                if !self.0.warned.swap(true, Ordering::Relaxed) {
                    tracing::warn!(%error, "today's digests of readers cannot be written; retrying");
                }
                self.counts().readers.unwritten();
            }
        }
        if batch.is_empty() {
            return Ok(());
        }
        let batch = Arc::new(batch);
        let rows = batch.clone();
        let add = move |transaction: &Transaction<'_>| Ok(table::add_all(transaction, &rows)?);
        let written = self.0.database.write(add).await;
        if written.is_err() {
            let mut counts = self.counts();
            for (place, count) in batch.iter() {
                counts.unwritten.entry(*place).or_default().add(*count);
            }
        }
        written
    }

    fn add_in_this_hour(&self, what: What, n: u64) {
        let now = self.0.clock.now();
        self.counts().add(table::hour_of(now), what, n, now);
    }

    fn counts(&self) -> MutexGuard<'_, Counts> {
        self.0.counts.lock()
    }
}
