//! The settings of the service, one struct a section of `settings.toml`. Each belongs to its part of
//! the service.
//!
//! The table of all settings in the app has the bounds of each, and refuses what is beyond them.

pub use crate::game::GameSettings;
pub use crate::images::{Delivery, ImagesSettings};
pub use crate::ip::IpSettings;
pub use crate::presence::HeartbeatSettings;
pub use crate::storage::{EdgeSettings, StorageKind, StorageSettings};
pub use crate::system::SystemSettings;
