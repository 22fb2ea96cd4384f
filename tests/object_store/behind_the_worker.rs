//! A blog behind the Worker, with a real object store and a tunnel whose address changes: what its
//! readers get before and after the service is killed, and when it is back.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use reqwest::header::{CONTENT_TYPE, IF_NONE_MATCH, RANGE};
use reqwest::{Method, StatusCode};
use serde_json::json;

use crate::garage::Garage;
use crate::harness::quick_tunnel::QuickTunnel;
use crate::harness::workerd::{Origin, Worker};
use crate::harness::{TestService, answer, eventually, form, http, pictures};

/// A heartbeat holds for so long: enough for the questions before that, on a busy machine.
const ALIVE: &str = "heartbeat.alive_seconds=20";

struct Blog {
    worker: Worker,
    service: TestService,
    tunnel: QuickTunnel,
    storage_url: String,
    _garage: Garage,
}

impl Blog {
    async fn start() -> Self {
        let garage = Garage::start().await;
        let storage_url = garage.on_localhost().await;
        let tunnel = QuickTunnel::new().await;
        let worker = Worker::with_store_and(Origin::Tunnel(&tunnel.authority)).await;
        let mut settings = garage.settings();
        settings.push(format!("storage.storage_url={storage_url}"));
        let authority = tunnel.authority_file();
        let service = TestService::builder()
            .sets(&settings)
            .sets(&tunnel.settings())
            .sets(&worker.settings())
            .set(ALIVE)
            .env("SSL_CERT_FILE", authority.to_str().expect("UTF-8"))
            .start()
            .await;
        let blog = Self {
            worker,
            service,
            tunnel,
            storage_url,
            _garage: garage,
        };
        blog.is_reached().await;
        blog
    }

    /// Waits until the Worker passes requests on to the service.
    async fn is_reached(&self) {
        eventually("an answer of the service", async || {
            let answer = self.worker.get("/api_stats").await;
            (answer.status() == 200).then_some(())
        })
        .await;
    }

    async fn uploaded(&self, token: &str) -> String {
        let (content_type, body) = form::file("image", "a.jpg", "image/jpeg", &pictures::photo());
        let upload = self.worker.request(Method::POST, "/images/add");
        let upload = upload.bearer_auth(token).header(CONTENT_TYPE, content_type);
        let (status, stored) = answer(upload.body(body).send().await.expect("an answer")).await;
        assert_eq!(status, 201, "{stored}");
        stored["hash"].as_str().expect("a hash").to_owned()
    }

    /// An object, as any reader gets it.
    async fn object(&self, name: &str) -> reqwest::Response {
        let object = http().get(format!("{}/{name}", self.storage_url));
        object.send().await.expect("an answer")
    }
}

#[tokio::test]
async fn readers_get_everything_while_the_service_is_off_and_the_service_when_it_is_back() {
    let mut blog = Blog::start().await;
    let token = blog.service.token("upload").await;
    let mut hashes = HashSet::new();
    for _ in 0..5 {
        hashes.insert(blog.uploaded(&token).await);
    }
    let pages = [
        "page=1&limit=2",
        "page=2&limit=2",
        "page=3&limit=2",
        "page=4&limit=2",
    ];
    let mut lists = Vec::new();
    for page in pages {
        lists.push(blog.service.json(&format!("/images/list?{page}")).await);
    }
    let zed = json!({ "application": "Zed", "applicationOnline": true });
    assert_eq!(blog.service.heartbeat(&zed).await.status(), 200);
    eventually("the rows", async || {
        let count = blog.worker.json("/images/count").await;
        let check = blog.worker.json("/check").await;
        (count["count"] == 5 && check["application"] == "Zed").then_some(())
    })
    .await;
    blog.service.kill().await;

    blog.serves(&hashes).await;
    for (page, list) in pages.iter().zip(&lists) {
        let path = format!("/images/list?{page}");
        assert_eq!(blog.worker.json(&path).await, *list, "{page}");
    }
    assert_eq!(
        blog.worker.json("/images/count").await,
        json!({ "count": 5 })
    );
    let gone = eventually("offline", async || {
        let check = blog.worker.json("/check").await;
        (check["alive"] == false).then_some(check)
    })
    .await;
    assert_eq!(gone["applicationOnline"], false);
    for shown in ["application", "introduce", "rgba"] {
        assert_eq!(gone[shown], "", "{shown}");
    }

    blog.tunnel.moves().await;
    blog.service.restart().await;
    let began = Instant::now();
    blog.is_reached().await;
    let took = began.elapsed();
    assert!(took < Duration::from_secs(35), "{took:?}");

    let gone = hashes.iter().next().expect("an image").clone();
    hashes.remove(&gone);
    let delete = blog
        .worker
        .request(Method::DELETE, &format!("/images/{gone}"));
    let deleted = delete.bearer_auth(&blog.service.admin_token).send().await;
    assert_eq!(deleted.expect("an answer").status(), 200);
    eventually("the deletion", async || {
        let list = blog.worker.json("/images/list?limit=50").await;
        (!list.to_string().contains(&gone)).then_some(())
    })
    .await;
    blog.serves(&hashes).await;
    let object = blog.object(&format!("randomimg/{gone}.webp")).await;
    assert_eq!(object.status(), StatusCode::NOT_FOUND);
    assert_eq!(
        blog.worker.get(&format!("/i/{gone}.webp")).await.status(),
        404
    );
}

impl Blog {
    /// The Worker sends these images, whole, known and in part, and draws from them alone.
    async fn serves(&self, hashes: &HashSet<String>) {
        for hash in hashes {
            let path = format!("/i/{hash}.webp");
            let whole = self.worker.get(&path).await;
            assert_eq!(whole.status(), 200);
            let bytes = whole.bytes().await.expect("an image");
            assert!(pictures::is_webp(&bytes));
            let with = async |name, value: &str| {
                let request = self.worker.request(Method::GET, &path).header(name, value);
                let answer = request.send().await.expect("an answer");
                (answer.status(), answer.bytes().await.expect("a body"))
            };
            let part = with(RANGE, "bytes=4-9").await;
            assert_eq!(part, (StatusCode::PARTIAL_CONTENT, bytes.slice(4..10)));
            let (known, nothing) = with(IF_NONE_MATCH, &format!("\"{hash}\"")).await;
            assert_eq!((known, nothing.len()), (StatusCode::NOT_MODIFIED, 0));
        }
        let mut drawn = HashSet::new();
        for _ in 0..100 {
            let random = self.worker.get("/random_image").await;
            assert_eq!(random.status(), 200);
            let name = random.headers()["Content-Disposition"]
                .to_str()
                .expect("text");
            let hash = name.split(['"', '.']).find(|part| part.len() == 32);
            drawn.insert(hash.expect("a hash").to_owned());
        }
        assert_eq!(drawn, *hashes);
    }
}
