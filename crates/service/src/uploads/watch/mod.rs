//! Watched folders: every image that is put there is uploaded once.
//!
//! `folder` walks one folder and queues the files that are complete, which `candidates` decides; `events`
//! of the system make that faster, and `ignored` and `attributes` decide which files do not count. The
//! worker of the queue calls `upload` for each, and `after` puts its file away, by way of a name of ours
//! (`staged`).

mod after;
mod attributes;
mod candidates;
mod events;
mod folder;
mod ignored;
pub mod settings;
mod staged;
mod upload;

use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

use candidates::Candidates;
use folder::Folder;
use tokio::runtime::Handle;
use tokio::sync::broadcast;
use tokio_util::sync::{CancellationToken, DropGuard};

use super::{Uploads, table};
use crate::error::message::Message;
use crate::state::StateReader;
use crate::text::image_hash::ImageHash;
use crate::uploads::watch::settings::WatchSettings;
use crate::uploads::window::{FolderState, FolderStatus, WatchStatus};

/// How a file of a watched folder ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WatchOutcome {
    Uploaded {
        file: PathBuf,
        hash: ImageHash,
        already_there: bool,
    },
    /// It can never work as it is.
    SetAside { file: PathBuf, reason: Message },
}

/// The folders that are watched. Dropping it stops at once.
#[derive(Debug)]
pub struct Watch(#[expect(dead_code, reason = "it is dropped")] DropGuard);

impl Uploads {
    /// Watches the folders of the settings, whose files join the queue. Must be called on a tokio
    /// runtime, after the last watch was told to stop. Folders that do not exist yet are waited
    /// for; nothing in `data_folder` is uploaded.
    ///
    /// # Errors
    /// When the queue cannot be read or written, or the system gives no thread.
    pub(crate) async fn watch(
        &self,
        settings: &WatchSettings,
        data_folder: &Path,
    ) -> Result<Watch, Message> {
        let places = without_those_inside(&settings.folders, settings.recursive);
        let (uploads, watched) = (self.clone(), places.clone());
        self.write(move |change| {
            let in_progress = uploads.in_progress();
            table::resume(change, &watched, &in_progress)
        })
        .await?;
        *self.0.after.lock() = settings.after;
        self.watches(places.clone());
        let stop = CancellationToken::new();
        // What is put away now keeps the name that it has meanwhile.
        let is_walked = self.0.has_watched.swap(true, Ordering::Relaxed);
        for (number, folder) in places.into_iter().enumerate() {
            let place = folder.clone();
            let is_known = self.read(move |look| table::knows_folder(look, &place));
            let folder = Folder {
                number,
                folder,
                settings: settings.clone(),
                data_folder: data_folder.to_owned(),
                leave_existing: !settings.existing && !is_known.await?,
                uploads: self.clone(),
                stop: stop.clone(),
                runtime: Handle::current(),
                candidates: Candidates::default(),
                is_walked,
                is_behind: false,
            };
            let started = folder.start();
            started.map_err(|error| crate::detail!("there is no thread for it: {error}"))?;
        }
        Ok(Watch(stop.drop_guard()))
    }

    /// The status of the watched folders.
    #[must_use]
    pub fn watch_status(&self) -> StateReader<WatchStatus> {
        self.0.watched.reader()
    }

    /// How the files of watched folders end from now on.
    pub fn outcomes(&self) -> broadcast::Receiver<WatchOutcome> {
        self.0.outcomes.subscribe()
    }

    /// Files of these folders alone are uploaded from now on.
    fn watches(&self, places: Vec<PathBuf>) {
        let mut folders = self.0.folders.lock();
        self.0
            .watched
            .update(|status| status.folders = WatchStatus::unwatched(&places).folders);
        *folders = places;
        drop(folders);
        self.0.work.notify_one();
    }

    /// Sets the state of a watched folder, with the reason where it is polled or missing.
    fn folder_is(&self, number: usize, state: FolderState, why: Option<Message>) {
        let changed = self.0.watched.update(|status| {
            let one: &mut FolderStatus = status.folders.get_mut(number)?;
            let is_new = (one.state, &one.why) != (state, &why);
            (one.state, one.why) = (state, why.clone());
            is_new.then(|| one.folder.clone())
        });
        let Some(folder) = changed else { return };
        let why = why.map(|why| why.to_string()).unwrap_or_default();
        match state {
            FolderState::Missing => tracing::warn!(%folder, "it is waited for: {why}"),
            FolderState::Polled => {
                tracing::info!(%folder, "it is looked through every few seconds: {why}");
            }
            FolderState::New | FolderState::Watched => tracing::info!(%folder, "it is watched"),
        }
    }
}

impl Watch {
    /// Stops to watch; no file of the folders is begun any more.
    pub fn stop(self, uploads: &Uploads) {
        drop(self);
        uploads.watches(Vec::new());
    }
}

/// A folder inside another one that is watched with its subfolders is watched
/// already.
fn without_those_inside(folders: &[PathBuf], recursive: bool) -> Vec<PathBuf> {
    let mut kept: Vec<PathBuf> = Vec::new();
    for folder in folders {
        let inside = recursive
            && folders
                .iter()
                .any(|above| folder != above && folder.starts_with(above));
        if !inside && !kept.contains(folder) {
            kept.push(folder.clone());
        }
    }
    kept
}

#[cfg(test)]
mod tests;
