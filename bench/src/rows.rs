//! Rows of images that were never uploaded, written straight into the
//! database of a service that does not run.

use std::path::Path;

use rusqlite::{Connection, params};
use sha2::{Digest as _, Sha256};

use crate::Result;

/// How many images one entry of the table `shelf` covers. The service splits
/// one in two at twice this, so entries have about this many.
const SEGMENT: usize = 1_000;

/// The time of the first image, in milliseconds, and from each to the next.
const FIRST: i64 = 1_577_836_800_000;
const A_MINUTE: i64 = 60_000;

/// The rows that were written, in the order of the list: newest first.
pub(crate) struct Rows(Vec<Row>);

/// The place of a row's object.
#[derive(Clone, Copy)]
pub(crate) enum Place {
    Disk = 0,
    /// What is redirected to.
    ObjectStore = 1,
}

/// What a row is written for.
#[derive(Clone, Copy)]
pub(crate) struct Stored {
    /// Of the WebP; its first half is the image's name.
    pub(crate) sha256: [u8; 32],
    /// Bytes.
    pub(crate) size: u32,
}

/// One of them.
pub(crate) struct Row {
    sha256: [u8; 32],
    created_at: i64,
}

impl Row {
    /// An image's public name: half of its digest.
    pub(crate) fn hash(&self) -> String {
        hex::encode(&self.sha256[..16])
    }

    /// What was uploaded to become it; made up from its own digest.
    pub(crate) fn source(&self) -> [u8; 32] {
        Sha256::digest(self.sha256).into()
    }
}

impl Rows {
    /// Writes a row for each image, a minute apart, into the data folder of a
    /// service that was started there once and then stopped.
    ///
    /// # Errors
    /// When the tables are not the ones that this knows.
    pub(crate) fn write(data_folder: &Path, images: &[Stored], place: Place) -> Result<Self> {
        let mut connection = Connection::open(data_folder.join("porchlight.db"))?;
        // After an interruption all of it is made again, so durability is not
        // needed.
        connection.pragma_update(None, "journal_mode", "MEMORY")?;
        connection.pragma_update(None, "synchronous", "OFF")?;
        connection.pragma_update(None, "cache_size", -1_000_000)?;
        let transaction = connection.transaction()?;
        let mut rows = Vec::with_capacity(images.len());
        {
            let mut image = transaction.prepare(
                "INSERT INTO image (id, hash, sha256, size, width, height, frames, created_at,
                                    slot, source_size, source_format, place)
                 VALUES (?1, ?2, ?3, ?6, 1600, 1200, 1, ?4, ?5, 400000, 'JPEG', ?7)",
            )?;
            let mut source =
                transaction.prepare("INSERT INTO source (digest, image) VALUES (?1, ?2)")?;
            for (slot, &Stored { sha256, size }) in (0_i64..).zip(images) {
                let row = Row {
                    sha256,
                    created_at: FIRST + slot * A_MINUTE,
                };
                image.execute(params![
                    slot + 1,
                    &sha256[..16],
                    sha256,
                    row.created_at,
                    slot,
                    size,
                    place as i64
                ])?;
                source.execute(params![row.source(), slot + 1])?;
                rows.push(row);
            }
        }
        rows.reverse();
        transaction.execute("DELETE FROM shelf", [])?;
        for (place, shelf) in rows.chunks(SEGMENT).enumerate() {
            // The first segment starts before all keys.
            let (newest, hash) = match (place, shelf) {
                (0, _) | (_, []) => (i64::MIN, [].as_slice()),
                (_, [first, ..]) => (-first.created_at, &first.sha256[..16]),
            };
            transaction.execute(
                "INSERT INTO shelf (newest, hash, count) VALUES (?1, ?2, ?3)",
                params![newest, hash, shelf.len() as i64],
            )?;
        }
        transaction.commit()?;
        Ok(Self(rows))
    }

    /// How many there are.
    pub(crate) fn count(&self) -> usize {
        self.0.len()
    }

    /// The row with this many newer ones.
    pub(crate) fn after(&self, newer: usize) -> &Row {
        &self.0[newer]
    }
}
