//! `?w=`: a narrower image for a narrower screen.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use futures_util::future::join_all;
use reqwest::Method;
use reqwest::header::{CACHE_CONTROL, CONTENT_LENGTH, CONTENT_TYPE, ETAG, IF_NONE_MATCH};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

use crate::harness::{TestService, assert_error, eventually, files, pictures};

#[tokio::test]
async fn a_supported_width_gives_a_rendition_of_the_same_shape() {
    let service = TestService::start(&[]).await;
    let large = pictures::scene(pictures::next_seed(), 1600, 1200);
    let hash = service.stored(pictures::jpeg(&large)).await;
    let whole = service.webp(&hash).await;
    for (width, height) in [(320, 240), (640, 480), (960, 720), (1280, 960)] {
        let path = format!("/i/{hash}?w={width}");
        let response = service.get(&path).await;
        assert_eq!(response.status(), 200, "{width}");
        assert_eq!(response.headers()[CONTENT_TYPE], "image/webp");
        let etag = response.headers()[ETAG].clone();
        assert_ne!(etag, format!("\"{hash}\""), "two pictures under one tag");
        let bytes = response.bytes().await.expect("a body");
        let picture = pictures::decoded(&bytes);
        assert_eq!((picture.width(), picture.height()), (width, height));
        assert!(bytes.len() < whole.len());

        // Made once: the same bytes again, and none when they are there.
        let again = service.get(&path).await.bytes().await.expect("a body");
        assert_eq!(again, bytes);
        let request = service
            .request(Method::GET, &path)
            .header(IF_NONE_MATCH, etag);
        assert_eq!(request.send().await.expect("an answer").status(), 304);
    }
}

#[tokio::test]
async fn a_rendition_is_never_wider_than_the_original() {
    let service = TestService::start(&[]).await;
    let hash = service
        .stored(pictures::jpeg(&pictures::scene(7_001, 400, 300)))
        .await;
    for (asked, width) in [(320, 320), (640, 400), (1920, 400)] {
        let response = service.get(&format!("/i/{hash}?w={asked}")).await;
        assert_eq!(response.status(), 200, "{asked}");
        let picture = pictures::decoded(&response.bytes().await.expect("a body"));
        assert_eq!(picture.width(), width, "{asked}");
    }
}

#[tokio::test]
async fn a_width_that_is_not_offered_is_refused() {
    let service = TestService::start(&[]).await;
    let hash = service.stored(pictures::photo()).await;
    for width in [
        "0",
        "1",
        "321",
        "-320",
        "320.0",
        "abc",
        "",
        "99999999999999999999",
        "%00",
    ] {
        let response = service.get(&format!("/i/{hash}?w={width}")).await;
        assert_error(response, 400, "Invalid width").await;
    }
}

#[tokio::test]
async fn an_unknown_image_has_no_renditions() {
    let service = TestService::start(&[]).await;
    let response = service
        .get("/i/00112233445566778899aabbccddeeff?w=320")
        .await;
    assert_error(response, 404, "Image not found").await;
}

#[tokio::test]
async fn renditions_are_no_images_of_their_own_and_go_with_theirs() {
    let mut service = TestService::start(&[]).await;
    let hash = service
        .stored(pictures::jpeg(&pictures::scene(7_002, 800, 600)))
        .await;
    let path = format!("/i/{hash}?w=320");
    let first = service.get(&path).await.bytes().await.expect("a body");
    assert_eq!(service.count().await, 1);

    service.restart().await;
    assert_eq!(service.count().await, 1);
    assert_eq!(
        service.get(&path).await.bytes().await.expect("a body"),
        first
    );

    assert_eq!(service.delete(&hash).await.status(), 200);
    assert_error(service.get(&path).await, 404, "Image not found").await;
    assert_eq!(
        files::below(&service.data_dir().join("images")),
        Vec::<PathBuf>::new()
    );
}

#[tokio::test]
async fn many_readers_of_a_new_rendition_all_get_it() {
    let service = TestService::builder()
        .env("PORCHLIGHT_LOG", "porchlight_service=debug")
        .start()
        .await;
    let hash = service
        .stored(pictures::jpeg(&pictures::scene(7_003, 2000, 1500)))
        .await;
    let path = format!("/i/{hash}?w=640");
    let (a, b, c, d) = tokio::join!(
        service.get(&path),
        service.get(&path),
        service.get(&path),
        service.get(&path)
    );
    let mut bodies = Vec::new();
    for response in [a, b, c, d] {
        assert_eq!(response.status(), 200);
        bodies.push(response.bytes().await.expect("a body"));
    }
    assert!(bodies.iter().all(|body| *body == bodies[0]));
    assert_eq!(pictures::decoded(&bodies[0]).width(), 640);
    let made = service.stderr().matches("making a rendition").count();
    assert_eq!(made, 1, "{}", service.stderr());
}

/// The paths of renditions that take a while to make, four of each image.
async fn slow_copies(service: &TestService, images: usize) -> Vec<String> {
    let mut paths = Vec::new();
    for _ in 0..images {
        let picture = pictures::scene(pictures::next_seed(), 1600, 1200);
        let hash = service.stored(pictures::jpeg(&picture)).await;
        paths.extend([320, 640, 960, 1280].map(|width| format!("/i/{hash}?w={width}")));
    }
    paths
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_copies_are_made_for_readers_who_disconnected() {
    let service = TestService::builder()
        .set("limits.requests_per_second=0")
        .env("PORCHLIGHT_LOG", "porchlight_service=debug")
        .start()
        .await;
    let own = wide(&service, 1).await.remove(0);
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let left = slow_copies(&service, 10 + cores).await;
    let asked = left.iter().map(async |path| {
        let mut socket = TcpStream::connect(service.address())
            .await
            .expect("a connection");
        let request = format!("HEAD {path} HTTP/1.1\r\nHost: localhost\r\n\r\n");
        socket.write_all(request.as_bytes()).await.expect("a head");
        socket
    });
    let sockets = join_all(asked).await;
    eventually("all requests have arrived", async || {
        let calls = service.json("/api_stats/i/%7Bhash%7D").await;
        (calls["count"].as_u64() >= Some(left.len() as u64)).then_some(())
    })
    .await;
    drop(sockets);
    // It waits only for copies that were being made when they disconnected.
    narrower(&service, &own).await;
    let made = service.stderr().matches("making a rendition").count();
    assert!(made < left.len() / 2, "{made} of {}", left.len());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_original_is_served_while_too_many_copies_are_made() {
    let service = TestService::start(&["limits.requests_per_second=0"]).await;
    // More than may wait at once and be made during that, on each core.
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let paths = slow_copies(&service, 24 + cores).await;
    let answers = join_all(paths.iter().map(async |path| {
        let answer = service.request(Method::HEAD, path).send().await;
        (path, answer.expect("an answer"))
    }))
    .await;
    let mut stand_ins = 0;
    for (path, answer) in answers {
        assert_eq!(answer.status(), 200, "{path}");
        if answer.headers().contains_key(ETAG) {
            continue;
        }
        stand_ins += 1;
        assert_eq!(answer.headers()[CACHE_CONTROL], "no-store", "{path}");
        if stand_ins == 1 {
            let hash = &path["/i/".len()..][..32];
            let whole = service.webp(hash).await.len().to_string();
            assert_eq!(answer.headers()[CONTENT_LENGTH], *whole);
            eventually("the copy", async || {
                let copy = service.get(path).await;
                copy.headers().contains_key(ETAG).then_some(())
            })
            .await;
        }
    }
    assert!(stand_ins > 0, "all {} were made at once", paths.len());
}

/// This many images that are wide enough for renditions.
async fn wide(service: &TestService, count: usize) -> Vec<String> {
    let mut hashes = Vec::new();
    for _ in 0..count {
        let picture = pictures::scene(pictures::next_seed(), 400, 300);
        hashes.push(service.stored(pictures::jpeg(&picture)).await);
    }
    hashes
}

/// The rendition, and not the original that is served instead on a busy machine.
async fn narrower(service: &TestService, hash: &str) -> Vec<u8> {
    let response = eventually("a narrower copy", async || {
        let response = service.get(&format!("/i/{hash}?w=320")).await;
        assert_eq!(response.status(), 200);
        response.headers().contains_key(ETAG).then_some(response)
    })
    .await;
    response.bytes().await.expect("a body").to_vec()
}

fn copy_of(data_dir: &Path, hash: &str) -> PathBuf {
    let file = format!("renditions/{}/{hash}.w320.webp", &hash[..2]);
    data_dir.join(file)
}

/// Bytes that all renditions take.
fn taken(data_dir: &Path) -> u64 {
    let copies = files::below(&data_dir.join("renditions"));
    // One may go while this looks.
    let sizes = copies.iter().filter_map(|copy| copy.metadata().ok());
    sizes.map(|about| about.len()).sum()
}

#[tokio::test]
async fn narrower_copies_stay_within_their_bound_and_the_longest_unused_go() {
    let mut service = TestService::start(&["limits.requests_per_second=0"]).await;
    let hashes = wide(&service, 8).await;
    let folder = service.data_dir().to_owned();
    let originals = files::precious(&folder.join("images/.."));
    let mut copies = Vec::new();
    for hash in &hashes {
        copies.push(narrower(&service, hash).await);
    }
    // Their sizes differ: what room there is follows from those that shall stay.
    let sizes: Vec<u64> = copies.iter().map(|copy| copy.len() as u64).collect();
    let room = sizes[..3].iter().sum::<u64>() + sizes.iter().min().expect("copies") / 2;
    // What each was last of use for is in the times of the files: the fourth is
    // the longest unused, then come the fifth and so on.
    service.stop().await;
    let now = SystemTime::now();
    for (age, number) in (3..8).rev().chain([2, 1, 0]).enumerate() {
        let file = std::fs::File::options()
            .write(true)
            .open(copy_of(&folder, &hashes[number]))
            .expect("a copy");
        let used = now - Duration::from_secs(60 * (100 - age as u64));
        file.set_modified(used).expect("a time");
    }
    // Room for three and a half, and a start with eight: a sweep leaves a tenth free.
    let bound = room * 10 / 9 + 1;
    service
        .restart_with(&[&format!("images.rendition_cache_bytes={bound}")])
        .await;
    eventually("the oldest are swept, and they alone", async || {
        let is_there = |number: &usize| copy_of(&folder, &hashes[*number]).exists();
        (0..8).filter(is_there).eq(0..3).then_some(())
    })
    .await;
    assert!(taken(&folder) <= bound, "{sizes:?}");

    // A reader of the first keeps it; the second and third make room.
    assert_eq!(narrower(&service, &hashes[0]).await, copies[0]);
    for number in 4..8 {
        assert_eq!(narrower(&service, &hashes[number]).await, copies[number]);
        assert_eq!(narrower(&service, &hashes[0]).await, copies[0]);
    }
    eventually("there is room again", async || {
        (taken(&folder) <= bound).then_some(())
    })
    .await;
    assert!(copy_of(&folder, &hashes[0]).exists());
    assert!(!copy_of(&folder, &hashes[2]).exists());
    let after = files::precious(&folder.join("images/.."));
    for (file, bytes) in originals {
        if file.extension().is_some_and(|ending| ending == "webp") {
            assert_eq!(after.get(&file), Some(&bytes), "{}", file.display());
        }
    }
    let ended = service.run(&["check"]).await;
    assert!(ended.status.success(), "{ended:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn readers_of_copies_that_are_swept_all_the_time_notice_nothing() {
    for bound in [0, 20_000] {
        let service = TestService::start(&[
            "limits.requests_per_second=0",
            &format!("images.rendition_cache_bytes={bound}"),
        ])
        .await;
        let hashes = wide(&service, 5).await;
        let mut copies = Vec::new();
        for hash in &hashes {
            copies.push(narrower(&service, hash).await);
        }
        let readers = (0..4).map(|reader| {
            let (service, hashes, copies) = (&service, &hashes, &copies);
            async move {
                for turn in 0..25 {
                    let number = (reader * 7 + turn) % hashes.len();
                    assert_eq!(narrower(service, &hashes[number]).await, copies[number]);
                }
            }
        });
        join_all(readers).await;
        eventually("within the bound", async || {
            (taken(service.data_dir()) <= bound).then_some(())
        })
        .await;
    }
}
