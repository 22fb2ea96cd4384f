//! The service from outside: what a blog, a reader and an owner see of
//! `porchlight serve`, over HTTP alone, area by area.

mod access;
mod albums;
/// The examples are for shells.
#[cfg(unix)]
mod api_examples;
mod bad_forms;
mod bad_images;
mod bad_requests;
/// A browser draws them.
#[cfg(target_os = "linux")]
mod badge_drawing;
mod badges;
mod behaviours;
mod broken_database;
/// Disks are made full and read-only in a namespace of Linux.
#[cfg(target_os = "linux")]
mod broken_disk;
mod broken_pictures;
mod clients;
mod contract;
mod cors;
mod crash;
mod delivery;
mod device_tokens;
mod devices;
/// The connections of a process are read as Linux shows them.
#[cfg(target_os = "linux")]
mod disconnect;
mod duplicates;
mod edge;
mod endless_forms;
mod formats;
mod heartbeat_input;
mod hostile_text;
mod https;
mod interleaved;
mod lanyard;
/// Node.js is driven as it is on Unix.
#[cfg(unix)]
mod lanyard_clients;
mod limits;
mod list;
mod lost_objects;
/// As above.
#[cfg(unix)]
mod lsky_clients;
/// Windows does not limit the handles of a process.
#[cfg(target_os = "linux")]
mod many_callers;
/// Linux shows the memory of a process in `/proc`.
#[cfg(target_os = "linux")]
mod memory;
/// Disks, as above.
#[cfg(target_os = "linux")]
mod openapi;
mod presence;
mod previews;
mod privacy;
mod private;
mod random_image;
mod ranges;
mod readers;
mod renditions;
mod stats;
mod tools;
mod upload;
use porchlight_test_harness as harness;

/// Ten answers of the service, 100 ms apart: a second, and longer where the machine has other work.
async fn ten_answers(service: &harness::TestService) {
    for _ in 0..10 {
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
        service.json("/check").await;
    }
}
