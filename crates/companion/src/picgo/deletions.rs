//! Which images a caller may delete: those that came through this listener, and were new. The answer to
//! an upload proves that an image is one of them, so that nothing has to be remembered.

use std::sync::Arc;

use hmac::{Hmac, KeyInit as _, Mac as _};
use porchlight_api::{ImageHash, Message};
use secrecy::{ExposeSecret as _, SecretString};
use serde::Deserialize;
use sha2::Sha256;

/// How images are deleted that came through the listener.
#[derive(Clone)]
pub struct Deletions {
    /// What proofs are made with. No caller knows it.
    pub key: SecretString,
    pub delete: Arc<dyn Fn(Vec<ImageHash>) -> Result<(), Message> + Send + Sync>,
}

/// An item of the answer to an upload, as its caller sends it back.
#[derive(Deserialize)]
pub(super) struct UploadedItem {
    id: Option<String>,
    proof: Option<String>,
}

impl Deletions {
    fn mac(&self, hash: &str) -> Hmac<Sha256> {
        let mac = Hmac::<Sha256>::new_from_slice(self.key.expose_secret().as_bytes());
        mac.expect("a key may have any length").chain_update(hash)
    }

    /// Proves that this image came through the listener.
    pub(super) fn proof(&self, hash: &str) -> String {
        hex::encode(self.mac(hash).finalize().into_bytes())
    }

    /// The image of this item; `None` where it is not proved to be one of the listener.
    pub(super) fn image_of(&self, item: &UploadedItem) -> Option<ImageHash> {
        let id = item.id.as_deref()?;
        let proof = hex::decode(item.proof.as_deref()?).ok()?;
        self.mac(id).verify_slice(&proof).ok()?;
        id.parse().ok()
    }
}
