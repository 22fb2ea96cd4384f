//! The document of all places, from which the Worker draws the image of a seed as the service does.

use rusqlite::Transaction;
use serde::Serialize;

use crate::images::classes;

/// An image has up to four places. With more than these the document would be too much work for the
/// Worker, which asks the service then.
const MOST: u32 = if cfg!(test) { 100 } else { 80_000 };

#[derive(Serialize)]
struct Places {
    positions: classes::Places,
}

/// The document; `None` where there are too many places.
pub(super) fn document(moment: &Transaction<'_>) -> rusqlite::Result<Option<Vec<u8>>> {
    let places = classes::places(moment, MOST)?.map(|positions| Places { positions });
    Ok(places.map(|places| serde_json::to_vec(&places).expect("plain data")))
}
