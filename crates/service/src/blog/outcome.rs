//! What came of an adoption, and of undoing it.

use serde::{Deserialize, Serialize};

use super::reference::PostProblem;

/// What an adoption has done.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Adopted {
    /// What undoes it, where a post changed.
    pub id: Option<String>,
    /// Images that were not here before.
    pub uploaded: usize,
    /// Images that were.
    pub already_here: usize,
    /// Posts that were written.
    pub posts: usize,
    /// Addresses in them that changed.
    pub references: usize,
    /// Images that did not come, by each reference to them. Their addresses are as they were.
    pub failed: Vec<PostProblem>,
    /// Posts that were not written.
    pub left: Vec<PostProblem>,
}

/// What an undo has done.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Undone {
    /// The adoption.
    pub id: String,
    /// Its folder.
    pub folder: String,
    /// The posts that are as they were before it.
    pub restored: Vec<String>,
    /// Those that are not, such as those that were edited since.
    pub left: Vec<PostProblem>,
    /// Images that came here with it, and stay.
    pub uploaded: usize,
}
