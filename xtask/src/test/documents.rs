//! Links from one document of the checkout to another file must lead to one.

use std::fs;
use std::path::{Path, PathBuf};

use crate::shell::{Failure, Result, checkout};

/// Fails, naming each, when a document links to a file that is not there.
pub(super) fn check() -> Result<()> {
    let mut broken = Vec::new();
    for document in documents()? {
        let text = fs::read_to_string(&document).map_err(|error| unreadable(&document, &error))?;
        let folder = document.parent().unwrap_or(checkout());
        for link in broken_links(&text, folder) {
            broken.push(format!("{}: {link}", document.display()));
        }
    }
    if broken.is_empty() {
        println!("    Every link between the documents leads somewhere.");
        return Ok(());
    }
    Err(Failure::new(format!(
        "Links that lead nowhere:\n  {}",
        broken.join("\n  ")
    )))
}

/// The Markdown files at the top and in `docs`.
fn documents() -> Result<Vec<PathBuf>> {
    let mut documents = Vec::new();
    for folder in [checkout().to_owned(), checkout().join("docs")] {
        for entry in fs::read_dir(&folder).map_err(|error| unreadable(&folder, &error))? {
            let path = entry.map_err(|error| unreadable(&folder, &error))?.path();
            if path.extension().is_some_and(|extension| extension == "md") {
                documents.push(path);
            }
        }
    }
    documents.sort();
    Ok(documents)
}

fn unreadable(path: &Path, error: &std::io::Error) -> Failure {
    Failure::new(format!("{} was not read: {error}.", path.display()))
}

/// The relative targets in `](…)` and `src="…"` that are not there, seen from
/// `folder`. Code blocks are left out; fragments after `#` are not checked.
fn broken_links(text: &str, folder: &Path) -> Vec<String> {
    let mut in_code = false;
    let mut broken = Vec::new();
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            in_code = !in_code;
        }
        if in_code {
            continue;
        }
        let marks = [("](", ')'), ("src=\"", '"'), ("href=\"", '"')];
        for (before, after) in marks {
            for rest in line.split(before).skip(1) {
                let target = rest.split([after, ' ']).next().unwrap_or_default();
                let file = target.split('#').next().unwrap_or_default();
                if !file.is_empty() && !file.contains(':') && !folder.join(file).exists() {
                    broken.push(target.to_owned());
                }
            }
        }
    }
    broken
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_relative_links_to_missing_files_are_broken() {
        let folder = tempfile::tempdir().expect("a folder");
        fs::write(folder.path().join("here.md"), "").expect("written");
        let text = "[a](here.md) [b](here.md#part) [c](#part) [d](https://example.org/x)\n\
                    [gone](gone.md) ![too](gone.png \"title\") <img src=\"gone.svg\">\n\
                    ```\n[in code](not-looked-at.md)\n```\n";
        assert_eq!(
            broken_links(text, folder.path()),
            ["gone.md", "gone.png", "gone.svg"]
        );
    }
}
