//! The Worker that `porchlight edge init` writes, in workerd: what a blog gets while the service
//! runs, and after it was killed.

use std::net::TcpListener;
use std::path::Path;

use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, IF_NONE_MATCH, RANGE};
use reqwest::{Method, RequestBuilder, Response};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::publish::publishing;
use crate::harness::process::{RunningProcess, clean_command};
use crate::harness::{TestService, eventually, form, pictures};
use crate::s3::ObjectStore;

const SECRET: &str = "a-key-of-this-test-and-of-no-other";
/// Comes with the tests of the Worker: `cargo xtask test --only edge` installs it. Not the script in
/// `.bin`, which starts a process that would outlive the test.
fn workerd() -> String {
    let package = match std::env::consts::ARCH {
        "aarch64" => "workerd-linux-arm64",
        _ => "workerd-linux-64",
    };
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/edge/node_modules/@cloudflare");
    format!("{folder}/{package}/bin/workerd")
}

struct Worker {
    http: reqwest::Client,
    url: String,
    _process: RunningProcess,
    _folder: TempDir,
}

impl Worker {
    /// The one in front of this service, at whose address it is told to look.
    async fn start(service: &TestService, store: &ObjectStore) -> Self {
        let workerd = workerd();
        assert!(Path::new(&workerd).exists(), "{workerd} is not installed");
        let folder = tempfile::tempdir().expect("a folder");
        let place = folder.path().to_str().expect("UTF-8");
        let mut settings = store.settings();
        settings.push(format!("edge.secret={SECRET}"));
        let sets = settings.iter().flat_map(|set| ["--set", set.as_str()]);
        let words: Vec<&str> = ["edge", "init", place].into_iter().chain(sets).collect();
        let done = service.run(&words).await;
        assert!(done.status.success(), "{done:?}");

        let free = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = free.local_addr().expect("an address").to_string();
        drop(free);
        let file = folder.path().join("workerd.capnp");
        let config = std::fs::read_to_string(&file).expect("a configuration");
        let origin = format!(
            "bindings = [ (name = \"ORIGIN\", text = \"{}\"),",
            service.url("")
        );
        let config = config.replace("127.0.0.1:8787", &address);
        let config = config.replace("bindings = [", &origin);
        std::fs::write(&file, config).expect("written");
        let mut command = clean_command(&workerd, folder.path());
        command.args(["serve", "workerd.capnp"]);
        command
            .current_dir(folder.path())
            .env("EDGE_SECRET", SECRET);
        let worker = Self {
            http: crate::harness::http(),
            url: format!("http://{address}"),
            _process: RunningProcess::spawn(command),
            _folder: folder,
        };
        eventually("workerd", async || {
            worker.request(Method::GET, "/").send().await.ok()
        })
        .await;
        worker
    }

    fn request(&self, method: Method, path: &str) -> RequestBuilder {
        self.http.request(method, format!("{}{path}", self.url))
    }

    async fn get(&self, path: &str) -> Response {
        let answer = self.request(Method::GET, path).send().await;
        answer.expect("an answer")
    }

    async fn json(&self, path: &str) -> Value {
        self.get(path).await.json().await.expect("JSON")
    }
}

#[tokio::test]
async fn a_blog_does_not_notice_that_the_service_was_killed() {
    let store = ObjectStore::start().await;
    let secret = format!("edge.secret={SECRET}");
    let mut service = publishing(&store, &[&secret]).await;
    let worker = Worker::start(&service, &store).await;

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
