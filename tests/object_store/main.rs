//! Images and the snapshot in an object store: in a real one, and in one that is in trouble.

mod edge_init;
mod publish;
mod real;
#[cfg(target_os = "linux")]
mod sleep;
mod trouble;
#[cfg(target_os = "linux")]
mod worker;
use harness::{garage, s3};
use porchlight_test_harness as harness;
