//! Whether known vulnerabilities of the libraries can be checked: this needs a database, which
//! cargo-deny fetches from a separate repository.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

/// What cargo-deny checks without a network and without a database.
const ALWAYS: [&str; 3] = ["licenses", "bans", "sources"];
/// The prefix of the database folder that cargo-deny uses.
const DATABASE: &str = "advisory-db";

/// The checks to run; prints which are skipped, and why.
pub(super) fn checks() -> Vec<&'static str> {
    let folder = databases(|name| std::env::var_os(name));
    let mut checks = ALWAYS.to_vec();
    match folder.as_deref() {
        Some(folder) if has_database(folder) => checks.push("advisories"),
        Some(folder) => println!(
            "    Advisories are skipped: there is no database in {}. `cargo deny fetch` fetches it.",
            folder.display()
        ),
        None => println!("    Advisories are skipped: neither CARGO_HOME nor HOME is set."),
    }
    checks
}

/// Where cargo-deny stores its databases, unless `deny.toml` overrides it.
fn databases(variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let home = || {
        Some(PathBuf::from(
            variable("HOME").or_else(|| variable("USERPROFILE"))?,
        ))
    };
    let cargo = variable("CARGO_HOME").map(PathBuf::from);
    let cargo = cargo.or_else(|| Some(home()?.join(".cargo")))?;
    Some(cargo.join("advisory-dbs"))
}

/// Whether a database that was fetched is in there.
fn has_database(folder: &Path) -> bool {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .filter(|entry| entry.file_name().to_string_lossy().starts_with(DATABASE))
        .any(|entry| fs::read_dir(entry.path()).is_ok_and(|mut inside| inside.next().is_some()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_databases_are_in_the_folder_of_cargo() {
        let with = |pairs: &'static [(&str, &str)]| {
            databases(|name| {
                let found = pairs.iter().find(|(key, _)| *key == name);
                found.map(|(_, value)| OsString::from(value))
            })
        };
        assert_eq!(
            with(&[("CARGO_HOME", "/c"), ("HOME", "/home/a")]),
            Some(PathBuf::from("/c/advisory-dbs"))
        );
        assert_eq!(
            with(&[("HOME", "/home/a")]),
            Some(PathBuf::from("/home/a/.cargo/advisory-dbs"))
        );
        assert_eq!(with(&[]), None);
    }

    #[test]
    fn an_empty_folder_is_not_a_database() {
        let folder = tempfile::tempdir().expect("a folder");
        assert!(!has_database(&folder.path().join("missing")));
        assert!(!has_database(folder.path()), "empty");
        fs::write(folder.path().join("db.lock"), "").expect("written");
        let database = folder.path().join("advisory-db-3157b0e258782691");
        fs::create_dir(&database).expect("a folder");
        assert!(!has_database(folder.path()), "nothing was fetched");
        fs::create_dir(database.join("crates")).expect("a folder");
        assert!(has_database(folder.path()));
    }

    #[test]
    fn deny_toml_keeps_the_database_in_the_expected_place() {
        let config = fs::read_to_string(crate::shell::checkout().join("deny.toml"));
        assert!(!config.expect("the file").contains("db-path"));
    }
}
