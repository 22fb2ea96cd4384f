//! A child process whose output is kept, and that does not outlive its test.

use std::path::Path;
use std::process::{ExitStatus, Stdio};
use std::sync::{Arc, Mutex};

use tokio::io::{AsyncBufReadExt, AsyncRead, BufReader};
use tokio::process::{Child, Command};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio::task::JoinHandle;

use super::TIMEOUT;

#[cfg(unix)]
#[path = "process/unix.rs"]
mod system;
#[cfg(windows)]
#[path = "process/windows.rs"]
mod system;

#[cfg(windows)]
pub use system::memory_of;
pub use system::peak_memory;
#[cfg(unix)]
pub use system::seconds_worked;

/// A process that has ended, and all that it printed.
#[derive(Debug)]
pub struct Ended {
    /// How it ended.
    pub status: ExitStatus,
    /// Everything on its standard output.
    pub stdout: String,
    /// Everything on its standard error.
    pub stderr: String,
}

/// The program of this build, for tests that are not given its path. `cargo test --workspace` makes it
/// before it runs the first test; of one package, build it first.
pub fn built_program() -> Arc<Path> {
    let test = std::env::current_exe().expect("this test");
    let folder = test.ancestors().nth(2).expect("the folder of the build");
    let program = folder.join(format!("porchlight{}", std::env::consts::EXE_SUFFIX));
    assert!(
        program.is_file(),
        "`cargo build` makes {}",
        program.display()
    );
    program.into()
}

/// A command that finds nothing of the user's: no settings, no keyring, no
/// proxy, and `home` as its home.
pub fn clean_command(program: &str, home: &Path) -> Command {
    let mut command = Command::new(program);
    for (key, _) in std::env::vars_os() {
        let name = key.to_string_lossy().to_ascii_uppercase();
        let foreign = name.starts_with("PORCHLIGHT_")
            || name.starts_with("XDG_")
            || name.ends_with("_PROXY")
            || [
                "DBUS_SESSION_BUS_ADDRESS",
                "DISPLAY",
                "WAYLAND_DISPLAY",
                "RUST_LOG",
            ]
            .contains(&name.as_str());
        if foreign {
            command.env_remove(&key);
        }
    }
    command.env("HOME", home);
    #[cfg(windows)]
    command.env("USERPROFILE", home);
    command
}

/// A running process. Dropping it kills it and waits until it is gone.
pub struct RunningProcess {
    child: Child,
    stdout: Arc<Mutex<String>>,
    stderr: Arc<Mutex<String>>,
    lines: UnboundedReceiver<String>,
    readers: Vec<JoinHandle<()>>,
}

impl RunningProcess {
    /// Starts the command with nothing on its standard input.
    pub fn spawn(mut command: Command) -> Self {
        let mut child = command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap_or_else(|error| panic!("{command:?}: {error}"));
        let (stdout, stderr) = (Arc::default(), Arc::default());
        let (send, lines) = unbounded_channel();
        let readers = vec![
            keep(
                child.stdout.take().expect("a pipe"),
                Arc::clone(&stdout),
                move |line| {
                    // There may be no receiver of lines any more.
                    let _ = send.send(line.to_owned());
                },
            ),
            keep(
                child.stderr.take().expect("a pipe"),
                Arc::clone(&stderr),
                |_| (),
            ),
        ];
        Self {
            child,
            stdout,
            stderr,
            lines,
            readers,
        }
    }

    /// The process, or `None` when it has been waited for.
    pub fn pid(&self) -> Option<u32> {
        self.child.id()
    }

    /// The next line of standard output with `text` in it, or `None` when
    /// standard output is closed first.
    pub async fn line_with(&mut self, text: &str) -> Option<String> {
        crate::waits_for(&format!("a line with {text:?}"));
        let wait = async {
            while let Some(line) = self.lines.recv().await {
                if line.contains(text) {
                    return Some(line);
                }
            }
            None
        };
        match tokio::time::timeout(TIMEOUT, wait).await {
            Ok(line) => line,
            Err(_) => panic!("no line with {text:?}; standard error: {}", self.stderr()),
        }
    }

    /// What is on its standard output so far.
    pub fn stdout(&self) -> String {
        self.stdout.lock().expect("no panic").clone()
    }

    /// What is on its standard error so far.
    pub fn stderr(&self) -> String {
        self.stderr.lock().expect("no panic").clone()
    }

    /// SIGTERM; on Windows what `taskkill` sends.
    pub fn terminate(&self) {
        self.signal(system::TERMINATE);
    }

    /// SIGINT, as Ctrl+C sends it; on Windows the same as [`Self::terminate`], since Ctrl+C reaches all
    /// programs of a console.
    pub fn interrupt(&self) {
        self.signal(system::INTERRUPT);
    }

    /// SIGKILL; TerminateProcess on Windows.
    pub fn kill(&self) {
        self.signal(system::KILL);
    }

    fn signal(&self, signal: system::Signal) {
        if let Some(pid) = self.child.id() {
            system::send(pid, signal).expect("a process of our own");
        }
    }

    /// Waits until it has ended by itself, and all its output is here.
    pub async fn wait(&mut self) -> ExitStatus {
        let status = tokio::time::timeout(TIMEOUT, self.child.wait()).await;
        let Ok(status) = status else {
            panic!("it does not end; standard error: {}", self.stderr());
        };
        for reader in self.readers.drain(..) {
            reader.await.expect("no panic");
        }
        status.expect("a child of our own")
    }

    /// The same for work that takes longer than anything else in the tests.
    pub async fn wait_for_long(&mut self) -> ExitStatus {
        let status = self.child.wait().await.expect("a child of our own");
        for reader in self.readers.drain(..) {
            reader.await.expect("no panic");
        }
        status
    }

    /// [`RunningProcess::wait`], with all that it printed.
    pub async fn ended(mut self) -> Ended {
        let status = self.wait().await;
        Ended {
            status,
            stdout: self.stdout(),
            stderr: self.stderr(),
        }
    }
}

impl Drop for RunningProcess {
    fn drop(&mut self) {
        if let Some(pid) = self.child.id() {
            // Not reaped here, only waited for: its folder is removed next.
            let _ = system::send(pid, system::KILL);
            system::wait(pid);
        }
    }
}

fn keep(
    pipe: impl AsyncRead + Unpin + Send + 'static,
    kept: Arc<Mutex<String>>,
    report: impl Fn(&str) + Send + 'static,
) -> JoinHandle<()> {
    tokio::spawn(async move {
        let mut pipe = BufReader::new(pipe);
        let mut line = Vec::new();
        while pipe
            .read_until(b'\n', &mut line)
            .await
            .is_ok_and(|read| read > 0)
        {
            let text = String::from_utf8_lossy(&line);
            kept.lock().expect("no panic").push_str(&text);
            report(&text);
            line.clear();
        }
    })
}
