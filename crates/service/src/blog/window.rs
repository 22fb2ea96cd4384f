//! Posts and their pictures, as the window shows them.

use serde::{Deserialize, Serialize};

use super::{Adopted, LeftFile, Report, Target, Undone};
use crate::error::message::Message;
use crate::text::image_hash::ImageHash;

/// Failures and files that are named one by one.
const NAMED: usize = 100;

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
    /// Posts and folders that could not be read; at most 100.
    #[cfg_attr(test, ts(type = "Array<{ file: string, why: Message }>"))]
    pub unread: Vec<LeftFile>,
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
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
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
    /// Posts that could not be read; at most 100.
    #[cfg_attr(test, ts(type = "Array<{ file: string, why: Message }>"))]
    pub unread: Vec<LeftFile>,
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
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct AdoptReport {
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
    /// Images that did not come, by each place that has them; at most 100.
    pub failed: Vec<FailedReference>,
    /// Posts that were not written; at most 100.
    #[cfg_attr(test, ts(type = "Array<{ file: string, why: Message }>"))]
    pub left: Vec<LeftFile>,
}

/// An image that was not brought here.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct FailedReference {
    /// The file of the post.
    pub post: String,
    /// The first line is 1.
    pub line: u32,
    /// Its address there.
    pub address: String,
    /// Why it did not come.
    pub why: Message,
}

/// What an undo has done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct BlogUndone {
    /// Posts that are as they were before.
    pub restored: usize,
    /// Those that are not; at most 100.
    #[cfg_attr(test, ts(type = "Array<{ file: string, why: Message }>"))]
    pub left: Vec<LeftFile>,
    /// Images that came with the adoption, and stay.
    pub uploaded: usize,
}

impl BlogFound {
    /// That of a report.
    #[must_use]
    pub fn of(report: Report, folder: String, permanent: bool) -> Self {
        let count = |is_one: fn(&Target) -> bool| {
            let targets = report.references.iter().map(|one| &one.target);
            targets.filter(|target| is_one(target)).count()
        };
        let foreign = report.foreign().into_iter().map(|(host, count)| {
            let host = host.to_owned();
            ForeignHost { host, count }
        });
        Self {
            folder,
            posts: report.posts,
            local: count(|target| matches!(target, Target::Local { .. })),
            foreign: foreign.collect(),
            missing: report.broken().count(),
            outside: count(|target| matches!(target, Target::Outside)),
            ours: count(|target| matches!(target, Target::Ours { known: true, .. })),
            drafts: report.references.iter().filter(|one| one.draft).count(),
            unused: report.unused.len(),
            unread: first(report.unread),
            permanent,
        }
    }
}

impl From<Adopted> for AdoptReport {
    fn from(adopted: Adopted) -> Self {
        let failed = adopted.failed.into_iter().take(NAMED);
        let failed = failed.map(|failed| FailedReference {
            post: failed.place.file,
            line: failed.place.line,
            address: failed.address,
            why: failed.why,
        });
        Self {
            id: adopted.id,
            uploaded: adopted.uploaded,
            already_here: adopted.already_here,
            posts: adopted.posts,
            references: adopted.references,
            failed: failed.collect(),
            left: first(adopted.left),
        }
    }
}

impl From<Undone> for BlogUndone {
    fn from(undone: Undone) -> Self {
        Self {
            restored: undone.restored.len(),
            left: first(undone.left),
            uploaded: undone.uploaded,
        }
    }
}

/// As many of them as the window gets.
pub(super) fn first(mut files: Vec<LeftFile>) -> Vec<LeftFile> {
    files.truncate(NAMED);
    files
}
