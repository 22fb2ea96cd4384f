//! The service: images, presence, game, ip, system, stats, tokens, settings,
//! database, storage and publishing. It depends on neither a router nor a window.

#![warn(missing_docs)]

mod beside;
pub mod clock;
mod database;
mod detach;
mod external_http;
mod fault;
pub mod game;
pub mod images;
pub mod import;
pub mod ip;
pub mod presence;
mod progress;
mod publishing;
mod schema;
mod service;
pub mod settings;
pub mod stats;
mod storage;
pub mod system;
pub mod tokens;
pub mod upkeep;

pub use beside::{TakeOverError, take_over_snapshot};
pub use database::{DatabaseError, OpenDatabaseError};
pub use publishing::{
    LanyardAnswer, LanyardMessages, Publishing, PublishingStatus, PublishingTrouble,
};
pub use service::{OpenError, Service};
pub use storage::{EdgeDay, OpenStorageError, StorageError, prove_edge, test_store};

/// An error of another library, kept as the source of one of ours.
pub type BoxError = Box<dyn std::error::Error + Send + Sync>;
