//! Imports the images of another server of the interface: its list, then each
//! missing image, with the name and the time that it has there.
//!
//! The other server may be broken or hostile. What it sends is bounded in size
//! and time, and goes through the limits of every upload.

use std::time::Duration;

use futures_util::{StreamExt as _, stream};

use crate::db::DatabaseError;
use crate::error::BoxError;
use crate::error::message::Message;
use crate::images::{Images, Imported, IngestError};
use crate::into_message;
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

/// Why not everything was tried. Another run continues from there.
#[derive(Debug, thiserror::Error)]
#[error("{}", Message::from(self))]
pub enum ImportStopped {
    /// The list could not be read, or not all of it.
    List(String, Message),
    /// Nothing can be stored here.
    Storage(#[source] BoxError),
    /// The database here.
    #[error(transparent)]
    Database(#[from] DatabaseError),
    /// The HTTP client.
    Http(#[source] reqwest::Error),
}

impl From<&ImportStopped> for Message {
    fn from(stopped: &ImportStopped) -> Self {
        match stopped {
            ImportStopped::List(server, why) => Self::ImportList {
                server: server.as_str().into(),
                why: why.clone().into(),
            },
            ImportStopped::Storage(why) => Self::ImportStorage {
                why: why.to_string().into(),
            },
            ImportStopped::Database(error) => error.into(),
            ImportStopped::Http(why) => Self::NoHttps {
                why: why.to_string().into(),
            },
        }
    }
}

into_message!(ImportStopped);

/// Imports all available images, and reports each.
///
/// # Errors
/// See [`ImportStopped`]; what was imported until then stays.
pub async fn import(
    images: &Images,
    order: &Order,
    mut report: impl FnMut(Event),
) -> Result<(), ImportStopped> {
    let source = Source::of(order).map_err(ImportStopped::Http)?;
    let of_list = |why| ImportStopped::List(order.from.to_string(), why);
    let listed = list::read(&source).await.map_err(of_list)?;
    report(Event::Listed(listed.images.len() as u64));
    for name in listed.unnamed {
        let why = Message::ImportName;
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

async fn fetch(images: &Images, source: &Source, item: Item) -> Result<Event, ImportStopped> {
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
                    Ok(Imported::NameTaken) => failed(Message::ImportNameTaken),
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
fn of_it(error: IngestError) -> Result<Message, ImportStopped> {
    match error {
        IngestError::StorageFull(why) | IngestError::Storage(why) => {
            Err(ImportStopped::Storage(why))
        }
        IngestError::TooLarge => Ok(Message::PictureTooLarge),
        IngestError::Unsupported => Ok(Message::PictureUnsupported),
        IngestError::Invalid(why) => Ok(Message::PictureBroken { why: why.into() }),
        other => Ok(Message::text(other)),
    }
}
