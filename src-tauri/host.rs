//! The one process that serves a data folder: `porchlight serve` and the tray
//! app are both a host, and differ in what they put around it.

use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use porchlight_api::WebAddress;
use porchlight_api::client::Client;
use porchlight_companion::presence::{Orders, Presence};
use porchlight_companion::tunnel::Tunnel;
use porchlight_core::Service;
use porchlight_core::clock::Clock;

use secrecy::SecretString;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use tracing_appender::non_blocking::WorkerGuard;

use crate::data_folder::{self, Lock};
use crate::destination::OwnService;
use crate::inlets::Inlets;
use crate::logging;
use crate::open_files;
use crate::own_tokens::{self, OwnTokens};
use crate::running;
use crate::settings::Settings;
use crate::settings::layers::Layers;
use crate::sharing::{self, Choice};
pub(crate) use crate::start_error::StartError;
use crate::way_in::{self, Prepared, WayIn};

/// One heartbeat may take so long.
pub(crate) const HEARTBEAT_LIMIT: Duration = Duration::from_secs(10);

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
pub(crate) struct Host(Arc<Parts>);

pub(crate) struct Parts {
    pub(crate) service: Service,
    address: SocketAddr,
    pub(crate) layers: Layers,
    pub(crate) settings: Mutex<Arc<Settings>>,
    /// One change of the settings file at a time.
    pub(crate) changing: tokio::sync::Mutex<()>,
    pub(crate) choice: Mutex<Choice>,
    /// The address that the world uses: the owner's, else the tunnel's.
    public_url: watch::Sender<Option<WebAddress>>,
    tunnel_url: watch::Receiver<Option<WebAddress>>,
    pub(crate) reporting: Option<Reporting>,
    pub(crate) inlets: Inlets,
    stop: CancellationToken,
    ended: CancellationToken,
    running: Mutex<Option<Running>>,
}

/// The tray app's heartbeats.
pub(crate) struct Reporting {
    pub(crate) presence: Presence,
    own_token: SecretString,
    target: Mutex<Client>,
}

/// What ends with [`Host::stop`]; the log and the lock go last.
struct Running {
    serving: JoinHandle<()>,
    way_in: Option<WayIn>,
    folder: PathBuf,
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
        let layers = Layers::of_this_process(&place, options.set, options.listen);
        let reading = layers.read()?;
        let filter = logging::filter()?;
        open_files::allow_as_many_as_may_be();
        own_tokens::from_environment()?;

        let folder = data_folder::make(&place)?;
        let lock = data_folder::lock(&folder)?;
        running::withdraw(&folder);
        let log = logging::start(&folder.join("logs"), filter)?;
        let settings = reading.settings;
        for warning in reading.warnings {
            tracing::warn!("{warning}");
        }
        if !layers.file_is_named {
            layers.close_to_others();
        }

        let service = Service::open(&folder, settings.for_service(), Clock::system()).await?;
        // Before anybody can ask: the tray app tells it after the owner's yes.
        service.game().hide(kind == Kind::Desktop);
        let served = Self::serve(&settings, &service, &folder, kind).await;
        let Served {
            bound,
            public_url,
            tunnel_url,
            way_in,
            heartbeats,
        } = match served {
            Ok(served) => served,
            Err(error) => {
                service.close().await;
                return Err(error);
            }
        };

        let address = bound.address();
        let stop = CancellationToken::new();
        let ended = CancellationToken::new();
        let serving = tokio::spawn({
            let (stop, ended) = (stop.clone(), ended.clone().drop_guard());
            async move {
                bound.serve(stop).await;
                drop(ended);
            }
        });
        tracing::info!(version = env!("CARGO_PKG_VERSION"), %address, folder = %folder.display(), "the service is up");
        if let Err(error) = running::announce(&folder, &local_url(address)) {
            tracing::warn!(%error, "other commands will not find this service by itself");
        }

        let choice = Choice::default();
        let reporting = heartbeats.map(|(own_token, target)| Reporting {
            presence: Presence::start(&folder, orders(&settings, choice, target.clone())),
            own_token,
            target: Mutex::new(target),
        });
        let own = OwnService {
            local_url: local_url(address),
            public_url: public_url.subscribe(),
            tokens: service.tokens(),
        };
        let inlets = Inlets::of_a_host(kind, &settings, &folder, own).await;
        let parts = Arc::new(Parts {
            service,
            address,
            layers,
            settings: Mutex::new(Arc::new(settings)),
            changing: tokio::sync::Mutex::default(),
            choice: Mutex::new(choice),
            public_url,
            tunnel_url,
            reporting,
            inlets,
            stop,
            ended,
            running: Mutex::new(Some(Running {
                serving,
                way_in,
                folder,
                log,
                lock,
            })),
        });
        parts.show_or_hide_game();
        if let Some(reporting) = &parts.reporting {
            sharing::follow_pauses(reporting.presence.state(), Arc::downgrade(&parts));
        }
        way_in::follow(parts.tunnel_url.clone(), Arc::downgrade(&parts));
        Ok(Self(parts))
    }

    /// What needs the service open: tokens, the listener, the way in, and for
    /// the tray app what heartbeats are posted with.
    async fn serve(
        settings: &Settings,
        service: &Service,
        folder: &std::path::Path,
        kind: Kind,
    ) -> Result<Served, StartError> {
        let tokens = service.tokens();
        own_tokens::accept_from_environment(tokens)?;
        let (public_url, read_public_url) = watch::channel(settings.server.public_url.clone());
        let bound = porchlight_server::bind(
            service.clone(),
            &settings.server,
            &settings.limits,
            read_public_url.clone(),
        )
        .await?;
        let own = OwnTokens::of(folder, kind == Kind::Desktop);
        own.make_first(tokens).await?;
        let heartbeats = match kind {
            Kind::Serve => None,
            Kind::Desktop => {
                let own_token = own.for_heartbeats(tokens).await?;
                let target = target(settings, &local_url(bound.address()), &own_token)?;
                Some((own_token, target))
            }
        };
        let (prepared, tunnel_url) = Prepared::of(settings, service, read_public_url).await?;
        Ok(Served {
            bound,
            public_url,
            tunnel_url,
            way_in: prepared.map(Prepared::open).transpose()?,
            heartbeats,
        })
    }

    /// The service.
    #[cfg_attr(not(feature = "desktop"), allow(dead_code, reason = "the tray app's"))]
    pub(crate) fn service(&self) -> &Service {
        &self.0.service
    }

    /// Where it listens, with the port that was chosen.
    #[cfg_attr(not(feature = "desktop"), allow(dead_code, reason = "the tray app's"))]
    pub(crate) fn address(&self) -> SocketAddr {
        self.0.address
    }

    /// The address on this machine, without a trailing slash.
    pub(crate) fn local_url(&self) -> String {
        local_url(self.0.address)
    }

    /// Done when the service has stopped serving, also when that was not asked
    /// for.
    pub(crate) async fn ended(&self) {
        self.0.ended.cancelled().await;
    }

    /// Says goodbye, finishes what is in flight, writes what is not written
    /// yet, and gives the data folder free. A second call does nothing.
    pub(crate) async fn stop(self) {
        let running = lock(&self.0.running).take();
        let Some(Running {
            serving,
            way_in,
            folder,
            log,
            lock,
        }) = running
        else {
            return;
        };
        running::withdraw(&folder);
        self.0.inlets.close().await;
        if let Some(reporting) = &self.0.reporting {
            reporting.presence.stop().await;
        }
        if let Some(way_in) = way_in {
            way_in.close().await;
        }
        self.0.stop.cancel();
        if let Err(error) = serving.await {
            tracing::error!(%error, "serving broke off");
        }
        self.0.service.close().await;
        tracing::info!("the service is down");
        drop(log);
        drop(lock);
    }

    /// Asks the tunnel something; `None` where there is none.
    #[cfg_attr(not(feature = "desktop"), allow(dead_code, reason = "the tray app's"))]
    pub(crate) fn of_tunnel<R>(&self, ask: impl FnOnce(&Tunnel) -> R) -> Option<R> {
        let running = lock(&self.0.running);
        let way_in = running.as_ref()?.way_in.as_ref()?;
        Some(ask(way_in.tunnel()))
    }

    /// What is behind it, for those who read and change settings.
    pub(crate) fn parts(&self) -> &Parts {
        &self.0
    }

    /// Has the reporter follow the owner's choice as it is now.
    pub(crate) fn tell_reporter(&self) {
        if let Some(reporting) = &self.0.reporting {
            let settings = Arc::clone(&lock(&self.0.settings));
            let choice = *lock(&self.0.choice);
            let target = lock(&reporting.target).clone();
            reporting.presence.follow(orders(&settings, choice, target));
        }
    }

    /// Takes over changed settings: the reporter follows them, and so do the
    /// addresses that are made.
    ///
    /// # Errors
    /// When no HTTPS client can be set up; nothing is taken over then.
    pub(crate) fn take_over(&self, settings: Arc<Settings>) -> Result<(), StartError> {
        if let Some(reporting) = &self.0.reporting {
            let target = target(&settings, &self.local_url(), &reporting.own_token)?;
            *lock(&reporting.target) = target;
        }
        *lock(&self.0.settings) = settings;
        self.0.publish_address();
        self.0.show_or_hide_game();
        self.tell_reporter();
        Ok(())
    }
}

impl Parts {
    /// Makes the address known that the world uses: the one in the settings,
    /// else that of the tunnel while it leads here.
    pub(crate) fn publish_address(&self) {
        let of_settings = lock(&self.settings).server.public_url.clone();
        let address = of_settings.or_else(|| self.tunnel_url.borrow().clone());
        self.public_url.send_if_modified(|known| {
            let changed = *known != address;
            *known = address;
            changed
        });
    }

    /// The address that the world uses, when there is one.
    pub(crate) fn public_address(&self) -> Option<WebAddress> {
        self.public_url.borrow().clone()
    }
}

/// What is open to callers, and what is needed beside it.
struct Served {
    bound: porchlight_server::Bound,
    public_url: watch::Sender<Option<WebAddress>>,
    tunnel_url: watch::Receiver<Option<WebAddress>>,
    way_in: Option<WayIn>,
    heartbeats: Option<(SecretString, Client)>,
}

/// A lock that a panic elsewhere does not take away.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What is told of the owner.
fn orders(settings: &Settings, choice: Choice, target: Client) -> Orders {
    Orders {
        enabled: choice.shares(settings.presence.enabled),
        settings: settings.presence.clone(),
        target,
    }
}

/// Where heartbeats go.
fn target(
    settings: &Settings,
    local_url: &str,
    own_token: &SecretString,
) -> Result<Client, StartError> {
    let presence = &settings.presence;
    let elsewhere = presence.target_url.as_ref();
    let base = elsewhere.map_or(local_url, WebAddress::as_str);
    let token = presence.token.as_ref().unwrap_or(own_token);
    Client::new(base, token.clone(), HEARTBEAT_LIMIT)
        .map_err(|error| StartError::Http(error.to_string()))
}

fn local_url(address: SocketAddr) -> String {
    let mut local = address;
    // A listener on all addresses is reached on loopback, too.
    match address {
        SocketAddr::V4(v4) if v4.ip().is_unspecified() => local.set_ip(Ipv4Addr::LOCALHOST.into()),
        SocketAddr::V6(v6) if v6.ip().is_unspecified() => local.set_ip(Ipv6Addr::LOCALHOST.into()),
        _ => {}
    }
    format!("http://{local}")
}
