//! `cargo xtask run`: from a fresh checkout to the running tray app, or, on a
//! machine without a display, to the same service without a window.

use std::ffi::OsString;
use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, Command, ExitCode, Stdio};

use anyhow::{Context as _, Result, ensure};
use xshell::{Shell, cmd};

use crate::build;
use crate::setup::{self, prepare};
use crate::shell::checkout;

/// The prefix of the line that the app prints when it is ready.
const READY: &str = "listening on ";

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
        prepare(sh, setup::HEADLESS, yes)?;
        build::headless(sh, release)?
    } else {
        prepare(sh, setup::DESKTOP, yes)?;
        build::desktop(sh, release)?
    };

    println!("==> Starting Porchlight");
    // In the folder that the person is in: a relative path among the words is meant from there.
    let mut start = Command::new(&program);
    start.args(headless.then_some("serve")).args(words);
    let mut child = start_attended(&mut start)?;
    let printed = child.stdout.take().expect("a pipe");
    let mut was_ready = false;
    for line in BufReader::new(printed).lines().map_while(Result::ok) {
        println!("{line}");
        let Some(address) = address(&line) else {
            continue;
        };
        was_ready = true;
        println!(
            "Porchlight answers here; the line with `curl` uploads a picture to it:\n{address}"
        );
        match curl_line(sh, &program, words, address) {
            Ok(line) => println!("{line}"),
            Err(failure) => println!("There is no such line: {failure:#}."),
        }
    }
    let status = child.wait()?;
    if !was_ready && status.success() {
        println!(
            "Porchlight ended at once: it is open already, and the open one shows its window."
        );
    }
    let code = status.code().and_then(|code| u8::try_from(code).ok());
    if status.code().is_none() {
        eprintln!("Porchlight was ended by a signal ({status}).");
    }
    Ok(code.map_or(ExitCode::FAILURE, ExitCode::from))
}

/// Whether a window can be shown.
fn names_a_display(variable: impl Fn(&str) -> Option<OsString>) -> bool {
    let displays = ["DISPLAY", "WAYLAND_DISPLAY"].into_iter();
    displays.filter_map(variable).any(|name| !name.is_empty())
}

/// The address in the app's line when it is ready.
fn address(line: &str) -> Option<&str> {
    let address = line.strip_prefix(READY)?.trim();
    address.starts_with("http").then_some(address)
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

/// The `curl` line that uploads an image and works unchanged. Its token comes from a file that only
/// the owner can read, never from the line.
fn curl_line(sh: &Shell, program: &Path, words: &[String], address: &str) -> Result<String> {
    let data_dir = data_dir(words);
    let here = std::env::current_dir()?;
    let _in = sh.push_dir(here);
    let ours = || cmd!(sh, "{program} token").args(data_dir).quiet();
    // An older one may have lost its file, and no two tokens have the same name.
    let _ = ours()
        .args(["revoke", TOKEN])
        .ignore_stderr()
        .ignore_stdout()
        .run();
    let new = ours().args(["new", "--name", TOKEN, "--scope", "upload"]);
    let token = new.secret().read()?;
    ensure!(
        !token.is_empty() && !token.contains(char::is_whitespace),
        "`porchlight token new` printed no token"
    );
    let port = address.rsplit(':').next().unwrap_or_default();
    let header = checkout().join(format!("target/curl/header-{port}.txt"));
    write_header(&header, &token)?;
    Ok(spell(&header, &checkout().join("docs/sample.jpg"), address))
}

/// Writes the header as curl reads it from a file. The file is the owner's alone from its first byte
/// on, and appears whole or not at all.
fn write_header(header: &Path, token: &str) -> Result<()> {
    let folder = header.parent().context("a file in a folder")?;
    fs::create_dir_all(folder)?;
    // A temporary file of this library has mode 0600, and renaming keeps that.
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    writeln!(file, "Authorization: Bearer {token}")?;
    file.persist(header).context("the header was not written")?;
    Ok(())
}

fn spell(header: &Path, picture: &Path, address: &str) -> String {
    let mut picture = picture.display().to_string();
    // In a form field, curl treats these as the end of the path, unless it is in double quotes.
    if picture.contains([';', ',', '"']) {
        picture = format!("\"{}\"", picture.replace('\\', "\\\\").replace('"', "\\\""));
    }
    format!(
        "curl -H @{} -F image=@{} {}/images/add",
        quoted(&header.to_string_lossy()),
        quoted(&picture),
        address.trim_end_matches('/')
    )
}

/// One word for the shell, whatever is in it.
fn quoted(word: &str) -> String {
    if cfg!(windows) {
        format!("\"{word}\"")
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
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
    fn the_address_is_read_only_from_its_line() {
        let here = "http://127.0.0.1:4780";
        assert_eq!(address(&format!("listening on {here}")), Some(here));
        assert_eq!(address(&format!("not listening on {here}")), None);
        assert_eq!(address("listening on nothing"), None);
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
    fn the_line_names_the_files_and_is_read_back_by_a_shell_and_by_curl() {
        let header = Path::new("/home/it's/header.txt");
        let line = spell(
            header,
            Path::new("/a;b/sample.jpg"),
            "http://127.0.0.1:4780/",
        );
        assert_eq!(
            line,
            "curl -H @'/home/it'\\''s/header.txt' -F image=@'\"/a;b/sample.jpg\"' \
             http://127.0.0.1:4780/images/add"
        );
        let sh = Shell::new().expect("a shell");
        for path in ["/plain", "/with space", "/it's", "/a$b`c\"d"] {
            let printf = format!("printf %s {}", quoted(path));
            let printed = cmd!(sh, "sh -c {printf}").quiet().read();
            assert_eq!(printed.expect("printf"), path);
        }
        assert!(checkout().join("docs/sample.jpg").is_file());
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
