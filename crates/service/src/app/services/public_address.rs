//! The public address of the service: the Worker's, else the one in the settings, else that of the
//! tunnel.

use std::sync::{Arc, Weak};

use parking_lot::Mutex;

use crate::images::window::AddressKind;
use crate::router::listener_state::Shared;
use crate::router::places::SocketPlaces;
use crate::settings::store::CurrentSettings;
use crate::state::{State, StateReader};
use crate::text::address::WebAddress;
use crate::tunnel::Plan;

/// The public address, now and whenever it changes.
pub struct PublicAddress {
    settings: CurrentSettings,
    /// The address for readers: the owner's, else the tunnel's.
    public_url: State<Option<WebAddress>>,
    sockets: SocketPlaces,
    /// Only the address from the settings.
    chosen_url: State<Option<WebAddress>>,
    /// Only `server.public_url`.
    own_url: State<Option<WebAddress>>,
    /// The tunnel's address, while it leads here.
    tunnel_url: State<Option<WebAddress>>,
    publishing: Mutex<()>,
}

impl PublicAddress {
    /// The address of these settings, without a tunnel.
    pub fn new(settings: CurrentSettings) -> Arc<Self> {
        let chosen = settings.get().chosen_url().cloned();
        let own = settings.get().server.public_url.clone();
        Arc::new(Self {
            settings,
            sockets: SocketPlaces::default(),
            own_url: State::new(own),
            public_url: State::new(chosen.clone()),
            chosen_url: State::new(chosen),
            tunnel_url: State::new(None),
            publishing: Mutex::new(()),
        })
    }

    /// The address for readers, when there is one.
    pub fn get(&self) -> Option<WebAddress> {
        self.public_url.get()
    }

    /// How long the address for readers leads here, and for whom. The one that is used without it is
    /// local.
    pub fn kind(&self) -> AddressKind {
        let Some(address) = self.get() else {
            return AddressKind::Local;
        };
        let settings = self.settings.get();
        let plan = Plan::of(&settings.tunnel).ok().flatten();
        let of_tunnel = plan.as_ref().and_then(Plan::fixed_address);
        if [settings.chosen_url(), of_tunnel].contains(&Some(&address)) {
            AddressKind::of_chosen(&address)
        } else {
            AddressKind::Temporary
        }
    }

    /// The address for readers, now and whenever it changes.
    pub fn subscribe(&self) -> StateReader<Option<WebAddress>> {
        self.public_url.reader()
    }

    /// The address in the settings, now and whenever it changes.
    pub fn subscribe_to_chosen(&self) -> StateReader<Option<WebAddress>> {
        self.chosen_url.reader()
    }

    /// `server.public_url`, now and whenever it changes.
    pub fn subscribe_to_own(&self) -> StateReader<Option<WebAddress>> {
        self.own_url.reader()
    }

    /// What the listeners share.
    pub fn shared(&self) -> Shared {
        Shared {
            settings: self.settings.clone(),
            sockets: self.sockets.clone(),
            links: self.subscribe(),
        }
    }

    /// Where the tunnel's address is written, while it leads here.
    pub fn tunnel_url(&self) -> &State<Option<WebAddress>> {
        &self.tunnel_url
    }

    /// Publishes the address in the settings, else that of the tunnel while it leads here.
    pub(crate) fn publish(&self) {
        // Of two at a time, none writes what it read before the other wrote.
        let _one_at_a_time = self.publishing.lock();
        let settings = self.settings.get();
        let chosen = settings.chosen_url().cloned();
        let public = chosen.clone().or_else(|| self.tunnel_url.get());
        self.chosen_url.update(|known| *known = chosen);
        let own = settings.server.public_url.clone();
        self.own_url.update(|known| *known = own);
        self.public_url.update(|known| *known = public);
    }

    /// Has the public address follow the tunnel, until the host is gone.
    pub fn follow_tunnel(self: &Arc<Self>) {
        let mut tunnel_url = self.tunnel_url.reader();
        // It may be up already.
        tunnel_url.mark_changed();
        let address = Arc::downgrade(self);
        tokio::spawn(async move {
            let mut warned = None;
            while tunnel_url.changed().await.is_ok() {
                let Some(address) = Weak::upgrade(&address) else {
                    return;
                };
                let found = tunnel_url.latest();
                address.publish();
                let settings = address.settings.get();
                // The Worker reads the tunnel's address from the store.
                let chosen = settings.server.public_url.clone();
                let chosen = chosen.filter(|_| settings.edge.url.is_none());
                if let Some(warning) = other_address(chosen.as_ref(), found.as_ref())
                    && warned.as_ref() != Some(&warning)
                {
                    tracing::warn!("{warning}");
                    warned = Some(warning);
                }
            }
        });
    }
}

/// What to report of a tunnel that leads here by another address than links are
/// made with.
fn other_address(chosen: Option<&WebAddress>, found: Option<&WebAddress>) -> Option<String> {
    let (chosen, found) = chosen.zip(found)?;
    (chosen != found).then(|| {
        format!(
            "the tunnel's address is {found}, and links are made with server.public_url, \
             {chosen}: unset it if it is an old one"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::Settings;

    #[test]
    fn the_worker_comes_before_the_own_address_and_both_before_the_tunnel() {
        let address = |text: &str| text.parse::<WebAddress>().expect("an address");
        let [worker, own, tunnel] = [
            "https://w.example",
            "https://o.example",
            "https://t.example",
        ];
        let mut settings = Settings::default();
        let current = CurrentSettings::new(Arc::new(settings.clone()));
        let public = PublicAddress::new(current.clone());
        assert_eq!(public.get(), None);
        public.tunnel_url().set(Some(address(tunnel)));
        public.publish();
        assert_eq!(public.get(), Some(address(tunnel)));
        settings.server.public_url = Some(address(own));
        current.set(Arc::new(settings.clone()));
        public.publish();
        assert_eq!(public.get(), Some(address(own)));
        settings.edge.url = Some(address(worker));
        current.set(Arc::new(settings));
        public.publish();
        assert_eq!(public.get(), Some(address(worker)));
    }

    #[tokio::test]
    async fn a_tunnel_that_is_up_before_it_is_followed_is_published() {
        let public = PublicAddress::new(CurrentSettings::new(Arc::default()));
        let tunnel: WebAddress = "https://t.example".parse().expect("an address");
        public.tunnel_url().set(Some(tunnel.clone()));
        let mut published = public.subscribe();
        public.follow_tunnel();
        let found = published.wait_for(Option::is_some);
        let found = tokio::time::timeout(std::time::Duration::from_secs(10), found);
        let found = found.await.expect("no address").expect("it is followed");
        assert_eq!(found, Some(tunnel));
    }

    #[test]
    fn an_address_of_the_settings_is_permanent_and_one_that_a_tunnel_printed_is_not() {
        let public_with = |settings: &str, tunnel: Option<&str>| {
            let settings: Settings = toml::from_str(settings).expect("settings");
            let public = PublicAddress::new(CurrentSettings::new(Arc::new(settings)));
            let tunnel = tunnel.map(|address| address.parse().expect("an address"));
            public.tunnel_url().set(tunnel);
            public.publish();
            public.kind()
        };
        let own = "https://own.example";
        let quick = "[tunnel]\nkind = \"cloudflared\"";
        let named = "[tunnel]\nkind = \"cloudflared\"\ncloudflared_token = \"t\"\n\
                     hostname = \"own.example\"\nport = 4781";
        let ssh = "[tunnel]\nkind = \"ssh\"\nssh_host = \"me@own.example\"\nssh_port = 80\n\
                   public_url = \"https://own.example\"";
        let printed = "[tunnel]\nkind = \"command\"\ncommand = [\"bore\"]\n\
                       pattern = \"(https:.*)\"";
        for (settings, tunnel, kind) in [
            ("", None, AddressKind::Local),
            (quick, None, AddressKind::Local),
            (quick, Some(own), AddressKind::Temporary),
            (printed, Some(own), AddressKind::Temporary),
            (named, Some(own), AddressKind::Permanent),
            (ssh, Some(own), AddressKind::Permanent),
            (
                "[server]\npublic_url = \"https://own.example\"",
                Some("https://other.example"),
                AddressKind::Permanent,
            ),
            (
                "[edge]\nurl = \"https://own.example\"",
                None,
                AddressKind::Permanent,
            ),
            (
                "[server]\npublic_url = \"http://192.168.1.5:4780\"",
                None,
                AddressKind::Local,
            ),
        ] {
            assert_eq!(public_with(settings, tunnel), kind, "{settings} {tunnel:?}");
        }
    }

    #[test]
    fn an_address_in_the_settings_that_differs_from_the_tunnels_is_reported() {
        let address = |text: &str| text.parse::<WebAddress>().expect("an address");
        let (old, new) = (
            address("https://old.example"),
            address("https://new.example"),
        );
        let warning = other_address(Some(&old), Some(&new)).expect("a warning");
        assert!(warning.contains("https://old.example") && warning.contains("https://new.example"));
        for (chosen, found) in [
            (None, Some(&new)),
            (Some(&old), None),
            (Some(&old), Some(&old)),
        ] {
            assert_eq!(other_address(chosen, found), None);
        }
    }
}
