//! How the world comes in: the tunnel of the settings, and the front door that
//! it leads to.

use porchlight_api::WebAddress;
use porchlight_companion::settings::TunnelSettings;
use porchlight_companion::tunnel::{Believed, Holder, Knock, Plan, Tunnel};
use porchlight_core::Service;
use porchlight_server::settings::ClientIp;
use porchlight_server::{Bound, FrontDoor, bind_front_door};
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::executable;
use crate::file_mode;
use crate::host::start_error::StartError;
use crate::settings::Settings;

/// A tunnel that is to be started, and its door, which listens already.
pub struct Prepared {
    plan: Plan,
    knock: Knock,
    door: Bound,
    write_url: watch::Sender<Option<WebAddress>>,
}

/// A tunnel that is kept up, and its door.
pub struct OpenTunnel {
    port: u16,
    tunnel: Tunnel,
    door: JoinHandle<()>,
    close_door: CancellationToken,
}

impl Prepared {
    /// Opens the door for the tunnel of the settings, where there is one.
    /// The door goes by what the listener was begun with. `write_url` holds the
    /// tunnel's address while that leads here.
    ///
    /// # Errors
    /// When the port is taken.
    pub async fn of(
        tunnel: &TunnelSettings,
        begun: &Settings,
        service: &Service,
        public_url: watch::Receiver<Option<WebAddress>>,
        write_url: watch::Sender<Option<WebAddress>>,
    ) -> Result<Option<Self>, StartError> {
        let tunnel_url = write_url.subscribe();
        // What makes no tunnel was refused with the settings.
        let Ok(Some(plan)) = Plan::of(tunnel) else {
            return Ok(None);
        };
        let knock = Knock::random();
        let front = FrontDoor {
            port: tunnel.port,
            client_ip: match plan.believed {
                Believed::Nothing => ClientIp::Peer,
                Believed::CfConnectingIp => ClientIp::CfConnectingIp,
            },
            tunnel_url,
            knock: porchlight_server::Knock {
                path: knock.path.clone(),
                answer: knock.answer.clone(),
            },
        };
        let service = service.clone();
        let door =
            bind_front_door(service, &begun.server, &begun.limits, public_url, front).await?;
        Ok(Some(Self {
            plan: plan.to_port(door.address().port()),
            knock,
            door,
            write_url,
        }))
    }

    /// Serves at the door and starts the tunnel.
    ///
    /// # Errors
    /// When no HTTPS client can be set up, or this program cannot be found.
    pub fn open(self) -> Result<OpenTunnel, StartError> {
        let holder = Holder {
            program: executable::now().map_err(StartError::Holder)?,
            arguments: vec!["hold".into(), file_mode::former_mask().into()],
        };
        let tunnel = Tunnel::start(self.plan, holder, self.knock, self.write_url)
            .map_err(|error| StartError::Http(error.to_string()))?;
        let close_door = CancellationToken::new();
        Ok(OpenTunnel {
            port: self.door.address().port(),
            tunnel,
            door: tokio::spawn(self.door.serve(close_door.clone())),
            close_door,
        })
    }
}

impl OpenTunnel {
    /// The port of its door on loopback.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// The tunnel that is kept up.
    pub fn tunnel(&self) -> &Tunnel {
        &self.tunnel
    }

    /// Ends the tunnel, then closes the door.
    pub async fn close(self) {
        self.tunnel.stop().await;
        self.close_door.cancel();
        if let Err(error) = self.door.await {
            tracing::error!(%error, "serving the tunnel broke off");
        }
    }
}
