//! Importing the images of another server while this one serves.

use std::time::Duration;

use super::{Maintenance, REPORTED, RunningWork, empty};
use crate::error::message::Message;
use crate::settings::window::{WorkKind, WorkReport};
use crate::text::address::WebAddress;
use crate::upkeep::import::{self, Event, Order};

/// As `porchlight import` has them by default.
const CONCURRENT: usize = 4;
const RETRIES: u32 = 3;
const TIMEOUT: Duration = Duration::from_secs(60);

/// What became of the images so far.
#[derive(Default)]
struct Counts {
    done: u64,
    of: u64,
    imported: u64,
    already_here: u64,
    undated: u64,
    failed: u64,
    /// The first of the failures.
    reasons: Vec<Message>,
}

impl Maintenance {
    /// Imports every image of this server that is not here yet.
    ///
    /// # Errors
    /// When nothing of it could be tried, or something else is being done.
    pub async fn import_images(&self, from: WebAddress) -> Result<WorkReport, Message> {
        let work = self.start(WorkKind::Import)?;
        let order = Order {
            from,
            private: false,
            concurrent: CONCURRENT,
            retries: RETRIES,
            timeout: TIMEOUT,
        };
        let mut counts = Counts::default();
        let images = self.service.images();
        let importing = import::import(images, &order, |event| counts.add(event, &work));
        // A pause between tries would hold up a cancellation.
        let ended = tokio::select! {
            ended = importing => Some(ended),
            () = work.cancelled() => None,
        };
        let cancelled = ended.is_none();
        let stopped = ended.and_then(Result::err);
        match stopped {
            Some(why) if counts.done == 0 => Err(why),
            stopped => work.end(Ok(counts.report(stopped, cancelled))),
        }
    }
}

impl Counts {
    fn add(&mut self, event: Event, work: &RunningWork<'_>) {
        match event {
            Event::Listed(of) => self.of = of,
            Event::Imported { dated, .. } => {
                self.imported += 1;
                self.undated += u64::from(!dated);
            }
            Event::SecondName { .. } | Event::AlreadyHere(_) => self.already_here += 1,
            Event::Failed { name, why } => {
                self.failed += 1;
                if self.reasons.len() < REPORTED {
                    self.reasons.push(Message::about(name, why));
                }
            }
        }
        self.done = self.imported + self.already_here + self.failed;
        // Cancelled, it ends at the next await.
        let _ = work.progress(self.done, self.of.max(self.done));
    }

    fn report(self, stopped: Option<Message>, cancelled: bool) -> WorkReport {
        let mut wrong: Vec<Message> = stopped.into_iter().collect();
        let listed = self.reasons.len() as u64;
        wrong.extend(self.reasons);
        if self.failed > listed {
            let count = self.failed - listed;
            wrong.push(crate::detail!("and {count} more"));
        }
        if self.undated > 0 {
            let count = self.undated;
            wrong.push(crate::detail!(
                "pictures without a readable date, now dated today: {count}"
            ));
        }
        WorkReport {
            good: self.imported,
            already_here: self.already_here,
            wrong,
            cancelled,
            ..empty(WorkKind::Import)
        }
    }
}
