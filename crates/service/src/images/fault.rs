//! What can be wrong in a data folder.

use std::fmt;

use serde::Serialize;

use crate::clock::timestamp::Timestamp;
use crate::error::message::{Message, Parameter};
use crate::storage::StorageKind;
use crate::text::image_hash::ImageHash;

/// One thing that is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// SQLite reports its file as damaged; its message.
    Database(String),
    /// An image has a row and no file.
    Missing(ImageHash),
    /// A file's bytes are not those that were stored.
    Wrong(ImageHash),
    /// A file that cannot be read; the error.
    Unreadable(ImageHash, Message),
    /// An image has more bytes than where it is to be moved takes: so many.
    TooLarge(ImageHash, u64),
    /// An image file in a place where no row has it, and when it was written.
    Orphan(ImageHash, StorageKind, Option<Timestamp>),
}

impl Fault {
    /// A word for scripts.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Database(_) => "database",
            Self::Missing(_) => "missing",
            Self::Wrong(_) => "wrong",
            Self::Unreadable(..) => "unreadable",
            Self::TooLarge(..) => "too-large",
            Self::Orphan(..) => "orphan",
        }
    }
}

impl From<&Fault> for Message {
    fn from(fault: &Fault) -> Self {
        let named = |hash: &ImageHash| Parameter::from(hash.to_string());
        match fault {
            Fault::Database(why) => {
                crate::detail!("the database is damaged: {why}", why = why.as_str())
            }
            Fault::Missing(hash) => crate::detail!("{hash}.webp is missing", hash = named(hash)),
            Fault::Wrong(hash) => {
                crate::detail!("{hash}.webp is not what was stored", hash = named(hash))
            }
            Fault::Unreadable(hash, why) => crate::detail!(
                "{hash}.webp cannot be read: {why}",
                hash = named(hash),
                why = why.clone()
            ),
            Fault::TooLarge(hash, bytes) => crate::detail!(
                "{hash}.webp has {bytes} bytes, more than the Worker takes: it stays where it is",
                hash = named(hash),
                bytes = (*bytes)
            ),
            Fault::Orphan(hash, place, _) => crate::detail!(
                "{name} is not in the database",
                name = at(*place, format!("{hash}.webp"))
            ),
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Message::from(self).fmt(f)
    }
}

fn at(place: StorageKind, name: String) -> Parameter {
    match place {
        StorageKind::Disk => name.into(),
        StorageKind::S3 => crate::detail!("{name} in the object store").into(),
        StorageKind::Edge => crate::detail!("{name} at the Worker").into(),
    }
}

/// Something that is wrong, and what was done about it.
#[derive(Debug, Clone)]
pub struct Problem {
    /// What is wrong.
    pub fault: Fault,
    /// What was done; `None` when it is as it was.
    pub mended: Option<String>,
}

impl Serialize for Problem {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use serde::ser::SerializeStruct as _;
        let mut problem = serializer.serialize_struct("Problem", 3)?;
        problem.serialize_field("kind", self.fault.kind())?;
        problem.serialize_field("problem", &self.fault.to_string())?;
        problem.serialize_field("mended", &self.mended)?;
        problem.end()
    }
}
