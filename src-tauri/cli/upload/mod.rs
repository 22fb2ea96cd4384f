//! `porchlight upload`: many pictures at once, to the running app or to any
//! service of the interface.

mod links;
pub(in crate::cli) mod reporter;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use clap::builder::RangedU64ValueParser;
use porchlight_service::error::message::Message;
use porchlight_service::files::data_dir::{self};
use porchlight_service::uploads::client::{self, Order, Sources};
use porchlight_service::uploads::file_named;
use reporter::Reporter;

use crate::cli::destination::{Destination, NoDestination};
use crate::cli::shown::shown;
use crate::cli::{failed, runtime};

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

    /// These files, whatever they look like; one that is not there is looked for by its
    /// percent-decoded path, and an address with file:// by its path
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,

    #[command(flatten)]
    destination: Destination,

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

    /// The album of the pictures that are new there
    #[arg(long, value_name = "A")]
    album: Option<String>,

    /// A line of JSON for each picture, and one for all of them at the end
    #[arg(long)]
    json: bool,

    /// Prints nothing but the address of each file, in their order, when all
    /// of them are there: what an editor wants
    #[arg(long, conflicts_with_all = ["folder", "json"])]
    links: bool,
}

#[derive(Debug, thiserror::Error)]
enum UploadStartError {
    #[error("{0} is no folder")]
    NoFolder(String),
    #[error(transparent)]
    DataFolder(#[from] Message),
    #[error(transparent)]
    NoDestination(#[from] NoDestination),
}

impl UploadStartError {
    /// 2 for wrong usage, 1 for what is wrong with the machine.
    fn exit_code(&self) -> u8 {
        match self {
            Self::NoDestination(error) => error.exit_code(),
            _ => 2,
        }
    }
}

pub(super) fn run(data_dir: Option<PathBuf>, what: What) -> ExitCode {
    porchlight_service::log::start_for_a_command();
    match runtime() {
        Ok(runtime) => runtime.block_on(send(data_dir, what)),
        Err(error) => failed(&error, 1),
    }
}

async fn send(data_dir: Option<PathBuf>, what: What) -> ExitCode {
    let (json, links) = (what.json, what.links);
    let for_readers = what.destination.for_readers(data_dir.clone());
    let order = match ordered(data_dir, what).await {
        Ok(order) => order,
        Err(error) => return failed(&error, error.exit_code()),
    };
    if links {
        return links::send(order, for_readers).await;
    }
    let mut reporter = Reporter::new(json, &order.source);
    let ended = client::run(order, |event| reporter.report(event)).await;
    reporter.end(ended.err())
}

async fn ordered(data_dir: Option<PathBuf>, what: What) -> Result<Order, UploadStartError> {
    let source = match what.folder {
        Some(folder) if !folder.is_dir() => {
            return Err(UploadStartError::NoFolder(shown(&folder)));
        }
        Some(folder) => Sources::Folder(folder),
        None => {
            let files = what.files.iter().map(|named| file_named(named, |_| true));
            Sources::Files(files.collect())
        }
    };
    let ledgers = ledgers(data_dir.as_deref())?;
    let limit = Duration::from_secs(what.timeout);
    let client = what.destination.client(data_dir, limit).await?;
    Ok(Order {
        source,
        client,
        concurrent: what.concurrent,
        retries: what.retries,
        album: what.album,
        ledgers,
    })
}

/// The folder for the lists of what servers of the plain interface have taken.
fn ledgers(data_dir: Option<&Path>) -> Result<PathBuf, Message> {
    let folder = match (data_dir, dirs::state_dir()) {
        (Some(folder), _) => folder.to_owned(),
        (None, Some(state)) => state.join("porchlight"),
        // Only Linux has a place for such files.
        (None, None) => data_dir::place(None)?,
    };
    Ok(folder.join("uploads"))
}
