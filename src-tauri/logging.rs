//! The log: to standard error, and by the day into `logs/` in the data folder.

use std::path::Path;

use tracing_appender::non_blocking::WorkerGuard;
use tracing_appender::rolling::{RollingFileAppender, Rotation};
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;
use tracing_subscriber::{EnvFilter, fmt};

/// So many days are kept.
const KEPT_DAYS: usize = 14;

/// Why there is no log.
#[derive(Debug, thiserror::Error)]
pub(crate) enum LoggingError {
    /// `PORCHLIGHT_LOG` is no filter.
    #[error("PORCHLIGHT_LOG: {0}")]
    Filter(String),
    /// The folder cannot be written to.
    #[error("the log cannot be written to {folder}: {cause}")]
    Folder {
        /// The folder.
        folder: String,
        /// What the system said.
        cause: String,
    },
}

/// What is logged: `PORCHLIGHT_LOG`, or what is worth knowing.
///
/// # Errors
/// When `PORCHLIGHT_LOG` is no filter.
pub(crate) fn filter() -> Result<EnvFilter, LoggingError> {
    let written = std::env::var("PORCHLIGHT_LOG").unwrap_or_default();
    let written = if written.is_empty() { "info" } else { &written };
    EnvFilter::try_new(written).map_err(|error| LoggingError::Filter(error.to_string()))
}

/// Starts logging to both places. What is logged last reaches the file when
/// the guard is dropped. A second call in the same process changes nothing.
///
/// # Errors
/// When the folder cannot be written to.
pub(crate) fn start(folder: &Path, filter: EnvFilter) -> Result<WorkerGuard, LoggingError> {
    let no_folder = |cause: String| LoggingError::Folder {
        folder: folder.display().to_string(),
        cause,
    };
    crate::data_folder::make_closed(folder).map_err(|cause| no_folder(cause.to_string()))?;
    let file = RollingFileAppender::builder()
        .rotation(Rotation::DAILY)
        .filename_prefix("porchlight")
        .filename_suffix("log")
        .max_log_files(KEPT_DAYS)
        .build(folder)
        .map_err(|cause| no_folder(cause.to_string()))?;
    let (file, guard) = tracing_appender::non_blocking(file);
    let started = tracing_subscriber::registry()
        .with(filter)
        .with(fmt::layer().with_writer(std::io::stderr))
        .with(fmt::layer().with_ansi(false).with_writer(file))
        .try_init();
    // Tests start more than one host in a process; the first log serves all.
    drop(started);
    Ok(guard)
}

/// Logs warnings to standard error alone, for commands that are over at once.
pub(crate) fn start_for_a_command() {
    let filter = filter().unwrap_or_else(|_| EnvFilter::new("warn"));
    let filter = if std::env::var_os("PORCHLIGHT_LOG").is_some() {
        filter
    } else {
        EnvFilter::new("warn")
    };
    let started = fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .try_init();
    drop(started);
}
