//! The watched folders of the settings. Journey 5 for as long as the program
//! runs.

use std::path::Path;
use std::sync::Arc;

use porchlight_companion::watch::{Order, Outcome, StartError, Watch};
use tokio::sync::broadcast;

use crate::services::upload_target::Destination;
use crate::settings::Settings;

/// So many outcomes are kept for whoever is slow to hear them.
pub const OUTCOMES_KEPT: usize = 64;

/// Watched folders.
#[derive(Debug)]
pub struct Watching {
    watch: Watch,
}

impl Watching {
    /// What watches.
    pub fn watch(&self) -> &Watch {
        &self.watch
    }

    /// Watches the folders of the settings; `None` when there are none.
    ///
    /// # Errors
    /// Why it does not work, in a sentence that is in the log, too.
    pub async fn start(
        settings: &Settings,
        folder: &Path,
        destination: &Destination,
        outcomes: broadcast::Sender<Outcome>,
    ) -> Result<Option<Self>, String> {
        if settings.watch.folders.is_empty() {
            return Ok(None);
        }
        match Self::try_to_start(settings, folder, destination, outcomes).await {
            Ok(watching) => Ok(Some(watching)),
            Err(error) => {
                tracing::error!(%error, "no folder is watched");
                Err(format!("no folder is watched: {error}"))
            }
        }
    }

    async fn try_to_start(
        settings: &Settings,
        folder: &Path,
        destination: &Destination,
        outcomes: broadcast::Sender<Outcome>,
    ) -> Result<Self, StartError> {
        let watch = Watch::start(Order {
            settings: settings.watch.clone(),
            template: settings.links.template.clone(),
            client: destination.client.clone(),
            address: Arc::clone(&destination.address),
            state: folder.to_owned(),
            tell: Arc::new(move |outcome| {
                log(&outcome);
                // Nobody may be listening.
                let _ = outcomes.send(outcome);
            }),
        })
        .await?;
        Ok(Self { watch })
    }

    /// Whether nothing is uploaded for now.
    pub fn is_paused(&self) -> bool {
        self.watch.status().borrow().paused
    }

    /// Has nothing uploaded, or goes on.
    pub fn pause(&self, paused: bool) {
        self.watch.pause(paused);
    }

    /// Leaves off; see [`Watch::stop`].
    pub async fn stop(&self) {
        self.watch.stop().await;
    }
}

fn log(outcome: &Outcome) {
    match outcome {
        Outcome::Uploaded { file, .. } => tracing::info!(file = %file.display(), "uploaded"),
        Outcome::SetAside { file, reason } => {
            tracing::warn!(file = %file.display(), "set aside: {reason}");
        }
        Outcome::Gone { file } => {
            tracing::info!(file = %file.display(), "it went before it was uploaded");
        }
    }
}

#[cfg(test)]
mod tests;
