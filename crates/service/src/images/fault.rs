//! What can be wrong in a data folder.

use serde::Serialize;

use crate::clock::timestamp::Timestamp;
use crate::error::message::Message;
use crate::sentence_is_message;
use crate::storage::StorageKind;
use crate::text::image_hash::ImageHash;

/// One thing that is wrong.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// SQLite reports its file as damaged; its message.
    #[error("the database is damaged: {0}")]
    Database(String),
    /// An image has a row and no file.
    #[error("{0}.webp is missing")]
    Missing(ImageHash),
    /// A file's bytes are not those that were stored.
    #[error("{0}.webp is not what was stored")]
    Wrong(ImageHash),
    /// A file that cannot be read; the error.
    #[error("{0}.webp cannot be read: {1}")]
    Unreadable(ImageHash, Message),
    /// An image has more bytes than where it is to be moved takes: so many.
    #[error("{0}.webp has {1} bytes, more than the Worker takes: it stays where it is")]
    TooLarge(ImageHash, u64),
    /// An image file in a place where no row has it, and when it was written.
    #[error("{0}.webp{at} is not in the database", at = at(*.1))]
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

sentence_is_message!(Fault);

fn at(place: StorageKind) -> &'static str {
    match place {
        StorageKind::Disk => "",
        StorageKind::S3 => " in the object store",
        StorageKind::Edge => " at the Worker",
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
