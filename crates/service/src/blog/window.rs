//! Posts and their pictures, as the window shows them.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::reference::{PostProblem, Report, Target};
use crate::text::image_hash::ImageHash;

/// What an adoption has done, in a box: few reports of work have one.
pub type AdoptReport = Box<Adopted>;

/// The posts of `blog.folders`, as they were read last.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct PostsGlance {
    /// The folders of the setting.
    pub folders: Vec<String>,
    /// They are being read for the first time, or again.
    pub reading: bool,
    /// How many posts were read.
    pub posts: usize,
    /// Images that no post uses.
    pub unused: usize,
    /// References that lead to no image; at most 500.
    pub broken: Vec<BrokenReference>,
    /// How many there are.
    pub broken_total: usize,
    /// Posts and folders that could not be read.
    pub unread: Vec<PostProblem>,
}

/// A reference that leads to no image.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct BrokenReference {
    /// Where it is written.
    pub post: PostLine,
    /// The address, as it is written.
    pub address: String,
}

/// A line of a post.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct PostLine {
    /// Its folder, as an index into [`PostsGlance::folders`].
    pub folder: usize,
    /// The file, from the folder on.
    pub file: String,
    /// The first line is 1.
    pub line: u32,
}

/// The posts that use an image.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct PictureUse {
    /// The image.
    #[cfg_attr(test, ts(type = "string"))]
    pub hash: ImageHash,
    /// The first line of each post with it; at most 50.
    pub posts: Vec<PostLine>,
}

/// What a folder of posts holds, before an adoption.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct BlogFound {
    /// The folder.
    pub folder: String,
    /// How many posts were read.
    pub posts: usize,
    /// References to images in the folder.
    pub local: usize,
    /// References to other hosts.
    pub foreign: Vec<ForeignHost>,
    /// References to images that are not there, in the folder or here.
    pub missing: usize,
    /// References to files outside of the folder.
    pub outside: usize,
    /// References to images here.
    pub ours: usize,
    /// References in drafts.
    pub drafts: usize,
    /// Images of the folder that no post uses.
    pub unused: usize,
    /// Posts that could not be read.
    pub unread: Vec<PostProblem>,
    /// Whether links are permanent: only then anything can be written.
    pub permanent: bool,
}

/// A host that posts have images of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct ForeignHost {
    /// Its name.
    pub host: String,
    /// How many references lead there.
    pub count: usize,
}

/// What an adoption would do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct BlogPlan {
    /// Images that would come here.
    pub pictures: usize,
    /// Posts that would change.
    pub posts: usize,
    /// Addresses in them that would change.
    pub references: usize,
    /// A unified diff; at most 400 lines.
    pub diff: String,
    /// Whether there is more of it.
    pub cut: bool,
}

/// What an adoption has done.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Adopted {
    /// What undoes it, where a post changed.
    pub id: Option<String>,
    /// Images that were not here before.
    pub uploaded: usize,
    /// Images that were.
    pub already_here: usize,
    /// Posts that were written.
    pub posts: usize,
    /// Addresses in them that changed.
    pub references: usize,
    /// Images that did not come, by each reference to them. Their addresses are as they were.
    pub failed: Vec<PostProblem>,
    /// Posts that were not written.
    pub left: Vec<PostProblem>,
}

/// What an undo has done.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Undone {
    /// The adoption.
    pub id: String,
    /// Its folder.
    pub folder: String,
    /// The posts that are as they were before it.
    pub restored: Vec<String>,
    /// Those that are not, such as those that were edited since.
    pub left: Vec<PostProblem>,
    /// Images that came here with it, and stay.
    pub uploaded: usize,
}

impl BlogFound {
    /// That of a report.
    #[must_use]
    pub fn of(report: &Report, folder: String, permanent: bool) -> Self {
        let mut found = Self {
            folder,
            permanent,
            posts: report.posts,
            unused: report.unused.len(),
            unread: report.unread.clone(),
            ..Self::default()
        };
        let mut hosts = BTreeMap::<String, usize>::new();
        for reference in &report.references {
            found.drafts += usize::from(reference.draft);
            match &reference.target {
                Target::Local { .. } => found.local += 1,
                Target::Ours { known: true, .. } => found.ours += 1,
                Target::Ours { .. } | Target::Missing => found.missing += 1,
                Target::Outside => found.outside += 1,
                Target::Foreign { host, .. } => *hosts.entry(host.clone()).or_default() += 1,
            }
        }
        let hosts = hosts
            .into_iter()
            .map(|(host, count)| ForeignHost { host, count });
        found.foreign = hosts.collect();
        found
    }
}
