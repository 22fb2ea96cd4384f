//! Restoring a backup: it is unpacked and verified while the service runs, and the next start puts
//! it in place.

use std::fs;
use std::path::{Path, PathBuf};
use std::pin::pin;

use tokio_util::sync::CancellationToken;
use toml_edit::DocumentMut;

use super::startup::{FOLDER, READY};
use super::{Maintenance, RunningWork};
use crate::clock::timestamp::Timestamp;
use crate::error::message::Message;
use crate::files::{private_file, private_files};
use crate::settings::edit;
use crate::settings::layers::{Layers, value_of_item};
use crate::settings::problem::{Problem, Problems};
use crate::settings::sections::StorageSettings;
use crate::settings::window::WorkKind;
use crate::upkeep::{self, Authority, Unpacked};

/// The setting that a restore brings of any backup.
const RULES: &str = "presence.rules";

/// How much of a backup is restored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// All of it: it is the owner's.
    All,
    /// Pictures, history, names and rules. The other settings, the tokens and the devices stay as they
    /// are on this machine.
    Content,
}

impl Extent {
    /// Which tokens and devices apply then, where those of this machine are in `folder`.
    pub fn authority(self, folder: &Path) -> Authority<'_> {
        match self {
            Self::All => Authority::Backup,
            Self::Content => Authority::Folder(folder),
        }
    }

    /// Prepares the settings file that is restored, and returns where the restored images belong.
    /// `layers` are the settings of this machine.
    ///
    /// # Errors
    /// When the restored settings would be invalid, or a file cannot be read or written.
    pub fn prepare(
        self,
        unpacked: &mut Unpacked,
        layers: &Layers,
    ) -> Result<StorageSettings, Problems> {
        let nowhere = |why: Message| Problems::from(Problem::nowhere(why));
        let brought = match unpacked.settings_file() {
            Some(file) if !layers.file_is_named => Layers {
                file,
                ..layers.clone()
            },
            _ => {
                if self == Self::Content {
                    let none = unpacked.replace_settings(None);
                    none.map_err(nowhere)?;
                }
                return Ok(layers.read()?.settings.storage);
            }
        };
        if self == Self::All {
            return Ok(brought.read()?.settings.storage);
        }
        let rules: DocumentMut = brought
            .file_text()?
            .parse()
            .map_err(|error: toml_edit::TomlError| nowhere(Message::text(error.message())))?;
        let rules = rules
            .get("presence")
            .and_then(|section| section.get("rules"));
        let mut text = layers.file_text()?;
        if let Some(rules) = rules {
            let change = (RULES, Some(value_of_item(rules)));
            text =
                edit::changed(&text, &[change]).map_err(|error| nowhere(Message::text(error)))?;
        }
        let storage = layers.read_with(&text)?.settings.storage;
        let replaced = unpacked.replace_settings(rules.map(|_| text.as_str()));
        replaced.map_err(nowhere)?;
        Ok(storage)
    }
}

/// A backup that was found whole, beside the data that it would replace.
/// Dropped, it leaves nothing behind that counts.
pub struct InspectedBackup {
    unpacked: Unpacked,
    folder: PathBuf,
}

impl Maintenance {
    /// Unpacks a backup and verifies all of it.
    ///
    /// # Errors
    /// When it is not whole, or the work is cancelled. Nothing is changed then.
    pub async fn look_into_backup(&self, backup: &Path) -> Result<InspectedBackup, Message> {
        let work = self.start(WorkKind::Restore)?;
        self.reports
            .lock()
            .retain(|report| report.kind != WorkKind::Restore);
        let stop = CancellationToken::new();
        {
            let mut verifying = pin!(self.verify(&work, backup, &stop));
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
        Ok(InspectedBackup {
            unpacked,
            folder: self.folder.clone(),
        })
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

    /// Has the next start put it in the place of what is there. This cannot be cancelled: the
    /// object store would keep a part.
    ///
    /// # Errors
    /// When the restored settings would be invalid, the disk or the object store fails, or something
    /// else is being done.
    pub async fn for_the_next_start(
        mut self,
        extent: Extent,
        layers: &Layers,
        maintenance: &Maintenance,
    ) -> Result<(), Message> {
        let work = maintenance.start(WorkKind::Restore)?;
        work.commit();
        let progress = |done, of| work.progress(done, of);
        let storage = extent.prepare(&mut self.unpacked, layers)?;
        let authority = extent.authority(&self.folder);
        let restored = self.unpacked.put_in_place(&storage, authority, &progress);
        restored.await?;
        let now = Timestamp::now().as_millis();
        let ready = self.folder.join(FOLDER).join(READY);
        private_file::write(&ready, &format!("before-restore-{now}"))
            .map_err(|error| Message::about(&ready, error))
    }
}
