//! What the window shows, and the events it gets while it is open: one file for
//! each of its pages.
//!
//! These never travel over the network: the page gets them from its own
//! process. They live here so that the page's TypeScript types are made from
//! the same source as everything else that is spoken.
//!
//! All times are Unix milliseconds unless stated otherwise.

mod alerts;
mod devices;
mod edge_setup;
mod game;
mod home;
mod images;
mod presence;
mod reach;
mod settings;
mod statistics;
mod storage;
mod tunnel;
mod update;
mod uploads;

pub use alerts::*;
pub use devices::*;
pub use edge_setup::*;
pub use game::*;
pub use home::*;
pub use images::*;
pub use presence::*;
pub use reach::*;
pub use settings::*;
pub use statistics::*;
pub use storage::*;
pub use tunnel::*;
pub use update::*;
pub use uploads::*;
