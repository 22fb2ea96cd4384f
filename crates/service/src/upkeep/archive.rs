//! The form of a backup: a plain tar file, since WebP does not get smaller.
//!
//! It starts with [`Opening`], followed by the images, the optional parts, the
//! database, and last [`Ending`]; without that it was cut short. It contains no
//! other entry.

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::clock::timestamp::Timestamp;
use crate::error::message::Message;
use crate::storage::ObjectName;
use crate::text::image_hash::ImageHash;

/// The form that this version writes and reads.
pub(super) const FORMAT: u32 = 1;
pub(super) const OPENING: &str = "porchlight-backup.json";
pub(super) const DATABASE: &str = "porchlight.db";
pub(super) const ENDING: &str = "end-of-backup.json";
/// The parts with secrets, which are in a backup only on request.
pub(super) const SECRETS: [&str; 2] = [SETTINGS, OWN_TOKENS];
pub(super) const SETTINGS: &str = "settings.toml";
/// The app's own copies of tokens.
pub(super) const OWN_TOKENS: &str = "own-tokens.json";

/// The first entry.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Opening {
    pub(super) format: u32,
    /// The version of Porchlight that wrote it.
    pub(super) version: String,
    pub(super) made_at: Timestamp,
}

/// The last entry.
#[derive(Debug, Serialize, Deserialize, PartialEq, Eq)]
pub(super) struct Ending {
    pub(super) images: u64,
    /// The SHA-256 of the database, in hexadecimal digits.
    pub(super) database: String,
}

/// Where an image is in the archive, and in a data folder.
pub(super) fn image_path(hash: ImageHash) -> String {
    let name = ObjectName::image(hash).to_string();
    format!("images/{}/{name}", &name[..2])
}

/// The image that an entry of this name is.
pub(super) fn image_of(path: &str) -> Option<ImageHash> {
    let hash = path.strip_prefix("images/")?.get(3..35)?.parse().ok()?;
    (image_path(hash) == path).then_some(hash)
}

/// A tar file that is being written.
pub(super) struct Writer<W: std::io::Write> {
    pub(super) tar: tar::Builder<W>,
    made_at: Timestamp,
}

impl<W: std::io::Write> Writer<W> {
    pub(super) fn start(file: W) -> std::io::Result<Self> {
        let made_at = Timestamp::now();
        let tar = tar::Builder::new(file);
        let mut writer = Self { tar, made_at };
        let opening = Opening {
            format: FORMAT,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            made_at,
        };
        writer.add(OPENING, &serde_json::to_vec_pretty(&opening)?)?;
        Ok(writer)
    }

    pub(super) fn add(&mut self, path: &str, bytes: &[u8]) -> std::io::Result<()> {
        let mut header = self.header(bytes.len() as u64);
        self.tar.append_data(&mut header, path, bytes)
    }

    pub(super) fn add_file(&mut self, path: &str, file: &Path) -> std::io::Result<()> {
        let file = std::fs::File::open(file)?;
        let mut header = self.header(file.metadata()?.len());
        self.tar.append_data(&mut header, path, file)
    }

    pub(super) fn end(mut self, ending: &Ending) -> std::io::Result<W> {
        self.add(ENDING, &serde_json::to_vec_pretty(ending)?)?;
        self.tar.into_inner()
    }

    fn header(&self, size: u64) -> tar::Header {
        let mut header = tar::Header::new_gnu();
        header.set_size(size);
        header.set_mode(0o600);
        header.set_mtime(self.made_at.as_seconds().unsigned_abs());
        header
    }
}

/// The SHA-256 of a file, in hexadecimal digits.
pub(super) fn digest_of(file: &Path) -> Result<String, Message> {
    use sha2::Digest as _;
    let failed = || Message::at(file);
    let mut opened = std::fs::File::open(file).map_err(failed())?;
    let mut digest = sha2::Sha256::new();
    let mut chunk = vec![0; 256 * 1024];
    loop {
        match std::io::Read::read(&mut opened, &mut chunk).map_err(failed())? {
            0 => return Ok(hex::encode(digest.finalize())),
            read => digest.update(&chunk[..read]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{image_of, image_path};

    #[test]
    fn an_image_has_one_place_alone() {
        let hash = "00112233445566778899aabbccddeeff".parse().expect("a hash");
        let path = image_path(hash);
        assert_eq!(path, "images/00/00112233445566778899aabbccddeeff.webp");
        assert_eq!(image_of(&path), Some(hash));
        for other in [
            "images/01/00112233445566778899aabbccddeeff.webp",
            "images/00/00112233445566778899AABBCCDDEEFF.webp",
            "images/00/../00/00112233445566778899aabbccddeeff.webp",
            "/images/00/00112233445566778899aabbccddeeff.webp",
            "images/00/é0112233445566778899aabbccddeeff.webp",
            "images/",
            "",
        ] {
            assert_eq!(image_of(other), None, "{other}");
        }
    }
}
