//! How far long work is, and how it is cancelled.

/// Called with the number of images done, and of all, after each of them. An error from it ends the
/// work there.
pub type Progress<'a> = &'a (dyn Fn(u64, u64) -> Result<(), Cancelled> + Send + Sync);

/// The owner wants no more of the work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cancelled;

impl From<Cancelled> for crate::error::message::Message {
    fn from(_: Cancelled) -> Self {
        Self::Cancelled
    }
}
