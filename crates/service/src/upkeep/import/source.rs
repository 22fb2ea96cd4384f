//! HTTP client for the import source, following redirects.

use std::time::Duration;

use rand::RngExt as _;
use reqwest::Url;
use serde_json::Value;

use super::Order;
use crate::clock::backoff::Backoff;
use crate::http::fetch::{Fetcher, Rules, address_in};
pub(super) use crate::http::fetch::{Refusal, ServerAnswer};
use crate::http::reserved::is_reserved;

/// The longest page of a list, in bytes: a hundred images take 15,000.
const LONGEST_PAGE: usize = 1024 * 1024;
const BACKOFF: Backoff = Backoff::new(Duration::from_millis(500), Duration::from_secs(30));

/// The other server.
pub(super) struct Source {
    base: String,
    fetcher: Fetcher,
    retries: u32,
    timeout: Duration,
}

/// The retries that are left.
pub(super) struct Retries {
    left: u32,
    failures: u32,
}

impl Source {
    pub(super) fn of(order: &Order) -> reqwest::Result<Self> {
        let fetcher = Fetcher::new(Rules {
            // Unless the server's address as given is in a private network, no address that it names
            // may be.
            public_only: !order.private && !is_at_home(order.from.as_str()),
            https_only: false,
            hint: " (--private allows that)",
        })?;
        Ok(Self {
            base: order.from.as_str().to_owned(),
            fetcher,
            retries: order.retries,
            timeout: order.timeout,
        })
    }

    pub(super) fn retries(&self) -> Retries {
        Retries {
            left: self.retries,
            failures: 0,
        }
    }

    /// `GET path`, following redirects; only a 200 is an answer.
    pub(super) async fn get(&self, path: &str) -> Result<ServerAnswer, Refusal> {
        let until = tokio::time::Instant::now() + self.timeout;
        self.fetcher
            .get(&format!("{}{path}", self.base), until)
            .await
    }

    /// `GET path`, which must answer JSON.
    pub(super) async fn json(&self, path: &str) -> Result<Value, Refusal> {
        let mut answer = self.get(path).await?;
        let mut body = Vec::new();
        while let Some(chunk) = answer.chunk().await? {
            if body.len() + chunk.len() > LONGEST_PAGE {
                return Err(Refusal::for_good(crate::detail!("a page of it has no end")));
            }
            body.extend_from_slice(&chunk);
        }
        serde_json::from_slice(&body).map_err(|_| {
            Refusal::for_good(crate::detail!(
                "it answers with something that is no list of pictures"
            ))
        })
    }
}

impl Retries {
    /// Waits for the next try; `false` when there is none.
    pub(super) async fn wait(&mut self, refusal: &Refusal) -> bool {
        let Some(retry_after) = refusal.passes else {
            return false;
        };
        if self.left == 0 {
            return false;
        }
        self.left -= 1;
        self.failures += 1;
        // With jitter, so that they do not all retry at once.
        let part = rand::rng().random_range(0.75..1.25);
        let pause = retry_after.unwrap_or_else(|| BACKOFF.after(self.failures).mul_f64(part));
        tokio::time::sleep(pause).await;
        true
    }
}

/// Whether an address is literally on this machine or in a private network. What a name resolves to
/// does not count: other parties control DNS answers, and they can change.
fn is_at_home(base: &str) -> bool {
    let Ok(url) = Url::parse(base) else {
        return false;
    };
    let host = url.host_str().unwrap_or_default();
    match address_in(host) {
        Some(address) => is_reserved(address),
        None => {
            let last = host.trim_end_matches('.').rsplit('.').next();
            matches!(last, Some("localhost" | "local"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_address_itself_puts_a_server_into_a_private_network() {
        for home in [
            "http://127.0.0.1:4780",
            "http://[::1]",
            "http://localhost",
            "http://LOCALHOST.:80",
            "http://blog.localhost",
            "http://nas.local",
            "http://10.1.2.3",
            "http://[fd00::1]",
        ] {
            assert!(is_at_home(home), "{home}");
        }
        for elsewhere in [
            "https://93.184.215.14",
            "https://pictures.example",
            // Resolves to a private address at home, and elsewhere to whatever DNS returns.
            "http://nas",
            "http://local.example",
            "http://notlocalhost",
        ] {
            assert!(!is_at_home(elsewhere), "{elsewhere}");
        }
    }
}
