//! HTTP: the service as blogs, readers and the owner's own tools reach it.

mod bearer;
mod body;
mod bounded;
mod client_address;
mod door;
mod error;
mod gate;
mod limits;
mod lingering;
mod listen;
mod private;
mod range;
mod repeats;
mod reply;
mod router;
mod routes;
pub mod settings;
mod waiting;

pub use door::{FrontDoor, Knock};
pub use listen::{BindError, Bound, bind, bind_front_door};
