//! Whether the owner's proxy at `server.public_url` keeps the header `Host`, without which pages of
//! readers are refused: probed at the start, when the address changes, and again after a while.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use porchlight_api::WebAddress;
use porchlight_api::state::StateReader;
use porchlight_companion::tunnel::Prober;
use porchlight_core::Service;
use tokio_util::sync::CancellationToken;

use super::public_address::PublicAddress;

/// The time between two probes, and the one while the owner may be mending the proxy.
const REST: Duration = Duration::from_secs(600);
const SOON: Duration = Duration::from_secs(60);

/// The probes of `server.public_url`.
pub struct ProxyProbe(Arc<AtomicBool>);

impl ProxyProbe {
    /// Probes until `stop`. Must be called on a tokio runtime.
    pub fn start(address: &PublicAddress, service: &Service, stop: CancellationToken) -> Self {
        let rewritten = Arc::new(AtomicBool::new(false));
        match Prober::new(service.probe().clone()) {
            Ok(prober) => {
                let probing = probe(prober, address.shared().own_url, Arc::clone(&rewritten));
                tokio::spawn(async move { stop.run_until_cancelled(probing).await });
            }
            Err(error) => tracing::error!(%error, "the own address cannot be probed"),
        }
        Self(rewritten)
    }

    /// Whether the proxy puts another host into `Host`.
    pub fn rewrites_host(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

async fn probe(
    prober: Prober,
    mut own_url: StateReader<Option<WebAddress>>,
    rewritten: Arc<AtomicBool>,
) {
    loop {
        let url = own_url.latest();
        // An address that does not lead here may be another machine's, or not reached from here.
        let found = match &url {
            Some(url) => prober.at(url).await.ok(),
            None => None,
        };
        let is_rewritten = found.is_some_and(|reached| reached.host_rewritten);
        if is_rewritten && !rewritten.load(Ordering::Relaxed) {
            tracing::warn!(
                "the proxy at server.public_url changes the header Host, so pages of readers are \
                 refused; in nginx: proxy_set_header Host $host;"
            );
        }
        rewritten.store(is_rewritten, Ordering::Relaxed);
        let rest = if is_rewritten { SOON } else { REST };
        tokio::select! {
            changed = own_url.changed() => if changed.is_err() { return },
            () = tokio::time::sleep(rest) => {}
        }
    }
}
