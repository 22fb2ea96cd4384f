//! The Worker, which answers readers whether this machine is on or off: its rows are kept up to date.

pub mod window;

mod parts;
mod sync;
pub(crate) mod table;

pub(crate) use parts::AnswerSettings;
pub use sync::EdgeSync;
pub(crate) use sync::{Sources, record_take_over};
