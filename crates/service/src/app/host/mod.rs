//! The process that serves a data folder: `porchlight serve` and the tray app are both a host. It
//! starts, owns and stops every service.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::blog::Blog;
use crate::blog::index::PostIndex;
use crate::clock::Clock;
use crate::error::message::Message;
use crate::files::network;
use crate::images::window::AddressKind;
use crate::router::routes::WIDGET;
use crate::service::Service;
use crate::tokens::scope::Scope;
use crate::uploads::{OwnImages, Uploads};
use parking_lot::Mutex;

use self::opened_folder::{Last, OpenedFolder};
use crate::app::consent::Consent;
use crate::app::consent::heartbeat::Heartbeat;
use crate::app::integrations::edge_setup::EdgeSetup;
use crate::app::maintenance::{Maintenance, startup};
pub use crate::app::options::{Kind, StartOptions, TrayOptions};
use crate::app::services::listener::Listener;
use crate::app::services::proxy::ProxyProbe;
use crate::app::services::public_address::PublicAddress;
use crate::app::services::{Services, edge};
use crate::app::tokens::OwnerTokens;
use crate::app::tokens::app_tokens::{self};
use crate::app::tokens::secret_store::SecretStore;
use crate::files::data_dir;
use crate::settings::Settings;
use crate::settings::store::SettingsStore;
use crate::settings::watcher;
use crate::status::alerts::TunnelDown;

mod apply;
pub mod instance_file;
mod opened_folder;
pub mod status;

/// A running service with everything that belongs to it; clones are the same
/// one.
#[derive(Clone)]
pub struct Host(Arc<Parts>);

struct Parts {
    service: Service,
    listener: Listener,
    address: Arc<PublicAddress>,
    consent: Arc<Consent>,
    edge_setup: EdgeSetup,
    proxy: ProxyProbe,
    services: Arc<Services>,
    blog: Blog,
    posts: PostIndex,
    tokens: OwnerTokens,
    store: Arc<SettingsStore>,
    maintenance: Maintenance,
    tunnel_down: TunnelDown,
    /// Whether the data folder is on another machine.
    data_on_network: bool,
    folder: PathBuf,
    /// Until it has stopped.
    last: Mutex<Option<Last>>,
}

impl Host {
    /// Opens the data folder, listens and serves.
    ///
    /// # Errors
    /// When the settings are wrong ([`Message::Settings`]), or the folder, the database, storage, a port
    /// or the tunnel cannot be used. Nothing is left running then.
    pub async fn start(options: StartOptions, kind: Kind) -> Result<Self, Message> {
        let place = data_dir::place(options.data_dir)?;
        let replaced = startup::put_backup_in_place(&place).await?;
        let opened = OpenedFolder::open(&place, options.set, options.listen)?;
        let OpenedFolder {
            layers,
            text,
            reading,
            folder,
            last,
        } = opened;

        if let Some(replaced) = replaced {
            tracing::info!(
                "a backup was restored; the previous data is in {}",
                replaced.aside.display()
            );
            for warning in replaced.warnings {
                tracing::warn!("{warning}");
            }
        }
        let data_on_network = network::is_shared(&folder);
        if data_on_network {
            tracing::warn!(
                folder = %folder.display(),
                "the data folder is on a network drive, where its database may be damaged: keep it \
                 on a disk of this computer"
            );
        }
        let store = SettingsStore::new(layers, text, reading);
        let settings = store.current();
        let service = Service::open(&folder, Arc::clone(&settings), Clock::system()).await?;
        let address = PublicAddress::new(store.in_force());
        let is_desktop = kind == Kind::Desktop;
        let secrets = SecretStore::of(&folder, is_desktop && !options.without_keyring);
        let own_secrets = secrets.clone();
        let served = Self::serve(&settings, &service, &address, secrets, &folder, kind).await;
        let Served {
            listener,
            bound,
            services,
            heartbeat,
        } = match served {
            Ok(served) => served,
            Err(error) => {
                service.close().await;
                return Err(error);
            }
        };
        // Before any request: the tray app shows the game after the owner's yes.
        let consent = Consent::new(kind, Arc::clone(&store), service.clone(), heartbeat);

        listener.serve(bound);
        let mut own_url = listener.own_url();
        tracing::info!(version = env!("CARGO_PKG_VERSION"), address = %own_url.get(), folder = %folder.display(), "the service is up");
        let token = service.tokens().make_for_this_run(Scope::Upload);
        let token = token?;
        let announce = {
            let folder = folder.clone();
            move |url: &str| {
                if let Err(error) = instance_file::announce(&folder, url, &token) {
                    tracing::warn!(%error, "other commands will not find this service by itself");
                }
            }
        };
        announce(&own_url.latest());
        let announcing = async move {
            while own_url.changed().await.is_ok() {
                announce(&own_url.latest());
            }
        };
        tokio::spawn(listener.stopping().run_until_cancelled_owned(announcing));

        services.start_upload_sources(&settings).await;
        let edge_setup = EdgeSetup::new(
            Arc::clone(&store),
            service.clone(),
            own_secrets,
            folder.clone(),
            listener.stopping(),
        );
        let blog = Blog::new(services.uploads().clone(), &folder);
        let in_force = store.in_force();
        let folders = move || in_force.get().blog.folders.clone();
        let parts = Arc::new(Parts {
            edge_setup,
            proxy: ProxyProbe::start(&address, &service, listener.stopping()),
            posts: PostIndex::start(blog.clone(), folders, store.changes(), listener.stopping()),
            blog,
            services: Arc::new(services),
            tokens: OwnerTokens::new(service.clone()),
            store,
            maintenance: Maintenance::new(service.clone(), folder.clone()),
            service,
            listener,
            address,
            consent,
            tunnel_down: TunnelDown::default(),
            data_on_network,
            folder,
            last: Mutex::new(Some(last)),
        });
        if let Err(error) = parts.service.tell_worker(WIDGET) {
            tracing::error!("the Worker is not updated: {error}");
        }
        parts.consent.follow();
        edge::follow(
            &parts.service,
            &parts.address,
            &parts.consent,
            &parts.listener.stopping(),
        );
        parts.address.follow_tunnel();
        tokio::spawn(apply::follow(Arc::downgrade(&parts), parts.store.follow()));
        watcher::follow(&parts.store, parts.listener.stopping());
        Ok(Self(parts))
    }

    /// Starts what needs the service open: tokens, the listener, the tunnel and the heartbeats.
    async fn serve(
        settings: &Arc<Settings>,
        service: &Service,
        address: &Arc<PublicAddress>,
        secrets: SecretStore,
        folder: &Path,
        kind: Kind,
    ) -> Result<Served, Message> {
        let tokens = service.tokens();
        app_tokens::accept_from_environment(tokens)?;
        let wanted = settings.server.listen;
        let (listener, bound) = Listener::bind(kind, wanted, service, address.shared()).await?;
        let own = OwnImages {
            images: service.images().clone(),
            local_url: listener.own_url(),
            public_url: address.subscribe(),
        };
        match kind {
            Kind::Serve => app_tokens::make_first(folder, tokens).await?,
            Kind::Desktop => secrets.copy_to_keyring().await,
        }
        let heartbeat = Heartbeat::start(folder, settings, service.presence());
        let heartbeat =
            heartbeat.map_err(|why| crate::detail!("no HTTPS client could be set up: {why}"))?;
        let services = Services::open(
            kind,
            folder.to_owned(),
            service.clone(),
            own,
            Arc::clone(address),
            secrets,
            settings,
        )
        .await?;
        Ok(Served {
            listener,
            bound,
            services,
            heartbeat,
        })
    }

    pub fn service(&self) -> &Service {
        &self.0.service
    }

    pub fn listener(&self) -> &Listener {
        &self.0.listener
    }

    /// The address on this machine, without a trailing slash.
    pub fn local_url(&self) -> String {
        self.0.listener.url()
    }

    pub fn address(&self) -> &PublicAddress {
        &self.0.address
    }

    /// The address that a blog is pointed at: the public one, else the local.
    pub fn blog_url(&self) -> String {
        let public = self.0.address.get();
        public.map_or_else(|| self.local_url(), |url| url.to_string())
    }

    /// How long [`Host::blog_url`] leads here, and for whom.
    pub fn address_kind(&self) -> AddressKind {
        self.0.address.kind()
    }

    /// Whether the owner shares their presence, and what follows from it.
    pub fn consent(&self) -> &Consent {
        &self.0.consent
    }

    /// The set-up of the Worker at Cloudflare.
    pub fn edge_setup(&self) -> &EdgeSetup {
        &self.0.edge_setup
    }

    /// The tunnel, watched folders and the listener for editors.
    pub fn services(&self) -> &Services {
        &self.0.services
    }

    pub fn uploads(&self) -> &Uploads {
        self.0.services.uploads()
    }

    /// The owner's posts and their pictures.
    pub fn blog(&self) -> &Blog {
        &self.0.blog
    }

    /// Where posts use the owner's images.
    pub fn posts(&self) -> &PostIndex {
        &self.0.posts
    }

    pub fn tokens(&self) -> &OwnerTokens {
        &self.0.tokens
    }

    pub fn store(&self) -> &SettingsStore {
        &self.0.store
    }

    pub fn settings(&self) -> Arc<Settings> {
        self.0.store.current()
    }

    pub fn maintenance(&self) -> &Maintenance {
        &self.0.maintenance
    }

    pub fn folder(&self) -> &Path {
        &self.0.folder
    }

    /// Sends a goodbye, finishes what is in flight, writes what is not written
    /// yet, and releases the data folder. A second call does nothing.
    pub async fn stop(self) {
        let last = self.0.last.lock().take();
        let Some(last) = last else {
            return;
        };
        instance_file::withdraw(&self.0.folder);
        self.0.services.stop_upload_sources().await;
        self.0.consent.stop().await;
        // The Worker is updated while what is in flight is finished.
        if let Some(edge) = self.0.service.edge() {
            edge.goodbye();
        }
        self.0.services.stop_tunnel().await;
        self.0.listener.stop().await;
        self.0.service.close().await;
        tracing::info!("the service is down");
        drop(last);
    }
}

/// The services that callers reach, and what is needed beside them.
struct Served {
    listener: Listener,
    bound: crate::router::listen::Bound,
    services: Services,
    heartbeat: Heartbeat,
}
