//! The status of the watched folders.

use std::path::PathBuf;

use crate::error::message::Message;
use crate::state::{State, StateReader};
use crate::uploads::window::{FolderState, WatchStatus};

#[derive(Debug)]
pub(super) struct Status {
    state: State<WatchStatus>,
    folders: Vec<PathBuf>,
}

impl Status {
    pub(super) fn of(folders: &[PathBuf]) -> Self {
        Self {
            state: State::new(WatchStatus::unwatched(folders)),
            folders: folders.to_owned(),
        }
    }

    pub(super) fn reader(&self) -> StateReader<WatchStatus> {
        self.state.reader()
    }

    /// Folders that are not there, whose files must wait.
    pub(super) fn absent(&self) -> Vec<PathBuf> {
        self.state.with(|status| {
            let folders = self.folders.iter().zip(&status.folders);
            folders
                .filter(|(_, one)| one.state == FolderState::Missing)
                .map(|(folder, _)| folder.clone())
                .collect()
        })
    }

    /// Sets the state of a folder, with the reason where it is polled or missing.
    pub(super) fn folder(&self, number: usize, state: FolderState, why: Option<Message>) {
        let changed = self.state.update(|status| {
            let one = status.folders.get_mut(number)?;
            let is_new = (one.state, &one.why) != (state, &why);
            (one.state, one.why) = (state, why.clone());
            is_new.then(|| one.folder.clone())
        });
        let Some(folder) = changed else { return };
        let why = why.map(|why| why.to_string()).unwrap_or_default();
        match state {
            FolderState::Missing => tracing::warn!(%folder, "it is waited for: {why}"),
            FolderState::Polled => {
                tracing::info!(%folder, "it is scanned every few seconds: {why}");
            }
            FolderState::New | FolderState::Watched => tracing::info!(%folder, "it is watched"),
        }
    }

    /// Logs a trouble once, however often it occurs.
    pub(super) fn trouble(&self, trouble: Option<Message>) {
        let now = trouble.clone();
        let before = self
            .state
            .update(|status| std::mem::replace(&mut status.trouble, now));
        match (before, trouble) {
            (None, Some(why)) => tracing::warn!("uploads wait: {why}"),
            (Some(_), None) => tracing::info!("uploads continue"),
            _ => {}
        }
    }

    /// Notifies subscribers when something changed.
    pub(super) fn change(&self, change: impl FnOnce(&mut WatchStatus)) {
        self.state.update(change);
    }
}
