//! Files that somebody waits for: what came of each is given back.

use std::path::PathBuf;

use porchlight_api::window::{Upload, UploadState};
use tauri::async_runtime;

use super::dropped::{self, Dropped};
use super::{Uploads, file_name};

impl Uploads {
    /// Takes files, and the files in folders, into the queue, and waits until
    /// each has come to an end. A row that the owner took off the list
    /// meanwhile is left out.
    pub(in crate::desktop) async fn bring(&self, paths: Vec<PathBuf>) -> Vec<Upload> {
        let found = async_runtime::spawn_blocking(|| dropped::gather(paths)).await;
        let found = match found {
            Ok(found) => found,
            Err(error) => {
                tracing::error!(%error, "the files could not be looked through");
                return Vec::new();
            }
        };
        // Heard from now on, so that no end goes by in between.
        let mut changed = self.0.changed.subscribe();
        let mut waited_for = self.take_in(found);
        let mut ended = Vec::new();
        loop {
            self.sort_out(&mut waited_for, &mut ended);
            if waited_for.is_empty() || changed.changed().await.is_err() {
                return ended;
            }
        }
    }

    /// Moves those that have come to an end.
    fn sort_out(&self, waited_for: &mut Vec<u32>, ended: &mut Vec<Upload>) {
        let queue = self.queue();
        let rows = queue.rows();
        waited_for.retain(|id| {
            // Rows are in the order of their numbers.
            let Ok(at) = rows.binary_search_by_key(id, |row| row.id) else {
                return false;
            };
            let waits = is_under_way(&rows[at]);
            if !waits {
                ended.push(rows[at].clone());
            }
            waits
        });
    }

    /// The numbers of their rows.
    fn take_in(&self, found: Vec<Dropped>) -> Vec<u32> {
        let mut ids = Vec::new();
        {
            let mut queue = self.queue();
            for one in found {
                match one {
                    Dropped::File(path, size) => {
                        let name = file_name(&path);
                        queue.add(path, name, size);
                    }
                    Dropped::Not(path, trouble) => {
                        queue.add_finished(file_name(&path), UploadState::Failed { trouble });
                    }
                }
                ids.extend(queue.rows().last().map(|row| row.id));
            }
        }
        self.changed();
        self.0.work.notify_waiters();
        ids
    }
}

fn is_under_way(row: &Upload) -> bool {
    matches!(
        row.progress,
        UploadState::Waiting | UploadState::Working { .. }
    )
}
