//! What HTTP clients and the server share: addresses, headers, replies.

pub mod api_error;
pub mod client;
pub mod client_tls;
pub mod external;
pub(crate) mod fetch;
pub mod header;
pub mod replies;
pub(crate) mod reserved;
pub mod settings;
