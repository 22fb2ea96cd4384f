//! The log: to standard error, and by the day into `logs/` in the data folder,
//! whose size is bounded.

use std::backtrace::{Backtrace, BacktraceStatus};
use std::io::{self, Write};
use std::panic::PanicHookInfo;
use std::path::Path;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicBool, Ordering};

use tracing_appender::non_blocking::WorkerGuard;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;
use tracing_subscriber::{EnvFilter, fmt};

use crate::error::message::Message;
use crate::state::{State, StateReader};

mod events;
mod files;
pub mod lines;

use events::Events;
use files::{LARGEST, LogFiles};

/// Notified when the file has more in it. There is one log for each process, and so is this.
static WRITTEN: LazyLock<State<()>> = LazyLock::new(|| State::new(()));

/// Notified whenever the file has more in it.
pub fn written() -> StateReader<()> {
    WRITTEN.reader()
}

/// Notifies once what was written can be read.
struct Notifying<W>(W);

impl<W: Write> Write for Notifying<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let length = self.0.write(bytes)?;
        WRITTEN.set(());
        Ok(length)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// Standard error, for events.
fn events_on_stderr() -> Events<io::Stderr> {
    Events {
        to: io::stderr(),
        coloured: true,
    }
}

/// Whether the log takes lines: a subscriber stays when its writers are gone.
static STARTED: AtomicBool = AtomicBool::new(false);

/// Writes what is logged last when it is dropped.
pub struct LogGuard {
    _file: WorkerGuard,
    _stderr: WorkerGuard,
}

impl Drop for LogGuard {
    fn drop(&mut self) {
        STARTED.store(false, Ordering::Release);
    }
}

/// What is logged: `PORCHLIGHT_LOG`, or what is worth knowing.
///
/// # Errors
/// When `PORCHLIGHT_LOG` is no filter.
pub fn filter() -> Result<EnvFilter, Message> {
    let written = std::env::var("PORCHLIGHT_LOG").unwrap_or_default();
    let written = if written.is_empty() { "info" } else { &written };
    EnvFilter::try_new(written).map_err(|error| {
        let why = crate::detail!("PORCHLIGHT_LOG: {error}").into();
        Message::Settings { why }
    })
}

/// Starts logging to both places; neither delays who logs. What is logged last reaches them when
/// the guard is dropped. A second call in the same process changes nothing.
///
/// # Errors
/// When the folder cannot be written to.
pub fn start(folder: &Path, filter: EnvFilter) -> Result<LogGuard, Message> {
    let no_folder = |why: &dyn std::fmt::Display| {
        crate::detail!("the log cannot be written to {}: {why}", folder.display())
    };
    crate::files::private_files::make_folder(folder).map_err(|why| no_folder(&why))?;
    let files = LogFiles::open(folder, LARGEST).map_err(|why| no_folder(&why))?;
    let (file, file_guard) = tracing_appender::non_blocking(Notifying(files));
    // A program that has Porchlight's standard error and does not read it must not block it.
    let (stderr, stderr_guard) = tracing_appender::non_blocking(io::stderr());
    let stderr = move || Events {
        to: stderr.clone(),
        coloured: true,
    };
    let file = move || Events {
        to: file.clone(),
        coloured: false,
    };
    // Tests start more than one host in a process; the first log serves all.
    let started = tracing_subscriber::registry()
        .with(filter)
        .with(fmt::layer().with_writer(stderr))
        .with(fmt::layer().with_ansi(false).with_writer(file))
        .try_init();
    STARTED.store(started.is_ok(), Ordering::Release);
    Ok(LogGuard {
        _file: file_guard,
        _stderr: stderr_guard,
    })
}

/// Panics are logged while there is a log, instead of going to standard error alone.
pub fn log_panics() {
    let before = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        // With the log turned off a panic is reported all the same.
        if STARTED.load(Ordering::Acquire) && tracing::enabled!(tracing::Level::ERROR) {
            log_panic(panic);
        } else {
            before(panic);
        }
    }));
}

fn log_panic(panic: &PanicHookInfo<'_>) {
    let message = panic.payload_as_str().unwrap_or("for a reason unknown");
    let place = panic.location().map(ToString::to_string);
    let place = place.unwrap_or_default();
    let thread = std::thread::current();
    let thread = thread.name().unwrap_or_default();
    // Empty unless RUST_BACKTRACE asks for it.
    let backtrace = Backtrace::capture();
    if backtrace.status() == BacktraceStatus::Captured {
        tracing::error!(place, thread, %backtrace, "panicked: {message}");
    } else {
        tracing::error!(place, thread, "panicked: {message}");
    }
}

/// Logs warnings to standard error alone, for commands that are over at once.
pub fn start_for_a_command() {
    let filter = filter().unwrap_or_else(|_| EnvFilter::new("warn"));
    let filter = if std::env::var_os("PORCHLIGHT_LOG").is_some() {
        filter
    } else {
        EnvFilter::new("warn")
    };
    let started = fmt()
        .with_env_filter(filter)
        .with_writer(events_on_stderr)
        .try_init();
    drop(started);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_announced_after_it_is_written() {
        let mut written = written();
        let mut file = Notifying(Vec::new());
        file.write_all(b"a line\n").expect("room");
        assert!(written.has_changed());
        written.mark_unchanged();
        assert_eq!(file.0, b"a line\n");
    }

    /// Where the test's own process, which panics, is to log.
    const FOLDER: &str = "LOGS_OF_A_PANIC";

    #[test]
    fn a_panic_is_logged_once_in_both_places() {
        if let Some(folder) = std::env::var_os(FOLDER) {
            let log = start(Path::new(&folder), EnvFilter::new("info")).expect("a log");
            log_panics();
            let broken = std::thread::spawn(|| panic!("the lamp fell over")).join();
            assert!(broken.is_err());
            drop(log);
            let broken = std::thread::spawn(|| panic!("after the log")).join();
            assert!(broken.is_err());
            return;
        }
        let folder = tempfile::tempdir().expect("a folder");
        let ended = std::process::Command::new(std::env::current_exe().expect("this program"))
            .args(["--exact", "--nocapture"])
            .arg("log::tests::a_panic_is_logged_once_in_both_places")
            .env(FOLDER, folder.path())
            .output()
            .expect("this program again");
        let output = String::from_utf8_lossy(&ended.stderr).into_owned();
        assert!(ended.status.success(), "{output}");
        let file = std::fs::read_dir(folder.path()).expect("a folder").next();
        let file = file.expect("a log").expect("an entry").path();
        let kept = std::fs::read_to_string(file).expect("a log");
        assert!(output.contains("after the log"), "{output}");
        for log in [output, kept] {
            assert_eq!(log.matches("the lamp fell over").count(), 1, "{log}");
            assert!(log.contains("log.rs:"), "{log}");
        }
    }
}
