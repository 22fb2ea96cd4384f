//! The events that the snapshot depends on: the tunnel's address, and sleep. Pauses come
//! from [`Consent`].

use std::sync::{Arc, Weak};

use tokio_util::sync::CancellationToken;

use super::public_address::PublicAddress;
use crate::app::consent::Consent;
use crate::edge::publishing::Publishing;
use crate::presence::sleep::{self, AroundSleep};
use crate::service::Service;
use crate::settings::difference::Subscription;
use crate::settings::meta::SettingsPart;
use crate::status::window::home::Sharing;

/// Has the snapshot follow the settings, and the tunnel and sleep until `stop`, where there is one.
pub fn follow(
    service: &Service,
    address: &PublicAddress,
    consent: &Arc<Consent>,
    changes: Subscription,
    stop: &CancellationToken,
) {
    tokio::spawn(follow_settings(service.clone(), changes));
    let Some(publishing) = service.publishing() else {
        return;
    };
    let sleeper = Sleeper {
        publishing: publishing.clone(),
        service: service.clone(),
        consent: Arc::downgrade(consent),
    };
    let until = stop.clone();
    tokio::spawn(async move { until.run_until_cancelled(sleep::follow(sleeper)).await });

    let (publishing, until) = (publishing.clone(), stop.clone());
    let mut tunnel_url = address.tunnel_url().reader();
    tokio::spawn(async move {
        loop {
            publishing.tunnel(tunnel_url.latest().as_ref());
            tokio::select! {
                changed = tunnel_url.changed() => if changed.is_err() {
                    return;
                },
                () = until.cancelled() => return,
            }
        }
    });
}

/// Ends publishing at once where the settings switch it off. It starts with the next start.
async fn follow_settings(service: Service, mut changes: Subscription) {
    while let Some(change) = changes.next().await {
        if change.concerns(SettingsPart::Publishing) && !change.new_settings().publish.enabled {
            change.counts_now(|started| started.publish.enabled = false);
            if let Err(why) = service.stop_publishing().await {
                change.failed(SettingsPart::Publishing, why);
            }
        }
    }
}

/// Publishes "offline" before the machine sleeps.
struct Sleeper {
    publishing: Publishing,
    service: Service,
    consent: Weak<Consent>,
}

impl AroundSleep for Sleeper {
    async fn before(&mut self) {
        tokio::join!(self.publishing.sleep(), self.heartbeat());
    }

    fn after(&mut self) {
        self.publishing.wake();
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

#[cfg(test)]
mod tests;
