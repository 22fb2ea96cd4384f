//! `porchlight edge`: the Worker that keeps the blog's address and answers while this machine is
//! off.

use std::io::{self, Write as _};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Subcommand};
use porchlight_app::integrations::edge::{self, DEPLOY, EdgeError};
use porchlight_app::settings::layers::Layers;
use porchlight_app::{data_dir, logging};

use crate::cli::failed;

/// What to do with the Worker.
#[derive(Subcommand)]
pub(super) enum Action {
    /// Write the Worker and its configuration, ready to be deployed
    Init(Options),
}

/// Where to, and with which settings.
#[derive(Args)]
pub(super) struct Options {
    /// The folder for the files; it is made where it is missing
    folder: PathBuf,

    /// A setting for this run; can be given more than once
    #[arg(long, value_name = "KEY=VALUE")]
    pub(super) set: Vec<String>,
}

/// Why nothing was written.
#[derive(Debug, thiserror::Error)]
enum Failure {
    #[error(transparent)]
    DataFolder(#[from] data_dir::DataFolderError),
    #[error(transparent)]
    Edge(#[from] EdgeError),
    #[error("standard output: {0}")]
    Output(#[from] io::Error),
}

/// Does it.
pub(super) fn run(data_dir: Option<PathBuf>, action: Action) -> ExitCode {
    logging::start_for_a_command();
    let Action::Init(options) = action;
    match init(data_dir, options) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure @ Failure::Edge(EdgeError::Settings(_) | EdgeError::NoStore)) => {
            failed(&failure, 2)
        }
        Err(failure) => failed(&failure, 1),
    }
}

fn init(data_dir: Option<PathBuf>, options: Options) -> Result<(), Failure> {
    let place = data_dir::place(data_dir)?;
    let place = data_dir::make(&place)?;
    let layers = Layers::of_this_process(&place, options.set, None);
    let done = edge::init(&options.folder, &layers)?;
    let folder = options.folder.display();
    if done.made_key {
        eprintln!("A key was made; a running Porchlight uses it from its next start on.");
    }
    eprintln!(
        "Deploy the Worker in {folder} with this line, and set `edge.url` to its address. On your \
         own server, `workerd serve workerd.capnp` runs it; the proxy in front of it must set \
         X-Forwarded-Proto and X-Real-IP on every request."
    );
    let mut out = io::stdout().lock();
    writeln!(out, "{DEPLOY}")?;
    Ok(out.flush()?)
}
