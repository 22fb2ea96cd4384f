//! The ways by which pictures come in from the owner's machine while a program
//! runs there: watched folders, and editors that know PicGo.

use std::io::{self, Write as _};
use std::path::Path;
use std::sync::Arc;

use porchlight_companion::clipboard;
use porchlight_companion::picgo::{Listening, PicGo};
use porchlight_core::tokens::random_token;
use secrecy::{ExposeSecret as _, SecretString};
use tokio::sync::broadcast;

use crate::host::Kind;
use crate::services::folder_watch::{OUTCOMES_KEPT, Watching};
use crate::services::upload_target::Destination;
use crate::settings::Settings;
use crate::tokens::secret_store::{Secret, SecretStore};

/// Those that the settings ask for. What does not work is in the log, and the
/// rest runs all the same.
#[derive(Default)]
pub struct Inlets {
    pub watching: Option<Arc<Watching>>,
    pub picgo: Option<Listening>,
    pub troubles: Troubles,
}

/// Why those that the settings ask for do not work, in sentences.
#[derive(Default)]
pub struct Troubles {
    pub watching: Option<String>,
    pub picgo: Option<String>,
}

impl Inlets {
    /// Opens them; what comes in goes to `destination`.
    pub async fn open(settings: &Settings, folder: &Path, destination: &Destination) -> Self {
        let (outcomes, _) = broadcast::channel(OUTCOMES_KEPT);
        let mut inlets = Self::default();
        match Watching::start(settings, folder, destination, outcomes).await {
            Ok(watching) => inlets.watching = watching.map(Arc::new),
            Err(why) => inlets.troubles.watching = Some(why),
        }
        match listen(settings, folder, destination).await {
            Ok(picgo) => inlets.picgo = picgo,
            Err(why) => inlets.troubles.picgo = Some(why),
        }
        inlets
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

/// Starts the upload server for editors, if it is enabled. An address with a generated secret is
/// printed on standard error, and not logged.
///
/// # Errors
/// Why it cannot listen, in a sentence that is in the log, too.
pub async fn listen(
    settings: &Settings,
    folder: &Path,
    destination: &Destination,
) -> Result<Option<Listening>, String> {
    let picgo = &settings.picgo;
    if !picgo.enabled {
        return Ok(None);
    }
    let store = SecretStore::of(folder, true);
    let logged = |why: String| {
        tracing::error!("{why}");
        why
    };
    let secret = match &picgo.secret {
        None => Some(own_secret(&store).await.map_err(logged)?),
        Some(of_owner) => {
            Some(of_owner.clone()).filter(|secret| !secret.expose_secret().is_empty())
        }
    };
    let listener = PicGo {
        target: destination.client.clone(),
        secret,
        clipboard: Arc::new(clipboard::pictures),
        address: Arc::clone(&destination.address),
    };
    let port = picgo.port;
    let listening = listener.listen(port).await.map_err(|error| {
        logged(format!(
            "editors cannot upload: port {port} cannot be listened on ({error}); PicGo itself \
             may have it: stop that, or choose another `picgo.port`"
        ))
    })?;
    tracing::info!(address = %listening.address(), "editors can upload here");
    if picgo.secret.is_none() {
        let address = listening.ready_address();
        let address = address.expose_secret();
        // Standard error may be closed.
        let _ = writeln!(io::stderr(), "porchlight: editors upload to {address}");
    }
    Ok(Some(listening))
}

/// The secret for editors of this data folder; generated at the first start.
async fn own_secret(store: &SecretStore) -> Result<SecretString, String> {
    if let Some(secret) = store.kept(Secret::PicGo).await {
        return Ok(secret);
    }
    let made = random_token().map_err(|error| error.to_string())?;
    let kept = store.keep(Secret::PicGo, &made).await;
    kept.map_err(|error| format!("editors cannot upload: their secret cannot be kept ({error})"))?;
    Ok(made)
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
