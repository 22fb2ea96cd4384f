//! The rows of images that are stored again, since their objects were lost.

use porchlight_api::ImageHash;
use rusqlite::{Connection, OptionalExtension as _, Transaction, params};

use super::page_index;
use super::table::{self, NewImage};

/// The image that an upload is: by its source, else by what it became.
pub(super) fn owner(
    connection: &Connection,
    (source, sha256): ([u8; 32], [u8; 32]),
) -> rusqlite::Result<Option<ImageHash>> {
    match table::find_source(connection, &source)? {
        None => table::find_source(connection, &sha256),
        known => Ok(known),
    }
}

/// The image has other bytes now: those of another quality, as one has that is uploaded today. Its
/// name, its time and where it is stay.
pub(super) fn renew(transaction: &Transaction<'_>, new: &NewImage) -> rusqlite::Result<()> {
    let image = &new.image;
    let Some(before) = table::find(transaction, image.hash)? else {
        return Ok(());
    };
    transaction
        .prepare_cached(
            "UPDATE image SET sha256 = ?2, size = ?3, width = ?4, height = ?5, frames = ?6,
                              colour = ?7, thumbhash = ?8
             WHERE hash = ?1",
        )?
        .execute(params![
            image.hash.as_bytes(),
            new.sha256,
            image.size.cast_signed(),
            image.width,
            image.height,
            new.frames,
            new.preview.as_ref().map(|preview| preview.colour),
            new.preview.as_ref().map(|preview| &preview.thumbhash),
        ])?;
    table::add_source(transaction, &new.source_digest, image.hash)?;
    // The snapshot has its width and height.
    page_index::removed(transaction, &before)?;
    page_index::added(transaction, image)
}

/// Makes the image `lost` a second name of another one that has these stored bytes, with its names
/// and sources; whether there is one.
pub(super) fn merge(
    transaction: &Transaction<'_>,
    lost: ImageHash,
    sha256: &[u8; 32],
) -> rusqlite::Result<bool> {
    let other = transaction
        .prepare_cached("SELECT hash FROM image WHERE sha256 = ?1 AND hash <> ?2")?
        .query_row(params![sha256, lost.as_bytes()], |row| row.get(0))
        .optional()?;
    let Some(other) = other.map(ImageHash::from_bytes) else {
        return Ok(false);
    };
    for query in [
        "UPDATE alias SET image = (SELECT id FROM image WHERE hash = ?2)
         WHERE image = (SELECT id FROM image WHERE hash = ?1)",
        "UPDATE source SET image = (SELECT id FROM image WHERE hash = ?2)
         WHERE image = (SELECT id FROM image WHERE hash = ?1)",
        "UPDATE OR IGNORE image_name SET image = (SELECT id FROM image WHERE hash = ?2)
         WHERE image = (SELECT id FROM image WHERE hash = ?1)",
    ] {
        transaction
            .prepare_cached(query)?
            .execute([lost.as_bytes(), other.as_bytes()])?;
    }
    let in_album = transaction
        .prepare_cached(
            "UPDATE image SET album = (SELECT album FROM image WHERE hash = ?1)
             WHERE hash = ?2 AND album IS NULL
                 AND (SELECT album FROM image WHERE hash = ?1) IS NOT NULL
             RETURNING newest",
        )?
        .query_row([lost.as_bytes(), other.as_bytes()], |row| {
            row.get::<_, i64>(0)
        })
        .optional()?;
    if let Some(newest) = in_album {
        page_index::changed(transaction, (newest, other.as_bytes()))?;
    }
    table::delete(transaction, lost)?;
    table::add_alias(transaction, lost, other)?;
    Ok(true)
}

#[cfg(test)]
mod tests {
    use porchlight_api::Timestamp;

    use super::*;
    use crate::database::DatabaseError;
    use crate::images::table::StoredImage;
    use crate::storage::StorageKind;

    fn image(number: u8, album: Option<&str>) -> NewImage {
        NewImage {
            image: StoredImage {
                hash: ImageHash::from_bytes([number; 16]),
                size: 1,
                width: 1,
                height: 1,
                created_at: Timestamp::from_millis(number.into()),
                place: StorageKind::Disk,
            },
            sha256: [number; 32],
            frames: 1,
            source_digest: [number; 32],
            source_size: 1,
            source_format: "PNG".into(),
            name: None,
            preview: None,
            album: album.map(str::to_owned),
        }
    }

    /// How many of two pages are written again when an image of this album becomes a second name of
    /// one on the other page, and that one's album then.
    async fn merged(album: Option<&'static str>) -> (i64, Option<String>) {
        let folder = tempfile::tempdir().expect("a folder");
        let database = crate::schema::open(&folder.path().join("porchlight.db")).await;
        let database = database.expect("a database");
        let (other, lost) = (image(1, None), image(10, album));
        let survivor = other.image.hash;
        let written = database.write(move |transaction| {
            table::insert(transaction, &other)?;
            for number in 2..10 {
                table::insert(transaction, &image(number, None))?;
            }
            table::insert(transaction, &lost)?;
            let pages = transaction.execute("UPDATE shelf SET published = 'a'", [])?;
            assert_eq!(pages, 2);
            assert!(merge(transaction, lost.image.hash, &other.sha256)?);
            let unpublished = "SELECT count(*) FROM shelf WHERE published IS NULL";
            let album = "SELECT album FROM image WHERE hash = ?1";
            let by_hash = [survivor.as_bytes()];
            Ok::<_, DatabaseError>((
                transaction.query_row(unpublished, [], |row| row.get(0))?,
                transaction.query_row(album, by_hash, |row| row.get(0))?,
            ))
        });
        written.await.expect("merged")
    }

    #[tokio::test]
    async fn the_page_of_an_image_that_gets_the_album_of_a_lost_one_is_written_again() {
        let album = Some("Trips");
        assert_eq!(merged(album).await, (2, album.map(str::to_owned)));
        assert_eq!(merged(None).await, (1, None));
    }
}
