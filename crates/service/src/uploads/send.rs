//! Sends one source to the images of this process. Nothing is retried here.

use std::io;
use std::path::Path;
use std::sync::Arc;

use bytes::Bytes;
use futures_util::TryStreamExt as _;
use futures_util::stream::Stream;

use super::opened::Opened;
use super::window::UploadTrouble;
use crate::error::message::Message;
use crate::images::{Images, IngestError};
use crate::state::StateReader;
use crate::text::address::WebAddress;
use crate::text::image_hash::ImageHash;

/// The images of this process, and where readers find them.
#[derive(Clone)]
pub struct OwnImages {
    pub images: Images,
    pub local_url: StateReader<String>,
    /// The public address, now and later.
    pub public_url: StateReader<Option<WebAddress>>,
}

/// Called with the number of bytes that were sent of a source.
pub(crate) type SentBytes = Arc<dyn Fn(u64) + Send + Sync>;

/// What is sent.
#[derive(Clone)]
pub(crate) struct Source {
    pub(crate) opened: Opened,
    /// Its name without a folder, for a service of its owner.
    pub(crate) name: Option<String>,
    /// The album that the image gets if it is new.
    pub(crate) album: Option<String>,
    /// Called as it is sent.
    pub(crate) sent: SentBytes,
}

impl Source {
    /// An open file with the name of `path`.
    pub(crate) fn new(opened: Opened, path: Option<&Path>) -> Self {
        let name = path.and_then(Path::file_name);
        Self {
            opened,
            name: name.map(|name| name.to_string_lossy().into_owned()),
            album: None,
            sent: Arc::new(|_| {}),
        }
    }

    /// Its bytes from the start. Each is counted as sent when it is taken.
    pub(crate) fn bytes(&self) -> impl Stream<Item = io::Result<Bytes>> + Send + Unpin + use<> {
        let (sent, mut bytes) = (Arc::clone(&self.sent), 0);
        let counted = self.opened.stream().inspect_ok(move |chunk| {
            bytes += chunk.len() as u64;
            sent(bytes);
        });
        Box::pin(counted)
    }
}

/// An upload that succeeded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Sent {
    pub(crate) hash: ImageHash,
    pub(crate) already_there: bool,
    /// The SHA-256 of the source.
    pub(crate) sha256: [u8; 32],
    /// The bytes of the image; `None` where it was there.
    pub(crate) stored_bytes: Option<u64>,
}

/// Why a source did not become an image.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SendError {
    #[error("{0}")]
    File(#[from] io::Error),
    #[error("the file is empty")]
    Empty,
    #[error(transparent)]
    Images(#[from] IngestError),
}

impl From<&SendError> for Message {
    fn from(error: &SendError) -> Self {
        match error {
            SendError::File(error) => error.into(),
            SendError::Empty => Self::FileEmpty,
            SendError::Images(error) => crate::detail!("{error}"),
        }
    }
}

impl SendError {
    /// Why these bytes can never become an image, if that is so.
    pub(crate) fn trouble(&self) -> Option<UploadTrouble> {
        match self {
            Self::Images(IngestError::TooLarge) => Some(UploadTrouble::TooLarge),
            Self::Images(IngestError::Unsupported) => Some(UploadTrouble::NotAPicture),
            Self::Images(IngestError::Invalid(_)) => Some(UploadTrouble::Broken),
            _ => None,
        }
    }
}

impl OwnImages {
    /// The address of an image for readers.
    pub(crate) fn image_url(&self, hash: ImageHash) -> String {
        let public = self
            .public_url
            .with(|url| url.as_ref().map(ToString::to_string));
        let base = public.unwrap_or_else(|| self.local_url.get());
        format!("{base}/i/{hash}.webp")
    }

    /// One attempt: read once, hashed while it is read, and stored unless it is known. The caller
    /// compares the version of the file before and after.
    ///
    /// # Errors
    /// See [`SendError`].
    pub(crate) async fn send(&self, source: Source) -> Result<Sent, SendError> {
        if source.opened.file_version().bytes == 0 {
            return Err(SendError::Empty);
        }
        let sent = self.try_to_send(source).await;
        if let Err(error @ SendError::Images(_)) = &sent
            && error.trouble().is_none()
        {
            tracing::warn!("an image was not stored: {error}");
        }
        sent
    }

    async fn try_to_send(&self, source: Source) -> Result<Sent, SendError> {
        let mut incoming = self.images.start_upload().await?;
        if let Some(name) = &source.name {
            incoming.set_file_name(name);
        }
        incoming.set_album(source.album.clone());
        let mut bytes = source.bytes();
        while let Some(chunk) = bytes.try_next().await? {
            incoming.write(&chunk).await?;
        }
        let sha256 = incoming.sha256();
        let sent = |hash, already_there, stored_bytes| Sent {
            hash,
            already_there,
            sha256,
            stored_bytes,
        };
        match self.images.ingest(incoming).await {
            Ok(image) => Ok(sent(image.hash, false, Some(image.size))),
            Err(IngestError::Duplicate(image)) => Ok(sent(image.hash, true, None)),
            Err(error) => Err(error.into()),
        }
    }
}
