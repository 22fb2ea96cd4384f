//! Imports the images of another server of the interface: its list, then each
//! missing image, with the name and the time that it has there.
//!
//! The other server may be broken or hostile. What it sends is bounded in size
//! and time, and goes through the limits of every upload.

use std::time::Duration;

use futures_util::{StreamExt as _, stream};

use crate::error::message::Message;
use crate::images::{Images, Imported, IngestError};
use crate::text::address::WebAddress;
use crate::text::image_hash::ImageHash;

mod dates;
mod list;
mod source;

use list::Item;
use source::{Refusal, Source};

/// What to import, and with which limits.
#[derive(Debug, Clone)]
pub struct Order {
    /// The other server.
    pub from: WebAddress,
    /// It may be in a private network, and redirect to others there, even when its address is not a
    /// private one.
    pub private: bool,
    /// Images that are fetched at once.
    pub concurrent: usize,
    /// How often temporary failures are retried.
    pub retries: u32,
    /// How long one attempt may take.
    pub timeout: Duration,
}

/// The outcome of one step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// The list is read; the number of images on it.
    Listed(u64),
    /// An image was imported.
    Imported {
        /// Its name, here as there.
        hash: ImageHash,
        /// The received bytes.
        bytes: u64,
        /// Whether the time it has there could be read.
        dated: bool,
    },
    /// The same image exists here; it has one more alias now.
    SecondName {
        /// The other server's name.
        hash: ImageHash,
        /// The image's own.
        of: ImageHash,
    },
    /// An image of this name is here; it was not fetched.
    AlreadyHere(ImageHash),
    /// It could not be fetched.
    Failed {
        /// Its name on the other server.
        name: String,
        /// Why not.
        why: Message,
    },
}

/// Imports all available images, and reports each.
///
/// # Errors
/// When the list cannot be read or nothing can be stored; what was imported until then stays.
pub async fn import(
    images: &Images,
    order: &Order,
    mut report: impl FnMut(Event),
) -> Result<(), Message> {
    let source =
        Source::of(order).map_err(|why| crate::detail!("HTTPS cannot be used here: {why}"))?;
    let of_list = |why| {
        let server = &order.from;
        crate::detail!("the list of pictures at {server} couldn’t be read: {why}")
    };
    let listed = list::read(&source).await.map_err(of_list)?;
    report(Event::Listed(listed.images.len() as u64));
    for name in listed.unnamed {
        let why = crate::detail!("its name is not 32 hexadecimal digits");
        report(Event::Failed { name, why });
    }
    let mut fetches = stream::iter(listed.images)
        .map(|item| fetch(images, &source, item))
        .buffer_unordered(order.concurrent.max(1));
    while let Some(event) = fetches.next().await {
        report(event?);
    }
    // Its entries are imported; but the list may have been incomplete.
    listed.incomplete.map_or(Ok(()), |why| Err(of_list(why)))
}

async fn fetch(images: &Images, source: &Source, item: Item) -> Result<Event, Message> {
    let Item { hash, created_at } = item;
    if images.find(hash).await?.is_some() {
        return Ok(Event::AlreadyHere(hash));
    }
    let failed = |why: Message| {
        let name = hash.to_string();
        Ok(Event::Failed { name, why })
    };
    let mut retries = source.retries();
    loop {
        let refusal = match fetch_once(images, source, hash).await {
            Ok((incoming, bytes)) => {
                return match images.import_image(incoming, hash, created_at).await {
                    Ok(Imported::Stored) => Ok(Event::Imported {
                        hash,
                        bytes,
                        dated: created_at.is_some(),
                    }),
                    Ok(Imported::SecondName(of)) => Ok(Event::SecondName { hash, of }),
                    Ok(Imported::NameTaken) => {
                        failed(crate::detail!("another picture has this name here"))
                    }
                    Err(error) => failed(of_it(error)?),
                };
            }
            Err(ImportTrouble::There(refusal)) => refusal,
            Err(ImportTrouble::Here(error)) => return failed(of_it(error)?),
        };
        if !retries.wait(&refusal).await {
            return failed(refusal.why);
        }
    }
}

/// What went wrong while an image was fetched.
enum ImportTrouble {
    There(Refusal),
    Here(IngestError),
}

async fn fetch_once(
    images: &Images,
    source: &Source,
    hash: ImageHash,
) -> Result<(crate::images::Incoming, u64), ImportTrouble> {
    let there = ImportTrouble::There;
    let mut answer = source.get(&format!("/i/{hash}")).await.map_err(there)?;
    let limit = images.settings().max_upload_bytes;
    if answer.length().is_some_and(|length| length > limit) {
        return Err(ImportTrouble::Here(IngestError::TooLarge));
    }
    let mut incoming = images.start_upload().await.map_err(ImportTrouble::Here)?;
    while let Some(chunk) = answer.chunk().await.map_err(there)? {
        incoming.write(&chunk).await.map_err(ImportTrouble::Here)?;
    }
    let bytes = incoming.size();
    Ok((incoming, bytes))
}

/// What is wrong with one image; else why nothing can be stored.
fn of_it(error: IngestError) -> Result<Message, Message> {
    match error {
        IngestError::StorageFull(why) | IngestError::Storage(why) => {
            Err(crate::detail!("nothing can be stored: {why}"))
        }
        IngestError::TooLarge => Ok(crate::detail!("the picture is too large")),
        IngestError::Unsupported => {
            Ok(crate::detail!("not a picture of a format that can be read"))
        }
        IngestError::Invalid(why) => Ok(crate::detail!("the picture is damaged: {why}")),
        other => Ok(Message::text(other)),
    }
}
