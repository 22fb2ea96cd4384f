//! Moving all images to the other storage while it serves.

use serde_json::json;

use super::{Maintenance, RunningWork, empty, messages};
use crate::error::message::Message;
use crate::settings::changes::Changes;
use crate::settings::sections::StorageKind;
use crate::settings::store::SettingsStore;
use crate::settings::window::{SettingProblem, WorkKind, WorkReport};

impl Maintenance {
    /// Moves all images, and has new ones go there, too.
    ///
    /// # Errors
    /// When it could not start or did not finish. What
    /// was moved until then is valid where it is.
    pub async fn move_images(
        &self,
        store: &SettingsStore,
        to: StorageKind,
    ) -> Result<WorkReport, Message> {
        let work = self.start(WorkKind::Move)?;
        let report = self.move_and_set(&work, store, to).await;
        work.end(report)
    }

    async fn move_and_set(
        &self,
        work: &RunningWork<'_>,
        store: &SettingsStore,
        to: StorageKind,
    ) -> Result<WorkReport, Message> {
        // What will be in the file is known to be right before anything moves.
        let change = Changes::from([("storage.kind".to_owned(), json!(to.name()))]);
        let valid = store.validate(&change).map_err(first)?;
        let progress = |done, of| work.progress(done, of);
        let moved = self.service.images().move_to(to, &progress).await;
        let moved = moved.map_err(|why| match why {
            Message::Cancelled => why,
            why => crate::detail!(
                "{why}. What was moved is in order where it is: do it again to go on."
            ),
        })?;
        let mut wrong = messages(&moved.problems);
        if moved.left_behind > 0 {
            let count = moved.left_behind;
            wrong.push(crate::detail!("{count} of them are still where they were, too: keep that storage in the settings until they are gone"));
        }
        let problems = store.write(valid).await?;
        if !problems.is_empty() {
            return Err(first(problems));
        }
        if store.current().storage.kind != to {
            let kind = to.name();
            wrong.push(crate::detail!("the environment or the command line still says otherwise: set `storage.kind` to \"{kind}\" there, too, or new pictures will not go where the others are"));
        }
        Ok(WorkReport {
            good: moved.moved + moved.there_already,
            wrong,
            ..empty(WorkKind::Move)
        })
    }
}

/// What is wrong first; there is something.
fn first(problems: Vec<SettingProblem>) -> Message {
    let first = problems.into_iter().next();
    first.expect("a problem").why
}
