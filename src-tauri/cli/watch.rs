//! `porchlight watch`: uploads every picture that is put into a folder, with no
//! app, until a signal stops it.

use std::io::{self, Write as _};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use porchlight_app::data_dir::{self, DataFolderError};
use porchlight_app::host::remote::RemoteHost;
use porchlight_companion::link::LinkTemplate;
use porchlight_companion::settings::{AfterUpload, WatchSettings};
use porchlight_companion::watch::{Order, StartError, WatchOutcome};
use serde::Serialize;

use crate::cli::destination::{Destination, NoDestination};
use crate::cli::run_until_signal;
use crate::cli::shown::{printable, shown};

/// What to watch, and where pictures go.
#[derive(Debug, Args)]
pub(super) struct What {
    /// A folder to watch; can be given more than once. One that is not there is
    /// waited for
    #[arg(long = "folder", value_name = "DIR", required = true)]
    folders: Vec<PathBuf>,

    #[command(flatten)]
    destination: Destination,

    /// Leave the folders inside it alone
    #[arg(long)]
    no_subfolders: bool,

    /// Leave what is there when a folder is watched for the first time
    #[arg(long)]
    leave_existing: bool,

    /// Look through the folders every five seconds, for file systems that tell
    /// nothing; those on a network are looked through anyway
    #[arg(long)]
    poll: bool,

    /// What is printed for a picture: url, markdown, html, responsive, bbcode, or a text
    /// with {url} in it
    #[arg(long, value_name = "TEMPLATE", default_value = "url")]
    link: LinkTemplate,

    /// Try again what was set aside
    #[arg(long)]
    retry: bool,

    /// Seconds that one try may take
    #[arg(long, value_name = "SECONDS", default_value_t = 300,
        value_parser = clap::value_parser!(u64).range(1..=86_400))]
    timeout: u64,

    /// A line of JSON for each file
    #[arg(long)]
    json: bool,
}

#[derive(Debug, thiserror::Error)]
enum WatchError {
    #[error("{0:?} is no path of a folder: {1}")]
    Folder(PathBuf, io::Error),
    #[error(transparent)]
    DataFolder(#[from] DataFolderError),
    #[error(transparent)]
    NoDestination(#[from] NoDestination),
    #[error(transparent)]
    Watch(#[from] StartError),
}

impl WatchError {
    /// 2 for wrong usage, 1 for what is wrong with the machine.
    fn exit_code(&self) -> u8 {
        match self {
            Self::NoDestination(error) => error.exit_code(),
            Self::Watch(_) => 1,
            _ => 2,
        }
    }
}

/// Watches until a signal stops it.
pub(super) fn run(data_dir: Option<PathBuf>, what: What) -> ExitCode {
    porchlight_app::logging::start_for_a_command();
    run_until_signal(async {
        let host = watch(data_dir, what).await;
        host.map_err(|error| (error.to_string(), error.exit_code()))
    })
}

async fn watch(data_dir: Option<PathBuf>, what: What) -> Result<RemoteHost, WatchError> {
    let absolute = |folder: PathBuf| {
        std::path::absolute(&folder).map_err(|error| WatchError::Folder(folder, error))
    };
    let folders = what.folders.into_iter().map(absolute);
    let settings = WatchSettings {
        folders: folders.collect::<Result<_, _>>()?,
        recursive: !what.no_subfolders,
        // Another process stores them, and may lose them.
        after: AfterUpload::Keep,
        existing: !what.leave_existing,
        poll: what.poll,
        copy_link: false,
    };
    let state = data_dir::place(data_dir.clone())?;
    let limit = Duration::from_secs(what.timeout);
    let json = what.json;
    let order = Order {
        settings,
        template: what.link,
        target: Arc::new(what.destination.client(data_dir, limit).await?),
        state,
        report: Arc::new(move |outcome| report(&outcome, json)),
    };
    Ok(RemoteHost::watch(order, what.retry).await?)
}

/// One line of JSON.
#[derive(Debug, Default, Serialize)]
struct Line<'a> {
    file: String,
    status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    hash: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    link: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
}

/// The link alone on standard output; what did not work on standard error.
fn report(outcome: &WatchOutcome, json: bool) {
    if json {
        match serde_json::to_string(&line(outcome)) {
            Ok(text) => print(&text),
            Err(error) => tracing::error!(%error, "a line could not be written"),
        }
        return;
    }
    match outcome {
        WatchOutcome::Uploaded { link, .. } => print(link),
        WatchOutcome::SetAside { file, reason } => {
            eprintln!(
                "set aside  {}: {}",
                shown(file),
                printable(&reason.to_string())
            );
        }
        WatchOutcome::Gone { file } => eprintln!("gone  {}", shown(file)),
    }
}

fn line(outcome: &WatchOutcome) -> Line<'_> {
    match outcome {
        WatchOutcome::Uploaded {
            file,
            hash,
            address,
            link,
            already_there,
        } => Line {
            file: file.to_string_lossy().into_owned(),
            status: if *already_there {
                "already_there"
            } else {
                "uploaded"
            },
            hash: Some(hash),
            url: Some(address),
            link: Some(link),
            reason: None,
        },
        WatchOutcome::SetAside { file, reason } => Line {
            file: file.to_string_lossy().into_owned(),
            status: "set_aside",
            reason: Some(reason.to_string()),
            ..Line::default()
        },
        WatchOutcome::Gone { file } => Line {
            file: file.to_string_lossy().into_owned(),
            status: "gone",
            ..Line::default()
        },
    }
}

/// Whoever closed standard output does not want it.
fn print(text: &str) {
    let mut out = io::stdout().lock();
    drop(writeln!(out, "{text}").and_then(|()| out.flush()));
}
