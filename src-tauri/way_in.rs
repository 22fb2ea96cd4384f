//! How the world comes in: the tunnel of the settings, and the front door that
//! it leads to.

use std::sync::{Arc, Weak};

use porchlight_api::WebAddress;
use porchlight_companion::tunnel::{Believed, Holder, Knock, Plan, Tunnel};
use porchlight_core::Service;
use porchlight_server::settings::ClientIp;
use porchlight_server::{Bound, FrontDoor, bind_front_door};
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::host::{Parts, StartError};
use crate::settings::Settings;

/// A tunnel that is to be started, and its door, which listens already.
pub(crate) struct Prepared {
    plan: Plan,
    knock: Knock,
    door: Bound,
    write_url: watch::Sender<Option<WebAddress>>,
}

/// A tunnel that is kept up, and its door.
pub(crate) struct WayIn {
    tunnel: Tunnel,
    door: JoinHandle<()>,
    close_door: CancellationToken,
}

impl Prepared {
    /// Opens the door for the tunnel of the settings, where there is one.
    /// Beside it comes the tunnel's address, while that leads here.
    ///
    /// # Errors
    /// When the port is taken.
    pub(crate) async fn of(
        settings: &Settings,
        service: &Service,
        public_url: watch::Receiver<Option<WebAddress>>,
    ) -> Result<(Option<Self>, watch::Receiver<Option<WebAddress>>), StartError> {
        let (write_url, tunnel_url) = watch::channel(None);
        // What makes no tunnel was refused with the settings.
        let Ok(Some(plan)) = Plan::of(&settings.tunnel) else {
            return Ok((None, tunnel_url));
        };
        let knock = Knock::random();
        let front = FrontDoor {
            port: settings.tunnel.port,
            client_ip: match plan.believed {
                Believed::Nothing => ClientIp::Peer,
                Believed::CfConnectingIp => ClientIp::CfConnectingIp,
            },
            tunnel_url: tunnel_url.clone(),
            knock: porchlight_server::Knock {
                path: knock.path.clone(),
                answer: knock.answer.clone(),
            },
        };
        let service = service.clone();
        let door = bind_front_door(
            service,
            &settings.server,
            &settings.limits,
            public_url,
            front,
        )
        .await?;
        let prepared = Self {
            plan: plan.to_port(door.address().port()),
            knock,
            door,
            write_url,
        };
        Ok((Some(prepared), tunnel_url))
    }

    /// Serves at the door and starts the tunnel.
    ///
    /// # Errors
    /// When no HTTPS client can be set up, or this program cannot be found.
    pub(crate) fn open(self) -> Result<WayIn, StartError> {
        let holder = Holder {
            program: std::env::current_exe().map_err(StartError::Holder)?,
            arguments: vec!["hold".into()],
        };
        let tunnel = Tunnel::start(self.plan, holder, self.knock, self.write_url)
            .map_err(|error| StartError::Http(error.to_string()))?;
        let close_door = CancellationToken::new();
        Ok(WayIn {
            tunnel,
            door: tokio::spawn(self.door.serve(close_door.clone())),
            close_door,
        })
    }
}

impl WayIn {
    /// The tunnel that is kept up.
    pub(crate) fn tunnel(&self) -> &Tunnel {
        &self.tunnel
    }

    /// Ends the tunnel, then closes the door.
    pub(crate) async fn close(self) {
        self.tunnel.stop().await;
        self.close_door.cancel();
        if let Err(error) = self.door.await {
            tracing::error!(%error, "serving the tunnel broke off");
        }
    }
}

/// Has the public address follow the tunnel, until the host is gone.
pub(crate) fn follow(mut tunnel_url: watch::Receiver<Option<WebAddress>>, host: Weak<Parts>) {
    tokio::spawn(async move {
        while tunnel_url.changed().await.is_ok() {
            let Some(parts) = Weak::upgrade(&host) else {
                return;
            };
            Arc::as_ref(&parts).publish_address();
        }
    });
}
