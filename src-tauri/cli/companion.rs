//! `porchlight companion`: what the tray app does on the owner's machine, with
//! no window and for a service elsewhere.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use porchlight_api::client::Client;
use porchlight_api::state::StateReader;
use porchlight_app::data_dir::{self, DataFolderError};
use porchlight_app::file_mode;
use porchlight_app::logging::{self, LogGuard, LoggingError};
use porchlight_app::services::heartbeat::HEARTBEAT_LIMIT;
use porchlight_app::services::upload_sources::UploadSources;
use porchlight_app::services::upload_target::UploadTarget;
use porchlight_app::settings::Settings;
use porchlight_app::settings::layers::Layers;
use porchlight_app::settings::problem::Problems;
use porchlight_companion::lock_file::LockFile;
use porchlight_companion::presence::{Orders, Presence, PresenceState};
use porchlight_companion::settings::TunnelKind;
use tokio_util::sync::CancellationToken;

use crate::cli::serve::Signals;
use crate::cli::{failed, run_for_long};

/// Why it did not start.
#[derive(Debug, thiserror::Error)]
enum NotStarted {
    #[error("{0}")]
    Settings(#[from] Problems),
    #[error(
        "`porchlight companion` needs `presence.target_url` and `presence.token`: the address of \
         a service and a token of it"
    )]
    NoTarget,
    #[error(transparent)]
    DataFolder(#[from] DataFolderError),
    #[error(transparent)]
    Logging(#[from] LoggingError),
    #[error("no HTTPS client can be set up: {0}")]
    Http(String),
}

impl NotStarted {
    /// 2 for wrong usage or settings, 1 for what is wrong with the machine.
    fn exit_code(&self) -> u8 {
        match self {
            Self::Settings(_)
            | Self::NoTarget
            | Self::DataFolder(DataFolderError::NoPlace)
            | Self::Logging(LoggingError::Filter(_)) => 2,
            Self::DataFolder(_) | Self::Logging(_) | Self::Http(_) => 1,
        }
    }
}

/// Runs until a signal stops it.
pub(super) fn run(data_dir: Option<PathBuf>, set: Vec<String>) -> ExitCode {
    run_for_long(accompany(data_dir, set))
}

async fn accompany(data_dir: Option<PathBuf>, set: Vec<String>) -> ExitCode {
    // Before anything is opened: a signal that comes early is not lost.
    let signals = match Signals::listen() {
        Ok(signals) => signals,
        Err(error) => return failed(&error, 1),
    };
    let (ground, parts) = match start(data_dir, set).await {
        Ok(started) => started,
        Err(error) => return failed(&error, error.exit_code()),
    };
    signals.one().await;
    for part in parts {
        part.stop().await;
    }
    tracing::info!("the companion is gone");
    drop(ground);
    ExitCode::SUCCESS
}

/// What all parts stand on; the log and the lock go last.
struct Ground {
    _log: LogGuard,
    _lock: LockFile,
}

/// One thing that the companion does, under way.
enum Part {
    /// Reports the owner's presence.
    Presence {
        presence: Presence,
        spoken: CancellationToken,
    },
    /// Takes pictures in.
    UploadSources(UploadSources),
}

impl Part {
    /// Brings it to its end.
    async fn stop(self) {
        match self {
            Self::Presence { presence, spoken } => {
                presence.stop().await;
                spoken.cancel();
            }
            Self::UploadSources(sources) => sources.stop().await,
        }
    }
}

async fn start(
    data_dir: Option<PathBuf>,
    set: Vec<String>,
) -> Result<(Ground, Vec<Part>), NotStarted> {
    let place = data_dir::place(data_dir)?;
    let layers = Layers::of_this_process(&place, set, None);
    let reading = layers.read()?;
    let (client, destination) = targets(&reading.settings)?;
    let filter = logging::filter()?;
    let folder = data_dir::make(&place)?;
    let lock = data_dir::lock_as_companion(&folder)?;
    let log = logging::start(&folder.join("logs"), filter)?;
    for warning in reading.warnings {
        tracing::warn!("{warning}");
    }
    if !layers.file_is_named {
        layers.close_to_others();
    }
    file_mode::close_data_folder(&folder);
    tracing::info!(version = env!("CARGO_PKG_VERSION"), target = client.base(), folder = %folder.display(), "the companion is here");
    let settings = reading.settings;
    if settings.tunnel.kind != TunnelKind::None {
        tracing::warn!(
            "`tunnel.kind` is for the program that serves, which starts the tunnel itself"
        );
    }
    let parts = vec![
        presence(&settings, &folder, client),
        Part::UploadSources(UploadSources::start(&settings, &folder, &destination).await),
    ];
    let ground = Ground {
        _log: log,
        _lock: lock,
    };
    Ok((ground, parts))
}

/// The service that all of it goes to: heartbeats, and pictures.
fn targets(settings: &Settings) -> Result<(Client, UploadTarget), NotStarted> {
    let presence = &settings.presence;
    let (Some(target), Some(token)) = (&presence.target_url, &presence.token) else {
        return Err(NotStarted::NoTarget);
    };
    let http = |error: &dyn std::fmt::Display| NotStarted::Http(error.to_string());
    let client = Client::new(target.as_str(), token.clone(), HEARTBEAT_LIMIT);
    let destination = UploadTarget::elsewhere(target, token);
    Ok((
        client.map_err(|error| http(&error))?,
        destination.map_err(|error| http(&error))?,
    ))
}

fn presence(settings: &Settings, folder: &Path, target: Client) -> Part {
    let presence = Presence::start(
        folder,
        Orders {
            enabled: settings.presence.enabled == Some(true),
            settings: settings.presence.clone(),
            target,
        },
    );
    if settings.presence.enabled.is_none() {
        tracing::warn!(
            "presence: nothing is reported before you say yes: set `presence.enabled` to true"
        );
    }
    let spoken = CancellationToken::new();
    tokio::spawn(
        spoken
            .clone()
            .run_until_cancelled_owned(speak(presence.state())),
    );
    Part::Presence { presence, spoken }
}

/// Says on the log what the presence part is doing and why it cannot, each
/// time that changes.
async fn speak(mut state: StateReader<PresenceState>) {
    let mut said = Vec::new();
    loop {
        let now = lines(&state.latest());
        for line in now.iter().filter(|line| !said.contains(*line)) {
            tracing::info!("presence: {line}");
        }
        said = now;
        if state.changed().await.is_err() {
            return;
        }
    }
}

fn lines(state: &PresenceState) -> Vec<String> {
    let mut lines = state.unavailable.sentences();
    lines.push(match (&state.preview, &state.pause) {
        _ if !state.enabled => "nothing is reported".to_owned(),
        (_, Some(pause)) => match pause.until {
            Some(until) => format!("paused until {until}"),
            None => "paused until it is resumed".to_owned(),
        },
        (None, None) => "looking".to_owned(),
        (Some(fields), None) => {
            let what = match fields.application.as_str() {
                "" => "nothing that is named".to_owned(),
                name => format!("{name:?}"),
            };
            let there = match state.away {
                None => "here",
                Some(_) => "away",
            };
            format!("reporting {what}, {there}")
        }
    });
    if let Some(trouble) = &state.reporter.trouble {
        let next = state
            .reporter
            .next_try
            .map(|next| format!("; tried again at {next}"));
        lines.push(format!("{trouble}{}", next.unwrap_or_default()));
    } else if state.reporter.last_success.is_some() {
        lines.push("the service takes it".to_owned());
    }
    lines
}

#[cfg(test)]
mod tests {
    use porchlight_api::{HeartbeatFields, Message, Rgba};
    use porchlight_companion::presence::Away;

    use super::*;

    #[test]
    fn it_says_what_it_does_and_why_it_cannot() {
        let mut state = PresenceState::default();
        assert_eq!(lines(&state), ["nothing is reported"]);
        state.enabled = true;
        assert_eq!(lines(&state), ["looking"]);
        state.preview = Some(HeartbeatFields {
            application: "XTerm".to_owned(),
            introduce: String::new(),
            rgba: Rgba::none(),
            application_online: false,
        });
        state.away = Some(Away::Idle);
        state.unavailable.media = Some(Message::text("there is no bus"));
        state.reporter.trouble = Some(Message::TokenRefused);
        assert_eq!(
            lines(&state),
            [
                "whether media play is not known: there is no bus",
                "reporting \"XTerm\", away",
                "the service refused the token",
            ]
        );
    }
}
