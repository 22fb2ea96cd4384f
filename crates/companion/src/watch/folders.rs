//! What is heard and found of all watched folders comes together here, settles,
//! and goes to the outbox. Journey 5, until the row.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::time::{Duration, Instant};

use tokio::sync::{Notify, mpsc};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::hints::Hints;
use super::settle::{Look, Seen, Settling, look};
use super::status::Status;
use super::survey::{Command, Found};
use crate::outbox::{Outbox, OutboxError, Version};
use crate::stamp::Stamp;

/// While so many files settle, no more are looked for.
const MOST: usize = 10_000;
/// Before an outbox that could not be written is tried again.
const OUTBOX_PAUSE: Duration = Duration::from_secs(5);

/// A watched folder and the thread that looks after it.
pub(super) struct Watched {
    pub(super) folder: PathBuf,
    pub(super) commands: Sender<Command>,
}

impl Drop for Watched {
    fn drop(&mut self) {
        let _ = self.commands.send(Command::Stop);
    }
}

/// Brings what is complete to the outbox.
pub(super) struct Folders {
    pub(super) watched: Vec<Watched>,
    pub(super) hints: Arc<Hints>,
    pub(super) found: mpsc::Receiver<Found>,
    pub(super) outbox: Outbox,
    pub(super) status: Arc<Status>,
    /// There is something to upload.
    pub(super) work: Arc<Notify>,
    pub(super) stop: CancellationToken,
}

/// The looks at files of one folder, and what they said.
type Looked = (usize, Vec<(PathBuf, Seen)>);

impl Folders {
    /// Goes on until it is stopped.
    pub(super) async fn run(mut self) {
        let mut settling = Settling::default();
        let mut looks: JoinSet<Looked> = JoinSet::new();
        loop {
            let next_look = settling.next_look();
            let has_room = settling.len() < MOST;
            tokio::select! {
                () = self.stop.cancelled() => return,
                () = self.hints.some() => {
                    let now = Instant::now();
                    for (file, (folder, hint)) in self.hints.take() {
                        settling.hear(folder, file, hint, now);
                    }
                }
                Some(found) = self.found.recv(), if has_room => {
                    self.find(&mut settling, found).await;
                }
                () = until(next_look), if next_look.is_some() => {
                    for (folder, due) in settling.due(Instant::now()) {
                        looks.spawn_blocking(move || (folder, look_at(due)));
                    }
                }
                Some(looked) = looks.join_next(), if !looks.is_empty() => {
                    match looked {
                        Ok(looked) => self.looked(&mut settling, looked).await,
                        Err(error) => tracing::error!(%error, "a look at files broke off"),
                    }
                }
            }
        }
    }

    async fn find(&self, settling: &mut Settling, found: Found) {
        match found {
            Found::Distrust { folder } => settling.distrust(folder),
            Found::FirstLookOver { folder } => {
                let place = &self.watched[folder].folder;
                while let Err(error) = self.outbox.know_folder(place).await {
                    if !self.may_try_again(&error).await {
                        return;
                    }
                }
            }
            Found::Files {
                folder,
                files,
                unwanted,
            } => {
                let unseen = loop {
                    match self.outbox.unseen(files.clone()).await {
                        Ok(unseen) => break unseen,
                        Err(error) if self.may_try_again(&error).await => {}
                        Err(_) => return,
                    }
                };
                if unwanted {
                    let others = unseen
                        .into_iter()
                        .map(|(file, stamp)| self.version(folder, file, stamp));
                    self.put(Vec::new(), others.collect()).await;
                    return;
                }
                let now = Instant::now();
                for (file, stamp) in unseen {
                    settling.find(folder, file, stamp, now);
                }
            }
        }
    }

    async fn looked(&self, settling: &mut Settling, (folder, seen): Looked) {
        let (mut pictures, mut others) = (Vec::new(), Vec::new());
        for (file, seen) in seen {
            // Something newer was heard meanwhile, which decides.
            if settling.has(&file) {
                continue;
            }
            match seen {
                Seen::Picture(stamp) => pictures.push(self.version(folder, file, stamp)),
                Seen::Other(stamp) => others.push(self.version(folder, file, stamp)),
                Seen::Unsteady(stamp) => settling.again(folder, file, stamp, Instant::now()),
                Seen::Folder => {
                    let _ = self.watched[folder].commands.send(Command::Folder(file));
                }
                Seen::Nothing => {}
            }
        }
        if pictures.is_empty() && others.is_empty() {
            return;
        }
        // The order in which they go out.
        pictures.sort_by(|one, other| {
            (one.stamp.changed, &one.file).cmp(&(other.stamp.changed, &other.file))
        });
        self.put(pictures, others).await;
        if let Ok(counts) = self.outbox.counts().await {
            self.status.change(|status| {
                status.waiting = counts.waiting;
                status.set_aside = counts.set_aside;
            });
        }
        self.work.notify_one();
    }

    fn version(&self, folder: usize, file: PathBuf, stamp: Stamp) -> Version {
        Version {
            folder: self.watched[folder].folder.clone(),
            file,
            stamp,
        }
    }

    /// Until the outbox has it: what is not written down would be forgotten.
    async fn put(&self, pictures: Vec<Version>, others: Vec<Version>) {
        while let Err(error) = self.outbox.put(pictures.clone(), others.clone()).await {
            if !self.may_try_again(&error).await {
                return;
            }
        }
    }

    /// Waits a while after the outbox failed; `false` when everything stops.
    async fn may_try_again(&self, error: &OutboxError) -> bool {
        self.status.trouble(Some(error.to_string()));
        tokio::select! {
            () = self.stop.cancelled() => false,
            () = tokio::time::sleep(OUTBOX_PAUSE) => true,
        }
    }
}

fn look_at(due: Vec<Look>) -> Vec<(PathBuf, Seen)> {
    due.into_iter()
        .map(|due| (due.file.clone(), look(&due)))
        .collect()
}

async fn until(moment: Option<Instant>) {
    if let Some(moment) = moment {
        tokio::time::sleep_until(moment.into()).await;
    }
}
