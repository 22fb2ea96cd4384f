//! `/random_image`: any stored image, each as likely as the others.

use std::collections::HashMap;

use reqwest::Method;
use reqwest::header::{
    ACCEPT_RANGES, CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_TYPE, ETAG, IF_NONE_MATCH, IF_RANGE,
    RANGE,
};

use crate::harness::{TestService, assert_error, pictures};

async fn drawn(service: &TestService) -> String {
    let response = service.get("/random_image").await;
    assert_eq!(response.status(), 200);
    let headers = response.headers();
    assert_eq!(headers[CONTENT_TYPE], "image/webp");
    assert_eq!(headers[CACHE_CONTROL], "no-store");
    let disposition = headers[CONTENT_DISPOSITION]
        .to_str()
        .expect("text")
        .replace('"', "");
    let name = disposition
        .strip_prefix("inline; filename=")
        .expect("inline with a name");
    name.strip_suffix(".webp").expect("a WebP").to_owned()
}

#[tokio::test]
async fn without_images_it_is_not_found() {
    let service = TestService::start(&[]).await;
    assert_error(
        service.get("/random_image").await,
        404,
        "No images available",
    )
    .await;
    let hash = service.stored(pictures::photo()).await;
    assert_eq!(drawn(&service).await, hash);
    service.delete(&hash).await;
    assert_error(
        service.get("/random_image").await,
        404,
        "No images available",
    )
    .await;
}

#[tokio::test]
async fn a_random_image_has_the_bytes_of_the_image_it_names() {
    let service = TestService::start(&[]).await;
    for _ in 0..3 {
        service.stored(pictures::photo()).await;
    }
    for _ in 0..10 {
        let response = service.get("/random_image").await;
        let name = response.headers()[CONTENT_DISPOSITION]
            .to_str()
            .expect("text")
            .to_owned();
        let bytes = response.bytes().await.expect("a body");
        let hash = &name[name.find(".webp").expect("an ending") - 32..][..32];
        assert_eq!(service.webp(hash).await, bytes);
    }
}

#[tokio::test]
async fn every_image_is_as_likely_as_the_others() {
    let service = TestService::start(&["limits.requests_per_second=0"]).await;
    let mut hashes = Vec::new();
    for _ in 0..6 {
        hashes.push(service.stored(pictures::photo()).await);
    }
    // Gaps are where a draw by row number or by random key goes wrong.
    service.delete(&hashes.remove(1)).await;
    service.delete(&hashes.remove(1)).await;
    let mut seen: HashMap<String, u32> = HashMap::new();
    for _ in 0..800 {
        *seen.entry(drawn(&service).await).or_default() += 1;
    }
    assert_eq!(seen.len(), hashes.len(), "{seen:?}");
    for hash in hashes {
        // 200 expected, with a standard deviation of 12: five of them.
        assert!((140..=260).contains(&seen[&hash]), "{seen:?}");
    }
}

/// The next call answers with another image: neither ranges nor cached copies
/// of this one apply.
#[tokio::test]
async fn a_random_image_is_never_answered_with_304_or_206() {
    let service = TestService::start(&[]).await;
    let hash = service.stored(pictures::photo()).await;
    let whole = service.webp(&hash).await;
    let tag = format!("\"{hash}\"");
    for (name, value) in [
        (IF_NONE_MATCH, tag.as_str()),
        (IF_NONE_MATCH, "*"),
        (RANGE, "bytes=0-9"),
        (RANGE, "bytes=99999999-"),
    ] {
        for method in [Method::GET, Method::HEAD] {
            let request = service
                .request(method.clone(), "/random_image")
                .header(&name, value)
                .header(IF_RANGE, &tag);
            let response = request.send().await.expect("an answer");
            assert_eq!(response.status(), 200, "{method} {name}: {value}");
            for header in [ETAG, ACCEPT_RANGES] {
                assert!(!response.headers().contains_key(&header), "{header}");
            }
            if method == Method::GET {
                assert_eq!(response.bytes().await.expect("a body"), whole);
            }
        }
    }
}
