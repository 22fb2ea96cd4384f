//! The queue of uploads as it stands: what waits, what is under way, and the
//! end that the rest has come to.

use std::collections::VecDeque;
use std::path::PathBuf;

use porchlight_api::window::{Upload, UploadState};

/// Finished uploads that are kept to be looked at.
const REMEMBERED: usize = 200;

/// A file to be uploaded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Job {
    /// The number of its row.
    pub(super) id: u32,
    /// The file.
    pub(super) path: PathBuf,
}

/// The rows of the window's list, oldest first, and the files behind them.
#[derive(Debug, Default)]
pub(super) struct Queue {
    last_id: u32,
    rows: Vec<Upload>,
    waiting: VecDeque<Job>,
}

impl Queue {
    /// A row for a file that waits to be uploaded.
    pub(super) fn add(&mut self, path: PathBuf, name: String, size: u64) {
        let id = self.row(name, size, UploadState::Waiting);
        self.waiting.push_back(Job { id, path });
    }

    /// A row for something that cannot be uploaded at all.
    pub(super) fn add_finished(&mut self, name: String, end: UploadState) {
        self.row(name, 0, end);
        self.forget_what_is_old();
    }

    /// The file whose turn it is; its row says so from now on.
    pub(super) fn take(&mut self) -> Option<Job> {
        let job = self.waiting.pop_front()?;
        self.set(job.id, UploadState::Working { permille: 0 });
        Some(job)
    }

    /// How it ended.
    pub(super) fn finish(&mut self, id: u32, end: UploadState) {
        self.set(id, end);
        self.forget_what_is_old();
    }

    /// Takes the finished rows off the list.
    pub(super) fn clear(&mut self) {
        self.rows.retain(|row| !is_finished(row));
    }

    /// The rows, oldest first.
    pub(super) fn rows(&self) -> &[Upload] {
        &self.rows
    }

    fn row(&mut self, name: String, size: u64, progress: UploadState) -> u32 {
        self.last_id += 1;
        self.rows.push(Upload {
            id: self.last_id,
            name,
            size,
            progress,
        });
        self.last_id
    }

    fn set(&mut self, id: u32, progress: UploadState) {
        // Rows are in the order of their numbers.
        if let Ok(at) = self.rows.binary_search_by_key(&id, |row| row.id) {
            self.rows[at].progress = progress;
        }
    }

    fn forget_what_is_old(&mut self) {
        let finished = self.rows.iter().filter(|row| is_finished(row)).count();
        let mut superfluous = finished.saturating_sub(REMEMBERED);
        self.rows.retain(|row| {
            let forget = superfluous > 0 && is_finished(row);
            superfluous -= usize::from(forget);
            !forget
        });
    }
}

fn is_finished(row: &Upload) -> bool {
    !matches!(
        row.progress,
        UploadState::Waiting | UploadState::Working { .. }
    )
}

#[cfg(test)]
mod tests {
    use porchlight_api::window::UploadTrouble;

    use super::*;

    const BROKEN: UploadState = UploadState::Failed {
        trouble: UploadTrouble::Broken,
    };

    fn queue_of(count: u32) -> Queue {
        let mut queue = Queue::default();
        for number in 1..=count {
            queue.add(
                PathBuf::from(format!("/p/{number}.png")),
                format!("{number}.png"),
                10,
            );
        }
        queue
    }

    fn states(queue: &Queue) -> Vec<&UploadState> {
        queue.rows().iter().map(|row| &row.progress).collect()
    }

    #[test]
    fn files_have_their_turn_in_the_order_they_came() {
        let mut queue = queue_of(2);
        assert_eq!(
            queue.take(),
            Some(Job {
                id: 1,
                path: PathBuf::from("/p/1.png")
            })
        );
        assert_eq!(
            states(&queue),
            [&UploadState::Working { permille: 0 }, &UploadState::Waiting]
        );
        queue.finish(1, BROKEN);
        assert_eq!(queue.take().map(|job| job.id), Some(2));
        assert_eq!(queue.take(), None);
        assert_eq!(
            states(&queue),
            [&BROKEN, &UploadState::Working { permille: 0 }]
        );
    }

    #[test]
    fn clearing_leaves_what_is_not_finished() {
        let mut queue = queue_of(3);
        queue.take();
        queue.take();
        queue.finish(2, BROKEN);
        queue.clear();
        assert_eq!(
            queue.rows().iter().map(|row| row.id).collect::<Vec<_>>(),
            [1, 3]
        );
        queue.finish(1, BROKEN);
        assert_eq!(states(&queue), [&BROKEN, &UploadState::Waiting]);
    }

    #[test]
    fn only_the_oldest_finished_rows_are_forgotten() {
        let mut queue = queue_of(251);
        for _ in 0..250 {
            let id = queue.take().map_or(0, |job| job.id);
            if id != 1 {
                queue.finish(id, BROKEN);
            }
        }
        let ids: Vec<u32> = queue.rows().iter().map(|row| row.id).collect();
        assert_eq!(ids.len(), REMEMBERED + 2);
        assert_eq!((ids[0], ids[1], ids[ids.len() - 1]), (1, 51, 251));
    }
}
