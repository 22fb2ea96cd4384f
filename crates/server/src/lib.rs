//! HTTP: the service as blogs, readers and the owner's own tools reach it.

mod bearer;
mod body;
mod bounded;
mod client_address;
mod drain_body;
mod edge;
mod edge_clock;
mod error;
mod gate;
mod idle_connections;
mod limits;
mod listen;
mod listener_state;
mod places;
mod private;
mod range;
mod repeats;
mod reply;
mod router;
mod routes;
pub mod settings;
mod socket;

pub use edge_clock::EdgeClock;
pub use listen::{BindError, Bound, bind, bind_public};
pub use listener_state::{PublicListener, Shared};
pub use places::SocketPlaces;
pub use routes::WIDGET;
