//! `porchlight check`: whether everything that was stored is there and whole;
//! with `--repair` what can be done about what is not.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use porchlight_app::data_dir;
use porchlight_app::file_mode::ForItsOwner;
use porchlight_core::upkeep::{self, Report, UpkeepError};

use super::upkeep::{Bar, Failure, finish, images, say, say_json, say_problems, storage_of};

/// What `check` takes.
#[derive(Debug, Args)]
pub(super) struct Options {
    /// Mend what can be mended; wrong files are moved to `set-aside`, never deleted
    #[arg(long)]
    repair: bool,

    /// Mend also where more than 5 and more than a tenth of the images are missing: their rows are
    /// removed, and a copy of the database is kept
    #[arg(long, requires = "repair")]
    missing_is_lost: bool,

    /// The result as JSON
    #[arg(long)]
    json: bool,

    /// A setting for this run; can be given more than once
    #[arg(long, value_name = "KEY=VALUE")]
    pub(super) set: Vec<String>,
}

/// Does it.
pub(super) fn run(data_dir: Option<PathBuf>, options: Options) -> ExitCode {
    finish(check(data_dir, options))
}

async fn check(data_dir: Option<PathBuf>, options: Options) -> Result<bool, Failure> {
    let folder = data_dir::place(data_dir)?;
    let storage = storage_of(&folder, options.set)?;
    let report = {
        let bar = Bar::new("checked", options.json);
        let progress = bar.progress();
        if options.repair {
            if !folder.is_dir() {
                return Err(UpkeepError::NothingThere(folder).into());
            }
            let _owner = ForItsOwner::of(folder.clone());
            let _lock = data_dir::lock(&folder)?;
            upkeep::repair(&folder, &storage, options.missing_is_lost, &progress).await?
        } else {
            let served = data_dir::holder(&folder).is_some();
            upkeep::check(&folder, &storage, served, &progress).await?
        }
    };
    if options.json {
        say_json(&report)?;
    } else {
        say_problems(&report.problems)?;
        say(&summary(&report))?;
        if let Some(why) = &report.refused {
            say(&why.to_string())?;
        }
    }
    Ok(report.is_well())
}

fn summary(report: &Report) -> String {
    let mut line = format!("{} whole ({} bytes)", images(report.images), report.bytes);
    let wrong = report.problems.len();
    let mended = report.problems.iter().filter(|p| p.mended.is_some());
    let mended = mended.count();
    line += &match (wrong, mended) {
        (0, _) => ", nothing wrong".to_owned(),
        (_, 0) => format!(", {wrong} wrong"),
        _ => format!(", {wrong} wrong, {mended} of them mended"),
    };
    if report.waiting > 0 {
        line += &format!(", {} waiting for the service", images(report.waiting));
    }
    if report.foreign > 0 {
        line += &format!(", {} files of others left alone", report.foreign);
    }
    line
}
