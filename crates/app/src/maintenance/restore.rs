//! Restoring a backup: it is unpacked and verified while the service runs, and the next start puts
//! it in place.

use std::fs;
use std::path::{Path, PathBuf};
use std::pin::pin;

use porchlight_api::window::WorkKind;
use porchlight_api::{Message, Timestamp};
use porchlight_companion::private_files;
use porchlight_core::upkeep::{self, Unpacked};
use tokio_util::sync::CancellationToken;

use super::for_approval::ForApproval;
use super::startup::{FOLDER, MISSING_IS_LOST, READY, REPAIR};
use super::{Maintenance, RunningWork};
use crate::private_file;
use crate::settings::layers::Layers;

/// A backup that was found whole, beside the data that it would replace.
/// Dropped, it leaves nothing behind that counts.
pub struct InspectedBackup {
    unpacked: Unpacked,
    for_approval: ForApproval,
    layers: Layers,
    folder: PathBuf,
}

impl Maintenance {
    /// Unpacks a backup and verifies all of it.
    ///
    /// # Errors
    /// When it is not whole, or the work is cancelled. Nothing is changed then.
    pub async fn look_into_backup(
        &self,
        layers: &Layers,
        backup: &Path,
    ) -> Result<InspectedBackup, Message> {
        let work = self.start(WorkKind::Restore)?;
        self.reports
            .lock()
            .retain(|report| report.kind != WorkKind::Restore);
        let stop = CancellationToken::new();
        {
            let mut verifying = pin!(self.verify(&work, layers, backup, &stop));
            tokio::select! {
                found = &mut verifying => return found,
                () = work.cancelled() => stop.cancel(),
            }
            // The folder is free again once the file that is being unpacked is whole.
            let _ = verifying.await;
        }
        // A window shows the report of that.
        work.end(Err(Message::Cancelled))?;
        Err(Message::Cancelled)
    }

    async fn verify(
        &self,
        work: &RunningWork<'_>,
        layers: &Layers,
        backup: &Path,
        stop: &CancellationToken,
    ) -> Result<InspectedBackup, Message> {
        let folder = self.folder.join(FOLDER);
        if folder.exists() {
            fs::remove_dir_all(&folder)?;
        }
        private_files::make_folder(&folder)?;
        let progress = |done, of| work.progress(done, of);
        let unpacked = upkeep::unpack(backup, &folder, &progress, stop).await?;
        // The storage that the restored service will use.
        let mut layers = layers.clone();
        if let Some(file) = unpacked.settings_file()
            && !layers.file_is_named
        {
            layers.file = file;
        }
        layers.read()?;
        let for_approval = ForApproval::of(&unpacked, Some(&self.folder)).await;
        Ok(InspectedBackup {
            for_approval: for_approval?,
            unpacked,
            layers,
            folder: self.folder.clone(),
        })
    }

    /// Has the next start repair the images, also where many are missing if `missing_is_lost`.
    ///
    /// # Errors
    /// When that cannot be written.
    pub fn request_repair(&self, missing_is_lost: bool) -> Result<(), Message> {
        let note = self.folder.join(REPAIR);
        let text = if missing_is_lost { MISSING_IS_LOST } else { "" };
        private_file::write(&note, text).map_err(|error| Message::about(&note, error))
    }
}

impl InspectedBackup {
    pub fn images(&self) -> u64 {
        self.unpacked.images()
    }

    /// Files with secrets in it.
    pub fn secrets(&self) -> &[String] {
        self.unpacked.secrets()
    }

    pub fn for_approval(&self) -> &ForApproval {
        &self.for_approval
    }

    /// Takes that out.
    ///
    /// # Errors
    /// When that fails; it must not be restored then.
    pub async fn leave_out(&mut self) -> Result<(), Message> {
        self.for_approval.leave_out(&mut self.unpacked).await?;
        Ok(())
    }

    /// Has the next start put it in the place of what is there. This cannot be cancelled: the
    /// object store would keep a part.
    ///
    /// # Errors
    /// When the disk or the object store fails, or something else is being done.
    pub async fn for_the_next_start(self, maintenance: &Maintenance) -> Result<(), Message> {
        let work = maintenance.start(WorkKind::Restore)?;
        work.commit();
        let progress = |done, of| work.progress(done, of);
        let storage = self.layers.read()?.settings.storage;
        self.unpacked.put_in_place(&storage, &progress).await?;
        let now = Timestamp::now().as_millis();
        let ready = self.folder.join(FOLDER).join(READY);
        private_file::write(&ready, &format!("before-restore-{now}"))
            .map_err(|error| Message::about(&ready, error))
    }
}
