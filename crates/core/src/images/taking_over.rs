//! Taking over an image of another server of the interface, with the name and
//! the time that it has there.

use porchlight_api::{ImageHash, Timestamp};

use super::incoming::{Incoming, Source};
use super::ingest::{Outcome, unheard};
use super::{Images, IngestError, table};
use crate::database::DatabaseError;
use crate::to_the_end::to_the_end;

/// What came of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TakenOver {
    /// It is an image here now.
    Stored,
    /// The same picture is here under the name that is given; the other
    /// server's name is a further one of it now.
    SecondName(ImageHash),
    /// Another picture has this name here. Nothing was changed.
    NameTaken,
}

impl Images {
    /// Makes an image of bytes that another server has under `name`, with that
    /// name, as of `created_at`; `None` stands for now.
    ///
    /// # Errors
    /// See [`IngestError`], of which [`IngestError::Duplicate`] does not come;
    /// nothing is stored then.
    pub async fn take_over(
        &self,
        incoming: Incoming,
        name: ImageHash,
        created_at: Option<Timestamp>,
    ) -> Result<TakenOver, IngestError> {
        let source = incoming.finish().await?;
        let images = self.clone();
        to_the_end(async move { images.take_over_source(source, name, created_at).await }).await
    }

    async fn take_over_source(
        &self,
        source: Source,
        name: ImageHash,
        created_at: Option<Timestamp>,
    ) -> Result<TakenOver, IngestError> {
        let digest = source.digest;
        let _turn = self.0.sources.turn(digest).await;
        if let Some(named) = self.name_also(digest, name).await? {
            return Ok(named);
        }
        let (mut new, webp) = self.made_of(source, unheard()).await?;
        new.image.hash = name;
        if let Some(created_at) = created_at {
            new.image.created_at = created_at;
        }
        Ok(match self.store(new, webp, true).await? {
            Outcome::Stored => TakenOver::Stored,
            Outcome::Known(hash) => TakenOver::SecondName(hash),
            Outcome::NameTaken => TakenOver::NameTaken,
        })
    }

    /// Gives the image that these source bytes became a further name; `None`
    /// when there is no such image.
    async fn name_also(
        &self,
        digest: [u8; 32],
        name: ImageHash,
    ) -> Result<Option<TakenOver>, DatabaseError> {
        let naming = self.0.database.write(move |transaction| {
            let Some(owner) = table::find_source(transaction, &digest)? else {
                return Ok(None);
            };
            Ok::<_, DatabaseError>(Some(match table::named(transaction, name)? {
                Some(image) if image.hash != owner => TakenOver::NameTaken,
                Some(_) => TakenOver::SecondName(owner),
                None => {
                    table::add_alias(transaction, name, owner)?;
                    TakenOver::SecondName(owner)
                }
            }))
        });
        naming.await
    }
}
