//! What `check`, `backup`, `restore` and `storage move` have in common: the settings, the
//! progress bar, and how what they find is printed.

use std::io::{self, IsTerminal as _, Write as _};
use std::path::Path;
use std::process::ExitCode;

use indicatif::{ProgressBar, ProgressStyle};
use porchlight_app::data_dir::DataFolderError;
use porchlight_app::logging;
use porchlight_app::settings::layers::Layers;
use porchlight_app::settings::problem::Problems;
use porchlight_core::OpenError;
use porchlight_core::images::MoveError;
use porchlight_core::settings::StorageSettings;
use porchlight_core::upkeep::{Cancelled, Problem, UpkeepError};

use crate::cli::{failed, runtime};

/// Why it was not done.
#[derive(Debug, thiserror::Error)]
pub(super) enum Failure {
    #[error("{0}")]
    Settings(#[from] Problems),
    #[error(transparent)]
    DataFolder(#[from] DataFolderError),
    #[error(transparent)]
    Upkeep(#[from] UpkeepError),
    #[error(transparent)]
    Open(#[from] OpenError),
    #[error("{0}\nWhat was moved is in order where it is now: run it again to go on.")]
    Move(#[from] MoveError),
    #[error("standard output: {0}")]
    Output(#[from] io::Error),
}

impl Failure {
    /// 2 where the settings are wrong.
    pub(super) fn exit_code(&self) -> u8 {
        match self {
            Self::Settings(_) | Self::DataFolder(DataFolderError::NoPlace) => 2,
            Self::Open(error) if error.is_about_settings() => 2,
            Self::Upkeep(UpkeepError::OpenStorage(error)) if error.is_about_settings() => 2,
            _ => 1,
        }
    }
}

/// Runs the command; `Ok(false)` is done with something wrong.
pub(super) fn finish(work: impl Future<Output = Result<bool, Failure>>) -> ExitCode {
    logging::start_for_a_command();
    let done = runtime()
        .map_err(Failure::Output)
        .and_then(|runtime| runtime.block_on(work));
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(failure) => failed(&failure, failure.exit_code()),
    }
}

/// Where the images of this data folder are.
///
/// # Errors
/// When the settings are wrong.
pub(super) fn storage_of(folder: &Path, set: Vec<String>) -> Result<StorageSettings, Problems> {
    let reading = Layers::of_this_process(folder, set, None).read()?;
    Ok(reading.settings.storage)
}

/// How far it is: a bar on a terminal, nothing elsewhere.
pub(super) struct Bar(ProgressBar);

impl Bar {
    /// A bar with a word for the work in progress.
    pub(super) fn new(what: &'static str, json: bool) -> Self {
        let bar = if json || !io::stderr().is_terminal() {
            ProgressBar::hidden()
        } else {
            ProgressBar::new(0)
        };
        let style = ProgressStyle::with_template("{msg} {wide_bar} {pos}/{len} {eta}")
            .unwrap_or_else(|_| ProgressStyle::default_bar());
        bar.set_style(style);
        bar.set_message(what);
        Self(bar)
    }

    /// Shows how many of all are done.
    pub(super) fn progress(&self) -> impl Fn(u64, u64) -> Result<(), Cancelled> + Send + Sync {
        |done, total| {
            self.0.set_length(total);
            self.0.set_position(done);
            Ok(())
        }
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

/// Prints what is wrong, one line each.
///
/// # Errors
/// When standard output is closed.
pub(super) fn say_problems(problems: &[Problem]) -> io::Result<()> {
    let mut out = io::stdout().lock();
    for problem in problems {
        match &problem.mended {
            None => writeln!(out, "wrong: {}", problem.fault)?,
            Some(mended) => writeln!(out, "mended: {}; {mended}", problem.fault)?,
        }
    }
    out.flush()
}

/// Prints a report for scripts.
///
/// # Errors
/// When standard output is closed.
pub(super) fn say_json(report: &impl serde::Serialize) -> io::Result<()> {
    let mut out = io::stdout().lock();
    serde_json::to_writer_pretty(&mut out, report)?;
    writeln!(out)?;
    out.flush()
}

/// Prints one line.
///
/// # Errors
/// When standard output is closed.
pub(super) fn say(line: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "{line}")?;
    out.flush()
}

/// `1 image`, `2 images`.
pub(super) fn images(count: u64) -> String {
    if count == 1 {
        "1 image".to_owned()
    } else {
        format!("{count} images")
    }
}
