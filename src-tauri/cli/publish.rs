//! `porchlight publish`: the snapshot in the object store, also while another process serves the
//! data folder.

use std::io;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Subcommand;
use porchlight_app::{data_dir, logging};
use porchlight_core::{TakeOverError, take_over_snapshot};

use crate::cli::{failed, runtime};

/// What to do with the snapshot.
#[derive(Subcommand)]
pub(super) enum Action {
    /// Publish from this data folder from now on, although the store holds another's snapshot
    TakeOver,
}

/// Why it was not done.
#[derive(Debug, thiserror::Error)]
enum Failure {
    #[error(transparent)]
    DataFolder(#[from] data_dir::DataFolderError),
    #[error(transparent)]
    TakeOver(#[from] TakeOverError),
    #[error("{0}")]
    Runtime(#[from] io::Error),
}

/// Does it.
pub(super) fn run(data_dir: Option<PathBuf>, action: Action) -> ExitCode {
    logging::start_for_a_command();
    let Action::TakeOver = action;
    match take_over(data_dir) {
        Ok(()) => {
            eprintln!(
                "This data folder replaces the snapshot in the store: now where its service waits \
                 for that, otherwise from its next start on."
            );
            ExitCode::SUCCESS
        }
        Err(failure) => failed(&failure, 1),
    }
}

fn take_over(data_dir: Option<PathBuf>) -> Result<(), Failure> {
    let folder = data_dir::place(data_dir)?;
    Ok(runtime()?.block_on(take_over_snapshot(&folder))?)
}
