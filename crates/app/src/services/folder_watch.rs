//! The watched folders of the settings.

use std::path::Path;
use std::sync::Arc;

use porchlight_api::Message;
use porchlight_companion::watch::{Order, Outcome, StartError, Watch};
use tokio::sync::broadcast;

use crate::services::upload_target::UploadTarget;
use crate::settings::Settings;

/// How many outcomes are kept for a slow receiver.
pub const OUTCOMES_KEPT: usize = 64;

/// Watched folders.
#[derive(Debug)]
pub struct FolderWatch {
    watch: Watch,
}

impl FolderWatch {
    /// The watch itself.
    pub fn watch(&self) -> &Watch {
        &self.watch
    }

    /// Watches the folders of the settings; `None` when there are none.
    ///
    /// # Errors
    /// Why it does not work, which is in the log, too.
    pub async fn start(
        settings: &Settings,
        folder: &Path,
        target: &UploadTarget,
        outcomes: broadcast::Sender<Outcome>,
    ) -> Result<Option<Self>, Message> {
        if settings.watch.folders.is_empty() {
            return Ok(None);
        }
        match Self::try_to_start(settings, folder, target, outcomes).await {
            Ok(watching) => Ok(Some(watching)),
            Err(error) => {
                tracing::error!(%error, "no folder is watched");
                let why = error.into();
                Err(Message::WatchFails { why })
            }
        }
    }

    async fn try_to_start(
        settings: &Settings,
        folder: &Path,
        target: &UploadTarget,
        outcomes: broadcast::Sender<Outcome>,
    ) -> Result<Self, StartError> {
        let watch = Watch::start(Order {
            settings: settings.watch.clone(),
            template: settings.links.template.clone(),
            client: target.client.clone(),
            address: Arc::clone(&target.address),
            state: folder.to_owned(),
            report: Arc::new(move |outcome| {
                log(&outcome);
                // There may be no receiver.
                let _ = outcomes.send(outcome);
            }),
        })
        .await?;
        Ok(Self { watch })
    }

    /// Whether uploads are paused.
    pub fn is_paused(&self) -> bool {
        self.watch.status().with(|status| status.paused)
    }

    /// Pauses uploads, or resumes them.
    pub fn pause(&self, paused: bool) {
        self.watch.pause(paused);
    }

    /// Stops; see [`Watch::stop`].
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
            tracing::info!(file = %file.display(), "it was removed before it was uploaded");
        }
    }
}

#[cfg(test)]
mod tests;
