//! The process of Porchlight without its window: settings, the data directory, the host that starts
//! and stops the services, their status, tokens and maintenance.
//!
//! The command line and the tray app are built on it. It depends on neither Tauri nor clap.

pub mod consent;
pub mod data_dir;
pub mod devices;
pub mod diagnostics;
pub mod executable;
pub mod file_mode;
pub mod host;
pub mod integrations;
pub mod logging;
pub mod maintenance;
mod options;
pub mod presence_rules;
pub mod private_file;
pub mod services;
pub mod settings;
pub mod status;
pub mod target;
pub mod tokens;
pub mod update;
pub mod uploads;

#[cfg(test)]
mod testing;
