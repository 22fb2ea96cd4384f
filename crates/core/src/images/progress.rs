//! Progress of the conversion of a source to an image.

use std::sync::Arc;

/// A step that was reached. They come in this order; unnecessary steps are left
/// out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Progress {
    /// This many bytes of the file were read and hashed.
    Read {
        /// Bytes so far.
        bytes: u64,
        /// The bytes of the whole, as it was when it was opened.
        of: u64,
    },
    /// It is new, and by its header it can be converted.
    Started,
    /// Its pixels are decoded, to be encoded.
    Decoded,
    /// This many frames of an animation are decoded and encoded.
    Frames {
        /// Frames so far.
        done: u32,
        /// Frames in all, according to the header.
        of: u32,
    },
    /// It is a WebP, to be stored.
    Encoded,
}

/// Called with each step, from any thread. Must not block.
pub type ProgressSink = Arc<dyn Fn(Progress) + Send + Sync>;

#[cfg(test)]
mod tests;
