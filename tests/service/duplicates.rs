//! The same image twice: refused, with the hash it is already known by.

use futures_util::future::join_all;
use image::ImageFormat;
use reqwest::Method;
use serde_json::json;
use sha2::{Digest, Sha256};

use crate::harness::{TestService, answer, assert_error, pictures};

#[tokio::test]
async fn the_same_source_bytes_are_refused_with_the_existing_hash() {
    let service = TestService::start(&["behaviour=A"]).await;
    let photo = pictures::photo();
    let hash = service.stored(photo.clone()).await;
    for _ in 0..2 {
        let refused = answer(service.upload(photo.clone()).await).await;
        let body = json!({ "error": "Image already exists", "existingHash": hash });
        assert_eq!(refused, (409, body));
    }
    assert_eq!(service.count().await, 1);
}

#[tokio::test]
async fn other_source_bytes_of_the_same_picture_are_refused_too() {
    let service = TestService::start(&[]).await;
    let picture = pictures::scene(pictures::next_seed(), 70, 50);
    let hash = service.stored(pictures::png(&picture)).await;
    for format in [ImageFormat::Bmp, ImageFormat::Tiff] {
        let (status, body) =
            answer(service.upload(pictures::encoded(&picture, format)).await).await;
        assert_eq!(
            (status, &body["existingHash"]),
            (409, &json!(hash)),
            "{format:?}"
        );
    }
    assert_eq!(service.count().await, 1);
}

#[tokio::test]
async fn a_stored_webp_uploaded_again_is_refused() {
    let service = TestService::start(&[]).await;
    let hash = service.stored(pictures::photo()).await;
    let webp = service.webp(&hash).await;
    let (status, body) = answer(service.upload(webp).await).await;
    assert_eq!((status, &body["existingHash"]), (409, &json!(hash)));
    assert_eq!(service.count().await, 1);
}

#[tokio::test]
async fn a_source_stays_known_after_the_quality_changes() {
    let mut service = TestService::start(&["images.quality=80"]).await;
    let photo = pictures::photo();
    let hash = service.stored(photo.clone()).await;
    service.restart_with(&["images.quality=30"]).await;
    let (status, body) = answer(service.upload(photo).await).await;
    assert_eq!((status, &body["existingHash"]), (409, &json!(hash)));
}

#[tokio::test]
async fn a_deleted_image_may_come_back() {
    let service = TestService::start(&[]).await;
    let picture = pictures::scene(pictures::next_seed(), 70, 50);
    let png = pictures::png(&picture);
    let hash = service.stored(png.clone()).await;
    assert_eq!(service.delete(&hash).await.status(), 200);
    assert_eq!(service.stored(png).await, hash);
    assert!(pictures::is_webp(&service.webp(&hash).await));
    assert_eq!(service.count().await, 1);
}

#[tokio::test]
async fn of_many_uploads_at_once_of_one_picture_one_is_stored() {
    let service = TestService::start(&[]).await;
    let picture = pictures::scene(pictures::next_seed(), 300, 200);
    // Half of them have other source bytes, so both checks race.
    let files = [
        pictures::png(&picture),
        pictures::encoded(&picture, ImageFormat::Bmp),
    ];
    let mut uploads = Vec::new();
    for number in 0..12 {
        uploads.push(service.upload(files[number % 2].clone()));
    }
    let mut stored = Vec::new();
    let mut refused = Vec::new();
    for response in join_all(uploads).await {
        let (status, body) = answer(response).await;
        match status {
            201 => stored.push(body["hash"].clone()),
            409 => refused.push(body["existingHash"].clone()),
            _ => panic!("{status}: {body}"),
        }
    }
    assert_eq!((stored.len(), refused.len()), (1, 11));
    assert!(refused.iter().all(|hash| *hash == stored[0]), "{refused:?}");
    assert_eq!(service.count().await, 1);
}

#[tokio::test]
async fn by_source_returns_the_image_of_some_bytes() {
    let service = TestService::start(&[]).await;
    let photo = pictures::photo();
    let digest = hex::encode(Sha256::digest(&photo));
    let ask = |digest: String, token: String| {
        let request = service.request(Method::GET, &format!("/images/by-source/{digest}"));
        async move { request.bearer_auth(token).send().await.expect("an answer") }
    };
    let upload = service.token("upload").await;

    assert_eq!(ask(digest.clone(), upload.clone()).await.status(), 404);
    let hash = service.stored(photo).await;
    for token in [&upload, &service.admin_token] {
        let plain = json!({ "hash": hash });
        let detailed = json!({ "hash": hash, "width": 96, "height": 64 });
        for (detail, body) in [
            ("", &plain),
            ("?detail=0", &plain),
            ("?detail=1", &detailed),
        ] {
            let found = ask(format!("{digest}{detail}"), token.clone()).await;
            assert_eq!(answer(found).await, (200, body.clone()));
        }
    }
    let heartbeat = service.heartbeat_token.clone();
    assert_error(ask(digest.clone(), heartbeat).await, 403, "Forbidden").await;
    let wrong = "wrong".to_owned();
    assert_error(ask(digest.clone(), wrong).await, 401, "Unauthorized").await;
    for malformed in ["00", "zz", &digest[1..], &format!("{digest}0")] {
        let response = ask(malformed.to_owned(), upload.clone()).await;
        assert_eq!(response.status(), 404, "{malformed}");
    }

    service.delete(&hash).await;
    assert_eq!(ask(digest, upload).await.status(), 404);
}
