//! The rows of the window's list: what waits, what is under way, and how the rest ended.

use std::collections::{HashMap, HashSet};

use crate::uploads::window::{Upload, UploadState};

/// Uploads that went well, or had before, and are kept to be looked at.
const REMEMBERED: usize = 200;
/// Failed ones that are kept to be tried again.
const FAILED_REMEMBERED: usize = 2_000;

/// The first number of rows that the upload queue does not know.
const FIRST_SPARE: u32 = 1 << 31;

#[derive(Debug, Default)]
pub(super) struct Rows {
    /// In the order of their numbers.
    list: Vec<Upload>,
    /// Those whose end is waited for, and by how many: they are not forgotten.
    awaited: HashMap<u32, usize>,
}

impl Rows {
    pub(super) fn insert(&mut self, row: Upload) {
        if let Err(at) = self.at(row.id) {
            let finished = is_finished(&row);
            self.list.insert(at, row);
            if finished {
                self.forget_what_is_old();
            }
        }
    }

    /// The number for a row that the upload queue does not know.
    pub(super) fn spare_id(&self) -> u32 {
        let last = self.list.last().map_or(0, |row| row.id);
        last.saturating_add(1).max(FIRST_SPARE)
    }

    /// How far it has come; whether its row is another one now. It never goes
    /// back while it is under way, and has nothing of what is over.
    pub(super) fn progress(&mut self, id: u32, now: u16, size: Option<u64>) -> bool {
        let Some(row) = self.find(id) else {
            return false;
        };
        let before = match &row.progress {
            UploadState::Working { permille } => Some(*permille),
            UploadState::Waiting { .. } => None,
            _ => return false,
        };
        let changed =
            before.is_none_or(|before| now > before) || size.is_some_and(|size| size != row.size);
        let permille = now.max(before.unwrap_or(0));
        row.progress = UploadState::Working { permille };
        row.size = size.unwrap_or(row.size);
        changed
    }

    /// How it ended, or that it waits again.
    pub(super) fn set(&mut self, id: u32, progress: UploadState) {
        let Some(row) = self.find(id) else {
            return;
        };
        row.progress = progress;
        if is_finished(row) {
            self.forget_what_is_old();
        }
    }

    /// Those that failed: this one, or all with `None`.
    pub(super) fn failed(&self, id: Option<u32>) -> Vec<u32> {
        let failed = self.list.iter().filter(|row| is_failed(row));
        let failed = failed.filter(|row| id.is_none_or(|id| id == row.id));
        failed.map(|row| row.id).collect()
    }

    /// How many more failed rows fit, and one that counts the rest.
    pub(super) fn room_for_failed(&self) -> usize {
        FAILED_REMEMBERED.saturating_sub(self.failed(None).len() + 1)
    }

    /// Those that wait: this one, or all with `None`.
    pub(super) fn waiting(&self, id: Option<u32>) -> Vec<u32> {
        let is_waiting = |row: &&Upload| matches!(row.progress, UploadState::Waiting { .. });
        let waiting = self.list.iter().filter(is_waiting);
        let waiting = waiting.filter(|row| id.is_none_or(|id| id == row.id));
        waiting.map(|row| row.id).collect()
    }

    /// Keeps these until [`Self::are_over`], however many come after them.
    pub(super) fn wait_for(&mut self, ids: &[u32]) {
        for id in ids {
            *self.awaited.entry(*id).or_default() += 1;
        }
    }

    /// These are waited for no longer.
    pub(super) fn are_over(&mut self, ids: &[u32]) {
        for id in ids {
            if let Some(waiting) = self.awaited.get_mut(id) {
                *waiting -= 1;
            }
        }
        self.awaited.retain(|_, waiting| *waiting > 0);
        self.forget_what_is_old();
    }

    pub(super) fn remove(&mut self, ids: &HashSet<u32>) {
        self.list.retain(|row| !ids.contains(&row.id));
    }

    /// Takes the finished rows off the list.
    pub(super) fn clear(&mut self) {
        self.list.retain(|row| !is_finished(row));
    }

    /// The rows, oldest first.
    pub(super) fn all(&self) -> &[Upload] {
        &self.list
    }

    pub(super) fn get(&self, id: u32) -> Option<&Upload> {
        self.list.get(self.at(id).ok()?)
    }

    fn find(&mut self, id: u32) -> Option<&mut Upload> {
        let at = self.at(id).ok()?;
        self.list.get_mut(at)
    }

    fn at(&self, id: u32) -> Result<usize, usize> {
        self.list.binary_search_by_key(&id, |row| row.id)
    }

    fn forget_what_is_old(&mut self) {
        self.forget_oldest(FAILED_REMEMBERED, is_failed);
        self.forget_oldest(REMEMBERED, |row| is_finished(row) && !is_failed(row));
    }

    /// Removes the oldest of these rows, and keeps this many.
    fn forget_oldest(&mut self, but: usize, of: impl Fn(&Upload) -> bool) {
        let awaited = &self.awaited;
        let of = |row: &Upload| of(row) && !awaited.contains_key(&row.id);
        let count = self.list.iter().filter(|row| of(row)).count();
        let mut superfluous = count.saturating_sub(but);
        if superfluous == 0 {
            return;
        }
        self.list.retain(|row| {
            let forget = superfluous > 0 && of(row);
            superfluous -= usize::from(forget);
            !forget
        });
    }
}

fn is_failed(row: &Upload) -> bool {
    matches!(row.progress, UploadState::Failed { .. })
}

pub(super) fn is_finished(row: &Upload) -> bool {
    !matches!(
        row.progress,
        UploadState::Waiting { .. } | UploadState::Working { .. }
    )
}

#[cfg(test)]
mod tests;
