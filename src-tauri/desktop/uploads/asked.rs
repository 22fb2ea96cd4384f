//! Pictures that somebody waits for: what came of each is given back.

use porchlight_api::window::Upload;

use super::Uploads;
use super::rows::is_finished;

impl Uploads {
    /// Waits until each of these has come to an end. A row that the owner took off the list
    /// meanwhile is left out.
    pub(in crate::desktop) async fn ended(&self, mut waited_for: Vec<u32>) -> Vec<Upload> {
        // Subscribed before reading: a change in between is not missed.
        let mut changed = self.0.changed.reader();
        let mut ended = Vec::new();
        let all = waited_for.clone();
        self.0.rows.lock().wait_for(&all);
        loop {
            self.sort_out(&mut waited_for, &mut ended);
            if waited_for.is_empty() || changed.changed().await.is_err() {
                self.0.rows.lock().are_over(&all);
                return ended;
            }
        }
    }

    /// Moves those that have come to an end.
    fn sort_out(&self, waited_for: &mut Vec<u32>, ended: &mut Vec<Upload>) {
        let rows = self.0.rows.lock();
        waited_for.retain(|id| {
            let Some(row) = rows.get(*id) else {
                return false;
            };
            let waits = !is_finished(row);
            if !waits {
                ended.push(row.clone());
            }
            waits
        });
    }
}
