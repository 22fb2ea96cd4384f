//! Reads all posts of a folder and finds out where each address in them leads.

use std::collections::HashSet;
use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use sha2::{Digest as _, Sha256};
use url::Url;

use super::address::{Address, Context};
use super::post;
use super::reference::{LeftFile, Place, Reference, Report, Target};
use super::site::{Site, is_picture};
use crate::db::DatabaseError;
use crate::error::message::Message;
use crate::images::{ImageSearch, Images};
use crate::text::image_hash::ImageHash;

/// The longest post that is read, in bytes.
const LONGEST_POST: u64 = 16 * 1024 * 1024;
/// How many of the pictures here are read at once.
const AT_ONCE: u32 = 10_000;

/// Reads a folder; `own` are the addresses of this Porchlight. Blocks.
///
/// # Errors
/// When the folder cannot be read, or is no blog by its size.
pub(super) fn scan(folder: &Path, own: &[String]) -> Result<(Site, Report), Message> {
    let mut site = Site::read(folder)?;
    let mut report = Report {
        unread: std::mem::take(&mut site.unread),
        ..Report::default()
    };
    for (file, kind) in &site.posts {
        let text = match text_of(&site.path(file)) {
            Ok(text) => text,
            Err(why) => {
                report.unread.push(LeftFile::new(file, why));
                continue;
            }
        };
        let scanned = post::scan(&text, *kind);
        if let Some(why) = scanned.unread {
            let why =
                crate::detail!("its front matter is left as it is, since it cannot be read: {why}");
            report.unread.push(LeftFile::new(file, why));
        }
        report.posts += 1;
        let draft = scanned.draft || file.split('/').any(|part| part == "_drafts");
        let post = Sha256::digest(&text).into();
        let (mut line, mut counted) = (1, 0);
        for written in scanned.addresses {
            let before = &text[counted..written.range.start];
            line += u32::try_from(before.matches('\n').count()).unwrap_or(0);
            counted = written.range.start;
            let file = file.clone();
            report
                .references
                .extend(target(&site, &file, &written, own).map(|target| Reference {
                    place: Place { file, line },
                    address: written.address.clone(),
                    target,
                    draft,
                    written,
                    post,
                }));
        }
    }
    Ok((site, report))
}

/// The text of a post.
///
/// # Errors
/// When it cannot be read, is longer than 16 MiB, or is not UTF-8.
pub(super) fn text_of(file: &Path) -> Result<String, Message> {
    let mut bytes = Vec::new();
    let opened = File::open(file)?;
    opened.take(LONGEST_POST + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > LONGEST_POST {
        return Err(crate::detail!(
            "it is longer than 16 MiB, and is left as it is"
        ));
    }
    String::from_utf8(bytes).map_err(|_| {
        crate::detail!("its text is not UTF-8, and is left as it is: save it as UTF-8 first")
    })
}

/// Where an address leads; `None` where it leads to no picture.
fn target(site: &Site, post: &str, found: &Address, own: &[String]) -> Option<Target> {
    let address = found.address.trim();
    let is_of_a_template = ["{{", "{%", "${", "<%"]
        .iter()
        .any(|tag| address.contains(tag));
    // An expression of JSX is in braces.
    if address.is_empty() || address.starts_with(['#', '{']) || is_of_a_template {
        return None;
    }
    let web = match address.starts_with("//") {
        true => format!("https:{address}"),
        false => address.to_owned(),
    };
    match Url::parse(&web) {
        Ok(url) if matches!(url.scheme(), "http" | "https") => on_the_web(&url, found, own),
        // One letter is a drive of Windows.
        Ok(url) if url.scheme() != "file" && url.scheme().len() > 1 => None,
        _ => site.target(post, found),
    }
}

fn on_the_web(url: &Url, found: &Address, own: &[String]) -> Option<Target> {
    let is_own = own.iter().any(|own| {
        let rest = url.as_str().strip_prefix(own.as_str());
        rest.is_some_and(|rest| rest.starts_with('/'))
    });
    let hash = hash_in(url);
    if is_own && let Some(hash) = hash {
        return Some(Target::Ours { hash, known: false });
    }
    let is_meant = found.context == Context::Picture || is_picture(url.path()) || hash.is_some();
    let host = url.host_str()?;
    let host = url
        .port()
        .map_or(host.to_owned(), |port| format!("{host}:{port}"));
    let url = url.to_string();
    is_meant.then_some(Target::Foreign { host, url })
}

/// The hash in `/i/{hash}`, `/i/{hash}/{name}.webp` or `/images/{hash}`, below any path.
fn hash_in(url: &Url) -> Option<ImageHash> {
    let parts: Vec<&str> = url.path_segments()?.collect();
    let pairs = parts.windows(2).zip((0..parts.len()).rev());
    let mut hashes = pairs.filter_map(|(pair, after)| {
        let is_image = pair[0] == "i" && after <= 2 || pair[0] == "images" && after == 1;
        is_image
            .then(|| ImageHash::from_path(pair[1]).ok())
            .flatten()
    });
    hashes.next()
}

/// Finds out which of the pictures are stored here, also where they have the address of another time, and
/// which pictures no post uses.
///
/// # Errors
/// When the database fails.
pub(super) async fn look_up(
    site: &Site,
    report: &mut Report,
    images: &Images,
) -> Result<(), DatabaseError> {
    let mut hashes = HashSet::new();
    for reference in &mut report.references {
        let (hash, is_own) = match &reference.target {
            Target::Ours { hash, .. } => (Some(*hash), true),
            Target::Foreign { url, .. } => (Url::parse(url).ok().as_ref().and_then(hash_in), false),
            _ => continue,
        };
        let Some(hash) = hash else { continue };
        let image = images.find(hash).await?;
        if is_own || image.is_some() {
            let known = image.is_some();
            let hash = image.map_or(hash, |image| image.hash);
            hashes.insert(hash);
            reference.target = Target::Ours { hash, known };
        }
    }
    let files = report
        .references
        .iter()
        .filter_map(|one| match &one.target {
            Target::Local { picture } => Some(picture.as_str()),
            _ => None,
        });
    let files: HashSet<&str> = files.collect();
    let unused = site.pictures().into_iter();
    let unused = unused.filter(|picture| !files.contains(picture));
    report.unused = unused.map(ToOwned::to_owned).collect();
    report.unused_here = all_hashes(images).await?;
    report.unused_here.retain(|hash| !hashes.contains(hash));
    Ok(())
}

/// The hashes of all pictures here, the newest first.
///
/// # Errors
/// When the database fails.
async fn all_hashes(images: &Images) -> Result<Vec<ImageHash>, DatabaseError> {
    let mut all = Vec::new();
    loop {
        let next = images
            .hashes(ImageSearch::default(), all.len() as u64, AT_ONCE)
            .await?;
        if next.is_empty() {
            return Ok(all);
        }
        all.extend(next);
    }
}
