//! Debian, Ubuntu and what is built on them: which packages are missing, and
//! installing them with apt.

use std::collections::BTreeSet;
use std::fs;
use std::io::{IsTerminal, stdin};
use std::path::Path;
use std::process::Command;

use super::Purpose;
use crate::shell::{Failure, Result, agreed, answer, command, program, run};

/// For the service alone, and for the `curl` line that `run` prints.
const HEADLESS: &[&str] = &["build-essential", "ca-certificates", "curl"];

/// For the window and the tray. librsvg2-dev brings the loader with which GTK
/// draws the icons of its dialogs.
const DESKTOP: &[&str] = &[
    "libayatana-appindicator3-dev",
    "libdbus-1-dev",
    "libgtk-3-dev",
    "librsvg2-dev",
    "libwebkit2gtk-4.1-dev",
    "pkg-config",
];

/// For the tests: X11 and Wayland displays, a window manager, a separate session bus and
/// keyring, sample programs, tools that simulate input, inspect windows, read them through
/// the accessibility bus and validate desktop entries, and a small file system that can be
/// full.
const TESTS: &[&str] = &[
    "at-spi2-core",
    "dbus",
    "desktop-file-utils",
    "fonts-inter",
    "fonts-noto-cjk",
    // The emoji of the status dialog, in the screenshots.
    "fonts-noto-color-emoji",
    "foot",
    "gir1.2-gtk-3.0",
    "gnome-keyring",
    "libwrap0",
    "locales",
    "mount",
    "openbox",
    "openssh-client",
    "python3-gi",
    "python3-venv",
    "sway",
    "webkit2gtk-driver",
    "wl-clipboard",
    "wtype",
    "x11-utils",
    "xclip",
    "xdotool",
    "xterm",
    "xvfb",
];

/// Whether this is Debian or one of its family, with apt to install from.
pub(super) fn is_here() -> bool {
    fs::read_to_string("/etc/os-release").is_ok_and(|text| is_of_the_family(&text))
        && program("apt-get").is_some()
        && program("dpkg-query").is_some()
}

/// Reads `ID` and `ID_LIKE` of an os-release file.
fn is_of_the_family(os_release: &str) -> bool {
    os_release
        .lines()
        .filter_map(|line| line.split_once('='))
        .filter(|(key, _)| matches!(*key, "ID" | "ID_LIKE"))
        .flat_map(|(_, value)| value.trim_matches(['"', '\'']).split_whitespace())
        .any(|name| matches!(name, "debian" | "ubuntu"))
}

/// The packages that `purpose` needs.
fn packages(purpose: Purpose) -> Vec<&'static str> {
    let mut packages = HEADLESS.to_vec();
    if purpose >= Purpose::Desktop {
        packages.extend(DESKTOP);
    }
    if purpose >= Purpose::Tests {
        packages.extend(TESTS);
    }
    packages
}

/// Installs the packages of `purpose` that are missing, after asking where
/// there is someone to ask.
pub(super) fn bring(purpose: Purpose, yes: bool) -> Result<()> {
    bring_packages(&packages(purpose), yes)
}

/// Installs those of these packages that are missing, after asking where there
/// is someone to ask.
pub(super) fn bring_packages(wanted: &[&str], yes: bool) -> Result<()> {
    // dpkg-query exits with 1 as soon as it knows nothing of one of them.
    let query = command("dpkg-query")
        .args(["-W", "-f", "${Package}\t${db:Status-Status}\n"])
        .args(wanted)
        .output()
        .map_err(|error| Failure::new(format!("`dpkg-query` did not start: {error}.")))?;
    let missing = missing(wanted, &String::from_utf8_lossy(&query.stdout));
    if missing.is_empty() {
        return Ok(());
    }

    println!("    These system packages are missing:");
    for package in &missing {
        println!("      {package}");
    }
    let stop = |why: &str| Failure::new(format!("{why} {}", by_hand(&missing)));
    let Some(as_root) = as_root() else {
        return Err(stop(
            "Installing packages takes root, and there is no sudo here.",
        ));
    };
    if !agreed("Install them now, with apt?", yes)? {
        return Err(stop("Nothing was installed."));
    }
    install(&as_root, &missing).map_err(|failure| stop(&failure.to_string()))
}

/// Unpacks a package into a folder, unless that was done before. It is not
/// installed, so no service is set up or started.
pub(super) fn unpack(package: &str, folder: &Path) -> Result<()> {
    if folder.exists() {
        return Ok(());
    }
    println!("    Unpacking {package} into {}", folder.display());
    let io = |error: std::io::Error| Failure::new(format!("{}: {error}.", folder.display()));
    let half = folder.with_extension("half");
    if half.exists() {
        fs::remove_dir_all(&half).map_err(io)?;
    }
    fs::create_dir_all(&half).map_err(io)?;
    let download = || {
        run(command("apt-get")
            .args(["-q", "download", package])
            .current_dir(&half))
    };
    download().or_else(|failure| {
        // The package lists may be missing or too old.
        run(apt(&as_root().ok_or(failure)?).arg("update"))?;
        download()
    })?;
    let archive = fs::read_dir(&half)
        .map_err(io)?
        .filter_map(std::result::Result::ok)
        .map(|entry| entry.path())
        .find(|path| path.extension().is_some_and(|ending| ending == "deb"))
        .ok_or_else(|| Failure::new(format!("apt-get fetched no {package}.")))?;
    run(command("dpkg-deb").arg("-x").arg(&archive).arg(&half))?;
    fs::remove_file(&archive).map_err(io)?;
    fs::rename(&half, folder).map_err(io)
}

/// Those of `wanted` which dpkg does not report as installed. A package that
/// was removed and left its settings behind is missing too.
fn missing<'a>(wanted: &[&'a str], dpkg: &str) -> Vec<&'a str> {
    let installed: BTreeSet<&str> = dpkg
        .lines()
        .filter_map(|line| line.split_once('\t'))
        .filter(|(_, status)| status.trim() == "installed")
        .map(|(package, _)| package)
        .collect();
    wanted
        .iter()
        .copied()
        .filter(|package| !installed.contains(package))
        .collect()
}

/// What goes before a command that must be run as root: nothing where this is
/// root already, `None` where there is no way to become root.
fn as_root() -> Option<Vec<&'static str>> {
    if is_root() {
        return Some(Vec::new());
    }
    program("sudo")?;
    // Without a terminal the password cannot be typed: fail at once instead.
    Some(if stdin().is_terminal() {
        vec!["sudo"]
    } else {
        vec!["sudo", "-n"]
    })
}

#[cfg(unix)]
fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

#[cfg(not(unix))]
fn is_root() -> bool {
    false
}

fn by_hand(missing: &[&str]) -> String {
    format!(
        "To do it yourself, as root: `apt-get update && apt-get install --no-install-recommends {}`.",
        missing.join(" ")
    )
}

/// Package lists that are not there or too old are fetched first; lists that
/// turn out to name files which are gone are fetched before a second try.
fn install(as_root: &[&str], missing: &[&str]) -> Result<()> {
    let update = || run(apt(as_root).arg("update"));
    let install = || {
        run(apt(as_root)
            .args(["install", "--yes", "--no-install-recommends"])
            .args(missing))
    };
    let policy = answer(
        command("apt-cache")
            .env("LC_ALL", "C")
            .arg("policy")
            .args(missing),
    );
    if !lists_know_all(missing, &policy.unwrap_or_default()) {
        update()?;
        return install();
    }
    install().or_else(|_| {
        update()?;
        install()
    })
}

/// apt-get without questions, which waits for another apt to finish.
fn apt(as_root: &[&str]) -> Command {
    let words = ["env", "DEBIAN_FRONTEND=noninteractive", "apt-get"];
    let mut words = as_root.iter().chain(&words);
    let mut apt = command(words.next().expect("apt-get is among the words"));
    apt.args(words)
        .args(["-q", "-o", "DPkg::Lock::Timeout=300"]);
    apt
}

/// Whether `apt-cache policy` names a version to install for each package.
fn lists_know_all(packages: &[&str], policy: &str) -> bool {
    packages.iter().all(|package| {
        policy
            .lines()
            .skip_while(|line| line.strip_suffix(':') != Some(package))
            .skip(1)
            .take_while(|line| line.starts_with(' '))
            .filter_map(|line| line.trim().strip_prefix("Candidate:"))
            .any(|candidate| candidate.trim() != "(none)")
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shell::line;

    #[test]
    fn debian_ubuntu_and_their_kin_are_recognised() {
        for family in [
            "PRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\nID=debian\n",
            "ID=ubuntu\nID_LIKE=debian\n",
            "ID=linuxmint\nID_LIKE=\"ubuntu debian\"\n",
        ] {
            assert!(is_of_the_family(family), "{family}");
        }
        for other in ["ID=fedora\n", "ID=arch\nNAME=\"not debian\"\n", ""] {
            assert!(!is_of_the_family(other), "{other}");
        }
    }

    #[test]
    fn only_packages_that_dpkg_calls_installed_count_as_there() {
        let dpkg = "curl\tinstalled\nxvfb\tconfig-files\nopenbox\tnot-installed\n\
                    dbus\thalf-installed\n";
        assert_eq!(
            missing(&["curl", "xvfb", "openbox", "dbus", "xdotool"], dpkg),
            ["xvfb", "openbox", "dbus", "xdotool"]
        );
    }

    #[test]
    fn nothing_is_missing_when_all_are_installed() {
        // A package of two architectures is listed twice.
        let dpkg = "curl\tinstalled\nlibgtk-3-dev\tinstalled\nlibgtk-3-dev\tinstalled\n";
        assert!(missing(&["curl", "libgtk-3-dev"], dpkg).is_empty());
    }

    #[test]
    fn without_a_window_neither_webkit_nor_gtk_is_required() {
        assert!(
            packages(Purpose::Headless)
                .iter()
                .all(|package| !package.contains("gtk"))
        );
        assert!(packages(Purpose::Desktop).contains(&"libwebkit2gtk-4.1-dev"));
        assert!(!packages(Purpose::Desktop).contains(&"xvfb"));
        assert!(packages(Purpose::Tests).contains(&"xvfb"));
    }

    #[test]
    fn lists_that_name_no_candidate_need_an_update() {
        let policy = "curl:\n  Installed: (none)\n  Candidate: 7.88.1\n  Version table:\n     7.88.1 500\n\
                      xvfb:\n  Installed: (none)\n  Candidate: (none)\n  Version table:\n";
        assert!(lists_know_all(&["curl"], policy));
        assert!(!lists_know_all(&["xvfb"], policy));
        assert!(!lists_know_all(&["curl", "xvfb"], policy));
        assert!(!lists_know_all(&["openbox"], policy));
        assert!(!lists_know_all(&["curl"], ""));
    }

    #[test]
    fn apt_is_non_interactive_and_runs_under_sudo_where_required() {
        let plain = line(&apt(&[]));
        assert!(
            plain.starts_with("env DEBIAN_FRONTEND=noninteractive apt-get"),
            "{plain}"
        );
        assert!(line(&apt(&["sudo", "-n"])).starts_with("sudo -n env "));
    }

    #[test]
    fn the_sentence_for_doing_it_by_hand_names_the_packages() {
        assert!(by_hand(&["xvfb", "curl"]).contains("xvfb curl"));
    }
}
