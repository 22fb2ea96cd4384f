//! Everything of Porchlight that runs in its process, without Tauri: a folder for each subject.

pub mod app;
pub mod blog;
pub mod clock;
pub mod db;
pub mod devices;
pub mod edge;
pub mod error;
pub mod files;
pub mod game;
pub mod http;
pub mod images;
pub mod ip;
pub mod log;
pub mod presence;
pub mod router;
pub mod schema;
pub mod service;
pub mod settings;
pub mod state;
pub mod stats;
pub mod status;
pub mod storage;
pub mod system;
#[cfg(test)]
mod testing;
pub mod text;
pub mod tokens;
pub mod tunnel;
#[cfg(test)]
mod types_for_the_page;
pub mod upkeep;
pub mod uploads;
