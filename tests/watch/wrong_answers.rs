//! Only the service's answer decides what is stored: neither another server's page nor the queue's
//! record.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::json;

use crate::harness::{TestService, answer, eventually};
use crate::stand_in::{Reply, StandIn};
use crate::{Fixture, name, picture};

#[tokio::test]
async fn a_page_of_another_server_is_no_success_and_the_file_waits() {
    for (status, page) in [
        (200, "<html>Welcome</html>"),
        (200, "{\"status\":\"ok\"}"),
        (409, "<html>Conflict</html>"),
        (413, "<html>Request Entity Too Large</html>"),
        (400, "<html>Bad Request</html>"),
    ] {
        let is_parked = Arc::new(AtomicBool::new(true));
        let parked = Arc::clone(&is_parked);
        let server = StandIn::start(move |call| {
            if parked.load(Ordering::Relaxed) {
                Reply::html(status, page)
            } else if call.path == "/images/add" {
                Reply::json(201, &json!({ "hash": "ab12" }))
            } else {
                Reply::json(404, &json!({ "error": "Resource not found" }))
            }
        })
        .await;
        let fixture = Fixture::at(&server.url(), "some-token");
        let mut watcher = fixture.watch(&[]);
        fixture.put("a.jpg");
        eventually("it is tried again", async || {
            (server.count("/images/add") >= 2).then_some(())
        })
        .await;
        assert_eq!(
            watcher.lines(),
            [] as [serde_json::Value; 0],
            "{status} {page}"
        );
        assert_eq!(
            (fixture.rows(0), fixture.rows(3)),
            (1, 0),
            "{status} {page}"
        );
        is_parked.store(false, Ordering::Relaxed);
        let line = watcher.next().await;
        assert_eq!(line["hash"], "ab12", "{status} {page}");
        eventually("it is done", async || (fixture.rows(2) == 1).then_some(())).await;
    }
}

/// A service and a watcher that has uploaded `a.jpg`, whose image was deleted
/// there since.
async fn deleted(fixture: &Fixture, service: &TestService) -> Vec<u8> {
    let mut watcher = fixture.watch(&[]);
    let bytes = std::fs::read(fixture.put("a.jpg")).expect("a file");
    let line = watcher.next().await;
    let hash = line["hash"].as_str().expect("a hash");
    assert_eq!(answer(service.delete(hash).await).await.0, 200);
    eventually("it is done", async || (fixture.rows(2) == 1).then_some(())).await;
    watcher.kill().await;
    assert_eq!(service.count().await, 0);
    bytes
}

#[tokio::test]
async fn a_deleted_picture_that_is_saved_again_comes_back() {
    let service = TestService::start(&[]).await;
    let fixture = Fixture::of(&service);
    let bytes = deleted(&fixture, &service).await;
    std::fs::write(fixture.folder().join("a.jpg"), &bytes).expect("a file");
    let mut watcher = fixture.watch(&[]);
    let line = watcher.next().await;
    assert_eq!(
        (name(&line).as_str(), &line["status"]),
        ("a.jpg", &json!("uploaded"))
    );
    service.webp(line["hash"].as_str().expect("a hash")).await;
}

#[tokio::test]
async fn without_look_up_by_source_the_image_address_is_checked() {
    let has_image = AtomicBool::new(true);
    let server = StandIn::start(move |call| match call.path.as_str() {
        "/images/add" => Reply::json(201, &json!({ "hash": "ab12" })),
        // It has it for the first look-up only.
        "/images/ab12" if has_image.swap(false, Ordering::Relaxed) => {
            Reply::Body(200, "image/webp", "a picture".to_owned())
        }
        _ => Reply::html(404, "<html>Not here</html>"),
    })
    .await;
    let fixture = Fixture::at(&server.url(), "some-token");
    let mut watcher = fixture.watch(&[]);
    let bytes = picture();
    let file = fixture.folder().join("a.jpg");
    std::fs::write(&file, &bytes).expect("a file");
    watcher.next().await;
    std::fs::write(&file, &bytes).expect("a file");
    eventually("it is looked for", async || {
        (server.count("/images/ab12") == 1).then_some(())
    })
    .await;
    std::fs::write(&file, &bytes).expect("a file");
    assert_eq!(watcher.next().await["status"], "uploaded");
    assert_eq!(server.count("/images/add"), 2);
}
