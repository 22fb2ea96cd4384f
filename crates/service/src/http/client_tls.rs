//! HTTP clients with the TLS of this program: rustls with ring, which builds in seconds and without
//! CMake.

use crate::error::message::{Message, deepest};

/// An HTTP client to be configured.
#[expect(clippy::disallowed_methods, reason = "the provider is installed")]
pub fn http_client() -> reqwest::ClientBuilder {
    install_tls();
    reqwest::Client::builder()
}

/// Installs ring as the provider of all TLS of this process; libraries that make their own clients
/// need it first. A second call does nothing.
pub fn install_tls() {
    // An error means that one is installed already.
    let _ = rustls::crypto::ring::default_provider().install_default();
}

/// Why nothing came back.
#[must_use]
pub fn cause_of(error: &reqwest::Error) -> Message {
    if error.is_timeout() {
        let text = deepest(error).into();
        return Message::TimedOut { text };
    }
    Message::cause(error)
}
