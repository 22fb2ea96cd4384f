//! A hundred thousand pictures: how long the Worker needs to know them all, and one more, and how long both
//! take to answer.
#![allow(clippy::print_stdout, reason = "what is measured is printed")]

use std::time::{Duration, Instant};

use super::sync::lists;
use crate::harness::workerd::Worker;
use crate::harness::{TestService, pictures};

/// Writes so many rows of pictures, a third upright and an eighth in an album, without their files.
fn write_rows(service: &TestService, count: u32) {
    let file = service.data_dir().join("porchlight.db");
    let mut database = rusqlite::Connection::open(file).expect("a database");
    let transaction = database.transaction().expect("a transaction");
    for number in 0..count {
        let (width, height) = [(1_600, 1_200), (1_200, 1_600), (1_000, 1_000)][number as usize % 3];
        let album = (number % 8 == 0).then_some("Travel");
        let insert = "INSERT INTO image (hash, sha256, size, width, height, frames, created_at,
                          source_size, source_format, colour, thumbhash, album, place)
                      VALUES (randomblob(16), randomblob(32), 150000, ?1, ?2, 1, ?3, 900000, 'JPEG',
                              ?4, randomblob(24), ?5, 2)";
        let at = 1_577_836_800_000_i64 + i64::from(number) * 60_000;
        let values = (width, height, at, number, album);
        transaction.execute(insert, values).expect("a row");
    }
    transaction.commit().expect("committed");
}

/// The 99th of a hundred times that this request took.
async fn p99(times: usize, request: impl AsyncFn(usize)) -> Duration {
    let mut took = Vec::new();
    for number in 0..times {
        let began = Instant::now();
        request(number).await;
        took.push(began.elapsed());
    }
    took.sort_unstable();
    took[times * 99 / 100]
}

async fn run(count: u32) {
    let worker = Worker::with_store().await;
    let settings = worker.settings();
    let mut service = TestService::builder()
        .set("storage.kind=edge")
        .set("limits.requests_per_second=0")
        .sets(&settings)
        .start()
        .await;
    service.stop().await;
    write_rows(&service, count);
    let began = Instant::now();
    service.restart().await;
    lists(&worker, count.into()).await;
    assert!(
        began.elapsed() < Duration::from_secs(300),
        "{:?}",
        began.elapsed()
    );
    println!(
        "{count} pictures: the Worker knows all after {:?}",
        began.elapsed()
    );
    let began = Instant::now();
    service.stored(pictures::photo()).await;
    lists(&worker, (count + 1).into()).await;
    let took = began.elapsed();
    println!("one more: after {took:?}");
    assert!(took < Duration::from_secs(3), "{took:?}");
    for path in [
        "/images/count",
        "/images/list?page={}&limit=100",
        "/images/list?album=Travel&page={}",
        "/random_image?form=json",
        "/random_image?form=json&orientation=portrait&album=Travel",
        "/random_image?form=json&seed={}",
        "/random_image?form=json&album=Travel&seed={}",
    ] {
        let path = |number: usize| path.replace("{}", &(1 + number * 97 % 900).to_string());
        let at_home = p99(300, async |number| {
            assert_eq!(service.get(&path(number)).await.status(), 200);
        });
        let at_home = at_home.await;
        let at_worker = p99(300, async |number| {
            assert_eq!(worker.get(&path(number)).await.status(), 200);
        });
        println!(
            "{}: p99 {at_home:?} here, {:?} at the Worker",
            path(0),
            at_worker.await
        );
    }
}

#[tokio::test]
async fn a_few_thousand_pictures_are_known_in_several_calls() {
    run(3_500).await;
}

/// The full form: `cargo xtask verify --only worker`.
#[tokio::test]
#[ignore = "takes minutes"]
async fn a_hundred_thousand_pictures_are_known_within_five_minutes() {
    run(100_000).await;
}
