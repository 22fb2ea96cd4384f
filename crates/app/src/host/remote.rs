//! A process without a service of its own: `porchlight companion` and `porchlight watch`. It uploads
//! to another service, and the companion reports presence to it, too.

use std::sync::Arc;

use porchlight_api::state::StateReader;
use porchlight_companion::presence::{Presence, PresenceOrders, PresenceState};
use porchlight_companion::settings::TunnelKind;
use porchlight_companion::target::Target;
use porchlight_companion::watch::{self, Watch};
use tokio_util::sync::CancellationToken;

use super::opened_folder::{Last, OpenedFolder, Role};
use super::{StartError, StartOptions};
use crate::data_dir;
use crate::services::upload_sources::UploadSources;
use crate::target::{HEARTBEAT_LIMIT, UPLOAD_LIMIT, elsewhere};

pub struct RemoteHost {
    presence: Option<(Presence, CancellationToken)>,
    sources: UploadSources,
    last: Option<Last>,
}

impl RemoteHost {
    /// Starts what the tray app does on the owner's machine, for the service that the settings name.
    ///
    /// # Errors
    /// See [`StartError`]. Nothing is left running then.
    pub async fn companion(options: StartOptions) -> Result<Self, StartError> {
        let place = data_dir::place(options.data_dir)?;
        let opened = OpenedFolder::open(&place, options.set, None, Role::Companion)?;
        let (settings, folder) = (opened.reading.settings, opened.folder);
        let heartbeats = elsewhere(&settings, HEARTBEAT_LIMIT).map_err(StartError::Http)?;
        let uploads = elsewhere(&settings, UPLOAD_LIMIT).map_err(StartError::Http)?;
        let (Some(heartbeats), Some(uploads)) = (heartbeats, uploads) else {
            return Err(StartError::NoTarget);
        };
        tracing::info!(version = env!("CARGO_PKG_VERSION"), target = heartbeats.base(), folder = %folder.display(), "the companion is here");
        if settings.tunnel.kind != TunnelKind::None {
            tracing::warn!(
                "`tunnel.kind` is for the program that serves, which starts the tunnel itself"
            );
        }
        let presence = Presence::start(
            &folder,
            PresenceOrders {
                enabled: settings.presence.enabled == Some(true),
                settings: settings.presence.clone(),
                target: Arc::new(heartbeats),
            },
        );
        if settings.presence.enabled.is_none() {
            tracing::warn!(
                "presence: nothing is reported before you say yes: set `presence.enabled` to true"
            );
        }
        let stop = CancellationToken::new();
        let log = log_presence(presence.state());
        tokio::spawn(stop.clone().run_until_cancelled_owned(log));
        let uploads: Arc<dyn Target> = Arc::new(uploads);
        Ok(Self {
            presence: Some((presence, stop)),
            sources: UploadSources::start(&settings, &folder, &uploads).await,
            last: Some(opened.last),
        })
    }

    /// Starts to watch folders, and tries again what was set aside if that is wanted.
    ///
    /// # Errors
    /// See [`watch::StartError`].
    pub async fn watch(order: watch::Order, retry: bool) -> Result<Self, watch::StartError> {
        let watch = Watch::start(order).await?;
        if retry {
            watch.retry(None).await?;
        }
        Ok(Self {
            presence: None,
            sources: UploadSources::watching(watch),
            last: None,
        })
    }

    /// Sends a goodbye, and stops.
    pub async fn stop(self) {
        if let Some((presence, stop)) = self.presence {
            presence.stop().await;
            stop.cancel();
        }
        self.sources.stop().await;
        if self.last.is_some() {
            tracing::info!("the companion is gone");
        }
        drop(self.last);
    }
}

/// Logs what the presence reporter does and why it cannot, each time that changes.
async fn log_presence(mut state: StateReader<PresenceState>) {
    let mut logged = Vec::new();
    loop {
        let now = lines(&state.latest());
        for line in now.iter().filter(|line| !logged.contains(*line)) {
            tracing::info!("presence: {line}");
        }
        logged = now;
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
            Some(end) => format!("paused until {}", end.time()),
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
    fn the_state_of_the_reporter_and_its_errors_are_logged() {
        let mut state = PresenceState::default();
        assert_eq!(lines(&state), ["nothing is reported"]);
        state.enabled = true;
        assert_eq!(lines(&state), ["looking"]);
        state.preview = Some(HeartbeatFields {
            application: "XTerm".to_owned(),
            introduce: String::new(),
            rgba: Rgba::none(),
            application_online: false,
            track: None,
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
