//! Imports an image of another server of the interface, with the name and the
//! time that it has there.

use super::incoming::{Incoming, Source};
use super::ingest::StoreOutcome;
use super::{Images, IngestError, table};
use crate::clock::timestamp::Timestamp;
use crate::db::DatabaseError;
use crate::state::detach::run_to_completion;
use crate::text::image_hash::ImageHash;

/// The outcome of an import.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Imported {
    /// It is stored.
    Stored,
    /// The same image exists here under the given name; the other server's name
    /// is now an alias of it.
    SecondName(ImageHash),
    /// Another image has this name here. Nothing was changed.
    NameTaken,
}

impl Images {
    /// Stores the bytes that another server has under `name`, with that name
    /// and the time `created_at`; `None` means now.
    ///
    /// # Errors
    /// See [`IngestError`], except [`IngestError::Duplicate`]; nothing is
    /// stored then.
    pub async fn import_image(
        &self,
        incoming: Incoming,
        name: ImageHash,
        created_at: Option<Timestamp>,
    ) -> Result<Imported, IngestError> {
        let source = incoming.finish().await?;
        let images = self.clone();
        run_to_completion(async move { images.import_source(source, name, created_at).await }).await
    }

    async fn import_source(
        &self,
        source: Source,
        name: ImageHash,
        created_at: Option<Timestamp>,
    ) -> Result<Imported, IngestError> {
        let digest = source.digest;
        let _turn = self.0.sources.turn(digest).await;
        let known = self.find_stored(digest).await?;
        if known.is_some()
            && let Some(named) = self.add_alias(digest, name).await?
        {
            self.changed();
            return Ok(named);
        }
        let (mut new, webp) = self.made_of(source).await?;
        match self.restore(&new, &webp).await {
            Err(IngestError::Duplicate(_)) => {
                let named = self.add_alias(new.sha256, name).await?;
                self.changed();
                return Ok(named.unwrap_or(Imported::NameTaken));
            }
            restored => restored?,
        };
        new.image.hash = name;
        if let Some(created_at) = created_at {
            new.image.created_at = created_at;
        }
        Ok(match self.store(new, webp, true).await? {
            StoreOutcome::Stored => Imported::Stored,
            StoreOutcome::Known(image) => {
                self.changed();
                Imported::SecondName(image.hash)
            }
            StoreOutcome::NameTaken => Imported::NameTaken,
        })
    }

    /// Adds an alias to the image that these source bytes became; `None` when
    /// there is no such image.
    async fn add_alias(
        &self,
        digest: [u8; 32],
        name: ImageHash,
    ) -> Result<Option<Imported>, DatabaseError> {
        let naming = self.0.database.write(move |transaction| {
            let Some(owner) = table::find_source(transaction, &digest)? else {
                return Ok(None);
            };
            Ok::<_, DatabaseError>(Some(match table::named(transaction, name)? {
                Some(image) if image.hash != owner => Imported::NameTaken,
                Some(_) => Imported::SecondName(owner),
                None => {
                    table::add_alias(transaction, name, owner)?;
                    Imported::SecondName(owner)
                }
            }))
        });
        naming.await
    }
}
