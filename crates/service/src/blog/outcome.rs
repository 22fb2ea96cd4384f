//! What came of an adoption, and of undoing it.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::reference::{LeftFile, Place};
use crate::error::message::Message;

/// What an adoption has done.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Adopted {
    /// What undoes it, where a post changed.
    pub id: Option<String>,
    /// Pictures that were not here before.
    pub uploaded: usize,
    /// Pictures that were.
    pub already_here: usize,
    /// Posts that were written.
    pub posts: usize,
    /// Addresses in them that changed.
    pub references: usize,
    /// Pictures that did not come, by each place that has them. Their addresses are as they were.
    pub failed: Vec<FailedPicture>,
    /// Posts that were not written.
    pub left: Vec<LeftFile>,
}

/// A picture that was not brought here.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FailedPicture {
    /// Where it is used.
    #[serde(flatten)]
    pub place: Place,
    /// Its address there.
    pub address: String,
    /// Why it did not come.
    pub why: Message,
}

/// What an undo has done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Undone {
    /// The adoption.
    pub id: String,
    /// Its folder.
    pub folder: PathBuf,
    /// The posts that are as they were before it.
    pub restored: Vec<String>,
    /// Those that are not, such as those that were edited since.
    pub left: Vec<LeftFile>,
    /// Pictures that came here with it, and stay.
    pub uploaded: usize,
}
