//! HTTP client for the import source, following redirects.

use std::net::IpAddr;
use std::time::Duration;

use bytes::Bytes;
use rand::RngExt as _;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::header::{LOCATION, RETRY_AFTER};
use reqwest::{StatusCode, Url};
use serde_json::Value;

use super::Order;
use crate::clock::backoff::Backoff;
use crate::error::message::{Message, deepest};
use crate::ip::is_reserved;

/// The maximum number of redirects.
const MOST_REDIRECTS: u32 = 5;
/// The longest page of a list, in bytes: a hundred images take 15,000.
const LONGEST_PAGE: usize = 1024 * 1024;
const CONNECT_WITHIN: Duration = Duration::from_secs(10);
const BACKOFF: Backoff = Backoff::new(Duration::from_millis(500), Duration::from_secs(30));
/// The longest `Retry-After` that is honoured.
const LONGEST_RETRY_AFTER: Duration = Duration::from_secs(60);

/// The other server.
pub(super) struct Source {
    base: String,
    http: reqwest::Client,
    /// Whether only public internet addresses are requested: unless the
    /// server's address as given is in a private network, no address that it
    /// names may be.
    public_only: bool,
    retries: u32,
    timeout: Duration,
}

/// Why there is no answer.
#[derive(Debug)]
pub(super) struct Refusal {
    pub(super) why: Message,
    status: Option<StatusCode>,
    /// Whether it may be temporary, and its `Retry-After`, if any.
    passes: Option<Option<Duration>>,
}

/// A response whose body was not read yet.
pub(super) struct ServerAnswer {
    response: reqwest::Response,
    until: tokio::time::Instant,
}

/// The retries that are left.
pub(super) struct Retries {
    left: u32,
    failures: u32,
}

impl Source {
    pub(super) fn of(order: &Order) -> reqwest::Result<Self> {
        let public_only = !order.private && !is_at_home(order.from.as_str());
        let mut http = crate::http::client_tls::http_client()
            .user_agent(concat!("Porchlight/", env!("CARGO_PKG_VERSION")))
            .connect_timeout(CONNECT_WITHIN)
            .no_proxy()
            .redirect(reqwest::redirect::Policy::none())
            .referer(false);
        if public_only {
            http = http.dns_resolver(PublicOnly);
        }
        Ok(Self {
            base: order.from.as_str().to_owned(),
            http: http.build()?,
            public_only,
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
        let mut url = Url::parse(&format!("{}{path}", self.base)).map_err(|error| {
            Refusal::for_good(crate::detail!(
                "its address: {why}",
                why = error.to_string()
            ))
        })?;
        for _ in 0..=MOST_REDIRECTS {
            self.may_ask(&url)?;
            let sent = self.http.get(url.clone()).send();
            let response = within(until, sent).await?;
            let status = response.status();
            if status == StatusCode::OK {
                return Ok(ServerAnswer { response, until });
            }
            if !status.is_redirection() {
                return Err(Refusal::answered(&response));
            }
            let to = response.headers().get(LOCATION);
            let to = to.and_then(|to| to.to_str().ok());
            let to = to.and_then(|to| url.join(to).ok());
            let to = to.ok_or_else(|| {
                Refusal::for_good(crate::detail!(
                    "it redirects to something that is no web address"
                ))
            })?;
            if url.scheme() == "https" && to.scheme() != "https" {
                return Err(Refusal::for_good(crate::detail!(
                    "it redirects from https:// to http://"
                )));
            }
            url = to;
        }
        Err(Refusal::for_good(crate::detail!(
            "it redirects again and again"
        )))
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

    fn may_ask(&self, url: &Url) -> Result<(), Refusal> {
        if !matches!(url.scheme(), "http" | "https") {
            return Err(Refusal::for_good(crate::detail!(
                "it redirects to something that is no web address"
            )));
        }
        // A host name is checked when it is resolved.
        let address = url.host_str().and_then(address_in);
        if self.public_only && address.is_some_and(is_reserved) {
            return Err(Refusal::for_good(crate::detail!(
                "it redirects to an address in a private network"
            )));
        }
        Ok(())
    }
}

impl ServerAnswer {
    /// The announced number of bytes.
    pub(super) fn length(&self) -> Option<u64> {
        self.response.content_length()
    }

    pub(super) async fn chunk(&mut self) -> Result<Option<Bytes>, Refusal> {
        within(self.until, self.response.chunk()).await
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

impl Refusal {
    pub(super) fn for_good(why: Message) -> Self {
        Self {
            why,
            status: None,
            passes: None,
        }
    }

    fn for_now(why: Message) -> Self {
        Self {
            why,
            status: None,
            passes: Some(None),
        }
    }

    fn answered(response: &reqwest::Response) -> Self {
        let status = response.status();
        let retry_after = response.headers().get(RETRY_AFTER);
        let retry_after =
            retry_after.and_then(|retry_after| retry_after.to_str().ok()?.trim().parse().ok());
        let retry_after =
            retry_after.map(|seconds| Duration::from_secs(seconds).min(LONGEST_RETRY_AFTER));
        let may_pass = status.is_server_error() || status == StatusCode::TOO_MANY_REQUESTS;
        Self {
            why: crate::detail!("it answers {status}", status = status.as_u16()),
            status: Some(status),
            passes: may_pass.then_some(retry_after),
        }
    }

    pub(super) fn means_no_such_page(&self) -> bool {
        matches!(
            self.status,
            Some(StatusCode::NOT_FOUND | StatusCode::BAD_REQUEST)
        )
    }
}

async fn within<T>(
    until: tokio::time::Instant,
    call: impl Future<Output = reqwest::Result<T>>,
) -> Result<T, Refusal> {
    match tokio::time::timeout_at(until, call).await {
        Ok(Ok(answer)) => Ok(answer),
        Ok(Err(error)) => Err(Refusal::for_now(Message::text(deepest(&error)))),
        Err(_) => Err(Refusal::for_now(crate::detail!(
            "it does not answer in time"
        ))),
    }
}

/// The address that a host of a URL is, where it is one.
fn address_in(host: &str) -> Option<IpAddr> {
    let host = host.trim_start_matches('[').trim_end_matches(']');
    host.parse::<IpAddr>().ok().map(|ip| ip.to_canonical())
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

/// Resolves names to addresses of the public internet alone.
struct PublicOnly;

impl Resolve for PublicOnly {
    fn resolve(&self, name: Name) -> Resolving {
        Box::pin(async move {
            let found = tokio::net::lookup_host((name.as_str().to_owned(), 0)).await?;
            let public: Vec<_> = found
                .filter(|at| !is_reserved(at.ip().to_canonical()))
                .collect();
            if public.is_empty() {
                return Err("its address is in a private network (--private allows that)".into());
            }
            Ok(Box::new(public.into_iter()) as Addrs)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(from: &str, public_only: bool) -> Source {
        Source {
            base: from.to_owned(),
            http: crate::http::client_tls::http_client()
                .build()
                .expect("a client"),
            public_only,
            retries: 0,
            timeout: Duration::from_secs(5),
        }
    }

    #[tokio::test]
    async fn a_server_on_the_internet_leads_to_no_private_address() {
        let public = source("https://pictures.example", true);
        for address in [
            "http://127.0.0.1/a",
            "http://[::1]:9/a",
            "http://[::ffff:10.0.0.1]/a",
            "http://192.168.1.1/a",
            "http://169.254.169.254/latest",
            "http://2130706433/a",
            "file:///etc/passwd",
        ] {
            let url = Url::parse(address).expect("an address");
            assert!(public.may_ask(&url).is_err(), "{address}");
        }
        let url = Url::parse("https://93.184.215.14/a").expect("an address");
        assert!(public.may_ask(&url).is_ok());
        let url = Url::parse("http://127.0.0.1/a").expect("an address");
        assert!(source("http://127.0.0.1:1", false).may_ask(&url).is_ok());
        let name = "localhost".parse().expect("a name");
        assert!(PublicOnly.resolve(name).await.is_err());
    }

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
