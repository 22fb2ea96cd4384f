//! The one process that serves a data folder: `porchlight serve` and the tray
//! app are both a host, and differ in what they put around it.

use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

use parking_lot::Mutex;
use porchlight_api::WebAddress;
use porchlight_api::client::Client;
use porchlight_api::window::WorkReport;
use porchlight_companion::presence::Presence;
use porchlight_companion::tunnel::Tunnel;
use porchlight_core::Service;
use porchlight_core::clock::Clock;
use porchlight_core::tokens::Scope;

use secrecy::SecretString;
use tokio::sync::watch;
use tracing_appender::non_blocking::WorkerGuard;

use crate::consent::{self, Choice};
use crate::data_dir::{self, Lock};
use crate::file_mode;
pub use crate::host::start_error::StartError;
use crate::logging;
use crate::maintenance::Care;
use crate::maintenance::startup;
use crate::services::Openings;
use crate::services::heartbeat::{Reporting, orders, target};
use crate::services::listener::Listener;
use crate::services::tunnel;
use crate::settings::Settings;
use crate::settings::layers::{Layers, Origins};
use crate::settings::watcher::{self, SettingsFile};
use crate::status::alerts::TunnelDown;
use crate::tokens::app_tokens::{self, OwnTokenError, OwnTokens};

pub mod fd_limit;
pub mod instance_file;
pub mod start_error;

/// What was asked for when the program was started.
// No `Debug`: `set` can hold secrets.
#[derive(Clone, Default)]
pub struct StartOptions {
    /// The data folder; `None` for the platform's place.
    pub data_dir: Option<PathBuf>,
    /// Where to listen; `None` for what the settings say.
    pub listen: Option<SocketAddr>,
    /// Settings for this run, each as `key=value`.
    pub set: Vec<String>,
}

/// What is around the host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Nothing: the service alone.
    Serve,
    /// The tray app, which also reports what its owner is at.
    Desktop,
}

/// A running service with everything that belongs to it; clones are the same
/// one.
#[derive(Clone)]
pub struct Host(pub Arc<Parts>);

pub struct Parts {
    pub service: Service,
    pub listener: Listener,
    pub layers: Layers,
    pub settings: Mutex<Arc<Settings>>,
    pub file: SettingsFile,
    /// Where the last word on each of them was written.
    pub origins: Mutex<Origins>,
    /// Those that this run was begun with.
    pub begun: Mutex<Arc<Settings>>,
    care: Care,
    repaired: Option<WorkReport>,
    /// Told whenever settings have changed.
    pub settings_changed: watch::Sender<()>,
    /// One change of the settings file at a time.
    pub changing: tokio::sync::Mutex<()>,
    pub choice: Mutex<Choice>,
    /// The address that the world uses: the owner's, else the tunnel's.
    public_url: watch::Sender<Option<WebAddress>>,
    /// Only the address from the settings, which makes the listener public.
    chosen_url: watch::Sender<Option<WebAddress>>,
    pub reporting: Option<Reporting>,
    /// The numbers of the app's own tokens, as far as they were ever seen in
    /// this run. No number is used twice.
    pub own_numbers: Mutex<BTreeSet<i64>>,
    pub openings: Openings,
    /// What the list of needs remembers.
    pub tunnel_down: TunnelDown,
    folder: PathBuf,
    running: Mutex<Option<Running>>,
}

/// What ends with [`Host::stop`]; the log and the lock go last.
struct Running {
    log: WorkerGuard,
    lock: Lock,
}

impl Host {
    /// Opens the data folder, listens and serves.
    ///
    /// # Errors
    /// See [`StartError`]. Nothing is left running then.
    pub async fn start(options: StartOptions, kind: Kind) -> Result<Self, StartError> {
        let place = data_dir::place(options.data_dir)?;
        let replaced = startup::put_backup_in_place(&place).await?;
        let layers = Layers::of_this_process(&place, options.set, options.listen);
        let text = layers.file_text()?;
        let reading = layers.read_with(&text)?;
        let filter = logging::filter()?;
        fd_limit::allow_as_many_as_may_be();
        app_tokens::for_this_run()?;

        let folder = data_dir::make(&place)?;
        let lock = data_dir::lock(&folder)?;
        instance_file::withdraw(&folder);
        let log = logging::start(&folder.join("logs"), filter)?;
        let settings = Arc::new(reading.settings);
        for warning in reading.warnings {
            tracing::warn!("{warning}");
        }
        if !layers.file_is_named {
            layers.close_to_others();
        }
        file_mode::close_data_folder(&folder);

        if let Some(replaced) = replaced {
            tracing::info!(
                "a backup was brought back; what was there before is in {}",
                replaced.aside.display()
            );
            for warning in replaced.warnings {
                tracing::warn!("{warning}");
            }
        }
        let repaired = startup::repair_if_wanted(&folder, &settings.storage).await;
        let service = Service::open(&folder, settings.for_service(), Clock::system()).await?;
        // Before anybody can ask: the tray app tells it after the owner's yes.
        service.game().hide(kind == Kind::Desktop);
        let served = Self::serve(&settings, &service, &folder, kind).await;
        let Served {
            listener,
            bound,
            public_url,
            chosen_url,
            openings,
            heartbeats,
            own_numbers,
        } = match served {
            Ok(served) => served,
            Err(error) => {
                service.close().await;
                return Err(error);
            }
        };

        listener.serve(bound);
        let address = listener.own_url();
        tracing::info!(version = env!("CARGO_PKG_VERSION"), %address, folder = %folder.display(), "the service is up");
        let token = service.tokens().make_for_this_run(Scope::Upload);
        let token = token.map_err(OwnTokenError::Token)?;
        if let Err(error) = instance_file::announce(&folder, &address, &token) {
            tracing::warn!(%error, "other commands will not find this service by itself");
        }

        let choice = Choice::default();
        let reporting = heartbeats.map(|(own_token, target)| Reporting {
            presence: Presence::start(&folder, orders(&settings, choice, target.clone())),
            own_token,
            target: Mutex::new(target),
        });
        openings.take_pictures().await;
        let tunnel_url = openings.tunnel_url();
        let parts = Arc::new(Parts {
            service,
            listener,
            layers,
            settings: Mutex::new(Arc::clone(&settings)),
            file: SettingsFile::in_force(text),
            origins: Mutex::new(reading.origins),
            begun: Mutex::new(settings),
            care: Care::after(repaired.clone()),
            repaired,
            settings_changed: watch::Sender::new(()),
            changing: tokio::sync::Mutex::default(),
            choice: Mutex::new(choice),
            public_url,
            chosen_url,
            reporting,
            own_numbers: Mutex::new(own_numbers),
            openings,
            tunnel_down: TunnelDown::default(),
            folder,
            running: Mutex::new(Some(Running { log, lock })),
        });
        parts.show_or_hide_game();
        if let Some(reporting) = &parts.reporting {
            let presence = &reporting.presence;
            let (state, front) = (presence.state(), presence.last_front());
            consent::follow_pauses(state, front, Arc::downgrade(&parts));
        }
        tunnel::follow(tunnel_url, Arc::downgrade(&parts));
        watcher::follow(&parts, parts.listener.stopping());
        let host = Self(parts);
        // Pictures that come in may have brought one more about.
        host.remember_own_tokens().await;
        Ok(host)
    }

    /// What needs the service open: tokens, the listener, the way in, and for
    /// the tray app what heartbeats are posted with.
    async fn serve(
        settings: &Arc<Settings>,
        service: &Service,
        folder: &std::path::Path,
        kind: Kind,
    ) -> Result<Served, StartError> {
        let tokens = service.tokens();
        app_tokens::accept_from_environment(tokens)?;
        let (public_url, read_public_url) = watch::channel(settings.server.public_url.clone());
        let (chosen_url, read_chosen_url) = watch::channel(settings.server.public_url.clone());
        let (listener, bound) = Listener::bind(kind, settings, service, read_chosen_url).await?;
        let own = OwnTokens::of(folder, kind == Kind::Desktop);
        own.move_to_keyring().await;
        own.make_first(tokens).await?;
        let mut own_numbers = BTreeSet::new();
        let heartbeats = match kind {
            Kind::Serve => None,
            Kind::Desktop => {
                let own_token = own.for_heartbeats(tokens).await?;
                let number = tokens.number_of(&own_token).await;
                own_numbers.extend(number.map_err(OwnTokenError::Database)?);
                own_numbers.extend(own.renew_for_everything(tokens).await?);
                let target = target(settings, &listener.own_url(), &own_token)?;
                Some((own_token, target))
            }
        };
        let openings = Openings::open(
            kind,
            folder.to_owned(),
            listener.own_url(),
            service.clone(),
            read_public_url,
            Arc::clone(settings),
        )
        .await?;
        Ok(Served {
            listener,
            bound,
            public_url,
            chosen_url,
            openings,
            heartbeats,
            own_numbers,
        })
    }

    /// The service.
    pub fn service(&self) -> &Service {
        &self.0.service
    }

    /// The address on this machine, without a trailing slash.
    pub fn local_url(&self) -> String {
        self.0.listener.url()
    }

    /// Where the service answers.
    pub fn listener(&self) -> &Listener {
        &self.0.listener
    }

    /// Says goodbye, finishes what is in flight, writes what is not written
    /// yet, and gives the data folder free. A second call does nothing.
    pub async fn stop(self) {
        let running = self.0.running.lock().take();
        let Some(Running { log, lock }) = running else {
            return;
        };
        instance_file::withdraw(&self.0.folder);
        self.0.openings.close_inlets().await;
        if let Some(reporting) = &self.0.reporting {
            reporting.presence.stop().await;
        }
        self.0.openings.close_way_in().await;
        self.0.listener.stop().await;
        self.0.service.close().await;
        tracing::info!("the service is down");
        drop(log);
        drop(lock);
    }

    /// What is being done to the data folder.
    pub fn care(&self) -> &Care {
        &self.0.care
    }

    /// What came of the repair that this start began with, if it did.
    pub fn repaired(&self) -> Option<&WorkReport> {
        self.0.repaired.as_ref()
    }

    /// The data folder.
    pub fn folder(&self) -> &std::path::Path {
        &self.0.folder
    }

    /// Asks the tunnel something; `None` where there is none.
    pub fn of_tunnel<R>(&self, ask: impl FnOnce(&Tunnel) -> R) -> Option<R> {
        self.0.openings.of_tunnel(ask)
    }

    /// What is behind it, for those who read and change settings.
    pub fn parts(&self) -> &Parts {
        &self.0
    }

    /// Has the reporter follow the owner's choice as it is now.
    pub fn tell_reporter(&self) {
        if let Some(reporting) = &self.0.reporting {
            let settings = Arc::clone(&self.0.settings.lock());
            let choice = *self.0.choice.lock();
            let target = reporting.target.lock().clone();
            reporting.presence.follow(orders(&settings, choice, target));
        }
    }
}

impl Parts {
    /// Makes the address known that the world uses: the one in the settings,
    /// else that of the tunnel while it leads here.
    pub fn publish_address(&self) {
        let of_settings = self.settings.lock().server.public_url.clone();
        publish(&self.chosen_url, of_settings.clone());
        let address = of_settings.or_else(|| self.openings.tunnel_url().borrow().clone());
        publish(&self.public_url, address);
    }

    /// The address that the world uses, when there is one.
    pub fn public_address(&self) -> Option<WebAddress> {
        self.public_url.borrow().clone()
    }
}

/// What is open to callers, and what is needed beside it.
struct Served {
    listener: Listener,
    bound: porchlight_server::Bound,
    public_url: watch::Sender<Option<WebAddress>>,
    chosen_url: watch::Sender<Option<WebAddress>>,
    openings: Openings,
    heartbeats: Option<(SecretString, Client)>,
    own_numbers: BTreeSet<i64>,
}

fn publish(sender: &watch::Sender<Option<WebAddress>>, address: Option<WebAddress>) {
    sender.send_if_modified(|known| {
        let changed = *known != address;
        *known = address;
        changed
    });
}
