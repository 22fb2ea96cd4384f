//! Requests of the owner's Worker: signed, so that the service knows whose request the Worker passes
//! on.
//!
//! The key itself is never sent. A signature that is wrong or old counts as none.

use std::net::IpAddr;

use axum::body::Body;
use hmac::{Hmac, KeyInit as _, Mac as _};
use http::{HeaderName, HeaderValue, Request};
use secrecy::{ExposeSecret as _, SecretString};
use sha2::Sha256;

use crate::clock::timestamp::Timestamp;

/// On every answer: whoever passes it on sees that the service itself has answered.
pub(crate) const MARK: HeaderName = HeaderName::from_static("x-porchlight");
/// The content of the mark.
pub(crate) const OF_THE_SERVICE: HeaderValue = HeaderValue::from_static("1");
const SIGNATURE: HeaderName = HeaderName::from_static("x-porchlight-edge");

/// The most seconds between the Worker's clock and this one.
const MOST_SECONDS: u64 = 300;

/// The key that the Worker and the service share.
#[derive(Clone)]
pub(crate) struct EdgeKey(Hmac<Sha256>);

/// A request that the Worker has signed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FromEdge {
    /// The reader's address; `None` where the Worker asks for itself or sends none.
    pub(crate) ip: Option<IpAddr>,
}

impl EdgeKey {
    pub(crate) fn new(secret: &SecretString) -> Self {
        let key = Hmac::new_from_slice(secret.expose_secret().as_bytes());
        Self(key.expect("a key may have any length"))
    }

    /// What the Worker sends about this request; `None` where it has signed nothing, or wrongly, or
    /// too long ago.
    pub(crate) fn check(&self, request: &Request<Body>, now: Timestamp) -> Option<FromEdge> {
        let mut values = request.headers().get_all(SIGNATURE).iter();
        let (value, None) = (values.next()?, values.next()) else {
            return None;
        };
        let mut parts = value.to_str().ok()?.split(", ");
        let mut part = |name: &str| parts.next()?.strip_prefix(name)?.strip_prefix('=');
        let (time, ip, v1) = (part("t")?, part("ip")?, part("v1")?);
        let signed_at: i64 = time.parse().ok()?;
        let ahead = signed_at.saturating_sub(now.as_seconds());
        if parts.next().is_some() || ahead.unsigned_abs() > MOST_SECONDS {
            return None;
        }
        let path = request.uri().path_and_query();
        let path = path.map_or("/", |path| path.as_str());
        let signed = [time, ip, request.method().as_str(), path].join("\n");
        let signature = hex::decode(v1).ok()?;
        let expected = self.0.clone().chain_update(signed);
        // In constant time.
        expected.verify_slice(&signature).ok()?;
        let ip = match ip {
            "" => None,
            ip => Some(ip.parse().ok()?),
        };
        Some(FromEdge { ip })
    }
}

#[cfg(test)]
mod tests {
    use http::Method;

    use super::*;

    const NOW: i64 = 1_700_000_000;
    /// Made by another implementation (Python's `hmac`), with the key `"k" * 32`.
    const OF_CHECK: &str = "7e88af0312c858efff86205305fe60e9877fb88377e82640d3e6ad7106f0453a";
    const OF_NOBODY: &str = "95a25ff352c1151d430e01a96a43e9f30ebc69807a6fbeecbf4c759d6c9410a9";

    fn check(method: Method, path: &str, headers: &[&str], seconds: i64) -> Option<FromEdge> {
        let mut request = Request::builder().method(method).uri(path);
        for header in headers {
            request = request.header("X-Porchlight-Edge", *header);
        }
        let request = request.body(Body::empty()).expect("a request");
        let key = EdgeKey::new(&"k".repeat(32).into());
        key.check(&request, Timestamp::from_millis(seconds * 1000))
    }

    fn header(ip: &str, v1: &str) -> String {
        format!("t={NOW}, ip={ip}, v1={v1}")
    }

    #[test]
    fn a_right_signature_names_the_reader() {
        let right = header("2001:db8::7", OF_CHECK);
        for seconds in [NOW - 300, NOW, NOW + 300] {
            let found = check(Method::GET, "/check?a=%20b", &[&right], seconds);
            let found = found.expect("it is right");
            assert_eq!(found.ip, "2001:db8::7".parse().ok());
        }
        let right = header("", OF_NOBODY);
        let found = check(Method::POST, "//host/x", &[&right], NOW);
        assert_eq!(found.expect("it is right").ip, None);
    }

    #[test]
    fn a_wrong_an_old_and_a_doubled_signature_count_as_none() {
        let right = header("2001:db8::7", OF_CHECK);
        let of = |method, path: &str, seconds| check(method, path, &[&right], seconds);
        let path = "/check?a=%20b";
        let none = None;
        assert_eq!(of(Method::GET, path, NOW + 301), none);
        assert_eq!(of(Method::GET, path, NOW - 301), none);
        assert_eq!(of(Method::HEAD, path, NOW), none);
        assert_eq!(of(Method::GET, "/check?a=+b", NOW), none);
        assert_eq!(of(Method::GET, "/check", NOW), none);
        assert_eq!(check(Method::GET, path, &[&right, &right], NOW), none);
        assert_eq!(check(Method::GET, path, &[], NOW), none);
        for wrong in [
            header("2001:db8::8", OF_CHECK),
            header("2001:db8::7", &OF_CHECK[2..]),
            header("2001:db8::7", ""),
            format!("{right}, x=1"),
            format!(" {right}"),
            right.replace("t=", "t=0"),
            right.replace(", ", ","),
            format!("t=, ip=, v1={OF_CHECK}"),
        ] {
            assert_eq!(check(Method::GET, path, &[&wrong], NOW), none, "{wrong}");
        }
    }
}
