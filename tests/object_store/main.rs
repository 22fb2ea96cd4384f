//! Images and the snapshot in an object store: in a real one, and in one that is in trouble.

#[cfg(target_os = "linux")]
mod at_the_worker;
#[cfg(target_os = "linux")]
mod behind_the_worker;
mod edge_init;
mod failures;
#[cfg(target_os = "linux")]
mod place;
#[cfg(target_os = "linux")]
mod plan;
#[cfg(target_os = "linux")]
mod polling_readers;
mod publish;
mod real;
#[cfg(target_os = "linux")]
mod sleep;
#[cfg(target_os = "linux")]
mod story;
mod switched_off;
#[cfg(target_os = "linux")]
mod worker;
#[cfg(target_os = "linux")]
mod workerd;
use harness::{garage, s3};
use porchlight_test_harness as harness;
