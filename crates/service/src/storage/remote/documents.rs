//! Small objects beside the images, below a prefix of their own: the snapshot of the public
//! answers. No call is repeated here: whoever writes them decides when.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::TryStreamExt as _;
use object_store::path::Path as Key;
use object_store::{
    Attribute, Attributes, ObjectStore, ObjectStoreExt as _, PutOptions, PutPayload,
};

use super::super::{StorageError, StorageKind, StorageSettings};
use super::failure::{is_full, safe_message};
use super::{MOST_LISTED, client};
use crate::error::message::Message;

/// The largest object that is read, in bytes; an index of 10 million images is smaller.
const LARGEST: u64 = 4 * 1024 * 1024;

/// The objects below the prefix; cheap to clone.
#[derive(Clone)]
pub(crate) struct Documents {
    store: Arc<dyn ObjectStore>,
    prefix: Arc<str>,
    /// How long one call may take.
    limit: Duration,
}

/// The content of such an object, and how it is served.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Document {
    pub(crate) content: Bytes,
    pub(crate) content_type: &'static str,
    pub(crate) cache_control: &'static str,
}

impl Documents {
    /// The objects, by connections of their own. Each call fails after `limit`.
    pub(crate) fn open(
        storage: &StorageSettings,
        kind: StorageKind,
        prefix: &str,
        limit: Duration,
    ) -> Result<Self, Message> {
        Ok(Self {
            store: client(storage, kind, 0)?,
            prefix: prefix.into(),
            limit,
        })
    }

    pub(crate) async fn put(&self, name: &str, document: Document) -> Result<(), StorageError> {
        let options = PutOptions {
            attributes: Attributes::from_iter([
                (Attribute::ContentType, document.content_type),
                (Attribute::CacheControl, document.cache_control),
            ]),
            ..PutOptions::default()
        };
        let key = self.key(name);
        let content = PutPayload::from(document.content);
        let put = self.store.put_opts(&key, content, options);
        self.within("take", &key, put).await.map(drop)
    }

    /// The content of an object; `None` where there is none.
    pub(crate) async fn get(&self, name: &str) -> Result<Option<Bytes>, StorageError> {
        let key = self.key(name);
        let read = async {
            let found = self.store.get(&key).await?;
            if found.meta.size > LARGEST {
                return Ok(Bytes::new());
            }
            found.bytes().await
        };
        match self.within("give", &key, read).await {
            Ok(bytes) => Ok(Some(bytes)),
            Err(StorageError::Missing(_)) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Removes an object; what is not there is no error.
    pub(crate) async fn remove(&self, name: &str) -> Result<(), StorageError> {
        let key = self.key(name);
        match self.within("delete", &key, self.store.delete(&key)).await {
            Ok(()) | Err(StorageError::Missing(_)) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// The names of all objects right below `folder`, less the folder.
    pub(crate) async fn names(&self, folder: &str) -> Result<HashSet<String>, StorageError> {
        let key = self.key(folder);
        let mut listed = self.store.list(Some(&key));
        let mut names = HashSet::new();
        while let Some(found) = self.within("list", &key, listed.try_next()).await? {
            names.extend(found.location.filename().map(str::to_owned));
            if names.len() > MOST_LISTED {
                return Err(StorageError::Failed(crate::detail!(
                    "the object store did not list {folder}/: {why}",
                    folder = key.to_string(),
                    why = crate::detail!("it lists more than {count} objects", count = MOST_LISTED)
                )));
            }
        }
        Ok(names)
    }

    fn key(&self, name: &str) -> Key {
        Key::from(format!("{}{name}", self.prefix))
    }

    /// Waits for the store, but not for ever.
    async fn within<T>(
        &self,
        what: &str,
        key: &Key,
        call: impl Future<Output = object_store::Result<T>>,
    ) -> Result<T, StorageError> {
        let failed = |why: Message| {
            crate::detail!(
                "the object store did not {what} {name}: {why}",
                name = key.to_string()
            )
        };
        match tokio::time::timeout(self.limit, call).await {
            Ok(Ok(answer)) => Ok(answer),
            Ok(Err(object_store::Error::NotFound { .. })) => {
                Err(StorageError::Missing(key.to_string()))
            }
            Ok(Err(error)) => {
                let text = failed(safe_message(&error));
                Err(if is_full(&error) {
                    StorageError::Full(text)
                } else {
                    StorageError::Failed(text)
                })
            }
            Err(_) => Err(StorageError::Failed(failed(crate::detail!(
                "no answer came in time"
            )))),
        }
    }
}
