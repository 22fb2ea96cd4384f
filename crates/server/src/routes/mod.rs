//! The handlers: extract, call core, reply.

pub(crate) mod delivery;
pub(crate) mod game;
pub(crate) mod images;
pub(crate) mod ip;
pub(crate) mod presence;
pub(crate) mod root;
pub(crate) mod stats;
pub(crate) mod system;
pub(crate) mod upload;
pub(crate) mod widget;
