//! What the parsers find in a post: where an address stands, and what is written around the new one.

use std::ops::Range;

/// Where an address stands decides what it may lead to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Context {
    /// It is shown as a picture, whatever its name.
    #[default]
    Picture,
    /// A link, which leads to a picture where its name says so.
    Link,
    /// A value of the front matter, which is a picture where its name says so.
    Value,
    /// The name of a file anywhere in the folder, as Obsidian writes it.
    Wiki,
}

/// An address in a text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Address {
    /// The bytes that are replaced.
    pub(super) range: Range<usize>,
    /// The address, without the escapes of Markdown or HTML.
    pub(super) address: String,
    /// The same as it is written, where that has backslashes: of Windows, or escapes.
    pub(super) written: Option<String>,
    pub(super) context: Context,
    /// What goes before and after the new address, where more than the address is replaced.
    pub(super) around: (String, String),
    /// What an `img` lacks that can be written behind its address.
    pub(super) missing: Option<MissingAttributes>,
}

/// Which attributes of an `img` are missing, and where they would stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct MissingAttributes {
    /// Behind the value of `src`, in bytes.
    pub(super) at: usize,
    pub(super) srcset: bool,
    /// Both `width` and `height`.
    pub(super) size: bool,
}

impl Address {
    pub(super) fn new(range: Range<usize>, address: impl Into<String>, context: Context) -> Self {
        Self {
            range,
            address: address.into(),
            context,
            ..Self::default()
        }
    }
}

/// What a text holds.
#[derive(Debug, Default)]
pub(super) struct Scanned {
    /// In the order of their places; none overlaps another.
    pub(super) addresses: Vec<Address>,
    /// The front matter says that readers do not see it yet.
    pub(super) draft: bool,
    /// Why its front matter was left alone, if it was.
    pub(super) unread: Option<String>,
}
