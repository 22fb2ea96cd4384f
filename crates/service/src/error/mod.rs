//! Errors and messages.

pub mod message;

/// An error of another library, kept as the source of one of ours.
pub type BoxError = Box<dyn std::error::Error + Send + Sync>;
