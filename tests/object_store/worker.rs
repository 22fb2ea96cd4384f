//! The Worker that `porchlight edge init` writes, in workerd: what a blog gets while the service
//! runs, and after it was killed.

use reqwest::Method;
use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, IF_NONE_MATCH, RANGE};
use serde_json::{Value, json};

use super::publish::publishing;
use super::workerd::{Origin, SECRET, Worker};
use crate::harness::{eventually, form, pictures};
use crate::s3::ObjectStore;

#[tokio::test]
async fn a_blog_does_not_notice_that_the_service_was_killed() {
    let store = ObjectStore::start().await;
    let secret = format!("edge.secret={SECRET}");
    let mut service = publishing(&store, &[&secret]).await;
    let origin = Origin::Fixed(service.url(""));
    let worker = Worker::start(&service, &store.settings(), origin).await;

    let (content_type, body) = form::file("image", "a.jpg", "image/jpeg", &pictures::photo());
    let upload = worker.request(Method::POST, "/images/add");
    let upload = upload.bearer_auth(service.token("upload").await);
    let stored = upload.header(CONTENT_TYPE, content_type).body(body);
    let stored = stored.send().await.expect("an answer");
    assert_eq!(stored.status(), 201);
    let stored: Value = stored.json().await.expect("JSON");
    let hash = stored["hash"].as_str().expect("a hash");
    let image = format!("/i/{hash}.webp");
    let zed = json!({ "application": "Zed", "applicationOnline": true });
    assert_eq!(service.heartbeat(&zed).await.status(), 200);
    let list = service.json("/images/list").await;
    let bytes = service.get(&image).await.bytes().await.expect("an image");
    // Both are in the snapshot once nothing but it can answer.
    eventually("the snapshot", async || {
        let index = store.json("porchlight/images/index.json");
        let check = store.json("porchlight/check.json");
        (index["total"] == 1 && check["application"] == "Zed").then_some(())
    })
    .await;
    let is_live = async || {
        worker
            .get("/check")
            .await
            .headers()
            .contains_key("X-Porchlight")
    };
    assert!(is_live().await, "the service answers");
    service.kill().await;

    eventually("the answer of the snapshot", async || {
        (!is_live().await).then_some(())
    })
    .await;
    let check = worker.json("/check").await;
    assert_eq!(
        (&check["application"], &check["alive"]),
        (&json!("Zed"), &json!(true))
    );
    assert_eq!(worker.json("/images/list").await, list);
    assert_eq!(worker.json("/images/count").await, json!({ "count": 1 }));
    assert_eq!(
        worker.json("/game_status").await,
        json!({ "status": "在线" })
    );
    for path in [image.as_str(), "/random_image"] {
        let answer = worker.get(path).await;
        assert_eq!(answer.status(), 200, "{path}");
        assert_eq!(answer.bytes().await.expect("an image"), bytes, "{path}");
    }
    let with = async |name, value: &str| {
        let request = worker.request(Method::GET, &image).header(name, value);
        request.send().await.expect("an answer").status()
    };
    assert_eq!(with(RANGE, "bytes=0-9").await, 206);
    assert_eq!(with(IF_NONE_MATCH, &format!("\"{hash}\"")).await, 304);
    assert_eq!(with(AUTHORIZATION, "Bearer unknown").await, 200);
    let off = worker.request(Method::POST, "/images/add").send().await;
    let off = off.expect("an answer");
    assert_eq!(off.status(), 503);
    assert!(off.headers().contains_key("Retry-After"));
}
