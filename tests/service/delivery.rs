//! How a reader gets an image: headers, conditional requests, spellings of the
//! hash, and the end of it by DELETE.

use reqwest::Method;
use reqwest::header::{CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_TYPE, ETAG, IF_NONE_MATCH};
use serde_json::json;

use crate::harness::{TestService, answer, assert_error, pictures};

#[tokio::test]
async fn the_short_address_is_cached_for_a_year() {
    let service = TestService::start(&[]).await;
    let hash = service.stored(pictures::photo()).await;
    let response = service.get(&format!("/i/{hash}")).await;
    let headers = response.headers();
    assert_eq!(headers[CONTENT_TYPE], "image/webp");
    let disposition = headers[CONTENT_DISPOSITION]
        .to_str()
        .expect("text")
        .replace('"', "");
    assert_eq!(disposition, format!("inline; filename={hash}.webp"));
    assert_eq!(headers[ETAG], format!("\"{hash}\""));
    let cache: Vec<&str> = headers[CACHE_CONTROL]
        .to_str()
        .expect("text")
        .split(',')
        .map(str::trim)
        .collect();
    for word in ["public", "max-age=31536000", "immutable"] {
        assert!(cache.contains(&word), "{cache:?}");
    }
    let length = headers["content-length"].to_str().expect("text").to_owned();
    assert_eq!(
        response.bytes().await.expect("a body").len().to_string(),
        length
    );
}

#[tokio::test]
async fn the_long_address_is_revalidated_by_its_etag() {
    let service = TestService::start(&[]).await;
    let hash = service.stored(pictures::photo()).await;
    let path = format!("/images/{hash}");
    let response = service.get(&path).await;
    let headers = response.headers();
    assert_eq!(headers[CONTENT_TYPE], "image/webp");
    let disposition = headers[CONTENT_DISPOSITION]
        .to_str()
        .expect("text")
        .replace('"', "");
    assert_eq!(disposition, format!("inline; filename={hash}.webp"));
    let cache = headers[CACHE_CONTROL].to_str().expect("text");
    assert!(
        cache.contains("no-cache") || cache.contains("max-age=0"),
        "{cache}"
    );
    let etag = headers[ETAG].clone();
    let again = service
        .request(Method::GET, &path)
        .header(IF_NONE_MATCH, etag)
        .send()
        .await;
    assert_eq!(again.expect("an answer").status(), 304);
}

#[tokio::test]
async fn an_address_that_ends_in_any_name_is_that_of_the_image() {
    let service = TestService::start(&[]).await;
    let hash = service.stored(pictures::photo()).await;
    let whole = service.get(&format!("/i/{hash}")).await;
    let (etag, cache) = (
        whole.headers()[ETAG].clone(),
        whole.headers()[CACHE_CONTROL].clone(),
    );
    let bytes = whole.bytes().await.expect("a body");
    let upper = hash.to_ascii_uppercase();
    for path in [
        format!("/i/{hash}/a-cat.webp"),
        format!("/i/{upper}/%E5%9C%A8%E6%B5%B7%E8%BE%B9.webp"),
        format!("/i/{hash}.webp/x.webp"),
    ] {
        let named = service.get(&path).await;
        assert_eq!(named.status(), 200, "{path}");
        assert_eq!(
            (&named.headers()[ETAG], &named.headers()[CACHE_CONTROL]),
            (&etag, &cache)
        );
        assert_eq!(named.bytes().await.expect("a body"), bytes, "{path}");
    }
    let narrow = service.get(&format!("/i/{hash}/a-cat.webp?w=7")).await;
    assert_error(narrow, 400, "Invalid width").await;
    let other = "ffffffffffffffffffffffffffffffff";
    for path in [
        format!("/i/{hash}/a-cat"),
        format!("/i/{hash}/a/cat.webp"),
        format!("/i/{other}/a-cat.webp"),
        "/i/nothing/a-cat.webp".to_owned(),
    ] {
        assert_eq!(service.get(&path).await.status(), 404, "{path}");
    }
}

#[tokio::test]
async fn a_cached_image_is_not_sent_again() {
    let service = TestService::start(&[]).await;
    let hash = service.stored(pictures::photo()).await;
    let other = "ffffffffffffffffffffffffffffffff";
    let cases = [
        (format!("\"{hash}\""), 304),
        (format!("W/\"{hash}\""), 304),
        (format!("\"{other}\", \"{hash}\""), 304),
        (format!("\"{other}\",W/\"{hash}\" , \"more\""), 304),
        ("*".to_owned(), 304),
        (format!("\"{other}\""), 200),
        (format!("\"{}\"", &hash[1..]), 200),
        (hash.clone(), 200),
    ];
    for path in [format!("/i/{hash}"), format!("/images/{hash}")] {
        let full = service.get(&path).await;
        for (given, status) in &cases {
            for method in [Method::GET, Method::HEAD] {
                let request = service.request(method, &path).header(IF_NONE_MATCH, given);
                let response = request.send().await.expect("an answer");
                assert_eq!(response.status(), *status, "{path}: {given}");
                if *status == 304 {
                    for name in [ETAG, CACHE_CONTROL] {
                        assert_eq!(response.headers().get(&name), full.headers().get(&name));
                    }
                    assert!(response.bytes().await.expect("a body").is_empty());
                }
            }
        }
    }
}

#[tokio::test]
async fn having_something_does_not_make_an_unknown_image_known() {
    let service = TestService::start(&[]).await;
    let request = service.request(Method::GET, "/i/00112233445566778899aabbccddeeff");
    let response = request
        .header(IF_NONE_MATCH, "*")
        .send()
        .await
        .expect("an answer");
    assert_error(response, 404, "Image not found").await;
}

#[tokio::test]
async fn a_hash_may_be_in_either_case_and_carry_its_ending() {
    let service = TestService::start(&[]).await;
    let hash = service.stored(pictures::photo()).await;
    let bytes = service.webp(&hash).await;
    for spelling in [
        hash.to_uppercase(),
        format!("{hash}.webp"),
        format!("{}.webp", hash.to_uppercase()),
    ] {
        for path in [format!("/i/{spelling}"), format!("/images/{spelling}")] {
            let response = service.get(&path).await;
            assert_eq!(response.status(), 200, "{path}");
            assert_eq!(response.headers()[ETAG], format!("\"{hash}\""), "{path}");
            assert_eq!(response.bytes().await.expect("a body"), bytes, "{path}");
        }
    }
    let deleted = service
        .delete(&format!("{}.webp", hash.to_uppercase()))
        .await;
    let (status, body) = answer(deleted).await;
    assert_eq!((status, &body["hash"]), (200, &json!(hash)));
    assert_eq!(service.count().await, 0);
}

#[tokio::test]
async fn an_unknown_or_malformed_hash_is_an_image_not_found() {
    let service = TestService::start(&[]).await;
    let hash = service.stored(pictures::photo()).await;
    for wrong in [
        "00112233445566778899aabbccddeeff",
        &hash[1..],
        &format!("{hash}0"),
        &format!("{hash}.png"),
        &format!("{hash}.webp.webp"),
        "nothing",
        "zz112233445566778899aabbccddeeff",
        "%E7%81%AF",
    ] {
        for path in [format!("/i/{wrong}"), format!("/images/{wrong}")] {
            assert_error(service.get(&path).await, 404, "Image not found").await;
        }
        assert_error(service.delete(wrong).await, 404, "Image not found").await;
    }
    assert_eq!(service.count().await, 1);
}

#[tokio::test]
async fn a_deleted_image_stays_deleted() {
    let mut service = TestService::start(&["behaviour=A"]).await;
    let hash = service.stored(pictures::photo()).await;
    let kept = service.stored(pictures::photo()).await;
    // Read once, so that it is also gone from whatever remembers it.
    service.webp(&hash).await;
    let file = service
        .data_dir()
        .join(format!("images/{}/{hash}.webp", &hash[..2]));
    assert!(file.exists());

    let deleted = answer(service.delete(&hash).await).await;
    let body = json!({ "message": "Image deleted successfully", "hash": hash });
    assert_eq!(deleted, (200, body));
    assert!(!file.exists());
    for restarted in [false, true] {
        if restarted {
            service.restart().await;
        }
        for path in [format!("/i/{hash}"), format!("/images/{hash}")] {
            assert_error(service.get(&path).await, 404, "Image not found").await;
        }
        assert_error(service.delete(&hash).await, 404, "Image not found").await;
        assert_eq!(service.count().await, 1);
        service.webp(&kept).await;
    }
}
