//! How far a source has come on its way to an image, for whoever waits for it.

use std::sync::Arc;

/// A stage that was reached. They come in this order; what need not be done is
/// left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// So many bytes of the file were read and digested.
    Read {
        /// Bytes so far.
        bytes: u64,
        /// The bytes of the whole, as it was when it was opened.
        of: u64,
    },
    /// It is new, and its header says that it can be converted.
    Begun,
    /// Its pixels are there, to be encoded.
    Decoded,
    /// So many frames of an animation are decoded and encoded.
    Frames {
        /// Frames so far.
        done: u32,
        /// Frames in all, as the header says.
        of: u32,
    },
    /// It is a WebP, to be stored.
    Encoded,
}

/// Hears of each stage, from any thread. Must not block.
pub type Hear = Arc<dyn Fn(Stage) + Send + Sync>;

#[cfg(test)]
mod tests;
