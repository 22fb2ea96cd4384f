//! The service of this process, as images and heartbeats of this computer reach it.

use std::fmt;

use futures_util::TryStreamExt as _;
use futures_util::future::BoxFuture;

use crate::error::message::Message;
use crate::http::api_error::ApiError;
use crate::http::client::{Added, Endpoint, SourceLookup};
use crate::http::replies::{HeartbeatFields, HeartbeatReply};
use crate::images::{Images, Incoming, IngestError};
use crate::service::Service;
use crate::state::StateReader;
use crate::text::address::WebAddress;
use crate::text::{LONGEST_LINE, LONGEST_NAME, one_line};
use crate::uploads::target::{Received, Source, Target, TargetError};
use crate::uploads::upload::UploadError;

/// What the presence reporter calls it. Its address may be another at the next start.
const OWN: &str = "this service";

/// The service of this process. It is called directly: no listener, no token.
#[derive(Clone)]
pub struct OwnService {
    pub service: Service,
    pub local_url: String,
    /// Its public address, now and later.
    pub public_url: StateReader<Option<WebAddress>>,
}

impl fmt::Debug for OwnService {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OwnService").finish_non_exhaustive()
    }
}

impl Target for OwnService {
    fn endpoint(&self) -> Endpoint {
        Endpoint {
            base: OWN.to_owned(),
            token: String::new().into(),
        }
    }

    fn image_url(&self, hash: &str) -> String {
        let public = self
            .public_url
            .with(|url| url.as_ref().map(ToString::to_string));
        let base = public.as_deref().unwrap_or(&self.local_url);
        format!("{base}/i/{hash}.webp")
    }

    fn heartbeat(
        &self,
        fields: HeartbeatFields,
    ) -> BoxFuture<'_, Result<HeartbeatReply, TargetError>> {
        let presence = self.service.presence();
        let fields = presence.with_fields().then(|| HeartbeatFields {
            application: one_line(&fields.application, LONGEST_NAME),
            introduce: one_line(&fields.introduce, LONGEST_LINE),
            ..fields
        });
        Box::pin(async move {
            let recorded = presence.record(fields.clone()).await;
            recorded.map_err(|error| failed("a heartbeat was not recorded", &error))?;
            Ok(HeartbeatReply {
                message: String::new(),
                fields,
            })
        })
    }

    fn look_up(&self, sha256: [u8; 32]) -> BoxFuture<'_, Result<SourceLookup, TargetError>> {
        Box::pin(async move {
            let found = self.service.images().find_stored(sha256).await;
            let found = found.map_err(|error| failed("an image was not looked up", &error))?;
            Ok(
                found.map_or(SourceLookup::Unknown, |image| SourceLookup::Stored {
                    hash: image.hash.to_string(),
                }),
            )
        })
    }

    /// Its only read: the bytes are hashed while they are written to the file that they are
    /// converted from.
    fn receive(&self, source: Source) -> BoxFuture<'_, Result<Box<dyn Received>, UploadError>> {
        Box::pin(async move {
            let images = self.service.images().clone();
            let mut incoming = images.start_upload().await.map_err(rejected)?;
            if let Some(name) = source.name() {
                incoming.set_file_name(name);
            }
            let mut bytes = source.bytes();
            while let Some(chunk) = bytes.try_next().await? {
                incoming.write(&chunk).await.map_err(rejected)?;
            }
            Ok(Box::new(ReceivedImage { images, incoming }) as Box<dyn Received>)
        })
    }
}

/// A source that the service has in a file.
struct ReceivedImage {
    images: Images,
    incoming: Incoming,
}

impl Received for ReceivedImage {
    fn sha256(&self) -> [u8; 32] {
        self.incoming.sha256()
    }

    fn store(self: Box<Self>) -> BoxFuture<'static, Result<Added, TargetError>> {
        Box::pin(async move {
            match self.images.ingest(self.incoming).await {
                Ok(image) => Ok(Added::Stored {
                    hash: image.hash.to_string(),
                    size: Some(image.size),
                }),
                Err(IngestError::Duplicate(image)) => Ok(Added::AlreadyThere {
                    hash: image.hash.to_string(),
                }),
                Err(error) => Err(rejected(error)),
            }
        })
    }
}

fn rejected(cause: IngestError) -> TargetError {
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
    let why = Message::text(cause);
    TargetError::Own { error, why }
}

fn failed(what: &str, cause: &dyn fmt::Display) -> TargetError {
    tracing::warn!("{what}: {cause}");
    TargetError::Own {
        error: ApiError::Internal,
        why: Message::text(cause),
    }
}
