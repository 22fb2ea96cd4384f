//! Memory after conversions, and for readers who take nothing.

use futures_util::future::join_all;

use crate::harness::memory::{anonymous_of, open_files};
use crate::harness::pictures::{self, jpeg, scene};
use crate::harness::process::peak_memory;
use crate::harness::{TestService, eventually, raw};

/// More than an idle service, in bytes; the pixels of one of the pictures take 34 MiB.
const LEFT: u64 = 32 << 20;
/// Readers who take nothing, and what each may cost in bytes.
const SILENT: u64 = 400;
const OF_ONE: u64 = 256 << 10;
/// What as many readers after them may cost in addition.
const OF_MORE_READERS: u64 = 16 << 20;

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
async fn readers_who_take_nothing_of_a_large_image_cost_little_memory_and_those_after_them_none() {
    let settings = ["limits.requests_per_second=0", "images.quality=100"];
    let mut service = TestService::start(&settings).await;
    let hash = service.stored(pictures::large()).await;
    // Nothing that the upload has freed is used again.
    service.restart().await;
    let (idle, files) = (anonymous_of(service.pid()), open_files(service.pid()));
    let mut taken = Vec::new();
    for _ in 0..2 {
        let mut silent = Vec::new();
        for _ in 0..SILENT {
            silent.push(raw::silent_reader(service.address(), &hash, "").await);
        }
        for reader in &silent {
            reader.readable().await.expect("the start of the answer");
        }
        // What is held for them is complete when another one has read everything.
        service.webp(&hash).await;
        taken.push(anonymous_of(service.pid()) - idle);
        drop(silent);
        eventually("their connections and files are closed", async || {
            (open_files(service.pid()) < files + SILENT as usize / 8).then_some(())
        })
        .await;
    }
    let (first, second) = (taken[0], taken[1]);
    assert!(
        first < SILENT * OF_ONE,
        "{} KiB each",
        (first / SILENT) >> 10
    );
    assert!(
        second < first + OF_MORE_READERS,
        "{} MiB after {} MiB",
        second >> 20,
        first >> 20
    );
}
