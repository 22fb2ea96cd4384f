//! The upload server for editors that know PicGo.

use std::io::{self, Write as _};
use std::sync::Arc;

use secrecy::{ExposeSecret as _, SecretString};

use crate::app::tokens::secret_store::{Secret, SecretStore};
use crate::error::message::Message;
use crate::settings::Settings;
use crate::tokens::random_token;
use crate::uploads::OwnImages;
use crate::uploads::clipboard;
use crate::uploads::picgo::{Deletions, Listening, PicGo};

/// Starts the upload server for editors, if it is enabled; with the images of this app's own service
/// these can delete what they have uploaded. An address with a generated secret is
/// printed on standard error, and not logged.
///
/// # Errors
/// Why it cannot listen, which is in the log, too.
pub async fn listen(
    settings: &Settings,
    store: &SecretStore,
    own: OwnImages,
) -> Result<Option<Listening>, Message> {
    let picgo = &settings.picgo;
    if !picgo.enabled {
        return Ok(None);
    }
    let logged = |why: Message| {
        tracing::error!("{why}");
        why
    };
    let secret = match &picgo.secret {
        None => Some(own_secret(store, Secret::PicGo).await.map_err(logged)?),
        Some(of_owner) => {
            Some(of_owner.clone()).filter(|secret| !secret.expose_secret().is_empty())
        }
    };
    let deletions = match secret {
        None => None,
        Some(_) => Some(Deletions {
            key: own_secret(store, Secret::PicGoDeletions)
                .await
                .map_err(logged)?,
            images: own.images.clone(),
        }),
    };
    let listener = PicGo {
        own,
        secret,
        clipboard: Arc::new(clipboard::pictures),
        deletions,
    };
    let port = picgo.port;
    let listening = listener.listen(port).await.map_err(|error| {
        logged(Message::EditorsPort {
            port: port.into(),
            why: error.into(),
        })
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

/// A secret of this data folder for editors; generated at the first start.
async fn own_secret(store: &SecretStore, which: Secret) -> Result<SecretString, Message> {
    if let Some(secret) = store.kept(which).await {
        return Ok(secret);
    }
    let made = random_token()?;
    let kept = store.keep(which, &made).await;
    kept.map_err(|why| {
        crate::detail!("editors cannot upload: their secret cannot be kept ({why})")
    })?;
    Ok(made)
}
