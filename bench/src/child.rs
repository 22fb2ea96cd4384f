//! A program that runs beside the bench and does not outlive it.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use crate::Result;

/// How long a program may take to end after SIGTERM.
const ENDS_WITHIN: Duration = Duration::from_secs(15);

/// How often a program is polled for having ended, or being ready.
pub(crate) const LOOK_EVERY: Duration = Duration::from_millis(5);

/// A running program; dropping it ends it and waits until it is gone.
pub(crate) struct Running {
    name: String,
    pub(crate) child: Child,
}

impl Running {
    /// Starts it.
    ///
    /// # Errors
    /// When it is missing, with its name.
    pub(crate) fn start(command: &mut Command) -> Result<Self> {
        let name = command.get_program().to_string_lossy().into_owned();
        let child = command
            .spawn()
            .map_err(|error| format!("{name} did not start: {error}"))?;
        Ok(Self { name, child })
    }

    /// The lines of its standard output, as they come.
    ///
    /// # Panics
    /// When standard output is not a pipe, or was read already.
    pub(crate) fn lines(&mut self) -> Receiver<String> {
        let stdout = self.child.stdout.take().expect("a pipe, taken once");
        let (send, lines) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(stdout).lines().map_while(|line| line.ok()) {
                if send.send(line).is_err() {
                    return;
                }
            }
        });
        lines
    }

    /// Fails when it has ended by itself.
    pub(crate) fn check(&mut self) -> Result<()> {
        match self.child.try_wait()? {
            None => Ok(()),
            Some(status) => Err(format!("{} ended by itself: {status}", self.name).into()),
        }
    }

    #[cfg(unix)]
    fn ask_to_end(&mut self) {
        use rustix::process::{Pid, Signal, kill_process};
        // One that is gone already needs no asking.
        let _ = kill_process(Pid::from_child(&self.child), Signal::TERM);
    }

    #[cfg(not(unix))]
    fn ask_to_end(&mut self) {
        let _ = self.child.kill();
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // Ended and waited for already: its number may be another's by now.
        if !matches!(self.child.try_wait(), Ok(None)) {
            return;
        }
        self.ask_to_end();
        let asked = Instant::now();
        while asked.elapsed() < ENDS_WITHIN {
            if !matches!(self.child.try_wait(), Ok(None)) {
                return;
            }
            std::thread::sleep(LOOK_EVERY);
        }
        eprintln!("{} did not end when asked, and is killed", self.name);
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What a program prints that is over at once. Fails when it does.
pub(crate) fn output(command: &mut Command) -> Result<String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command
        .stdin(Stdio::null())
        .output()
        .map_err(|error| format!("{name} did not start: {error}"))?;
    let mut text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.push_str(&String::from_utf8_lossy(&output.stderr));
    if output.status.success() {
        Ok(text)
    } else {
        Err(format!("{name} failed ({}): {text}", output.status).into())
    }
}
