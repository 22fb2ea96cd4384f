//! The one process that serves a data folder: `porchlight serve` and the tray
//! app are both a host, and differ in what they put around it.

use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use porchlight_api::WebAddress;
use porchlight_api::client::Client;
use porchlight_companion::presence::{Orders, Presence};
use porchlight_core::clock::Clock;
use porchlight_core::{OpenError, Service};
use porchlight_server::BindError;
use secrecy::SecretString;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use tracing_appender::non_blocking::WorkerGuard;

use crate::data_folder::{self, DataFolderError, Lock};
use crate::logging::{self, LoggingError};
use crate::open_files;
use crate::own_tokens::{self, OwnTokenError, OwnTokens};
use crate::running;
use crate::settings::layers::Layers;
use crate::settings::problem::Problems;
use crate::settings::{Settings, file};
use crate::sharing::{self, Choice};

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

/// Why the program did not start.
#[derive(Debug, thiserror::Error)]
pub(crate) enum StartError {
    /// The settings.
    #[error("{0}")]
    Settings(#[from] Problems),
    /// The data folder.
    #[error(transparent)]
    DataFolder(#[from] DataFolderError),
    /// The log.
    #[error(transparent)]
    Logging(#[from] LoggingError),
    /// The service.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The app's own tokens.
    #[error(transparent)]
    OwnToken(#[from] OwnTokenError),
    /// The listener.
    #[error(transparent)]
    Bind(#[from] BindError),
    /// The reporter's HTTP client.
    #[error("no HTTPS client could be set up: {0}")]
    Http(String),
}

impl StartError {
    /// 2 for wrong usage or settings, 1 for everything else.
    pub(crate) fn exit_code(&self) -> u8 {
        match self {
            Self::Settings(_)
            | Self::DataFolder(DataFolderError::NoPlace)
            | Self::Logging(LoggingError::Filter(_))
            | Self::OwnToken(OwnTokenError::Variable(_)) => 2,
            _ => 1,
        }
    }
}

/// A running service with everything that belongs to it; clones are the same
/// one.
#[derive(Clone)]
pub(crate) struct Host(Arc<Parts>);

pub(crate) struct Parts {
    service: Service,
    address: SocketAddr,
    pub(crate) layers: Layers,
    pub(crate) settings: Mutex<Arc<Settings>>,
    /// One change of the settings file at a time.
    pub(crate) changing: tokio::sync::Mutex<()>,
    pub(crate) choice: Mutex<Choice>,
    public_url: watch::Sender<Option<WebAddress>>,
    pub(crate) reporting: Option<Reporting>,
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
        for warning in settings.not_done_yet() {
            tracing::warn!("{warning}");
        }
        if !layers.file_is_named {
            close_to_others(&layers);
        }

        let service = Service::open(&folder, settings.for_service(), Clock::system()).await?;
        let served = Self::serve(&settings, &service, &folder, kind).await;
        let (bound, public_url, heartbeats) = match served {
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
        if let Some(reporting) = &reporting {
            // A pause can be one of an earlier run.
            let paused = reporting.presence.paused().is_some();
            service.game().hide(paused);
            let hiding = sharing::hide_game_in_pauses(service.clone(), reporting.presence.state());
            tokio::spawn(stop.clone().run_until_cancelled_owned(hiding));
        }
        Ok(Self(Arc::new(Parts {
            service,
            address,
            layers,
            settings: Mutex::new(Arc::new(settings)),
            changing: tokio::sync::Mutex::default(),
            choice: Mutex::new(choice),
            public_url,
            reporting,
            stop,
            ended,
            running: Mutex::new(Some(Running {
                serving,
                folder,
                log,
                lock,
            })),
        })))
    }

    /// What needs the service open: tokens, the listener, and for the tray app
    /// what heartbeats are posted with.
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
            read_public_url,
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
        Ok((bound, public_url, heartbeats))
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
            folder,
            log,
            lock,
        }) = running
        else {
            return;
        };
        running::withdraw(&folder);
        if let Some(reporting) = &self.0.reporting {
            reporting.presence.stop().await;
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
        let public_url = settings.server.public_url.clone();
        *lock(&self.0.settings) = settings;
        self.0.public_url.send_if_modified(|known| {
            let changed = *known != public_url;
            *known = public_url;
            changed
        });
        self.tell_reporter();
        Ok(())
    }
}

type Served = (
    porchlight_server::Bound,
    watch::Sender<Option<WebAddress>>,
    Option<(SecretString, Client)>,
);

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

/// Closes the settings file to other users, and says so.
pub(crate) fn close_to_others(layers: &Layers) {
    let file = layers.file.display();
    match file::tighten(&layers.file) {
        Ok(false) => {}
        Ok(true) => tracing::warn!(
            "{file} could be read by other users; its mode is 0600 now, since it can hold secrets"
        ),
        Err(error) => tracing::warn!("{file} can be read by other users: {error}"),
    }
}
