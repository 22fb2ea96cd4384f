//! `porchlight restore`: brings a backup back to an empty data folder.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use porchlight_core::upkeep;

use super::upkeep::{Bar, Failure, finish, images, say, say_json};
use crate::data_folder;
use crate::settings::layers::Layers;

/// What `restore` takes.
#[derive(Debug, Args)]
pub(super) struct Options {
    /// A file that `porchlight backup` made
    file: PathBuf,

    /// The result as JSON
    #[arg(long)]
    json: bool,

    /// A setting for this run; can be given more than once
    #[arg(long, value_name = "KEY=VALUE")]
    pub(super) set: Vec<String>,
}

/// Does it.
pub(super) fn run(data_dir: Option<PathBuf>, options: Options) -> ExitCode {
    finish(restore(data_dir, options))
}

async fn restore(data_dir: Option<PathBuf>, options: Options) -> Result<bool, Failure> {
    let place = data_folder::place(data_dir)?;
    let mut layers = Layers::of_this_process(&place, options.set, None);
    layers.read()?;
    let folder = data_folder::make(&place)?;
    let _lock = data_folder::lock(&folder)?;
    let bar = Bar::new("restored", options.json);
    let progress = |done, total| bar.at(done, total);
    let unpacked = upkeep::unpack(&options.file, &folder, &progress).await?;
    // Where the images belong is what the service will be told.
    if let Some(file) = unpacked.settings_file()
        && !layers.file_is_named
    {
        layers.file = file;
    }
    let storage = layers.read()?.settings.storage;
    let report = unpacked.put_in_place(&storage, &progress).await?;
    drop(bar);
    if options.json {
        say_json(&report)?;
        return Ok(true);
    }
    say(&format!(
        "{}: {} and the database are back, all of them whole",
        folder.display(),
        images(report.images)
    ))?;
    if report.secrets.is_empty() {
        say("settings and the app's own tokens were not in this backup")?;
    } else {
        say(&format!("with secrets: {}", report.secrets.join(", ")))?;
    }
    Ok(true)
}
