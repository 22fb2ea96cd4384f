//! The service of the data folder, for a command.

use porchlight_service::clock::Clock;
use porchlight_service::files::data_dir;
use porchlight_service::files::file_mode::ForItsOwner;
use porchlight_service::files::lock_file::LockFile;
use porchlight_service::service::Service;
use porchlight_service::settings::Settings;

use super::Invocation;

/// The service: that of the host that the command runs in, or one that is opened for it.
pub(super) struct Opened {
    pub(super) service: Service,
    /// What holds the data folder; `None` where the host does.
    own: Option<(LockFile, ForItsOwner)>,
}

impl Opened {
    /// Opens it with the settings of the invocation.
    ///
    /// # Errors
    /// When the settings are wrong, or the folder is held or cannot be used.
    pub(super) async fn by(invocation: &Invocation) -> anyhow::Result<Self> {
        match &invocation.host {
            Some(host) => Ok(Self::of_host(host)),
            None => Self::with(invocation, invocation.layers()?.read()?.settings).await,
        }
    }

    /// The same with other settings, which a host does not take.
    pub(super) async fn with(invocation: &Invocation, settings: Settings) -> anyhow::Result<Self> {
        if let Some(host) = &invocation.host {
            return Ok(Self::of_host(host));
        }
        let folder = data_dir::make(&invocation.folder()?)?;
        let owner = ForItsOwner::of(folder.clone());
        let lock = data_dir::lock(&folder)?;
        Ok(Self {
            service: Service::open(&folder, settings, Clock::system()).await?,
            own: Some((lock, owner)),
        })
    }

    fn of_host(host: &porchlight_service::app::host::Host) -> Self {
        Self {
            service: host.service().clone(),
            own: None,
        }
    }

    /// Closes it, where it was opened for this command. The data folder is held until this is dropped.
    pub(super) async fn close(&self) {
        if self.own.is_some() {
            self.service.close().await;
        }
    }
}
