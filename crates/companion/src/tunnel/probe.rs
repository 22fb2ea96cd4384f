//! The reachability probe: whether a public address leads to this process.

use std::time::{Duration, Instant};

use porchlight_api::{Message, Probe, WebAddress, cause_of};

/// A slower tunnel counts as failed.
const ANSWER_WITHIN: Duration = Duration::from_secs(10);

/// Sends probes to public addresses.
#[derive(Debug, Clone)]
pub(super) struct Prober {
    http: reqwest::Client,
    probe: Probe,
}

impl Prober {
    pub(super) fn new(probe: Probe) -> Result<Self, reqwest::Error> {
        let http = porchlight_api::http_client()
            .timeout(ANSWER_WITHIN)
            .redirect(reqwest::redirect::Policy::none())
            .user_agent(concat!("porchlight/", env!("CARGO_PKG_VERSION")))
            // Each probe uses a new connection, like a new reader.
            .pool_max_idle_per_host(0)
            .build()?;
        Ok(Self { http, probe })
    }

    /// The client of the probes.
    pub(super) fn http(&self) -> &reqwest::Client {
        &self.http
    }

    /// Sends one probe, and returns how long the answer took.
    ///
    /// # Errors
    /// Why the address does not lead here.
    pub(super) async fn at(&self, address: &WebAddress) -> Result<Duration, Message> {
        let started = Instant::now();
        let failed = |error: reqwest::Error| Message::AddressSilent {
            address: address.as_str().into(),
            why: cause_of(&error).into(),
        };
        let request = self.http.get(address.join(&self.probe.path));
        let mut answer = request.send().await.map_err(failed)?;
        if !answer.status().is_success() {
            return Err(Message::AddressAnswers {
                address: address.as_str().into(),
                status: answer.status().as_u16().into(),
            });
        }
        let mut body = Vec::new();
        while let Some(part) = answer.chunk().await.map_err(failed)? {
            body.extend_from_slice(&part);
            if body.len() > self.probe.answer.len() {
                break;
            }
        }
        if body == self.probe.answer.as_bytes() {
            Ok(started.elapsed())
        } else {
            let address = address.as_str().into();
            Err(Message::AddressElsewhere { address })
        }
    }
}
