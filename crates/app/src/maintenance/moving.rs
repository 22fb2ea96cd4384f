//! Moving all images to the other storage while it serves.

use porchlight_api::window::{SettingProblem, WorkKind, WorkReport};
use porchlight_core::settings::StorageKind;
use serde_json::json;

use super::{Maintenance, empty, told};
use crate::settings::changes::Changes;
use crate::settings::store::SettingsStore;

impl Maintenance {
    /// Moves all images, and has new ones go there, too.
    ///
    /// # Errors
    /// When it was not begun or did not come to its end, in a sentence. What
    /// was moved until then is in order where it is.
    pub async fn move_images(
        &self,
        store: &SettingsStore,
        to: StorageKind,
    ) -> Result<WorkReport, String> {
        let work = self.begin(WorkKind::Move)?;
        // What will be in the file is known to be right before anything moves.
        let change = Changes::from([("storage.kind".to_owned(), json!(to.name()))]);
        refuse(&store.check(&change))?;
        if store.storage_waits_for_a_restart() {
            return Err(
                "the settings of the storage were changed since this run began, and it still has \
                 the ones from before: start Porchlight anew, and then move the images"
                    .to_owned(),
            );
        }
        let progress = |done, of| work.at(done, of);
        let moved = self.service.images().move_to(to, &progress).await;
        let moved = moved.map_err(|error| {
            format!("{error}. What was moved is in order where it is: do it again to go on.")
        })?;
        let mut wrong = told(&moved.problems);
        if moved.left_behind > 0 {
            wrong.push(format!(
                "{} are still where they were, too: keep that storage in the settings until they \
                 are gone",
                moved.left_behind
            ));
        }
        refuse(&store.change(&change).await?)?;
        if store.current().storage.kind == to {
            // It counts already.
            store.change_started_with(|started| started.storage.kind = to);
        } else {
            wrong.push(format!(
                "the environment or --set still says otherwise: set `storage.kind` to \"{}\" \
                 there, too, or new images will not go where the others are",
                to.name()
            ));
        }
        Ok(work.came_to(WorkReport {
            good: moved.moved + moved.there_already,
            wrong,
            ..empty(WorkKind::Move)
        }))
    }
}

fn refuse(problems: &[SettingProblem]) -> Result<(), String> {
    match problems.first() {
        None => Ok(()),
        Some(problem) => Err(problem.why.clone()),
    }
}
