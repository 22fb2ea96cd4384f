//! `porchlight upload`: many pictures at once, to the running app or to any
//! service of the interface.

pub(in crate::cli) mod telling;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use clap::builder::RangedU64ValueParser;
use porchlight_api::WebAddress;
use porchlight_api::client::Client;
use porchlight_companion::upload::{self, Order, Source};
use porchlight_core::tokens::Scope;
use secrecy::SecretString;
use telling::Telling;

use crate::cli::{failed, runtime};
use crate::data_folder::{self, DataFolderError};
use crate::own_tokens::{self, OwnTokenError, OwnTokens};
use crate::running::{self, NotFound};

/// What to send, and where.
#[derive(Debug, Args)]
pub(super) struct What {
    /// Every picture below this folder, hidden ones too; links are not followed
    #[arg(
        long,
        value_name = "DIR",
        conflicts_with = "files",
        required_unless_present = "files"
    )]
    folder: Option<PathBuf>,

    /// These files, whatever they look like
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,

    /// The service [default: the Porchlight that runs on this machine]
    #[arg(long, value_name = "URL")]
    api: Option<WebAddress>,

    /// A token of scope upload or admin; PORCHLIGHT_ADMIN_TOKEN keeps it out of
    /// the command line, where other users can see it
    #[arg(long, value_name = "TOKEN")]
    token: Option<SecretString>,

    /// Pictures that are sent at once
    #[arg(long, value_name = "N", default_value_t = 5,
        value_parser = RangedU64ValueParser::<usize>::new().range(1..=64))]
    concurrent: usize,

    /// How often a picture is tried again
    #[arg(long, value_name = "N", default_value_t = 3,
        value_parser = clap::value_parser!(u32).range(0..=100))]
    retries: u32,

    /// Seconds that one try may take
    #[arg(long, value_name = "SECONDS", default_value_t = 60,
        value_parser = clap::value_parser!(u64).range(1..=86_400))]
    timeout: u64,

    /// A line of JSON for each picture, and one for all of them at the end
    #[arg(long)]
    json: bool,
}

/// Why nothing was begun.
#[derive(Debug, thiserror::Error)]
enum NotBegun {
    #[error("{0} is no folder")]
    NoFolder(String),
    #[error("--token holds no token: letters, digits and signs alone can be in it")]
    Token,
    #[error(
        "no token: set PORCHLIGHT_ADMIN_TOKEN, or make one there with \
         `porchlight token new --name NAME --scope upload`"
    )]
    NoToken,
    #[error(
        "the running app's own token cannot be read: make one with \
         `porchlight token new --name NAME --scope upload` and set PORCHLIGHT_ADMIN_TOKEN"
    )]
    NoOwnToken,
    #[error(transparent)]
    OwnToken(#[from] OwnTokenError),
    #[error(transparent)]
    DataFolder(#[from] DataFolderError),
    #[error(transparent)]
    NotRunning(#[from] NotFound),
    #[error("no HTTPS client can be set up: {0}")]
    Http(String),
}

impl NotBegun {
    /// 2 for wrong usage, 1 for what is wrong with the machine.
    fn exit_code(&self) -> u8 {
        match self {
            Self::NoOwnToken | Self::NotRunning(_) | Self::Http(_) => 1,
            _ => 2,
        }
    }
}

/// Sends it.
pub(super) fn run(data_dir: Option<PathBuf>, what: What) -> ExitCode {
    crate::logging::start_for_a_command();
    match runtime() {
        Ok(runtime) => runtime.block_on(send(data_dir, what)),
        Err(error) => failed(&error, 1),
    }
}

async fn send(data_dir: Option<PathBuf>, what: What) -> ExitCode {
    let (order, json) = match ordered(data_dir, what).await {
        Ok(order) => order,
        Err(error) => return failed(&error, error.exit_code()),
    };
    let mut telling = Telling::new(json, &order.source);
    let ended = upload::run(order, |event| telling.tell(event)).await;
    telling.end(ended.err())
}

async fn ordered(data_dir: Option<PathBuf>, what: What) -> Result<(Order, bool), NotBegun> {
    let source = match what.folder {
        Some(folder) if !folder.is_dir() => {
            return Err(NotBegun::NoFolder(telling::shown(&folder)));
        }
        Some(folder) => Source::Folder(folder),
        None => Source::Files(what.files),
    };
    let ledgers = ledgers(data_dir.as_deref())?;
    let given = given_token(what.token)?;
    let (base, token) = match what.api {
        Some(api) => {
            if !api.is_https() && !api.is_loopback() {
                eprintln!(
                    "porchlight: {} is not HTTPS: others can read the token on its way",
                    api.as_str()
                );
            }
            (api.as_str().to_owned(), given.ok_or(NotBegun::NoToken)?)
        }
        None => the_running_app(data_dir, given).await?,
    };
    let order = Order {
        source,
        client: Client::new(&base, token, Duration::from_secs(what.timeout))
            .map_err(|error| NotBegun::Http(error.to_string()))?,
        concurrent: what.concurrent,
        retries: what.retries,
        ledgers,
    };
    Ok((order, what.json))
}

/// What the caller gave; the environment is asked last.
fn given_token(argument: Option<SecretString>) -> Result<Option<SecretString>, NotBegun> {
    use secrecy::ExposeSecret as _;

    match argument {
        Some(token) if own_tokens::can_be_a_token(token.expose_secret()) => Ok(Some(token)),
        Some(_) => Err(NotBegun::Token),
        None => Ok(own_tokens::from_environment()?
            .into_iter()
            .find(|(_, _, scope)| *scope == Scope::Admin)
            .map(|(_, token, _)| token)),
    }
}

/// Where the app on this machine listens, and a token for it.
async fn the_running_app(
    data_dir: Option<PathBuf>,
    given: Option<SecretString>,
) -> Result<(String, SecretString), NotBegun> {
    let place = data_folder::place(data_dir)?;
    // The copies of tokens are kept under the folder's full name.
    let folder = place.canonicalize().unwrap_or(place);
    let base = running::find(&folder)?;
    let token = match given {
        Some(token) => token,
        None => OwnTokens::of(&folder, true)
            .for_everything()
            .await
            .ok_or(NotBegun::NoOwnToken)?,
    };
    Ok((base, token))
}

/// The folder for the lists of what servers of the plain interface have taken.
fn ledgers(data_dir: Option<&Path>) -> Result<PathBuf, DataFolderError> {
    let folder = match data_dir {
        Some(folder) => folder.to_owned(),
        None => dirs::state_dir()
            .or_else(dirs::data_local_dir)
            .ok_or(DataFolderError::NoPlace)?
            .join("porchlight"),
    };
    Ok(folder.join("uploads"))
}
