//! What the machine must have, and bringing what it lacks.

mod debian;
mod programs;
mod python;
mod toolchain;
mod tools;

use std::path::{Path, PathBuf};
use std::process::Command;

pub(crate) use python::environment;
pub(crate) use tools::cache;

use crate::shell::{Failure, Result, command, program};

/// What the machine is prepared for; each one needs all of the one before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Purpose {
    /// The service with no window: a C compiler is enough.
    Headless,
    /// The tray app and its window.
    Desktop,
    /// Everything that `cargo xtask test` runs.
    Tests,
}

/// Checks what `purpose` needs and installs what is missing and can be
/// installed. With `yes`, and where no one sits at a terminal, it does not ask.
pub(crate) fn prepare(purpose: Purpose, yes: bool) -> Result<()> {
    println!("==> Looking at what this machine has");
    toolchain::check_rust()?;
    if purpose == Purpose::Tests {
        toolchain::bring_rust_components(yes)?;
    }
    match toolchain::check_node() {
        Err(lack) if purpose == Purpose::Headless => {
            println!("    {lack}\n    Without a window it is not needed, so this continues.");
        }
        outcome => outcome?,
    }
    if debian::is_here() {
        debian::bring(purpose, yes)?;
    } else if cfg!(target_os = "linux") {
        println!("    {}", programs::needed_elsewhere(purpose));
    }
    programs::check(purpose)?;
    if purpose == Purpose::Tests {
        tools::bring(yes)?;
        if cfg!(unix) {
            tools::bring_litestream(yes)?;
        }
        if debian::is_here() && program("sshd").is_none() && !Path::new("/usr/sbin/sshd").exists() {
            debian::unpack(tools::SSH_SERVER, &tools::unpacked(tools::SSH_SERVER)?)?;
        }
    }
    println!("    Everything needed is here.");
    Ok(())
}

/// Checks and installs what the bench needs: the service alone, Node.js, and
/// the programs that it is measured beside; for the window also what the tests
/// of the window use.
pub(crate) fn prepare_bench(with_window: bool, yes: bool) -> Result<()> {
    let purpose = match with_window {
        true => Purpose::Tests,
        false => Purpose::Headless,
    };
    prepare(purpose, yes)?;
    toolchain::check_node()?;
    if debian::is_here() {
        debian::bring_packages(
            &[
                "chromium",
                "imagemagick",
                "nginx-light",
                "webp",
                "wrk",
                "xauth",
                "xterm",
                "xvfb",
            ],
            yes,
        )?;
    }
    Ok(())
}

/// Checks and installs what fuzzing needs: the service alone, and cargo-fuzz.
pub(crate) fn prepare_fuzz(yes: bool) -> Result<()> {
    prepare(Purpose::Headless, yes)?;
    tools::bring_fuzzer(yes)
}

/// Installs the browsers that WebKitGTK does not bring.
pub(crate) fn bring_browsers(yes: bool) -> Result<()> {
    if debian::is_here() {
        debian::bring_packages(&["chromium", "firefox-esr"], yes)?;
    }
    Ok(())
}

/// Checks and installs what packing needs, and returns the folder of the programs with which the
/// service is built for older systems.
pub(crate) fn prepare_packaging(yes: bool) -> Result<PathBuf> {
    prepare(Purpose::Desktop, yes)?;
    if debian::is_here() {
        debian::bring_packages(&["dpkg-dev", "git", "minisign", "rpm"], yes)?;
    }
    tools::bring_packager(yes)?;
    python::zig(yes)
}

/// Checks and installs what the packages are verified with.
pub(crate) fn prepare_verification(yes: bool) -> Result<()> {
    if !debian::is_here() {
        return Err(Failure::new(
            "Packages are verified on Debian and Ubuntu, which have the tools for it.",
        ));
    }
    debian::bring_packages(
        &[
            "appstream",
            "cpio",
            "curl",
            "debootstrap",
            "desktop-file-utils",
            "lintian",
            "rpm2cpio",
            "rpmlint",
            "systemd-container",
        ],
        yes,
    )
}

/// Whether a window can be shown. On Linux that requires an X11 or a Wayland
/// display; elsewhere a desktop is assumed.
pub(crate) fn has_display() -> bool {
    !cfg!(target_os = "linux") || names_a_display(|name| std::env::var(name).ok())
}

fn names_a_display(variable: impl Fn(&str) -> Option<String>) -> bool {
    ["DISPLAY", "WAYLAND_DISPLAY"]
        .into_iter()
        .filter_map(variable)
        .any(|value| !value.is_empty())
}

/// A cargo that finds the test tools of [`tools`], and so do the tests it runs.
pub(crate) fn cargo() -> Command {
    let mut cargo = command("cargo");
    if let Some(path) = tools::search_path() {
        cargo.env("PATH", path);
    }
    cargo
}

#[cfg(test)]
mod tests {
    use super::names_a_display;

    #[test]
    fn either_kind_of_display_counts_and_an_empty_name_does_not() {
        let with = |name: &'static str, value: &'static str| {
            names_a_display(|asked| (asked == name).then(|| value.to_owned()))
        };
        assert!(with("DISPLAY", ":0"));
        assert!(with("WAYLAND_DISPLAY", "wayland-0"));
        assert!(!with("DISPLAY", ""));
        assert!(!names_a_display(|_| None));
    }
}
