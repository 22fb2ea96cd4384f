//! The wire types: requests and replies of the service, the checked types that
//! both ends share, and the types of the window.
//!
//! Nothing here knows of a database, a router or a window; every other package
//! may import this one.

#![warn(missing_docs)]

mod address;
mod backoff;
#[cfg(feature = "client")]
pub mod client;
mod device;
mod error;
pub mod files;
mod hash;
pub mod header;
#[cfg(feature = "http")]
mod http;
mod message;
pub mod network;
mod reply;
mod rgba;
mod scope;
#[cfg(feature = "sqlite")]
pub mod sqlite;
pub mod state;
pub mod text;
mod timestamp;
pub mod window;
#[cfg(windows)]
pub mod windows;

pub use address::{Probe, WebAddress};
pub use backoff::Backoff;
pub use device::{
    DeviceAccess, DeviceId, DeviceItem, DeviceKind, DevicesReply, MalformedDeviceId,
    UnknownDeviceKind,
};
pub use error::{ApiError, ErrorBody};
pub use hash::{ImageHash, MalformedHash};
#[cfg(feature = "http")]
pub use http::{cause_of, http_client, install_tls};
pub use message::{Message, Parameter, deepest};
pub use reply::{
    ApiStat, Check, Count, DeleteReply, DuplicateReply, GameStatus, HeartbeatFields,
    HeartbeatReply, ImageItem, ImagePage, IpInformation, ItemDetails, Pagination, Pixels,
    PlayedGame, RandomReply, SharedTrack, SourceReply, SystemReply, UploadReply,
};
pub use rgba::Rgba;
pub use scope::{Scope, UnknownScope};
pub use timestamp::Timestamp;

/// The widths of the narrower copies of an image, in pixels.
pub const WIDTHS: [u32; 5] = [320, 640, 960, 1280, 1920];

#[cfg(test)]
mod types_for_the_page;
