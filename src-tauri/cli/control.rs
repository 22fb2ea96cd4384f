//! Commands that run inside the process which has the data folder. That process gets the words of the
//! command by a socket in the folder (on Windows a named pipe), and sends back what is printed, one
//! line of JSON each.
//!
//! Only the owner reaches the socket: it has mode 0600, and only the user who made the pipe may write to
//! it.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use clap::FromArgMatches as _;
use porchlight_service::app::host::Host;
use serde::{Deserialize, Serialize};
use tokio::io::{
    AsyncBufReadExt as _, AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _, BufReader,
};
use tokio::sync::mpsc;
use tokio::time::{sleep, timeout};
use tokio_util::task::AbortOnDropHandle;

use super::printing::{Bar, Printed, SINK, print, print_error};
use super::{
    Arguments, Command, Invocation, arguments, blog, check, exit_code_of, import, storage,
};

/// The most bytes of a request: some words.
const LONGEST: u64 = 64 * 1024;
/// How long a client may take to send its words.
const REQUEST: Duration = Duration::from_secs(5);
/// After a connection that could not be accepted.
const BREATH: Duration = Duration::from_millis(100);
/// How long a command may go on whose client is gone: a move ends with its next picture.
const LAST_WORK: Duration = Duration::from_secs(30);

/// A command, as it was typed.
#[derive(Serialize, Deserialize)]
struct Request {
    words: Vec<String>,
    /// The folder that it was typed in.
    typed_in: PathBuf,
}

/// Runs commands of other processes until the host stops. Must be called on a tokio runtime.
pub(crate) fn serve(host: &Host) {
    let stop = host.listener().stopping();
    let mut listener = match platform::Listener::bind(host.folder()) {
        Ok(listener) => listener,
        Err(error) => {
            return tracing::warn!(%error, "commands that need this process cannot reach it");
        }
    };
    let host = host.clone();
    let serving = async move {
        loop {
            match listener.accept().await {
                Ok(stream) => {
                    let answer = answer(stream, host.clone());
                    let stop = host.listener().stopping();
                    tokio::spawn(stop.run_until_cancelled_owned(answer));
                }
                Err(error) => {
                    tracing::warn!(%error, "a command could not reach this process");
                    sleep(BREATH).await;
                }
            }
        }
    };
    tokio::spawn(stop.run_until_cancelled_owned(serving));
}

async fn answer(stream: impl AsyncRead + AsyncWrite + Unpin + Send, host: Host) {
    let (reading, mut writing) = tokio::io::split(stream);
    let mut reading = BufReader::new(reading.take(LONGEST));
    let mut line = String::new();
    let received = timeout(REQUEST, reading.read_line(&mut line)).await;
    let request = received.is_ok().then(|| serde_json::from_str(&line).ok());
    let Some(request) = request.flatten() else {
        return;
    };
    let (sink, mut printed) = mpsc::unbounded_channel();
    let work = tokio::spawn(SINK.scope(sink, run(request, host)));
    let mut work = AbortOnDropHandle::new(work);
    let mut rest = [0];
    loop {
        tokio::select! {
            line = printed.recv() => match line {
                Some(line) if send(&mut writing, &line).await.is_ok() => {}
                _ => break,
            },
            // The client sends nothing more: it has ended.
            _ = reading.read(&mut rest) => break,
        }
    }
    drop(printed);
    match timeout(LAST_WORK, &mut work).await {
        Ok(Ok(code)) => drop(send(&mut writing, &Printed::Ended(code)).await),
        Ok(Err(error)) => tracing::error!(%error, "a command has failed"),
        Err(_) => {}
    }
}

async fn send(writing: &mut (impl AsyncWrite + Unpin), line: &Printed) -> io::Result<()> {
    let mut text = serde_json::to_string(line)?;
    text.push('\n');
    writing.write_all(text.as_bytes()).await?;
    writing.flush().await
}

/// Runs a command here; its exit code.
async fn run(request: Request, host: Host) -> u8 {
    let words = std::iter::once("porchlight".to_owned()).chain(request.words);
    let parsed = arguments().try_get_matches_from(words);
    let parsed = parsed.and_then(|matches| Arguments::from_arg_matches(&matches));
    let command = match parsed {
        Ok(arguments) => arguments.command,
        Err(error) => {
            print_error(&error.to_string());
            return 2;
        }
    };
    let invocation = Invocation {
        data_dir: None,
        set: Vec::new(),
        host: Some(host),
        typed_in: request.typed_in,
    };
    let done = match command {
        Some(Command::Blog(action)) => blog::run(invocation, action).await,
        Some(Command::Check(options)) => check::run(invocation, options).await,
        Some(Command::Import(options)) => import::run(invocation, options).await,
        Some(Command::Storage(action)) => storage::run(invocation, action).await,
        _ => Err(anyhow::anyhow!(
            "this command does not run in another process"
        )),
    };
    exit_code_of(done)
}

/// Has the process that has this data folder run the command with these words. `None` where there is
/// none, so that the command can run here.
pub(super) fn pass_on(folder: &Path, words: &[OsString], typed_in: &Path) -> Option<ExitCode> {
    let passing = async {
        let stream = platform::connect(folder).await.ok()?;
        let words = words.iter().map(|word| word.to_string_lossy().into_owned());
        let request = Request {
            words: words.collect(),
            typed_in: typed_in.to_owned(),
        };
        Some(follow(stream, &request).await.unwrap_or_else(|error| {
            print_error(&format!(
                "porchlight: Porchlight has stopped meanwhile: {error}"
            ));
            1
        }))
    };
    let code = super::runtime().ok()?.block_on(passing)?;
    Some(ExitCode::from(code))
}

/// Prints what comes back, and returns the exit code.
async fn follow(
    mut stream: impl AsyncRead + AsyncWrite + Unpin,
    request: &Request,
) -> anyhow::Result<u8> {
    let mut text = serde_json::to_string(request)?;
    text.push('\n');
    stream.write_all(text.as_bytes()).await?;
    let mut lines = BufReader::new(stream).lines();
    let mut bar: Option<Bar> = None;
    while let Some(line) = lines.next_line().await? {
        match serde_json::from_str(&line)? {
            Printed::Out(line) => print(&line)?,
            Printed::Error(line) => print_error(&line),
            Printed::Progress { what, done, of } => {
                let bar = bar.get_or_insert_with(|| Bar::new(what, false));
                // A local bar cancels nothing.
                let _ = bar.progress()(done, of);
            }
            Printed::Ended(code) => return Ok(code),
        }
    }
    anyhow::bail!("there is no answer")
}

#[cfg(unix)]
mod platform {
    use std::io;
    use std::os::unix::fs::PermissionsExt as _;
    use std::path::{Path, PathBuf};

    use tokio::net::{UnixListener, UnixStream};

    /// In the data folder.
    const SOCKET: &str = "porchlight.sock";

    pub(super) struct Listener(UnixListener, PathBuf);

    impl Listener {
        /// The caller holds the data folder, so that a socket which is there is of a process that was
        /// killed.
        pub(super) fn bind(folder: &Path) -> io::Result<Self> {
            let file = folder.join(SOCKET);
            match std::fs::remove_file(&file) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
            let listener = UnixListener::bind(&file)?;
            let permissions = std::fs::Permissions::from_mode(0o600);
            std::fs::set_permissions(&file, permissions)?;
            Ok(Self(listener, file))
        }

        pub(super) async fn accept(&mut self) -> io::Result<UnixStream> {
            Ok(self.0.accept().await?.0)
        }
    }

    impl Drop for Listener {
        fn drop(&mut self) {
            // The next start removes one that stays.
            let _ = std::fs::remove_file(&self.1);
        }
    }

    pub(super) async fn connect(folder: &Path) -> io::Result<UnixStream> {
        UnixStream::connect(folder.join(SOCKET)).await
    }
}

#[cfg(windows)]
mod platform {
    use std::io;
    use std::path::Path;

    use tokio::net::windows::named_pipe::{
        ClientOptions, NamedPipeClient, NamedPipeServer, ServerOptions,
    };

    pub(super) struct Listener {
        name: String,
        next: NamedPipeServer,
    }

    /// How much of the folder's path is in the name, which Windows bounds to 256.
    const LONGEST: usize = 200;

    /// A pipe is in no folder: its name is the end of the folder's path.
    fn name(folder: &Path) -> io::Result<String> {
        let folder = folder.canonicalize()?;
        let plain = |letter: char| {
            if letter.is_alphanumeric() {
                letter
            } else {
                '-'
            }
        };
        let folder: Vec<char> = folder.to_string_lossy().chars().map(plain).collect();
        let end: String = folder[folder.len().saturating_sub(LONGEST)..]
            .iter()
            .collect();
        Ok(format!(r"\\.\pipe\porchlight{end}"))
    }

    impl Listener {
        pub(super) fn bind(folder: &Path) -> io::Result<Self> {
            let name = name(folder)?;
            // No other program may have the name before.
            let next = ServerOptions::new()
                .first_pipe_instance(true)
                .create(&name)?;
            Ok(Self { name, next })
        }

        pub(super) async fn accept(&mut self) -> io::Result<NamedPipeServer> {
            self.next.connect().await?;
            let next = ServerOptions::new().create(&self.name)?;
            Ok(std::mem::replace(&mut self.next, next))
        }
    }

    pub(super) async fn connect(folder: &Path) -> io::Result<NamedPipeClient> {
        ClientOptions::new().open(name(folder)?)
    }
}
