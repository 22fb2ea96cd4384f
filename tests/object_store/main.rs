//! Images in an object store, a real one and one that is in trouble, and the Worker.

#[cfg(target_os = "linux")]
mod at_the_worker;
#[cfg(target_os = "linux")]
mod behind_the_worker;
mod edge_init;
mod failures;
#[cfg(target_os = "linux")]
mod kills;
#[cfg(target_os = "linux")]
mod many;
#[cfg(target_os = "linux")]
mod place;
#[cfg(target_os = "linux")]
mod plan;
#[cfg(target_os = "linux")]
mod polling_readers;
mod real;
#[cfg(target_os = "linux")]
mod same_answers;
#[cfg(target_os = "linux")]
mod story;
#[cfg(target_os = "linux")]
mod sync;
use harness::{garage, s3};
use porchlight_test_harness as harness;
