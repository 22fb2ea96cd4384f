//! What a scan finds: pictures that posts use, and pictures that none uses.

use serde::{Deserialize, Serialize};

use super::address::PostAddress;
use crate::error::message::Message;
use crate::text::image_hash::ImageHash;

/// Where the address of a picture leads.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
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
    /// The file of the post, from the folder of the blog on, with `/` between folders.
    pub file: String,
    /// The line in it; the first is 1.
    pub line: u32,
    /// The address as it is written, without escapes.
    pub address: String,
    /// Where it leads.
    #[serde(flatten)]
    pub target: Target,
    /// The post is a draft.
    pub draft: bool,
    /// How it is written there.
    #[serde(skip)]
    pub(super) written: PostAddress,
    /// SHA-256 of the post.
    #[serde(skip)]
    pub(super) post: [u8; 32],
}

/// A post that was left alone, wholly or at one reference, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct PostProblem {
    /// The file, from the folder on.
    pub file: String,
    /// The line of the reference, where it is about one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    pub line: Option<u32>,
    /// Its address.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional))]
    pub address: Option<String>,
    /// Why.
    pub why: Message,
}

impl PostProblem {
    pub(super) fn new(file: impl Into<String>, why: Message) -> Self {
        Self {
            file: file.into(),
            line: None,
            address: None,
            why,
        }
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
    pub unread: Vec<PostProblem>,
}

impl Report {
    /// References to pictures that are not there, here or in the folder.
    pub fn broken(&self) -> impl Iterator<Item = &Reference> {
        let is_broken =
            |target: &Target| matches!(target, Target::Missing | Target::Ours { known: false, .. });
        self.references
            .iter()
            .filter(move |one| is_broken(&one.target))
    }
}
