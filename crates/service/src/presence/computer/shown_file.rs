//! Which service may still show something of the owner, kept in a file: after a crash the next run
//! withdraws it, also where nothing is shared any more.

use std::io;
use std::path::PathBuf;

use crate::files::private_files;

/// The file; it exists while something may be shown.
#[derive(Debug)]
pub(super) struct ShownFile {
    file: PathBuf,
    service: Option<String>,
}

impl ShownFile {
    /// Reads the file. Blocks.
    pub(super) fn read(file: PathBuf) -> Self {
        let service = std::fs::read_to_string(&file).ok();
        Self { file, service }
    }

    pub(super) fn service(&self) -> Option<&str> {
        self.service.as_deref()
    }

    /// Keeps the address of the service that may show something from now on; `None` when none does.
    /// A failure is logged: only a run after a crash needs the file.
    pub(super) async fn keep(&mut self, service: Option<&str>) {
        if self.service() == service {
            return;
        }
        self.service = service.map(str::to_owned);
        let (file, service) = (self.file.clone(), self.service.clone());
        let kept = tokio::task::spawn_blocking(move || match service {
            Some(service) => private_files::write(&file, service.as_bytes()),
            None => std::fs::remove_file(&file),
        });
        match kept.await.map_err(io::Error::other).flatten() {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                tracing::warn!(%error, "{} cannot be changed", self.file.display());
            }
            _ => {}
        }
    }
}
