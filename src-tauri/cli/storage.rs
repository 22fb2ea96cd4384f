//! `porchlight storage move`: all images from the disk to the object store, or
//! back. The settings follow when the images are there.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Subcommand, ValueEnum};
use porchlight_api::Message;
use porchlight_app::data_dir;
use porchlight_app::file_mode::ForItsOwner;
use porchlight_app::settings::edit;
use porchlight_app::settings::layers::Layers;
use porchlight_app::settings::problem::{Problem, Problems};
use porchlight_core::Service;
use porchlight_core::clock::Clock;
use porchlight_core::settings::StorageKind;
use porchlight_core::upkeep::UpkeepError;
use serde::Serialize;

use super::upkeep::{Bar, Failure, finish, images, say, say_json, say_problems};

/// What to do with storage.
#[derive(Subcommand)]
pub(super) enum Action {
    /// Move all images to the other kind of storage, verified one by one
    Move(Options),
}

/// What `storage move` takes.
#[derive(Args)]
pub(super) struct Options {
    /// Where the images are to be
    #[arg(long, value_name = "KIND")]
    to: To,

    /// The result as JSON
    #[arg(long)]
    json: bool,

    /// A setting for this run; can be given more than once
    #[arg(long, value_name = "KEY=VALUE")]
    pub(super) set: Vec<String>,
}

#[derive(Clone, Copy, ValueEnum)]
enum To {
    /// The data folder
    Disk,
    /// The object store of the settings
    S3,
}

impl From<To> for StorageKind {
    fn from(to: To) -> Self {
        match to {
            To::Disk => Self::Disk,
            To::S3 => Self::S3,
        }
    }
}

#[derive(Serialize)]
struct Report {
    #[serde(flatten)]
    moved: porchlight_core::images::MoveReport,
    /// What is left to do by hand, where the settings could not be changed.
    settings: Option<String>,
}

/// Does it.
pub(super) fn run(data_dir: Option<PathBuf>, action: Action) -> ExitCode {
    let Action::Move(options) = action;
    finish(move_images(data_dir, options))
}

async fn move_images(data_dir: Option<PathBuf>, options: Options) -> Result<bool, Failure> {
    let to = StorageKind::from(options.to);
    let place = data_dir::place(data_dir)?;
    let layers = Layers::of_this_process(&place, options.set, None);
    let reading = layers.read()?;
    // What will be in the file afterwards is known to be right before anything
    // is moved.
    let change = Change::to(to, &layers)?;
    if !place.join("porchlight.db").is_file() {
        return Err(UpkeepError::NothingThere(place).into());
    }
    let folder = data_dir::make(&place)?;
    let _owner = ForItsOwner::of(folder.clone());
    let _lock = data_dir::lock(&folder)?;
    let mut settings = reading.settings.for_service();
    settings.storage = change.storage.clone();
    let service = Service::open(&folder, settings, Clock::system()).await?;
    let moved = {
        let bar = Bar::new("moved", options.json);
        let progress = bar.progress();
        service.images().move_to(to, &progress).await
    };
    service.close().await;
    let report = Report {
        moved: moved?,
        settings: change.make(&layers)?,
    };
    if options.json {
        say_json(&report)?;
    } else {
        say_problems(&report.moved.problems)?;
        say(&format!(
            "{} moved to {} ({} bytes), {} there already{}",
            images(report.moved.moved),
            to.name(),
            report.moved.bytes,
            report.moved.there_already,
            match report.moved.problems.len() {
                0 => String::new(),
                left => format!(", {left} left where they are"),
            }
        ))?;
        if report.moved.left_behind > 0 {
            say(&format!(
                "{} could not be removed from where they were: keep that storage in the settings \
                 until a later start has removed them",
                images(report.moved.left_behind)
            ))?;
        }
        match &report.settings {
            Some(note) => say(note)?,
            None => say(&format!("`storage.kind` is \"{}\"", to.name()))?,
        }
    }
    Ok(report.moved.problems.is_empty() && report.moved.left_behind == 0)
}

/// What is to be written to the settings file, so that new images go where the
/// others are.
struct Change {
    to: StorageKind,
    text: String,
    /// The storage settings with the change made.
    storage: porchlight_core::settings::StorageSettings,
}

impl Change {
    fn to(to: StorageKind, layers: &Layers) -> Result<Self, Problems> {
        let wanted = [("storage.kind", Some(to.name().into()))];
        let text = edit::changed(&layers.file_text()?, &wanted)
            .map_err(|error| Problems::from(Problem::nowhere(Message::text(error))))?;
        // A layer above the file may say otherwise now, and be changed after.
        let mut above = layers.clone();
        above.set.push(format!("storage.kind={}", to.name()));
        let storage = above.read_with(&text)?.settings.storage;
        Ok(Self { to, text, storage })
    }

    /// Makes it; what is left to do by hand.
    fn make(self, layers: &Layers) -> Result<Option<String>, Failure> {
        let kind = self.to.name();
        if layers.file_text()? != self.text {
            edit::write(&layers.file, &self.text).map_err(|error| {
                let file = layers.file.display();
                Failure::Settings(Problems::from(Problem::nowhere(Message::text(format!(
                    "the images are moved, but {file} cannot be written ({error}): \
                     set `storage.kind` to \"{kind}\" in it"
                )))))
            })?;
        }
        let is_followed = layers.read()?.settings.storage.kind == self.to;
        Ok((!is_followed).then(|| {
            format!(
                "the environment or --set still says otherwise: set `storage.kind` to \"{kind}\" \
                 there, too, or new images will not go where the others are"
            )
        }))
    }
}
