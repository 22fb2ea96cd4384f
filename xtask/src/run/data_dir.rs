//! Which data folder the app will use, found the way the app finds it.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::shell::{Failure, Result};

/// From what is passed to porchlight: the words that give another porchlight
/// command the same data folder, and the folder itself, absolute.
pub(super) fn of(arguments: &[String]) -> Result<(Vec<String>, PathBuf)> {
    let named = named(arguments);
    let folder = match &named {
        Some(folder) => PathBuf::from(folder),
        None => usual(|name| std::env::var_os(name))
            .ok_or_else(|| Failure::new("The data folder is unknown: this user has no home."))?,
    };
    let folder = std::path::absolute(&folder)
        .map_err(|error| Failure::new(format!("{} is no folder: {error}.", folder.display())))?;
    let words = named.map(|folder| vec!["--data-dir".to_owned(), folder]);
    Ok((words.unwrap_or_default(), folder))
}

/// The value of `--data-dir`, in either way of writing it.
fn named(arguments: &[String]) -> Option<String> {
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        if word == "--data-dir" {
            return words.next().cloned();
        }
        if let Some(folder) = word.strip_prefix("--data-dir=") {
            return Some(folder.to_owned());
        }
    }
    None
}

/// Without that option: the variable for it, else the platform's own place.
fn usual(variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let folder = |name| {
        variable(name)
            .filter(|value| !value.is_empty())
            .map(PathBuf::from)
    };
    if let Some(named) = folder("PORCHLIGHT_DATA_DIR") {
        return Some(named);
    }
    let parent = if cfg!(windows) {
        folder("LOCALAPPDATA")
    } else if cfg!(target_os = "macos") {
        folder("HOME").map(|home| home.join("Library").join("Application Support"))
    } else {
        folder("XDG_DATA_HOME")
            .filter(|path| path.is_absolute())
            .or_else(|| folder("HOME").map(|home| home.join(".local").join("share")))
    };
    parent.map(|parent: PathBuf| Path::join(&parent, "porchlight"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(words: &[&str]) -> Vec<String> {
        words.iter().map(|&word| word.to_owned()).collect()
    }

    #[test]
    fn the_option_is_read_in_both_ways_of_writing_it() {
        assert_eq!(
            named(&words(&["--hidden", "--data-dir", "/d"])),
            Some("/d".into())
        );
        assert_eq!(named(&words(&["--data-dir=/d e"])), Some("/d e".into()));
        assert_eq!(named(&words(&["--hidden"])), None);
    }

    #[test]
    fn the_folder_of_the_option_is_absolute_and_passed_on() {
        let (option, folder) = of(&words(&["--data-dir", "here"])).expect("a folder");
        assert_eq!(option, ["--data-dir", "here"]);
        assert!(folder.is_absolute() && folder.ends_with("here"));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn without_the_option_the_variables_decide_in_order() {
        let with = |pairs: &'static [(&str, &str)]| {
            usual(|name| {
                pairs
                    .iter()
                    .find(|(key, _)| *key == name)
                    .map(|(_, value)| OsString::from(value))
            })
        };
        assert_eq!(
            with(&[("PORCHLIGHT_DATA_DIR", "/p"), ("XDG_DATA_HOME", "/x")]),
            Some("/p".into())
        );
        assert_eq!(
            with(&[("XDG_DATA_HOME", "/x"), ("HOME", "/h")]),
            Some("/x/porchlight".into())
        );
        assert_eq!(
            with(&[("HOME", "/h")]),
            Some("/h/.local/share/porchlight".into())
        );
        assert_eq!(with(&[]), None);
    }
}
