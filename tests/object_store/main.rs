//! Images in an object store: in a real one, and in one that is in trouble.

#[path = "../harness/garage.rs"]
mod garage;
#[path = "../harness/mod.rs"]
mod harness;
#[path = "../harness/s3.rs"]
mod s3;

mod real;
mod trouble;
