//! Rows of images that were never uploaded, written straight into the
//! database of a service that does not run.

use std::fs;
use std::io::Cursor;
use std::path::Path;

use anyhow::Result;
use image::{ImageFormat, RgbImage};
use rand::Rng as _;
use rand::rngs::StdRng;
use rusqlite::{Connection, params};
use sha2::{Digest as _, Sha256};

use crate::service;

/// The time of the first image, in milliseconds, and from each to the next.
const FIRST: i64 = 1_577_836_800_000;
const A_MINUTE: i64 = 60_000;

/// The album that each so many images are in.
pub(crate) const ALBUM: &str = "Travel";
pub(crate) const OF_ALBUM: i64 = 8;

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
    write(data, &images, true).await?;
    for (image, webp) in images.iter().zip(pictures) {
        let folder = data.join("images").join(&hash(image)[..2]);
        fs::create_dir_all(&folder)?;
        fs::write(folder.join(hash(image) + ".webp"), webp)?;
    }
    Ok(images)
}

/// Makes a data folder with a row for each image, a minute apart. Of those without files the service
/// makes no previews.
pub(crate) async fn write(data: &Path, images: &[Stored], with_files: bool) -> Result<()> {
    service::start(data).await?.stop().await;
    let mut connection = Connection::open(data.join("porchlight.db"))?;
    // After an interruption all of it is made again, so durability is not needed.
    connection.pragma_update(None, "synchronous", "OFF")?;
    let transaction = connection.transaction()?;
    let mut image = transaction.prepare(
        "INSERT INTO image (id, hash, sha256, size, width, height, frames, created_at,
                            source_size, source_format, thumbhash, album)
         VALUES (?1, ?2, ?3, ?4, 1600, 1200, 1, ?5, 400000, 'JPEG', ?6, ?7)",
    )?;
    let mut source = transaction.prepare("INSERT INTO source (digest, image) VALUES (?1, ?2)")?;
    let no_preview = (!with_files).then_some([0_u8; 0]);
    for (id, (sha256, size)) in (1_i64..).zip(images) {
        let (name, created_at) = (&sha256[..16], FIRST + id * A_MINUTE);
        let album = (id % OF_ALBUM == 0).then_some(ALBUM);
        image.execute(params![
            id, name, sha256, size, created_at, no_preview, album
        ])?;
        // What was uploaded to become it; made up from its own digest.
        let digest: [u8; 32] = Sha256::digest(sha256).into();
        source.execute(params![digest, id])?;
    }
    drop((image, source));
    Ok(transaction.commit()?)
}

/// A WebP that no other is like.
pub(crate) fn noise(rng: &mut StdRng, width: u32, height: u32) -> Result<Vec<u8>> {
    let mut pixels = RgbImage::new(width, height);
    rng.fill_bytes(&mut pixels);
    webp(&pixels)
}

/// The file of an image, without loss.
pub(crate) fn webp(pixels: &RgbImage) -> Result<Vec<u8>> {
    let mut file = Cursor::new(Vec::new());
    pixels.write_to(&mut file, ImageFormat::WebP)?;
    Ok(file.into_inner())
}
