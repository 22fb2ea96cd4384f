//! IP look-up against a stand-in for ipinfo.io and against database files,
//! with a clock that the tests move.

mod file;
mod provider;

use std::net::IpAddr;

use porchlight_test_harness::{ipinfo, mmdb, stand_in};

use porchlight_service::clock::StoppedClock;
use porchlight_service::clock::timestamp::Timestamp;
use porchlight_service::http::replies::IpInformation;

fn http() -> reqwest::Client {
    let client = porchlight_service::http::client_tls::http_client().no_proxy();
    client
        .redirect(reqwest::redirect::Policy::none())
        .build()
        .expect("a client")
}

fn hand() -> StoppedClock {
    StoppedClock::at(Timestamp::from_millis(1_769_847_300_000))
}

fn ip(text: &str) -> IpAddr {
    text.parse().expect("an address")
}

fn alone(text: &str) -> IpInformation {
    IpInformation {
        ip: text.to_owned(),
        ..IpInformation::default()
    }
}
