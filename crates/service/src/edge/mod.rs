//! The Worker: what is published for it.

pub mod publishing;
pub mod window;
