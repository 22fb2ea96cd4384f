//! The beginning of an image's hash.

use std::str::FromStr;

use porchlight_api::ImageHash;

/// The prefix of an image's name: 1 to 32 hexadecimal digits, of either case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HashPrefix {
    pub(super) digits: usize,
    pub(super) first: ImageHash,
    pub(super) last: ImageHash,
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
            digits: text.len(),
            first: filled(format!("{text:0<32}"))?,
            last: filled(format!("{text:f<32}"))?,
        })
    }
}
