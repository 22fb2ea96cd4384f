//! Whether `server.public_url` leads here, and whether the owner's proxy there keeps the header `Host`,
//! without which pages of readers are refused: probed at the start, when the address changes, and again
//! after a while.

use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::public_address::PublicAddress;
use crate::service::Service;
use crate::state::{State, StateReader};
use crate::text::address::WebAddress;
use crate::tunnel::Prober;

/// The time between two probes, and the one while the owner may be setting up or mending the proxy.
const REST: Duration = Duration::from_secs(600);
const SOON: Duration = Duration::from_secs(60);

/// The probes of `server.public_url`.
pub struct ProxyProbe(State<LastProbe>);

#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct LastProbe {
    /// The address that led here.
    reached: Option<WebAddress>,
    rewrites_host: bool,
}

impl ProxyProbe {
    /// Probes until `stop`. Must be called on a tokio runtime.
    pub fn start(address: &PublicAddress, service: &Service, stop: CancellationToken) -> Self {
        let last = State::default();
        match Prober::new(service.probe().clone()) {
            Ok(prober) => {
                let probing = probe(prober, address.subscribe_to_own(), last.clone());
                tokio::spawn(async move { stop.run_until_cancelled(probing).await });
            }
            Err(error) => tracing::error!(%error, "the own address cannot be probed"),
        }
        Self(last)
    }

    /// Whether the proxy puts another host into `Host`.
    pub fn rewrites_host(&self) -> bool {
        self.0.with(|last| last.rewrites_host)
    }

    /// Whether this address led here when it was last probed.
    pub fn has_reached(&self, address: &str) -> bool {
        let reached = |last: &LastProbe| last.reached.as_ref().map(ToString::to_string);
        self.0.with(reached).as_deref() == Some(address)
    }
}

async fn probe(
    prober: Prober,
    mut own_url: StateReader<Option<WebAddress>>,
    last: State<LastProbe>,
) {
    loop {
        let url = own_url.latest();
        // An address that does not lead here may be another machine's, or not reached from here.
        let found = match &url {
            Some(url) => prober.at(url).await.ok(),
            None => None,
        };
        let rewrites_host = found.is_some_and(|reached| reached.host_rewritten);
        if rewrites_host && !last.with(|last| last.rewrites_host) {
            tracing::warn!(
                "the proxy at server.public_url changes the header Host, so pages of readers are \
                 refused; in nginx: proxy_set_header Host $host;"
            );
        }
        let is_wanting = url.is_some() && (found.is_none() || rewrites_host);
        let rest = if is_wanting { SOON } else { REST };
        last.set(LastProbe {
            reached: url.filter(|_| found.is_some()),
            rewrites_host,
        });
        tokio::select! {
            changed = own_url.changed() => if changed.is_err() { return },
            () = tokio::time::sleep(rest) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use porchlight_test_harness::eventually;
    use porchlight_test_harness::stand_in::{Reply, StandIn};

    use crate::testing::host;

    #[tokio::test]
    async fn an_own_address_that_leads_here_is_known() {
        let folder = tempfile::tempdir().expect("a folder");
        let host = host(folder.path(), &[]).await;
        let probed = async |address: &str, leads_here: bool| {
            let change = [("server.public_url", Some(address.to_owned().into()))];
            host.store().update(&change).await.expect("written");
            eventually(address, async || {
                (host.blog_address().reached == leads_here).then_some(())
            })
            .await;
        };
        let own = host.local_url().to_string();
        probed(&own, true).await;
        // It answers, and is not ours.
        let other = StandIn::start(|_| Reply::html(200, "hello")).await;
        probed(&other.url(), false).await;
        other.called(1).await;
        assert!(!host.blog_address().reached);
        host.stop().await;
    }
}
