//! The service that images and heartbeats go to: the one in this process, which the app implements,
//! or another one over HTTP. Nothing is retried here.

use std::fmt;
use std::future::ready;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::TryStreamExt as _;
use futures_util::future::BoxFuture;
use futures_util::stream::Stream;
use tokio::task::spawn_blocking;

use crate::error::message::Message;
use crate::http::api_error::ApiError;
use crate::http::client::{Added, Client, ClientError, Endpoint, SourceLookup};
use crate::http::replies::{HeartbeatFields, HeartbeatReply};
use crate::uploads::opened::Opened;
use crate::uploads::window::UploadTrouble;

pub trait Target: fmt::Debug + Send + Sync {
    /// Its address and the token for it. Those of the service in this process differ from those of
    /// any other.
    fn endpoint(&self) -> Endpoint;

    fn image_url(&self, hash: &str) -> String;

    fn heartbeat(
        &self,
        fields: HeartbeatFields,
    ) -> BoxFuture<'_, Result<HeartbeatReply, TargetError>>;

    /// Whether it has the image that the source with this SHA-256 became.
    fn look_up(&self, sha256: [u8; 32]) -> BoxFuture<'_, Result<SourceLookup, TargetError>>;

    /// Whether it has the image of this hash, where [`Self::look_up`] is not offered.
    fn has_image(&self, _hash: String) -> BoxFuture<'_, Result<bool, TargetError>> {
        Box::pin(ready(Ok(false)))
    }

    /// Reads a source to its end. It is stored by a call to [`Received::store`], or not at all.
    fn receive(&self, source: Source) -> BoxFuture<'_, Result<Box<dyn Received>, UploadError>>;
}

/// A source whose bytes and digest are known.
pub trait Received: Send {
    fn sha256(&self) -> [u8; 32];

    /// Makes an image of it.
    fn store(self: Box<Self>) -> BoxFuture<'static, Result<Added, TargetError>>;
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
pub enum TargetError {
    /// The answer of another service, or none.
    #[error(transparent)]
    Http(#[from] ClientError),
    /// The service of this process did not take it.
    #[error("{why}")]
    Own { error: ApiError, why: Message },
}

impl From<&TargetError> for Message {
    fn from(error: &TargetError) -> Self {
        match error {
            TargetError::Http(error) => error.into(),
            TargetError::Own { why, .. } => why.clone(),
        }
    }
}

impl TargetError {
    /// How long it wants to be left alone, if it does.
    #[must_use]
    pub fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::Http(error) => error.retry_after(),
            Self::Own { .. } => None,
        }
    }

    /// The status with which the service itself answered, and no proxy in between.
    pub(crate) fn status_of_service(&self) -> Option<u16> {
        match self {
            Self::Http(ClientError::Answered {
                status,
                is_by_the_service: true,
                ..
            }) => Some(*status),
            Self::Http(_) => None,
            Self::Own { error, .. } => Some(error.status()),
        }
    }

    /// Whether it rejects the token.
    pub(crate) fn is_about_token(&self) -> bool {
        matches!(self, Self::Http(ClientError::Refused | ClientError::Token))
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
    Target(#[from] TargetError),
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

impl Target for Client {
    fn endpoint(&self) -> Endpoint {
        Self::endpoint(self)
    }

    fn image_url(&self, hash: &str) -> String {
        Self::image_url(self, hash)
    }

    fn heartbeat(
        &self,
        fields: HeartbeatFields,
    ) -> BoxFuture<'_, Result<HeartbeatReply, TargetError>> {
        Box::pin(async move { Ok(Self::heartbeat(self, &fields).await?) })
    }

    fn look_up(&self, sha256: [u8; 32]) -> BoxFuture<'_, Result<SourceLookup, TargetError>> {
        Box::pin(async move { Ok(self.find_source(&sha256).await?) })
    }

    fn has_image(&self, hash: String) -> BoxFuture<'_, Result<bool, TargetError>> {
        Box::pin(async move { Ok(Self::has_image(self, &hash).await?) })
    }

    fn receive(&self, source: Source) -> BoxFuture<'_, Result<Box<dyn Received>, UploadError>> {
        let client = self.clone();
        Box::pin(async move {
            let mut source = source;
            let hashed =
                spawn_blocking(move || source.opened.sha256().map(|sha256| (sha256, source)));
            let (sha256, source) = hashed.await.map_err(io::Error::other)??;
            Ok(Box::new(Hashed {
                client,
                source,
                sha256,
            }) as Box<dyn Received>)
        })
    }
}

/// A source whose bytes are sent from its file.
struct Hashed {
    client: Client,
    source: Source,
    sha256: [u8; 32],
}

impl Received for Hashed {
    fn sha256(&self) -> [u8; 32] {
        self.sha256
    }

    fn store(self: Box<Self>) -> BoxFuture<'static, Result<Added, TargetError>> {
        Box::pin(async move {
            let Source {
                opened,
                content_type,
                name,
                ..
            } = &self.source;
            let (bytes, length) = (self.source.bytes(), opened.file_version().bytes);
            let name = name.as_deref().map(Path::new);
            let added = self.client.add_image(bytes, length, content_type, name);
            Ok(added.await?)
        })
    }
}
