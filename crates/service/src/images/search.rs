//! The owner's search of the images, by hash, name and time, with details only for
//! the owner, and the most viewed images.

use std::str::FromStr;

use rusqlite::types::Value;
use rusqlite::{OptionalExtension as _, Row, params_from_iter};

use super::row::StoredImage;
use super::{Images, names};
use super::{row, table};
use crate::clock::timestamp::Timestamp;
use crate::db::DatabaseError;
use crate::db::query::Query as _;
use crate::images::window::{ImageDay, ImageFilter, ImageOrder, PictureSpace};
use crate::text::image_hash::ImageHash;

/// Which images are wanted; `None` does not matter.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ImageSearch {
    /// The prefix of its hash or of an alias. With a `name`, one of both suffices.
    pub prefix: Option<HashPrefix>,
    /// A part of what its file was called, or the owner calls it, in any case.
    pub name: Option<String>,
    /// Stored at this time or later.
    pub from: Option<Timestamp>,
    /// Stored before this time.
    pub to: Option<Timestamp>,
    /// What comes first.
    pub order: ImageOrder,
    /// Only these.
    pub only: Option<ImageFilter>,
    /// Only those in this album.
    pub album: Option<String>,
    /// Those that posts use, which [`ImageFilter::InNoPost`] leaves out.
    pub in_posts: Vec<ImageHash>,
}

/// The prefix of an image's name: 1 to 32 hexadecimal digits, of either case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HashPrefix {
    first: ImageHash,
    last: ImageHash,
}

/// Not a prefix of a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the beginning of a hash is 1 to 32 hexadecimal digits")]
pub struct NoPrefix;

impl FromStr for HashPrefix {
    type Err = NoPrefix;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text.is_empty() {
            return Err(NoPrefix);
        }
        let filled = |text: String| text.parse::<ImageHash>().map_err(|_| NoPrefix);
        Ok(Self {
            first: filled(format!("{text:0<32}"))?,
            last: filled(format!("{text:f<32}"))?,
        })
    }
}

/// A stored image with details only for its owner.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImageDetails {
    /// The image.
    pub image: StoredImage,
    /// Bytes of the source.
    pub source_size: u64,
    /// The format of the source, such as `JPEG`.
    pub source_format: String,
    /// Frames; 1 for a still.
    pub frames: u32,
    /// Calls of `/i/{hash}`. Those of the last second may be missing.
    pub views: u64,
    /// What its file was called, or the owner calls it.
    pub name: Option<String>,
    /// Its album.
    pub album: Option<String>,
}

/// Some of the images that are wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundImages {
    /// In the wanted order.
    pub images: Vec<ImageDetails>,
    /// Images that are wanted, in all.
    pub total: u64,
}

impl Images {
    /// Up to `limit` of the images that are wanted, after the first `offset`. An image with several names is found by each, and once.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn search(
        &self,
        wanted: ImageSearch,
        offset: u64,
        limit: u32,
    ) -> Result<FoundImages, DatabaseError> {
        self.0
            .database
            .read(move |connection| {
                // One snapshot of the database, so that the total fits the
                // images.
                let snapshot = connection.unchecked_transaction()?;
                let (conditions, values) = conditions(&wanted);
                let total: i64 = snapshot
                    .prepare_cached(&format!("SELECT count(*) FROM {TABLES} WHERE {conditions}"))?
                    .query_row(params_from_iter(&values), |row| row.get(0))?;
                // Only the images of the page have their details read.
                let (page, values) = page_of("image.id AS id", &wanted, offset, limit);
                let images = snapshot.all(
                    &format!(
                        "SELECT {COLUMNS} FROM ({page}) AS page
                         JOIN image ON image.id = page.id
                         {OF_THE_OWNER}
                         ORDER BY {}",
                        key(wanted.order)
                    ),
                    params_from_iter(&values),
                    details,
                )?;
                Ok(FoundImages {
                    images,
                    total: total.unsigned_abs(),
                })
            })
            .await
    }

    /// The hashes of up to `limit` of the images that are wanted, after the first `offset`, in
    /// their order.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn hashes(
        &self,
        wanted: ImageSearch,
        offset: u64,
        limit: u32,
    ) -> Result<Vec<ImageHash>, DatabaseError> {
        self.0
            .database
            .read(move |connection| {
                let (page, values) = page_of("image.hash", &wanted, offset, limit);
                connection.all(&page, params_from_iter(&values), |row| row.get(0))
            })
            .await
    }

    /// How many of the images that are wanted there are on each day, the newest day first.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn days(&self, wanted: ImageSearch) -> Result<Vec<ImageDay>, DatabaseError> {
        let clock = self.0.clock.clone();
        self.0
            .database
            .read(move |connection| {
                let (conditions, values) = conditions(&wanted);
                let mut times = connection.prepare_cached(&format!(
                    "SELECT created_at FROM {TABLES} WHERE {conditions} ORDER BY newest"
                ))?;
                let mut times = times.query(params_from_iter(&values))?;
                let mut days: Vec<ImageDay> = Vec::new();
                let mut begins = i64::MAX;
                while let Some(row) = times.next()? {
                    let at: i64 = row.get(0)?;
                    match days.last_mut() {
                        Some(day) if at >= begins => day.count += 1,
                        _ => {
                            begins = clock.day_of(Timestamp::from_millis(at)).from.as_millis();
                            days.push(ImageDay { at, count: 1 });
                        }
                    }
                }
                Ok(days)
            })
            .await
    }

    /// The most viewed images of a range of days, at most `limit`, each with
    /// its views on these days; images without views are not among them. Views
    /// of the last second may be missing.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn most_viewed(
        &self,
        from: Timestamp,
        to: Timestamp,
        limit: u32,
    ) -> Result<Vec<(ImageDetails, u64)>, DatabaseError> {
        let [first, last] = self.0.clock.days_between(from, to);
        self.0
            .database
            .read(move |connection| {
                connection.all(&format!(
                        "SELECT {COLUMNS}, most.views FROM
                             (SELECT what, sum(n) AS views FROM count
                              WHERE hour BETWEEN max(0, ?1 * 24) AND ?2 * 24 AND typeof(what) = 'blob'
                              GROUP BY what) AS most
                         JOIN image ON image.hash = most.what
                         {OF_THE_OWNER}
                         ORDER BY most.views DESC, most.what LIMIT ?3"
                    ), [first, last, limit.into()], |row| {
                        Ok((details(row)?, row.get::<_, i64>(12)?.unsigned_abs()))
                    })
            })
            .await
    }

    /// How many images there are, and how large they and their sources are.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn space(&self) -> Result<PictureSpace, DatabaseError> {
        self.0.database.read(table::space).await
    }

    /// Those of these images that exist, by any of their names, in the
    /// requested order.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn named(&self, names: Vec<ImageHash>) -> Result<Vec<ImageDetails>, DatabaseError> {
        self.0
            .database
            .read(move |connection| {
                let snapshot = connection.unchecked_transaction()?;
                let mut select = snapshot.prepare_cached(&format!(
                    "SELECT {COLUMNS} FROM image {OF_THE_OWNER} WHERE image.hash = ?1"
                ))?;
                let found = names.iter().map(|name| {
                    let Some(image) = table::named(&snapshot, *name)? else {
                        return Ok(None);
                    };
                    select.query_row([image.hash], details).optional()
                });
                found.filter_map(Result::transpose).collect()
            })
            .await
    }
}

/// A condition for those that are wanted, on [`TABLES`], with its values.
fn conditions(wanted: &ImageSearch) -> (String, Vec<Value>) {
    let (mut all, mut values) = (vec!["true".to_owned()], Vec::new());
    let mut value = |value: Value| {
        values.push(value);
        format!("?{}", values.len())
    };
    let mut of_text = Vec::new();
    if let Some(HashPrefix { first, last }) = wanted.prefix {
        let [first, last] = [first, last].map(|end| value(end.as_bytes().to_vec().into()));
        let range = format!("hash BETWEEN {first} AND {last}");
        of_text.push(format!("image.{range}"));
        of_text.push(format!(
            "image.id IN (SELECT image FROM alias WHERE {range})"
        ));
    }
    if let Some(name) = &wanted.name {
        let name = value(names::folded(name).into());
        of_text.push(format!("instr(image_name.folded, {name}) > 0"));
    }
    if !of_text.is_empty() {
        all.push(format!("({})", of_text.join(" OR ")));
    }
    if let Some(from) = wanted.from {
        all.push(format!(
            "newest <= {}",
            value(from.as_millis().saturating_neg().into())
        ));
    }
    if let Some(to) = wanted.to {
        all.push(format!(
            "newest > {}",
            value(to.as_millis().saturating_neg().into())
        ));
    }
    if let Some(album) = &wanted.album {
        all.push(format!("album = {}", value(album.clone().into())));
    }
    all.extend(wanted.only.map(|only| match only {
        ImageFilter::Animated => "frames > 1".to_owned(),
        ImageFilter::Unnamed => "image_name.name IS NULL".to_owned(),
        ImageFilter::Unseen => "coalesce(viewed.n, 0) = 0".to_owned(),
        ImageFilter::InNoPost => {
            let used = wanted.in_posts.iter().map(|hash| format!("\"{hash}\""));
            let used = value(format!("[{}]", used.collect::<Vec<_>>().join(",")).into());
            format!("image.hash NOT IN (SELECT unhex(value) FROM json_each({used}))")
        }
    }));
    (all.join(" AND "), values)
}

/// A query for a column of those that are wanted, sorted, with its values.
fn page_of(column: &str, wanted: &ImageSearch, offset: u64, limit: u32) -> (String, Vec<Value>) {
    let (conditions, mut values) = conditions(wanted);
    let next = values.len() + 1;
    values.push(limit.into());
    values.push(i64::try_from(offset).unwrap_or(i64::MAX).into());
    let query = format!(
        "SELECT {column} FROM {TABLES} WHERE {conditions} ORDER BY {} LIMIT ?{next} OFFSET ?{}",
        key(wanted.order),
        next + 1
    );
    (query, values)
}

/// What an order sorts by.
fn key(order: ImageOrder) -> &'static str {
    match order {
        ImageOrder::Newest => "image.newest, image.hash",
        ImageOrder::Oldest => "image.newest DESC, image.hash DESC",
        ImageOrder::Name => {
            "image_name.folded IS NULL, image_name.folded, image.newest, image.hash"
        }
        ImageOrder::Largest => "image.size DESC, image.newest, image.hash",
        ImageOrder::Views => "coalesce(viewed.n, 0) DESC, image.newest, image.hash",
    }
}

const COLUMNS: &str = "image.hash, image.size, image.width, image.height, image.created_at, \
     image.place, image.source_size, image.source_format, image.frames, viewed.n, image_name.name, \
     image.album";

/// Joins the tables with details only for the owner; of the counts (`stats::table`) those that never
/// end.
const OF_THE_OWNER: &str = "LEFT JOIN count AS viewed ON viewed.hour = -1 AND viewed.what = image.hash \
     LEFT JOIN image_name ON image_name.image = image.id";

/// Images with what a condition or an order may name. SQLite leaves out what neither does.
const TABLES: &str = "image LEFT JOIN count AS viewed ON viewed.hour = -1 AND viewed.what = image.hash \
     LEFT JOIN image_name ON image_name.image = image.id";

fn details(row: &Row<'_>) -> rusqlite::Result<ImageDetails> {
    Ok(ImageDetails {
        image: row::stored(row)?,
        source_size: row.get::<_, i64>(6)?.unsigned_abs(),
        source_format: row.get(7)?,
        frames: row.get(8)?,
        views: row.get::<_, Option<i64>>(9)?.unwrap_or(0).unsigned_abs(),
        name: row.get(10)?,
        album: row.get(11)?,
    })
}

#[cfg(test)]
mod tests;
