//! What is open beside the listener and follows the settings while the program
//! runs: the tunnel with its door, the watched folders, and the upload server
//! for editors. Each is closed and opened anew when its own settings changed,
//! and only then; the outbox is durable, so nothing on its way is lost.

use std::path::PathBuf;
use std::sync::Arc;

use parking_lot::Mutex;
use porchlight_api::WebAddress;
use porchlight_companion::picgo::Listening;
use porchlight_companion::tunnel::Tunnel;
use porchlight_companion::watch::Outcome;
use porchlight_core::Service;
use tokio::sync::{broadcast, watch};

use crate::host::{Kind, StartError};
use crate::services::folder_watch::{OUTCOMES_KEPT, Watching};
use crate::services::picgo::Inlets;
use crate::services::tunnel::{Prepared, WayIn};
use crate::services::upload_target::{Destination, OwnService};
use crate::settings::Settings;
use crate::settings::difference::Difference;

pub mod folder_watch;
pub mod heartbeat;
pub mod listener;
pub mod picgo;
pub mod tunnel;
pub mod upload_target;

/// Settings that say where pictures of this machine go, and how.
const DESTINATION: [&str; 2] = ["presence.target_url", "presence.token"];

/// What is open, for as long as the host runs.
pub struct Openings {
    kind: Kind,
    folder: PathBuf,
    local_url: String,
    service: Service,
    public_url: watch::Receiver<Option<WebAddress>>,
    /// The tunnel's address, while it leads here.
    tunnel_url: watch::Sender<Option<WebAddress>>,
    outcomes: broadcast::Sender<Outcome>,
    /// What the listener was begun with, which the tunnel's door goes by, too.
    begun: Arc<Settings>,
    way_in: Mutex<Option<WayIn>>,
    /// Why the tunnel of the settings could not be opened.
    way_in_trouble: Mutex<Option<String>>,
    inlets: Mutex<Inlets>,
    /// One opens or closes at a time; `true` once all is closed for good.
    turn: tokio::sync::Mutex<bool>,
}

impl Openings {
    /// Opens the way in. The rest comes with [`Self::take_pictures`].
    ///
    /// # Errors
    /// When the tunnel's port is taken, no HTTPS client can be set up, or this
    /// program cannot be found. The tray app goes on without the tunnel, and
    /// keeps why.
    pub async fn open(
        kind: Kind,
        folder: PathBuf,
        local_url: String,
        service: Service,
        public_url: watch::Receiver<Option<WebAddress>>,
        settings: Arc<Settings>,
    ) -> Result<Self, StartError> {
        let (tunnel_url, _) = watch::channel(None);
        let (outcomes, _) = broadcast::channel(OUTCOMES_KEPT);
        let openings = Self {
            kind,
            folder,
            local_url,
            service,
            public_url,
            tunnel_url,
            outcomes,
            begun: Arc::clone(&settings),
            way_in: Mutex::default(),
            way_in_trouble: Mutex::default(),
            inlets: Mutex::default(),
            turn: tokio::sync::Mutex::default(),
        };
        match openings.open_way_in(&settings).await {
            Err(error) if kind == Kind::Desktop => {
                tracing::error!("the tunnel: {error}");
                *openings.way_in_trouble.lock() = Some(error.to_string());
            }
            way_in => *openings.way_in.lock() = way_in?,
        }
        Ok(openings)
    }

    /// Opens the ways by which pictures come in from this machine. What does
    /// not work is in the log.
    pub async fn take_pictures(&self) {
        let settings = Arc::clone(&self.begun);
        picgo::warn_of_those_not_for(self.kind, &settings);
        self.open_watching(&settings).await;
        self.open_picgo(&settings).await;
    }

    /// The tunnel's address, now and whenever it changes.
    pub fn tunnel_url(&self) -> watch::Receiver<Option<WebAddress>> {
        self.tunnel_url.subscribe()
    }

    /// Asks the tunnel something; `None` where there is none.
    pub fn of_tunnel<R>(&self, ask: impl FnOnce(&Tunnel) -> R) -> Option<R> {
        self.way_in
            .lock()
            .as_ref()
            .map(|way_in| ask(way_in.tunnel()))
    }

    /// Why the tunnel of the settings could not be opened, if so.
    pub fn way_in_trouble(&self) -> Option<String> {
        self.way_in_trouble.lock().clone()
    }

    /// Asks the ways by which pictures come in something.
    pub fn of_inlets<R>(&self, ask: impl FnOnce(&Inlets) -> R) -> R {
        ask(&self.inlets.lock())
    }

    /// How the files of watched folders end from now on.
    pub fn outcomes(&self) -> broadcast::Receiver<Outcome> {
        self.outcomes.subscribe()
    }

    /// The watched folders, when any are watched.
    pub fn watching(&self) -> Option<Arc<Watching>> {
        self.inlets.lock().watching.clone()
    }

    /// Closes and opens anew what the difference is about, and tries again what
    /// could not be opened before.
    ///
    /// # Errors
    /// What cannot be opened and is of the difference or of the keys that were
    /// `written`, in sentences. A tunnel whose new door cannot be opened stays
    /// as it was where that is possible.
    pub async fn follow(
        &self,
        settings: &Settings,
        difference: &Difference,
        written: &Difference,
    ) -> Result<(), String> {
        let closed = self.turn.lock().await;
        if *closed {
            return Ok(());
        }
        let mut troubles = Vec::new();
        let differs = difference.touches("tunnel");
        if (differs || self.way_in_trouble().is_some())
            && let Err(error) = self.reopen_way_in(settings).await
            && (differs || written.touches("tunnel"))
        {
            troubles.push(format!("the tunnel: {error}"));
        }
        let elsewhere = difference.touches_any(&DESTINATION);
        let was_written = |section| elsewhere || written.touches(section);
        let differs = elsewhere || difference.touches("watch") || difference.touches("links");
        if differs || self.inlets.lock().troubles.watching.is_some() {
            self.reopen_watching(settings).await;
            let trouble = self.inlets.lock().troubles.watching.clone();
            troubles.extend(trouble.filter(|_| differs || was_written("watch")));
        }
        let differs = elsewhere || difference.touches("picgo");
        if differs || self.inlets.lock().troubles.picgo.is_some() {
            self.reopen_picgo(settings).await;
            let trouble = self.inlets.lock().troubles.picgo.clone();
            troubles.extend(trouble.filter(|_| differs || was_written("picgo")));
        }
        if troubles.is_empty() {
            Ok(())
        } else {
            Err(troubles.join("; "))
        }
    }

    /// Closes pictures' ways in; what is under way goes on at the next start.
    /// Nothing is opened any more.
    pub async fn close_inlets(&self) {
        *self.turn.lock().await = true;
        let inlets = std::mem::take(&mut *self.inlets.lock());
        inlets.close().await;
    }

    /// Ends the tunnel and closes its door.
    pub async fn close_way_in(&self) {
        let way_in = self.way_in.lock().take();
        if let Some(way_in) = way_in {
            way_in.close().await;
        }
    }

    async fn open_way_in(&self, settings: &Settings) -> Result<Option<WayIn>, StartError> {
        let prepared = Prepared::of(
            &settings.tunnel,
            &self.begun,
            &self.service,
            self.public_url.clone(),
            self.tunnel_url.clone(),
        );
        prepared.await?.map(Prepared::open).transpose()
    }

    async fn reopen_way_in(&self, settings: &Settings) -> Result<(), StartError> {
        let reopened = self.try_to_reopen_way_in(settings).await;
        let trouble = reopened.as_ref().err().map(ToString::to_string);
        *self.way_in_trouble.lock() = trouble;
        reopened
    }

    async fn try_to_reopen_way_in(&self, settings: &Settings) -> Result<(), StartError> {
        let port = settings.tunnel.port;
        let same_port = self
            .way_in
            .lock()
            .as_ref()
            .is_some_and(|open| port != 0 && open.port() == port);
        if same_port {
            self.close_way_in().await;
        }
        // The new door first: where it cannot be had, the old one stays.
        let prepared = Prepared::of(
            &settings.tunnel,
            &self.begun,
            &self.service,
            self.public_url.clone(),
            self.tunnel_url.clone(),
        );
        let prepared = prepared.await?;
        self.close_way_in().await;
        *self.way_in.lock() = prepared.map(Prepared::open).transpose()?;
        Ok(())
    }

    async fn reopen_watching(&self, settings: &Settings) {
        let open = self.inlets.lock().watching.take();
        let paused = open.as_ref().is_some_and(|open| open.is_paused());
        if let Some(open) = open {
            open.stop().await;
        }
        self.open_watching(settings).await;
        if let Some(open) = self.watching().filter(|_| paused) {
            open.pause(true);
        }
    }

    /// Opens the watched folders; why that does not work is kept and in the log.
    async fn open_watching(&self, settings: &Settings) {
        let opened = self.watching_of(settings).await;
        let mut inlets = self.inlets.lock();
        inlets.troubles.watching = opened.as_ref().err().cloned();
        inlets.watching = opened.ok().flatten().map(Arc::new);
    }

    async fn watching_of(&self, settings: &Settings) -> Result<Option<Watching>, String> {
        if settings.watch.folders.is_empty() || self.kind == Kind::Serve {
            return Ok(None);
        }
        let destination = self.destination(settings).await?;
        let outcomes = self.outcomes.clone();
        Watching::start(settings, &self.folder, &destination, outcomes).await
    }

    /// Opens the upload server for editors; why that does not work is kept and
    /// in the log.
    async fn open_picgo(&self, settings: &Settings) {
        let opened = self.picgo_of(settings).await;
        let mut inlets = self.inlets.lock();
        inlets.troubles.picgo = opened.as_ref().err().cloned();
        inlets.picgo = opened.ok().flatten();
    }

    async fn reopen_picgo(&self, settings: &Settings) {
        let open = self.inlets.lock().picgo.take();
        if let Some(open) = open {
            open.stop().await;
        }
        self.open_picgo(settings).await;
    }

    async fn picgo_of(&self, settings: &Settings) -> Result<Option<Listening>, String> {
        if !settings.picgo.enabled || self.kind == Kind::Serve {
            return Ok(None);
        }
        let destination = self.destination(settings).await?;
        picgo::listen(settings, &self.folder, &destination).await
    }

    async fn destination(&self, settings: &Settings) -> Result<Destination, String> {
        let own = OwnService {
            local_url: self.local_url.clone(),
            public_url: self.public_url.clone(),
            tokens: self.service.tokens(),
        };
        Destination::of(settings, &self.folder, own)
            .await
            .map_err(|error| {
                let why = format!("no pictures come in from this machine: {error}");
                tracing::error!("{why}");
                why
            })
    }
}

#[cfg(test)]
mod tests;
