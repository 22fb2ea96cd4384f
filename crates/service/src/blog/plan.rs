//! What an adoption will do, before anything is written.

use std::collections::{BTreeSet, HashMap};
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use similar::TextDiff;

use super::found::Found;
use super::outcome::FailedPicture;
use super::reference::{LeftFile, Place, Report, Target};
use super::scan::{Scan, text_of};
use crate::error::message::Message;
use crate::images::link::srcset;
use crate::text::image_hash::ImageHash;

/// What stands for the hash of a picture that is not uploaded yet.
pub const NEW: &str = "NEW";
/// What ends an address in Markdown, HTML, YAML or a `srcset`, or begins something in it.
const SPECIAL: &str = " \"'()<>&,*|\\`{}[]";

/// What to adopt.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Choice {
    /// The hosts whose pictures are downloaded, as [`Target::Foreign`] names them.
    pub foreign: Vec<String>,
    /// Also pictures that only drafts use.
    pub drafts: bool,
    /// Write `srcset`, `width` and `height` into the `img` elements of HTML that have none.
    pub responsive: bool,
}

/// Where a picture comes from.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// A file, from the folder on.
    File(String),
    /// An address at another host.
    Web(String),
}

/// What is done with a folder.
pub struct Plan {
    pub(super) root: PathBuf,
    pub(super) posts: Vec<PlannedPost>,
    /// The pictures that come here, each once.
    pub sources: BTreeSet<Source>,
    /// Everything that the folder holds.
    pub report: Report,
    pub(super) unfinished: Vec<PathBuf>,
    pub(super) choice: Choice,
}

/// A post that changes.
pub(super) struct PlannedPost {
    /// From the folder on.
    pub(super) file: String,
    /// Of the text that was read.
    pub(super) sha256: [u8; 32],
    pub(super) edits: Vec<Edit>,
}

/// An address that changes.
pub(super) struct Edit {
    pub(super) found: Found,
    pub(super) line: u32,
    pub(super) source: Source,
}

/// A picture that is here now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stored {
    pub(super) hash: ImageHash,
    /// Pixels across and down.
    pub(super) size: (u32, u32),
}

/// A piece of a text that was replaced.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Change {
    /// Where it begins in the new text, in bytes.
    pub(super) at: usize,
    pub(super) old: String,
    pub(super) new: String,
}

impl Plan {
    pub(super) fn new(scan: Scan, report: Report, choice: Choice) -> Self {
        let source_of = |target: &Target| match target {
            Target::Local { picture } => Some(Source::File(picture.clone())),
            Target::Foreign { host, url } if choice.foreign.contains(host) => {
                Some(Source::Web(url.clone()))
            }
            _ => None,
        };
        let published = scan
            .posts
            .iter()
            .filter(|post| choice.drafts || !post.draft);
        let pictures = published.flat_map(|post| &post.pictures);
        let sources: BTreeSet<Source> = pictures
            .filter_map(|picture| source_of(&picture.target))
            .collect();
        let posts = scan.posts.into_iter().map(|post| {
            let edits = post.pictures.into_iter().filter_map(|picture| {
                // A draft also gets the address of what others use.
                let source =
                    source_of(&picture.target).filter(|source| sources.contains(source))?;
                Some(Edit {
                    found: picture.found,
                    line: picture.line,
                    source,
                })
            });
            PlannedPost {
                file: post.file,
                sha256: post.sha256,
                edits: edits.collect(),
            }
        });
        Self {
            posts: posts.filter(|post| !post.edits.is_empty()).collect(),
            root: scan.site.root,
            unfinished: scan.site.unfinished,
            sources,
            report,
            choice,
        }
    }

    /// How many addresses change.
    #[must_use]
    pub fn references(&self) -> usize {
        self.posts.iter().map(|post| post.edits.len()).sum()
    }

    /// How many posts change.
    #[must_use]
    pub fn posts(&self) -> usize {
        self.posts.len()
    }

    /// Named hosts that no post has a picture of.
    #[must_use]
    pub fn unknown_hosts(&self) -> Vec<&str> {
        let known = self.report.foreign();
        let named = self.choice.foreign.iter().map(String::as_str);
        named.filter(|host| !known.contains_key(host)).collect()
    }

    /// Each place of the pictures that did not come.
    pub(super) fn failures(&self, failed: &HashMap<Source, Message>) -> Vec<FailedPicture> {
        let places = self
            .posts
            .iter()
            .flat_map(|post| post.edits.iter().map(move |edit| (post, edit)));
        let failures = places.filter_map(|(post, edit)| {
            Some(FailedPicture {
                place: Place {
                    file: post.file.clone(),
                    line: edit.line,
                },
                address: edit.found.address.clone(),
                why: failed.get(&edit.source)?.clone(),
            })
        });
        failures.collect()
    }

    /// The change of each post as a unified diff, in which [`NEW`] stands for each hash; `base` is the
    /// address of links. Posts that cannot be read any more are returned. Blocks.
    pub fn diff(&self, base: &str, mut print: impl FnMut(&str)) -> Vec<LeftFile> {
        let mut left = Vec::new();
        for post in &self.posts {
            match text_of(&self.root.join(&post.file)) {
                Ok(text) => {
                    let address = format!("{base}/i/{NEW}.webp");
                    let edits = post
                        .edits
                        .iter()
                        .map(|edit| (&edit.found, address.as_str(), None));
                    let (new, _) = rewritten(&text, edits);
                    let (from, to) = (format!("a/{}", post.file), format!("b/{}", post.file));
                    let diff = TextDiff::from_lines(&text, &new);
                    print(&diff.unified_diff().header(&from, &to).to_string());
                }
                Err(why) => left.push(LeftFile {
                    file: post.file.clone(),
                    why,
                }),
            }
        }
        left
    }
}

/// An address that means nothing else in any of them.
fn plain(address: &str) -> String {
    let written = address.chars().map(|c| match SPECIAL.contains(c) {
        true => format!("%{:02X}", u32::from(c)),
        false => c.to_string(),
    });
    written.collect()
}

/// A text with these addresses in place of what was found, and what changed. An `img` gets what it
/// lacks where the size of its picture is given. What does not fit the text is left as it is.
pub(super) fn rewritten<'a>(
    text: &str,
    edits: impl Iterator<Item = (&'a Found, &'a str, Option<(u32, u32)>)>,
) -> (String, Vec<Change>) {
    let (mut new, mut changes, mut done) = (String::with_capacity(text.len()), Vec::new(), 0);
    let mut put = |at: usize, end: usize, written: String| {
        let (Some(before), Some(old)) = (text.get(done..at), text.get(at..end)) else {
            return;
        };
        new.push_str(before);
        changes.push(Change {
            at: new.len(),
            old: old.to_owned(),
            new: written.clone(),
        });
        new.push_str(&written);
        done = end;
    };
    for (found, address, size) in edits {
        let fragment = found
            .address
            .split_once('#')
            .map_or("", |(_, fragment)| fragment);
        let mark = if fragment.is_empty() { "" } else { "#" };
        let address = plain(address);
        let fragment = plain(fragment);
        let (before, after) = &found.around;
        let written = format!("{before}{address}{mark}{fragment}{after}");
        put(found.range.start, found.range.end, written);
        if let Some((lacks, (width, height))) = found.lacks.zip(size) {
            let widths = if lacks.srcset {
                srcset(&address, width)
            } else {
                String::new()
            };
            let pixels = match lacks.size {
                true => format!(" width=\"{width}\" height=\"{height}\""),
                false => String::new(),
            };
            let written = widths + &pixels;
            if !written.is_empty() {
                put(lacks.at, lacks.at, written);
            }
        }
    }
    new.push_str(&text[done..]);
    (new, changes)
}
