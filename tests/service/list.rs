//! `/images/list` and `/images/count`: what there is, page by page.

use std::collections::HashSet;

use serde_json::{Value, json};

use crate::harness::{TestService, assert_error, pictures};

/// `2026-01-31T08:15:00.000Z`, and nothing else.
pub(crate) fn is_timestamp(text: &str) -> bool {
    text.len() == 24
        && text
            .bytes()
            .zip("0000-00-00T00:00:00.000Z".bytes())
            .all(|(have, pattern)| {
                if pattern == b'0' {
                    have.is_ascii_digit()
                } else {
                    have == pattern
                }
            })
}

fn hashes(page: &Value) -> Vec<String> {
    let images = page["images"].as_array().expect("a list");
    images
        .iter()
        .map(|image| image["hash"].as_str().expect("a hash").to_owned())
        .collect()
}

#[tokio::test]
async fn an_empty_list_is_a_list() {
    let service = TestService::start(&[]).await;
    let empty = json!({ "images": [], "pagination": { "current": 1, "size": 10, "total": 0 } });
    assert_eq!(service.json("/images/list").await, empty);
    assert_eq!(service.json("/images/count").await, json!({ "count": 0 }));
}

#[tokio::test]
async fn an_item_has_hash_type_and_the_time_it_was_stored() {
    let service = TestService::start(&[]).await;
    let hash = service.stored(pictures::photo()).await;
    let page = service.json("/images/list").await;
    assert_eq!(
        page["pagination"],
        json!({ "current": 1, "size": 10, "total": 1 })
    );
    let item = &page["images"][0];
    assert_eq!(
        (&item["hash"], &item["contentType"]),
        (&json!(hash), &json!("image/webp"))
    );
    assert!(
        is_timestamp(item["createdAt"].as_str().expect("text")),
        "{item}"
    );
    assert_eq!(item.as_object().expect("an object").len(), 3);
}

#[tokio::test]
async fn the_newest_comes_first_and_pages_do_not_overlap() {
    let service = TestService::start(&[]).await;
    let mut uploaded = Vec::new();
    for _ in 0..23 {
        uploaded.push(service.stored(pictures::photo()).await);
    }
    let whole = service.json("/images/list?limit=100").await;
    let items = whole["images"].as_array().expect("a list");
    let order: Vec<(String, String)> = items
        .iter()
        .map(|item| (item["createdAt"].to_string(), item["hash"].to_string()))
        .collect();
    for pair in order.windows(2) {
        let (newer, older) = (&pair[0], &pair[1]);
        assert!(
            newer.0 > older.0 || (newer.0 == older.0 && newer.1 < older.1),
            "{pair:?}"
        );
    }
    let distinct: HashSet<&String> = order.iter().map(|(time, _)| time).collect();
    if distinct.len() == uploaded.len() {
        uploaded.reverse();
        assert_eq!(hashes(&whole), uploaded);
    }

    let mut paged = Vec::new();
    for (page, expected) in [(1, 10), (2, 10), (3, 3), (4, 0)] {
        let answer = service.json(&format!("/images/list?page={page}")).await;
        assert_eq!(
            answer["pagination"],
            json!({ "current": page, "size": 10, "total": 23 })
        );
        assert_eq!(hashes(&answer).len(), expected, "page {page}");
        paged.extend(hashes(&answer));
    }
    assert_eq!(paged, hashes(&whole));
    assert_eq!(service.count().await, 23);

    let small = service.json("/images/list?page=2&limit=7").await;
    assert_eq!(hashes(&small), paged[7..14]);
    assert_eq!(
        small["pagination"],
        json!({ "current": 2, "size": 7, "total": 23 })
    );
}

#[tokio::test]
async fn a_limit_above_100_counts_as_100() {
    let service = TestService::start(&[]).await;
    for (limit, size) in [
        ("1", 1),
        ("100", 100),
        ("101", 100),
        ("9223372036854775807", 100),
    ] {
        let page = service.json(&format!("/images/list?limit={limit}")).await;
        assert_eq!(page["pagination"]["size"], size, "{limit}");
    }
}

#[tokio::test]
async fn a_page_past_the_end_is_empty() {
    let service = TestService::start(&[]).await;
    service.stored(pictures::photo()).await;
    for page in ["2", "1000000", "9223372036854775807"] {
        let path = format!("/images/list?page={page}&limit=100");
        let answer = service.json(&path).await;
        assert_eq!(answer["images"], json!([]), "{page}");
        assert_eq!(answer["pagination"]["total"], 1);
        assert_eq!(answer["pagination"]["current"].to_string(), page);
    }
}

#[tokio::test]
async fn parameters_other_than_positive_integers_are_refused_by_name() {
    let service = TestService::start(&[]).await;
    service.stored(pictures::photo()).await;
    for wrong in [
        "0",
        "-1",
        "1.5",
        "abc",
        "",
        "1e3",
        "0x10",
        "%00",
        "1%20",
        "9223372036854775808",
        "99999999999999999999",
    ] {
        let page = service.get(&format!("/images/list?page={wrong}")).await;
        assert_error(page, 400, "Invalid page").await;
        let limit = service.get(&format!("/images/list?limit={wrong}")).await;
        assert_error(limit, 400, "Invalid limit").await;
    }
    assert_eq!(service.count().await, 1);
}

#[tokio::test]
async fn a_deleted_image_leaves_the_list_and_the_count() {
    let service = TestService::start(&[]).await;
    let first = service.stored(pictures::photo()).await;
    let second = service.stored(pictures::photo()).await;
    service.delete(&first).await;
    assert_eq!(hashes(&service.json("/images/list").await), [second]);
    assert_eq!(service.count().await, 1);
}

#[tokio::test]
async fn the_list_survives_a_restart() {
    let mut service = TestService::start(&[]).await;
    for _ in 0..3 {
        service.stored(pictures::photo()).await;
    }
    let before = service.json("/images/list").await;
    service.restart().await;
    assert_eq!(service.json("/images/list").await, before);
    for hash in hashes(&before) {
        assert!(pictures::is_webp(&service.webp(&hash).await));
    }
}
