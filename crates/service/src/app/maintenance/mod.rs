//! Maintenance of the data folder while it is served: a backup, a check, a move to the
//! other storage, an import. One at a time, with progress that can be followed, and cancelled.

use std::path::PathBuf;

use parking_lot::Mutex;

use crate::error::message::Message;
use crate::service::Service;
use crate::settings::window::{MaintenanceGlance, Work, WorkKind, WorkReport};
use crate::state::{State, StateReader};
use crate::upkeep::{self, BackupOptions, Cancelled, Problem};

mod adopting;
mod importing;
mod moving;
pub mod restore;
pub mod startup;

/// How many faults are reported one by one.
const REPORTED: usize = 100;

/// The work in progress, if any, and the reports of past work.
pub struct Maintenance {
    work: State<Option<Work>>,
    /// The last one of each kind, the newest last.
    reports: Mutex<Vec<WorkReport>>,
    service: Service,
    folder: PathBuf,
}

/// Ends the work when it is dropped.
pub struct RunningWork<'a>(&'a Maintenance, WorkKind);

impl Maintenance {
    /// Maintenance of this service and data folder.
    pub fn new(service: Service, folder: PathBuf) -> Self {
        Self {
            service,
            folder,
            work: State::new(None),
            reports: Mutex::default(),
        }
    }

    /// How far the work is; `None` while there is none.
    pub fn progress(&self) -> StateReader<Option<Work>> {
        self.work.reader()
    }

    pub fn glance(&self) -> MaintenanceGlance {
        MaintenanceGlance {
            work: self.work.get(),
            reports: self.reports.lock().clone(),
        }
    }

    /// Starts work of this kind.
    ///
    /// # Errors
    /// While something else is being done.
    pub fn start(&self, kind: WorkKind) -> Result<RunningWork<'_>, Message> {
        let started = self.work.update(|work| {
            let is_free = work.is_none();
            work.get_or_insert(Work {
                kind,
                done: 0,
                of: None,
                cancelling: false,
                cancellable: true,
            });
            is_free
        });
        if started {
            Ok(RunningWork(self, kind))
        } else {
            Err(Message::Busy)
        }
    }

    /// Cancels the work in progress, if it can be cancelled; it ends with its next image.
    pub fn cancel(&self) {
        self.work.update(|work| {
            if let Some(work) = work {
                work.cancelling |= work.cancellable;
            }
        });
    }

    /// Saves a backup; a file that is there is replaced.
    ///
    /// # Errors
    /// When there is none in the end.
    pub async fn back_up(&self, file: PathBuf, with_secrets: bool) -> Result<WorkReport, Message> {
        let work = self.start(WorkKind::Backup)?;
        let report = self.write_backup(&work, file, with_secrets).await;
        work.end(report)
    }

    async fn write_backup(
        &self,
        work: &RunningWork<'_>,
        file: PathBuf,
        with_secrets: bool,
    ) -> Result<WorkReport, Message> {
        let options = BackupOptions {
            file,
            force: true,
            with_secrets,
        };
        let storage = self.service.settings().storage.clone();
        let progress = |done, of| work.progress(done, of);
        let report = upkeep::backup(&self.folder, &storage, &options, &progress).await?;
        let mut wrong = messages(&report.problems);
        wrong.extend(report.not_restorable);
        Ok(WorkReport {
            good: report.images,
            wrong,
            file: Some(options.file.display().to_string()),
            secrets: report.secrets,
            ..empty(WorkKind::Backup)
        })
    }

    /// Verifies every stored file, and changes nothing.
    ///
    /// # Errors
    /// When it cannot be done.
    pub async fn check_images(&self) -> Result<WorkReport, Message> {
        let (report, _) = self.check_for(WorkKind::Check).await?;
        Ok(report)
    }

    /// The same before a repair; also [how many images are missing](upkeep::CheckReport::many_missing),
    /// where they may be elsewhere.
    ///
    /// # Errors
    /// When it cannot be done.
    pub async fn check_for_repair(&self) -> Result<(WorkReport, Option<(u64, u64)>), Message> {
        self.check_for(WorkKind::Repair).await
    }

    /// Checks again, and repairs what is wrong. A missing image is taken for lost, however many are, if
    /// `missing_is_lost`.
    ///
    /// # Errors
    /// When it cannot be done.
    pub async fn repair(&self, missing_is_lost: bool) -> Result<WorkReport, Message> {
        let work = self.start(WorkKind::Repair)?;
        let report = self.check_and_repair(&work, missing_is_lost).await;
        work.end(report)
    }

    async fn check_and_repair(
        &self,
        work: &RunningWork<'_>,
        missing_is_lost: bool,
    ) -> Result<WorkReport, Message> {
        let (storage, images) = (
            self.service.settings().storage.clone(),
            self.service.images(),
        );
        let progress = |done, of| work.progress(done, of);
        let mut report = upkeep::check(&self.folder, &storage, &progress).await?;
        work.commit();
        upkeep::repair(images, &self.folder, &mut report, missing_is_lost).await?;
        for problem in &report.problems {
            match &problem.mended {
                Some(mended) => tracing::warn!("mended: {}; {mended}", problem.fault),
                None => tracing::error!("wrong: {}", problem.fault),
            }
        }
        let (mended, wrong): (Vec<_>, Vec<_>) = report
            .problems
            .into_iter()
            .partition(|problem| problem.mended.is_some());
        Ok(WorkReport {
            good: report.images,
            wrong: report.refused.into_iter().chain(messages(&wrong)).collect(),
            mended: mended.len() as u64,
            ..empty(WorkKind::Repair)
        })
    }

    async fn check_for(
        &self,
        wanted: WorkKind,
    ) -> Result<(WorkReport, Option<(u64, u64)>), Message> {
        let work = self.start(wanted)?;
        let storage = self.service.settings().storage.clone();
        let progress = |done, of| work.progress(done, of);
        let report = upkeep::check(&self.folder, &storage, &progress).await;
        let missing = report
            .as_ref()
            .ok()
            .and_then(upkeep::CheckReport::many_missing);
        let report = work.end(report.map(|report| WorkReport {
            good: report.images,
            wrong: messages(&report.problems),
            ..empty(WorkKind::Check)
        }))?;
        Ok((report, missing))
    }
}

impl RunningWork<'_> {
    /// Reports that `done` of `of` are done.
    ///
    /// # Errors
    /// When the work is cancelled.
    pub fn progress(&self, done: u64, of: u64) -> Result<(), Cancelled> {
        let is_cancelled = self.0.work.update(|work| {
            work.as_mut().is_some_and(|work| {
                (work.done, work.of) = (done, Some(of));
                work.cancelling
            })
        });
        if is_cancelled { Err(Cancelled) } else { Ok(()) }
    }

    /// From here on the work cannot be cancelled.
    fn commit(&self) {
        self.0.work.update(|work| {
            if let Some(work) = work {
                work.cancellable = false;
            }
        });
    }

    async fn cancelled(&self) {
        let mut work = self.0.progress();
        let cancelled = |work: &Option<Work>| work.as_ref().is_some_and(|work| work.cancelling);
        // Its sender is as old as `self`.
        let _ = work.wait_for(cancelled).await;
    }

    /// Ends with this report, which is there before the end is reported. Of cancelled work it names
    /// how far that came.
    ///
    /// # Errors
    /// Why there is none.
    fn end(self, result: Result<WorkReport, Message>) -> Result<WorkReport, Message> {
        let report = match result {
            Err(Message::Cancelled) => WorkReport {
                good: self
                    .0
                    .work
                    .with(|work| work.as_ref().map_or(0, |work| work.done)),
                cancelled: true,
                ..empty(self.1)
            },
            result => result?,
        };
        let mut reports = self.0.reports.lock();
        reports.retain(|before| before.kind != report.kind);
        reports.push(report.clone());
        Ok(report)
    }
}

impl Drop for RunningWork<'_> {
    fn drop(&mut self) {
        self.0.work.set(None);
    }
}

pub fn empty(kind: WorkKind) -> WorkReport {
    WorkReport {
        kind,
        good: 0,
        wrong: Vec::new(),
        mended: 0,
        file: None,
        secrets: Vec::new(),
        already_here: 0,
        cancelled: false,
        adopted: None,
    }
}

/// The first of them.
pub fn messages(problems: &[Problem]) -> Vec<Message> {
    let first = problems.iter().take(REPORTED);
    let mut messages: Vec<Message> = first.map(|problem| (&problem.fault).into()).collect();
    if problems.len() > REPORTED {
        let count = problems.len() - REPORTED + 1;
        messages[REPORTED - 1] = crate::detail!("and {count} more");
    }
    messages
}

#[cfg(test)]
mod tests;
