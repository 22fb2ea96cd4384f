//! Where images come from on the owner's machine while a program runs there: watched folders, and
//! editors that know PicGo.

use std::path::Path;
use std::sync::Arc;

use porchlight_companion::picgo::Listening;
use tokio::sync::broadcast;

use super::folder_watch::{OUTCOMES_KEPT, Watching};
use super::picgo;
use super::upload_target::Destination;
use crate::host::options::Kind;
use crate::settings::Settings;
use crate::tokens::secret_store::SecretStore;

/// Those that the settings ask for. What does not work is in the log, and the
/// rest runs all the same.
#[derive(Default)]
pub struct UploadSources {
    pub(super) watching: Option<Arc<Watching>>,
    pub(super) picgo: Option<Listening>,
    pub(super) troubles: Troubles,
}

/// Why those that the settings ask for do not work, in sentences.
#[derive(Default)]
pub struct Troubles {
    pub(super) watching: Option<String>,
    pub(super) picgo: Option<String>,
}

impl UploadSources {
    /// Opens them; what comes in goes to `destination`.
    pub async fn open(settings: &Settings, folder: &Path, destination: &Destination) -> Self {
        let (outcomes, _) = broadcast::channel(OUTCOMES_KEPT);
        let mut sources = Self::default();
        match Watching::start(settings, folder, destination, outcomes).await {
            Ok(watching) => sources.watching = watching.map(Arc::new),
            Err(why) => sources.troubles.watching = Some(why),
        }
        match picgo::listen(settings, &SecretStore::of(folder, true), destination).await {
            Ok(picgo) => sources.picgo = picgo,
            Err(why) => sources.troubles.picgo = Some(why),
        }
        sources
    }

    /// Closes them; what is under way goes on at the next start.
    pub async fn close(&self) {
        if let Some(picgo) = &self.picgo {
            picgo.stop().await;
        }
        if let Some(watching) = &self.watching {
            watching.stop().await;
        }
    }
}

/// Says what is in the settings and is not for this program.
pub fn warn_of_those_not_for(kind: Kind, settings: &Settings) {
    if kind == Kind::Desktop {
        return;
    }
    if !settings.watch.folders.is_empty() {
        tracing::warn!(
            "`watch.folders` is for the tray app; beside `porchlight serve`, \
             `porchlight watch` watches folders"
        );
    }
    if settings.picgo.enabled {
        tracing::warn!("`picgo.enabled` is for the tray app and `porchlight companion`");
    }
}
