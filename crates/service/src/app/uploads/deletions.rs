//! Pictures that the owner deletes in the window, or an editor by PicGo's listener.

use crate::error::message::Message;
use crate::images::{Deletion, Images};
use crate::text::image_hash::ImageHash;

/// Pictures that can be deleted at once.
const MOST: usize = 10_000;

/// Deletes these pictures, all or none.
///
/// # Errors
/// When they are none or too many, or when the database fails.
pub async fn delete(images: &Images, hashes: Vec<ImageHash>) -> Result<Deletion, Message> {
    match hashes.len() {
        0 => Err(crate::detail!("no picture was named")),
        1..=MOST => Ok(images.delete_all(hashes).await?),
        _ => Err(crate::detail!(
            "at most {most} pictures can be deleted at once",
            most = MOST
        )),
    }
}
