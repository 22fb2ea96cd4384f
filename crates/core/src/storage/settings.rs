//! `[storage]`

use porchlight_api::WebAddress;
use secrecy::SecretString;
use serde::{Deserialize, Serialize};

/// What the keys of all images begin with in an object store.
pub(crate) const IMAGES: &str = "randomimg";

/// Where WebP files are stored. In settings: where new ones go.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum StorageKind {
    /// In the data folder.
    #[default]
    Disk,
    /// In an S3-compatible object store.
    S3,
}

/// `[storage]`
#[derive(Debug, Clone, Default, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct StorageSettings {
    /// Where WebP files are stored.
    pub kind: StorageKind,
    /// The object store's own address.
    pub endpoint: Option<WebAddress>,
    /// Its region.
    pub region: Option<String>,
    /// The bucket.
    pub bucket: Option<String>,
    /// The key's name.
    #[serde(skip_serializing)]
    pub access_key: Option<SecretString>,
    /// The key.
    #[serde(skip_serializing)]
    pub secret_key: Option<SecretString>,
    /// The public address of the store or of its CDN.
    pub storage_url: Option<WebAddress>,
}

impl StorageKind {
    /// As it is written in settings.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Disk => "disk",
            Self::S3 => "s3",
        }
    }

    /// The other one.
    #[must_use]
    pub fn other(self) -> Self {
        match self {
            Self::Disk => Self::S3,
            Self::S3 => Self::Disk,
        }
    }
}

impl StorageSettings {
    /// Whether they describe an object store completely enough to use it.
    #[must_use]
    pub fn describe_a_store(&self) -> bool {
        self.endpoint.is_some()
            && self.bucket.is_some()
            && self.access_key.is_some()
            && self.secret_key.is_some()
    }
}
