//! Why the program did not start, and its exit code.

use crate::app::maintenance::startup::RestoreError;
use crate::app::services::tunnel::TunnelError;
use crate::app::tokens::app_tokens::AppTokenError;
use crate::files::data_dir::DataFolderError;
use crate::log::LoggingError;
use crate::router::listen::BindError;
use crate::service::OpenError;
use crate::settings::problem::Problems;

#[derive(Debug, thiserror::Error)]
pub enum StartError {
    #[error("{0}")]
    Settings(#[from] Problems),
    #[error(transparent)]
    DataFolder(#[from] DataFolderError),
    #[error(transparent)]
    Logging(#[from] LoggingError),
    #[error(transparent)]
    Open(#[from] OpenError),
    /// Tokens of the first run, or of the environment.
    #[error(transparent)]
    Token(#[from] AppTokenError),
    #[error("the backup cannot take its place in the data folder: {0}")]
    Restore(#[source] std::io::Error),
    #[error(transparent)]
    Bind(#[from] BindError),
    /// The HTTP client of the reporter.
    #[error("no HTTPS client could be set up: {0}")]
    Http(#[source] reqwest::Error),
    #[error(transparent)]
    Tunnel(#[from] TunnelError),
}

impl From<RestoreError> for StartError {
    fn from(error: RestoreError) -> Self {
        match error {
            RestoreError::DataFolder(error) => error.into(),
            RestoreError::Files(error) => Self::Restore(error),
        }
    }
}

impl StartError {
    /// 2 for wrong usage or settings, 1 for everything else.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Settings(_)
            | Self::DataFolder(DataFolderError::NoPlace)
            | Self::Logging(LoggingError::Filter(_))
            | Self::Token(AppTokenError::Variable(_) | AppTokenError::Guessable(_)) => 2,
            Self::Open(error) if error.is_about_settings() => 2,
            _ => 1,
        }
    }
}
