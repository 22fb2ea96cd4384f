//! How the world comes in: the tunnel of the settings, and the front door that
//! it leads to.

use std::sync::{Arc, Weak};

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
use crate::host::{Parts, StartError};
use crate::settings::Settings;

/// A tunnel that is to be started, and its door, which listens already.
pub struct Prepared {
    plan: Plan,
    knock: Knock,
    door: Bound,
    write_url: watch::Sender<Option<WebAddress>>,
}

/// A tunnel that is kept up, and its door.
pub struct WayIn {
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
    pub fn open(self) -> Result<WayIn, StartError> {
        let holder = Holder {
            program: executable::now().map_err(StartError::Holder)?,
            arguments: vec!["hold".into(), file_mode::former_mask().into()],
        };
        let tunnel = Tunnel::start(self.plan, holder, self.knock, self.write_url)
            .map_err(|error| StartError::Http(error.to_string()))?;
        let close_door = CancellationToken::new();
        Ok(WayIn {
            port: self.door.address().port(),
            tunnel,
            door: tokio::spawn(self.door.serve(close_door.clone())),
            close_door,
        })
    }
}

impl WayIn {
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

/// Has the public address follow the tunnel, until the host is gone.
pub fn follow(mut tunnel_url: watch::Receiver<Option<WebAddress>>, host: Weak<Parts>) {
    tokio::spawn(async move {
        let mut warned = None;
        while tunnel_url.changed().await.is_ok() {
            let Some(parts) = Weak::upgrade(&host) else {
                return;
            };
            Arc::as_ref(&parts).publish_address();
            let chosen = parts.settings.lock().server.public_url.clone();
            let found = tunnel_url.borrow_and_update().clone();
            if let Some(warning) = other_address(chosen.as_ref(), found.as_ref())
                && warned.as_ref() != Some(&warning)
            {
                tracing::warn!("{warning}");
                warned = Some(warning);
            }
        }
    });
}

/// What to say of a tunnel that leads here by another address than links are
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

    #[test]
    fn an_address_in_the_settings_that_is_not_the_tunnels_is_told() {
        let address = |text: &str| text.parse::<WebAddress>().expect("an address");
        let (old, new) = (
            address("https://old.example"),
            address("https://new.example"),
        );
        let told = other_address(Some(&old), Some(&new)).expect("a warning");
        assert!(told.contains("https://old.example") && told.contains("https://new.example"));
        for (chosen, found) in [
            (None, Some(&new)),
            (Some(&old), None),
            (Some(&old), Some(&old)),
        ] {
            assert_eq!(other_address(chosen, found), None);
        }
    }
}
