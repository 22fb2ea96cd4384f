//! What can be wrong in a data folder.

use std::fmt;
use std::path::PathBuf;

use porchlight_api::{ImageHash, Message, Parameter, Timestamp};
use serde::Serialize;

use crate::storage::{ObjectName, StorageKind};

/// One thing that is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// SQLite reports its file as damaged; its message.
    Database(String),
    /// This many source digests belong to no image.
    Sources(u64),
    /// This many aliases belong to no image, or are another image's own name.
    Names(u64),
    /// The counts that deep pages are found by are wrong.
    PageIndex,
    /// An image has a row and no file.
    Missing(ImageHash),
    /// A file's bytes are not those that were stored.
    Wrong(ImageHash),
    /// A row has another size than its valid file, in bytes.
    Size(ImageHash, u64),
    /// A file that cannot be read; the error.
    Unreadable(ImageHash, Message),
    /// An image has more bytes than where it is to be moved takes: so many.
    TooLarge(ImageHash, u64),
    /// An image file in a place where no row has it, and when it was written.
    Orphan(ImageHash, StorageKind, Option<Timestamp>),
    /// A rendition in a place where its image is not.
    LoneRendition(ImageHash, StorageKind, u32),
    /// A rendition that is no WebP.
    BrokenRendition(ImageHash, StorageKind, u32),
    /// A deleted image in the trash whose bytes are missing or not those that were stored.
    Trash(ImageHash),
    /// A WebP file under a name that is no image's.
    Stray(PathBuf),
    /// What an upload left that did not end.
    Leftover(PathBuf),
}

impl Fault {
    /// A word for scripts.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Database(_) => "database",
            Self::Sources(_) => "sources",
            Self::Names(_) => "names",
            Self::PageIndex => "shelves",
            Self::Missing(_) => "missing",
            Self::Wrong(_) => "wrong",
            Self::Size(..) => "size",
            Self::Unreadable(..) => "unreadable",
            Self::TooLarge(..) => "too-large",
            Self::Orphan(..) => "orphan",
            Self::LoneRendition(..) => "lone-rendition",
            Self::BrokenRendition(..) => "broken-rendition",
            Self::Trash(_) => "trash",
            Self::Stray(_) => "stray",
            Self::Leftover(_) => "leftover",
        }
    }
}

impl From<&Fault> for Message {
    fn from(fault: &Fault) -> Self {
        let named = |hash: &ImageHash| Parameter::from(hash.to_string());
        let rendition =
            |hash: &ImageHash, width: &u32| ObjectName::rendition(*hash, *width).to_string();
        match fault {
            Fault::Database(why) => Self::FaultDatabase {
                why: why.as_str().into(),
            },
            Fault::Sources(count) => Self::FaultSources {
                count: (*count).into(),
            },
            Fault::Names(count) => Self::FaultNames {
                count: (*count).into(),
            },
            Fault::PageIndex => Self::FaultCounts,
            Fault::Missing(hash) => Self::FaultMissing { hash: named(hash) },
            Fault::Wrong(hash) => Self::FaultWrong { hash: named(hash) },
            Fault::Size(hash, bytes) => Self::FaultSize {
                hash: named(hash),
                bytes: (*bytes).into(),
            },
            Fault::Unreadable(hash, why) => Self::FaultUnreadable {
                hash: named(hash),
                why: why.clone().into(),
            },
            Fault::TooLarge(hash, bytes) => Self::FaultTooLarge {
                hash: named(hash),
                bytes: (*bytes).into(),
            },
            Fault::Orphan(hash, place, _) => Self::FaultOrphan {
                name: at(*place, format!("{hash}.webp")),
            },
            Fault::LoneRendition(hash, place, width) => Self::FaultLoneRendition {
                name: at(*place, rendition(hash, width)),
            },
            Fault::BrokenRendition(hash, _, width) => Self::FaultBrokenRendition {
                name: rendition(hash, width).into(),
            },
            Fault::Trash(hash) => Self::FaultTrash { hash: named(hash) },
            Fault::Stray(path) => Self::FaultStray { path: path.into() },
            Fault::Leftover(path) => Self::FaultLeftover { path: path.into() },
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
        StorageKind::S3 => Message::InObjectStore { name: name.into() }.into(),
        StorageKind::Edge => Message::AtTheWorker { name: name.into() }.into(),
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
