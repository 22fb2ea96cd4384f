//! What other programs and pages need to use the service: editors, and a snippet for a blog.

pub mod edge;
pub mod editors;
pub mod snippet;
