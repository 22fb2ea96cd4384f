//! The state of a listener: the service, and which client addresses it trusts.

use std::net::SocketAddr;
use std::sync::{Arc, Once};

use axum::body::Body;
use http::Request;
use parking_lot::Mutex;

use crate::clock::timestamp::Timestamp;
use crate::http::settings::{ClientIp, LimitsSettings, Network, ServerSettings};
use crate::router::edge::{EdgeKey, FromEdge};
use crate::router::limits::Limits;
use crate::router::places::{Places, Shares, SocketPlaces, in_flight};
use crate::router::private::Caller;
use crate::service::Service;
use crate::settings::Settings;
use crate::settings::store::CurrentSettings;
use crate::state::StateReader;
use crate::text::address::WebAddress;

/// How many bodies of other programs' clients are read at a time.
const CLIENT_BODIES: usize = 4;
/// How many forms are received at a time whose token is inside.
const UNKNOWN_FORMS: usize = 2;

/// The state of every handler; one reference, since it is cloned for every
/// request.
pub(crate) type ListenerState = Arc<ListenerParts>;

pub(crate) struct ListenerParts {
    pub(crate) service: Service,
    /// The limits, and the settings that they are of.
    limits: Mutex<(LimitsSettings, Arc<Limits>)>,
    pub(crate) in_flight: Shares,
    /// Bodies of other programs' clients.
    pub(crate) client_bodies: Places,
    /// Forms whose token is inside.
    pub(crate) unknown_forms: Places,
    pub(crate) shared: Shared,
    /// The first reader of an unknown host was logged.
    unknown_host: Once,
    /// The public listener's settings; `None` for the owner's own listener.
    pub(crate) public: Option<PublicListener>,
}

/// What all listeners of a process share beside the service.
#[derive(Clone)]
pub struct Shared {
    /// The settings in force, read for each request: a change counts from the next one on.
    pub settings: CurrentSettings,
    /// The places of sockets.
    pub sockets: SocketPlaces,
    /// The address that links are made from, where there is a public one.
    pub links: StateReader<Option<WebAddress>>,
}

impl Default for Shared {
    fn default() -> Self {
        Self::with(Settings::default())
    }
}

impl Shared {
    /// Without a tunnel, and with these settings for good.
    #[must_use]
    pub fn with(settings: Settings) -> Self {
        Self {
            links: StateReader::constant(settings.chosen_url().cloned()),
            settings: CurrentSettings::new(Arc::new(settings)),
            sockets: SocketPlaces::default(),
        }
    }
}

/// The listener that a tunnel leads to. All its requests come from the
/// internet.
#[derive(Debug, Clone)]
pub struct PublicListener {
    /// Its port on loopback; 0 takes a free one.
    pub port: u16,
    /// The header that this tunnel sets; [`ClientIp::Peer`] where it sets none,
    /// and all readers share one bucket, which is sized for it.
    pub client_ip: ClientIp,
    /// The tunnel's public address where the settings give it one.
    pub fixed_url: Option<WebAddress>,
    /// The tunnel's public address, while it has one.
    pub tunnel_url: StateReader<Option<WebAddress>>,
}

impl ListenerParts {
    /// That of the owner's own listener, or of a `public` one.
    pub(crate) fn new(
        service: Service,
        shared: Shared,
        public: Option<PublicListener>,
    ) -> ListenerState {
        let limits = shared.settings.get().limits.clone();
        Arc::new(Self {
            limits: Mutex::new((limits.clone(), Arc::new(Limits::new(&limits)))),
            shared,
            unknown_host: Once::new(),
            service,
            in_flight: in_flight(),
            client_bodies: Places::new(CLIENT_BODIES, CLIENT_BODIES / 2),
            unknown_forms: Places::new(UNKNOWN_FORMS, UNKNOWN_FORMS / 2),
            public,
        })
    }

    /// The settings in force.
    pub(crate) fn settings(&self) -> Arc<Settings> {
        self.shared.settings.get()
    }

    /// The limits of the settings in force. Other settings begin with full buckets.
    pub(crate) fn limits(&self) -> Arc<Limits> {
        let wanted = &self.settings().limits;
        let mut limits = self.limits.lock();
        if limits.0 != *wanted {
            *limits = (wanted.clone(), Arc::new(Limits::new(wanted)));
        }
        Arc::clone(&limits.1)
    }

    /// The public address, to which plain HTTP is redirected. On the owner's own listener only the
    /// address from the settings.
    pub(crate) fn public_url(&self) -> Option<WebAddress> {
        match &self.public {
            None => self.settings().chosen_url().cloned(),
            Some(_) => self.shared.links.get(),
        }
    }

    /// What the Worker sends about this request; `None` where it is not the Worker's.
    pub(crate) fn of_edge(&self, request: &Request<Body>) -> Option<FromEdge> {
        let settings = self.settings();
        let key = EdgeKey::new(settings.edge.secret.as_ref()?);
        key.check(request, Timestamp::now())
    }

    /// Who sends a request that is not the Worker's.
    pub(crate) fn caller(&self, request: &Request<Body>) -> Caller {
        if self.is_private() {
            return Caller::of_private(request);
        }
        let caller = Caller::of_public(request, |host| self.is_at(host));
        if caller == Caller::Foreign && Caller::of_public(request, |_| true) != caller {
            self.unknown_host.call_once(|| {
                tracing::warn!(
                    "a request for a host that is neither that of server.public_url nor the tunnel's was refused; more are not logged"
                );
            });
        }
        caller
    }

    /// Whether readers reach this listener by this host.
    fn is_at(&self, host: &str) -> bool {
        let is = |address: &Option<WebAddress>| {
            let address = address.as_ref().map(WebAddress::host);
            address.is_some_and(|own| own.eq_ignore_ascii_case(host))
        };
        is(&self.settings().server.public_url)
            || self
                .public
                .as_ref()
                .is_some_and(|public| is(&public.fixed_url) || public.tunnel_url.with(is))
    }

    /// Whether the callers of this listener cannot be distinguished: its tunnel sets no header.
    pub(crate) fn callers_are_unnamed(&self) -> bool {
        let public = self.public.as_ref();
        public.is_some_and(|public| public.client_ip == ClientIp::Peer)
    }

    /// Whether, by the settings, only programs on this machine reach this listener.
    pub(crate) fn is_private(&self) -> bool {
        let server = &self.settings().server;
        self.public.is_none() && server.client_ip == ClientIp::Peer && server.public_url.is_none()
    }

    /// Where the client address of a request from this peer is read from.
    pub(crate) fn client_ip(&self, peer: SocketAddr) -> ClientIp {
        let address = peer.ip().to_canonical();
        let is_trusted = |proxies: &[Network]| proxies.iter().any(|own| own.contains(address));
        let (client_ip, trusted) = match &self.public {
            None => {
                let server = &self.settings().server;
                (server.client_ip, is_trusted(&server.trusted_proxies))
            }
            // The tunnel's program runs on this machine.
            Some(public) => {
                let on_this_machine = ServerSettings::default().trusted_proxies;
                (public.client_ip, is_trusted(&on_this_machine))
            }
        };
        if trusted { client_ip } else { ClientIp::Peer }
    }
}
