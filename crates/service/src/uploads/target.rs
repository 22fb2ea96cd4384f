//! Where pictures go: to the service of this process, which is called, or to another one over HTTP. Nothing
//! is retried here.

use std::io;
use std::path::Path;
use std::sync::Arc;

use bytes::Bytes;
use futures_util::TryStreamExt as _;
use futures_util::stream::Stream;
use tokio::task::spawn_blocking;

use crate::error::message::Message;
use crate::http::api_error::ApiError;
use crate::http::client::{Added, Client, ClientError, SourceLookup};
use crate::images::{Images, Incoming, IngestError};
use crate::state::StateReader;
use crate::text::address::WebAddress;
use crate::uploads::opened::Opened;
use crate::uploads::window::UploadTrouble;

/// Where pictures go.
#[derive(Clone)]
pub enum Target {
    /// The service of this process: no listener, no token.
    Own(OwnImages),
    /// A service over HTTP.
    Http(Client),
}

/// The images of this process, and where readers find them.
#[derive(Clone)]
pub struct OwnImages {
    pub images: Images,
    pub local_url: StateReader<String>,
    /// The public address, now and later.
    pub public_url: StateReader<Option<WebAddress>>,
}

impl Target {
    pub fn image_url(&self, hash: &str) -> String {
        match self {
            Self::Http(client) => client.image_url(hash),
            Self::Own(own) => {
                let public = own
                    .public_url
                    .with(|url| url.as_ref().map(ToString::to_string));
                let base = public.unwrap_or_else(|| own.local_url.get());
                format!("{base}/i/{hash}.webp")
            }
        }
    }

    /// Whether it has the image that the source with this SHA-256 became.
    pub(crate) async fn look_up(&self, sha256: [u8; 32]) -> Result<SourceLookup, ClientError> {
        let images = match self {
            Self::Http(client) => return client.find_source(&sha256).await,
            Self::Own(own) => &own.images,
        };
        let found = images.find_stored(sha256).await;
        let found = found.map_err(|error| failed("an image was not looked up", &error))?;
        Ok(
            found.map_or(SourceLookup::Unknown, |image| SourceLookup::Stored {
                hash: image.hash.to_string(),
            }),
        )
    }

    /// Whether it has the image of this hash, where [`Self::look_up`] is not offered.
    pub(crate) async fn has_image(&self, hash: &str) -> Result<bool, ClientError> {
        match self {
            Self::Http(client) => client.has_image(hash).await,
            Self::Own(_) => Ok(false),
        }
    }

    /// Reads a source to its end. It is stored by a call to [`Received::store`], or not at all.
    pub(crate) async fn receive(&self, mut source: Source) -> Result<Received, UploadError> {
        let own = match self {
            Self::Own(own) => own,
            Self::Http(client) => {
                let hashed =
                    spawn_blocking(move || source.opened.sha256().map(|sha256| (sha256, source)));
                let (sha256, source) = hashed.await.map_err(io::Error::other)??;
                return Ok(Received::Hashed(client.clone(), Box::new(source), sha256));
            }
        };
        // Its only read: the bytes are hashed while they are written to the file that they are
        // converted from.
        let mut incoming = own.images.start_upload().await.map_err(rejected)?;
        if let Some(name) = source.name() {
            incoming.set_file_name(name);
        }
        let mut bytes = source.bytes();
        while let Some(chunk) = bytes.try_next().await? {
            incoming.write(&chunk).await.map_err(rejected)?;
        }
        Ok(Received::Incoming(own.images.clone(), Box::new(incoming)))
    }
}

/// A source whose bytes and digest are known.
pub(crate) enum Received {
    /// The service of this process has it in a file.
    Incoming(Images, Box<Incoming>),
    /// Its bytes are sent from its own file.
    Hashed(Client, Box<Source>, [u8; 32]),
}

impl Received {
    pub(crate) fn sha256(&self) -> [u8; 32] {
        match self {
            Self::Incoming(_, incoming) => incoming.sha256(),
            Self::Hashed(.., sha256) => *sha256,
        }
    }

    /// Makes an image of it.
    pub(crate) async fn store(self) -> Result<Added, ClientError> {
        let (images, incoming) = match self {
            Self::Incoming(images, incoming) => (images, incoming),
            Self::Hashed(client, source, _) => {
                let length = source.opened.file_version().bytes;
                let name = source.name().map(Path::new);
                let added = client.add_image(source.bytes(), length, source.content_type, name);
                return added.await;
            }
        };
        match images.ingest(*incoming).await {
            Ok(image) => Ok(Added::Stored {
                hash: image.hash.to_string(),
                size: Some(image.size),
            }),
            Err(IngestError::Duplicate(image)) => Ok(Added::AlreadyThere {
                hash: image.hash.to_string(),
            }),
            Err(error) => Err(rejected(error)),
        }
    }
}

/// What the same refusal is over HTTP.
fn rejected(cause: IngestError) -> ClientError {
    let error = match &cause {
        IngestError::TooLarge => ApiError::ImageTooLarge,
        IngestError::Unsupported => ApiError::UnsupportedFormat,
        IngestError::Invalid(_) => ApiError::InvalidImage,
        IngestError::StorageFull(_) => {
            tracing::warn!("an image was not stored: {cause}");
            ApiError::StorageFull
        }
        _ => return failed("an image was not stored", &cause),
    };
    ClientError::of_the_service(&error, &cause)
}

fn failed(what: &str, cause: &dyn std::fmt::Display) -> ClientError {
    tracing::warn!("{what}: {cause}");
    ClientError::of_the_service(&ApiError::Internal, cause)
}

/// Called with the number of bytes that the target has of a source.
pub type SentBytes = Arc<dyn Fn(u64) + Send + Sync>;

#[derive(Clone)]
pub struct Source {
    pub(crate) opened: Opened,
    /// Its declared type.
    pub(crate) content_type: &'static str,
    /// Its name, for a service of its owner.
    pub(crate) name: Option<String>,
    /// Called as it is sent.
    pub(crate) sent: SentBytes,
}

impl Source {
    /// Its name, without a folder; `None` where it has none.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// Its bytes from the start. Each is counted as sent when it is taken.
    pub fn bytes(&self) -> impl Stream<Item = io::Result<Bytes>> + Send + Unpin + use<> {
        let (sent, mut bytes) = (Arc::clone(&self.sent), 0);
        let counted = self.opened.stream().inspect_ok(move |chunk| {
            bytes += chunk.len() as u64;
            sent(bytes);
        });
        Box::pin(counted)
    }
}

#[derive(Debug, thiserror::Error)]
pub enum UploadError {
    #[error("{0}")]
    File(#[from] io::Error),
    #[error("the file is empty")]
    Empty,
    /// The target rejected it, or is not there.
    #[error(transparent)]
    Target(#[from] ClientError),
    /// It was stored, but the target does not have it.
    #[error("{}", crate::detail!("the service does not confirm that it has the picture, so the file stays"))]
    NotConfirmed,
    /// It was uploaded, but the next run will not know that.
    #[error("it was taken, but that cannot be written down: {0}")]
    Ledger(io::Error),
    /// Another image's failure stopped the run.
    #[error("it was not tried again, since nothing is any more")]
    Stopped,
}

impl From<&UploadError> for Message {
    fn from(error: &UploadError) -> Self {
        match error {
            UploadError::File(error) => error.into(),
            UploadError::Empty => Self::FileEmpty,
            UploadError::Target(error) => error.into(),
            UploadError::NotConfirmed => crate::detail!(
                "the service does not confirm that it has the picture, so the file stays"
            ),
            // Only `porchlight upload` meets these, which prints them.
            UploadError::Ledger(_) | UploadError::Stopped => Self::text(error),
        }
    }
}

impl UploadError {
    /// Why the target can never make an image of these bytes, if that is so.
    pub(crate) fn trouble(&self) -> Option<UploadTrouble> {
        match self {
            Self::Target(error) => match error.status_of_service()? {
                413 => Some(UploadTrouble::TooLarge),
                415 => Some(UploadTrouble::NotAPicture),
                400 | 422 => Some(UploadTrouble::Broken),
                _ => None,
            },
            _ => None,
        }
    }
}
