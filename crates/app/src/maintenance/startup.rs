//! What needs the data folder to itself, and so is done before the service
//! opens: a backup that was brought back takes the place of what is there, and
//! images are repaired. The app prepares both while it serves, and starts anew.
//!
//! A backup is unpacked and verified in a folder of its own. The file `ready` in
//! it says that all of it is there; `moved`, that what was there before is out of
//! the way. So a start that is killed half-way is gone on with by the next one.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use porchlight_api::Timestamp;
use porchlight_api::window::{WorkKind, WorkReport};
use porchlight_companion::outbox;
use porchlight_core::settings::StorageSettings;
use porchlight_core::upkeep::{self, Unpacked};

use crate::data_dir;
use crate::host::{Host, StartError};
use crate::maintenance::for_approval::ForApproval;
use crate::maintenance::{self, Care};
use crate::settings::edit;
use crate::settings::layers::Layers;

/// Where a backup is unpacked, in the data folder.
const FOLDER: &str = "restoring";
/// Holds the name of the folder for what was there before.
const READY: &str = "ready";
const MOVED: &str = "moved";
/// Its being there asks for a repair.
const REPAIR: &str = "repair-wanted";

/// What belongs to the database that is replaced.
const REPLACED: [&str; 7] = [
    "porchlight.db",
    "porchlight.db-wal",
    "porchlight.db-shm",
    "images",
    "renditions",
    "incoming",
    "set-aside",
];
/// What can be in a backup, the database last: until then nothing is served.
const BROUGHT: [&str; 4] = [
    "images",
    "settings.toml",
    "own-tokens.json",
    "porchlight.db",
];

/// A backup that was found whole, beside the data that it would replace.
/// Dropped, it leaves nothing behind that counts.
pub struct Found {
    unpacked: Unpacked,
    for_approval: ForApproval,
    layers: Layers,
    folder: PathBuf,
}

impl Host {
    /// Unpacks a backup and verifies all of it.
    ///
    /// # Errors
    /// When it is not whole, in a sentence. Nothing is changed then.
    pub async fn look_into_backup(&self, backup: &Path) -> Result<Found, String> {
        let sentence = |error: &dyn std::fmt::Display| error.to_string();
        let work = self.care().begin(WorkKind::Restore)?;
        let folder = self.folder().join(FOLDER);
        if folder.exists() {
            fs::remove_dir_all(&folder).map_err(|error| sentence(&error))?;
        }
        data_dir::make_closed(&folder).map_err(|error| sentence(&error))?;
        let progress = |done, of| work.at(done, of);
        let unpacked = upkeep::unpack(backup, &folder, &progress).await;
        let unpacked = unpacked.map_err(|error| sentence(&error))?;
        // Where the images belong is what the service will be told.
        let mut layers = self.parts().layers.clone();
        if let Some(file) = unpacked.settings_file()
            && !layers.file_is_named
        {
            layers.file = file;
        }
        layers.read().map_err(|error| sentence(&error))?;
        let for_approval = ForApproval::of(&unpacked, Some(self.folder())).await;
        Ok(Found {
            for_approval: for_approval.map_err(|error| sentence(&error))?,
            unpacked,
            layers,
            folder: self.folder().to_owned(),
        })
    }

    /// Has the next start repair the images.
    ///
    /// # Errors
    /// When that cannot be written down, in a sentence.
    pub fn want_repair(&self) -> Result<(), String> {
        let note = self.folder().join(REPAIR);
        edit::write(&note, "").map_err(|error| format!("{}: {error}", note.display()))
    }
}

impl Found {
    /// Images in it.
    pub fn images(&self) -> u64 {
        self.unpacked.images()
    }

    /// Files with secrets in it.
    pub fn secrets(&self) -> &[String] {
        self.unpacked.secrets()
    }

    /// The parts of it that need the owner's approval.
    pub fn for_approval(&self) -> &ForApproval {
        &self.for_approval
    }

    /// Takes that out.
    ///
    /// # Errors
    /// When that fails, in a sentence; it must not be restored then.
    pub async fn leave_out(&mut self) -> Result<(), String> {
        let left_out = self.for_approval.leave_out(&mut self.unpacked).await;
        left_out.map(drop).map_err(|error| error.to_string())
    }

    /// Has the next start put it in the place of what is there.
    ///
    /// # Errors
    /// When the disk or the object store fails, or something else is being done, in
    /// a sentence.
    pub async fn for_the_next_start(self, care: &Care) -> Result<(), String> {
        let work = care.begin(WorkKind::Restore)?;
        let progress = |done, of| work.at(done, of);
        let storage = self.layers.read().map_err(|error| error.to_string())?;
        let storage = storage.settings.storage;
        let placed = self.unpacked.put_in_place(&storage, &progress).await;
        placed.map_err(|error| error.to_string())?;
        let now = Timestamp::now().as_millis();
        let ready = self.folder.join(FOLDER).join(READY);
        edit::write(&ready, &format!("before-restore-{now}"))
            .map_err(|error| format!("{}: {error}", ready.display()))
    }
}

/// A backup took the place of what was there.
pub struct Replaced {
    /// Where that is now.
    pub aside: PathBuf,
    /// What failed afterwards, in sentences. The log is not open yet.
    pub warnings: Vec<String>,
}

/// Puts a backup that is ready in its place.
///
/// # Errors
/// When the folder is served, or the disk fails. The next start goes on.
pub async fn put_backup_in_place(folder: &Path) -> Result<Option<Replaced>, StartError> {
    if !folder.join(FOLDER).is_dir() {
        return Ok(None);
    }
    let _lock = data_dir::lock(folder)?;
    let Some(aside) = swap(folder).map_err(StartError::Restore)? else {
        return Ok(None);
    };
    let warnings = follow_up(folder, &aside).await;
    fs::remove_dir_all(folder.join(FOLDER)).map_err(StartError::Restore)?;
    Ok(Some(Replaced { aside, warnings }))
}

/// Returns images that the service lost by the restore to the upload queue, and deletes the reader
/// digests from the replaced database. Idempotent.
async fn follow_up(folder: &Path, aside: &Path) -> Vec<String> {
    let mut warnings = Vec::new();
    if outbox::is_in(folder) {
        let lost = upkeep::lost_images(aside, folder).await;
        if let Err(error) = &lost {
            warnings.push(format!(
                "pictures of watched folders are all looked up again, since what was there before \
                 cannot be compared: {error}"
            ));
        }
        if let Err(error) = outbox::look_up_again(folder, lost.ok()) {
            warnings.push(format!(
                "pictures of watched folders that the restore took away are not uploaded again: \
                 {error}"
            ));
        }
    }
    if let Err(error) = upkeep::forget_readers(aside).await {
        warnings.push(format!(
            "today's readers can still be identified with the database in {}: {error}",
            aside.display()
        ));
    }
    warnings
}

fn swap(folder: &Path) -> io::Result<Option<PathBuf>> {
    let from = folder.join(FOLDER);
    let (ready, moved) = (from.join(READY), from.join(MOVED));
    let name = match fs::read_to_string(&moved).or_else(|_| fs::read_to_string(&ready)) {
        Ok(name) => name,
        // It was looked into, and nobody said yes.
        Err(_) => return fs::remove_dir_all(&from).map(|()| None),
    };
    let aside = folder.join(name);
    data_dir::make_closed(&aside)?;
    if !moved.exists() {
        let brought = BROUGHT.iter().filter(|name| from.join(name).exists());
        for name in REPLACED.iter().chain(brought) {
            let there = folder.join(name);
            if there.exists() {
                fs::rename(there, aside.join(name))?;
            }
        }
        sync(folder)?;
        sync(&aside)?;
        fs::rename(&ready, &moved)?;
        sync(&from)?;
    }
    for name in BROUGHT {
        let brought = from.join(name);
        if brought.exists() {
            fs::rename(brought, folder.join(name))?;
            sync(folder)?;
        }
    }
    Ok(Some(aside))
}

/// Repairs the images when that was wanted. Must be called with the lock of the
/// folder held, before the service opens.
pub async fn repair_if_wanted(folder: &Path, storage: &StorageSettings) -> Option<WorkReport> {
    let note = folder.join(REPAIR);
    if !note.exists() {
        return None;
    }
    // Before it is begun: one that ends the process is not begun again and again.
    if let Err(error) = fs::remove_file(&note) {
        tracing::error!(%error, "{} cannot be removed: nothing is repaired", note.display());
        return None;
    }
    tracing::info!("the images are repaired");
    let report = match upkeep::repair(folder, storage, &|_, _| {}).await {
        Ok(report) => report,
        Err(error) => {
            tracing::error!(%error, "the images could not be repaired");
            return None;
        }
    };
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
    Some(WorkReport {
        good: report.images,
        wrong: maintenance::told(&wrong),
        mended: mended.len() as u64,
        ..maintenance::empty(WorkKind::Repair)
    })
}

/// A rename is on the disk once its folder is.
fn sync(folder: &Path) -> io::Result<()> {
    if cfg!(unix) {
        File::open(folder)?.sync_all()?;
    }
    Ok(())
}

#[cfg(test)]
mod tests;
