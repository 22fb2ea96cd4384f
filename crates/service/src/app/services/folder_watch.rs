//! The watched folders of the settings.

use std::path::Path;
use std::sync::Arc;

use tokio::sync::broadcast;

use crate::error::message::Message;
use crate::settings::Settings;
use crate::uploads::target::Target;
use crate::uploads::watch::{Order, Watch, WatchOutcome};

/// How many outcomes are kept for a slow receiver.
pub const OUTCOMES_KEPT: usize = 64;

/// Watches the folders of the settings; `None` when there are none.
///
/// # Errors
/// Why it does not work, which is in the log, too.
pub async fn start(
    settings: &Settings,
    folder: &Path,
    target: Target,
    outcomes: broadcast::Sender<WatchOutcome>,
) -> Result<Option<Watch>, Message> {
    if settings.watch.folders.is_empty() {
        return Ok(None);
    }
    let watch = Watch::start(Order {
        settings: settings.watch.clone(),
        target,
        state: folder.to_owned(),
        report: Arc::new(move |outcome| {
            log(&outcome);
            // There may be no receiver.
            let _ = outcomes.send(outcome);
        }),
    });
    watch.await.map(Some).map_err(|error| {
        tracing::error!(%error, "no folder is watched");
        crate::detail!("no folder is watched: {error}")
    })
}

fn log(outcome: &WatchOutcome) {
    match outcome {
        WatchOutcome::Uploaded {
            file,
            hash,
            already_there,
        } => tracing::info!(%hash, already_there, file = %file.display(), "uploaded"),
        WatchOutcome::SetAside { file, reason } => {
            tracing::warn!(file = %file.display(), "set aside: {reason}");
        }
        WatchOutcome::Gone { file } => {
            tracing::info!(file = %file.display(), "it was removed before it was uploaded");
        }
    }
}

#[cfg(test)]
mod tests;
