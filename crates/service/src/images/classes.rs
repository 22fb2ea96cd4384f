//! The classes of images that a random one is drawn from: all, those of an orientation, those of an
//! album, or of both.
//!
//! Each class numbers its images by places. A draw tries the places that its key names, one after
//! another, and takes the first one with an image: each image is as likely as the others. An image
//! keeps its place, and a new one gets a free place or the next. So a key, be it random or a seed's,
//! loses its image only when that is removed, or to a new one: one key of as many as there are images.
//! `edge/worker.js` draws for seeds by the same rule.

use std::collections::BTreeMap;
use std::str::FromStr;

use rusqlite::{Connection, OptionalExtension as _, params};
use sha2::{Digest as _, Sha256};

/// Frees the places that an image has in classes it is not in any more. A class without images is
/// forgotten.
macro_rules! leave {
    () => {
        "UPDATE image_place SET image = NULL
         WHERE image = old.id
             AND class IN ('*', old.orientation, '*/' || old.album,
                           old.orientation || '/' || old.album)
             AND class NOT IN (SELECT class FROM image_class WHERE image = old.id);
         DELETE FROM image_place WHERE class IN (
             SELECT value
             FROM json_each(json_array('*', old.orientation, '*/' || old.album,
                                       old.orientation || '/' || old.album))
             WHERE NOT EXISTS (SELECT 1 FROM image_place AS taken
                               WHERE taken.class = value AND taken.image IS NOT NULL));"
    };
}

/// Gives an image a place in each of its classes. Without the named index SQLite would look through all
/// places of a class for a free one.
macro_rules! enter {
    () => {
        "INSERT INTO image_place (class, place, image)
         SELECT class,
             coalesce((SELECT min(place) FROM image_place AS free INDEXED BY image_place_free
                       WHERE free.class = entered.class AND free.image IS NULL),
                      (SELECT max(place) + 1 FROM image_place AS last
                       WHERE last.class = entered.class),
                      0),
             image
         FROM image_class AS entered
         WHERE image = new.id
             AND NOT EXISTS (SELECT 1 FROM image_place AS taken
                             WHERE taken.class = entered.class AND taken.image = new.id)
         ON CONFLICT (class, place) DO UPDATE SET image = excluded.image;"
    };
}

/// `image_place` has a row for each place that a class has ever had: `*` is that of all images, `l`, `p`
/// and `s` are those of an orientation, and `*/cats` is that of the album "cats".
pub(crate) const CREATE: &str = concat!(
    "CREATE VIEW image_class AS
         SELECT id AS image, '*' AS class FROM image
         UNION ALL SELECT id, orientation FROM image
         UNION ALL SELECT id, '*/' || album FROM image WHERE album IS NOT NULL
         UNION ALL SELECT id, orientation || '/' || album FROM image WHERE album IS NOT NULL;
     CREATE TABLE image_place (
         class TEXT NOT NULL,
         place INTEGER NOT NULL,
         image INTEGER,
         PRIMARY KEY (class, place)
     ) STRICT, WITHOUT ROWID;
     CREATE UNIQUE INDEX image_place_taken ON image_place (class, image) WHERE image IS NOT NULL;
     CREATE INDEX image_place_free ON image_place (class, place) WHERE image IS NULL;
     CREATE TRIGGER image_place_added AFTER INSERT ON image BEGIN ",
    enter!(),
    " END;
     CREATE TRIGGER image_place_removed AFTER DELETE ON image BEGIN ",
    leave!(),
    " END;
     CREATE TRIGGER image_place_changed AFTER UPDATE OF width, height, album ON image BEGIN ",
    leave!(),
    enter!(),
    " END;"
);

/// How many places a draw tries. Only where most of them are free does it compare all images then.
const TRIES: u64 = 128;

/// Whether an image is wider than high.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Orientation {
    /// It is wider.
    Landscape,
    /// It is higher.
    Portrait,
    /// Both are the same.
    Square,
}

/// Not the name of an orientation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("an orientation is landscape, portrait or square")]
pub struct NoOrientation;

impl FromStr for Orientation {
    type Err = NoOrientation;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "landscape" => Ok(Self::Landscape),
            "portrait" => Ok(Self::Portrait),
            "square" => Ok(Self::Square),
            _ => Err(NoOrientation),
        }
    }
}

/// A class of images; what is `None` does not matter.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ImageClass {
    /// Those of this orientation.
    pub orientation: Option<Orientation>,
    /// Those in this album.
    pub album: Option<String>,
}

impl ImageClass {
    /// As the tables name it.
    fn name(&self) -> String {
        let orientation = match self.orientation {
            None => "*",
            Some(Orientation::Landscape) => "l",
            Some(Orientation::Portrait) => "p",
            Some(Orientation::Square) => "s",
        };
        match &self.album {
            Some(album) => format!("{orientation}/{album}"),
            None => orientation.to_owned(),
        }
    }

    /// How many images are in it.
    pub(super) fn count(&self, connection: &Connection) -> rusqlite::Result<u64> {
        connection
            .prepare_cached(
                "SELECT count(*) FROM image_place WHERE class = ?1 AND image IS NOT NULL",
            )?
            .query_row([self.name()], |row| row.get::<_, i64>(0))
            .map(i64::unsigned_abs)
    }

    /// The number of the image that this key draws; `None` where there is none.
    pub(super) fn draw(&self, connection: &Connection, key: u64) -> rusqlite::Result<Option<i64>> {
        let class = self.name();
        let places: Option<i64> = connection
            .prepare_cached("SELECT max(place) + 1 FROM image_place WHERE class = ?1")?
            .query_row([&class], |row| row.get(0))?;
        let Some(places) = places else {
            return Ok(None);
        };
        let mut at = connection
            .prepare_cached("SELECT image FROM image_place WHERE class = ?1 AND place = ?2")?;
        for attempt in 0..TRIES {
            let place = bucket(mixed(key, attempt), places);
            let found = at.query_row(params![class, place], |row| row.get(0));
            if let Some(image) = found.optional()?.flatten() {
                return Ok(Some(image));
            }
        }
        let mut all = connection.prepare_cached(
            "SELECT place, image FROM image_place WHERE class = ?1 AND image IS NOT NULL",
        )?;
        let mut all = all.query([&class])?;
        let mut least = None;
        while let Some(row) = all.next()? {
            let (place, image): (i64, i64) = (row.get(0)?, row.get(1)?);
            let value = (mixed(key, TRIES + place.unsigned_abs()), image);
            least = Some(least.map_or(value, |least: (u64, i64)| least.min(value)));
        }
        Ok(least.map(|(_, image)| image))
    }
}

/// By class and place: which image of the whole list, newest first, has it.
pub(crate) type Places = BTreeMap<String, Vec<Option<u32>>>;

/// All places; `None` where there are more than `most`.
pub(crate) fn places(connection: &Connection, most: u32) -> rusqlite::Result<Option<Places>> {
    let count = "SELECT count(*) FROM (SELECT 1 FROM image_place LIMIT ?1)";
    let some: i64 = connection.query_row(count, [i64::from(most) + 1], |row| row.get(0))?;
    if some > i64::from(most) {
        return Ok(None);
    }
    let mut all = connection.prepare_cached(
        "WITH listed AS MATERIALIZED (
             SELECT id, row_number() OVER (ORDER BY newest, hash) - 1 AS position FROM image)
         SELECT class, position FROM image_place LEFT JOIN listed ON listed.id = image_place.image
         ORDER BY class, place",
    )?;
    let mut all = all.query([])?;
    let mut places = Places::new();
    while let Some(row) = all.next()? {
        places.entry(row.get(0)?).or_default().push(row.get(1)?);
    }
    Ok(Some(places))
}

/// The key of a seed.
pub(super) fn key_of(seed: &str) -> u64 {
    let digest = Sha256::digest(seed);
    digest
        .iter()
        .take(8)
        .fold(0, |key, byte| key << 8 | u64::from(*byte))
}

/// One of the values that a key has, which look independent of each other (SplitMix64).
fn mixed(key: u64, number: u64) -> u64 {
    let step = number.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mut value = key.wrapping_add(step);
    value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}

/// One of so many places for a key. Where there is one more, each key stays or goes to the new one:
/// jump consistent hashing (Lamping and Veach, 2014).
fn bucket(mut key: u64, places: i64) -> i64 {
    let (mut place, mut next) = (0, 0);
    while next < places {
        place = next;
        key = key.wrapping_mul(2_862_933_555_777_941_757).wrapping_add(1);
        let share = (1_i64 << 31) as f64 / ((key >> 33) + 1) as f64;
        next = ((place + 1) as f64 * share) as i64;
    }
    place
}

#[cfg(test)]
mod tests;
