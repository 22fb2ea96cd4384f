//! What other programs and pages need to use the service: editors, the Worker, and a blog.

pub mod blog_lines;
pub mod cloudflare;
pub mod edge;
pub mod edge_deploy;
mod edge_manifest;
pub mod edge_record;
pub mod edge_setup;
pub mod editors;
pub mod reach_lines;
