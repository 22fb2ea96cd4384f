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

use crate::before_start;
use crate::care::Care;
use crate::data_folder::{self, Lock};
use crate::edited::{self, SettingsFile};
use crate::file_mode;
use crate::listener::Listener;
use crate::logging;
use crate::needs::TunnelDown;
use crate::open_files;
use crate::openings::Openings;
use crate::own_tokens::{self, OwnTokenError, OwnTokens};
use crate::reporting::{Reporting, orders, target};
use crate::running;
use crate::settings::Settings;
use crate::settings::layers::{Layers, Origins};
use crate::sharing::{self, Choice};
pub(crate) use crate::start_error::StartError;
use crate::way_in;

/// What was asked for when the program was started.
// No `Debug`: `set` can hold secrets.
#[derive(Clone, Default)]
pub(crate) struct StartOptions {
    /// The data folder; `None` for the platform's place.
    pub(crate) data_dir: Option<PathBuf>,
    /// Where to listen; `None` for what the settings say.
    pub(crate) listen: Option<SocketAddr>,
    /// Settings for this run, each as `key=value`.
    pub(crate) set: Vec<String>,
}

/// What is around the host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Nothing: the service alone.
    Serve,
    /// The tray app, which also reports what its owner is at.
    #[cfg_attr(
        not(any(feature = "desktop", test)),
        allow(dead_code, reason = "the tray app's")
    )]
    Desktop,
}

/// A running service with everything that belongs to it; clones are the same
/// one.
#[derive(Clone)]
pub(crate) struct Host(pub(crate) Arc<Parts>);

pub(crate) struct Parts {
    pub(crate) service: Service,
    pub(crate) listener: Listener,
    pub(crate) layers: Layers,
    pub(crate) settings: Mutex<Arc<Settings>>,
    pub(crate) file: SettingsFile,
    /// Where the last word on each of them was written.
    pub(crate) origins: Mutex<Origins>,
    /// Those that this run was begun with.
    pub(crate) begun: Mutex<Arc<Settings>>,
    care: Care,
    repaired: Option<WorkReport>,
    /// Told whenever settings have changed.
    pub(crate) settings_changed: watch::Sender<()>,
    /// One change of the settings file at a time.
    pub(crate) changing: tokio::sync::Mutex<()>,
    pub(crate) choice: Mutex<Choice>,
    /// The address that the world uses: the owner's, else the tunnel's.
    public_url: watch::Sender<Option<WebAddress>>,
    /// Only the address from the settings, which makes the listener public.
    chosen_url: watch::Sender<Option<WebAddress>>,
    pub(crate) reporting: Option<Reporting>,
    /// The numbers of the app's own tokens, as far as they were ever seen in
    /// this run. No number is used twice.
    pub(crate) own_numbers: Mutex<BTreeSet<i64>>,
    pub(crate) openings: Openings,
    /// What the list of needs remembers.
    pub(crate) tunnel_down: TunnelDown,
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
    pub(crate) async fn start(options: StartOptions, kind: Kind) -> Result<Self, StartError> {
        let place = data_folder::place(options.data_dir)?;
        let replaced = before_start::put_backup_in_place(&place).await?;
        let layers = Layers::of_this_process(&place, options.set, options.listen);
        let text = layers.file_text()?;
        let reading = layers.read_with(&text)?;
        let filter = logging::filter()?;
        open_files::allow_as_many_as_may_be();
        own_tokens::for_this_run()?;

        let folder = data_folder::make(&place)?;
        let lock = data_folder::lock(&folder)?;
        running::withdraw(&folder);
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
        let repaired = before_start::repair_if_wanted(&folder, &settings.storage).await;
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
        if let Err(error) = running::announce(&folder, &address, &token) {
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
            sharing::follow_pauses(state, front, Arc::downgrade(&parts));
        }
        way_in::follow(tunnel_url, Arc::downgrade(&parts));
        edited::follow(&parts, parts.listener.stopping());
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
        own_tokens::accept_from_environment(tokens)?;
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
    #[cfg_attr(not(feature = "desktop"), allow(dead_code, reason = "the tray app's"))]
    pub(crate) fn service(&self) -> &Service {
        &self.0.service
    }

    /// The address on this machine, without a trailing slash.
    pub(crate) fn local_url(&self) -> String {
        self.0.listener.url()
    }

    /// Where the service answers.
    pub(crate) fn listener(&self) -> &Listener {
        &self.0.listener
    }

    /// Says goodbye, finishes what is in flight, writes what is not written
    /// yet, and gives the data folder free. A second call does nothing.
    pub(crate) async fn stop(self) {
        let running = self.0.running.lock().take();
        let Some(Running { log, lock }) = running else {
            return;
        };
        running::withdraw(&self.0.folder);
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
    #[cfg_attr(not(feature = "desktop"), allow(dead_code, reason = "the tray app's"))]
    pub(crate) fn care(&self) -> &Care {
        &self.0.care
    }

    /// What came of the repair that this start began with, if it did.
    #[cfg_attr(not(feature = "desktop"), allow(dead_code, reason = "the tray app's"))]
    pub(crate) fn repaired(&self) -> Option<&WorkReport> {
        self.0.repaired.as_ref()
    }

    /// The data folder.
    #[cfg_attr(not(feature = "desktop"), allow(dead_code, reason = "the tray app's"))]
    pub(crate) fn folder(&self) -> &std::path::Path {
        &self.0.folder
    }

    /// Asks the tunnel something; `None` where there is none.
    #[cfg_attr(not(feature = "desktop"), allow(dead_code, reason = "the tray app's"))]
    pub(crate) fn of_tunnel<R>(&self, ask: impl FnOnce(&Tunnel) -> R) -> Option<R> {
        self.0.openings.of_tunnel(ask)
    }

    /// What is behind it, for those who read and change settings.
    pub(crate) fn parts(&self) -> &Parts {
        &self.0
    }

    /// Has the reporter follow the owner's choice as it is now.
    pub(crate) fn tell_reporter(&self) {
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
    pub(crate) fn publish_address(&self) {
        let of_settings = self.settings.lock().server.public_url.clone();
        publish(&self.chosen_url, of_settings.clone());
        let address = of_settings.or_else(|| self.openings.tunnel_url().borrow().clone());
        publish(&self.public_url, address);
    }

    /// The address that the world uses, when there is one.
    pub(crate) fn public_address(&self) -> Option<WebAddress> {
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
