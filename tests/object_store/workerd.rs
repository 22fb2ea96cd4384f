//! The Worker that `porchlight edge init` writes, running in workerd.

use std::net::TcpListener;
use std::path::Path;

use reqwest::{Method, RequestBuilder, Response};
use serde_json::Value;
use tempfile::TempDir;

use crate::harness::process::{RunningProcess, clean_command};
use crate::harness::{TestService, eventually, program};

pub(crate) const SECRET: &str = "a-key-of-this-test-and-of-no-other";

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

/// How the Worker reaches the service.
pub(crate) enum Origin<'a> {
    /// At this address, which the owner wrote.
    Fixed(String),
    /// Through the tunnel whose address is in the store. This is who signed its certificate.
    Published(&'a str),
    /// Not at all.
    Nowhere,
}

pub(crate) struct Worker {
    http: reqwest::Client,
    url: String,
    process: RunningProcess,
    folder: TempDir,
}

impl Worker {
    /// The one of this service, which has these settings.
    pub(crate) async fn start(
        service: &TestService,
        settings: &[String],
        origin: Origin<'_>,
    ) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let place = folder.path().to_str().expect("UTF-8");
        let secret = format!("edge.secret={SECRET}");
        let sets = settings
            .iter()
            .chain([&secret])
            .flat_map(|set| ["--set", set]);
        let words: Vec<&str> = ["edge", "init", place].into_iter().chain(sets).collect();
        let done = service.run(&words).await;
        assert!(done.status.success(), "{done:?}");
        Self::serve(folder, origin).await
    }

    /// One that keeps the objects itself, written before there is a service.
    pub(crate) async fn with_store() -> Self {
        Self::with_store_and(Origin::Nowhere).await
    }

    pub(crate) async fn with_store_and(origin: Origin<'_>) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let data = tempfile::tempdir().expect("a folder");
        let mut command = clean_command(&program(), data.path());
        command.args(["edge", "init"]).arg(folder.path());
        command.args(["--set", &format!("edge.secret={SECRET}")]);
        command.arg("--data-dir").arg(data.path().join("data"));
        let done = RunningProcess::spawn(command).ended().await;
        assert!(done.status.success(), "{done:?}");
        Self::serve(folder, origin).await
    }

    async fn serve(folder: TempDir, origin: Origin<'_>) -> Self {
        let free = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = free.local_addr().expect("an address").to_string();
        drop(free);
        let file = folder.path().join("workerd.capnp");
        let config = std::fs::read_to_string(&file).expect("a configuration");
        let config = config.replace("127.0.0.1:8787", &address);
        let (place, with) = match origin {
            Origin::Fixed(url) => (
                "bindings = [",
                format!("bindings = [ (name = \"ORIGIN\", text = \"{url}\"),"),
            ),
            Origin::Published(authority) => (
                "trustBrowserCas = true",
                format!("trustedCertificates = [{authority:?}]"),
            ),
            Origin::Nowhere => ("bindings = [", "bindings = [".to_owned()),
        };
        assert!(config.contains(place));
        std::fs::write(&file, config.replace(place, &with)).expect("written");
        let worker = Self {
            http: crate::harness::http(),
            url: format!("http://{address}"),
            process: Self::spawn(&folder),
            folder,
        };
        worker.answers().await;
        worker
    }

    fn spawn(folder: &TempDir) -> RunningProcess {
        let workerd = workerd();
        assert!(Path::new(&workerd).exists(), "{workerd} is not installed");
        let mut command = clean_command(&workerd, folder.path());
        command.args(["serve", "workerd.capnp"]);
        command
            .current_dir(folder.path())
            .env("EDGE_SECRET", SECRET);
        RunningProcess::spawn(command)
    }

    async fn answers(&self) {
        eventually("workerd", async || {
            self.request(Method::GET, "/").send().await.ok()
        })
        .await;
    }

    /// Ends it as a power cut would, and starts it again.
    pub(crate) async fn restart(&mut self) {
        self.process.kill();
        self.process.wait().await;
        self.process = Self::spawn(&self.folder);
        self.answers().await;
    }

    /// What a service needs to keep its objects here.
    pub(crate) fn settings(&self) -> [String; 2] {
        [
            format!("edge.url={}", self.url),
            format!("edge.secret={SECRET}"),
        ]
    }

    pub(crate) fn request(&self, method: Method, path: &str) -> RequestBuilder {
        self.http.request(method, format!("{}{path}", self.url))
    }

    pub(crate) async fn get(&self, path: &str) -> Response {
        let answer = self.request(Method::GET, path).send().await;
        answer.expect("an answer")
    }

    pub(crate) async fn json(&self, path: &str) -> Value {
        self.get(path).await.json().await.expect("JSON")
    }
}
