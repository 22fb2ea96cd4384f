//! The reachability probe: whether a public address leads to this process, and whether readers' pages
//! are answered there.

use std::time::{Duration, Instant};

use reqwest::header::ORIGIN;

use crate::error::message::Message;
use crate::http::client_tls::cause_of;
use crate::text::address::{Probe, WebAddress};

/// A slower tunnel counts as failed.
const ANSWER_WITHIN: Duration = Duration::from_secs(10);

/// What a probe that has reached this process has found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reached {
    pub took: Duration,
    /// Something on the way puts another host into `Host`, so that pages of readers are refused.
    pub host_rewritten: bool,
}

#[derive(Debug, Clone)]
pub struct Prober {
    http: reqwest::Client,
    probe: Probe,
}

impl Prober {
    /// One that knows this process by the probe of its public listener.
    ///
    /// # Errors
    /// When no HTTPS client can be set up.
    pub fn new(probe: Probe) -> Result<Self, reqwest::Error> {
        let http = crate::http::client_tls::http_client()
            .timeout(ANSWER_WITHIN)
            .redirect(reqwest::redirect::Policy::none())
            .user_agent(concat!("porchlight/", env!("CARGO_PKG_VERSION")))
            // Each probe uses a new connection, like a new reader.
            .pool_max_idle_per_host(0)
            .build()?;
        Ok(Self { http, probe })
    }

    /// Sends one probe.
    ///
    /// # Errors
    /// Why the address does not lead here.
    pub async fn at(&self, address: &WebAddress) -> Result<Reached, Message> {
        let started = Instant::now();
        let failed = |error: reqwest::Error| Message::AddressSilent {
            address: address.as_str().into(),
            why: cause_of(&error).into(),
        };
        let mut request = self.http.get(address.join(&self.probe.path));
        if !address.is_loopback() {
            // As from a page of another site.
            request = request.header(ORIGIN, "null");
            request = request.header(Probe::ADDRESS, address.as_str());
        }
        let mut answer = request.send().await.map_err(failed)?;
        if !answer.status().is_success() {
            return Err(Message::AddressAnswers {
                address: address.as_str().into(),
                status: answer.status().as_u16().into(),
            });
        }
        let found = answer.headers().get(Probe::ADDRESS);
        let host_rewritten = found.is_some_and(|found| found == Probe::REWRITTEN);
        let mut body = Vec::new();
        while let Some(part) = answer.chunk().await.map_err(failed)? {
            body.extend_from_slice(&part);
            if body.len() > self.probe.answer.len() {
                break;
            }
        }
        if body == self.probe.answer.as_bytes() {
            Ok(Reached {
                took: started.elapsed(),
                host_rewritten,
            })
        } else {
            let address = address.as_str().into();
            Err(Message::AddressElsewhere { address })
        }
    }
}
