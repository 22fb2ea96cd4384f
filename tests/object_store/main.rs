//! Images in an object store: in a real one, and in one that is in trouble.

mod real;
mod trouble;
use harness::{garage, s3};
use porchlight_test_harness as harness;
