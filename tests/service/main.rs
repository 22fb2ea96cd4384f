//! The service from outside: what a blog, a reader and an owner see of
//! `porchlight serve`, over HTTP alone, area by area.

mod access;
mod bad_forms;
mod bad_images;
mod bad_requests;
mod behaviours;
mod broken_database;
mod broken_disk;
mod broken_pictures;
mod contract;
mod cors;
mod crash;
mod delivery;
mod disconnect;
mod duplicates;
mod edge;
mod endless_forms;
mod formats;
mod heartbeat_input;
mod hostile_text;
mod https;
mod interleaved;
mod limits;
mod list;
mod many_callers;
mod memory;
mod presence;
mod privacy;
mod private;
mod random_image;
mod ranges;
mod readers;
mod readme;
mod renditions;
mod stats;
mod upload;
use porchlight_test_harness as harness;
