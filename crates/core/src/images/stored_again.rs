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
        "UPDATE image SET album = (SELECT album FROM image WHERE hash = ?1)
         WHERE hash = ?2 AND album IS NULL",
    ] {
        transaction
            .prepare_cached(query)?
            .execute([lost.as_bytes(), other.as_bytes()])?;
    }
    table::delete(transaction, lost)?;
    table::add_alias(transaction, lost, other)?;
    Ok(true)
}
