//! Whether media play, and what, from the players that Windows shows in its volume overlay
//! (`GlobalSystemMediaTransportControls`, since Windows 10 1809; browsers support it too).

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::timeout;
use windows::Foundation::TypedEventHandler;
use windows::Media::Control::{
    GlobalSystemMediaTransportControlsSession as Session,
    GlobalSystemMediaTransportControlsSessionManager as Sessions,
    GlobalSystemMediaTransportControlsSessionPlaybackStatus as Status,
};
use windows::core::{HSTRING, Result, RuntimeType};

use super::super::StateWriter;
use super::super::players::{self, Played, Player};
use super::readings;
use crate::error::message::Message;

const CALL_TIMEOUT: Duration = Duration::from_secs(1);

/// The retry interval where Windows does not offer it.
const LOOK_FOR_IT_AGAIN: Duration = Duration::from_secs(60);

/// Watches while polled. Only with `reads_tracks` players are asked for more than whether they play.
pub(super) async fn watch(writer: StateWriter, reads_tracks: bool) {
    loop {
        let Err(error) = follow(&writer, reads_tracks).await;
        players::unavailable(&writer, Message::text(error.message()));
        tokio::time::sleep(LOOK_FOR_IT_AGAIN).await;
    }
}

/// Windows, asked for the players. Without the service (Wine, editions without media) it is an error.
pub(super) async fn offered() -> Result<Sessions> {
    Sessions::RequestAsync()?.await
}

async fn follow(writer: &StateWriter, reads_tracks: bool) -> Result<Infallible> {
    let sessions = offered().await?;
    let changed = Arc::new(Notify::new());
    sessions.SessionsChanged(&notifying(&changed))?;
    loop {
        // Followed before they are asked, so that no change is missed in between.
        let followed = sessions.GetSessions()?.into_iter();
        let followed = followed.map(|session| Followed::new(session, &changed));
        let followed = followed.collect::<Result<Vec<_>>>()?;
        players::ask(writer, &followed, reads_tracks).await;
        changed.notified().await;
    }
}

fn notifying<S: RuntimeType + 'static, E: RuntimeType + 'static>(
    changed: &Arc<Notify>,
) -> TypedEventHandler<S, E> {
    let changed = Arc::clone(changed);
    TypedEventHandler::new(move |_, _| {
        changed.notify_one();
        Ok(())
    })
}

/// A player, with the tokens of its two events.
struct Followed {
    session: Session,
    events: (i64, i64),
}

impl Followed {
    fn new(session: Session, changed: &Arc<Notify>) -> Result<Self> {
        let events = (
            session.PlaybackInfoChanged(&notifying(changed))?,
            session.MediaPropertiesChanged(&notifying(changed))?,
        );
        Ok(Self { session, events })
    }
}

impl Drop for Followed {
    fn drop(&mut self) {
        // One that has ended has no events any more.
        let _ = self.session.RemovePlaybackInfoChanged(self.events.0);
        let _ = self.session.RemoveMediaPropertiesChanged(self.events.1);
    }
}

impl Player for Followed {
    async fn plays(&self) -> bool {
        let status = self.session.GetPlaybackInfo();
        let status = status.and_then(|playback| playback.PlaybackStatus());
        status.is_ok_and(|status| status == Status::Playing)
    }

    async fn played(&self) -> Played {
        let id = self.session.SourceAppUserModelId().unwrap_or_default();
        let mut played = Played {
            player: readings::names_of_app(&id.to_string_lossy()),
            ..Played::default()
        };
        let Ok(asked) = self.session.TryGetMediaPropertiesAsync() else {
            return played;
        };
        if let Ok(Ok(track)) = timeout(CALL_TIMEOUT, asked).await {
            let text = |text: Result<HSTRING>| text.unwrap_or_default().to_string();
            played.title = text(track.Title());
            played.artists = text(track.Artist());
            if played.artists.is_empty() {
                played.artists = text(track.AlbumArtist());
            }
        }
        played
    }
}
