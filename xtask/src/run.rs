//! `cargo xtask run`: from a fresh checkout to the running tray app, or, on a
//! machine without a display, to the same service without a window.

use std::ffi::OsString;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, Stdio};

use anyhow::{Context as _, Result};
use xshell::{Shell, cmd};

use crate::build;
use crate::setup::{DESKTOP, HEADLESS, prepare};
use crate::shell::checkout;

/// The name of the token of the `curl` line. It is distinctive, so a token with it is ours to
/// revoke.
const TOKEN: &str = "cargo-xtask-run";

/// Builds Porchlight, starts it, prints its address, and waits until it ends.
/// Returns its exit code.
pub(crate) fn run(sh: &Shell, release: bool, words: &[String], yes: bool) -> Result<ExitCode> {
    let headless = cfg!(target_os = "linux") && !names_a_display(|name| std::env::var_os(name));
    let program = if headless {
        println!(
            "There is no display here (neither DISPLAY nor WAYLAND_DISPLAY is set), so Porchlight \
             starts headless:\nthe same service with no tray and no window. Nothing for a desktop \
             is installed or built."
        );
        prepare(sh, &[HEADLESS], yes)?;
        build::headless(sh, release)?
    } else {
        prepare(sh, &[DESKTOP], yes)?;
        build::desktop(sh, release)?
    };

    println!("==> Starting Porchlight");
    // In the folder that the person is in: a relative path among the words is meant from there.
    let mut start = Command::new(&program);
    start.args(headless.then_some("serve")).args(words);
    let mut child = start_attended(&mut start)?;
    let printed = child.stdout.take().context("a pipe")?;
    for line in BufReader::new(printed).lines().map_while(Result::ok) {
        println!("{line}");
        if let Some(address) = line.strip_prefix("listening on ") {
            match header(sh, &program, words) {
                Ok(header) => println!(
                    "Porchlight answers at {address}. This uploads a picture, in the folder of this \
                     checkout:\ncurl -H @{} -F image=@docs/sample.jpg {}/images/add",
                    header.display(),
                    address.trim_end_matches('/')
                ),
                Err(failure) => println!("There is no line that uploads a picture: {failure:#}."),
            }
        }
    }
    let code = child.wait()?.code();
    let code = code.and_then(|code| u8::try_from(code).ok());
    Ok(code.map_or(ExitCode::FAILURE, ExitCode::from))
}

/// Whether a window can be shown.
fn names_a_display(variable: impl Fn(&str) -> Option<OsString>) -> bool {
    let displays = ["DISPLAY", "WAYLAND_DISPLAY"].into_iter();
    displays.filter_map(variable).any(|name| !name.is_empty())
}

/// Those of the words that name the data folder, in either way of writing it.
fn data_dir(words: &[String]) -> &[String] {
    let is_it = |word: &String| word == "--data-dir" || word.starts_with("--data-dir=");
    let Some(at) = words.iter().position(is_it) else {
        return &[];
    };
    let length = if words[at].contains('=') { 1 } else { 2 };
    &words[at..words.len().min(at + length)]
}

/// A file in the checkout with the header that curl reads from it, with a new token: it never stands in
/// the line.
fn header(sh: &Shell, program: &Path, words: &[String]) -> Result<PathBuf> {
    let _in = sh.push_dir(std::env::current_dir()?);
    let ours = || cmd!(sh, "{program} token").args(data_dir(words)).quiet();
    // An older one may have lost its file, and no two tokens have the same name.
    let revoke = ours().args(["revoke", TOKEN]).ignore_status();
    revoke.ignore_stderr().ignore_stdout().run()?;
    let new = ours().args(["new", "--name", TOKEN, "--scope", "upload"]);
    let token = new.secret().read()?;
    let header = PathBuf::from("target/curl-header.txt");
    write_header(&checkout().join(&header), &token)?;
    Ok(header)
}

/// Writes the header. The file is the owner's alone from its first byte on, and appears whole or not
/// at all.
fn write_header(header: &Path, token: &str) -> Result<()> {
    let folder = header.parent().context("a file in a folder")?;
    std::fs::create_dir_all(folder)?;
    // A temporary file of this library has mode 0600, and renaming keeps that.
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    writeln!(file, "Authorization: Bearer {token}")?;
    file.persist(header).context("the header was not written")?;
    Ok(())
}

/// Starts the app. Ctrl-C on a terminal reaches the app directly, for it is of the same group; so
/// this program only has to outlive it. SIGTERM comes to this one alone, which sends it on.
#[cfg(unix)]
fn start_attended(start: &mut Command) -> Result<Child> {
    use rustix::process::{Pid, Signal, kill_process};
    use signal_hook::consts::{SIGINT, SIGTERM};

    let mut signals = signal_hook::iterator::Signals::new([SIGINT, SIGTERM])?;
    let child = start.stdout(Stdio::piped()).spawn()?;
    let id = Pid::from_child(&child);
    std::thread::spawn(move || {
        for _ in signals.forever().filter(|signal| *signal == SIGTERM) {
            // It fails only when the child has ended, which is what was wanted.
            let _ = kill_process(id, Signal::TERM);
        }
    });
    Ok(child)
}

/// Where there are no such signals, the console ends both programs.
#[cfg(not(unix))]
fn start_attended(start: &mut Command) -> Result<Child> {
    Ok(start.stdout(Stdio::piped()).spawn()?)
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn either_kind_of_display_counts_and_an_empty_name_does_not() {
        let with = |name: &'static str, value: &'static str| {
            names_a_display(|wanted| (wanted == name).then(|| value.into()))
        };
        assert!(with("DISPLAY", ":0") && with("WAYLAND_DISPLAY", "wayland-0"));
        assert!(!with("DISPLAY", "") && !names_a_display(|_| None));
    }

    #[test]
    fn the_data_folder_is_read_in_both_ways_of_writing_it() {
        let named = |line: &str| {
            let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
            data_dir(&words).join(" ")
        };
        assert_eq!(named("--set a=b --data-dir DIR --hidden"), "--data-dir DIR");
        assert_eq!(named("--data-dir=DIR --hidden"), "--data-dir=DIR");
        assert_eq!(named("--data-dir"), "--data-dir");
        assert_eq!(named("--hidden"), "");
    }

    #[test]
    fn the_header_file_is_the_owners_alone_even_where_an_open_one_was() {
        let folder = tempfile::tempdir().expect("a folder");
        let header = folder.path().join("header.txt");
        fs::write(&header, "old").expect("written");
        fs::set_permissions(&header, fs::Permissions::from_mode(0o644)).expect("opened");
        write_header(&header, "secret").expect("written");
        let mode = fs::metadata(&header).expect("there").permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        let text = fs::read_to_string(&header).expect("read");
        assert_eq!(text, "Authorization: Bearer secret\n");
        assert_eq!(fs::read_dir(folder.path()).expect("listed").count(), 1);
    }
}
