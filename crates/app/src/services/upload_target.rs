//! The service that images of this machine are uploaded to, and how links to them are made: the
//! app's own service, unless the settings name another.

use std::sync::Arc;
use std::time::Duration;

use porchlight_api::client::Client;
use porchlight_api::state::StateReader;
use porchlight_api::{Message, WebAddress};
use porchlight_core::tokens::Tokens;
use secrecy::SecretString;

use crate::settings::Settings;
use crate::tokens::app_tokens::{OwnTokenError, OwnTokens};

/// The maximum duration of one attempt.
const UPLOAD_LIMIT: Duration = Duration::from_secs(300);

/// A service that accepts uploads.
#[derive(Clone)]
pub struct UploadTarget {
    /// Uploads to it.
    pub client: Client,
    /// Makes the address of an image from its hash.
    pub address: Arc<dyn Fn(&str) -> String + Send + Sync>,
}

/// Why there is no service to upload to.
#[derive(Debug, thiserror::Error)]
pub enum NoUploadTarget {
    /// There is no token for it.
    #[error(transparent)]
    Token(#[from] OwnTokenError),
    /// No HTTPS client can be set up.
    #[error("no HTTPS client can be set up: {0}")]
    Http(String),
}

impl From<NoUploadTarget> for Message {
    fn from(error: NoUploadTarget) -> Self {
        match error {
            NoUploadTarget::Token(error) => error.into(),
            NoUploadTarget::Http(why) => Self::NoHttps { why: why.into() },
        }
    }
}

/// What the embedded service is reached by.
pub struct OwnService<'a> {
    /// Its address on this machine.
    pub local_url: String,
    /// Its public address, now and later.
    pub public_url: StateReader<Option<WebAddress>>,
    /// Its tokens.
    pub tokens: &'a Tokens,
    /// The app's own copies of them.
    pub own: &'a OwnTokens,
}

impl UploadTarget {
    /// The one of the settings.
    ///
    /// # Errors
    /// See [`NoUploadTarget`].
    pub async fn of(settings: &Settings, service: OwnService<'_>) -> Result<Self, NoUploadTarget> {
        let presence = &settings.presence;
        if let (Some(target), Some(token)) = (&presence.target_url, &presence.token) {
            return Self::elsewhere(target, token);
        }
        let token = service.own.for_uploads(service.tokens).await?;
        let OwnService {
            local_url,
            public_url,
            ..
        } = service;
        let client = client(&local_url, &token)?.with_names();
        let address = move |hash: &str| {
            let public = public_url.with(|url| url.as_ref().map(ToString::to_string));
            format!("{}/i/{hash}.webp", public.as_deref().unwrap_or(&local_url))
        };
        Ok(Self {
            client,
            address: Arc::new(address),
        })
    }

    /// Another service.
    ///
    /// # Errors
    /// When no HTTPS client can be set up.
    pub fn elsewhere(target: &WebAddress, token: &SecretString) -> Result<Self, NoUploadTarget> {
        let client = client(&target.to_string(), token)?;
        let service = client.clone();
        Ok(Self {
            client,
            address: Arc::new(move |hash| service.image_url(hash)),
        })
    }
}

fn client(base: &str, token: &SecretString) -> Result<Client, NoUploadTarget> {
    Client::new(base, token.clone(), UPLOAD_LIMIT)
        .map_err(|error| NoUploadTarget::Http(error.to_string()))
}
