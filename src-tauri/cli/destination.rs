//! Where pictures go: the service of `--api`, or the one that runs on this
//! machine, and a token for it.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use porchlight_service::app::host::instance_file::{self, NotFound};
use porchlight_service::app::tokens::app_tokens::{self};
use porchlight_service::error::message::Message;
use porchlight_service::files::data_dir::{self};
use porchlight_service::http::client::{Client, Endpoint, Find};
use porchlight_service::settings::layers::Layers;
use porchlight_service::text::address::WebAddress;
use porchlight_service::tokens::scope::Scope;
use secrecy::{ExposeSecret as _, SecretString};

/// As it is given on the command line.
#[derive(Debug, Args)]
pub(super) struct Destination {
    /// The service [default: the Porchlight that runs on this machine]
    #[arg(long, value_name = "URL")]
    api: Option<WebAddress>,

    /// A token of scope upload or admin for --api; PORCHLIGHT_ADMIN_TOKEN keeps it
    /// out of the command line, where other users can see it
    #[arg(long, value_name = "TOKEN")]
    token: Option<SecretString>,

    /// A file with a token in it and nothing else
    #[arg(long, value_name = "FILE", conflicts_with = "token")]
    token_file: Option<PathBuf>,
}

#[derive(Debug, thiserror::Error)]
pub(super) enum NoDestination {
    /// What was given cannot be one.
    #[error("--token holds no token: letters, digits and signs alone can be in it")]
    Token,
    /// Its file is not there, or is something else.
    #[error("{0} holds no token: {1}")]
    TokenFile(PathBuf, String),
    /// None was given for a service elsewhere.
    #[error(
        "no token: set PORCHLIGHT_ADMIN_TOKEN, or make one there with \
         `porchlight token new --name NAME --scope upload`"
    )]
    NoToken,
    /// A variable of the environment, or the data folder.
    #[error(transparent)]
    Other(#[from] Message),
    /// Nothing runs on this machine.
    #[error(transparent)]
    NotRunning(#[from] NotFound),
    /// The TLS roots.
    #[error("no HTTPS client can be set up: {0}")]
    Http(String),
}

impl NoDestination {
    /// 2 for wrong usage, 1 for what is wrong with the machine.
    pub(super) fn exit_code(&self) -> u8 {
        match self {
            Self::NotRunning(_) | Self::Http(_) => 1,
            _ => 2,
        }
    }
}

impl Destination {
    /// Where readers find what is uploaded to the service of this machine, if its settings say so.
    pub(super) fn for_readers(&self, data_dir: Option<PathBuf>) -> Option<WebAddress> {
        if self.api.is_some() {
            return None;
        }
        let folder = data_dir::place(data_dir).ok()?;
        let layers = Layers::of_this_process(&folder, Vec::new(), None);
        layers.read().ok()?.settings.chosen_url().cloned()
    }

    /// A client of it whose tries take at most `limit`.
    ///
    /// # Errors
    /// See [`NoDestination`].
    pub(super) async fn client(
        self,
        data_dir: Option<PathBuf>,
        limit: Duration,
    ) -> Result<Client, NoDestination> {
        let given = match (self.token_file, self.token) {
            (Some(file), _) => Some(token_in(file)?),
            (None, Some(token)) if app_tokens::can_be_a_token(token.expose_secret()) => Some(token),
            (None, Some(_)) => return Err(NoDestination::Token),
            (None, None) => None,
        };
        match self.api {
            None => the_running_service(data_dir, given, limit),
            Some(api) => {
                if !api.is_https() && !api.is_loopback() {
                    eprintln!(
                        "porchlight: {} is not HTTPS: others can read the token on its way",
                        api.as_str()
                    );
                }
                let token = match given {
                    Some(token) => token,
                    None => token_of_environment()?.ok_or(NoDestination::NoToken)?,
                };
                Client::new(api.as_str(), token, limit).map_err(no_http)
            }
        }
    }
}

fn token_of_environment() -> Result<Option<SecretString>, Message> {
    let found = app_tokens::from_environment()?;
    let admin = found.into_iter().find(|(.., scope)| *scope == Scope::Admin);
    Ok(admin.map(|(_, token, _)| token))
}

fn token_in(file: PathBuf) -> Result<SecretString, NoDestination> {
    let text = match std::fs::read_to_string(&file) {
        Ok(text) => SecretString::from(text.trim()),
        Err(error) => return Err(NoDestination::TokenFile(file, error.to_string())),
    };
    if app_tokens::can_be_a_token(text.expose_secret()) {
        Ok(text)
    } else {
        let why = "letters, digits and signs alone can be in it".to_owned();
        Err(NoDestination::TokenFile(file, why))
    }
}

/// The service that runs on this machine, also when it restarts on another port, with the token in
/// `running.json` unless another one is given.
fn the_running_service(
    data_dir: Option<PathBuf>,
    given: Option<SecretString>,
    limit: Duration,
) -> Result<Client, NoDestination> {
    let folder = data_dir::place(data_dir)?;
    let find = move || {
        let found = instance_file::find(&folder)?;
        Ok::<Endpoint, NotFound>(match &given {
            Some(token) => Endpoint {
                token: token.clone(),
                ..found
            },
            None => found,
        })
    };
    let first = find()?;
    let find: Find = Arc::new(move || find().map_err(|error| error.to_string()));
    Client::of_this_machine(first, find, limit).map_err(no_http)
}

fn no_http(error: impl std::fmt::Display) -> NoDestination {
    NoDestination::Http(error.to_string())
}
