//! `porchlight backup`: the database and the images as one file, also while
//! the service runs.

use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use porchlight_app::data_dir;
use porchlight_core::upkeep::{self, BackupOptions, UpkeepError};

use super::upkeep::{Bar, Failure, finish, images, say, say_json, say_problems, storage_of};

/// What `backup` takes.
#[derive(Debug, Args)]
pub(super) struct Options {
    /// The file to make, a tar
    file: PathBuf,

    /// Replace the file if it is there already
    #[arg(long)]
    force: bool,

    /// Take along the settings and the app's own tokens
    #[arg(long)]
    with_secrets: bool,

    /// The result as JSON
    #[arg(long)]
    json: bool,

    /// A setting for this run; can be given more than once
    #[arg(long, value_name = "KEY=VALUE")]
    pub(super) set: Vec<String>,
}

/// Does it.
pub(super) fn run(data_dir: Option<PathBuf>, options: Options) -> ExitCode {
    finish(backup(data_dir, options))
}

async fn backup(data_dir: Option<PathBuf>, options: Options) -> Result<bool, Failure> {
    let folder = data_dir::place(data_dir)?;
    let storage = storage_of(&folder, options.set)?;
    let wanted = BackupOptions {
        file: options.file,
        force: options.force,
        with_secrets: options.with_secrets,
    };
    let report = {
        let bar = Bar::new("backed up", options.json);
        let progress = bar.progress();
        // Killed, it would leave its half-written file behind.
        tokio::select! {
            report = upkeep::backup(&folder, &storage, &wanted, &progress) => report?,
            Ok(()) = tokio::signal::ctrl_c() => return Err(UpkeepError::Cancelled.into()),
        }
    };
    if options.json {
        say_json(&report)?;
    } else {
        say_problems(&report.problems)?;
        say(&format!(
            "{}: {} ({} bytes) and the database, which keeps tokens as digests alone",
            wanted.file.display(),
            images(report.images),
            report.bytes
        ))?;
        if !report.secrets.is_empty() {
            say(&format!("with secrets: {}", report.secrets.join(", ")))?;
        }
        if !report.left_out.is_empty() {
            let names = report.left_out.join(", ");
            say(&format!("left out, as they hold secrets: {names}"))?;
        }
    }
    if let Some(why) = report.not_restorable {
        // Standard error may be closed, and the backup is whole.
        let _ = writeln!(std::io::stderr(), "porchlight: {why}");
    }
    Ok(report.problems.is_empty())
}
