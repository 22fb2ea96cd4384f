//! The document of all places, from which the Worker draws the image of a seed as the service does.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap};

use porchlight_api::ImageHash;
use rusqlite::Connection;
use serde::Serialize;

use crate::images::{classes, table as images};

/// An image has up to four places. With more than these the document would be too much work for the
/// Worker, which asks the service then.
const MOST: u32 = if cfg!(test) { 100 } else { 8_000 };

#[derive(Serialize)]
struct Places {
    images: Vec<Drawn>,
    /// By class and place: which of the images; `null` where there is none.
    classes: BTreeMap<String, Vec<Option<usize>>>,
}

/// What an answer to `/random_image` says of an image.
#[derive(Serialize)]
struct Drawn {
    hash: ImageHash,
    width: u32,
    height: u32,
    thumbhash: Option<String>,
}

/// The document; `None` where there are too many places.
pub(super) fn document(connection: &Connection) -> rusqlite::Result<Option<Vec<u8>>> {
    let moment = connection.unchecked_transaction()?;
    let Some(taken) = classes::places(&moment, MOST)? else {
        return Ok(None);
    };
    let mut places = Places {
        images: Vec::new(),
        classes: BTreeMap::new(),
    };
    let mut known = HashMap::new();
    for (class, id) in taken {
        if let Some(id) = id
            && let Entry::Vacant(new) = known.entry(id)
            && let Some(found) = images::numbered(&moment, id)?
        {
            new.insert(places.images.len());
            places.images.push(Drawn {
                hash: found.image.hash,
                width: found.image.width,
                height: found.image.height,
                thumbhash: found.thumbhash(),
            });
        }
        let image = id.and_then(|id| known.get(&id).copied());
        places.classes.entry(class).or_default().push(image);
    }
    let json = serde_json::to_vec(&places).expect("plain data");
    Ok(Some(json))
}
