//! How often each endpoint was called: counted in memory, written in batches.
//!
//! Counting a call is a few additions, no lock and no query; one from the internet is
//! also looked up in a set of digests.

pub mod window;

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

use parking_lot::{Mutex, MutexGuard};
use readers::digest_file::DigestFile;
use readers::{DigestChanges, Readers};

use crate::clock::Clock;
use crate::clock::timestamp::Timestamp;
use crate::db::{Database, DatabaseError};
use crate::http::replies::ApiStat;
use crate::stats::window::{DayReaders, ReaderCount};
use crate::text::image_hash::ImageHash;

pub(crate) mod bytes;
mod edge;
mod endpoint;
mod ranges;
pub(crate) mod readers;
pub(crate) mod table;
pub(crate) mod views_by_day;

pub use endpoint::Endpoint;
pub use ranges::{CallsBetween, Edges};
pub use readers::Reader;
pub use table::HourCount;
pub use views_by_day::DayViews;

pub(crate) const HOUR: i64 = 60 * 60 * 1000;

/// The first hour that starts at this time or later, as hours since the Unix epoch.
fn first_hour_from(time: Timestamp) -> i64 {
    let millis = time.as_millis();
    millis.div_euclid(HOUR) + i64::from(millis.rem_euclid(HOUR) > 0)
}

/// 1xx to 5xx are 1 to 5; 0 is for calls whose client disconnected before a
/// response.
const CLASSES: usize = 6;

/// The call counts; cheap to clone.
#[derive(Clone)]
pub struct Stats(Arc<Inner>);

struct Inner {
    database: Database,
    clock: Clock,
    endpoints: [Counter; Endpoint::ALL.len()],
    /// Calls of `/images/{hash}` that deleted, and are not written yet.
    deletions: AtomicU64,
    /// Bytes of images that were sent, and are not written yet.
    sent: AtomicU64,
    /// Views of images that are not written yet.
    views: Mutex<HashMap<ImageHash, views_by_day::Views>>,
    readers: Mutex<Readers>,
    /// A day of UTC, and its readers at the Worker.
    edge_readers: Mutex<(i64, u64)>,
    digest_file: DigestFile,
    /// The day on which the views of the days before were bounded.
    bounded_on: AtomicI64,
    /// When a reader last asked for the status, in this run; 0 where none has.
    status_asked: AtomicI64,
    /// One batch at a time, so that a failed one can be put back.
    writing: tokio::sync::Mutex<()>,
}

#[derive(Default)]
struct Counter {
    calls: AtomicU64,
    last: AtomicI64,
    written: AtomicU64,
    unwritten_by_class: [AtomicU64; CLASSES],
}

impl Counter {
    /// Adds calls that are in the database already.
    fn add_written(&self, count: u64, last: Timestamp) {
        self.calls.fetch_add(count, Ordering::Relaxed);
        self.written.fetch_add(count, Ordering::Relaxed);
        self.last.fetch_max(last.as_millis(), Ordering::Relaxed);
    }
}

/// A call that is being answered. Its status is recorded when it is known; a
/// call that is dropped before counts as disconnected.
pub struct Call {
    stats: Stats,
    endpoint: Endpoint,
    class: usize,
}

impl Call {
    /// Records the HTTP status of the response.
    pub fn answered(mut self, status: u16) {
        self.class = usize::from(status / 100).min(CLASSES - 1);
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        self.stats.counter(self.endpoint).unwritten_by_class[self.class]
            .fetch_add(1, Ordering::Relaxed);
    }
}

impl Stats {
    pub(crate) async fn open(
        data_folder: &Path,
        database: Database,
        clock: Clock,
    ) -> Result<Self, DatabaseError> {
        let endpoints: [Counter; Endpoint::ALL.len()] = std::array::from_fn(|_| Counter::default());
        for (key, count, last) in database.read(table::totals).await? {
            if let Some(endpoint) = Endpoint::of_path(&key) {
                let counter = &endpoints[endpoint as usize];
                counter.calls.store(count, Ordering::Relaxed);
                counter.written.store(count, Ordering::Relaxed);
                counter.last.store(last.as_millis(), Ordering::Relaxed);
            }
        }
        let today = clock.day_of(clock.now()).number;
        let counted = database
            .read(move |connection| readers::table::of_day(connection, today))
            .await?;
        let digest_file = DigestFile::new(data_folder);
        let remembered = digest_file.remembered().await;
        Ok(Self(Arc::new(Inner {
            readers: Mutex::new(Readers::open(&clock, remembered, counted)),
            edge_readers: Mutex::default(),
            digest_file,
            database,
            clock,
            endpoints,
            deletions: AtomicU64::new(0),
            sent: AtomicU64::new(0),
            bounded_on: AtomicI64::new(i64::MIN),
            status_asked: AtomicI64::new(0),
            views: Mutex::default(),
            writing: tokio::sync::Mutex::default(),
        })))
    }

    /// Counts a call that has reached `endpoint`.
    #[must_use]
    pub fn call(&self, endpoint: Endpoint) -> Call {
        let counter = self.counter(endpoint);
        counter
            .last
            .fetch_max(self.0.clock.now().as_millis(), Ordering::Relaxed);
        counter.calls.fetch_add(1, Ordering::Relaxed);
        Call {
            stats: self.clone(),
            endpoint,
            class: 0,
        }
    }

    /// Records that a successful call of `/images/{hash}` deleted an image, and
    /// did not serve one.
    pub fn deleted(&self) {
        self.0.deletions.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts a call of `/i/{hash}` for an image that is there. Only such may
    /// be counted, or strangers could grow the table.
    pub fn view(&self, hash: ImageHash) {
        let now = self.0.clock.now();
        let mut views = self.0.views.lock();
        let entry = views.entry(hash).or_insert(views_by_day::Views {
            count: 0,
            last: now,
        });
        entry.count += 1;
        entry.last = entry.last.max(now);
    }

    /// Records the reader of a call. No address is stored.
    pub fn read_by(&self, reader: Reader) {
        self.readers().came(&self.0.clock, reader);
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
        let today = self.readers().today(&self.0.clock);
        let (day, at_edge) = *self.edge_readers();
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
        let [first, last] = self.0.clock.days_between(from, to);
        self.0
            .database
            .read(move |connection| readers::table::between(connection, first, last))
            .await
    }

    /// Every endpoint that was ever called, in the order of the interface.
    #[must_use]
    pub fn totals(&self) -> Vec<ApiStat> {
        Endpoint::ALL
            .into_iter()
            .map(|endpoint| self.total(endpoint))
            .filter(|stat| stat.count > 0)
            .collect()
    }

    /// The calls of one endpoint.
    #[must_use]
    pub fn total(&self, endpoint: Endpoint) -> ApiStat {
        let counter = self.counter(endpoint);
        let count = counter.calls.load(Ordering::Relaxed);
        ApiStat {
            key: endpoint.path().to_owned(),
            count,
            last_updated: (count > 0)
                .then(|| Timestamp::from_millis(counter.last.load(Ordering::Relaxed))),
        }
    }

    /// The calls of `/i/<hash>` for one image, and when the last one came.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn views(&self, hash: ImageHash) -> Result<(u64, Option<Timestamp>), DatabaseError> {
        // While a batch is on its way to the disk its views are in neither place.
        let _turn = self.0.writing.lock().await;
        let stored = self
            .0
            .database
            .read(move |connection| table::views(connection, hash))
            .await?;
        let unwritten = {
            let views = self.0.views.lock();
            views.get(&hash).copied()
        };
        let count = stored.map_or(0, |v| v.count) + unwritten.map_or(0, |v| v.count);
        let last = stored.map(|v| v.last).max(unwritten.map(|v| v.last));
        Ok((count, last))
    }

    /// Calls by hour, endpoint and class of status, for the hours from `since`
    /// on that had any. What was counted in the last second may be missing.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn hours(&self, since: Timestamp) -> Result<Vec<HourCount>, DatabaseError> {
        self.0
            .database
            .read(move |connection| table::hours(connection, since))
            .await
    }

    /// Calls in each of the last `hours` hours, the running one last.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn by_hour(&self, hours: u16) -> Result<Vec<u64>, DatabaseError> {
        let first = self.first_of_the_last(hours);
        let mut counts = vec![0; usize::from(hours)];
        for row in self.hours(first).await? {
            let place = (row.hour.as_millis() - first.as_millis()) / HOUR;
            if let Some(count) = usize::try_from(place).ok().and_then(|p| counts.get_mut(p)) {
                *count += row.count;
            }
        }
        Ok(counts)
    }

    /// Writes what has been counted since the last time.
    ///
    /// # Errors
    /// When the database fails; nothing is lost, the next call writes it.
    pub async fn write(&self) -> Result<(), DatabaseError> {
        let _turn = self.0.writing.lock().await;
        let (batch, digests) = self.take_batch();
        // First the digests: a count without them would be a lower bound after a kill.
        if let Err(digests) = self.0.digest_file.write(digests).await {
            self.readers().put_back_digests(digests);
        }
        if batch.is_empty() {
            return Ok(());
        }
        let rows = batch.clone();
        let written: Result<(), DatabaseError> = self
            .0
            .database
            .write(move |transaction| Ok(table::store(transaction, &rows)?))
            .await;
        match &written {
            Ok(()) => {
                for (endpoint, count, _) in &batch.totals {
                    self.counter(*endpoint)
                        .written
                        .store(*count, Ordering::Relaxed);
                }
                if let Some(today) = batch.bound_on {
                    self.0.bounded_on.store(today, Ordering::Relaxed);
                }
            }
            Err(_) => self.put_back(batch),
        }
        written
    }

    fn take_batch(&self) -> (table::Batch, DigestChanges) {
        let now = self.0.clock.now();
        let hour = Timestamp::from_millis(now.as_millis().div_euclid(HOUR) * HOUR);
        let mut batch = table::Batch::default();
        for endpoint in Endpoint::ALL {
            let counter = self.counter(endpoint);
            let count = counter.calls.load(Ordering::Relaxed);
            if count != counter.written.load(Ordering::Relaxed) {
                let last = Timestamp::from_millis(counter.last.load(Ordering::Relaxed));
                batch.totals.push((endpoint, count, last));
            }
            for (class, calls) in counter.unwritten_by_class.iter().enumerate() {
                let count = calls.swap(0, Ordering::Relaxed);
                if count > 0 {
                    batch.hours.push(HourCount {
                        hour,
                        endpoint,
                        class: class as u8,
                        count,
                    });
                }
            }
        }
        let deletions = self.0.deletions.swap(0, Ordering::Relaxed);
        batch.deletions = (deletions > 0).then_some((hour, deletions));
        let sent = self.0.sent.swap(0, Ordering::Relaxed);
        batch.sent = (sent > 0).then_some((hour, sent));
        let today = self.0.clock.day_of(now).number;
        batch.today = today;
        batch.bound_on = (self.0.bounded_on.load(Ordering::Relaxed) != today).then_some(today);
        batch.views = std::mem::take(&mut *self.0.views.lock())
            .into_iter()
            .collect();
        let digests;
        (batch.readers, digests) = self.readers().take(&self.0.clock);
        (batch, digests)
    }

    fn put_back(&self, batch: table::Batch) {
        for row in batch.hours {
            self.counter(row.endpoint).unwritten_by_class[usize::from(row.class)]
                .fetch_add(row.count, Ordering::Relaxed);
        }
        let deletions = batch.deletions.map_or(0, |(_, count)| count);
        self.0.deletions.fetch_add(deletions, Ordering::Relaxed);
        self.sent(batch.sent.map_or(0, |(_, bytes)| bytes));
        let mut views = self.0.views.lock();
        for (hash, taken) in batch.views {
            let entry = views.entry(hash).or_insert(views_by_day::Views {
                count: 0,
                last: taken.last,
            });
            entry.count += taken.count;
            entry.last = entry.last.max(taken.last);
        }
        drop(views);
        self.readers().put_back(batch.readers);
    }

    fn readers(&self) -> MutexGuard<'_, Readers> {
        self.0.readers.lock()
    }

    fn edge_readers(&self) -> MutexGuard<'_, (i64, u64)> {
        self.0.edge_readers.lock()
    }

    fn counter(&self, endpoint: Endpoint) -> &Counter {
        &self.0.endpoints[endpoint as usize]
    }
}
