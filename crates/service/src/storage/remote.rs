//! Images as objects of a store that is reached over the network: `randomimg/<hash>.webp`.

use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::stream::try_unfold;
use futures_util::{StreamExt as _, TryStreamExt as _};
use object_store::aws::{AmazonS3Builder, AmazonS3ConfigKey};
use object_store::path::Path as Key;
use object_store::{
    Attribute, Attributes, ClientOptions, GetOptions, GetRange, ObjectStore, ObjectStoreExt as _,
    PutOptions, RetryConfig,
};
use secrecy::{ExposeSecret as _, SecretString};

use super::settings::{IMAGES, StorageKind, StorageSettings};
use super::{ByteStream, EdgeDay, ListedObject, ObjectName, StorageError};
use crate::clock::timestamp::Timestamp;
use crate::error::message::Message;
use crate::text::address::WebAddress;

mod edge;
mod failure;

pub(crate) use edge::{EdgeCounts, EdgeStore, SyncError};

use failure::failure;
pub(in crate::storage) use failure::safe_message;

/// The `Cache-Control` of objects: a name identifies its bytes.
///
/// A shared cache keeps them for a day at most, so that a deleted image is gone there, too.
const CACHE_CONTROL: &str = "public, max-age=31536000, s-maxage=86400, immutable";

const CONNECT_WITHIN: Duration = Duration::from_secs(5);
/// How long the store may take to answer, in addition to the transfer of the
/// bytes.
const ANSWER_WITHIN: Duration = Duration::from_secs(30);
/// Bytes a second of the slowest line that is waited for.
const SLOWEST: u64 = 16 * 1024;

/// The maximum size of an object that is read whole, in bytes. Stored images are much smaller.
const LARGEST: u64 = 512 * 1024 * 1024;

/// The maximum number of objects of a listing, which is held in memory: two million images with all
/// their renditions. Fewer in tests.
const MOST_LISTED: usize = if cfg!(test) { 50 } else { 12_000_000 };

/// An S3-compatible store, or the Worker; cheap to clone.
#[derive(Clone)]
pub(crate) struct RemoteStore {
    store: Arc<dyn ObjectStore>,
}

/// A client of a store of the settings, which repeats a failed call up to this many times.
pub(super) fn client(
    settings: &StorageSettings,
    kind: StorageKind,
    repeats: usize,
) -> Result<Arc<dyn ObjectStore>, Message> {
    let missing = || {
        let missing = settings.missing_for(kind);
        let name = missing.first().copied().unwrap_or("storage.kind");
        super::undescribed(&format!("{name} is not set"))
    };
    if kind == StorageKind::Edge {
        let store = EdgeStore::of(&settings.edge, repeats).ok_or_else(missing)?;
        let store = store.map_err(|error| super::undescribed(&error))?;
        return Ok(Arc::new(store));
    }
    let (Some(endpoint), Some(bucket), Some(access), Some(secret)) = (
        settings
            .endpoint
            .as_ref()
            .filter(|_| kind == StorageKind::S3),
        settings.bucket.as_deref(),
        settings.access_key.as_ref(),
        settings.secret_key.as_ref(),
    ) else {
        return Err(missing());
    };
    // It makes its HTTP client itself.
    crate::http::client_tls::install_tls();
    let store = AmazonS3Builder::new()
        .with_endpoint(endpoint.as_str())
        .with_region(settings.region.as_deref().unwrap_or("us-east-1"))
        .with_bucket_name(bucket)
        .with_access_key_id(access.expose_secret())
        .with_secret_access_key(secret.expose_secret())
        .with_virtual_hosted_style_request(false)
        .with_client_options(
            ClientOptions::new()
                .with_allow_http(!endpoint.is_https())
                .with_connect_timeout(CONNECT_WITHIN)
                // A large image on a slow line takes long; each call below
                // has its own limit.
                .with_timeout_disabled(),
        )
        .with_retry(RetryConfig {
            max_retries: repeats,
            retry_timeout: Duration::from_secs(15),
            ..RetryConfig::default()
        })
        // Not every store has the call that deletes several at once.
        .with_config(AmazonS3ConfigKey::DisableBulkDelete, "true")
        .build()
        .map_err(|error| super::undescribed(&error))?;
    Ok(Arc::new(store))
}

/// Asks the Worker at this address for a signed answer, which shows that the address and the key
/// belong together.
///
/// # Errors
/// What came instead.
pub async fn prove_edge(url: &WebAddress, secret: &SecretString) -> Result<(), Message> {
    // Each proof is tried: it has nothing to do with what the day's other requests were answered.
    let store = EdgeStore::new(url, secret, EdgeDay::default(), 0).map_err(Message::text)?;
    answered(store.prove()).await
}

async fn answered<T>(call: impl Future<Output = object_store::Result<T>>) -> Result<T, Message> {
    let answer = tokio::time::timeout(ANSWER_WITHIN, call).await;
    let answer = answer.map_err(|_| crate::detail!("no answer came in time"))?;
    answer.map_err(|error| safe_message(&error))
}

impl RemoteStore {
    pub(super) fn open(settings: &StorageSettings, kind: StorageKind) -> Result<Self, Message> {
        let store = client(settings, kind, 2)?;
        Ok(Self { store })
    }

    pub(super) async fn put(&self, name: ObjectName, bytes: Bytes) -> Result<(), StorageError> {
        let attributes = Attributes::from_iter([
            (Attribute::ContentType, "image/webp"),
            (Attribute::CacheControl, CACHE_CONTROL),
        ]);
        let options = PutOptions {
            attributes,
            ..PutOptions::default()
        };
        let limit = ANSWER_WITHIN + Duration::from_secs(bytes.len() as u64 / SLOWEST);
        let key = key(name);
        let put = self.store.put_opts(&key, bytes.into(), options);
        within(limit, "take", name, put).await.map(drop)
    }

    pub(super) async fn size(&self, name: ObjectName) -> Result<Option<u64>, StorageError> {
        match within(
            ANSWER_WITHIN,
            "tell about",
            name,
            self.store.head(&key(name)),
        )
        .await
        {
            Ok(found) => Ok(Some(found.size)),
            Err(StorageError::Missing(_)) => Ok(None),
            Err(error) => Err(error),
        }
    }

    pub(super) async fn get(&self, name: ObjectName) -> Result<Bytes, StorageError> {
        let found = within(ANSWER_WITHIN, "give", name, self.store.get(&key(name))).await?;
        let size = found.meta.size;
        if size > LARGEST {
            return Err(StorageError::Refused(crate::detail!(
                "the object store announces {bytes} bytes for {name}: no stored image is that large",
                bytes = size,
                name = key(name).to_string()
            )));
        }
        let limit = ANSWER_WITHIN + Duration::from_secs(size / SLOWEST);
        within(limit, "give", name, found.bytes()).await
    }

    pub(super) async fn stream(
        &self,
        name: ObjectName,
        range: Range<u64>,
    ) -> Result<ByteStream, StorageError> {
        let options = GetOptions {
            range: Some(GetRange::Bounded(range)),
            ..GetOptions::default()
        };
        let key = key(name);
        let found = within(
            ANSWER_WITHIN,
            "give",
            name,
            self.store.get_opts(&key, options),
        )
        .await?;
        let parts = try_unfold(found.into_stream(), move |mut parts| async move {
            let part = within(ANSWER_WITHIN, "give", name, parts.try_next()).await;
            let part = part.map_err(std::io::Error::other)?;
            Ok(part.map(|part| (part, parts)))
        });
        Ok(parts.boxed())
    }

    pub(super) async fn remove_all(&self, names: &[ObjectName]) -> Result<(), StorageError> {
        for name in names {
            self.remove_one(*name).await?;
        }
        Ok(())
    }

    /// Removes one object; a missing one is no error.
    async fn remove_one(&self, name: ObjectName) -> Result<(), StorageError> {
        let key = key(name);
        let delete = self.store.delete(&key);
        match within(ANSWER_WITHIN, "delete", name, delete).await {
            Ok(()) | Err(StorageError::Missing(_)) => Ok(()),
            Err(error) => Err(error),
        }
    }
}

/// Waits for the store, but not for ever.
async fn within<T>(
    limit: Duration,
    what: &str,
    name: ObjectName,
    call: impl Future<Output = object_store::Result<T>>,
) -> Result<T, StorageError> {
    match tokio::time::timeout(limit, call).await {
        Ok(answer) => answer.map_err(|error| failure(what, name, &error)),
        Err(_) => Err(StorageError::Failed(crate::detail!(
            "the object store did not {what} {name} within {seconds} seconds",
            name = key(name).to_string(),
            seconds = limit.as_secs()
        ))),
    }
}

impl RemoteStore {
    pub(super) async fn look_through(&self) -> Result<Vec<ListedObject>, StorageError> {
        let failed = |why: Message| {
            StorageError::Failed(crate::detail!(
                "the object store did not list {folder}/: {why}",
                folder = IMAGES
            ))
        };
        let mut listed = self.store.list(Some(&Key::from(IMAGES)));
        let mut found = Vec::new();
        loop {
            let next = tokio::time::timeout(ANSWER_WITHIN, listed.try_next()).await;
            let next = next.map_err(|_| failed(crate::detail!("no answer came in time")))?;
            let Some(about) = next.map_err(|error| failed(safe_message(&error)))? else {
                return Ok(found);
            };
            if found.len() == MOST_LISTED {
                return Err(failed(crate::detail!(
                    "it lists more than {MOST_LISTED} objects"
                )));
            }
            let name = about.location.filename().and_then(ObjectName::parse);
            let name = name.filter(|name| key(*name) == about.location);
            found.push(name.map_or(ListedObject::Foreign, |name| {
                let written = about.last_modified.timestamp_millis();
                ListedObject::Object(name, Some(Timestamp::from_millis(written)))
            }));
        }
    }

    pub(super) async fn set_aside(
        &self,
        name: ObjectName,
        file: PathBuf,
    ) -> Result<bool, StorageError> {
        let bytes = match self.get(name).await {
            Ok(bytes) => bytes,
            Err(StorageError::Missing(_)) => return Ok(false),
            Err(error) => return Err(error),
        };
        let half_written = file.with_extension("part");
        let kept = tokio::task::spawn_blocking(move || {
            super::disk::write_whole(&half_written, &file, &bytes)
        });
        kept.await
            .map_err(std::io::Error::other)
            .flatten()
            .map_err(|error| {
                StorageError::Failed(crate::detail!(
                    "{name} cannot be set aside: {why}",
                    name = name.to_string(),
                    why = error
                ))
            })?;
        self.remove_one(name).await?;
        Ok(true)
    }
}

fn key(name: ObjectName) -> Key {
    Key::from(format!("{IMAGES}/{name}"))
}
