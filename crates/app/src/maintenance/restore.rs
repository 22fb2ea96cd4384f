//! Restoring a backup: it is unpacked and verified while the service runs, and the next start puts
//! it in place.

use std::fs;
use std::path::{Path, PathBuf};

use porchlight_api::Timestamp;
use porchlight_api::window::WorkKind;
use porchlight_companion::private_files;
use porchlight_core::upkeep::{self, Unpacked};

use super::Maintenance;
use super::for_approval::ForApproval;
use super::startup::{FOLDER, READY, REPAIR};
use crate::settings::edit;
use crate::settings::layers::Layers;

/// A backup that was found whole, beside the data that it would replace.
/// Dropped, it leaves nothing behind that counts.
pub struct Found {
    unpacked: Unpacked,
    for_approval: ForApproval,
    layers: Layers,
    folder: PathBuf,
}

impl Maintenance {
    /// Unpacks a backup and verifies all of it.
    ///
    /// # Errors
    /// When it is not whole, in a sentence. Nothing is changed then.
    pub async fn look_into_backup(&self, layers: &Layers, backup: &Path) -> Result<Found, String> {
        let sentence = |error: &dyn std::fmt::Display| error.to_string();
        let work = self.start(WorkKind::Restore)?;
        let folder = self.folder.join(FOLDER);
        if folder.exists() {
            fs::remove_dir_all(&folder).map_err(|error| sentence(&error))?;
        }
        private_files::make_folder(&folder).map_err(|error| sentence(&error))?;
        let progress = |done, of| work.progress(done, of);
        let unpacked = upkeep::unpack(backup, &folder, &progress).await;
        let unpacked = unpacked.map_err(|error| sentence(&error))?;
        // The storage that the restored service will use.
        let mut layers = layers.clone();
        if let Some(file) = unpacked.settings_file()
            && !layers.file_is_named
        {
            layers.file = file;
        }
        layers.read().map_err(|error| sentence(&error))?;
        let for_approval = ForApproval::of(&unpacked, Some(&self.folder)).await;
        Ok(Found {
            for_approval: for_approval.map_err(|error| sentence(&error))?,
            unpacked,
            layers,
            folder: self.folder.clone(),
        })
    }

    /// Has the next start repair the images.
    ///
    /// # Errors
    /// When that cannot be written, in a sentence.
    pub fn request_repair(&self) -> Result<(), String> {
        let note = self.folder.join(REPAIR);
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
    pub async fn for_the_next_start(self, maintenance: &Maintenance) -> Result<(), String> {
        let work = maintenance.start(WorkKind::Restore)?;
        let progress = |done, of| work.progress(done, of);
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
