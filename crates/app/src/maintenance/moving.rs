//! Moving all images to the other storage while it serves.

use porchlight_api::window::{SettingProblem, WorkKind, WorkReport};
use porchlight_core::settings::StorageKind;
use serde_json::json;

use super::{Maintenance, empty, sentences};
use crate::settings::changes::Changes;
use crate::settings::store::SettingsStore;

impl Maintenance {
    /// Moves all images, and has new ones go there, too.
    ///
    /// # Errors
    /// When it could not start or did not finish, in a sentence. What
    /// was moved until then is valid where it is.
    pub async fn move_images(
        &self,
        store: &SettingsStore,
        to: StorageKind,
    ) -> Result<WorkReport, String> {
        let work = self.start(WorkKind::Move)?;
        // What will be in the file is known to be right before anything moves.
        let change = Changes::from([("storage.kind".to_owned(), json!(to.name()))]);
        let valid = store.validate(&change).map_err(first)?;
        if store.storage_waits_for_a_restart() {
            return Err(
                "the storage settings were changed since this run started, and it still uses the \
                 previous ones: restart Porchlight, and then move the images"
                    .to_owned(),
            );
        }
        let progress = |done, of| work.progress(done, of);
        let moved = self.service.images().move_to(to, &progress).await;
        let moved = moved.map_err(|error| {
            format!("{error}. What was moved is in order where it is: do it again to go on.")
        })?;
        let mut wrong = sentences(&moved.problems);
        if moved.left_behind > 0 {
            wrong.push(format!(
                "{} are still where they were, too: keep that storage in the settings until they \
                 are gone",
                moved.left_behind
            ));
        }
        let problems = store.write(valid).await?;
        if !problems.is_empty() {
            return Err(first(problems));
        }
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
        Ok(work.finish(WorkReport {
            good: moved.moved + moved.there_already,
            wrong,
            ..empty(WorkKind::Move)
        }))
    }
}

fn first(problems: Vec<SettingProblem>) -> String {
    let first = problems.into_iter().next();
    first.map(|problem| problem.why).unwrap_or_default()
}
