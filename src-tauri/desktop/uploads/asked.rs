//! Pictures that somebody waits for: what came of each is given back.

use porchlight_api::window::Upload;
use porchlight_companion::picgo::Picture;

use super::Uploads;
use super::queue::is_finished;

impl Uploads {
    /// Takes pictures, and the files in folders, into the queue, and waits until
    /// each has come to an end. A row that the owner took off the list
    /// meanwhile is left out.
    pub(in crate::desktop) async fn bring(&self, pictures: Vec<Picture>) -> Vec<Upload> {
        // Heard from now on, so that no end goes by in between.
        let mut changed = self.0.changed.subscribe();
        let mut waited_for = self.take(pictures).await;
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
            let waits = !is_finished(&rows[at]);
            if !waits {
                ended.push(rows[at].clone());
            }
            waits
        });
    }
}
