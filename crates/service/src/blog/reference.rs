//! What a scan finds: pictures that posts use, and pictures that none uses.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::address::Address;
use crate::error::message::Message;
use crate::text::image_hash::ImageHash;

/// A line of a post.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Place {
    /// The file, from the folder of the blog on, with `/` between folders.
    pub file: String,
    /// The first line is 1.
    pub line: u32,
}

/// Where the address of a picture leads.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Target {
    /// To a file in the folder.
    Local {
        /// From the folder on, with `/` between folders.
        picture: String,
    },
    /// To a file that is not there.
    Missing,
    /// To a file outside of the folder, also by a link of the file system. It is never uploaded.
    Outside,
    /// To another host.
    Foreign {
        /// Its name in lower case, with the port where it is not that of the scheme.
        host: String,
        /// The whole address.
        url: String,
    },
    /// To this Porchlight.
    Ours {
        /// The picture.
        hash: ImageHash,
        /// Whether it is stored here.
        known: bool,
    },
}

/// A picture in a post.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reference {
    /// Where it is written.
    #[serde(flatten)]
    pub place: Place,
    /// The address as it is written, without escapes.
    pub address: String,
    /// Where it leads.
    #[serde(flatten)]
    pub target: Target,
    /// The post is a draft.
    pub draft: bool,
    /// How it is written there.
    #[serde(skip)]
    pub(super) written: Address,
    /// SHA-256 of the post.
    #[serde(skip)]
    pub(super) post: [u8; 32],
}

/// A file that was left alone, wholly or in part.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeftFile {
    /// The file, from the folder on.
    pub file: String,
    /// Why.
    pub why: Message,
}

impl LeftFile {
    pub(super) fn new(file: &str, why: Message) -> Self {
        let file = file.to_owned();
        Self { file, why }
    }
}

/// What a folder of posts holds.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Report {
    /// How many posts were read.
    pub posts: usize,
    /// In the order of files and lines.
    pub references: Vec<Reference>,
    /// Pictures of the folder that no post uses, from the folder on.
    pub unused: Vec<String>,
    /// Pictures of this Porchlight that no post uses.
    pub unused_here: Vec<ImageHash>,
    /// Posts that could not be read.
    pub unread: Vec<LeftFile>,
}

impl Report {
    /// How many references lead to each other host.
    #[must_use]
    pub fn foreign(&self) -> BTreeMap<&str, usize> {
        let mut hosts = BTreeMap::new();
        for reference in &self.references {
            if let Target::Foreign { host, .. } = &reference.target {
                *hosts.entry(host.as_str()).or_default() += 1;
            }
        }
        hosts
    }

    /// References to pictures that are not there, here or in the folder.
    pub fn broken(&self) -> impl Iterator<Item = &Reference> {
        let is_broken =
            |target: &Target| matches!(target, Target::Missing | Target::Ours { known: false, .. });
        self.references
            .iter()
            .filter(move |one| is_broken(&one.target))
    }
}
