//! Memory after conversions.

use futures_util::future::join_all;

use crate::harness::memory::memory_of;
use crate::harness::pictures::{jpeg, scene};
use crate::harness::{TestService, eventually};

/// More than an idle service, in bytes; the pixels of one of the pictures take 34 MiB.
const LEFT: u64 = 32 << 20;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn memory_freed_by_conversions_is_returned_to_the_system() {
    let pictures: Vec<_> = (0..4).map(|seed| jpeg(&scene(seed, 4000, 3000))).collect();
    let service = TestService::start(&[]).await;
    let idle = memory_of(service.pid());
    let uploads = pictures.into_iter().map(|picture| service.upload(picture));
    for answer in join_all(uploads).await {
        assert_eq!(answer.status(), 201);
    }
    eventually("little more memory than before", async || {
        (memory_of(service.pid()) < idle + LEFT).then_some(())
    })
    .await;
}
