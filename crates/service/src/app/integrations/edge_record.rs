//! What was deployed at Cloudflare from a data folder: the window offers to update it. No secret is
//! in it.

use std::io;
use std::path::Path;

use semver::Version;
use serde::{Deserialize, Serialize};

use super::cloudflare::Label;
use super::edge_deploy::VERSION;
use crate::files::private_file;

const FILE: &str = "edge.json";

/// What is in the file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EdgeRecord {
    pub worker: Option<WorkerRecord>,
    /// Whether the keyring was given the API token.
    #[serde(default)]
    pub token_kept: bool,
}

/// A Worker that was deployed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorkerRecord {
    pub name: String,
    /// The account's id.
    pub account: String,
    pub url: String,
    pub version: String,
    /// The version that the owner put off.
    #[serde(default)]
    pub later: Option<String>,
}

impl EdgeRecord {
    /// The one of a data folder; empty where there is none, or it cannot be read.
    pub fn of(folder: &Path) -> Self {
        let text = std::fs::read(folder.join(FILE)).unwrap_or_default();
        serde_json::from_slice(&text).unwrap_or_default()
    }

    /// Changes that of a data folder. A failure is logged: the Worker is deployed all the same.
    pub fn change(folder: &Path, change: impl FnOnce(&mut Self)) {
        let mut record = Self::of(folder);
        change(&mut record);
        let text = serde_json::to_string_pretty(&record).map_err(io::Error::from);
        let written = text.and_then(|text| private_file::write(&folder.join(FILE), &(text + "\n")));
        if let Err(error) = written {
            tracing::warn!(%error, "what was deployed at Cloudflare cannot be written down");
        }
    }
}

impl WorkerRecord {
    /// This version of a Worker.
    pub fn new(name: &Label, account: &Label, url: &str) -> Self {
        Self {
            name: name.to_string(),
            account: account.to_string(),
            url: url.to_owned(),
            version: VERSION.to_owned(),
            later: None,
        }
    }

    /// Whether this Porchlight has a newer one.
    pub fn is_older(&self) -> bool {
        let deployed = Version::parse(&self.version);
        let own = Version::parse(VERSION);
        matches!((deployed, own), (Ok(deployed), Ok(own)) if deployed < own)
    }

    /// Whether the owner put off this Porchlight's version.
    pub fn is_put_off(&self) -> bool {
        self.later.as_deref() == Some(VERSION)
    }
}
