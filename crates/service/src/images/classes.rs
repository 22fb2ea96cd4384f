//! The classes of images that a random one is drawn from: all, those of an orientation, those of an
//! album, or of both.

use std::str::FromStr;

use rusqlite::{Connection, params_from_iter};
use sha2::{Digest as _, Sha256};

use super::row::{LISTED, ListedImage, listed};
use crate::db::query::Query as _;

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
    /// A condition on `image`, with its values.
    fn condition(&self) -> (&'static str, Vec<rusqlite::types::Value>) {
        let orientation = self.orientation.map(|orientation| match orientation {
            Orientation::Landscape => "l".to_owned(),
            Orientation::Portrait => "p".to_owned(),
            Orientation::Square => "s".to_owned(),
        });
        let condition = match (&orientation, &self.album) {
            (None, None) => "true",
            (Some(_), None) => "orientation = ?1",
            (None, Some(_)) => "album = ?1",
            (Some(_), Some(_)) => "orientation = ?1 AND album = ?2",
        };
        let values = orientation.into_iter().chain(self.album.clone());
        (condition, values.map(Into::into).collect())
    }

    /// How many images are in it.
    pub(super) fn count(&self, connection: &Connection) -> rusqlite::Result<u64> {
        let (condition, values) = self.condition();
        let count = format!("SELECT count(*) FROM image WHERE {condition}");
        connection
            .prepare_cached(&count)?
            .query_row(params_from_iter(values), |row| row.get::<_, i64>(0))
            .map(i64::unsigned_abs)
    }

    /// One of its images, each equally likely; `None` where it has none.
    pub(super) fn draw(&self, connection: &Connection) -> rusqlite::Result<Option<ListedImage>> {
        let count = self.count(connection)?;
        if count == 0 {
            return Ok(None);
        }
        let (condition, mut values) = self.condition();
        values.push(rand::random_range(0..count).cast_signed().into());
        // Found in an index alone: what lies before it is not read.
        let one = format!(
            "SELECT {LISTED} FROM image WHERE id =
                 (SELECT id FROM image WHERE {condition} LIMIT 1 OFFSET ?{})",
            values.len()
        );
        connection.first(&one, params_from_iter(values), listed)
    }

    /// The image of a seed: the first one whose hash is at or after the first 16 bytes of the seed's
    /// SHA-256, or the first of all. An added image only takes seeds that lie before it. The Worker draws
    /// by the same rule.
    pub(super) fn of_seed(
        &self,
        connection: &Connection,
        seed: &str,
    ) -> rusqlite::Result<Option<ListedImage>> {
        let digest = Sha256::digest(seed);
        for from in [&digest[..16], &[0; 16]] {
            let (condition, mut values) = self.condition();
            values.push(from.to_vec().into());
            let first = format!(
                "SELECT {LISTED} FROM image WHERE {condition} AND hash >= ?{} ORDER BY hash LIMIT 1",
                values.len()
            );
            let found = connection.first(&first, params_from_iter(values), listed)?;
            if found.is_some() {
                return Ok(found);
            }
        }
        Ok(None)
    }
}

#[cfg(test)]
mod tests;
