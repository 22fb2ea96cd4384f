//! `porchlight editor`: what an editor or a screenshot tool needs to upload,
//! with a separate token, also while another process serves the data folder.

use std::io::{self, Write as _};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Subcommand};
use porchlight_api::WebAddress;
use porchlight_app::integrations::editors::{EditorError, Ground};
use porchlight_app::settings::layers::Layers;
use porchlight_app::settings::problem::Problems;
use porchlight_app::{data_dir, host::instance_file, logging};
use porchlight_core::tokens::Tokens;

use crate::cli::{failed, runtime};

/// Which editor, and where it reaches the service.
#[derive(Args)]
pub(super) struct What {
    /// Where it reaches the service [default: `edge.url`, `server.public_url`, else this machine]
    #[arg(long, value_name = "URL", global = true)]
    address: Option<WebAddress>,

    /// A setting for this run; can be given more than once
    #[arg(long, value_name = "KEY=VALUE")]
    pub(super) set: Vec<String>,

    #[command(subcommand)]
    program: Program,
}

#[derive(Subcommand)]
enum Program {
    /// A custom uploader, as a .sxcu file that holds its token
    #[command(name = "sharex")]
    ShareX {
        /// The file to write
        file: PathBuf,
    },
    /// A line that uploads one file
    Curl,
    /// A custom command that prints the address of each file it is given
    Typora,
}

/// Why nothing was made.
#[derive(Debug, thiserror::Error)]
enum Failure {
    #[error(transparent)]
    DataFolder(#[from] data_dir::DataFolderError),
    #[error("there is no Porchlight in {0} yet: run `porchlight serve` or the tray app first")]
    NothingThere(PathBuf),
    #[error("{0}")]
    Settings(#[from] Problems),
    #[error(transparent)]
    NotRunning(#[from] instance_file::NotFound),
    #[error(transparent)]
    Open(#[from] porchlight_core::OpenDatabaseError),
    #[error(transparent)]
    Editor(#[from] EditorError),
    #[error("standard output: {0}")]
    Output(#[from] io::Error),
}

/// Makes it.
pub(super) fn run(data_dir: Option<PathBuf>, what: What) -> ExitCode {
    logging::start_for_a_command();
    let done = runtime()
        .map_err(Failure::Output)
        .and_then(|runtime| runtime.block_on(make(data_dir, what)));
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure @ Failure::Settings(_)) => failed(&failure, 2),
        Err(failure) => failed(&failure, 1),
    }
}

async fn make(data_dir: Option<PathBuf>, what: What) -> Result<(), Failure> {
    let place = data_dir::place(data_dir)?;
    if !place.join("porchlight.db").exists() {
        return Err(Failure::NothingThere(place));
    }
    let folder = place.canonicalize().unwrap_or(place);
    let settings = Layers::of_this_process(&folder, what.set, None).read()?;
    let public_url = settings.settings.chosen_url().cloned();
    let address = match what.address.or(public_url) {
        Some(address) => address.to_string(),
        None => instance_file::find(&folder)?.base,
    };
    let tokens = Tokens::open_beside(&folder).await?;
    let ground = Ground {
        tokens: &tokens,
        address: &address,
        folder: &folder,
    };
    let made = match &what.program {
        Program::ShareX { file } => ground.share_x(file).await?,
        Program::Curl => ground.curl().await?,
        Program::Typora => ground.typora().await?,
    };
    let mut out = io::stdout().lock();
    if let Some(line) = made.line {
        writeln!(out, "{line}")?;
    }
    out.flush()?;
    eprintln!(
        "Its token is named {:?}; `porchlight token revoke` takes it out of use.",
        made.token
    );
    Ok(())
}
