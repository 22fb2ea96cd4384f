//! What the parsers find in a post.

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

/// An address in the text of a post.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct PostAddress {
    /// The bytes that are replaced.
    pub(super) range: Range<usize>,
    /// The address, without the escapes of Markdown or HTML.
    pub(super) address: String,
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

/// What a post holds, as each of the parsers adds to it.
#[derive(Debug, Default)]
pub(super) struct ScannedPost {
    /// At the end in the order of their bytes, and none overlaps another.
    pub(super) addresses: Vec<PostAddress>,
    /// Code, comments and the like, in which there is no address.
    pub(super) blind: Vec<Range<usize>>,
    /// The front matter says that readers do not see it yet, or cannot be read.
    pub(super) draft: bool,
    /// Why its front matter was left alone, if it was.
    pub(super) unread: Option<String>,
}

impl ScannedPost {
    /// Adds an address; what there is more to say about it can be set.
    pub(super) fn add(
        &mut self,
        range: Range<usize>,
        address: impl Into<String>,
        context: Context,
    ) -> &mut PostAddress {
        self.addresses.push(PostAddress {
            range,
            address: address.into(),
            context,
            ..PostAddress::default()
        });
        let last = self.addresses.len() - 1;
        &mut self.addresses[last]
    }
}
