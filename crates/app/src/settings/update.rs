//! `[update]`: where newer releases are announced, and who may announce them.

use minisign_verify::PublicKey;
use porchlight_api::{Message, WebAddress};
use serde::{Deserialize, Deserializer, Serialize};

/// `[update]`
#[derive(Debug, Clone, Default, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct UpdateSettings {
    /// The address of `latest.json`; unset: there is no check for updates.
    pub url: Option<WebAddress>,
    /// The minisign key that signs it: the second line of `minisign.pub`.
    #[serde(deserialize_with = "public_key")]
    pub public_key: Option<String>,
}

fn public_key<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    let key = String::deserialize(deserializer)?;
    PublicKey::from_base64(&key).map_err(|_| serde::de::Error::custom(Message::NoUpdateKey))?;
    Ok(Some(key))
}
