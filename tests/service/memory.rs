//! Memory after conversions, and for readers who take nothing.

use futures_util::future::join_all;

use crate::harness::memory::anonymous_of;
use crate::harness::pictures::{self, jpeg, scene};
use crate::harness::process::peak_memory;
use crate::harness::{TestService, eventually, raw};

/// More than an idle service, in bytes; the pixels of one of the pictures take 34 MiB.
const LEFT: u64 = 32 << 20;
/// Readers who take nothing, and what each may cost in bytes.
const SILENT: u64 = 400;
const OF_ONE: u64 = 256 << 10;
/// More than before them, when they have gone.
const LEFT_OF_READERS: u64 = 16 << 20;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn memory_of_conversions_is_that_of_helper_processes_and_ends_with_them() {
    let pictures: Vec<_> = (0..4).map(|seed| jpeg(&scene(seed, 4000, 3000))).collect();
    let service = TestService::start(&[]).await;
    let idle = peak_memory(service.pid());
    let uploads = pictures.into_iter().map(|picture| service.upload(picture));
    for answer in join_all(uploads).await {
        assert_eq!(answer.status(), 201);
    }
    let peak = peak_memory(service.pid());
    assert!(peak < idle + LEFT, "{} MiB more", (peak - idle) >> 20);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn readers_who_take_nothing_of_a_large_image_cost_little_memory_and_only_while_they_are_there()
 {
    let settings = ["limits.requests_per_second=0", "images.quality=100"];
    let mut service = TestService::start(&settings).await;
    let hash = service.stored(pictures::large()).await;
    // Nothing that the conversion has freed is used again.
    service.restart().await;
    let idle = anonymous_of(service.pid());
    let mut silent = Vec::new();
    for _ in 0..SILENT {
        silent.push(raw::silent_reader(service.address(), &hash, "").await);
    }
    for reader in &silent {
        reader.readable().await.expect("the start of the answer");
    }
    // What is held for them is complete when another one has read everything.
    service.webp(&hash).await;
    let taken = anonymous_of(service.pid()) - idle;
    assert!(
        taken < SILENT * OF_ONE,
        "{} KiB each",
        (taken / SILENT) >> 10
    );
    drop(silent);
    eventually("little more memory than before", async || {
        (anonymous_of(service.pid()) < idle + LEFT_OF_READERS).then_some(())
    })
    .await;
}
