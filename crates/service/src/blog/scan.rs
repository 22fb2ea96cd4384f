//! Reads all posts of a folder and finds out where each address in them leads.

use std::collections::HashSet;
use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use sha2::{Digest as _, Sha256};
use url::Url;

use super::address::{Context, PostAddress};
use super::post;
use super::reference::{PostProblem, Reference, Report, Target};
use super::site::{Site, is_picture};
use crate::db::DatabaseError;
use crate::error::message::Message;
use crate::images::{ImageSearch, Images};
use crate::text::image_hash::ImageHash;

/// The longest post that is read, in bytes.
const LONGEST_POST: u64 = 16 * 1024 * 1024;

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
                report.unread.push(PostProblem::new(file, why));
                continue;
            }
        };
        let scanned = post::scan(&text, *kind);
        report.unread.extend(scanned.unread.map(|why| {
            let why =
                crate::detail!("its front matter is left as it is, since it cannot be read: {why}");
            PostProblem::new(file, why)
        }));
        report.posts += 1;
        let draft = scanned.draft || file.split('/').any(|part| part == "_drafts");
        let post = Sha256::digest(&text).into();
        let (mut line, mut counted) = (1, 0);
        for written in scanned.addresses {
            let before = &text[counted..written.range.start];
            line += u32::try_from(before.matches('\n').count()).unwrap_or(0);
            counted = written.range.start;
            let target = target(&site, file, &written, &text[written.range.clone()], own);
            report.references.extend(target.map(|target| Reference {
                file: file.clone(),
                line,
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

/// Where an address leads that stands in a post as `written`; `None` where it leads to no picture.
fn target(
    site: &Site,
    post: &str,
    found: &PostAddress,
    written: &str,
    own: &[String],
) -> Option<Target> {
    let address = found.address.trim();
    let is_of_a_template = ["{{", "{%", "${", "<%"]
        .iter()
        .any(|tag| address.contains(tag));
    // An expression of JSX is in braces.
    if address.is_empty() || address.starts_with(['#', '{']) || is_of_a_template {
        return None;
    }
    let scheme = if address.starts_with("//") {
        "https:"
    } else {
        ""
    };
    match Url::parse(&format!("{scheme}{address}")) {
        Ok(url) if matches!(url.scheme(), "http" | "https") => on_the_web(&url, found, own),
        // One letter is a drive of Windows.
        Ok(url) if url.scheme() != "file" && url.scheme().len() > 1 => None,
        _ => {
            let may_be_of_windows = written.contains('\\') && found.around.0.is_empty();
            site.target(post, found, if may_be_of_windows { written } else { "" })
        }
    }
}

fn on_the_web(url: &Url, found: &PostAddress, own: &[String]) -> Option<Target> {
    let is_own = own.iter().any(|own| {
        let rest = url.as_str().strip_prefix(own.as_str());
        rest.is_some_and(|rest| rest.starts_with('/'))
    });
    let hash = hash_in(url);
    if is_own && let Some(hash) = hash {
        return Some(Target::Ours { hash, known: false });
    }
    let is_meant = found.context == Context::Picture || is_picture(url.path()) || hash.is_some();
    let port = url.port().map_or(String::new(), |port| format!(":{port}"));
    let host = format!("{}{port}", url.host_str()?);
    let url = url.to_string();
    is_meant.then_some(Target::Foreign { host, url })
}

/// The hash in `/i/{hash}`, `/i/{hash}/{name}.webp` or `/images/{hash}`, below any path.
fn hash_in(url: &Url) -> Option<ImageHash> {
    let parts: Vec<&str> = url.path_segments()?.collect();
    let hash = match parts.as_slice() {
        [.., "i" | "images", hash] | [.., "i", hash, _] => hash,
        _ => return None,
    };
    ImageHash::from_path(hash).ok()
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
    let (mut hashes, mut files) = (HashSet::new(), HashSet::new());
    for reference in &mut report.references {
        let (hash, is_own) = match &reference.target {
            Target::Local { picture } => {
                files.insert(picture.clone());
                continue;
            }
            Target::Ours { hash, .. } => (Some(*hash), true),
            Target::Foreign { url, .. } => (Url::parse(url).ok().as_ref().and_then(hash_in), false),
            Target::Missing | Target::Outside => continue,
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
    let pictures = site.pictures().into_iter();
    let unused = pictures.filter(|picture| !files.contains(*picture));
    report.unused = unused.map(ToOwned::to_owned).collect();
    report.unused_here = images.hashes(ImageSearch::default(), 0, u32::MAX).await?;
    report.unused_here.retain(|hash| !hashes.contains(hash));
    Ok(())
}
