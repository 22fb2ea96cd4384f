//! The process: starts and stops the parts, and what the command line and the tray app are built on.

pub mod blogs;
pub mod consent;
pub mod devices;
pub mod diagnostics;
pub mod host;
pub mod integrations;
pub mod maintenance;
pub mod options;
pub mod presence_rules;
pub mod services;
pub mod tokens;
pub mod update;
