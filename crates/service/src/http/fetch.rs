//! Gets what others have named: redirects are followed by the same rules, and where these say so no
//! address in a private network is asked, whatever a name resolves to.

use std::net::IpAddr;
use std::time::Duration;

use bytes::Bytes;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::header::{LOCATION, RETRY_AFTER};
use reqwest::{StatusCode, Url};
use tokio::time::Instant;

use super::reserved::is_reserved;
use crate::error::message::{Message, deepest};

/// The maximum number of redirects.
const MOST_REDIRECTS: u32 = 5;
const CONNECT_WITHIN: Duration = Duration::from_secs(10);
/// The longest `Retry-After` that is honoured.
const LONGEST_RETRY_AFTER: Duration = Duration::from_secs(60);

/// What may be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Rules {
    /// Only addresses of the public internet.
    pub(crate) public_only: bool,
    /// Only `https://`. Without it, a redirect from there to `http://` is refused all the same.
    pub(crate) https_only: bool,
    /// Behind the reason why a private address is refused: what allows it.
    pub(crate) hint: &'static str,
}

/// Gets web addresses by some rules.
pub(crate) struct Fetcher {
    http: reqwest::Client,
    rules: Rules,
}

/// Why there is no answer.
#[derive(Debug)]
pub(crate) struct Refusal {
    pub(crate) why: Message,
    pub(crate) status: Option<StatusCode>,
    /// Whether it may be temporary, and its `Retry-After`, if any.
    pub(crate) passes: Option<Option<Duration>>,
}

/// A response whose body was not read yet.
pub(crate) struct ServerAnswer {
    response: reqwest::Response,
    until: Instant,
}

impl Fetcher {
    /// # Errors
    /// When HTTPS cannot be used on this machine.
    pub(crate) fn new(rules: Rules) -> reqwest::Result<Self> {
        let mut http = super::client_tls::http_client()
            .user_agent(concat!("Porchlight/", env!("CARGO_PKG_VERSION")))
            .connect_timeout(CONNECT_WITHIN)
            .no_proxy()
            .redirect(reqwest::redirect::Policy::none())
            .referer(false);
        if rules.public_only {
            http = http.dns_resolver(PublicOnly(rules.hint));
        }
        Ok(Self {
            http: http.build()?,
            rules,
        })
    }

    /// `GET`, following up to five redirects; only a 200 is an answer. All of it, its body too, has
    /// until then.
    ///
    /// # Errors
    /// See [`Refusal`].
    pub(crate) async fn get(&self, url: &str, until: Instant) -> Result<ServerAnswer, Refusal> {
        let mut url = Url::parse(url).map_err(|error| {
            Refusal::for_good(crate::detail!(
                "its address: {why}",
                why = error.to_string()
            ))
        })?;
        for redirects in 0..=MOST_REDIRECTS {
            self.may_ask(&url).map_err(|why| {
                Refusal::for_good(match redirects {
                    0 => crate::detail!("its address {why}"),
                    _ => crate::detail!("it redirects to an address that {why}"),
                })
            })?;
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
            if url.scheme() == "https" && to.scheme() == "http" {
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

    /// # Errors
    /// What is wrong with the address.
    fn may_ask(&self, url: &Url) -> Result<(), &'static str> {
        if !matches!(url.scheme(), "http" | "https") {
            return Err("is no web address");
        }
        if self.rules.https_only && url.scheme() != "https" {
            return Err("is not https://");
        }
        // A host name is checked when it is resolved.
        let address = url.host_str().and_then(address_in);
        match self.rules.public_only && address.is_some_and(is_reserved) {
            true => Err("is in a private network"),
            false => Ok(()),
        }
    }
}

impl ServerAnswer {
    /// The announced number of bytes.
    pub(crate) fn length(&self) -> Option<u64> {
        self.response.content_length()
    }

    pub(crate) async fn chunk(&mut self) -> Result<Option<Bytes>, Refusal> {
        within(self.until, self.response.chunk()).await
    }
}

impl Refusal {
    pub(crate) fn for_good(why: Message) -> Self {
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

    /// Whether the server has no such page.
    pub(crate) fn means_no_such_page(&self) -> bool {
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
pub(crate) fn address_in(host: &str) -> Option<IpAddr> {
    let host = host.trim_start_matches('[').trim_end_matches(']');
    host.parse::<IpAddr>().ok().map(|ip| ip.to_canonical())
}

/// Resolves names to addresses of the public internet alone.
struct PublicOnly(&'static str);

impl Resolve for PublicOnly {
    fn resolve(&self, name: Name) -> Resolving {
        let hint = self.0;
        Box::pin(async move {
            let found = tokio::net::lookup_host((name.as_str().to_owned(), 0)).await?;
            let public: Vec<_> = found
                .filter(|at| !is_reserved(at.ip().to_canonical()))
                .collect();
            if public.is_empty() {
                return Err(format!("its address is in a private network{hint}").into());
            }
            Ok(Box::new(public.into_iter()) as Addrs)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fetcher(public_only: bool, https_only: bool) -> Fetcher {
        let rules = Rules {
            public_only,
            https_only,
            hint: "",
        };
        Fetcher::new(rules).expect("a client")
    }

    fn may_ask(fetcher: &Fetcher, address: &str) -> bool {
        let url = Url::parse(address).expect("an address");
        fetcher.may_ask(&url).is_ok()
    }

    #[tokio::test]
    async fn a_server_on_the_internet_leads_to_no_private_address() {
        let public = fetcher(true, false);
        for address in [
            "http://127.0.0.1/a",
            "http://[::1]:9/a",
            "http://[::ffff:10.0.0.1]/a",
            "http://192.168.1.1/a",
            "http://169.254.169.254/latest",
            "http://2130706433/a",
            "file:///etc/passwd",
        ] {
            assert!(!may_ask(&public, address), "{address}");
        }
        assert!(may_ask(&public, "https://93.184.215.14/a"));
        assert!(may_ask(&fetcher(false, false), "http://127.0.0.1/a"));
        let name = "localhost".parse().expect("a name");
        assert!(PublicOnly("").resolve(name).await.is_err());
    }

    #[test]
    fn where_only_https_is_asked_no_other_scheme_is() {
        let only = fetcher(true, true);
        assert!(may_ask(&only, "https://93.184.215.14/a"));
        for address in ["http://93.184.215.14/a", "ftp://93.184.215.14/a"] {
            assert!(!may_ask(&only, address), "{address}");
        }
    }
}
