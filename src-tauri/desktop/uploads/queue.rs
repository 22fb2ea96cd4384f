//! The queue of uploads: what waits, what is in progress, and how the rest ended.

use std::collections::{HashMap, VecDeque};
use std::path::PathBuf;

use porchlight_api::window::{Upload, UploadState};
use porchlight_companion::picgo::Picture;

/// Uploads that went well, or had before, and are kept to be looked at.
const REMEMBERED: usize = 200;
/// Failed ones that are kept to be tried again.
const FAILED_REMEMBERED: usize = 2_000;

/// A picture to be uploaded.
#[derive(Debug, Clone)]
pub(super) struct Job {
    /// The number of its row.
    pub(super) id: u32,
    /// The picture.
    pub(super) picture: Picture,
}

/// The rows of the window's list, oldest first, and the pictures behind them.
#[derive(Debug, Default)]
pub(super) struct Queue {
    last_id: u32,
    rows: Vec<Upload>,
    waiting: VecDeque<u32>,
    /// Of those that are not done, so that what failed can be tried again.
    pictures: HashMap<u32, Picture>,
}

impl Queue {
    /// A row for a picture that waits to be uploaded; its number.
    pub(super) fn add(&mut self, picture: Picture, name: String, size: u64) -> u32 {
        let id = self.row(picture, name, size, UploadState::Waiting);
        self.waiting.push_back(id);
        id
    }

    /// A row for what was left out, which cannot be tried again by itself.
    pub(super) fn add_left_out(&mut self, name: String, end: UploadState) -> u32 {
        let id = self.add_failed(Picture::File(PathBuf::new()), name, end);
        self.pictures.remove(&id);
        id
    }

    /// A row for something that cannot be uploaded as it is; its number.
    pub(super) fn add_failed(&mut self, picture: Picture, name: String, end: UploadState) -> u32 {
        let id = self.row(picture, name, 0, end);
        self.forget_what_is_old();
        id
    }

    /// The picture whose turn it is; its row says so from now on.
    pub(super) fn take(&mut self) -> Option<Job> {
        let id = self.waiting.pop_front()?;
        let picture = self.pictures.get(&id)?.clone();
        self.set(id, UploadState::Working { permille: 0 });
        Some(Job { id, picture })
    }

    /// How far it has come; whether its row is another one now. It never goes
    /// back, and says nothing of what is not under way.
    pub(super) fn progress(&mut self, id: u32, now: u16, size: Option<u64>) -> bool {
        let Some(row) = self.find(id) else {
            return false;
        };
        let UploadState::Working { permille } = &mut row.progress else {
            return false;
        };
        let changed = now > *permille || size.is_some_and(|size| size != row.size);
        *permille = now.max(*permille);
        row.size = size.unwrap_or(row.size);
        changed
    }

    /// How it ended.
    pub(super) fn finish(&mut self, id: u32, end: UploadState) {
        if !is_failed(&end) {
            self.pictures.remove(&id);
        }
        self.set(id, end);
        self.forget_what_is_old();
    }

    /// Has a failed one wait again, or with `None` all of them; which those are.
    pub(super) fn retry(&mut self, id: Option<u32>) -> Vec<Job> {
        let mut again = Vec::new();
        for row in &mut self.rows {
            let meant = id.is_none_or(|id| id == row.id);
            if meant
                && is_failed(&row.progress)
                && let Some(picture) = self.pictures.get(&row.id)
            {
                row.progress = UploadState::Waiting;
                self.waiting.push_back(row.id);
                again.push(Job {
                    id: row.id,
                    picture: picture.clone(),
                });
            }
        }
        again
    }

    /// Takes the finished rows off the list; the pictures of those that failed.
    pub(super) fn clear(&mut self) -> Vec<Picture> {
        self.rows.retain(|row| !is_finished(row));
        self.forget_pictures()
    }

    /// The rows, oldest first.
    pub(super) fn rows(&self) -> &[Upload] {
        &self.rows
    }

    fn row(&mut self, picture: Picture, name: String, size: u64, progress: UploadState) -> u32 {
        self.last_id += 1;
        self.pictures.insert(self.last_id, picture);
        self.rows.push(Upload {
            id: self.last_id,
            name,
            size,
            progress,
        });
        self.last_id
    }

    fn set(&mut self, id: u32, progress: UploadState) {
        if let Some(row) = self.find(id) {
            row.progress = progress;
        }
    }

    fn find(&mut self, id: u32) -> Option<&mut Upload> {
        // Rows are in the order of their numbers.
        let at = self.rows.binary_search_by_key(&id, |row| row.id).ok()?;
        self.rows.get_mut(at)
    }

    fn forget_what_is_old(&mut self) {
        let rows = self.rows.len();
        let failed = |row: &Upload| is_failed(&row.progress);
        self.forget_oldest(FAILED_REMEMBERED, failed);
        self.forget_oldest(REMEMBERED, |row| is_finished(row) && !failed(row));
        if self.rows.len() < rows {
            self.forget_pictures();
        }
    }

    /// Removes the oldest of these rows, and keeps this many.
    fn forget_oldest(&mut self, but: usize, of: impl Fn(&Upload) -> bool) {
        let count = self.rows.iter().filter(|row| of(row)).count();
        let mut superfluous = count.saturating_sub(but);
        if superfluous == 0 {
            return;
        }
        self.rows.retain(|row| {
            let forget = superfluous > 0 && of(row);
            superfluous -= usize::from(forget);
            !forget
        });
    }

    /// Those whose rows are gone; which they were.
    fn forget_pictures(&mut self) -> Vec<Picture> {
        let rows = &self.rows;
        let gone = |id: &u32| rows.binary_search_by_key(id, |row| row.id).is_err();
        let gone = self.pictures.extract_if(|id, _| gone(id));
        gone.map(|(_, picture)| picture).collect()
    }
}

fn is_failed(progress: &UploadState) -> bool {
    matches!(progress, UploadState::Failed { .. })
}

pub(super) fn is_finished(row: &Upload) -> bool {
    !matches!(
        row.progress,
        UploadState::Waiting | UploadState::Working { .. }
    )
}

#[cfg(test)]
mod tests;
