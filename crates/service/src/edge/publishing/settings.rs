//! `[publish]`

use serde::{Deserialize, Serialize};

use crate::storage::IMAGES;

/// `[publish]`: the snapshot of the public answers in the object store.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct PublishSettings {
    /// Whether there is one.
    pub enabled: bool,
    /// What the names of its objects begin with; it ends in a slash.
    pub prefix: String,
}

impl Default for PublishSettings {
    fn default() -> Self {
        Self {
            enabled: false,
            prefix: "porchlight/".to_owned(),
        }
    }
}

/// Whether the names of a snapshot's objects may begin with this: names that need no escaping in an
/// address, and none of the images' own.
#[must_use]
pub fn is_prefix(text: &str) -> bool {
    let is_name = |name: &str| {
        let known = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
        !matches!(name, "" | "." | "..") && name.bytes().all(known)
    };
    let names: Option<Vec<&str>> = text.strip_suffix('/').map(|all| all.split('/').collect());
    names.is_some_and(|names| names[0] != IMAGES && names.into_iter().all(is_name))
}
