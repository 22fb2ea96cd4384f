//! The watched folders of the tray app. Journey 5 for as long as the app runs;
//! what is uploaded goes where heartbeats go, to the app's own service unless
//! the settings name another.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use porchlight_api::WebAddress;
use porchlight_api::client::Client;
use porchlight_companion::watch::{Order, Outcome, StartError, Watch};
use porchlight_core::tokens::Tokens;
use tokio::sync::{broadcast, watch};

use crate::host::{Host, Kind};
use crate::own_tokens::{OwnTokenError, OwnTokens};
use crate::settings::Settings;

/// One try may take so long.
const UPLOAD_LIMIT: Duration = Duration::from_secs(300);
/// So many outcomes are kept for whoever is slow to hear them.
const OUTCOMES_KEPT: usize = 64;

/// Watched folders, and what came of their files.
#[derive(Debug)]
pub(crate) struct Watching {
    watch: Watch,
    #[cfg_attr(not(feature = "desktop"), allow(dead_code, reason = "the tray app's"))]
    outcomes: broadcast::Sender<Outcome>,
}

/// Why nothing is watched.
#[derive(Debug, thiserror::Error)]
enum NotWatching {
    #[error(transparent)]
    Token(#[from] OwnTokenError),
    #[error("no HTTPS client can be set up: {0}")]
    Http(String),
    #[error(transparent)]
    Start(#[from] StartError),
}

/// What the embedded service is reached by.
pub(crate) struct OwnService<'a> {
    /// Its address on this machine.
    pub(crate) local_url: String,
    /// The address that the world uses, now and later.
    pub(crate) public_url: watch::Receiver<Option<WebAddress>>,
    /// Its tokens.
    pub(crate) tokens: &'a Tokens,
}

impl Host {
    /// How the files of watched folders end from now on; `None` when none are
    /// watched.
    #[cfg_attr(not(feature = "desktop"), allow(dead_code, reason = "the tray app's"))]
    pub(crate) fn watched(&self) -> Option<broadcast::Receiver<Outcome>> {
        let watching = self.parts().watching.as_ref();
        watching.map(|watching| watching.outcomes.subscribe())
    }
}

impl Watching {
    /// Watches the folders of the settings for the tray app; `None` when there
    /// are none, or when it does not work, which the log says. The service runs
    /// all the same.
    pub(crate) async fn start(
        kind: Kind,
        settings: &Settings,
        folder: &Path,
        service: OwnService<'_>,
    ) -> Option<Self> {
        if settings.watch.folders.is_empty() {
            return None;
        }
        if kind == Kind::Serve {
            tracing::warn!(
                "`watch.folders` is for the tray app; beside `porchlight serve`, `porchlight watch` \
                 watches folders"
            );
            return None;
        }
        match Self::try_to_start(settings, folder, service).await {
            Ok(watching) => Some(watching),
            Err(error) => {
                tracing::error!(%error, "no folder is watched");
                None
            }
        }
    }

    async fn try_to_start(
        settings: &Settings,
        folder: &Path,
        service: OwnService<'_>,
    ) -> Result<Self, NotWatching> {
        let presence = &settings.presence;
        let token = match (&presence.target_url, &presence.token) {
            (Some(_), Some(token)) => token.clone(),
            _ => {
                let own = OwnTokens::of(folder, true);
                own.for_uploads(service.tokens).await?
            }
        };
        let elsewhere = presence.target_url.as_ref().map(ToString::to_string);
        let base = elsewhere.as_deref().unwrap_or(&service.local_url);
        let client = Client::new(base, token, UPLOAD_LIMIT)
            .map_err(|error| NotWatching::Http(error.to_string()))?;
        let (local_url, public_url) = (service.local_url, service.public_url);
        let address = move |hash: &str| {
            let world = || public_url.borrow().as_ref().map(ToString::to_string);
            let base = elsewhere.clone().or_else(world);
            format!("{}/i/{hash}", base.as_deref().unwrap_or(&local_url))
        };
        let (outcomes, _) = broadcast::channel(OUTCOMES_KEPT);
        let tell = outcomes.clone();
        let watch = Watch::start(Order {
            settings: settings.watch.clone(),
            template: settings.links.template.clone(),
            client,
            address: Arc::new(address),
            state: folder.to_owned(),
            tell: Arc::new(move |outcome| {
                log(&outcome);
                // Nobody may be listening.
                let _ = tell.send(outcome);
            }),
        })
        .await?;
        Ok(Self { watch, outcomes })
    }

    /// Leaves off; see [`Watch::stop`].
    pub(crate) async fn stop(&self) {
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
