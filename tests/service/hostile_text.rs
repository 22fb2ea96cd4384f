//! Text that is meant to be harmful where it is shown, and requests that are meant to fill the log.

use serde_json::{Value, json};

use crate::harness::{TestService, answer, assert_error, files, pictures};

const MARKUP: &str = "</script><img src=x onerror=alert(1)>";

#[tokio::test]
async fn a_heartbeat_is_cleaned_before_its_length_is_counted() {
    let service = TestService::start(&["heartbeat.fields=true"]).await;
    let pile = "\u{301}".repeat(10_000);
    let (turned, kept) = ("\u{202e}\u{2066}\u{200b}\u{feff}", "\u{301}".repeat(8));
    for (field, most) in [("application", 200), ("introduce", 2_000)] {
        for (given, expected) in [
            (
                format!("{turned}{MARKUP}e{pile}"),
                format!("{MARKUP}e{kept}"),
            ),
            (turned.repeat(5_000), String::new()),
            (
                format!("{}{pile}", "x".repeat(most - 8)),
                format!("{}{kept}", "x".repeat(most - 8)),
            ),
            (
                "👩\u{200d}💻 می\u{200c}خواهم\u{200d}".to_owned(),
                "👩\u{200d}💻 می\u{200c}خواهم".to_owned(),
            ),
        ] {
            let (status, echo) = answer(service.heartbeat(&json!({ field: given })).await).await;
            assert_eq!(
                (status, &echo[field]),
                (200, &Value::from(expected.as_str())),
                "{field}"
            );
            let response = service.get("/check").await;
            assert_eq!(response.headers()["content-type"], "application/json");
            assert_eq!(response.headers()["x-content-type-options"], "nosniff");
            let check: Value = response.json().await.expect("JSON");
            assert_eq!(check[field], expected);
        }
        let before = service.json("/check").await;
        let longer = format!("{turned}{}", "x".repeat(most + 1));
        for wrong in [longer.as_str(), "a\u{202e}\nb", "\u{1b}[31m", "\u{9b}31m"] {
            let response = service.heartbeat(&json!({ field: wrong })).await;
            assert_error(response, 400, &format!("Invalid {field}")).await;
        }
        assert_eq!(service.json("/check").await, before);
    }
}

#[tokio::test]
async fn a_failure_caused_by_requests_is_logged_once_a_minute() {
    // What is small stays in memory.
    let service = TestService::start(&["limits.requests_per_second=0"]).await;
    let hash = service.stored(pictures::photo()).await;
    for file in files::below(&service.data_dir().join("images")) {
        std::fs::remove_file(file).expect("the image's file");
    }
    for _ in 0..100 {
        let response = service.get(&format!("/i/{hash}")).await;
        assert_error(response, 500, "Internal server error").await;
    }
    let log = service.stderr();
    assert_eq!(log.matches("a request failed").count(), 1, "{log}");
    assert_eq!(log.matches(&hash).count(), 1, "{log}");
}
