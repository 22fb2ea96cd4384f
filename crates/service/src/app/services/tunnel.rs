//! The tunnel of the settings, and the public listener that it leads to.

use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::error::message::Message;
use crate::files::{executable, file_mode};
use crate::http::settings::ClientIp;
use crate::router::listen::{BindError, Bound, bind_public};
use crate::router::listener_state::{PublicListener, Shared};
use crate::service::Service;
use crate::state::State;
use crate::text::address::{Probe, WebAddress};
use crate::tunnel::settings::TunnelSettings;
use crate::tunnel::{Holder, Plan, TrustedHeader, Tunnel};

/// A tunnel that is about to start, and its public listener, which is bound already.
pub struct Prepared {
    plan: Plan,
    probe: Probe,
    listener: Bound,
    write_url: State<Option<WebAddress>>,
}

/// A tunnel that is kept up, and its public listener.
pub struct RunningTunnel {
    port: u16,
    tunnel: Tunnel,
    listener: JoinHandle<()>,
    stop_serving: CancellationToken,
}

impl Prepared {
    /// Binds the public listener for the tunnel of the settings, where there is one.
    /// `write_url` holds the tunnel's address while that leads here; `probe` finds that out.
    ///
    /// # Errors
    /// When the port is in use.
    pub async fn of(
        tunnel: &TunnelSettings,
        service: &Service,
        shared: Shared,
        write_url: State<Option<WebAddress>>,
    ) -> Result<Option<Self>, BindError> {
        let tunnel_url = write_url.reader();
        // Settings that make no tunnel were rejected with the settings file.
        let Ok(Some(plan)) = Plan::of(tunnel) else {
            return Ok(None);
        };
        let front = PublicListener {
            port: tunnel.port,
            client_ip: match plan.trusted_header {
                TrustedHeader::Nothing => ClientIp::Peer,
                TrustedHeader::CfConnectingIp => ClientIp::CfConnectingIp,
            },
            fixed_url: plan.fixed_address().cloned(),
            tunnel_url,
        };
        let probe = service.probe().clone();
        let service = service.clone();
        let listener = bind_public(service, shared, front).await?;
        Ok(Some(Self {
            plan: plan.to_port(listener.address().port()),
            probe,
            listener,
            write_url,
        }))
    }

    /// Serves on the public listener and starts the tunnel.
    ///
    /// # Errors
    /// When no HTTPS client can be set up, or the executable cannot be found.
    pub fn start(self) -> Result<RunningTunnel, Message> {
        let holder = Holder {
            program: executable::now()
                .map_err(|why| crate::detail!("the executable's path is unknown: {why}"))?,
            arguments: vec!["hold".into(), file_mode::former_mask().into()],
        };
        let tunnel = Tunnel::start(self.plan, holder, self.probe, self.write_url)
            .map_err(|why| crate::detail!("HTTPS cannot be used here: {why}"))?;
        let stop_serving = CancellationToken::new();
        Ok(RunningTunnel {
            port: self.listener.address().port(),
            tunnel,
            listener: tokio::spawn(self.listener.serve(stop_serving.clone())),
            stop_serving,
        })
    }
}

impl RunningTunnel {
    /// The port of its listener on loopback.
    pub fn port(&self) -> u16 {
        self.port
    }

    pub fn tunnel(&self) -> &Tunnel {
        &self.tunnel
    }

    /// Stops the tunnel, then its listener.
    pub async fn stop(self) {
        self.tunnel.stop().await;
        self.stop_serving.cancel();
        if let Err(error) = self.listener.await {
            tracing::error!(%error, "serving the tunnel has failed");
        }
    }
}
