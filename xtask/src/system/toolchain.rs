//! Rust and Node.js: both come from their own installers, so they are checked
//! here and never installed.

use crate::shell::{Failure, Result, agreed, answer, command, npm, program, run};
use crate::version::Version;

/// The oldest Node.js that builds the window.
const NODE: Version = Version::new(20, 19, 0);
/// Of the lines after 20, the first that the bundler accepts.
const NODE_AFTER_20: Version = Version::new(22, 12, 0);

/// Fails when rustc is older than the workspace asks for.
pub(super) fn check_rust() -> Result<()> {
    let printed = answer(command("rustc").arg("--version")).unwrap_or_default();
    let needed = Version::find(env!("CARGO_PKG_RUST_VERSION"))
        .expect("the workspace names its rust-version");
    match Version::find(&printed) {
        Some(found) if found >= needed => {
            println!("    Rust {found}");
            Ok(())
        }
        found => Err(Failure::new(format!(
            "Rust {needed} or newer is needed{}. Get it with rustup (https://rustup.rs), \
             or bring rustup's up to date with `rustup update stable`.",
            but_found(found)
        ))),
    }
}

/// Adds rustfmt and clippy to the toolchain where they are not in it.
pub(super) fn bring_rust_components(yes: bool) -> Result<()> {
    let missing: Vec<&str> = [("rustfmt", "fmt"), ("clippy", "clippy")]
        .into_iter()
        .filter(|(_, subcommand)| {
            answer(command("cargo").args([subcommand, "--version"])).is_none()
        })
        .map(|(component, _)| component)
        .collect();
    if missing.is_empty() {
        return Ok(());
    }
    let names = missing.join(" ");
    let by_hand = Failure::new(format!(
        "The tests need the Rust components {names}: `rustup component add {names}`."
    ));
    if program("rustup").is_none() || !agreed(&format!("Add the Rust components {names}?"), yes)? {
        return Err(by_hand);
    }
    run(command("rustup").args(["component", "add"]).args(missing))
}

/// Fails when Node.js or npm is missing or too old for the window's build.
pub(super) fn check_node() -> Result<()> {
    let printed = answer(command("node").arg("--version")).unwrap_or_default();
    let found = Version::find(&printed);
    match found {
        Some(found) if builds_the_window(found) => println!("    Node.js {found}"),
        _ => {
            return Err(Failure::new(format!(
                "Node.js {NODE} or newer (of the newer lines, {NODE_AFTER_20} or newer) is needed \
                 to build the window{}. Get it from https://nodejs.org, or with a version manager: \
                 `nvm install 20`, `fnm install 20`.",
                but_found(found)
            )));
        }
    }
    if answer(npm().arg("--version")).is_none() {
        return Err(Failure::new(
            "npm is needed to build the window and was not found. It comes with Node.js from \
             https://nodejs.org; Debian and Ubuntu have it in a separate package, `npm`.",
        ));
    }
    Ok(())
}

fn builds_the_window(node: Version) -> bool {
    match node.major() {
        20 => node >= NODE,
        _ => node >= NODE_AFTER_20,
    }
}

fn but_found(found: Option<Version>) -> String {
    found.map_or_else(
        || ", and none was found".to_owned(),
        |version| format!(", and {version} was found"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn supported_node_versions_are_recognised() {
        for fit in ["v20.19.0", "v20.20.2", "v22.12.0", "v23.0.0", "v24.1.0"] {
            let version = Version::find(fit).expect("a version");
            assert!(builds_the_window(version), "{fit}");
        }
        for unfit in ["v18.20.4", "v20.18.3", "v21.7.0", "v22.11.0"] {
            let version = Version::find(unfit).expect("a version");
            assert!(!builds_the_window(version), "{unfit}");
        }
    }

    #[test]
    fn a_missing_tool_is_reported_with_what_was_found() {
        assert_eq!(
            but_found(Some(Version::new(18, 0, 0))),
            ", and 18.0.0 was found"
        );
        assert_eq!(but_found(None), ", and none was found");
    }
}
