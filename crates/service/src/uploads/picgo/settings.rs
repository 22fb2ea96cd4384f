//! Settings of PicGo's port.

use secrecy::SecretString;
use serde::{Deserialize, Serialize};

/// `[picgo]`: the upload server that writing programs know.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct PicGoSettings {
    pub enabled: bool,
    /// Its port on loopback.
    pub port: u16,
    /// What its callers must know.
    #[serde(skip_serializing)]
    pub secret: Option<SecretString>,
}

impl Default for PicGoSettings {
    fn default() -> Self {
        Self {
            enabled: false,
            port: 36677,
            secret: None,
        }
    }
}
