//! Uploads what waits in the queue: in order, a few at once, with back-off on failures.

use std::future::pending;
use std::path::PathBuf;
use std::time::Duration;

use tokio::task::JoinSet;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::send::SendError;
use super::table::{self, QueuedFile};
use super::window::FolderState;
use super::{UnderWay, Uploads};
use crate::clock::backoff::Backoff;
use crate::db::DatabaseError;
use crate::error::message::Message;

/// Between attempts, after failures in a row.
const BACKOFF: Backoff = Backoff::new(Duration::from_millis(500), Duration::from_secs(60));
/// A new file shortens a long pause to this.
const SHORTEST_FOR_NEW: Duration = Duration::from_secs(1);
/// A missing folder is noticed by then.
const ABSENT: Duration = Duration::from_secs(2);
/// How long uploads in progress may take when it stops.
const LAST_WORK: Duration = Duration::from_secs(3);

/// How the upload of one row ended.
#[derive(Debug)]
pub(super) enum Ended {
    /// It is done, or failed for good; `served` where the images were asked.
    Settled { served: bool },
    /// Its folder is not there.
    Absent,
    /// It is tried again, after all others.
    Later(Message),
}

impl From<DatabaseError> for Ended {
    fn from(error: DatabaseError) -> Self {
        Self::Later(error.into())
    }
}

impl From<&SendError> for Ended {
    fn from(error: &SendError) -> Self {
        Self::Later(error.into())
    }
}

pub(super) struct Worker {
    uploads: Uploads,
    /// As many as there are helper processes: another one would wait for them with its file read.
    at_once: usize,
    under_way: JoinSet<(i64, Ended)>,
    pauses: Pauses,
}

/// The pauses after failures.
#[derive(Debug, Default)]
struct Pauses {
    /// Consecutive failures.
    failures: u32,
    now: Option<Pause>,
}

#[derive(Debug, Clone, Copy)]
struct Pause {
    since: Instant,
    until: Instant,
}

impl Worker {
    pub(super) fn new(uploads: Uploads) -> Self {
        Self {
            at_once: uploads.0.own.images.converted_at_once(),
            uploads,
            under_way: JoinSet::new(),
            pauses: Pauses::default(),
        }
    }

    /// Uploads until `stop`; uploads in progress have three seconds then, and wait otherwise.
    pub(super) async fn run(mut self, stop: CancellationToken) {
        loop {
            if self.pauses.now.is_none()
                && let Err(error) = self.dispatch().await
            {
                self.wait(error.into());
            }
            self.show().await;
            let (pause, shared) = (self.pauses.now, &self.uploads.0);
            tokio::select! {
                () = stop.cancelled() => break,
                Some(ended) = self.under_way.join_next(), if !self.under_way.is_empty() => {
                    match ended {
                        Ok((id, ended)) => self.end(id, ended).await,
                        // It stays under way: it would only fail again.
                        Err(error) => tracing::error!(%error, "an upload task failed"),
                    }
                }
                () = over(pause) => self.pauses.now = None,
                () = shared.work.notified() => self.pauses.something_new(),
                () = shared.now.notified() => self.pauses.now = None,
            }
        }
        // What is cut off here is looked up at the next start.
        let rest = async {
            while let Some(ended) = self.under_way.join_next().await {
                if let Ok((id, _)) = ended {
                    self.uploads.0.live.lock().under_way.remove(&id);
                }
            }
        };
        drop(tokio::time::timeout(LAST_WORK, rest).await);
        self.under_way.shutdown().await;
        self.uploads.0.live.lock().under_way.clear();
        self.uploads.changed();
    }

    /// Starts as many uploads as there is room for.
    async fn dispatch(&mut self) -> Result<(), DatabaseError> {
        let room = self.at_once.saturating_sub(self.under_way.len());
        if room == 0 {
            return Ok(());
        }
        let uploads = self.uploads.clone();
        // On the thread that writes, as a cancellation is: a row is begun or cancelled, not both.
        let next = self.uploads.write(move |change| {
            let (in_progress, folders) = (uploads.in_progress(), uploads.folders_to_upload_from());
            let rows = table::next(change, room, &in_progress, &folders)?;
            let begun = rows.iter().map(|row| (row.id, UnderWay::of(row)));
            uploads.0.live.lock().under_way.extend(begun);
            Ok(rows)
        });
        for row in next.await? {
            let uploads = self.uploads.clone();
            self.under_way
                .spawn(async move { (row.id, uploads.upload(row).await) });
        }
        Ok(())
    }

    async fn end(&mut self, id: i64, ended: Ended) {
        let why = match &ended {
            Ended::Later(why) => Some(why.clone()),
            _ => None,
        };
        {
            let mut live = self.uploads.0.live.lock();
            live.under_way.remove(&id);
            match why {
                Some(why) => live.why.insert(id, why),
                None => live.why.remove(&id),
            };
        }
        self.uploads.changed();
        match ended {
            Ended::Settled { served: false } => {}
            Ended::Settled { served: true } => {
                self.pauses = Pauses::default();
                self.uploads.trouble(None);
            }
            Ended::Absent => self.pauses.rest(ABSENT),
            Ended::Later(why) => {
                let folders = self.uploads.0.folders.lock().clone();
                let failed = self
                    .uploads
                    .write(move |change| table::failed_once(change, id, &folders));
                if let Err(error) = failed.await {
                    tracing::warn!(%error, "a failure could not be counted");
                }
                self.wait(why);
            }
        }
    }

    fn wait(&mut self, why: Message) {
        self.pauses.fail();
        self.uploads.trouble(Some(why));
    }

    async fn show(&mut self) {
        let Ok(counts) = self.uploads.read(table::counts).await else {
            return;
        };
        self.uploads.show(counts);
        if counts.waiting + counts.added_waiting == 0 && self.under_way.is_empty() {
            // What failed is gone from the queue.
            self.pauses.failures = 0;
            self.uploads.trouble(None);
        }
    }
}

impl Uploads {
    async fn upload(&self, row: QueuedFile) -> Ended {
        match row.folder.clone() {
            Some(folder) => self.upload_watched(row, folder).await,
            None => self.upload_added(row).await,
        }
    }

    /// The watched folders whose files are uploaded now.
    fn folders_to_upload_from(&self) -> Vec<PathBuf> {
        let folders = self.0.folders.lock();
        self.0.watched.with(|status| {
            let all = folders.iter().zip(&status.folders);
            let there = all.filter(|(_, one)| one.state != FolderState::Missing && !status.paused);
            there.map(|(folder, _)| folder.clone()).collect()
        })
    }
}

impl Pauses {
    /// Counts a failure, and sets the pause.
    fn fail(&mut self) {
        // Concurrent failures count once.
        if self.now.is_none() {
            self.failures = self.failures.saturating_add(1);
        }
        // At least half of it, so that it does grow.
        let part = 0.5 + rand::random::<f64>() / 2.0;
        self.rest(BACKOFF.after(self.failures).mul_f64(part));
    }

    fn rest(&mut self, time: Duration) {
        let since = Instant::now();
        let until = since + time;
        if self.now.is_none_or(|pause| pause.until < until) {
            self.now = Some(Pause { since, until });
        }
    }

    fn something_new(&mut self) {
        if let Some(pause) = &mut self.now {
            pause.until = pause.until.min(pause.since + SHORTEST_FOR_NEW);
        }
    }
}

/// Completes when it is over; never when there is none.
async fn over(pause: Option<Pause>) {
    match pause {
        Some(pause) => tokio::time::sleep_until(pause.until).await,
        None => pending().await,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pause(pauses: &Pauses) -> Duration {
        let pause = pauses.now.expect("a pause");
        pause.until - pause.since
    }

    #[tokio::test(start_paused = true)]
    async fn pauses_grow_and_something_new_cuts_them_short() {
        let mut pauses = Pauses::default();
        let mut longest = Vec::new();
        for _ in 0..9 {
            pauses.now = None;
            pauses.fail();
            longest.push(pause(&pauses).as_secs_f64());
        }
        assert!(longest[0] <= 0.5 && longest[0] >= 0.25, "{longest:?}");
        assert!(longest[8] >= 30.0 && longest[8] <= 60.0, "{longest:?}");
        pauses.something_new();
        assert_eq!(pause(&pauses), SHORTEST_FOR_NEW);
    }

    #[tokio::test(start_paused = true)]
    async fn simultaneous_failures_count_once() {
        let mut pauses = Pauses::default();
        pauses.fail();
        pauses.fail();
        assert_eq!(pauses.failures, 1);
    }
}
