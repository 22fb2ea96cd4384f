//! A picture on its way from the machine to the service.

use std::path::{Path, PathBuf};

use bytes::Bytes;
use porchlight_api::client::{Added, Client, ClientError};
use tokio::fs::File;
use tokio_util::io::ReaderStream;

/// What it is declared as; the service looks at the content anyway.
const UNDECLARED: &str = "application/octet-stream";

/// A picture that is to be sent.
#[derive(Debug, Clone)]
pub enum Picture {
    /// A file of this machine.
    File(PathBuf),
    /// The bytes of an image file.
    Bytes(Bytes),
}

impl Picture {
    /// Sends it; its name there.
    ///
    /// # Errors
    /// Why it is not there now, in words.
    pub(super) async fn send(self, target: &Client) -> Result<String, String> {
        let (added, name) = match self {
            Self::File(file) => (send_file(&file, target).await?, file.display().to_string()),
            Self::Bytes(bytes) => {
                let length = bytes.len() as u64;
                let whole = futures_util::stream::iter([Ok::<_, std::io::Error>(bytes)]);
                let added = target.add_image(whole, length, UNDECLARED).await;
                (added, "the picture".to_owned())
            }
        };
        let (Added::Stored { hash, .. } | Added::AlreadyThere { hash }) =
            added.map_err(|error| in_words(&name, &error))?;
        hash.ok_or_else(|| format!("{name}: the service did not tell its address"))
    }
}

async fn send_file(file: &Path, target: &Client) -> Result<Result<Added, ClientError>, String> {
    let name = file.display();
    if !file.is_absolute() {
        return Err(format!("{name}: a full path is needed"));
    }
    let unreadable = |error: std::io::Error| format!("{name}: {error}");
    // Asked first: to open what is no file can take for ever.
    let known = tokio::fs::metadata(file).await.map_err(unreadable)?;
    if !known.is_file() {
        return Err(format!("{name}: not a file"));
    }
    let open = File::open(file).await.map_err(unreadable)?;
    let bytes = ReaderStream::new(open);
    Ok(target.add_image(bytes, known.len(), UNDECLARED).await)
}

fn in_words(name: &str, error: &ClientError) -> String {
    format!("{name}: {error}")
}
