//! The status of everything that the host has started. The window and the tray both read it here.

use std::future::pending;
use std::time::Instant;

use super::Host;
use crate::app::integrations::reach_lines;
use crate::clock::timestamp::Timestamp;
use crate::edge::EdgeSync;
use crate::edge::window::EdgeGlance;
use crate::game::window::{GameGlance, GamePage};
use crate::presence::window::PresenceNow;
use crate::state::StateReader;
use crate::status::alerts::{self, StatusOfAll};
use crate::status::window::alerts::Alert;
use crate::status::window::home::{Address, EditorsGlance, Sharing};
use crate::status::window::reach::Reach;
use crate::status::{self, game};
use crate::tunnel::window::TunnelState;
use crate::uploads::window::WatchStatus;

impl Host {
    pub fn presence(&self) -> PresenceNow {
        status::presence_of(&self.consent().presence().get())
    }

    pub fn tunnel(&self) -> TunnelState {
        let state = self.services().tunnel_state();
        match (state, self.services().tunnel_trouble()) {
            (None, Some(why)) => TunnelState::Stopped { why },
            (state, _) => state.map(|state| state.get()).unwrap_or_default(),
        }
    }

    /// Completes when one of the services that run now has another state: the tunnel, the watched
    /// folders, the Worker.
    pub fn next_change(&self) -> impl Future<Output = ()> + use<> {
        let tunnel = self.services().tunnel_state().map(from_now);
        let watch = Some(from_now(self.uploads().watch_status()));
        let edge = self.service().edge().as_ref().map(EdgeSync::status);
        let edge = edge.map(from_now);
        async move {
            tokio::select! {
                () = changed(tunnel) => {}
                () = changed(watch) => {}
                () = changed(edge) => {}
            }
        }
    }

    /// The address that a blog is pointed at, and of which kind it is.
    pub fn blog_address(&self) -> Address {
        let (port, url) = (self.listener().port(), self.blog_url());
        Address {
            reached: self.0.proxy.has_reached(&url),
            url,
            kind: self.address_kind(),
            trouble: port.as_ref().err().cloned(),
            port: port.ok(),
        }
    }

    pub fn watched_folders(&self) -> WatchStatus {
        let trouble = self.services().watching_trouble();
        let mut status = match trouble {
            // Those of the settings are not watched: the owner sees which, and why.
            Some(_) => WatchStatus::unwatched(&self.settings().watch.folders),
            None if self.services().is_watching() => self.uploads().watch_status().get(),
            None => WatchStatus::default(),
        };
        status.trouble = status.trouble.or(trouble);
        status
    }

    /// The upload server for editors.
    pub fn editors(&self) -> EditorsGlance {
        match self.services().picgo_port() {
            Ok(Some(port)) => EditorsGlance::Listening { port },
            Ok(None) => EditorsGlance::Off,
            Err(why) => EditorsGlance::Trouble { why },
        }
    }

    /// What is shown of the owner's game, without a request to any service.
    pub fn game(&self) -> GameGlance {
        let game = self.service().game();
        let private = self.consent().presence().with(|presence| presence.hidden);
        let sharing = self.consent().sharing();
        status::game_status(game.known(), sharing, private, game.trouble())
    }

    /// Everything about the game. It asks Steam no more often than readers do,
    /// and may take some seconds when that is slow.
    pub async fn game_page(&self) -> GamePage {
        let settings = self.settings();
        let settings = &settings.game;
        let game = self.service().game();
        let (status, recent, folder) =
            tokio::join!(game.status(), game.recent(), game.client_folder());
        GamePage {
            glance: self.game(),
            running: game.known().running,
            answer: game::fields(status),
            recent,
            has_key: settings.steam_api_key.is_some(),
            steam_id: settings.steam_id.clone(),
            asks_client: settings.local_steam,
            client_folder: folder.map(|folder| folder.display().to_string()),
        }
    }

    /// Everything on the settings page "Always reachable" that is not a setting.
    pub fn reach(&self) -> Reach {
        let settings = self.settings();
        Reach {
            store: reach_lines::maker(&settings),
            lines: reach_lines::lines(&settings),
            variables: reach_lines::variables(&settings),
            has_key: settings.edge.secret.is_some(),
            edge: self.edge(),
            setup: self.edge_setup().glance(),
        }
    }

    /// How the Worker is doing.
    pub fn edge(&self) -> EdgeGlance {
        let edge = self.service().edge();
        edge.map_or_else(EdgeGlance::default, |edge| edge.status().get())
    }

    /// Everything that needs the owner now, the most severe first.
    pub fn alerts(&self) -> Vec<Alert> {
        let tunnel = self.tunnel();
        let tunnel_rewrites_host = matches!(
            tunnel,
            TunnelState::Up {
                host_rewritten: true,
                ..
            }
        );
        let presence = self.consent().presence();
        let refused = presence.with(|presence| presence.reporter.trouble.is_some());
        let edge = self.edge();
        let worker = &self.service().settings().storage.edge;
        alerts::alerts(&StatusOfAll {
            listens: self.listener().port().is_ok(),
            data_on_network: self.0.data_on_network,
            heartbeats_refused: refused && self.consent().sharing() == Sharing::On,
            waiting_devices: self.service().presence().waiting_devices(),
            tunnel_down_for_long: self.0.tunnel_down.look(&tunnel, Instant::now()),
            tunnel,
            watching: self.watched_folders(),
            editors: self.editors(),
            host_rewritten: self.0.proxy.rewrites_host() || tunnel_rewrites_host,
            worker_is_outdated: self.edge_setup().is_outdated(),
            edge_fails: alerts::has_failed_for_long(&edge),
            edge,
            worker_day: worker.day.alert(Timestamp::now()),
            failed_uploads: self.uploads().failed(),
            file_problems: self.store().file_problems(),
            ip_file_fails: self.service().ip().trouble().is_some(),
        })
    }

    /// Retries at once what waits for its next attempt: the tunnel, the upload queue, a
    /// heartbeat, and services that could not start.
    pub async fn try_now(&self) {
        let settings = self.settings();
        // The status shows why not.
        let _ = self.listener().follow(settings.server.listen).await;
        let services = self.services();
        services.follow(&settings, None).await;
        services.try_tunnel_now();
        self.uploads().try_now();
        self.consent().try_now();
    }
}

/// The reader, for which the present value is no change. A clone of a reader has seen only what that
/// reader has seen: a loop that waits for changes of clones would never wait.
fn from_now<T>(mut state: StateReader<T>) -> StateReader<T> {
    state.mark_unchanged();
    state
}

/// Completes when this changes; never where there is none, or its writer is gone.
async fn changed<T>(state: Option<StateReader<T>>) {
    if let Some(mut state) = state
        && state.changed().await.is_ok()
    {
        return;
    }
    pending().await
}

#[cfg(test)]
mod tests;
