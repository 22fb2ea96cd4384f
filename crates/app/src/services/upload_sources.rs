//! Where uploads come from on the owner's machine: watched folders, and editors that know PicGo.

use std::path::Path;
use std::sync::Arc;

use porchlight_api::Message;
use porchlight_companion::picgo::Listening;
use porchlight_companion::target::Target;
use porchlight_companion::watch::Watch;
use tokio::sync::broadcast;

use super::folder_watch::OUTCOMES_KEPT;
use super::{folder_watch, picgo};
use crate::settings::Settings;
use crate::tokens::secret_store::SecretStore;

/// The upload sources that the settings ask for. What does not start is in the log, and the rest runs
/// all the same.
#[derive(Default)]
pub struct UploadSources {
    pub(super) watching: Option<Arc<Watch>>,
    pub(super) picgo: Option<Listening>,
    pub(super) troubles: Troubles,
}

/// Why those that the settings ask for did not start.
#[derive(Default)]
pub struct Troubles {
    pub(super) watching: Option<Message>,
    pub(super) picgo: Option<Message>,
}

impl UploadSources {
    /// Starts them; images are uploaded to `target`.
    pub async fn start(settings: &Settings, folder: &Path, target: &Arc<dyn Target>) -> Self {
        let (outcomes, _) = broadcast::channel(OUTCOMES_KEPT);
        let mut sources = Self::default();
        match folder_watch::start(settings, folder, target, outcomes).await {
            Ok(watching) => sources.watching = watching.map(Arc::new),
            Err(why) => sources.troubles.watching = Some(why),
        }
        match picgo::listen(settings, &SecretStore::of(folder, true), target, None).await {
            Ok(picgo) => sources.picgo = picgo,
            Err(why) => sources.troubles.picgo = Some(why),
        }
        sources
    }

    /// Watched folders alone.
    pub fn watching(watch: Watch) -> Self {
        Self {
            watching: Some(Arc::new(watch)),
            ..Self::default()
        }
    }

    /// Stops them; uploads in progress continue at the next start.
    pub async fn stop(&self) {
        if let Some(picgo) = &self.picgo {
            picgo.stop().await;
        }
        if let Some(watching) = &self.watching {
            watching.stop().await;
        }
    }
}
