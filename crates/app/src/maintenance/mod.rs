//! Care of the data folder while it is served: a backup, a check, a move to the
//! other storage. One at a time, and whoever wants to hears how far it is.

use std::path::PathBuf;

use parking_lot::Mutex;
use porchlight_api::window::{CareGlance, Work, WorkKind, WorkReport};
use porchlight_core::Service;
use porchlight_core::upkeep::{self, BackupOptions, Problem};
use tokio::sync::watch;

pub mod for_approval;
mod moving;
pub mod restore;
pub mod startup;

/// So many faults are told one by one.
const TOLD: usize = 100;

/// What is being done, if anything is, and what came of it.
pub struct Maintenance {
    work: watch::Sender<Option<Work>>,
    /// The last one of each kind, the newest last.
    reports: Mutex<Vec<WorkReport>>,
    service: Service,
    folder: PathBuf,
}

/// Ends the work when it is dropped, however that comes.
pub struct UnderWay<'a>(&'a Maintenance, WorkKind);

impl Maintenance {
    /// Of a run that began with this.
    pub fn after(repaired: Option<WorkReport>, service: Service, folder: PathBuf) -> Self {
        Self {
            service,
            folder,
            work: watch::Sender::new(None),
            reports: Mutex::new(repaired.into_iter().collect()),
        }
    }

    /// How far the work is; `None` while there is none.
    pub fn progress(&self) -> watch::Receiver<Option<Work>> {
        self.work.subscribe()
    }

    /// All of it as it is now.
    pub fn glance(&self) -> CareGlance {
        CareGlance {
            work: self.work.borrow().clone(),
            reports: self.reports.lock().clone(),
        }
    }

    /// Begins with it.
    ///
    /// # Errors
    /// While something else is being done.
    pub fn begin(&self, kind: WorkKind) -> Result<UnderWay<'_>, String> {
        let mut begun = false;
        self.work.send_if_modified(|work| {
            begun = work.is_none();
            if begun {
                *work = Some(Work {
                    kind,
                    done: 0,
                    of: None,
                });
            }
            begun
        });
        if begun {
            Ok(UnderWay(self, kind))
        } else {
            Err("something else is being done to the data folder: wait until that is over".into())
        }
    }

    /// Saves a backup; a file that is there is replaced.
    ///
    /// # Errors
    /// When there is none in the end, in a sentence.
    pub async fn back_up(&self, file: PathBuf, with_secrets: bool) -> Result<WorkReport, String> {
        let work = self.begin(WorkKind::Backup)?;
        let options = BackupOptions {
            file,
            force: true,
            with_secrets,
        };
        let storage = self.service.settings().storage.clone();
        let progress = |done, of| work.at(done, of);
        let report = upkeep::backup(&self.folder, &storage, &options, &progress).await;
        let report = report.map_err(|error| error.to_string())?;
        let mut wrong = told(&report.problems);
        wrong.extend(report.not_restorable);
        Ok(work.came_to(WorkReport {
            good: report.images,
            wrong,
            file: Some(options.file.display().to_string()),
            secrets: report.secrets,
            ..empty(WorkKind::Backup)
        }))
    }

    /// Verifies every stored file, and changes nothing; for a repair where that is
    /// `wanted`.
    ///
    /// # Errors
    /// When it cannot be done, in a sentence.
    pub async fn check_images(&self, wanted: WorkKind) -> Result<WorkReport, String> {
        let work = self.begin(wanted)?;
        let storage = self.service.settings().storage.clone();
        let progress = |done, of| work.at(done, of);
        let report = upkeep::check(&self.folder, &storage, true, &progress).await;
        let report = report.map_err(|error| error.to_string())?;
        Ok(work.came_to(WorkReport {
            good: report.images,
            wrong: told(&report.problems),
            ..empty(WorkKind::Check)
        }))
    }
}

impl UnderWay<'_> {
    /// So many of so many are done.
    pub fn at(&self, done: u64, of: u64) {
        self.0.work.send_replace(Some(Work {
            kind: self.1,
            done,
            of: Some(of),
        }));
    }

    /// It is over, and this came of it: whoever hears of the end can ask for it.
    fn came_to(self, report: WorkReport) -> WorkReport {
        let mut reports = self.0.reports.lock();
        reports.retain(|before| before.kind != report.kind);
        reports.push(report.clone());
        report
    }
}

impl Drop for UnderWay<'_> {
    fn drop(&mut self) {
        self.0.work.send_replace(None);
    }
}

/// A report of nothing.
pub fn empty(kind: WorkKind) -> WorkReport {
    WorkReport {
        kind,
        good: 0,
        wrong: Vec::new(),
        mended: 0,
        file: None,
        secrets: Vec::new(),
    }
}

/// The first of them, in words.
pub fn told(problems: &[Problem]) -> Vec<String> {
    let mut told: Vec<String> = problems
        .iter()
        .take(TOLD)
        .map(|problem| problem.fault.to_string())
        .collect();
    if problems.len() > TOLD {
        told[TOLD - 1] = format!("and {} more", problems.len() - TOLD + 1);
    }
    told
}

#[cfg(test)]
mod tests;
