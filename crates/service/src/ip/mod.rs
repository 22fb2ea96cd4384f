//! IP address lookup: from a file on this machine, or from a provider that is
//! called as seldom as possible.

mod allowance;
mod ipinfo;
mod mmdb;
mod names;

use std::net::IpAddr;
use std::path::PathBuf;
use std::sync::{Arc, Once};
use std::time::Duration;

use parking_lot::Mutex;
use quick_cache::sync::Cache;
use serde::{Deserialize, Serialize};

use self::allowance::Allowance;
use self::ipinfo::{Ipinfo, IpinfoError};
use self::mmdb::Mmdb;
use self::names::Names;
use crate::clock::Clock;
use crate::clock::timestamp::Timestamp;
use crate::error::message::Message;
use crate::http::replies::IpInformation;
use crate::http::reserved::is_reserved;
use crate::text::address::WebAddress;
use crate::text::secret::Secret;

/// For how long a provider's answer is cached.
const GOOD_FOR: Duration = Duration::from_secs(24 * 60 * 60);

/// Answers that are remembered, some 2 MB.
const MOST_ANSWERS: usize = 4096;

/// `[ip]`
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct IpSettings {
    /// A MaxMind-format database; with it no look-up leaves the machine. Where it cannot be used, the
    /// provider is asked only if there is a token for it.
    pub mmdb: Option<PathBuf>,
    /// A token of ipinfo.io.
    #[serde(skip_serializing)]
    pub ipinfo_token: Option<Secret>,
    /// ipinfo.io, or a mirror.
    pub ipinfo_url: WebAddress,
}

impl Default for IpSettings {
    fn default() -> Self {
        Self {
            mmdb: None,
            ipinfo_token: None,
            ipinfo_url: "https://ipinfo.io".parse().expect("an address"),
        }
    }
}

/// Looks IP addresses up.
pub struct IpLookup {
    source: Source,
    trouble: Option<Message>,
    /// Whether the log has reported that the file cannot be read.
    warned: Once,
}

enum Source {
    File(Mmdb),
    Provider(Arc<Provider>),
    /// The file cannot be used, and there is no token for the provider.
    Nothing,
}

/// Why no information was found.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum IpError {
    /// The provider or the file failed, as text for the owner.
    #[error("{0}")]
    Failed(String),
    /// The calls of a day are used up.
    #[error("the day's calls to the provider are used up")]
    BudgetSpent {
        /// When there are calls again.
        retry_after: Duration,
    },
}

impl IpLookup {
    /// A look-up in the file that the settings name, else at the provider. A file that cannot be used
    /// is logged; see [`IpLookup::trouble`]. `http` should follow no redirects.
    #[must_use]
    pub fn open(settings: &IpSettings, http: reqwest::Client, clock: Clock) -> Self {
        Self::open_with_dns(settings, http, clock, dns_name)
    }

    /// [`IpLookup::open`] with another name resolver, which may block.
    pub fn open_with_dns(
        settings: &IpSettings,
        http: reqwest::Client,
        clock: Clock,
        dns: impl Fn(IpAddr) -> Option<String> + Send + Sync + 'static,
    ) -> Self {
        let file = settings.mmdb.as_deref().map(Mmdb::open).transpose();
        let is_left_to_provider = settings.mmdb.is_none() || settings.ipinfo_token.is_some();
        let (file, trouble) = match file {
            Ok(file) => (file, None),
            Err(error) => {
                tracing::error!("{error}; IP look-up goes on without it");
                (None, Some(error))
            }
        };
        let source = match file {
            Some(file) => Source::File(file),
            None if !is_left_to_provider => Source::Nothing,
            None => Source::Provider(Arc::new(Provider {
                ipinfo: Ipinfo::new(
                    http,
                    settings.ipinfo_url.clone(),
                    settings.ipinfo_token.clone().map(Into::into),
                ),
                names: Names::new(dns),
                clock,
                answers: Cache::new(MOST_ANSWERS),
                allowance: Mutex::default(),
            })),
        };
        Self {
            source,
            trouble,
            warned: Once::new(),
        }
    }

    /// Why the file that the settings name is not used.
    #[must_use]
    pub fn trouble(&self) -> Option<&Message> {
        self.trouble.as_ref()
    }

    /// Looks up the address; the answer's `ip` is its shortest form, IPv4 for
    /// an IPv4-mapped IPv6 address. A private or reserved address is answered
    /// here with `ip` alone. With a file nothing leaves the machine, so
    /// `hostname` is empty.
    ///
    /// # Errors
    /// See [`IpError`].
    pub async fn look_up(&self, ip: IpAddr) -> Result<IpInformation, IpError> {
        if let Some(found) = self.at_hand(ip) {
            return Ok(found);
        }
        let ip = ip.to_canonical();
        match &self.source {
            Source::File(file) => file.look_up(ip).map_err(|error| {
                self.warned.call_once(|| {
                    tracing::warn!(%error, "the file of ip.mmdb cannot be read");
                });
                IpError::Failed(error.to_string())
            }),
            Source::Provider(provider) => provider.look_up(ip).await,
            Source::Nothing => Err(IpError::Failed("there is no usable file".to_owned())),
        }
        .map(|found| with_address(found, ip))
    }

    /// [`IpLookup::look_up`] without network requests; `None` when it would ask the provider, or
    /// fail.
    #[must_use]
    pub fn at_hand(&self, ip: IpAddr) -> Option<IpInformation> {
        let ip = ip.to_canonical();
        let found = match &self.source {
            _ if is_reserved(ip) => Some(IpInformation::default()),
            Source::File(file) => file.look_up(ip).ok(),
            Source::Provider(provider) => provider.kept(ip),
            Source::Nothing => None,
        };
        found.map(|found| with_address(found, ip))
    }
}

fn with_address(found: IpInformation, ip: IpAddr) -> IpInformation {
    IpInformation {
        ip: ip.to_string(),
        ..found
    }
}

/// The provider with its savings: cached answers, one call per address for
/// concurrent lookups, and a daily limit.
struct Provider {
    ipinfo: Ipinfo,
    names: Names,
    clock: Clock,
    answers: Cache<IpAddr, (IpInformation, Timestamp)>,
    allowance: Mutex<Allowance>,
}

impl Provider {
    /// Calls in a separate task, so that a reader who disconnects neither stops
    /// what others wait for nor wastes the call.
    async fn look_up(self: &Arc<Self>, ip: IpAddr) -> Result<IpInformation, IpError> {
        let provider = Arc::clone(self);
        let task = tokio::spawn(async move {
            let is_old = |(_, at): &_| !provider.is_good(*at);
            provider.answers.remove_if(&ip, is_old);
            let call = async { Ok((provider.ask(ip).await?, provider.clock.now())) };
            let (answer, _) = provider.answers.get_or_insert_async(&ip, call).await?;
            Ok(answer)
        });
        let stopped = |_| Err(IpError::Failed("the look-up ended early".to_owned()));
        task.await.unwrap_or_else(stopped)
    }

    fn kept(&self, ip: IpAddr) -> Option<IpInformation> {
        let (answer, at) = self.answers.get(&ip)?;
        self.is_good(at).then_some(answer)
    }

    fn is_good(&self, at: Timestamp) -> bool {
        self.clock.since(at).is_some_and(|age| age < GOOD_FOR)
    }

    async fn ask(&self, ip: IpAddr) -> Result<IpInformation, IpError> {
        self.allowance.lock().take(&self.clock)?;
        match self.ipinfo.look_up(ip).await {
            Ok(mut answer) => {
                if self.allowance.lock().answered() {
                    tracing::info!("IP look-up works again");
                }
                if answer.hostname.is_empty() {
                    answer.hostname = self.names.of(ip).await;
                }
                Ok(answer)
            }
            Err(IpinfoError { why, pause }) => {
                if self.allowance.lock().failed(pause, &self.clock) {
                    tracing::warn!("IP look-up fails: {why}");
                }
                Err(IpError::Failed(why))
            }
        }
    }
}

fn dns_name(ip: IpAddr) -> Option<String> {
    dns_lookup::lookup_addr(&ip).ok()
}
