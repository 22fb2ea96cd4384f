//! The required programs, however they were installed: checked on the machine
//! itself, so that it works on every system.

use super::Purpose;
use crate::shell::{Failure, Result, answer, command, program};

/// The libraries whose development files the window is built with, by the
/// names under which pkg-config knows them.
const LIBRARIES: &[&str] = &["webkit2gtk-4.1", "gtk+-3.0", "dbus-1"];

/// What the tests of the window and of the companion start, beside what cargo
/// builds.
const PROGRAMS: &[&str] = &[
    "Xvfb",
    "openbox",
    "xclip",
    "xdotool",
    "xprop",
    "xterm",
    "sway",
    "foot",
    "WebKitWebDriver",
    "dbus-run-session",
    "gnome-keyring-daemon",
    "desktop-file-validate",
    "python3",
];

/// Fails, naming all of it, when something that `purpose` needs is not there.
pub(super) fn check(purpose: Purpose) -> Result<()> {
    let mut missing = Vec::new();
    if cfg!(unix) && answer(command("cc").arg("--version")).is_none() {
        missing.push("a C compiler (`cc`)");
    }
    if cfg!(target_os = "linux") && purpose >= Purpose::Desktop {
        if answer(command("pkg-config").arg("--version")).is_none() {
            missing.push("pkg-config");
        } else {
            missing.extend(LIBRARIES.iter().filter(|library| {
                answer(command("pkg-config").args(["--exists", library])).is_none()
            }));
        }
    }
    if cfg!(target_os = "linux") && purpose >= Purpose::Tests {
        missing.extend(PROGRAMS.iter().filter(|name| program(name).is_none()));
    }
    if missing.is_empty() {
        return Ok(());
    }
    Err(Failure::new(format!(
        "Not found on this machine: {}.{}",
        missing.join(", "),
        if cfg!(target_os = "macos") {
            " `xcode-select --install` brings the compiler."
        } else {
            ""
        }
    )))
}

/// What a Linux without apt must have been given by its owner.
pub(super) fn needed_elsewhere(purpose: Purpose) -> String {
    let mut needed = "a C compiler and curl".to_owned();
    if purpose >= Purpose::Desktop {
        needed.push_str(
            "; pkg-config and the development files of WebKitGTK 4.1, GTK 3, \
             Ayatana AppIndicator 3, librsvg 2 and D-Bus",
        );
    }
    if purpose >= Purpose::Tests {
        needed.push_str(
            "; Xvfb, openbox, xclip, xdotool, xprop, xterm, sway, foot, WebKitWebDriver, \
             dbus-run-session, gnome-keyring-daemon, desktop-file-validate, and Python 3 with GObject introspection of GTK 3",
        );
    }
    format!(
        "Nothing is installed for you here, for this is neither Debian nor Ubuntu. Needed: {needed}."
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_purpose_names_what_it_needs_and_no_more() {
        let headless = needed_elsewhere(Purpose::Headless);
        assert!(headless.contains("C compiler") && !headless.contains("WebKit"));
        let desktop = needed_elsewhere(Purpose::Desktop);
        assert!(desktop.contains("WebKitGTK 4.1") && !desktop.contains("Xvfb"));
        assert!(needed_elsewhere(Purpose::Tests).contains("Xvfb"));
    }
}
