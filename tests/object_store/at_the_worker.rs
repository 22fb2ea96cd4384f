//! Images and the snapshot in the Worker's own store, in workerd: what readers get while the service
//! runs, after it was killed, and after workerd was killed.

use std::time::{Duration, Instant, SystemTime};

use hmac::{Hmac, KeyInit as _, Mac as _};
use image::RgbImage;
use reqwest::header::{IF_NONE_MATCH, RANGE};
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use sha2::Sha256;

use super::workerd::{SECRET, Worker};
use crate::harness::process::{RunningProcess, clean_command};
use crate::harness::{TestService, answer, eventually, pictures, program};

async fn at(worker: &Worker) -> TestService {
    TestService::builder()
        .set("storage.kind=edge")
        .sets(&worker.settings())
        .start()
        .await
}

/// A picture whose WebP is larger than what the store keeps in one row.
fn large() -> Vec<u8> {
    let noise = RgbImage::from_fn(2000, 1500, |_, _| image::Rgb(rand::random()));
    pictures::jpeg(&noise)
}

/// The keys in the store that begin with this.
async fn keys(worker: &Worker, prefix: &str) -> Vec<Value> {
    let path = format!("/-/store?prefix={prefix}&limit=1000");
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    let time = now.expect("a clock").as_millis();
    let mac = Hmac::<Sha256>::new_from_slice(SECRET.as_bytes()).expect("a key");
    let mac = mac.chain_update(format!("store\n{time}\nGET\n{path}\n"));
    let mac = hex::encode(mac.finalize().into_bytes());
    let request = worker.request(Method::GET, &path);
    let request = request.header("X-Porchlight-Store", format!("t={time}, body=, v1={mac}"));
    let (status, body) = answer(request.send().await.expect("an answer")).await;
    assert_eq!(status, 200, "{body}");
    body["objects"].as_array().expect("a list").clone()
}

#[tokio::test]
async fn readers_have_everything_from_the_worker_alone() {
    let mut worker = Worker::with_store().await;
    let mut service = at(&worker).await;
    let small = service.stored(pictures::photo()).await;
    let large = service.stored(large()).await;
    let bytes = service.webp(&large).await;
    assert!(bytes.len() > 1_900_000, "{}", bytes.len());
    let began = Instant::now();
    let zed = json!({ "application": "Zed", "applicationOnline": true });
    assert_eq!(service.heartbeat(&zed).await.status(), 200);
    eventually("presence", async || {
        (worker.json("/check").await["application"] == "Zed").then_some(())
    })
    .await;
    // Pushed within a second and shared for half of one.
    assert!(
        began.elapsed() < Duration::from_secs(2),
        "{:?}",
        began.elapsed()
    );
    eventually("the list", async || {
        (worker.json("/images/count").await["count"] == 2).then_some(())
    })
    .await;
    let list = service.json("/images/list").await;
    service.kill().await;

    for restarted in [false, true] {
        if restarted {
            worker.restart().await;
        }
        assert_eq!(worker.json("/check").await["application"], "Zed");
        assert_eq!(worker.json("/images/list").await, list);
        assert_eq!(worker.json("/game_status").await["status"], "在线");
        let path = format!("/i/{large}.webp");
        let image = worker.get(&path).await;
        assert_eq!(image.status(), 200);
        assert_eq!(image.bytes().await.expect("an image"), bytes);
        let with = async |name, value: &str| {
            let request = worker.request(Method::GET, &path).header(name, value);
            request.send().await.expect("an answer")
        };
        let part = with(RANGE, "bytes=1899990-1900009").await;
        assert_eq!(part.status(), StatusCode::PARTIAL_CONTENT);
        assert_eq!(
            part.bytes().await.expect("a part"),
            bytes[1_899_990..1_900_010]
        );
        let known = with(IF_NONE_MATCH, &format!("\"{large}\"")).await;
        assert_eq!(known.status(), StatusCode::NOT_MODIFIED);
        assert_eq!(worker.get("/random_image").await.status(), 200);
    }

    service.restart().await;
    assert_eq!(service.delete(&large).await.status(), 200);
    eventually("the deletion", async || {
        let count = worker.json("/images/count").await;
        let image = worker.get(&format!("/i/{large}")).await;
        (count["count"] == 1 && image.status() == 404).then_some(())
    })
    .await;
    assert_eq!(worker.get(&format!("/i/{small}")).await.status(), 200);
    assert_eq!(keys(&worker, "randomimg/").await.len(), 1);
    service.stop().await;
    eventually("offline", async || {
        (worker.json("/check").await["alive"] == false).then_some(())
    })
    .await;
}

#[tokio::test]
async fn a_move_to_the_worker_that_is_killed_three_times_loses_nothing() {
    let worker = Worker::with_store().await;
    let mut service = TestService::start(&[]).await;
    let mut hashes = Vec::new();
    for number in 0..500_u16 {
        let [high, low] = number.to_be_bytes();
        let picture = pictures::flat(8, 8, [high * 100, low, 9]);
        hashes.push(service.stored(pictures::png(&picture)).await);
    }
    service.stop().await;
    let moving = || {
        let mut command = clean_command(&program(), service.data_dir());
        command.args(["storage", "move", "--to", "edge", "--json"]);
        for setting in worker.settings() {
            command.args(["--set", &setting]);
        }
        command.arg("--data-dir").arg(service.data_dir());
        RunningProcess::spawn(command)
    };
    for interrupted in 1..=3 {
        let mut process = moving();
        eventually("some images", async || {
            (keys(&worker, "randomimg/").await.len() >= interrupted * 100).then_some(())
        })
        .await;
        process.kill();
        process.wait().await;
    }
    let done = moving().ended().await;
    assert!(done.status.success(), "{done:?}");
    assert_eq!(keys(&worker, "randomimg/").await.len(), 500);
    let on_disk = crate::harness::files::stored_hashes(service.data_dir());
    assert!(on_disk.is_empty(), "{on_disk:?}");
    for hash in &hashes {
        assert_eq!(
            worker.get(&format!("/i/{hash}")).await.status(),
            200,
            "{hash}"
        );
    }
}
