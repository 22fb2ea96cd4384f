//! The status of the watched folders.

use std::io;
use std::path::PathBuf;

use porchlight_api::Message;
use porchlight_api::state::{State, StateReader};

/// All of it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct WatchStatus {
    /// The folders, as the owner wrote them.
    pub folders: Vec<FolderStatus>,
    /// Uploads are paused; files are still noticed.
    pub paused: bool,
    /// Files that wait to be uploaded.
    pub waiting: u64,
    /// Files that were set aside.
    pub set_aside: u64,
    /// Files that are under way.
    pub under_way: Vec<PathBuf>,
    /// Why nothing goes out; it is tried again by itself.
    pub trouble: Option<Message>,
}

/// One watched folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FolderStatus {
    /// The folder.
    pub folder: PathBuf,
    /// Its state.
    pub state: FolderState,
}

/// The state of a watched folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FolderState {
    /// It was not scanned yet.
    New,
    /// The system reports changes in it.
    Watched,
    /// It is scanned every few seconds.
    Polled {
        /// Why.
        why: Message,
    },
    /// It is missing or not readable; it is checked every two seconds.
    Missing {
        /// The system's error.
        why: Message,
    },
}

impl FolderState {
    pub(super) fn missing(error: &io::Error) -> Self {
        Self::Missing { why: error.into() }
    }
}

/// Where the status is kept.
#[derive(Debug, Default)]
pub(super) struct Status(State<WatchStatus>);

impl Status {
    pub(super) fn of(folders: &[PathBuf]) -> Self {
        let folders = folders.iter().map(|folder| FolderStatus {
            folder: folder.clone(),
            state: FolderState::New,
        });
        Self(State::new(WatchStatus {
            folders: folders.collect(),
            ..WatchStatus::default()
        }))
    }

    pub(super) fn reader(&self) -> StateReader<WatchStatus> {
        self.0.reader()
    }

    /// Folders that are not there, whose files must wait.
    pub(super) fn absent(&self) -> Vec<PathBuf> {
        self.0.with(|status| {
            let folders = status.folders.iter();
            folders
                .filter(|one| matches!(one.state, FolderState::Missing { .. }))
                .map(|one| one.folder.clone())
                .collect()
        })
    }

    pub(super) fn folder(&self, number: usize, state: FolderState) {
        let changed = self.0.update(|status| {
            let one = status.folders.get_mut(number)?;
            let before = std::mem::replace(&mut one.state, state.clone());
            (before != state).then(|| one.folder.clone())
        });
        let Some(folder) = changed else { return };
        let folder = folder.display();
        match state {
            FolderState::Missing { why } => tracing::warn!(%folder, "it is waited for: {why}"),
            FolderState::Polled { why } => {
                tracing::info!(%folder, "it is scanned every few seconds: {why}");
            }
            FolderState::New | FolderState::Watched => tracing::info!(%folder, "it is watched"),
        }
    }

    /// Logs a trouble once, however often it occurs.
    pub(super) fn trouble(&self, trouble: Option<Message>) {
        let now = trouble.clone();
        let before = self
            .0
            .update(|status| std::mem::replace(&mut status.trouble, now));
        match (before, trouble) {
            (None, Some(why)) => tracing::warn!("uploads wait: {why}"),
            (Some(_), None) => tracing::info!("uploads continue"),
            _ => {}
        }
    }

    /// Notifies subscribers when something changed.
    pub(super) fn change(&self, change: impl FnOnce(&mut WatchStatus)) {
        self.0.update(change);
    }
}
