//! Where pictures go: the service of `--api`, or the one that runs on this
//! machine, and a token for it.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use porchlight_api::WebAddress;
use porchlight_api::client::Client;
use porchlight_core::tokens::Scope;
use secrecy::{ExposeSecret as _, SecretString};

use crate::data_folder::{self, DataFolderError};
use crate::own_tokens::{self, OwnTokenError, OwnTokens};
use crate::running::{self, NotFound};

/// As it is said on the command line.
#[derive(Debug, Args)]
pub(super) struct Destination {
    /// The service [default: the Porchlight that runs on this machine]
    #[arg(long, value_name = "URL")]
    api: Option<WebAddress>,

    /// A token of scope upload or admin; PORCHLIGHT_ADMIN_TOKEN keeps it out of
    /// the command line, where other users can see it
    #[arg(long, value_name = "TOKEN")]
    token: Option<SecretString>,

    /// A file with a token in it and nothing else
    #[arg(long, value_name = "FILE", conflicts_with = "token")]
    token_file: Option<PathBuf>,
}

/// Why there is none.
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
    /// The copy of the running app's token is lost.
    #[error(
        "the running app's own token cannot be read: make one with \
         `porchlight token new --name NAME --scope upload` and set PORCHLIGHT_ADMIN_TOKEN"
    )]
    NoOwnToken,
    /// A variable of the environment.
    #[error(transparent)]
    OwnToken(#[from] OwnTokenError),
    /// The data folder.
    #[error(transparent)]
    DataFolder(#[from] DataFolderError),
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
            Self::NoOwnToken | Self::NotRunning(_) | Self::Http(_) => 1,
            _ => 2,
        }
    }
}

impl Destination {
    /// A client of it whose tries take at most `limit`.
    ///
    /// # Errors
    /// See [`NoDestination`].
    pub(super) async fn client(
        self,
        data_dir: Option<PathBuf>,
        limit: Duration,
    ) -> Result<Client, NoDestination> {
        let given = match self.token_file {
            Some(file) => Some(token_in(file)?),
            None => given_token(self.token)?,
        };
        let (base, token) = match self.api {
            Some(api) => {
                if !api.is_https() && !api.is_loopback() {
                    eprintln!(
                        "porchlight: {} is not HTTPS: others can read the token on its way",
                        api.as_str()
                    );
                }
                let token = given.ok_or(NoDestination::NoToken)?;
                (api.as_str().to_owned(), token)
            }
            None => the_running_app(data_dir, given).await?,
        };
        Client::new(&base, token, limit).map_err(|error| NoDestination::Http(error.to_string()))
    }
}

/// What the caller gave; the environment is asked last.
fn given_token(argument: Option<SecretString>) -> Result<Option<SecretString>, NoDestination> {
    match argument {
        Some(token) if own_tokens::can_be_a_token(token.expose_secret()) => Ok(Some(token)),
        Some(_) => Err(NoDestination::Token),
        None => Ok(own_tokens::from_environment()?
            .into_iter()
            .find(|(_, _, scope)| *scope == Scope::Admin)
            .map(|(_, token, _)| token)),
    }
}

/// The token in a file.
fn token_in(file: PathBuf) -> Result<SecretString, NoDestination> {
    let text = match std::fs::read_to_string(&file) {
        Ok(text) => SecretString::from(text.trim()),
        Err(error) => return Err(NoDestination::TokenFile(file, error.to_string())),
    };
    if own_tokens::can_be_a_token(text.expose_secret()) {
        Ok(text)
    } else {
        let why = "letters, digits and signs alone can be in it".to_owned();
        Err(NoDestination::TokenFile(file, why))
    }
}

/// Where the app on this machine listens, and a token for it.
async fn the_running_app(
    data_dir: Option<PathBuf>,
    given: Option<SecretString>,
) -> Result<(String, SecretString), NoDestination> {
    let place = data_folder::place(data_dir)?;
    // The copies of tokens are kept under the folder's full name.
    let folder = place.canonicalize().unwrap_or(place);
    let base = running::find(&folder)?;
    let token = match given {
        Some(token) => token,
        None => OwnTokens::of(&folder, true)
            .for_everything()
            .await
            .ok_or(NoDestination::NoOwnToken)?,
    };
    Ok((base, token))
}
