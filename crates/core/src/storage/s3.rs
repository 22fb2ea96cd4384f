//! Images as objects in an S3-compatible store: `randomimg/<hash>.webp`.

use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::{StreamExt as _, TryStreamExt as _};
use object_store::aws::AmazonS3Builder;
use object_store::path::Path as Key;
use object_store::{
    Attribute, Attributes, ClientOptions, GetOptions, GetRange, ObjectStore, ObjectStoreExt as _,
    PutOptions, RetryConfig,
};
use porchlight_api::ImageHash;
use secrecy::ExposeSecret as _;

use super::{ByteStream, ObjectName, OpenStorageError, StorageError};
use crate::images::WIDTHS;
use crate::settings::StorageSettings;

/// What the store is told to tell caches: a name says what its bytes are.
const CACHE_CONTROL: &str = "public, max-age=31536000, immutable";

#[derive(Clone)]
pub(crate) struct S3 {
    store: Arc<dyn ObjectStore>,
}

impl S3 {
    pub(super) fn open(settings: &StorageSettings) -> Result<Self, OpenStorageError> {
        let missing = |key: &str| OpenStorageError::Settings(format!("storage.{key} is not set"));
        let endpoint = settings
            .endpoint
            .as_ref()
            .ok_or_else(|| missing("endpoint"))?;
        let bucket = settings
            .bucket
            .as_deref()
            .ok_or_else(|| missing("bucket"))?;
        let access = settings
            .access_key
            .as_ref()
            .ok_or_else(|| missing("access_key"))?;
        let secret = settings
            .secret_key
            .as_ref()
            .ok_or_else(|| missing("secret_key"))?;
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
                    .with_connect_timeout(Duration::from_secs(5))
                    .with_timeout(Duration::from_secs(60)),
            )
            .with_retry(RetryConfig {
                max_retries: 2,
                retry_timeout: Duration::from_secs(15),
                ..RetryConfig::default()
            })
            .build()
            .map_err(|error| OpenStorageError::Settings(error.to_string()))?;
        Ok(Self {
            store: Arc::new(store),
        })
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
        self.store
            .put_opts(&key(name), bytes.into(), options)
            .await
            .map(drop)
            .map_err(|error| failure("take", name, &error))
    }

    pub(super) async fn get(&self, name: ObjectName) -> Result<Bytes, StorageError> {
        let found = self
            .store
            .get(&key(name))
            .await
            .map_err(|error| failure("give", name, &error))?;
        found
            .bytes()
            .await
            .map_err(|error| failure("give", name, &error))
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
        let found = self
            .store
            .get_opts(&key(name), options)
            .await
            .map_err(|error| failure("give", name, &error))?;
        Ok(found.into_stream().map_err(std::io::Error::other).boxed())
    }

    pub(super) async fn remove(&self, hash: ImageHash) -> Result<(), StorageError> {
        let renditions = WIDTHS.map(|width| ObjectName::rendition(hash, width));
        for name in renditions.into_iter().chain([ObjectName::image(hash)]) {
            match self.store.delete(&key(name)).await {
                Ok(()) | Err(object_store::Error::NotFound { .. }) => {}
                Err(error) => return Err(failure("delete", name, &error)),
            }
        }
        Ok(())
    }
}

fn key(name: ObjectName) -> Key {
    Key::from(format!("randomimg/{name}"))
}

fn failure(what: &str, name: ObjectName, error: &object_store::Error) -> StorageError {
    match error {
        object_store::Error::NotFound { .. } => StorageError::Missing(key(name).to_string()),
        error => StorageError::Failed(format!(
            "the object store did not {what} {}: {error}",
            key(name)
        )),
    }
}
