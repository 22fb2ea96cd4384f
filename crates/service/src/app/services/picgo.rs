//! The upload server for editors that know PicGo.

use std::io::{self, Write as _};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use reqwest::Url;
use secrecy::{ExposeSecret as _, SecretString};

use crate::app::tokens::secret_store::{Secret, SecretStore};
use crate::error::message::Message;
use crate::router::listen::{Bound, bind_picgo};
use crate::service::Service;
use crate::settings::Settings;
use crate::state::background::Background;
use crate::tokens::random_token;
use crate::uploads::Uploads;
use crate::uploads::clipboard;
use crate::uploads::picgo::{Clipboard, Deletions, PicGo};

/// How long requests in flight may take when it is closed.
const FINISH_WITHIN: Duration = Duration::from_secs(3);

/// Starts the upload server for editors, if it is enabled; with the images of this app's own service
/// these can delete what they have uploaded. An address with a generated secret is
/// printed on standard error, and not logged.
///
/// # Errors
/// Why it cannot listen, which is in the log, too.
pub async fn listen(
    settings: &Settings,
    store: &SecretStore,
    service: &Service,
    uploads: Uploads,
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
        Some(of_owner) => Some(of_owner.clone().into())
            .filter(|secret: &SecretString| !secret.expose_secret().is_empty()),
    };
    let deletions = match secret {
        None => None,
        Some(_) => Some(Deletions {
            key: own_secret(store, Secret::PicGoDeletions)
                .await
                .map_err(logged)?,
            images: uploads.own().images.clone(),
        }),
    };
    let port = picgo.port;
    let clipboard: Clipboard = Arc::new(clipboard::pictures);
    let routes = PicGo::new(uploads, secret.clone(), clipboard, deletions);
    let bound = bind_picgo(service.clone(), &settings.limits, port, routes).await;
    let bound = bound.map_err(|error| {
        logged(Message::EditorsPort {
            port: port.into(),
            why: Message::from(&error).into(),
        })
    })?;
    let listening = Listening::serve(bound, secret);
    tracing::info!(address = %listening.address(), "editors can upload here");
    if picgo.secret.is_none() {
        let address = listening.ready_address();
        let address = address.expose_secret();
        // Standard error may be closed.
        let _ = writeln!(io::stderr(), "porchlight: editors upload to {address}");
    }
    Ok(Some(listening))
}

/// The listener of editors.
#[derive(Debug)]
pub struct Listening {
    address: SocketAddr,
    secret: Option<SecretString>,
    serving: Background,
}

impl Listening {
    fn serve(bound: Bound, secret: Option<SecretString>) -> Self {
        let (address, serving) = (bound.address(), Background::default());
        serving.spawn_within(FINISH_WITHIN, "an upload of an editor", |stop| {
            bound.serve(stop)
        });
        Self {
            address,
            secret,
            serving,
        }
    }

    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The address for an editor's settings. It holds the secret, so it is for
    /// the owner alone.
    #[must_use]
    pub fn ready_address(&self) -> SecretString {
        let address = format!("http://{}/upload", self.address);
        let secret = self.secret.as_ref();
        let query = secret.map(|secret| [("secret", secret.expose_secret())]);
        match query.and_then(|query| Url::parse_with_params(&address, query).ok()) {
            Some(with_secret) => String::from(with_secret).into(),
            None => address.into(),
        }
    }

    /// Closes; requests in flight have three seconds. A second call does
    /// nothing.
    pub async fn stop(&self) {
        self.serving.stop().await;
    }
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

#[cfg(test)]
mod tests;
