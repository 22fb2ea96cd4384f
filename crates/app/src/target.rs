//! Where images and heartbeats of this machine go: to the service of this process, unless the
//! settings name another.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use futures_util::TryStreamExt as _;
use futures_util::future::BoxFuture;
use porchlight_api::client::{Added, Client, Endpoint, SourceLookup};
use porchlight_api::state::StateReader;
use porchlight_api::text::{LONGEST_LINE, LONGEST_NAME, one_line};
use porchlight_api::{ApiError, HeartbeatFields, HeartbeatReply, ImageHash, WebAddress};
use porchlight_companion::target::{Received, Source, Target, TargetError};
use porchlight_companion::upload::UploadError;
use porchlight_core::Service;
use porchlight_core::images::{Images, Incoming, IngestError, StoredImage, Verify};

use crate::settings::Settings;

/// The maximum duration of one attempt to upload to another service.
pub const UPLOAD_LIMIT: Duration = Duration::from_secs(300);
/// The maximum duration of one heartbeat request to another service.
pub const HEARTBEAT_LIMIT: Duration = Duration::from_secs(10);

/// The other service of the settings; `None` where they name none. One attempt takes at most this
/// long.
///
/// # Errors
/// When no HTTPS client can be set up.
pub fn elsewhere(settings: &Settings, limit: Duration) -> Result<Option<Client>, reqwest::Error> {
    let presence = &settings.presence;
    let (Some(target), Some(token)) = (&presence.target_url, &presence.token) else {
        return Ok(None);
    };
    Client::new(target.as_str(), token.clone(), limit).map(Some)
}

/// The service of this process. It is called directly: no listener, no token.
#[derive(Clone)]
pub struct OwnService {
    pub service: Service,
    pub local_url: String,
    /// Its public address, now and later.
    pub public_url: StateReader<Option<WebAddress>>,
}

impl OwnService {
    /// The target of the settings: another service, or else this one.
    ///
    /// # Errors
    /// When no HTTPS client can be set up.
    pub fn or_elsewhere(
        &self,
        settings: &Settings,
        limit: Duration,
    ) -> Result<Arc<dyn Target>, reqwest::Error> {
        Ok(match elsewhere(settings, limit)? {
            Some(client) => Arc::new(client),
            None => Arc::new(self.clone()),
        })
    }
}

impl fmt::Debug for OwnService {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OwnService").finish_non_exhaustive()
    }
}

impl Target for OwnService {
    fn endpoint(&self) -> Endpoint {
        Endpoint {
            base: self.local_url.clone(),
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

    fn is_here(&self) -> bool {
        true
    }

    fn hash_here(&self, hash: &str) -> Option<ImageHash> {
        hash.parse().ok()
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

    fn look_up(
        &self,
        sha256: [u8; 32],
        verify: bool,
    ) -> BoxFuture<'_, Result<SourceLookup, TargetError>> {
        Box::pin(async move {
            let verify = if verify {
                Verify::Now
            } else {
                Verify::OncePerRun
            };
            let found = self.service.images().find_stored(sha256, verify).await;
            let found = found.map_err(|error| failed("an image was not looked up", &error))?;
            Ok(
                found.map_or(SourceLookup::Unknown, |image| SourceLookup::Stored {
                    hash: image.hash.to_string(),
                    pixels: Some((image.width, image.height)),
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
            let pixels = |image: &StoredImage| Some((image.width, image.height));
            match self.images.ingest(self.incoming).await {
                Ok(image) => Ok(Added::Stored {
                    hash: image.hash.to_string(),
                    size: Some(image.size),
                    pixels: pixels(&image),
                }),
                Err(IngestError::Duplicate(image)) => Ok(Added::AlreadyThere {
                    hash: image.hash.to_string(),
                    pixels: pixels(&image),
                }),
                Err(error) => Err(rejected(error)),
            }
        })
    }
}

fn rejected(error: IngestError) -> TargetError {
    TargetError::Own(match error {
        IngestError::TooLarge => ApiError::ImageTooLarge,
        IngestError::Unsupported => ApiError::UnsupportedFormat,
        IngestError::Invalid(_) => ApiError::InvalidImage,
        IngestError::StorageFull(why) => {
            tracing::warn!("an image was not stored: {why}");
            ApiError::StorageFull
        }
        other => return failed("an image was not stored", &other),
    })
}

fn failed(what: &str, why: &dyn fmt::Display) -> TargetError {
    tracing::warn!("{what}: {why}");
    TargetError::Own(ApiError::Internal)
}
