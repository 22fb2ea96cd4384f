//! The documents: their links lead somewhere, and `cargo xtask docs` makes a site of them.

use std::collections::BTreeSet;
use std::path::PathBuf;

use anyhow::{Result, ensure};
use xshell::{Shell, cmd};

use crate::setup::{SITE, prepare};
use crate::shell::{checkout, files_below, has_ending, make_new};

/// Fails when a link between the documents leads nowhere.
pub(crate) fn check(sh: &Shell) -> Result<()> {
    let mut wrong = Vec::new();
    for (document, link, target) in links(sh)? {
        let fragment = link.split_once('#').map_or("", |(_, fragment)| fragment);
        let has_fragment = || {
            let text = has_ending(&target, &["md"]).then(|| sh.read_file(&target));
            text.is_none_or(|text| text.is_ok_and(|text| fragments(&text).contains(fragment)))
        };
        if !target.exists() || !fragment.is_empty() && !has_fragment() {
            wrong.push(format!("{}: {link}", document.display()));
        }
    }
    let wrong = wrong.join("\n  ");
    ensure!(wrong.is_empty(), "links that lead nowhere:\n  {wrong}");
    Ok(())
}

/// Makes the site, in `target/docs`. Its source has the places of the checkout, so the same links
/// hold; with the documents come the files that they link to.
pub(crate) fn site(sh: &Shell, yes: bool) -> Result<()> {
    prepare(sh, &[SITE], yes)?;
    let book = checkout().join("target/docs-source");
    make_new(sh, &book)?;
    let linked = links(sh)?.into_iter().map(|(_, _, target)| target);
    let files: BTreeSet<PathBuf> = linked.chain(documents(sh)?).collect();
    for file in files.iter().filter(|file| file.is_file()) {
        let place = book.join(file.canonicalize()?.strip_prefix(checkout())?);
        sh.create_dir(place.parent().unwrap_or(&book))?;
        sh.copy_file(file, place)?;
    }
    for file in files_below(&checkout().join("docs/site"))? {
        sh.copy_file(file, &book)?;
    }
    sh.copy_file("ui/src/tokens.css", &book)?;
    let icon = sh.create_dir(book.join("theme"))?.join("favicon.svg");
    sh.copy_file("src-tauri/icons/icon.svg", icon)?;
    Ok(cmd!(sh, "mdbook build {book}").run()?)
}

/// The documents, at the top and in `docs`.
fn documents(sh: &Shell) -> Result<Vec<PathBuf>> {
    let mut files = sh.read_dir(checkout())?;
    files.extend(sh.read_dir("docs")?);
    files.retain(|file| has_ending(file, &["md"]));
    Ok(files)
}

/// The relative links of the documents: where each stands, what it says, and the file that it means.
fn links(sh: &Shell) -> Result<Vec<(PathBuf, String, PathBuf)>> {
    let mut all = Vec::new();
    for document in documents(sh)? {
        for link in links_of(&sh.read_file(&document)?) {
            let target = match link.split('#').next() {
                None | Some("") => document.clone(),
                Some(path) => document.with_file_name(path),
            };
            all.push((document.clone(), link, target));
        }
    }
    Ok(all)
}

/// What is in `](…)`, `src="…"` and `href="…"`, but for code blocks and addresses.
fn links_of(text: &str) -> Vec<String> {
    let text = without_code(text);
    let mut links = Vec::new();
    for (before, after) in [("](", ')'), ("src=\"", '"'), ("href=\"", '"')] {
        let rests = text.split(before).skip(1);
        links.extend(rests.filter_map(|rest| rest.split([after, ' ']).next().map(str::to_owned)));
    }
    links.retain(|link| !link.contains(':'));
    links
}

/// The fragments by which the headings of a document are linked to, at GitHub and on the site.
fn fragments(text: &str) -> BTreeSet<String> {
    let text = without_code(text);
    let headings = text.lines().filter(|line| line.starts_with('#'));
    let fragment = |line: &str| {
        let kept = line.trim_start_matches('#').trim().to_lowercase();
        let is_kept = |c: &char| c.is_alphanumeric() || " -_".contains(*c);
        kept.chars()
            .filter(is_kept)
            .collect::<String>()
            .replace(' ', "-")
    };
    headings.map(fragment).collect()
}

fn without_code(text: &str) -> String {
    text.split("```").step_by(2).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_read_outside_code_and_without_addresses() {
        let text = "[a](shell.rs) [b](b.md#part) [c](#part) [d](https://example.org/x)\n\
                    ![e](e.png \"title\") <img src=\"f.svg\">\n```\n[in code](no.md)\n```\n";
        let links = ["shell.rs", "b.md#part", "#part", "e.png", "f.svg"];
        assert_eq!(links_of(text), links);
    }

    #[test]
    fn a_heading_is_linked_to_by_its_words() {
        let text = "# At `first`, v1.2\n\n## Two-part_name\n```sh\n# a comment\n```\nText\n";
        let two = ["at-first-v12", "two-part_name"].map(str::to_owned);
        assert_eq!(fragments(text), BTreeSet::from(two));
    }
}
