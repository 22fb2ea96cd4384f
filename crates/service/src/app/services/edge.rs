//! Whether the address of the Worker leads here: probed at the start, when the addresses change, on
//! request, each hour, and each minute while it does not. At most once a minute, since each probe
//! is a request of the Worker's plan; a new address is probed at once. Where the requests of the day
//! are used up, the next probe is that after midnight UTC.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::{Instant, sleep, sleep_until};
use tokio_util::sync::CancellationToken;

use super::public_address::PublicAddress;
use crate::clock::timestamp::Timestamp;
use crate::error::message::Message;
use crate::service::Service;
use crate::settings::sections::StorageKind;
use crate::settings::store::CurrentSettings;
use crate::state::{State, StateReader};
use crate::status::window::reach::EdgeGlance;
use crate::storage::EdgeDay;
use crate::text::address::WebAddress;
use crate::tunnel::{EdgeProber, FoundAtEdge};

/// The least time between two probes of an address.
const REST: Duration = Duration::from_secs(60);

/// The time between two probes of an address that leads here.
const HOUR: Duration = Duration::from_secs(3600);

/// The probes of the Worker's address.
pub struct EdgeProbe {
    state: StateReader<EdgeGlance>,
    now: Arc<Notify>,
}

impl EdgeProbe {
    /// Probes until `stop`. Must be called on a tokio runtime.
    pub fn start(
        settings: CurrentSettings,
        address: &PublicAddress,
        service: Service,
        stop: CancellationToken,
    ) -> Self {
        let write_state = State::new(EdgeGlance::Off);
        let state = write_state.reader();
        let now = Arc::new(Notify::new());
        let prober = match EdgeProber::new(service.probe().clone()) {
            Ok(prober) => prober,
            Err(error) => {
                tracing::error!(%error, "the Worker's address cannot be probed");
                return Self { state, now };
            }
        };
        let probing = Probing {
            settings,
            service,
            prober,
            chosen: address.subscribe_to_chosen(),
            tunnel: address.tunnel_url().reader(),
            now: Arc::clone(&now),
            state: write_state,
        };
        tokio::spawn(async move { stop.run_until_cancelled(probing.run()).await });
        Self { state, now }
    }

    pub fn state(&self) -> StateReader<EdgeGlance> {
        self.state.clone()
    }

    /// Probes again, as soon as a minute has passed since the last time.
    pub fn probe(&self) {
        self.now.notify_one();
    }
}

struct Probing {
    settings: CurrentSettings,
    service: Service,
    prober: EdgeProber,
    chosen: StateReader<Option<WebAddress>>,
    tunnel: StateReader<Option<WebAddress>>,
    now: Arc<Notify>,
    state: State<EdgeGlance>,
}

impl Probing {
    async fn run(mut self) {
        loop {
            self.chosen.mark_unchanged();
            let Some(url) = self.settings.get().edge.url.clone() else {
                self.state.set(EdgeGlance::Off);
                if self.chosen.changed().await.is_err() {
                    return;
                }
                continue;
            };
            self.tunnel.mark_unchanged();
            if self.state.get() == EdgeGlance::Off {
                self.state.set(EdgeGlance::Checking);
            }
            let images = match self.service.settings().edge.secret {
                Some(_) => None,
                None => self.service.images().count().await.ok(),
            };
            let found = tokio::select! {
                found = self.prober.at(&url, images) => found,
                Ok(()) = self.chosen.changed() => {
                    self.state.set(EdgeGlance::Checking);
                    continue;
                }
            };
            let now = Timestamp::now();
            let until = EdgeDay::end(now);
            let wait = match &found {
                Ok(FoundAtEdge::Service(_)) => Some(HOUR),
                // A Worker that keeps the images answers from its snapshot alone.
                Ok(FoundAtEdge::Snapshot) if self.is_store() => Some(HOUR),
                Ok(FoundAtEdge::Limit) => {
                    let edge = &self.service.settings().storage.edge;
                    if edge.url.as_ref() == Some(&url) {
                        edge.day.set_spent(until);
                    }
                    let left = until.as_millis() - now.as_millis();
                    Some(Duration::from_millis(left.unsigned_abs()))
                }
                _ => None,
            };
            self.state.set(glance(found, self.is_store()));
            self.rest(wait).await;
        }
    }

    fn is_store(&self) -> bool {
        self.settings.get().storage.kind == StorageKind::Edge
    }

    /// Waits for a reason to probe again, which without `wait` there is, and until that is allowed.
    async fn rest(&mut self, wait: Option<Duration>) {
        let allowed = Instant::now() + REST;
        let reason = async {
            if let Some(wait) = wait {
                tokio::select! {
                    () = self.now.notified() => {}
                    Ok(()) = self.tunnel.changed() => {}
                    () = sleep(wait) => {}
                }
            }
            sleep_until(allowed).await;
        };
        tokio::select! {
            () = reason => {}
            Ok(()) = self.chosen.changed() => {
                self.state.set(EdgeGlance::Checking);
            }
        }
    }
}

fn glance(found: Result<FoundAtEdge, Message>, is_store: bool) -> EdgeGlance {
    let checked = Timestamp::now().as_millis();
    match found {
        Ok(FoundAtEdge::Service(took)) => EdgeGlance::Service {
            round_trip: u32::try_from(took.as_millis()).unwrap_or(u32::MAX),
            checked,
        },
        Ok(FoundAtEdge::Snapshot) if is_store => EdgeGlance::Store { checked },
        Ok(FoundAtEdge::Snapshot) => EdgeGlance::Snapshot { checked },
        Ok(FoundAtEdge::Limit) => EdgeGlance::Limit { checked },
        Err(why) => EdgeGlance::Fails { why, checked },
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    use tokio::net::TcpListener;

    use super::*;
    use crate::testing::host;

    /// A server that answers everything like this.
    async fn server(answer: &'static str) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                let mut request = [0; 1024];
                // Whatever was asked, the answer is the same.
                let _ = stream.read(&mut request).await;
                let _ = stream.write_all(answer.as_bytes()).await;
            }
        });
        format!("http://{address}")
    }

    #[test]
    fn a_worker_that_keeps_everything_works_without_this_process() {
        let is_store = |is_store| {
            let found = glance(Ok(FoundAtEdge::Snapshot), is_store);
            matches!(found, EdgeGlance::Store { .. })
        };
        assert!(is_store(true) && !is_store(false));
    }

    #[tokio::test]
    async fn a_new_address_is_probed_at_once() {
        let snapshot = server(
            "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 11\r\n\r\n{\"count\":0}",
        );
        let limit = server(
            "HTTP/1.1 429 Too Many Requests\r\nConnection: close\r\nContent-Length: 16\r\n\r\n\
             error code: 1027",
        );
        let folder = tempfile::tempdir().expect("a folder");
        let host = host(folder.path(), &[]).await;
        assert_eq!(host.edge().state().get(), EdgeGlance::Off);
        let mut state = host.edge().state();
        let mut found = async |url: Option<String>, wanted: fn(&EdgeGlance) -> bool| {
            let change = [("edge.url".to_owned(), serde_json::json!(url))].into();
            assert_eq!(host.store().change(&change).await, Ok(Vec::new()));
            state.wait_for(wanted).await.expect("the host lives");
        };
        // Each long before a minute has passed.
        let is_snapshot = |state: &EdgeGlance| matches!(state, EdgeGlance::Snapshot { .. });
        found(Some(snapshot.await), is_snapshot).await;
        let is_limit = |state: &EdgeGlance| matches!(state, EdgeGlance::Limit { .. });
        found(Some(limit.await), is_limit).await;
        found(None, |state| *state == EdgeGlance::Off).await;
        host.stop().await;
    }

    #[tokio::test]
    async fn an_address_that_leads_here_is_probed_again_each_hour() {
        let well = server(
            "HTTP/1.1 200 OK\r\nX-Porchlight: 1\r\nConnection: close\r\n\
             Content-Length: 11\r\n\r\n{\"count\":0}",
        );
        let folder = tempfile::tempdir().expect("a folder");
        let host = host(folder.path(), &[]).await;
        let change = [("edge.url".to_owned(), serde_json::json!(well.await))].into();
        assert_eq!(host.store().change(&change).await, Ok(Vec::new()));
        let mut state = host.edge().state();
        let is_service = |state: &EdgeGlance| matches!(state, EdgeGlance::Service { .. });
        state.wait_for(is_service).await.expect("the host lives");
        let mut is_probed_within = async |wait: u64| {
            tokio::time::pause();
            tokio::time::advance(HOUR / 2).await;
            tokio::time::resume();
            let wait = Duration::from_secs(wait);
            tokio::time::timeout(wait, state.changed()).await.is_ok()
        };
        assert!(!is_probed_within(1).await);
        assert!(is_probed_within(30).await);
        assert!(is_service(&host.edge().state().get()));
        host.stop().await;
    }
}
