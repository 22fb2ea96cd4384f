//! What an adoption will do, before anything is written.

use std::collections::BTreeSet;
use std::fmt::Display;

use serde::{Deserialize, Serialize};
use similar::TextDiff;

use super::address::PostAddress;
use super::reference::{PostProblem, Reference, Report, Target};
use super::scan::text_of;
use super::site::Site;
use crate::images::link::srcset;

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

/// What is done with a folder.
pub struct Plan {
    pub(super) site: Site,
    /// The pictures that come here, each once: files of the folder, and those of the chosen hosts.
    pub sources: BTreeSet<Target>,
    /// Everything that the folder holds.
    pub report: Report,
    pub(super) choice: Choice,
    /// The address of links when it was made, without a slash at its end.
    pub(super) base: String,
}

impl Plan {
    pub(super) fn new(site: Site, report: Report, choice: Choice, base: String) -> Self {
        let references = report.references.iter();
        let published = references.filter(|reference| choice.drafts || !reference.draft);
        let is_chosen = |target: &&Target| match target {
            Target::Local { .. } => true,
            Target::Foreign { host, .. } => choice.foreign.contains(host),
            _ => false,
        };
        let sources = published
            .map(|reference| &reference.target)
            .filter(is_chosen);
        Self {
            sources: sources.cloned().collect(),
            site,
            report,
            choice,
            base,
        }
    }

    /// The address that a picture gets.
    pub(super) fn address_of(&self, hash: impl Display) -> String {
        format!("{}/i/{hash}.webp", self.base)
    }

    /// The references of each post that change. A draft also gets the addresses of what others use.
    pub(super) fn edits(&self) -> impl Iterator<Item = Vec<&Reference>> {
        let references = &self.report.references;
        let posts = references.chunk_by(|one, next| one.file == next.file);
        let changes = |one: &&Reference| self.sources.contains(&one.target);
        let edits = posts.map(move |post| post.iter().filter(changes).collect::<Vec<_>>());
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

    /// The change of each post as a unified diff, in which [`NEW`] stands for each hash. Posts
    /// that cannot be read any more are returned. Blocks.
    pub fn diff(&self, mut print: impl FnMut(&str)) -> Vec<PostProblem> {
        let mut left = Vec::new();
        let address = self.address_of(NEW);
        for edits in self.edits() {
            let file = &edits[0].file;
            match text_of(&self.site.path(file)) {
                Ok(text) => {
                    let edits = edits
                        .iter()
                        .map(|one| (&one.written, address.clone(), None));
                    let (new, _) = rewritten(&text, edits);
                    let (from, to) = (format!("a/{file}"), format!("b/{file}"));
                    let diff = TextDiff::from_lines(&text, &new);
                    print(&diff.unified_diff().header(&from, &to).to_string());
                }
                Err(why) => left.push(PostProblem::new(file, why)),
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
    edits: impl Iterator<Item = (&'a PostAddress, String, Option<(u32, u32)>)>,
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
        let kept = text.get(done..old.range.start);
        let Some(kept) = kept.filter(|_| text.is_char_boundary(old.range.end)) else {
            continue;
        };
        new += &format!("{kept}{before}{url}{mark}{fragment}{after}");
        (done, count) = (old.range.end, count + 1);
        if let Some((missing, (width, height))) = old.missing.zip(size) {
            new += text.get(done..missing.at).unwrap_or_default();
            done = missing.at;
            if missing.srcset {
                new += &srcset(&url, width);
            }
            if missing.size {
                new += &format!(" width=\"{width}\" height=\"{height}\"");
            }
        }
    }
    (new + &text[done..], count)
}
