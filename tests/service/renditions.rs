//! `?w=`: a narrower picture for a narrower screen.

use std::path::PathBuf;

use reqwest::Method;
use reqwest::header::{CONTENT_TYPE, ETAG, IF_NONE_MATCH};

use crate::harness::{TestService, assert_error, files, pictures};

#[tokio::test]
async fn a_width_that_is_made_gives_a_narrower_picture_of_the_same_shape() {
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
async fn any_other_width_is_refused() {
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
    let service = TestService::start(&[]).await;
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
}
