//! The service: images, presence, game, ip, system, stats, tokens, settings,
//! database, storage and publishing. It depends on neither a router nor a window.

pub mod clock;
mod database;
mod detach;
mod external_http;
pub mod game;
pub mod heap;
pub mod images;
pub mod import;
pub mod ip;
pub mod presence;
mod publishing;
mod service;
pub mod settings;
pub mod stats;
mod storage;
pub mod system;
mod take_over;
pub mod tokens;
pub mod upkeep;

pub(crate) use service::database_file;

pub use database::{DatabaseError, OpenDatabaseError};
pub use publishing::{Publishing, PublishingStatus, PublishingTrouble};
pub use service::{OpenError, Service};
pub use storage::{OpenStorageError, StorageError, test_store};
pub use take_over::{TakeOverError, take_over_snapshot};
