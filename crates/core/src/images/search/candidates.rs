//! Which images are wanted, as SQL.

use porchlight_api::window::ImageFilter;
use porchlight_api::{ImageHash, Timestamp};
use rusqlite::types::Value;

use super::{ImageSearch, OF_THE_OWNER};
use crate::images::names;

/// Those of a query for candidates, with these values, that are left by a filter and in an album,
/// with the same columns.
pub(super) fn only_these(found: &str, wanted: &ImageSearch, values: &mut Vec<Value>) -> String {
    let mut conditions = Vec::new();
    conditions.extend(wanted.only.map(|only| match only {
        ImageFilter::Animated => "image.frames > 1".to_owned(),
        ImageFilter::Unnamed => "image_name.name IS NULL".to_owned(),
        ImageFilter::Unseen => "coalesce(image_view.count, 0) = 0".to_owned(),
    }));
    if let Some(album) = &wanted.album {
        values.push(album.clone().into());
        conditions.push(format!("image.album = ?{}", values.len()));
    }
    if conditions.is_empty() {
        return found.to_owned();
    }
    let condition = conditions.join(" AND ");
    format!(
        "SELECT image.id AS id, image.newest AS newest, image.hash AS hash
         FROM ({found}) AS found JOIN image ON image.id = found.id {OF_THE_OWNER} WHERE {condition}"
    )
}

/// A query for the id, `newest` and hash of those that have the hash, the name and the time that
/// are wanted, with its values.
pub(super) fn candidates(wanted: &ImageSearch) -> (String, Vec<Value>) {
    let (after, until) = newest_between(wanted);
    let times = [after.unwrap_or(i64::MIN), until.unwrap_or(i64::MAX)];
    if wanted.prefix.is_none() && wanted.name.is_none() {
        return (IN_TIME.to_owned(), times.map(Value::from).to_vec());
    }
    // A single digit is that of each sixteenth image. These are sooner met on a
    // walk along the list than fetched and sorted.
    let (first, last, by_hash) = match &wanted.prefix {
        Some(prefix) if prefix.digits == 1 => (prefix.first, prefix.last, ALONG_THE_LIST),
        Some(prefix) => (prefix.first, prefix.last, BY_HASH),
        // None is between these.
        None => {
            let [first, last] = [[0xff; 16], [0; 16]].map(ImageHash::from_bytes);
            (first, last, BY_HASH)
        }
    };
    let mut values: Vec<Value> = vec![
        first.as_bytes().to_vec().into(),
        last.as_bytes().to_vec().into(),
    ];
    values.extend(times.map(Value::from));
    match &wanted.name {
        Some(name) => {
            values.push(names::folded(name).into());
            (format!("{by_hash} UNION {BY_NAME}"), values)
        }
        None => (by_hash.to_owned(), values),
    }
}

/// The wanted range of the column `newest`: after the first and up to the
/// second.
pub(super) fn newest_between(wanted: &ImageSearch) -> (Option<i64>, Option<i64>) {
    let newest = |time: Timestamp| time.as_millis().saturating_neg();
    (wanted.to.map(newest), wanted.from.map(newest))
}

/// Images whose `newest` is over ?1 and up to ?2.
const IN_TIME: &str = "
    SELECT id, newest, hash FROM image WHERE newest > ?1 AND newest <= ?2";
/// Images with a hash or an alias from ?1 to ?2 whose `newest` is over ?3 and up to ?4,
/// each once.
const BY_HASH: &str = "
    SELECT id, newest, hash FROM image
    WHERE hash BETWEEN ?1 AND ?2 AND newest > ?3 AND newest <= ?4
    UNION
    SELECT image.id, newest, image.hash FROM alias JOIN image ON image.id = alias.image
    WHERE alias.hash BETWEEN ?1 AND ?2 AND newest > ?3 AND newest <= ?4";
/// The same.
const ALONG_THE_LIST: &str = "
    SELECT id, newest, hash FROM image INDEXED BY image_in_order
    WHERE newest > ?3 AND newest <= ?4
        AND (hash BETWEEN ?1 AND ?2
            OR id IN (SELECT image FROM alias WHERE hash BETWEEN ?1 AND ?2))";
/// Images with ?5 in what they are called, with the same `newest`.
const BY_NAME: &str = "
    SELECT id, newest, hash FROM image_name JOIN image ON image.id = image_name.image
    WHERE instr(folded, ?5) > 0 AND newest > ?3 AND newest <= ?4";
