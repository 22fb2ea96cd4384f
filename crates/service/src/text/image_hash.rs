//! The public name of an image.

use std::fmt;
use std::str::FromStr;

use rusqlite::types::{FromSql, FromSqlResult, ToSql, ToSqlOutput, ValueRef};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The name of a stored image: 32 hexadecimal digits, lower case.
///
/// For an image made here it is the first half of the SHA-256 of the stored
/// WebP bytes; an imported one keeps the name it had (an MD5, also 32 digits).
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ImageHash([u8; 16]);

/// The text is not 32 hexadecimal digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("an image hash is 32 hexadecimal digits")]
pub struct MalformedHash;

impl ImageHash {
    /// The name of the image whose stored bytes have this SHA-256.
    #[must_use]
    pub fn of_sha256(sha256: &[u8; 32]) -> Self {
        let mut half = [0; 16];
        half.copy_from_slice(&sha256[..16]);
        Self(half)
    }

    /// The name as its 16 bytes.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8; 16] {
        &self.0
    }

    /// The name from its 16 bytes.
    #[must_use]
    pub fn from_bytes(bytes: [u8; 16]) -> Self {
        Self(bytes)
    }

    /// The hash in a request path: either case, with or without `.webp`.
    ///
    /// # Errors
    /// [`MalformedHash`] when it is anything else.
    pub fn from_path(segment: &str) -> Result<Self, MalformedHash> {
        let name = match segment.len() {
            37 if segment.is_char_boundary(32) && segment[32..].eq_ignore_ascii_case(".webp") => {
                &segment[..32]
            }
            _ => segment,
        };
        name.parse()
    }

    /// The file name readers see: `<hash>.webp`.
    #[must_use]
    pub fn file_name(&self) -> String {
        format!("{self}.webp")
    }
}

impl FromStr for ImageHash {
    type Err = MalformedHash;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut bytes = [0; 16];
        hex::decode_to_slice(text, &mut bytes).map_err(|_| MalformedHash)?;
        Ok(Self(bytes))
    }
}

impl fmt::Display for ImageHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut digits = [0; 32];
        hex::encode_to_slice(self.0, &mut digits).map_err(|_| fmt::Error)?;
        f.write_str(std::str::from_utf8(&digits).map_err(|_| fmt::Error)?)
    }
}

impl fmt::Debug for ImageHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A blob of 16 bytes.
impl ToSql for ImageHash {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        self.0.to_sql()
    }
}

impl FromSql for ImageHash {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        <[u8; 16]>::column_result(value).map(Self)
    }
}

impl Serialize for ImageHash {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for ImageHash {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

/// The widths of the narrower copies of an image, in pixels.
pub const WIDTHS: [u32; 5] = [320, 640, 960, 1280, 1920];

#[cfg(test)]
mod tests {
    use super::*;

    const DIGITS: &str = "00112233445566778899aabbccddeeff";

    #[test]
    fn a_path_takes_either_case_and_the_ending() {
        let hash: ImageHash = DIGITS.parse().expect("digits");
        for path in [
            DIGITS.to_owned(),
            DIGITS.to_uppercase(),
            format!("{DIGITS}.webp"),
            format!("{DIGITS}.WEBP"),
        ] {
            assert_eq!(ImageHash::from_path(&path), Ok(hash), "{path}");
        }
        assert_eq!(hash.to_string(), DIGITS);
    }

    #[test]
    fn an_invalid_hash_is_malformed() {
        for path in [
            "",
            "add",
            "..",
            "../../etc/passwd",
            "é0112233445566778899aabbccddeef",
            &DIGITS[1..],
            &format!("{DIGITS}.png"),
            &format!("{DIGITS}00000"),
            "00112233445566778899aabbccddee\0f",
        ] {
            assert_eq!(ImageHash::from_path(path), Err(MalformedHash), "{path}");
        }
    }
}
