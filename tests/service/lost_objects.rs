//! An image is reported as stored only where its file exists and has its length. A lost file is stored
//! again, under the name that published links have.

use std::fs;
use std::path::PathBuf;

use image::ImageFormat;
use reqwest::Method;
use serde_json::json;
use sha2::{Digest as _, Sha256};

use crate::harness::{TestService, answer, pictures};

/// Where the file of an image is.
fn file_of(service: &TestService, hash: &str) -> PathBuf {
    let folder = service.data_dir().join("images").join(&hash[..2]);
    folder.join(format!("{hash}.webp"))
}

/// Changes a byte in the middle: the length stays.
fn rot(service: &TestService, hash: &str) {
    let file = file_of(service, hash);
    let mut bytes = fs::read(&file).expect("a file");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 0x55;
    fs::write(&file, bytes).expect("to write");
}

/// The answer for the SHA-256 of these source bytes.
async fn by_source(service: &TestService, source: &[u8]) -> (u16, serde_json::Value) {
    let digest = hex::encode(Sha256::digest(source));
    let request = service.request(Method::GET, &format!("/images/by-source/{digest}"));
    let request = request.bearer_auth(&service.admin_token);
    answer(request.send().await.expect("an answer")).await
}

#[tokio::test]
async fn a_duplicate_whose_file_is_lost_is_stored_again_under_its_name() {
    let service = TestService::start(&[]).await;
    let picture = pictures::scene(pictures::next_seed(), 70, 50);
    let source = pictures::png(&picture);
    let hash = service.stored(source.clone()).await;
    let webp = service.webp(&hash).await;
    let sources = [
        source.clone(),
        // Other source bytes, and the stored bytes themselves.
        pictures::encoded(&picture, ImageFormat::Bmp),
        webp.clone(),
    ];
    for again in sources {
        fs::remove_file(file_of(&service, &hash)).expect("a file");
        assert_eq!(by_source(&service, &source).await.0, 404);
        let (status, body) = answer(service.upload(again.clone()).await).await;
        assert_eq!((status, &body["hash"]), (201, &json!(hash)));
        assert_eq!(fs::read(file_of(&service, &hash)).expect("a file"), webp);
        assert_eq!(by_source(&service, &again).await.0, 200);
        assert_eq!(service.upload(again).await.status(), 409);
    }
    assert_eq!(service.webp(&hash).await, webp);
    assert_eq!(service.count().await, 1);
}

#[tokio::test]
async fn a_file_of_another_length_is_not_the_stored_one() {
    let service = TestService::start(&[]).await;
    let source = pictures::photo();
    let hash = service.stored(source.clone()).await;
    let webp = service.webp(&hash).await;
    fs::write(file_of(&service, &hash), b"RIFF").expect("to write");
    let (status, body) = answer(service.upload(source.clone()).await).await;
    assert_eq!((status, &body["hash"]), (201, &json!(hash)));
    assert_eq!(fs::read(file_of(&service, &hash)).expect("a file"), webp);
    assert_eq!(service.count().await, 1);
}

/// How many bytes a process has read, from files and everything else.
#[cfg(target_os = "linux")]
fn read_by(service: &TestService) -> u64 {
    let io = fs::read_to_string(format!("/proc/{}/io", service.pid())).expect("Linux");
    let read = io.lines().find_map(|line| line.strip_prefix("rchar: "));
    read.expect("a line").parse().expect("a number")
}

/// A leaked token of scope `upload` would otherwise read gigabytes in a second.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_look_up_reads_no_picture_whatever_it_asks_for() {
    let mut service = TestService::start(&["limits.requests_per_second=0"]).await;
    let source = pictures::jpeg(&pictures::scene(1, 1200, 900));
    let hash = service.stored(source.clone()).await;
    let size = service.webp(&hash).await.len() as u64;
    service.restart().await;
    let before = read_by(&service);
    let digest = hex::encode(Sha256::digest(&source));
    for _ in 0..50 {
        let path = format!("/images/by-source/{digest}?verify=1");
        let request = service.request(Method::GET, &path);
        let request = request.bearer_auth(&service.admin_token);
        let found = answer(request.send().await.expect("an answer")).await;
        assert_eq!(found, (200, json!({ "hash": hash })));
    }
    let read = read_by(&service) - before;
    assert!(read < 10 * size, "{read} bytes for a picture of {size}");
}

#[tokio::test]
async fn a_lost_file_is_stored_again_after_the_quality_changed() {
    let mut service = TestService::start(&["images.quality=80"]).await;
    let source = pictures::photo();
    let hash = service.stored(source.clone()).await;
    let listed = service.json("/images/list").await;
    fs::remove_file(file_of(&service, &hash)).expect("a file");
    service.restart_with(&["images.quality=30"]).await;
    let (status, body) = answer(service.upload(source.clone()).await).await;
    assert_eq!((status, &body["hash"]), (201, &json!(hash)));
    let webp = service.webp(&hash).await;
    assert_eq!(body["size"], webp.len());
    assert_eq!(service.json("/images/list").await, listed);
    assert_eq!(by_source(&service, &source).await.0, 200);
    let checked = service.run(&["check"]).await;
    assert!(checked.status.success(), "{checked:?}");
}

/// Its source is the other image from then on; the row of the lost one is for a repair.
#[tokio::test]
async fn a_lost_image_that_would_become_another_one_is_reported_as_that() {
    let mut service = TestService::start(&["images.quality=80"]).await;
    let picture = pictures::scene(pictures::next_seed(), 70, 50);
    let png = pictures::png(&picture);
    let lost = service.stored(png.clone()).await;
    fs::remove_file(file_of(&service, &lost)).expect("a file");
    service.restart_with(&["images.quality=30"]).await;
    let other = service
        .stored(pictures::encoded(&picture, ImageFormat::Bmp))
        .await;
    assert_ne!(other, lost);
    let (status, body) = answer(service.upload(png.clone()).await).await;
    assert_eq!((status, &body["existingHash"]), (409, &json!(other)));
    fs::remove_file(file_of(&service, &other)).expect("a file");
    assert_eq!(service.stored(png.clone()).await, other, "both were lost");
    let checked = service.run(&["check"]).await;
    assert_eq!(checked.status.code(), Some(1), "{checked:?}");
    assert!(checked.stdout.contains(&lost), "{checked:?}");
    service.stop().await;
    let repaired = service.run(&["check", "--repair"]).await;
    assert!(repaired.status.success(), "{repaired:?}");
    service.restart().await;
    assert_eq!(service.count().await, 1);
    let (status, body) = answer(service.upload(png.clone()).await).await;
    assert_eq!((status, &body["existingHash"]), (409, &json!(other)));
    // And where that one is lost, too, it is stored again.
    fs::remove_file(file_of(&service, &other)).expect("a file");
    assert_eq!(service.stored(png).await, other);
    service.webp(&other).await;
}

#[tokio::test]
async fn no_narrower_copy_of_a_rotten_file_stays() {
    let mut service = TestService::start(&[]).await;
    // The same in each run: not every file with a wrong byte can still be decoded, as this one can.
    let source = pictures::jpeg(&pictures::scene(1, 400, 300));
    let hash = service.stored(source.clone()).await;
    let narrow = format!("/i/{hash}?w=320");
    let bytes = async |service: &TestService| {
        let answer = service.get(&narrow).await;
        assert_eq!(answer.status(), 200);
        answer.bytes().await.expect("bytes")
    };
    let right = bytes(&service).await;
    let renditions = service.data_dir().join("renditions").join(&hash[..2]);
    let file = renditions.join(format!("{hash}.w320.webp"));
    service.stop().await;
    fs::remove_file(&file).expect("a narrower copy");
    rot(&service, &hash);
    service.restart().await;
    // Of the rotten one none is kept,
    assert_ne!(bytes(&service).await, right);
    assert!(!file.exists());
    // and one of an earlier time goes when the image is stored again.
    fs::write(&file, b"of a rotten file").expect("to write");
    fs::remove_file(file_of(&service, &hash)).expect("a file");
    let (status, body) = answer(service.upload(source).await).await;
    assert_eq!((status, &body["hash"]), (201, &json!(hash)));
    assert_eq!(bytes(&service).await, right);
}
