//! The owner's game presence, from any source.

/// What the owner is doing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Presence {
    Offline,
    Online,
    Playing(RunningGame),
}

/// A game that runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RunningGame {
    /// Steam's number of it. One that the owner added by hand has a number
    /// beyond 31 bits, or beyond 32 in the Web API, which the store does not
    /// know.
    pub(super) id: u64,
    /// Its name; may be empty.
    pub(super) name: String,
}

impl RunningGame {
    /// The number under which the store knows it.
    pub(super) fn store_number(&self) -> Option<u32> {
        i32::try_from(self.id).ok().map(i32::unsigned_abs)
    }
}
