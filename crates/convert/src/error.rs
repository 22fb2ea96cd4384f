//! What can go wrong with a source, and the fence around decoders that panic.

use std::panic::{AssertUnwindSafe, catch_unwind};

use serde::{Deserialize, Serialize};

/// Why a source did not become a WebP.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
pub enum ConvertError {
    /// More pixels than the settings allow, in one frame or in all of them; or it needs more memory or
    /// time than a picture may have.
    #[error("more pixels than allowed")]
    TooLarge,
    /// No picture, or one of a kind that nothing here decodes.
    #[error("not a supported picture")]
    Unsupported,
    /// A picture by its first bytes that does not decode: cut short, broken or empty. The text is
    /// for the log and the owner.
    #[error("the picture does not decode: {0}")]
    Invalid(String),
    /// There was not enough memory for the picture.
    #[error("not enough memory for the picture")]
    OutOfMemory,
    /// The encoder failed on a picture that decoded well.
    #[error("the picture could not be encoded: {0}")]
    Internal(String),
}

impl ConvertError {
    /// A source that does not decode, for the reason given.
    pub(super) fn invalid(reason: impl ToString) -> Self {
        Self::Invalid(reason.to_string())
    }
}

impl From<image::ImageError> for ConvertError {
    fn from(error: image::ImageError) -> Self {
        match error {
            image::ImageError::Unsupported(_) => Self::Unsupported,
            image::ImageError::Limits(_) => Self::TooLarge,
            other => Self::invalid(other),
        }
    }
}

/// Runs a decoder. The decoders are safe code, but a hostile file can make one panic; that says
/// that the file is broken.
pub(super) fn caught<T>(
    decode: impl FnOnce() -> Result<T, ConvertError>,
) -> Result<T, ConvertError> {
    catch_unwind(AssertUnwindSafe(decode))
        .unwrap_or_else(|_| Err(ConvertError::invalid("the decoder panicked")))
}
