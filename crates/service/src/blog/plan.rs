//! What an adoption will do, before anything is written.

use std::collections::{BTreeSet, HashMap};
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use similar::TextDiff;

use super::address::Address;
use super::outcome::FailedPicture;
use super::reference::{LeftFile, Reference, Report, Target};
use super::scan::text_of;
use super::site::Site;
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

impl Choice {
    fn source_of(&self, reference: &Reference) -> Option<Source> {
        match &reference.target {
            Target::Local { picture } => Some(Source::File(picture.clone())),
            Target::Foreign { host, url } if self.foreign.contains(host) => {
                Some(Source::Web(url.clone()))
            }
            _ => None,
        }
    }
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
    /// The pictures that come here, each once.
    pub sources: BTreeSet<Source>,
    /// Everything that the folder holds.
    pub report: Report,
    pub(super) unfinished: Vec<PathBuf>,
    pub(super) choice: Choice,
}

/// The addresses of a post that change, and what pictures they are of.
pub(super) type Edits<'a> = Vec<(&'a Reference, Source)>;

/// A picture that is here now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stored {
    pub(super) hash: ImageHash,
    /// Pixels across and down.
    pub(super) size: (u32, u32),
}

impl Plan {
    pub(super) fn new(site: Site, report: Report, choice: Choice) -> Self {
        let published = report.references.iter();
        let published = published.filter(|reference| choice.drafts || !reference.draft);
        let sources = published.filter_map(|reference| choice.source_of(reference));
        Self {
            sources: sources.collect(),
            root: site.root,
            unfinished: site.unfinished,
            report,
            choice,
        }
    }

    /// The posts that change.
    pub(super) fn edits(&self) -> impl Iterator<Item = Edits<'_>> {
        let posts = self
            .report
            .references
            .chunk_by(|one, next| one.place.file == next.place.file);
        let edits = posts.map(|post| {
            let edits = post.iter().filter_map(|reference| {
                // A draft also gets the address of what others use.
                let source = self.choice.source_of(reference)?;
                self.sources
                    .contains(&source)
                    .then_some((reference, source))
            });
            edits.collect::<Edits<'_>>()
        });
        edits.filter(|edits| !edits.is_empty())
    }

    /// How many addresses change.
    #[must_use]
    pub fn references(&self) -> usize {
        self.edits().map(|edits| edits.len()).sum()
    }

    /// How many posts change.
    #[must_use]
    pub fn posts(&self) -> usize {
        self.edits().count()
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
        let failures = self.edits().flatten().filter_map(|(reference, source)| {
            Some(FailedPicture {
                place: reference.place.clone(),
                address: reference.address.clone(),
                why: failed.get(&source)?.clone(),
            })
        });
        failures.collect()
    }

    /// The change of each post as a unified diff, in which [`NEW`] stands for each hash; `base` is the
    /// address of links. Posts that cannot be read any more are returned. Blocks.
    pub fn diff(&self, base: &str, mut print: impl FnMut(&str)) -> Vec<LeftFile> {
        let mut left = Vec::new();
        let address = format!("{base}/i/{NEW}.webp");
        for edits in self.edits() {
            let file = &edits[0].0.place.file;
            match text_of(&self.root.join(file)) {
                Ok(text) => {
                    let edits = edits
                        .iter()
                        .map(|(one, _)| (&one.written, address.clone(), None));
                    let (new, _) = rewritten(&text, edits);
                    let (from, to) = (format!("a/{file}"), format!("b/{file}"));
                    let diff = TextDiff::from_lines(&text, &new);
                    print(&diff.unified_diff().header(&from, &to).to_string());
                }
                Err(why) => left.push(LeftFile::new(file, why)),
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

/// A text with these in place of the addresses, and how many changed. An `img` gets what it lacks where
/// the size of its picture is given. What does not fit the text is left as it is.
pub(super) fn rewritten<'a>(
    text: &str,
    edits: impl Iterator<Item = (&'a Address, String, Option<(u32, u32)>)>,
) -> (String, usize) {
    let (mut new, mut done, mut count) = (String::with_capacity(text.len()), 0, 0);
    for (old, url, size) in edits {
        let fragment = old
            .address
            .split_once('#')
            .map_or("", |(_, fragment)| fragment);
        let mark = if fragment.is_empty() { "" } else { "#" };
        let (url, fragment) = (plain(&url), plain(fragment));
        let (before, after) = &old.around;
        let Some((kept, _)) = text
            .get(done..old.range.start)
            .zip(text.get(old.range.clone()))
        else {
            continue;
        };
        new += &format!("{kept}{before}{url}{mark}{fragment}{after}");
        (done, count) = (old.range.end, count + 1);
        let Some((missing, (width, height))) = old.missing.zip(size) else {
            continue;
        };
        new += text.get(done..missing.at).unwrap_or_default();
        done = missing.at;
        if missing.srcset {
            new += &srcset(&url, width);
        }
        if missing.size {
            new += &format!(" width=\"{width}\" height=\"{height}\"");
        }
    }
    (new + &text[done..], count)
}
