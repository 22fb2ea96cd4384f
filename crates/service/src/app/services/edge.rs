//! The events that the Worker gets: the tunnel's address, and sleep. Pauses come from
//! [`Consent`].

use std::sync::{Arc, Weak};

use tokio_util::sync::CancellationToken;

use super::public_address::PublicAddress;
use crate::app::consent::Consent;
use crate::presence::sleep::{self, AroundSleep};
use crate::service::Service;
use crate::status::window::home::Sharing;

/// Has the Worker follow the tunnel and sleep until `stop`, whenever there is one.
pub fn follow(
    service: &Service,
    address: &PublicAddress,
    consent: &Arc<Consent>,
    stop: &CancellationToken,
) {
    let sleeper = Sleeper {
        service: service.clone(),
        consent: Arc::downgrade(consent),
    };
    let until = stop.clone();
    tokio::spawn(async move { until.run_until_cancelled(sleep::follow(sleeper)).await });

    let (service, until) = (service.clone(), stop.clone());
    let mut tunnel_url = address.tunnel_url().reader();
    tokio::spawn(async move {
        loop {
            if let Some(edge) = service.edge() {
                edge.tunnel(tunnel_url.latest().as_ref());
            }
            tokio::select! {
                changed = tunnel_url.changed() => if changed.is_err() {
                    return;
                },
                () = until.cancelled() => return,
            }
        }
    });
}

/// Tells the Worker before the machine sleeps.
struct Sleeper {
    service: Service,
    consent: Weak<Consent>,
}

impl AroundSleep for Sleeper {
    async fn before(&mut self) {
        let edge = self.service.edge();
        let sleep = async {
            if let Some(edge) = edge {
                edge.sleep().await;
            }
        };
        tokio::join!(sleep, self.heartbeat());
    }

    fn after(&mut self) {
        if let Some(edge) = self.service.edge() {
            edge.wake();
        }
    }
}

impl Sleeper {
    /// Waits until the heartbeat with that status has arrived, where one is sent here.
    async fn heartbeat(&self) {
        let consent = self.consent.upgrade();
        let sends = consent.is_some_and(|consent| consent.sharing() == Sharing::On);
        let presence = self.service.presence();
        let mut changes = presence.changes();
        while sends && presence.own_is_online() && changes.changed().await.is_ok() {}
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests;
