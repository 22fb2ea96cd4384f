//! Call statistics: what is counted, under which key, and what outlives the
//! process.

use std::time::Duration;

use reqwest::Method;
use serde_json::{Value, json};

use crate::harness::{TestService, pictures};
use crate::list::is_timestamp;

const UNKNOWN: &str = "00112233445566778899aabbccddeeff";

/// The count of a key, from `/api_stats/{key}`.
async fn count(service: &TestService, key: &str) -> u64 {
    let stat = service.json(&format!("/api_stats/{key}")).await;
    stat["count"].as_u64().expect("a number")
}

fn listed(stats: &Value) -> Vec<String> {
    let list = stats.as_array().expect("a list");
    let mut keys: Vec<String> = list
        .iter()
        .map(|stat| stat["key"].as_str().expect("a key").to_owned())
        .collect();
    keys.sort();
    keys
}

#[tokio::test]
async fn every_endpoint_is_counted_under_its_path_in_the_table() {
    let service = TestService::start(&["game.local_steam=false"]).await;
    let hash = service.stored(pictures::photo()).await;
    service.heartbeat(&json!({})).await;
    for path in [
        "/",
        "/sysinfo",
        "/check",
        "/devices",
        "/random_image",
        &format!("/images/{hash}"),
        &format!("/i/{hash}"),
        "/images/list",
        "/images/count",
        "/game_status",
        "/ipcheck?ip=10.0.0.1",
        "/api_stats",
        "/api_stats/check",
    ] {
        assert_eq!(service.get(path).await.status(), 200, "{path}");
    }
    let stats = service.json("/api_stats").await;
    let mut table = [
        "/",
        "/sysinfo",
        "/heartbeat",
        "/check",
        "/devices",
        "/random_image",
        "/images/{hash}",
        "/i/{hash}",
        "/images/add",
        "/images/list",
        "/images/count",
        "/game_status",
        "/ipcheck",
        "/api_stats",
        "/api_stats/{key}",
    ];
    table.sort_unstable();
    assert_eq!(listed(&stats), table);
    for stat in stats.as_array().expect("a list") {
        assert!(stat["count"].as_u64().expect("a number") >= 1, "{stat}");
        assert!(
            is_timestamp(stat["lastUpdated"].as_str().expect("text")),
            "{stat}"
        );
        assert_eq!(stat.as_object().expect("an object").len(), 3, "{stat}");
    }
}

#[tokio::test]
async fn every_call_counts_whatever_its_status() {
    let service = TestService::start(&[]).await;
    for _ in 0..3 {
        service.get("/check").await;
    }
    service
        .request(Method::HEAD, "/check")
        .send()
        .await
        .expect("an answer");
    assert_eq!(count(&service, "check").await, 4);

    service
        .request(Method::POST, "/heartbeat")
        .send()
        .await
        .expect("an answer");
    assert_eq!(count(&service, "heartbeat").await, 1);
    service.get("/images/list?page=0").await;
    assert_eq!(count(&service, "images/list").await, 1);
    service.get(&format!("/images/{UNKNOWN}")).await;
    service.delete(UNKNOWN).await;
    assert_eq!(count(&service, "images/%7Bhash%7D").await, 2);
    service.get("/i/malformed").await;
    assert_eq!(count(&service, "i/%7Bhash%7D").await, 1);
    service.upload("no picture").await;
    assert_eq!(count(&service, "images/add").await, 1);
    service.get("/random_image").await;
    assert_eq!(count(&service, "random_image").await, 1);
}

#[tokio::test]
async fn requests_without_an_endpoint_are_not_counted() {
    let service = TestService::start(&[]).await;
    for number in 0..20 {
        service.get(&format!("/nowhere/{number}")).await;
        service.get(&format!("/api_stats/made-up-{number}")).await;
    }
    service
        .request(Method::POST, "/check")
        .send()
        .await
        .expect("an answer");
    service
        .request(Method::OPTIONS, "/check")
        .header("Origin", "http://localhost:5173")
        .header("Access-Control-Request-Method", "GET")
        .send()
        .await
        .expect("an answer");
    assert_eq!(count(&service, "check").await, 0);
    let keys = listed(&service.json("/api_stats").await);
    assert!(
        keys.iter()
            .all(|key| key == "/api_stats" || key == "/api_stats/{key}"),
        "{keys:?}"
    );
}

#[tokio::test]
async fn a_key_is_found_with_and_without_its_slash_and_echoed() {
    let service = TestService::start(&[]).await;
    for _ in 0..2 {
        service.get("/").await;
        service.get("/check").await;
        service.get("/images/list").await;
    }
    for (asked, key) in [
        ("/api_stats/check", "check"),
        ("/api_stats//check", "/check"),
        ("/api_stats/%2Fcheck", "/check"),
        ("/api_stats/images/list", "images/list"),
        ("/api_stats//images/list", "/images/list"),
        ("/api_stats/images%2Flist", "images/list"),
        ("/api_stats//", "/"),
        ("/api_stats/%2F", "/"),
    ] {
        let stat = service.json(asked).await;
        assert_eq!(
            (&stat["key"], &stat["count"]),
            (&json!(key), &json!(2)),
            "{asked}"
        );
        assert!(
            is_timestamp(stat["lastUpdated"].as_str().expect("text")),
            "{asked}"
        );
    }
}

#[tokio::test]
async fn a_key_without_a_record_has_count_0_and_no_time() {
    let service = TestService::start(&[]).await;
    for key in [
        "sysinfo",
        "nothing",
        "i/malformed",
        &format!("i/{UNKNOWN}"),
        "灯",
        "a/b/c/d",
    ] {
        let stat = service.json(&format!("/api_stats/{key}")).await;
        assert_eq!(stat, json!({ "key": key, "count": 0, "lastUpdated": null }));
    }
}

#[tokio::test]
async fn bytes_of_images_are_counted_as_they_are_sent() {
    let mut service = TestService::start(&[]).await;
    let hash = service.stored(pictures::photo()).await;
    let path = format!("/i/{hash}");
    let whole = service.get(&path).await;
    let etag = whole.headers()["etag"].clone();
    let whole = whole.bytes().await.expect("the image").len() as i64;
    for (method, header, value) in [
        (Method::GET, "range", "bytes=0-9"),
        (Method::HEAD, "accept", "*/*"),
        (Method::GET, "if-none-match", etag.to_str().expect("text")),
    ] {
        let request = service.request(method, &path).header(header, value);
        let answer = request.send().await.expect("an answer");
        answer.bytes().await.expect("the body");
    }
    service.get("/check").await;
    service.stop().await;
    let database = service.data_dir().join("porchlight.db");
    let database = rusqlite::Connection::open(database).expect("the database");
    let sent: i64 = database
        .query_row("SELECT sum(n) FROM count WHERE what = 'sent'", [], |row| {
            row.get(0)
        })
        .expect("a sum");
    assert_eq!(sent, whole + 10);
}

#[tokio::test]
async fn an_image_has_its_own_count() {
    let mut service = TestService::start(&[]).await;
    let often = service.stored(pictures::photo()).await;
    let once = service.stored(pictures::photo()).await;
    for _ in 0..3 {
        service.get(&format!("/i/{often}")).await;
    }
    service.get(&format!("/i/{once}")).await;
    for restarted in [false, true] {
        if restarted {
            service.restart().await;
        }
        for (hash, expected) in [(&often, 3), (&once, 1)] {
            let stat = service.json(&format!("/api_stats/i/{hash}")).await;
            assert_eq!(stat["key"], format!("i/{hash}"));
            assert_eq!(stat["count"], expected);
            assert!(is_timestamp(stat["lastUpdated"].as_str().expect("text")));
        }
        assert_eq!(count(&service, "i/%7Bhash%7D").await, 4);
    }
    let keys = listed(&service.json("/api_stats").await);
    assert!(keys.iter().all(|key| !key.contains(&often)), "{keys:?}");
}

#[tokio::test]
async fn an_orderly_end_loses_no_count() {
    let mut service = TestService::start(&[]).await;
    for _ in 0..25 {
        service.get("/check").await;
    }
    // At once: what was counted within the last second is not yet written.
    assert!(service.stop().await.success());
    service.restart().await;
    assert_eq!(count(&service, "check").await, 25);
    let before = service.json("/api_stats/check").await;
    service.restart().await;
    assert_eq!(service.json("/api_stats/check").await, before);
}

#[tokio::test]
async fn a_crash_loses_at_most_the_last_second() {
    let mut service = TestService::start(&[]).await;
    for _ in 0..25 {
        service.get("/check").await;
    }
    // Time itself is what is promised here: a write at least once a second.
    tokio::time::sleep(Duration::from_secs(2)).await;
    service.kill().await;
    service.restart().await;
    assert_eq!(count(&service, "check").await, 25);
}

#[tokio::test]
async fn calls_at_once_are_all_counted() {
    let service = TestService::start(&["limits.requests_per_second=0"]).await;
    // Wine accepts connections slowly, and a request has to come within seconds.
    let calls = if cfg!(windows) { 60 } else { 300 };
    let all = (0..calls).map(|_| service.get("/check"));
    futures_util::future::join_all(all).await;
    assert_eq!(count(&service, "check").await, calls);
}
