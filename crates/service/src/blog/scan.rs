//! Reads all posts of a folder and finds out where each address in them leads.

use std::collections::HashSet;
use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use sha2::{Digest as _, Sha256};
use url::Url;

use super::found::{Context, Found};
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

/// A folder whose posts were read.
pub(super) struct Scan {
    pub(super) site: Site,
    pub(super) posts: Vec<Post>,
    unread: Vec<LeftFile>,
}

/// A post that was read.
pub(super) struct Post {
    /// From the folder on.
    pub(super) file: String,
    pub(super) sha256: [u8; 32],
    pub(super) draft: bool,
    pub(super) pictures: Vec<Picture>,
}

/// A picture in a post.
pub(super) struct Picture {
    pub(super) found: Found,
    pub(super) line: u32,
    pub(super) target: Target,
}

/// Reads a folder; `own` are the addresses of this Porchlight. Blocks.
///
/// # Errors
/// When the folder cannot be read, or is no blog by its size.
pub(super) fn scan(folder: &Path, own: &[String]) -> Result<Scan, Message> {
    let mut site = Site::read(folder)?;
    let (mut posts, mut unread) = (Vec::new(), std::mem::take(&mut site.unread));
    for (file, kind) in &site.posts {
        let left = |why| LeftFile {
            file: file.clone(),
            why,
        };
        let text = match text_of(&site.path(file)) {
            Ok(text) => text,
            Err(why) => {
                unread.push(left(why));
                continue;
            }
        };
        let scanned = post::scan(&text, *kind);
        if let Some(why) = scanned.unread {
            unread.push(left(crate::detail!(
                "its front matter is left as it is, since it cannot be read: {why}"
            )));
        }
        let (mut pictures, mut line, mut counted) = (Vec::new(), 1, 0);
        for found in scanned.found {
            let before = &text.as_bytes()[counted..found.range.start];
            line +=
                u32::try_from(before.iter().filter(|byte| **byte == b'\n').count()).unwrap_or(0);
            counted = found.range.start;
            if let Some(target) = target(&site, file, &found, own) {
                let picture = Picture {
                    found,
                    line,
                    target,
                };
                pictures.push(picture);
            }
        }
        posts.push(Post {
            draft: scanned.draft || file.split('/').any(|part| part == "_drafts"),
            file: file.clone(),
            sha256: Sha256::digest(&text).into(),
            pictures,
        });
    }
    Ok(Scan {
        site,
        posts,
        unread,
    })
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
fn target(site: &Site, post: &str, found: &Found, own: &[String]) -> Option<Target> {
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

fn on_the_web(url: &Url, found: &Found, own: &[String]) -> Option<Target> {
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

impl Scan {
    /// Finds out which of the pictures are stored here, also where they have the address of another
    /// time.
    ///
    /// # Errors
    /// When the database fails.
    pub(super) async fn look_up(&mut self, images: &Images) -> Result<(), DatabaseError> {
        let pictures = self.posts.iter_mut().flat_map(|post| &mut post.pictures);
        for picture in pictures {
            let (hash, is_own) = match &picture.target {
                Target::Ours { hash, .. } => (Some(*hash), true),
                Target::Foreign { url, .. } => {
                    (Url::parse(url).ok().as_ref().and_then(hash_in), false)
                }
                _ => (None, false),
            };
            let Some(hash) = hash else { continue };
            let image = images.find(hash).await?;
            if is_own || image.is_some() {
                picture.target = Target::Ours {
                    hash: image.map_or(hash, |image| image.hash),
                    known: image.is_some(),
                };
            }
        }
        Ok(())
    }

    /// What was found; `here` are the hashes of all pictures of this Porchlight.
    pub(super) fn report(&self, here: Vec<ImageHash>) -> Report {
        let references = self.posts.iter().flat_map(|post| {
            post.pictures.iter().map(|picture| Reference {
                place: Place {
                    file: post.file.clone(),
                    line: picture.line,
                },
                address: picture.found.address.clone(),
                target: picture.target.clone(),
                draft: post.draft,
            })
        });
        let references: Vec<Reference> = references.collect();
        let (mut files, mut hashes) = (HashSet::new(), HashSet::new());
        for reference in &references {
            match &reference.target {
                Target::Local { picture } => drop(files.insert(picture.as_str())),
                Target::Ours { hash, .. } => drop(hashes.insert(*hash)),
                _ => {}
            }
        }
        let unused = self.site.pictures().into_iter();
        let unused = unused.filter(|picture| !files.contains(picture));
        Report {
            posts: self.posts.len(),
            unused: unused.map(ToOwned::to_owned).collect(),
            unused_here: here
                .into_iter()
                .filter(|hash| !hashes.contains(hash))
                .collect(),
            unread: self.unread.clone(),
            references,
        }
    }
}

/// The hashes of all pictures here, the newest first.
///
/// # Errors
/// When the database fails.
pub(super) async fn all_hashes(images: &Images) -> Result<Vec<ImageHash>, DatabaseError> {
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
