//! The list of another server, page by page.
//!
//! It may change while it is read: a new image shifts the others forward, so
//! that one comes twice, and a deleted one shifts them back, so that one is
//! skipped. So its first page is read again at the end, and if it has changed,
//! the list is read again.

use std::collections::HashSet;

use serde_json::Value;
use sha2::{Digest as _, Sha256};

use super::dates;
use super::source::{Refusal, Source};
use crate::clock::timestamp::Timestamp;
use crate::error::message::Message;
use crate::text::image_hash::ImageHash;

/// The most images of a list; a longer one counts as endless.
const MOST: usize = 2_000_000;
/// How often a list that changes is read.
const PASSES: u32 = 5;
/// How much of an invalid name is shown, in characters.
const SHOWN: usize = 80;

/// An image on the list.
#[derive(Debug, Clone, Copy)]
pub(super) struct Item {
    pub(super) hash: ImageHash,
    pub(super) created_at: Option<Timestamp>,
}

/// All that is on the list.
#[derive(Default)]
pub(super) struct Listed {
    pub(super) images: Vec<Item>,
    /// Entries with invalid names.
    pub(super) unnamed: Vec<String>,
    /// Why there may be more.
    pub(super) incomplete: Option<Message>,
}

/// A page, as it was sent.
struct Page {
    rows: Vec<Row>,
    total: Option<u64>,
}

struct Row {
    /// The name, or a checksum in its place.
    key: ImageHash,
    name: Result<ImageHash, String>,
    created_at: Value,
}

/// Reads the whole list.
///
/// # Errors
/// When not even its first page can be read; the reason.
pub(super) async fn read(source: &Source) -> Result<Listed, Message> {
    let now = Timestamp::now();
    let (mut listed, mut known) = (Listed::default(), HashSet::new());
    let mut next = page(source, 1).await.map_err(|refusal| refusal.why)?;
    for pass in 1..=PASSES {
        let known_before = known.len();
        let first_total = next.total;
        let mut number = 1;
        let mut first_keys = None;
        let mut seen = HashSet::new();
        loop {
            let keys: Vec<ImageHash> = next.rows.iter().map(|row| row.key).collect();
            // Past the end some give nothing, and others the last page again.
            let brings_more = keys.iter().any(|key| !seen.contains(key));
            seen.extend(keys.iter().copied());
            first_keys.get_or_insert(keys);
            for row in next.rows {
                if !known.insert(row.key) {
                    continue;
                }
                match row.name {
                    Ok(hash) => listed.images.push(Item {
                        hash,
                        created_at: dates::read(&row.created_at, now),
                    }),
                    Err(name) => listed.unnamed.push(name),
                }
            }
            if known.len() > MOST {
                listed.incomplete = Some(crate::detail!(
                    "it has more than {most} pictures, or no end",
                    most = MOST
                ));
                return Ok(listed);
            }
            if !brings_more {
                break;
            }
            number += 1;
            next = match page(source, number).await {
                Ok(next) => next,
                // Others answer that there is no such page.
                Err(refusal) if refusal.means_no_such_page() => break,
                Err(refusal) => {
                    listed.incomplete =
                        Some(crate::detail!("page {number}: {why}", why = refusal.why));
                    return Ok(listed);
                }
            };
        }
        next = match page(source, 1).await {
            Ok(again) => again,
            Err(refusal) => {
                listed.incomplete = Some(crate::detail!(
                    "page {number}: {why}",
                    number = 1_u64,
                    why = refusal.why
                ));
                return Ok(listed);
            }
        };
        let keys: Vec<ImageHash> = next.rows.iter().map(|row| row.key).collect();
        let mut is_as_it_was = next.total == first_total && Some(keys) == first_keys;
        let shown = known.len() as u64;
        match next.total {
            Some(total) if total == shown => {}
            Some(total) if total > shown && is_as_it_was => {
                listed.incomplete = Some(crate::detail!(
                    "it counts {total} pictures and shows {shown}"
                ));
                return Ok(listed);
            }
            // The list has no count of images (some servers count pages here), so a removal from a
            // later page is found only by a second pass.
            _ => is_as_it_was &= pass > 1 && known.len() == known_before,
        }
        if is_as_it_was {
            return Ok(listed);
        }
    }
    listed.incomplete = Some(crate::detail!("it changes while it is read"));
    Ok(listed)
}

async fn page(source: &Source, number: u64) -> Result<Page, Refusal> {
    let mut retries = source.retries();
    loop {
        let path = format!("/images/list?page={number}&limit=100");
        let refusal = match source.json(&path).await {
            Ok(body) => return parsed(&body),
            Err(refusal) => refusal,
        };
        if !retries.wait(&refusal).await {
            return Err(refusal);
        }
    }
}

fn parsed(body: &Value) -> Result<Page, Refusal> {
    let rows = body["images"].as_array();
    let rows = rows.ok_or_else(|| {
        Refusal::for_good(crate::detail!(
            "it answers with something that is no list of pictures"
        ))
    })?;
    let row = |row: &Value| {
        let text = row["hash"].as_str().unwrap_or_default();
        let name: Result<ImageHash, String> = text.parse().map_err(|_| {
            let shown = match &row["hash"] {
                Value::String(text) => text.clone(),
                other => other.to_string(),
            };
            shown.chars().take(SHOWN).collect()
        });
        let stands_for_it = || ImageHash::of_sha256(&Sha256::digest(text).into());
        Row {
            key: *name.as_ref().unwrap_or(&stands_for_it()),
            name,
            created_at: row["createdAt"].clone(),
        }
    };
    Ok(Page {
        rows: rows.iter().map(row).collect(),
        total: body["pagination"]["total"].as_u64(),
    })
}
