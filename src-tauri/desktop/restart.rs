//! Restarting the app: everything stops as when it is quit, and then this process becomes the new
//! one.

use std::ffi::{OsStr, OsString};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};

use porchlight_service::files::executable;
use tauri::{AppHandle, Manager as _};

use super::{HIDDEN, UPLOAD, UPLOAD_CLIPBOARD};
use crate::cli;

/// Options of the tray app whose next word is their value, whatever it is.
const TAKES_A_VALUE: [&str; 2] = ["--data-dir", "--set"];

/// Whether the app is to restart when it has ended.
#[derive(Default)]
pub(super) struct RestartRequest(AtomicBool);

pub(super) fn start_again(app: &AppHandle) {
    app.state::<RestartRequest>()
        .0
        .store(true, Ordering::Release);
    app.exit(0);
}

pub(super) fn is_wanted(app: &AppHandle) -> bool {
    app.state::<RestartRequest>().0.load(Ordering::Acquire)
}

/// Starts it, with the window and what it was started with before. Nothing of
/// the one before may be left; comes back only where that fails, or where the
/// system has no other way than a second process.
pub(super) fn start() -> ExitCode {
    match executable::restart(arguments(std::env::args_os())) {
        Err(error) => cli::failed(&format!("it cannot restart: {error}"), 1),
        Ok(()) => ExitCode::SUCCESS,
    }
}

/// Those of this run, less its name; an owner who restarts it wants to see it, and
/// what was uploaded once is not uploaded again.
fn arguments(of_this_run: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let mut kept = Vec::new();
    let mut of_this_run = of_this_run.skip(1);
    while let Some(argument) = of_this_run.next() {
        let begins = format!("{UPLOAD}=");
        if argument == UPLOAD || begins_with(&argument, &begins) {
            // All that follows are files.
            break;
        }
        if TAKES_A_VALUE.iter().any(|option| argument == *option) {
            kept.push(argument);
            kept.extend(of_this_run.next());
        } else if argument != HIDDEN && argument != UPLOAD_CLIPBOARD {
            kept.push(argument);
        }
    }
    kept
}

fn begins_with(argument: &OsStr, with: &str) -> bool {
    argument.as_encoded_bytes().starts_with(with.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::arguments;

    #[test]
    fn the_new_one_has_the_same_arguments_and_a_window() {
        let before = [
            "porchlight",
            "--hidden",
            "--data-dir",
            "a b",
            "--set",
            "x=1",
        ];
        let after = arguments(before.iter().map(Into::into));
        assert_eq!(after, ["--data-dir", "a b", "--set", "x=1"]);
    }

    #[test]
    fn uploaded_files_are_not_uploaded_again() {
        for (before, expected) in [
            (
                &["--set", "x=1", "--upload", "a.png", "--set", "b.png"][..],
                &["--set", "x=1"][..],
            ),
            (&["--upload=a.png", "b.png"], &[]),
            (&["--upload-clipboard", "--set", "x=1"], &["--set", "x=1"]),
            (
                &["--set", "--upload", "--set=--upload"],
                &["--set", "--upload", "--set=--upload"],
            ),
        ] {
            let words = ["porchlight"].iter().chain(before).map(Into::into);
            assert_eq!(arguments(words), expected, "{before:?}");
        }
    }
}
