//! A stand-in for ipinfo.io. It answers as that does, mistakes included: over
//! quota it may answer with JSON or HTML, and a reserved address is a `bogon`.
//!
//! A test that includes this file includes `stand_in.rs` too.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use super::stand_in::{Call, Reply, StandIn};

/// The token that it takes; without one it answers as well.
pub const TOKEN: &str = "7c0ffee0123456";

#[derive(Default)]
struct Book {
    entries: HashMap<IpAddr, Value>,
    fault: Option<Reply>,
}

/// The running stand-in.
pub struct FakeIpinfo {
    book: Arc<Mutex<Book>>,
    pub web: StandIn,
}

impl FakeIpinfo {
    /// Starts with what it knows of 8.8.8.8; every other address gets a
    /// country and a name.
    pub async fn start() -> Self {
        let book = Arc::new(Mutex::new(Book::default()));
        let answering = Arc::clone(&book);
        let web = StandIn::start(move |call| answering.lock().expect("a lock").answer(call)).await;
        let ipinfo = Self { book, web };
        ipinfo.knows("8.8.8.8", &google());
        ipinfo
    }

    /// Answers this for the address from now on.
    pub fn knows(&self, ip: &str, entry: &Value) {
        let ip = ip.parse().expect("an address");
        self.book
            .lock()
            .expect("a lock")
            .entries
            .insert(ip, entry.clone());
    }

    /// Answers every request with this, until it is `None` again.
    pub fn fails(&self, fault: Option<Reply>) {
        self.book.lock().expect("a lock").fault = fault;
    }

    /// The setting that leads a service here.
    pub fn setting(&self) -> String {
        format!("ip.ipinfo_url={}", self.web.url())
    }
}

/// A full entry.
pub fn google() -> Value {
    json!({
        "ip": "8.8.8.8", "hostname": "dns.google", "city": "Mountain View",
        "region": "California", "country": "US", "loc": "37.4056,-122.0775",
        "org": "AS15169 Google LLC", "postal": "94043", "timezone": "America/Los_Angeles",
        "anycast": true, "readme": "https://ipinfo.io/missingauth",
    })
}

/// Over quota, in JSON.
pub fn over_quota() -> Reply {
    Reply::json(
        429,
        &json!({ "status": 429, "error": {
            "title": "Rate limit exceeded",
            "message": "You've hit the daily limit for the unauthenticated API.",
        } }),
    )
}

impl Book {
    fn answer(&self, call: &Call) -> Reply {
        if let Some(fault) = &self.fault {
            return fault.clone();
        }
        let known_token = format!("Bearer {TOKEN}");
        if call
            .authorization
            .as_ref()
            .is_some_and(|given| *given != known_token)
        {
            return Reply::json(
                403,
                &json!({ "error": { "title": "Unknown token", "message": "Check your token." } }),
            );
        }
        let path = call.path.trim_start_matches('/');
        let Ok(ip) = path.strip_suffix("/json").unwrap_or(path).parse::<IpAddr>() else {
            return Reply::json(
                404,
                &json!({ "status": 404, "error": { "title": "Wrong ip" } }),
            );
        };
        let plain = || json!({ "ip": ip, "hostname": "host.example", "country": "AU" });
        Reply::json(200, &self.entries.get(&ip).cloned().unwrap_or_else(plain))
    }
}
