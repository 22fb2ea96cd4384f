//! `[storage]`

use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSql, ToSqlOutput, ValueRef};
use serde::{Deserialize, Serialize};

use super::edge_day::EdgeDay;
use crate::text::address::WebAddress;
use crate::text::secret::Secret;

/// What the keys of all images begin with in an object store.
pub(crate) const IMAGES: &str = "randomimg";

/// Where WebP files are stored. In settings: where new ones go.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum StorageKind {
    /// In the data folder.
    #[default]
    Disk = 0,
    /// In an S3-compatible object store.
    S3 = 1,
    /// At the owner's Worker.
    Edge = 2,
}

/// As a number: 0 the disk, 1 the object store, 2 the Worker.
impl ToSql for StorageKind {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok((*self as i64).into())
    }
}

impl FromSql for StorageKind {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        match value.as_i64()? {
            0 => Ok(Self::Disk),
            1 => Ok(Self::S3),
            2 => Ok(Self::Edge),
            other => Err(FromSqlError::OutOfRange(other)),
        }
    }
}

/// `[storage]`
#[derive(Debug, Clone, PartialEq, Default, Deserialize, Serialize)]
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
    pub access_key: Option<Secret>,
    /// The key.
    #[serde(skip_serializing)]
    pub secret_key: Option<Secret>,
    /// The public address of the store or of its CDN.
    pub storage_url: Option<WebAddress>,
    /// `[edge]`, which describes the Worker's store. Filled in when the settings are read.
    #[serde(skip)]
    pub edge: EdgeSettings,
}

/// `[edge]`
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct EdgeSettings {
    /// The Worker's address, which the world uses.
    pub url: Option<WebAddress>,
    /// The key that the Worker and the service share.
    #[serde(skip_serializing)]
    pub secret: Option<Secret>,
    /// Cloudflare's API; elsewhere in tests.
    pub cloudflare_url: WebAddress,
    /// What is known of the plan's day; copies of these settings share it.
    #[serde(skip)]
    pub day: EdgeDay,
}

impl Default for EdgeSettings {
    fn default() -> Self {
        Self {
            url: None,
            secret: None,
            cloudflare_url: Self::CLOUDFLARE.parse().expect("an address"),
            day: EdgeDay::default(),
        }
    }
}

impl EdgeSettings {
    /// Cloudflare's API.
    pub const CLOUDFLARE: &str = "https://api.cloudflare.com/client/v4";
}

impl StorageKind {
    /// Those that are reached over the network.
    pub const REMOTE: [Self; 2] = [Self::S3, Self::Edge];

    /// As it is written in settings.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Disk => "disk",
            Self::S3 => "s3",
            Self::Edge => "edge",
        }
    }

    /// The most bytes of an object, as `edge/worker.js` has it.
    pub(crate) fn largest(self) -> u64 {
        match self {
            Self::Disk | Self::S3 => u64::MAX,
            Self::Edge => 50 << 20,
        }
    }

    /// The two others.
    pub(crate) fn others(self) -> impl Iterator<Item = Self> {
        let all = [Self::Disk, Self::S3, Self::Edge];
        all.into_iter().filter(move |kind| *kind != self)
    }
}

impl StorageSettings {
    /// Whether this kind of storage is opened: new images go there, or those of before can be there.
    pub(crate) fn uses(&self, kind: StorageKind) -> bool {
        self.kind == kind || self.describes(kind)
    }

    /// Whether images can be in this kind of storage: not at a Worker that is reached in the clear,
    /// except on this machine.
    pub(crate) fn describes(&self, kind: StorageKind) -> bool {
        let is_closed = |url: &WebAddress| url.is_https() || url.is_loopback();
        let is_open = kind == StorageKind::Edge && !self.edge.url.as_ref().is_some_and(is_closed);
        !is_open && self.missing_for(kind).is_empty()
    }

    /// The names of the settings that this kind of storage needs, and that are not set.
    #[must_use]
    pub fn missing_for(&self, kind: StorageKind) -> Vec<&'static str> {
        let needs: &[(&str, bool)] = match kind {
            StorageKind::Disk => &[],
            StorageKind::S3 => &[
                ("storage.endpoint", self.endpoint.is_some()),
                ("storage.bucket", self.bucket.is_some()),
                ("storage.access_key", self.access_key.is_some()),
                ("storage.secret_key", self.secret_key.is_some()),
            ],
            StorageKind::Edge => &[
                ("edge.url", self.edge.url.is_some()),
                ("edge.secret", self.edge.secret.is_some()),
            ],
        };
        let missing = needs.iter().filter(|(_, is_set)| !is_set);
        missing.map(|(name, _)| *name).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn images_are_not_kept_at_an_address_in_the_clear() {
        for (url, is_described) in [
            ("http://worker.example", false),
            ("http://192.168.1.9:8787", false),
            ("http://127.0.0.1:8787", true),
            ("https://worker.example", true),
        ] {
            let mut settings = StorageSettings::default();
            settings.edge.url = url.parse().ok();
            settings.edge.secret = Some("k".repeat(32).into());
            assert_eq!(settings.describes(StorageKind::Edge), is_described, "{url}");
        }
    }
}
