//! What other programs and pages need to use the service: editors, the Worker, and a blog.

pub mod blog_lines;
pub mod edge;
mod edge_manifest;
pub mod editors;
pub mod reach_lines;
