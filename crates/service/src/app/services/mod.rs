//! The services beside the listener: the tunnel with its public listener, the watched folders, and
//! the upload server for editors. Each restarts when its own settings have changed, and only then;
//! the upload queue is durable, so no upload is lost.

use std::path::PathBuf;
use std::sync::Arc;

use parking_lot::Mutex;
use secrecy::SecretString;

use self::picgo::Listening;
use self::public_address::PublicAddress;
use self::tunnel::{Prepared, RunningTunnel};
use crate::app::options::Kind;
use crate::app::tokens::secret_store::SecretStore;
use crate::error::message::Message;
use crate::service::Service;
use crate::settings::Settings;
use crate::settings::settings_change::SettingsChange;
use crate::state::StateReader;
use crate::tunnel::window::TunnelState;
use crate::uploads::watch::Watch;
use crate::uploads::{OwnImages, Uploads};

pub mod edge;
pub mod listener;
pub mod picgo;
pub mod proxy;
pub mod public_address;
pub mod tunnel;

/// Where uploads come from on the owner's machine: watched folders, and editors that know PicGo.
#[derive(Default)]
struct UploadSources {
    watching: Option<Watch>,
    picgo: Option<Listening>,
    troubles: Troubles,
}

/// Why those that the settings ask for did not start.
#[derive(Default)]
struct Troubles {
    watching: Option<Message>,
    picgo: Option<Message>,
}

pub struct Services {
    folder: PathBuf,
    service: Service,
    address: Arc<PublicAddress>,
    secrets: SecretStore,
    uploads: Uploads,
    tunnel: Mutex<Option<RunningTunnel>>,
    /// Why the tunnel of the settings could not be started.
    tunnel_trouble: Mutex<Option<Message>>,
    upload_sources: Mutex<UploadSources>,
    /// One start or stop at a time; `true` once everything has stopped for good.
    turn: tokio::sync::Mutex<bool>,
}

impl Services {
    /// Starts the tunnel. The rest starts with [`Self::start_upload_sources`].
    ///
    /// # Errors
    /// When the tunnel's port is in use, no HTTPS client can be set up, or the
    /// executable cannot be found. The tray app goes on without the tunnel, and
    /// keeps why.
    pub async fn open(
        kind: Kind,
        folder: PathBuf,
        service: Service,
        own: OwnImages,
        address: Arc<PublicAddress>,
        secrets: SecretStore,
        settings: &Settings,
    ) -> Result<Self, Message> {
        let uploads = service.uploads(own, &folder);
        let services = Self {
            folder,
            service,
            address,
            secrets,
            uploads,
            tunnel: Mutex::default(),
            tunnel_trouble: Mutex::default(),
            upload_sources: Mutex::default(),
            turn: tokio::sync::Mutex::default(),
        };
        match services.start_tunnel(settings).await {
            Err(error) if kind == Kind::Desktop => {
                tracing::error!("the tunnel: {error}");
                *services.tunnel_trouble.lock() = Some(error);
            }
            tunnel => *services.tunnel.lock() = tunnel?,
        }
        Ok(services)
    }

    /// Starts the uploads of added files, the watched folders and the upload server for editors.
    /// What fails is in the log.
    pub async fn start_upload_sources(&self, settings: &Settings) {
        self.uploads.start().await;
        self.start_watching(settings).await;
        self.start_picgo(settings).await;
    }

    /// The state of the tunnel; `None` where there is none.
    pub fn tunnel_state(&self) -> Option<StateReader<TunnelState>> {
        let tunnel = self.tunnel.lock();
        tunnel.as_ref().map(|open| open.tunnel().state())
    }

    /// Ends the tunnel's wait before its next try, if there is one.
    pub fn try_tunnel_now(&self) {
        let tunnel = self
            .tunnel
            .lock()
            .as_ref()
            .map(|open| open.tunnel().retry());
        if let Some(tunnel) = tunnel {
            tunnel.notify_waiters();
        }
    }

    pub fn tunnel_trouble(&self) -> Option<Message> {
        self.tunnel_trouble.lock().clone()
    }

    pub fn watching_trouble(&self) -> Option<Message> {
        self.upload_sources.lock().troubles.watching.clone()
    }

    /// The port of the upload server for editors; `None` where the settings ask for none.
    ///
    /// # Errors
    /// Why it does not listen.
    pub fn picgo_port(&self) -> Result<Option<u16>, Message> {
        let sources = self.upload_sources.lock();
        match (&sources.picgo, &sources.troubles.picgo) {
            (Some(listening), _) => Ok(Some(listening.address().port())),
            (None, Some(why)) => Err(why.clone()),
            (None, None) => Ok(None),
        }
    }

    /// The address for editors, with the secret; `None` while nothing listens for them.
    pub fn picgo_address(&self) -> Option<SecretString> {
        let sources = self.upload_sources.lock();
        sources.picgo.as_ref().map(Listening::ready_address)
    }

    /// Whether folders are watched.
    pub fn is_watching(&self) -> bool {
        self.upload_sources.lock().watching.is_some()
    }

    pub fn uploads(&self) -> &Uploads {
        &self.uploads
    }

    /// Restarts what a change of the settings is about, and what could not be started before; why
    /// what the change is about cannot start. Without a change, only the latter.
    pub async fn follow(
        &self,
        settings: &Settings,
        change: Option<&SettingsChange>,
    ) -> Vec<Message> {
        let closed = self.turn.lock().await;
        let mut troubles = Vec::new();
        if *closed {
            return troubles;
        }
        let old = change.map_or(settings, SettingsChange::before);
        let mut failed = |section, differs, why: Message| match change {
            Some(change) if differs || change.is_about(section) => troubles.push(why),
            // The owner has changed something else, and knows that this does not start.
            _ => tracing::warn!("it still cannot start: {why}"),
        };
        let differs = old.tunnel != settings.tunnel;
        // A tunnel whose new public listener cannot be started stays as it was where that is possible.
        if (differs || self.tunnel_trouble().is_some())
            && let Err(why) = self.restart_tunnel(settings).await
        {
            failed("tunnel", differs, crate::detail!("the tunnel: {why}"));
        }
        let differs = old.watch != settings.watch;
        if differs || self.watching_trouble().is_some() {
            self.restart_watching(settings).await;
            if let Some(why) = self.watching_trouble() {
                failed("watch", differs, why);
            }
        }
        let differs = (&old.picgo, &old.limits) != (&settings.picgo, &settings.limits);
        if differs || self.picgo_port().is_err() {
            self.restart_picgo(settings).await;
            if let Err(why) = self.picgo_port() {
                failed("picgo", differs, why);
            }
        }
        troubles
    }

    /// Stops the added files, the watched folders and the upload server for editors; uploads in progress continue at
    /// the next start. No service starts any more.
    pub async fn stop_upload_sources(&self) {
        *self.turn.lock().await = true;
        let sources = std::mem::take(&mut *self.upload_sources.lock());
        if let Some(picgo) = &sources.picgo {
            picgo.stop().await;
        }
        if let Some(watching) = sources.watching {
            watching.stop(&self.uploads);
        }
        self.uploads.stop().await;
    }

    /// Stops the tunnel and its public listener.
    pub async fn stop_tunnel(&self) {
        let tunnel = self.tunnel.lock().take();
        if let Some(tunnel) = tunnel {
            tunnel.stop().await;
        }
    }

    async fn start_tunnel(&self, settings: &Settings) -> Result<Option<RunningTunnel>, Message> {
        let prepared = self.prepared_tunnel(settings).await?;
        prepared.map(Prepared::start).transpose()
    }

    async fn prepared_tunnel(&self, settings: &Settings) -> Result<Option<Prepared>, Message> {
        let prepared = Prepared::of(
            &settings.tunnel,
            &self.service,
            self.address.shared(),
            self.address.tunnel_url().clone(),
        );
        Ok(prepared.await?)
    }

    async fn restart_tunnel(&self, settings: &Settings) -> Result<(), Message> {
        let restarted = self.try_to_restart_tunnel(settings).await;
        *self.tunnel_trouble.lock() = restarted.as_ref().err().cloned();
        restarted
    }

    async fn try_to_restart_tunnel(&self, settings: &Settings) -> Result<(), Message> {
        let port = settings.tunnel.port;
        let same_port = self
            .tunnel
            .lock()
            .as_ref()
            .is_some_and(|open| port != 0 && open.port() == port);
        if same_port {
            self.stop_tunnel().await;
        }
        // The new listener first: where it cannot be started, the old one stays.
        let prepared = self.prepared_tunnel(settings).await?;
        self.stop_tunnel().await;
        *self.tunnel.lock() = prepared.map(Prepared::start).transpose()?;
        Ok(())
    }

    async fn restart_watching(&self, settings: &Settings) {
        let open = self.upload_sources.lock().watching.take();
        if let Some(open) = open {
            open.stop(&self.uploads);
        }
        self.start_watching(settings).await;
    }

    /// Starts the watched folders; an error is kept and logged.
    async fn start_watching(&self, settings: &Settings) {
        let started = self.watching_of(settings).await;
        let mut sources = self.upload_sources.lock();
        sources.troubles.watching = started.as_ref().err().cloned();
        sources.watching = started.ok().flatten();
    }

    async fn watching_of(&self, settings: &Settings) -> Result<Option<Watch>, Message> {
        // Also with no folder: what waits of others is forgotten.
        let watch = self.uploads.watch(&settings.watch, &self.folder).await;
        let watch = watch.map_err(|error| {
            tracing::error!(%error, "no folder is watched");
            crate::detail!("no folder is watched: {error}")
        })?;
        Ok((!settings.watch.folders.is_empty()).then_some(watch))
    }

    /// Starts the upload server for editors; an error is kept and logged.
    async fn start_picgo(&self, settings: &Settings) {
        let started = self.picgo_of(settings).await;
        let mut sources = self.upload_sources.lock();
        sources.troubles.picgo = started.as_ref().err().cloned();
        sources.picgo = started.ok().flatten();
    }

    async fn restart_picgo(&self, settings: &Settings) {
        let open = self.upload_sources.lock().picgo.take();
        if let Some(open) = open {
            open.stop().await;
        }
        self.start_picgo(settings).await;
    }

    async fn picgo_of(&self, settings: &Settings) -> Result<Option<Listening>, Message> {
        let uploads = self.uploads.clone();
        picgo::listen(settings, &self.secrets, &self.service, uploads).await
    }
}

#[cfg(test)]
mod tests;
