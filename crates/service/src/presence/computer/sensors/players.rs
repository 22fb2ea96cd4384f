//! What counts as playing and which tracks are read: the same for the media players of every
//! system.

use super::StateWriter;
use crate::error::message::Message;
use crate::http::replies::SharedTrack;
use crate::presence::computer::foreground::{Track, Window};

/// The most players that are asked.
const MOST: usize = 16;

/// A media player, as its system offers it.
pub(super) trait Player: Sync {
    /// One that does not answer does not play.
    fn plays(&self) -> impl Future<Output = bool> + Send;

    fn played(&self) -> impl Future<Output = Played> + Send;
}

/// What a player plays, in the player's own words; empty where it sends nothing.
#[derive(Debug, Default)]
pub(super) struct Played {
    /// The names of the player's program, the best one first.
    pub(super) player: Vec<String>,
    pub(super) title: String,
    pub(super) artists: String,
}

/// Asks the players in this order, so that the same one is first each time. Only with `reads_tracks`
/// they are asked for more than whether they play. Returns whether any plays.
pub(super) async fn ask(writer: &StateWriter, players: &[impl Player], reads_tracks: bool) -> bool {
    let mut playing = false;
    let mut tracks = Vec::new();
    for player in players.iter().take(MOST) {
        if !player.plays().await {
            continue;
        }
        playing = true;
        if !reads_tracks {
            break;
        }
        tracks.push(track(player.played().await));
    }
    writer.change(|state| {
        state.playing = playing;
        state.tracks = tracks;
        state.unavailable.media = None;
    });
    playing
}

pub(super) fn unavailable(writer: &StateWriter, why: Message) {
    writer.change(|state| {
        state.playing = false;
        state.tracks.clear();
        state.unavailable.media = Some(why);
    });
}

/// The player, with its track as the title: `Clair de lune – Claude Debussy`.
fn track(played: Played) -> Track {
    let artists = played.artists.trim();
    let song = SharedTrack::of(&played.title, artists);
    let title = match played.title {
        title if title.is_empty() || artists.is_empty() => title,
        title => format!("{title} – {artists}"),
    };
    Track {
        player: Window {
            names: Window::names_of(played.player),
            title: Window::title_of(&title),
            ..Window::default()
        },
        song,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use crate::state::State;

    use super::super::SensorState;
    use super::*;

    #[derive(Default)]
    struct Fake {
        plays: bool,
        artists: &'static str,
        asked: AtomicUsize,
    }

    impl Player for Fake {
        async fn plays(&self) -> bool {
            self.plays
        }

        async fn played(&self) -> Played {
            self.asked.fetch_add(1, Ordering::Relaxed);
            Played {
                player: vec!["Spotify".to_owned(), "spotify".to_owned()],
                title: "Clair de lune".to_owned(),
                artists: self.artists.to_owned(),
            }
        }
    }

    fn playing(artists: &'static str) -> Fake {
        Fake {
            plays: true,
            artists,
            ..Fake::default()
        }
    }

    async fn asked(players: &[Fake], reads_tracks: bool) -> SensorState {
        let state = State::new(SensorState::default());
        let read = state.reader();
        let writer = StateWriter(state);
        unavailable(
            &writer,
            crate::detail!("Porchlight has no way to ask on this system yet"),
        );
        ask(&writer, players, reads_tracks).await;
        read.get()
    }

    #[tokio::test]
    async fn only_with_tracks_a_player_is_asked_what_it_plays() {
        let players = [Fake::default(), playing("Claude Debussy")];
        let state = asked(&players, false).await;
        assert!(state.playing && state.tracks.is_empty());
        assert_eq!(players[1].asked.load(Ordering::Relaxed), 0);
        let state = asked(&players, true).await;
        assert_eq!(state.unavailable.media, None);
        let [track] = state.tracks.as_slice() else {
            panic!("{:?}", state.tracks);
        };
        assert_eq!(track.player.title, "Clair de lune – Claude Debussy");
        assert_eq!(track.player.names, ["Spotify"]);
        let song = track.song.as_ref().expect("an artist");
        assert_eq!(song.title, "Clair de lune");
        assert_eq!(song.artist, "Claude Debussy");
    }

    #[tokio::test]
    async fn a_film_has_no_artist_and_a_silent_player_no_track() {
        let state = asked(&[playing(" ")], true).await;
        assert_eq!(state.tracks[0].player.title, "Clair de lune");
        assert_eq!(state.tracks[0].song, None);
        let state = asked(&[Fake::default()], true).await;
        assert!(!state.playing && state.tracks.is_empty());
    }

    #[tokio::test]
    async fn more_players_than_the_limit_are_not_asked() {
        let players: Vec<Fake> = (0..MOST + 5).map(|_| playing("A")).collect();
        assert_eq!(asked(&players, true).await.tracks.len(), MOST);
    }
}
