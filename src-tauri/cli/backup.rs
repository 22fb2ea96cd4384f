//! `porchlight backup`: the database and the images as one file, also while
//! the service runs.

use std::io::Write as _;
use std::path::PathBuf;

use clap::Args;
use porchlight_service::error::message::Message;
use porchlight_service::upkeep::{self, BackupOptions};

use super::Invocation;
use super::printing::{Bar, images, print, print_json, print_problems};
use super::serve::Signals;

/// What `backup` takes.
#[derive(Debug, Args)]
pub(super) struct Options {
    /// The file to make, a tar
    file: PathBuf,

    /// Replace the file if it is there already
    #[arg(long)]
    force: bool,

    /// Take along the settings and the app's own secrets
    #[arg(long)]
    with_secrets: bool,

    /// The result as JSON
    #[arg(long)]
    json: bool,
}

/// Makes the backup; `false` where an image is missing from it.
pub(super) async fn run(invocation: Invocation, options: Options) -> anyhow::Result<bool> {
    let folder = invocation.folder()?;
    let storage = invocation.layers()?.read()?.settings.storage;
    let wanted = BackupOptions {
        file: options.file,
        force: options.force,
        with_secrets: options.with_secrets,
    };
    let signals = Signals::listen()?;
    let report = {
        let bar = Bar::new("backed up", options.json);
        let progress = bar.progress();
        // Killed, it would leave its half-written file behind.
        tokio::select! {
            report = upkeep::backup(&folder, &storage, &wanted, &progress) => report?,
            () = signals.one() => return Err(Message::Cancelled.into()),
        }
    };
    if options.json {
        print_json(&report)?;
    } else {
        print_problems(&report.problems)?;
        print(&format!(
            "{}: {} ({} bytes) and the database, which keeps tokens as digests alone",
            wanted.file.display(),
            images(report.images),
            report.bytes
        ))?;
        if !report.secrets.is_empty() {
            print(&format!("with secrets: {}", report.secrets.join(", ")))?;
        }
        if !report.left_out.is_empty() {
            let names = report.left_out.join(", ");
            print(&format!("left out, as they hold secrets: {names}"))?;
        }
    }
    if let Some(why) = report.not_restorable {
        // Standard error may be closed, and the backup is whole.
        let _ = writeln!(std::io::stderr(), "porchlight: {why}");
    }
    Ok(report.problems.is_empty())
}
