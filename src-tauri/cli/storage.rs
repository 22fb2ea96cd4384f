//! `porchlight storage move`: all images to one kind of storage. The settings follow when the images are there.

use anyhow::anyhow;
use clap::{Args, Subcommand, ValueEnum};
use porchlight_service::error::message::Message;
use porchlight_service::files::private_file;
use porchlight_service::settings::edit;
use porchlight_service::settings::layers::Layers;
use porchlight_service::settings::problem::{Problem, Problems};
use porchlight_service::settings::sections::StorageKind;
use serde::Serialize;

use super::opened::Opened;
use super::printing::{Bar, images, print, print_json, print_problems};
use super::{Invocation, UsageError};

/// What to do with storage.
#[derive(Subcommand)]
pub(super) enum Action {
    /// Move all images to another kind of storage, verified one by one
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
}

#[derive(Clone, Copy, ValueEnum)]
enum To {
    /// The data folder
    Disk,
    /// The object store of the settings
    S3,
    /// The Worker of the settings
    Edge,
}

impl From<To> for StorageKind {
    fn from(to: To) -> Self {
        match to {
            To::Disk => Self::Disk,
            To::S3 => Self::S3,
            To::Edge => Self::Edge,
        }
    }
}

#[derive(Serialize)]
struct Report {
    #[serde(flatten)]
    moved: porchlight_service::images::MoveReport,
    /// What is left to do by hand, where the settings could not be changed.
    settings: Option<String>,
}

/// Moves; `false` where images are left where they were.
pub(super) async fn run(invocation: Invocation, action: Action) -> anyhow::Result<bool> {
    let Action::Move(options) = action;
    let to = StorageKind::from(options.to);
    let layers = invocation.layers()?;
    let reading = layers.read()?;
    // What will be in the file afterwards is known to be right before anything
    // is moved.
    let change = Change::to(to, &layers)?;
    invocation.existing_folder()?;
    let mut settings = reading.settings;
    settings.storage = change.storage.clone();
    let opened = Opened::with(&invocation, settings).await?;
    let moved = {
        let bar = Bar::new("moved", options.json);
        let progress = bar.progress();
        opened.service.images().move_to(to, &progress).await
    };
    opened.close().await;
    let report = Report {
        moved: moved.map_err(|error| {
            anyhow!(
                "{error}
What was moved is in order where it is now: run it again to go on."
            )
        })?,
        settings: match &invocation.host {
            None => change.make(&layers)?,
            // The file may have been changed while the images moved.
            Some(host) => {
                let kind = [("storage.kind", Some(to.name().into()))];
                let settings = host.store().update(&kind).await.map_err(Message::from)?;
                (settings.storage.kind != to).then(|| overruled(to))
            }
        },
    };
    if options.json {
        print_json(&report)?;
    } else {
        print_problems(&report.moved.problems)?;
        print(&format!(
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
            print(&format!(
                "{} could not be removed from where they were: keep that storage in the settings \
                 until a later start has removed them",
                images(report.moved.left_behind)
            ))?;
        }
        match &report.settings {
            Some(note) => print(note)?,
            None => print(&format!("`storage.kind` is \"{}\"", to.name()))?,
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
    storage: porchlight_service::settings::sections::StorageSettings,
}

impl Change {
    fn to(to: StorageKind, layers: &Layers) -> Result<Self, Problems> {
        let wanted = [("storage.kind", Some(to.name().into()))];
        let text = edit::changed(&layers.file_text()?, &wanted)
            .map_err(|error| Problems::from(Problem::nowhere(Message::text(error))))?;
        // A layer above the file may have another value now, and be changed after.
        let mut above = layers.clone();
        above.set.push(format!("storage.kind={}", to.name()));
        let storage = above.read_with(&text)?.settings.storage;
        Ok(Self { to, text, storage })
    }

    /// Makes it; what is left to do by hand.
    fn make(self, layers: &Layers) -> anyhow::Result<Option<String>> {
        let kind = self.to.name();
        if layers.file_text()? != self.text {
            private_file::write(&layers.file, &self.text).map_err(|error| {
                let file = layers.file.display();
                UsageError(format!(
                    "the images are moved, but {file} cannot be written ({error}): set \
                     `storage.kind` to \"{kind}\" in it"
                ))
            })?;
        }
        let is_followed = layers.read()?.settings.storage.kind == self.to;
        Ok((!is_followed).then(|| overruled(self.to)))
    }
}

/// A layer above the settings file has the last word.
fn overruled(to: StorageKind) -> String {
    format!(
        "the environment or --set still says otherwise: set `storage.kind` to \"{}\" there, too, or \
         new images will not go where the others are",
        to.name()
    )
}
