//! Building the page and the programs.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use anyhow::{Context as _, Result};
use serde_json::Value;
use xshell::{Cmd, Shell, cmd};

use crate::cross::WINDOWS;
use crate::setup::node;
use crate::shell::{NPM, cargo, checkout, files_below};

/// Builds the tray app with its page.
pub(crate) fn desktop(sh: &Shell, release: bool) -> Result<PathBuf> {
    page(sh)?;
    let words = format!("build {} --features porchlight/desktop", of(release));
    built(cargo(sh, &words))
}

/// Builds the service alone: nothing of webkit or GTK.
pub(crate) fn headless(sh: &Shell, release: bool) -> Result<PathBuf> {
    built(cargo(sh, &format!("build {}", of(release))))
}

/// A choice of packages is a choice of their libraries' features: the tests then find what a debug
/// build has compiled.
fn of(release: bool) -> &'static str {
    match release {
        true => "--release --package porchlight",
        false => "--workspace",
    }
}

/// Builds the release service for Linux with this glibc or a newer one, by the compiler and the
/// linker in the folder `zig`: what links here otherwise asks for this system's own glibc.
pub(crate) fn portable(sh: &Shell, zig: &Path, glibc: &str) -> Result<PathBuf> {
    let path = sh.var_os("PATH").unwrap_or_default();
    let folders = std::iter::once(zig.to_owned()).chain(std::env::split_paths(&path));
    let _path = sh.push_env("PATH", std::env::join_paths(folders)?);
    let target = format!("{}-unknown-linux-gnu.{glibc}", std::env::consts::ARCH);
    built(cargo(sh, "zigbuild --release --package porchlight --target").arg(target))
}

/// Builds the release program for Windows, with or without the tray app.
pub(crate) fn windows(sh: &Shell, desktop: bool) -> Result<PathBuf> {
    let build = cargo(sh, "build --release --package porchlight --target").arg(WINDOWS);
    if !desktop {
        return built(build);
    }
    page(sh)?;
    built(build.args(["--features", "porchlight/desktop"]))
}

/// Runs a build of the program and returns its path, which cargo reports: it depends on
/// `CARGO_TARGET_DIR` and cargo's own settings.
fn built(build: Cmd<'_>) -> Result<PathBuf> {
    println!("==> Building Porchlight");
    let messages = build
        .args(["--bin", "porchlight", "--locked"])
        .arg("--message-format=json-render-diagnostics")
        .read()?;
    executable(&messages).context("cargo built Porchlight but did not report its path")
}

/// The path of the program among cargo's messages, one JSON object a line.
fn executable(messages: &str) -> Option<PathBuf> {
    messages
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .filter(|message| {
            let target = &message["target"];
            target["name"] == "porchlight" && target["kind"][0] == "bin"
        })
        .filter_map(|message| message["executable"].as_str().map(PathBuf::from))
        .next_back()
}

/// Installs the npm packages of these folders of the checkout, where those of the lock file are not
/// installed yet.
pub(crate) fn packages(sh: &Shell, folders: &[&str]) -> Result<()> {
    for folder in folders.iter().map(|folder| checkout().join(folder)) {
        let lock = sh.read_file(folder.join("package-lock.json"))?;
        // `npm ci` removes the folder first, so a half-finished one has no copy.
        let stamp = folder.join("node_modules/.installed-from.json");
        if sh.read_file(&stamp).ok().as_ref() == Some(&lock) {
            continue;
        }
        node(sh)?;
        // Install scripts would run as this user. No package needs one: a test checks this.
        let _in = sh.push_dir(folder);
        cmd!(sh, "{NPM} ci --ignore-scripts --no-audit --no-fund").run()?;
        sh.write_file(&stamp, lock)?;
    }
    Ok(())
}

/// Installs what a folder needs and runs these scripts of its `package.json`.
pub(crate) fn scripts(sh: &Shell, folder: &str, names: &[&str]) -> Result<()> {
    packages(sh, &[folder])?;
    let _in = sh.push_dir(folder);
    for name in names {
        cmd!(sh, "{NPM} run").args(name.split(' ')).run()?;
    }
    Ok(())
}

/// Builds the page into `ui/dist`, unless nothing that it is made of has changed since. Cargo would
/// link the app again for a new page.
pub(crate) fn page(sh: &Shell) -> Result<()> {
    let ui = checkout().join("ui");
    packages(sh, &["ui"])?;
    let stamp = ui.join("node_modules/.page-built");
    // The preview for blogs runs the element.
    let newest = newest(&ui)?.max(changed(&checkout().join("edge/widget.js")));
    if newest < changed(&stamp) && ui.join("dist/index.html").exists() {
        return Ok(());
    }
    // What changes while it is built is newer than this.
    let began = ui.join("node_modules/.page-begun");
    sh.write_file(&began, "")?;
    scripts(sh, "ui", &["build"])?;
    fs::rename(began, stamp)?;
    Ok(())
}

/// When something was changed last that a page is made of.
fn newest(ui: &Path) -> Result<Option<SystemTime>> {
    let files = files_below(ui)?;
    // A folder changes when a file in it is added or removed; this one, when tools fill theirs.
    let folders = files.iter().filter_map(|file| file.parent());
    let folders = folders.filter(|folder| *folder != ui);
    let files = files.iter().map(PathBuf::as_path);
    Ok(files.chain(folders).filter_map(changed).max())
}

fn changed(path: &Path) -> Option<SystemTime> {
    fs::metadata(path).and_then(|data| data.modified()).ok()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn no_package_needs_a_script_when_it_is_installed() {
        for folder in ["bench/sharp", "ui", "xtask/workflows"] {
            let lock = checkout().join(folder).join("package-lock.json");
            let lock = fs::read_to_string(lock).expect("a lock file");
            assert!(!lock.contains("hasInstallScript"), "{folder}");
        }
    }

    #[test]
    fn the_program_is_distinguished_from_libraries_and_build_scripts() {
        let messages = concat!(
            r#"{"target":{"name":"build-script-build","kind":["custom-build"]},"executable":"/t/b"}"#,
            "\n",
            r#"{"target":{"name":"porchlight_service","kind":["lib"]},"executable":null}"#,
            "\nnot json\n",
            r#"{"target":{"name":"porchlight","kind":["bin"]},"executable":"/t/porchlight"}"#,
            "\n",
            r#"{"reason":"build-finished","success":true}"#,
        );
        assert_eq!(executable(messages), Some(PathBuf::from("/t/porchlight")));
        assert_eq!(executable("{\"reason\":\"build-finished\"}\n"), None);
    }

    #[test]
    fn a_changed_or_removed_source_is_newer_than_the_page_and_generated_folders_are_not() {
        let ui = tempfile::tempdir().expect("a folder");
        let an_hour_ago = SystemTime::now() - Duration::from_secs(3600);
        let age = |path: &Path| {
            let file = fs::File::open(path).expect("it is there");
            file.set_modified(an_hour_ago).expect("its time");
        };
        let write = |name: &str| {
            let file = ui.path().join(name);
            fs::create_dir_all(file.parent().expect("a folder")).expect("made");
            fs::write(&file, "").expect("written");
            file
        };
        let (page, other) = (write("src/deep/page.ts"), write("src/deep/other.ts"));
        let age_all = || [&page, page.parent().expect("a folder")].map(age);
        age(&other);
        age_all();
        write("node_modules/x.js");
        write("dist/index.html");
        let is_new = || newest(ui.path()).expect("readable") > Some(an_hour_ago);
        assert!(!is_new());

        write("src/deep/page.ts");
        assert!(is_new(), "it was changed");
        age_all();
        fs::remove_file(other).expect("removed");
        assert!(is_new(), "one was removed");
    }
}
