//! Which images a caller may delete: those that came through this listener, and were new. The answer to
//! an upload proves that an image is one of them, so that nothing has to be remembered. It is bound to
//! the time at which the image was stored: one that was deleted and is uploaded again is another.

use hmac::{Hmac, KeyInit as _, Mac as _};
use secrecy::{ExposeSecret as _, SecretString};
use serde::Deserialize;
use sha2::Sha256;

use crate::images::Images;
use crate::text::image_hash::ImageHash;

/// How images are deleted that came through the listener.
#[derive(Clone)]
pub struct Deletions {
    /// What proofs are made with. No caller knows it.
    pub key: SecretString,
    pub images: Images,
}

/// An item of the answer to an upload, as its caller sends it back.
#[derive(Deserialize)]
pub(crate) struct UploadedItem {
    id: Option<String>,
    proof: Option<String>,
}

impl Deletions {
    /// That of the image as it is stored now.
    async fn mac(&self, hash: ImageHash) -> Option<Hmac<Sha256>> {
        let image = self.images.find(hash).await.ok()??;
        let stored_at = image.created_at.as_millis();
        let mac = Hmac::<Sha256>::new_from_slice(self.key.expose_secret().as_bytes());
        let mac = mac.expect("a key may have any length");
        Some(mac.chain_update(format!("{hash}\n{stored_at}")))
    }

    /// Proves that this image came through the listener; `None` where it is gone already.
    pub(crate) async fn proof(&self, hash: ImageHash) -> Option<String> {
        let mac = self.mac(hash).await?;
        Some(hex::encode(mac.finalize().into_bytes()))
    }

    /// The image of this item; `None` where it is not proved to be one of the listener.
    pub(crate) async fn image_of(&self, item: &UploadedItem) -> Option<ImageHash> {
        let hash = item.id.as_deref()?.parse().ok()?;
        let proof = hex::decode(item.proof.as_deref()?).ok()?;
        self.mac(hash).await?.verify_slice(&proof).ok()?;
        Some(hash)
    }
}
