//! The whole story of a blog at a Worker that keeps everything itself: in plain workerd, as on a server
//! of one's own, and in Miniflare with an R2 bucket, as at Cloudflare.

use std::time::{Duration, Instant};

use image::RgbImage;
use reqwest::header::{CONTENT_TYPE, IF_NONE_MATCH, RANGE};
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::at_the_worker::{keys, moving};
use crate::harness::workerd::{Origin, Platform, Worker};
use crate::harness::{TestService, answer, eventually, files, form, free_port, pictures};

/// Widths and heights of pictures without structure, and what their WebP has at least, in bytes.
const SIZES: [(u32, u32, usize); 2] = [(430, 430, 200_000), (1700, 1650, 3_000_000)];
/// A WebP of this size takes half a minute to make; a move compares its bytes with the row alone.
const LARGEST: usize = 9_000_000;

struct Blog {
    worker: Worker,
    service: TestService,
    /// Hashes and bytes.
    images: Vec<(String, Vec<u8>)>,
}

impl Blog {
    async fn start(platform: Platform) -> Self {
        let address = format!("127.0.0.1:{}", free_port());
        let origin = Origin::Fixed(format!("http://{address}"));
        let worker = Worker::on(platform, origin).await;
        let mut service = TestService::builder()
            .listen(address)
            .set("images.quality=100")
            .sets(&worker.settings())
            .start()
            .await;
        let hash = service.stored(pictures::photo()).await;
        service.stop().await;
        let bytes: Vec<u8> = (0..251).cycle().take(LARGEST).collect();
        let database = service.data_dir().join("porchlight.db");
        let database = rusqlite::Connection::open(database).expect("a database");
        let row = "UPDATE image SET size = ?1, sha256 = ?2 WHERE hash = unhex(?3)";
        let row = database.execute(
            row,
            rusqlite::params![
                i64::try_from(LARGEST).expect("a size"),
                Sha256::digest(&bytes).to_vec(),
                hash
            ],
        );
        assert_eq!(row.expect("an update"), 1);
        let file = service.data_dir().join("images").join(&hash[..2]);
        std::fs::write(file.join(format!("{hash}.webp")), &bytes).expect("to write");
        let moved = moving(&worker, &service).ended().await;
        assert!(moved.status.success(), "{moved:?}");
        service.restart_with(&["storage.kind=edge"]).await;
        assert_eq!(service.webp(&hash).await, bytes);
        eventually("the service behind the Worker", async || {
            (worker.get("/api_stats").await.status() == 200).then_some(())
        })
        .await;
        Self {
            worker,
            service,
            images: vec![(hash, bytes)],
        }
    }

    /// Uploads through the Worker.
    async fn upload(&mut self, width: u32, height: u32) -> usize {
        // Beside the tasks of the clients: these see meanwhile which connections were closed.
        let picture = tokio::task::spawn_blocking(move || {
            let mut noise = RgbImage::new(width, height);
            let samples: &mut [u8] = &mut noise;
            rand::fill(samples);
            pictures::jpeg(&noise)
        });
        let picture = picture.await.expect("a picture");
        let (kind, body) = form::file("image", "a.jpg", "image/jpeg", &picture);
        let request = self.worker.request(Method::POST, "/images/add");
        let request = request.bearer_auth(&self.service.admin_token);
        let sent = request.header(CONTENT_TYPE, kind).body(body).send().await;
        let (status, stored) = answer(sent.expect("an answer")).await;
        assert_eq!(status, 201, "{stored}");
        let hash = stored["hash"].as_str().expect("a hash").to_owned();
        let bytes = self.service.webp(&hash).await;
        let size = bytes.len();
        self.images.push((hash, bytes));
        size
    }

    async fn with(&self, path: &str, name: &str, value: &str) -> reqwest::Response {
        let request = self.worker.request(Method::GET, path).header(name, value);
        request.send().await.expect("an answer")
    }

    /// What readers have while the service is off, which had this list.
    async fn readers_have_everything(&self, list: &Value) {
        let worker = &self.worker;
        assert_eq!(worker.json("/check").await["application"], "Zed");
        assert_eq!(worker.json("/images/list").await, *list);
        assert_eq!(worker.json("/images/count").await["count"], 3);
        assert_eq!(worker.json("/game_status").await["status"], "在线");
        for (hash, bytes) in &self.images {
            let path = format!("/i/{hash}.webp");
            let image = worker.get(&path).await;
            assert_eq!(image.status(), StatusCode::OK);
            assert_eq!(image.bytes().await.expect("an image"), bytes);
            // Over the border of two rows, where there are two.
            let end = bytes.len().min(1_900_010);
            let range = format!("bytes={}-{}", end - 20, end - 1);
            let part = self.with(&path, RANGE.as_str(), &range).await;
            assert_eq!(part.status(), StatusCode::PARTIAL_CONTENT);
            assert_eq!(part.bytes().await.expect("a part"), bytes[end - 20..end]);
            let known = format!("\"{hash}\"");
            let known = self.with(&path, IF_NONE_MATCH.as_str(), &known).await;
            assert_eq!(known.status(), StatusCode::NOT_MODIFIED);
        }
        let drawn = worker.get("/random_image").await;
        assert_eq!(drawn.status(), StatusCode::OK);
        let drawn = drawn.bytes().await.expect("an image");
        assert!(self.images.iter().any(|(_, bytes)| drawn == *bytes));
        let upload = worker.request(Method::POST, "/images/add").send().await;
        let upload = upload.expect("an answer");
        assert_eq!(upload.status(), StatusCode::SERVICE_UNAVAILABLE);
    }
}

async fn the_whole_story(platform: Platform) {
    let mut blog = Blog::start(platform).await;
    for (width, height, least) in SIZES {
        let size = blog.upload(width, height).await;
        assert!(size >= least, "{size}");
    }
    let began = Instant::now();
    let zed = json!({ "application": "Zed", "applicationOnline": true });
    let request = blog.worker.request(Method::POST, "/heartbeat").json(&zed);
    let beat = request.bearer_auth(&blog.service.heartbeat_token).send();
    assert_eq!(beat.await.expect("an answer").status(), StatusCode::OK);
    eventually("presence", async || {
        (blog.worker.json("/check").await["application"] == "Zed").then_some(())
    })
    .await;
    // Pushed within a second and shared for half of one.
    let age = began.elapsed();
    assert!(age < Duration::from_secs(2), "{age:?}");
    eventually("the list", async || {
        (blog.worker.json("/images/count").await["count"] == 3).then_some(())
    })
    .await;
    let list = blog.service.json("/images/list").await;

    blog.service.kill().await;
    blog.readers_have_everything(&list).await;
    blog.worker.restart().await;
    blog.readers_have_everything(&list).await;

    blog.service.restart().await;
    let (gone, _) = blog.images.pop().expect("an image");
    let path = format!("/images/{gone}");
    let request = blog.worker.request(Method::DELETE, &path);
    let deleted = request.bearer_auth(&blog.service.admin_token).send().await;
    assert_eq!(deleted.expect("an answer").status(), StatusCode::OK);
    eventually("the deletion", async || {
        let count = blog.worker.json("/images/count").await;
        let image = blog.worker.get(&format!("/i/{gone}")).await;
        (count["count"] == 2 && image.status() == 404).then_some(())
    })
    .await;
    for (hash, _) in &blog.images {
        let image = blog.worker.get(&format!("/i/{hash}")).await;
        assert_eq!(image.status(), StatusCode::OK);
    }
    assert_eq!(keys(&blog.worker, "randomimg/").await.len(), 2);
    // Where there is a bucket, images are there.
    let in_bucket = usize::from(platform == Platform::Miniflare) * 2;
    let bucket = blog.worker.folder().join("bucket");
    eventually("the bucket", async || {
        let mut stored = files::below(&bucket);
        stored.retain(|file| file.metadata().is_ok_and(|about| about.len() > 200_000));
        (stored.len() == in_bucket).then_some(())
    })
    .await;
    blog.service.stop().await;
    eventually("offline", async || {
        (blog.worker.json("/check").await["alive"] == false).then_some(())
    })
    .await;
}

#[tokio::test]
async fn a_blog_at_a_worker_in_workerd() {
    the_whole_story(Platform::Workerd).await;
}

#[tokio::test]
async fn a_blog_at_a_worker_in_miniflare_with_a_bucket() {
    the_whole_story(Platform::Miniflare).await;
}
