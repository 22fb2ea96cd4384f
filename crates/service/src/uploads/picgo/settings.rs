//! Settings of PicGo's port.

use serde::{Deserialize, Serialize};

use crate::text::secret::Secret;

/// `[picgo]`: the upload server that writing programs know.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct PicGoSettings {
    pub enabled: bool,
    /// Its port on loopback.
    pub port: u16,
    /// What its callers must know.
    #[serde(skip_serializing)]
    pub secret: Option<Secret>,
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
