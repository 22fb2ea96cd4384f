//! `porchlight hold MASK PROGRAM …`: runs a program with this umask for as long
//! as standard input is open. The tunnel's program is run by it, so that it ends
//! with Porchlight also when that is killed. It is for Porchlight itself and not
//! in the help.

use std::ffi::OsString;
use std::io::Read as _;
use std::process::{Child, Command, ExitCode, ExitStatus, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

#[cfg(windows)]
use porchlight_convert::job::Job;
use porchlight_service::files::file_mode;

use crate::cli::failed;

/// How long a program that was asked to end has before it is killed.
const ENDS_WITHIN: Duration = Duration::from_secs(3);
/// How often it is looked whether the program has ended.
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// Runs it; the exit code is the program's.
pub(super) fn run(mask: &str, words: Vec<OsString>) -> ExitCode {
    let Some((program, arguments)) = words.split_first() else {
        return failed(&"nothing to hold", 2);
    };
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::null());
    // A separate process group, so that what it starts ends with it.
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    // This process makes no files.
    file_mode::set_mask(mask);
    // What it starts ends with this process, also when that is killed.
    #[cfg(windows)]
    {
        porchlight_service::files::windows::without_console(&mut command);
        if let Err(error) = Job::new().and_then(Job::take_this_process) {
            return failed(&error, 1);
        }
    }
    let child = match command.spawn() {
        Ok(child) => child,
        Err(error) => return failed(&format!("{}: {error}", program.display()), 1),
    };
    let (closed, is_closed) = channel::<()>();
    thread::spawn(move || {
        let mut input = std::io::stdin().lock();
        let mut ignored = [0; 256];
        while input.read(&mut ignored).is_ok_and(|read| read > 0) {}
        drop(closed);
    });
    hold(child, || {
        is_closed.recv_timeout(LOOK_EVERY) == Err(RecvTimeoutError::Disconnected)
    })
}

/// Waits for the program, or for the reason to end it.
fn hold(mut child: Child, is_over: impl Fn() -> bool) -> ExitCode {
    loop {
        match child.try_wait() {
            Ok(None) => {}
            Ok(Some(status)) => {
                // What it has left behind goes with it.
                kill(&mut child);
                return code(status);
            }
            Err(error) => return failed(&error, 1),
        }
        if is_over() {
            break;
        }
    }
    let is_asked = ask_to_end(&child);
    let asked = Instant::now();
    while is_asked && asked.elapsed() < ENDS_WITHIN {
        match child.try_wait() {
            Ok(None) => thread::sleep(LOOK_EVERY),
            _ => break,
        }
    }
    kill(&mut child);
    ExitCode::SUCCESS
}

fn code(status: ExitStatus) -> ExitCode {
    match status.code().map(u8::try_from) {
        Some(Ok(code)) => ExitCode::from(code),
        _ => ExitCode::FAILURE,
    }
}

/// Asks all that it has started, too; whether that is possible.
#[cfg(unix)]
fn ask_to_end(child: &Child) -> bool {
    use rustix::process::{Pid, Signal, kill_process_group};
    kill_process_group(Pid::from_child(child), Signal::TERM).is_ok()
}

/// Only who shares a console can be asked.
#[cfg(not(unix))]
fn ask_to_end(_: &Child) -> bool {
    false
}

/// Also what it left behind.
#[cfg(unix)]
fn kill(child: &mut Child) {
    use rustix::process::{Pid, Signal, kill_process_group};
    let _ = kill_process_group(Pid::from_child(child), Signal::KILL);
    let _ = child.wait();
}

/// The job ends what it left behind, as soon as this process ends.
#[cfg(not(unix))]
fn kill(child: &mut Child) {
    let _ = child.kill();
    let _ = child.wait();
}
