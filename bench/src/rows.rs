//! Rows of images that were never uploaded, written straight into the
//! database of a service that does not run.

use std::fs;
use std::path::Path;

use rusqlite::{Connection, params};
use sha2::{Digest as _, Sha256};

use crate::Result;
use crate::service;

/// How many images one entry of the table `shelf` covers. The service splits
/// one in two at twice this, so entries have about this many.
const SEGMENT: usize = 1_000;

/// The time of the first image, in milliseconds, and from each to the next.
const FIRST: i64 = 1_577_836_800_000;
const A_MINUTE: i64 = 60_000;

/// What a row is written for: the digest of the WebP, whose first half is the image's name, and its
/// bytes.
pub(crate) type Stored = ([u8; 32], u32);

/// The name of an image.
pub(crate) fn hash((sha256, _): &Stored) -> String {
    hex::encode(&sha256[..16])
}

/// Makes a data folder with these images as files, and returns them.
pub(crate) async fn with_files(
    data: &Path,
    pictures: impl Iterator<Item = Result<Vec<u8>>>,
) -> Result<Vec<Stored>> {
    let pictures = pictures.collect::<Result<Vec<_>>>()?;
    let stored = |webp: &Vec<u8>| Ok((Sha256::digest(webp).into(), u32::try_from(webp.len())?));
    let images = pictures.iter().map(stored).collect::<Result<Vec<_>>>()?;
    // First the rows: a folder with files and without a database is not opened.
    write(data, &images, 0).await?;
    for (image, webp) in images.iter().zip(pictures) {
        let folder = data.join("images").join(&hash(image)[..2]);
        fs::create_dir_all(&folder)?;
        fs::write(folder.join(hash(image) + ".webp"), webp)?;
    }
    Ok(images)
}

/// Makes a data folder with a row for each image, a minute apart; `place` is 0 for the disk and 1
/// for the object store.
pub(crate) async fn write(data: &Path, images: &[Stored], place: i64) -> Result<()> {
    service::start(data, &[]).await?.stop().await;
    let mut connection = Connection::open(data.join("porchlight.db"))?;
    // After an interruption all of it is made again, so durability is not needed.
    connection.pragma_update(None, "journal_mode", "MEMORY")?;
    connection.pragma_update(None, "synchronous", "OFF")?;
    connection.pragma_update(None, "cache_size", -1_000_000)?;
    let transaction = connection.transaction()?;
    let mut image = transaction.prepare(
        "INSERT INTO image (id, hash, sha256, size, width, height, frames, created_at,
                            source_size, source_format, place)
         VALUES (?1, ?2, ?3, ?5, 1600, 1200, 1, ?4, 400000, 'JPEG', ?6)",
    )?;
    let mut source = transaction.prepare("INSERT INTO source (digest, image) VALUES (?1, ?2)")?;
    let mut page_index =
        transaction.prepare("INSERT INTO shelf (newest, hash, count) VALUES (?1, ?2, ?3)")?;
    let created_at = |number: i64| FIRST + number * A_MINUTE;
    for (number, (sha256, size)) in (0_i64..).zip(images) {
        let name = &sha256[..16];
        image.execute(params![
            number + 1,
            name,
            sha256,
            created_at(number),
            size,
            place
        ])?;
        // What was uploaded to become it; made up from its own digest.
        let digest: [u8; 32] = Sha256::digest(sha256).into();
        source.execute(params![digest, number + 1])?;
    }
    transaction.execute("DELETE FROM shelf", [])?;
    // The list begins with the newest, and its first segment starts before all keys.
    for from in (0..images.len()).step_by(SEGMENT) {
        let newest = images.len() - 1 - from;
        let count = SEGMENT.min(images.len() - from) as i64;
        match from {
            0 => page_index.execute(params![i64::MIN, [0_u8; 0], count])?,
            _ => page_index.execute(params![
                -created_at(newest as i64),
                &images[newest].0[..16],
                count
            ])?,
        };
    }
    drop((image, source, page_index));
    Ok(transaction.commit()?)
}
