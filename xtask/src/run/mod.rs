//! `cargo xtask run`: from a fresh checkout to the running tray app, or, on a
//! machine without a display, to the same service without a window.

mod curl_line;
mod data_dir;

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, ExitCode, Stdio};

use crate::build::{Kind, porchlight};
use crate::shell::{Failure, Result, announce, command, refused};
use crate::system::{Purpose, has_display, prepare};

/// The prefix of the line that the app prints when it is ready.
const READY: &str = "listening on ";

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Install what is missing without asking
    #[arg(long, short)]
    yes: bool,
    /// Build with optimisation
    #[arg(long)]
    release: bool,
    /// What goes to porchlight itself, such as `-- --data-dir DIR`
    #[arg(last = true)]
    porchlight: Vec<String>,
}

/// Builds Porchlight, starts it, prints its address, and waits until it ends.
/// Returns its exit code.
pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let (purpose, kind) = if has_display() {
        (Purpose::Desktop, Kind::Desktop)
    } else {
        println!(
            "There is no display here (neither DISPLAY nor WAYLAND_DISPLAY is set), so Porchlight \
             starts headless:\nthe same service with no tray and no window. Nothing for a desktop \
             is installed or built."
        );
        (Purpose::Headless, Kind::Headless)
    };
    prepare(purpose, arguments.yes)?;
    let program = porchlight(kind, arguments.release)?;

    println!("==> Starting Porchlight");
    let mut start = at_home(&program)?;
    if let Kind::Headless = kind {
        start.arg("serve");
    }
    start.args(&arguments.porchlight);
    announce(&start);
    attend(start, |address| {
        let (option, folder) = data_dir::of(&arguments.porchlight)?;
        let line = curl_line::curl_line(
            || {
                let mut porchlight = at_home(&program)?;
                porchlight.arg("token");
                Ok((porchlight, option.clone()))
            },
            &folder,
            address,
        )?;
        println!("Porchlight answers here; the second line uploads a picture to it:");
        println!("{address}");
        println!("{line}");
        Ok(())
    })
}

/// The program, in the folder that the person is in: a relative path among the
/// arguments is meant from there.
fn at_home(program: &Path) -> Result<Command> {
    let here = std::env::current_dir()
        .map_err(|error| Failure::new(format!("The current folder is not readable: {error}.")))?;
    let mut home = command(program);
    home.current_dir(here);
    Ok(home)
}

/// Starts the app, calls `ready` with its address once it answers, passes its
/// standard output on, and waits until it ends.
fn attend(mut start: Command, ready: impl FnOnce(&str) -> Result<()>) -> Result<ExitCode> {
    let signals = signals::hold()?;
    let mut child = start
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|error| refused(&start, &error))?;
    signals.pass_on(&child);
    let mut ready = Some(ready);
    let listened = listen(&mut child, |address| {
        ready.take().map_or(Ok(()), |ready| ready(address))
    });
    if listened.is_err() {
        signals::ask_to_end(&mut child);
    }
    let status = child
        .wait()
        .map_err(|error| Failure::new(format!("Porchlight's end was not seen: {error}.")))?;
    listened?;
    if ready.is_some() && status.success() {
        println!(
            "Porchlight ended at once: it is open already, and the open one shows its window."
        );
    }
    Ok(match status.code() {
        Some(0) => ExitCode::SUCCESS,
        Some(code) => u8::try_from(code).map_or(ExitCode::FAILURE, ExitCode::from),
        None => {
            eprintln!("Porchlight was ended by a signal ({status}).");
            ExitCode::FAILURE
        }
    })
}

/// Prints what the app prints, until its standard output closes.
fn listen(child: &mut Child, mut ready: impl FnMut(&str) -> Result<()>) -> Result<()> {
    let Some(printed) = child.stdout.take() else {
        return Ok(());
    };
    for line in BufReader::new(printed).lines() {
        let line = line.map_err(|error| {
            Failure::new(format!("Porchlight's output could not be read: {error}."))
        })?;
        println!("{line}");
        if let Some(address) = address(&line) {
            ready(address)?;
        }
    }
    Ok(())
}

/// The address in the app's line when it is ready.
fn address(line: &str) -> Option<&str> {
    let address = line.strip_prefix(READY)?.trim();
    address.starts_with("http").then_some(address)
}

/// Ctrl-C on a terminal reaches the app directly, for it is of the same group;
/// so this program only has to outlive it. SIGTERM comes to this one alone.
#[cfg(unix)]
mod signals {
    use std::process::Child;
    use std::thread;

    use rustix::process::{Pid, Signal, kill_process};
    use signal_hook::consts::{SIGINT, SIGTERM};
    use signal_hook::iterator::Signals;

    use crate::shell::{Failure, Result};

    /// Signals that no longer end this program.
    pub(super) struct Held(Signals);

    pub(super) fn hold() -> Result<Held> {
        Signals::new([SIGINT, SIGTERM])
            .map(Held)
            .map_err(|error| Failure::new(format!("Signals cannot be watched: {error}.")))
    }

    impl Held {
        /// Sends on to the child, for as long as this program runs, each SIGTERM.
        pub(super) fn pass_on(self, child: &Child) {
            let child = Pid::from_child(child);
            let mut held = self.0;
            thread::spawn(move || {
                for signal in held.forever() {
                    if signal == SIGTERM {
                        // It fails only when the child has ended, which is what was wanted.
                        let _ = kill_process(child, Signal::TERM);
                    }
                }
            });
        }
    }

    pub(super) fn ask_to_end(child: &mut Child) {
        let _ = kill_process(Pid::from_child(child), Signal::TERM);
    }
}

/// Where there are no such signals, the console ends both programs.
#[cfg(not(unix))]
mod signals {
    use std::process::Child;

    use crate::shell::Result;

    pub(super) struct Held;

    pub(super) fn hold() -> Result<Held> {
        Ok(Held)
    }

    impl Held {
        pub(super) fn pass_on(self, _child: &Child) {}
    }

    pub(super) fn ask_to_end(child: &mut Child) {
        let _ = child.kill();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_address_is_read_only_from_its_line() {
        assert_eq!(
            address("listening on http://127.0.0.1:4780"),
            Some("http://127.0.0.1:4780")
        );
        assert_eq!(address("not listening on http://127.0.0.1:4780"), None);
        assert_eq!(address("listening on nothing"), None);
    }

    #[cfg(unix)]
    #[test]
    fn ready_is_called_with_the_address_before_the_app_ends() {
        let mut addresses = Vec::new();
        let mut app = command("sh");
        app.args([
            "-c",
            "echo hello; echo listening on http://127.0.0.1:1; echo more",
        ]);
        let mut child = app.stdout(Stdio::piped()).spawn().expect("sh runs");
        listen(&mut child, |address| {
            addresses.push(address.to_owned());
            Ok(())
        })
        .expect("listened");
        child.wait().expect("ended");
        assert_eq!(addresses, ["http://127.0.0.1:1"]);
    }

    #[cfg(unix)]
    #[test]
    fn an_app_that_cannot_be_introduced_is_ended_and_not_left_behind() {
        let mut app = command("sh");
        // `exec`, so that the signal reaches what holds the output open.
        app.args(["-c", "echo listening on http://127.0.0.1:1; exec sleep 600"]);
        let outcome = attend(app, |_| Err(Failure::new("no token")));
        assert_eq!(outcome.expect_err("no token").to_string(), "no token");
    }
}
