//! `origin.json`: the address of the running tunnel, sealed, so that only the Worker reads it and
//! no other process can write it.

use aes_gcm::aead::{Aead as _, KeyInit as _};
use aes_gcm::{Aes256Gcm, Nonce};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use secrecy::{ExposeSecret as _, SecretString};
use serde_json::json;
use sha2::{Digest as _, Sha256};

use crate::clock::timestamp::Timestamp;
use crate::text::address::WebAddress;

/// Seals with a key that is made from `edge.secret`.
#[derive(Clone)]
pub(super) struct Seal(Aes256Gcm);

impl Seal {
    pub(super) fn new(secret: &SecretString) -> Self {
        let key = Sha256::digest(secret.expose_secret().as_bytes());
        Self(Aes256Gcm::new(&key))
    }

    /// The content of `origin.json`.
    pub(super) fn origin(&self, url: Option<&WebAddress>, now: Timestamp) -> Vec<u8> {
        let url = url.map(WebAddress::as_str);
        let origin = json!({ "url": url, "written_at": now.as_seconds() }).to_string();
        // Random: two contents with the same nonce would reveal each other.
        let nonce: [u8; 12] = rand::random();
        let sealed = self.0.encrypt(&Nonce::from(nonce), origin.as_bytes());
        let sealed = sealed.expect("an address is much shorter than what AES-GCM can seal");
        let sealed = BASE64_STANDARD.encode([&nonce[..], &sealed].concat());
        json!({ "sealed": sealed }).to_string().into_bytes()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    fn opened(seal: &Seal, content: &[u8]) -> Option<Value> {
        let document: Value = serde_json::from_slice(content).expect("JSON");
        let sealed = document["sealed"].as_str().expect("a text");
        let sealed = BASE64_STANDARD.decode(sealed).expect("base64");
        let (nonce, sealed) = sealed.split_at(12);
        let nonce: [u8; 12] = nonce.try_into().expect("12 bytes");
        let opened = seal.0.decrypt(&Nonce::from(nonce), sealed).ok()?;
        serde_json::from_slice(&opened).ok()
    }

    #[test]
    fn a_sealed_address_opens_with_its_key_only_and_each_one_differs() {
        let seal = Seal::new(&"k".repeat(32).into());
        let url: WebAddress = "https://light.example".parse().expect("an address");
        let now = Timestamp::from_millis(1_700_000_000_999);
        let content = seal.origin(Some(&url), now);
        let expected = json!({ "url": "https://light.example", "written_at": 1_700_000_000 });
        assert_eq!(opened(&seal, &content), Some(expected));
        assert!(!String::from_utf8_lossy(&content).contains("light"));
        assert_ne!(seal.origin(Some(&url), now), content);
        let other = Seal::new(&"l".repeat(32).into());
        assert_eq!(opened(&other, &content), None);
        let none = opened(&seal, &seal.origin(None, now)).expect("it opens");
        assert_eq!(none["url"], Value::Null);
    }

    /// Sealed by another implementation (Node's `crypto.subtle`) with the same key.
    #[test]
    fn the_key_is_the_digest_of_the_secret() {
        let seal = Seal::new(&"k".repeat(32).into());
        let content = br#"{"sealed":"AQIDBAUGBwgJCgsMBeoiweeZn07a36icLL6dkguoUi2Q464itaBxeeYm5cnQmBkHH7vDrmFuPBv052bvD9nHdzZzX7zlqA8VizYm1Nx3sNTIIcc="}"#;
        let opened = opened(&seal, content).expect("it opens");
        assert_eq!(opened["url"], "https://light.example");
    }
}
