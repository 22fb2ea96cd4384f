//! The Worker that `porchlight edge init` writes, running in workerd, or in Miniflare.

use std::path::Path;
use std::time::{Duration, SystemTime};

use hmac::{Hmac, KeyInit as _, Mac as _};
use reqwest::{Method, Response};
use serde_json::Value;
use sha2::{Digest as _, Sha256};
use tempfile::TempDir;

use crate::process::{RunningProcess, clean_command};
use crate::{Client, RequestBuilder, TestService, eventually, files, free_port, program, tool};

pub const SECRET: &str = "a-key-of-this-test-and-of-no-other";

/// What runs a Worker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Platform {
    /// workerd with the files of `edge init`, as on a server of one's own.
    Workerd,
    /// Miniflare with an R2 bucket beside the Worker's store, as at Cloudflare.
    Miniflare,
}

/// How the Worker reaches the service.
pub enum Origin<'a> {
    /// At this address, which the owner wrote.
    Fixed(String),
    /// Through the tunnel whose address the service tells. This is who signed its certificate.
    Tunnel(&'a str),
    /// Not at all.
    Nowhere,
}

pub struct Worker {
    http: Client,
    platform: Platform,
    /// `ORIGIN`; empty without one.
    origin: String,
    port: u16,
    process: RunningProcess,
    folder: TempDir,
}

impl Worker {
    /// The one of this service, which has these settings.
    pub async fn start(service: &TestService, settings: &[String], origin: Origin<'_>) -> Self {
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
        Self::serve(Platform::Workerd, folder, origin).await
    }

    /// One that keeps the objects itself, written before there is a service.
    pub async fn with_store() -> Self {
        Self::with_store_and(Origin::Nowhere).await
    }

    pub async fn with_store_and(origin: Origin<'_>) -> Self {
        Self::on(Platform::Workerd, origin).await
    }

    pub async fn on(platform: Platform, origin: Origin<'_>) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let data = tempfile::tempdir().expect("a folder");
        let mut command = clean_command(&program(), data.path());
        command.args(["edge", "init"]).arg(folder.path());
        command.args(["--set", &format!("edge.secret={SECRET}")]);
        command.arg("--data-dir").arg(data.path().join("data"));
        let done = RunningProcess::spawn(command).ended().await;
        assert!(done.status.success(), "{done:?}");
        Self::serve(platform, folder, origin).await
    }

    async fn serve(platform: Platform, folder: TempDir, origin: Origin<'_>) -> Self {
        let fixed = match &origin {
            Origin::Fixed(url) => url.clone(),
            _ => String::new(),
        };
        let change = match origin {
            Origin::Fixed(url) => Some((
                "bindings = [",
                format!("bindings = [ (name = \"ORIGIN\", text = \"{url}\"),"),
            )),
            Origin::Tunnel(authority) => Some((
                "trustBrowserCas = true",
                format!("trustedCertificates = [{authority:?}]"),
            )),
            // What `edge init` wrote is run as it is.
            Origin::Nowhere => None,
        };
        if let Some((place, with)) = change {
            let file = folder.path().join("workerd.capnp");
            let config = std::fs::read_to_string(&file).expect("a configuration");
            assert!(config.contains(place));
            std::fs::write(&file, config.replace(place, &with)).expect("written");
        }
        let port = free_port();
        let worker = Self {
            http: crate::http(),
            process: Self::spawn(platform, &folder, &fixed, port),
            platform,
            origin: fixed,
            port,
            folder,
        };
        worker.answers().await;
        worker
    }

    fn spawn(platform: Platform, folder: &TempDir, origin: &str, port: u16) -> RunningProcess {
        let workerd = tool::workerd();
        let folder = folder.path();
        let mut command = match platform {
            Platform::Workerd => {
                let mut command = clean_command(&workerd, folder);
                // Another port than the one in the file, which only one test could have.
                let socket = format!("--socket-addr=http=127.0.0.1:{port}");
                command.args(["serve", "workerd.capnp", &socket]);
                command
            }
            Platform::Miniflare => {
                let mut command = clean_command("node", folder);
                let script = concat!(
                    env!("CARGO_MANIFEST_DIR"),
                    "/../../edge/tests/harness/miniflare.js"
                );
                command.args([script, ".", &port.to_string()]);
                // The workerd that it starts ends with it, however it ends.
                let wrapper = folder.join("workerd.sh");
                let start = format!("exec setpriv --pdeathsig KILL '{workerd}' \"$@\"\n");
                files::script(&wrapper, &start);
                command.env("MINIFLARE_WORKERD_PATH", wrapper);
                command.env("ORIGIN", origin);
                command
            }
        };
        command.current_dir(folder).env("EDGE_SECRET", SECRET);
        RunningProcess::spawn(command)
    }

    async fn answers(&self) {
        eventually("workerd", async || {
            self.request(Method::GET, "/").send().await.ok()
        })
        .await;
    }

    /// Ends it as a power cut would, and starts it again.
    pub async fn restart(&mut self) {
        self.process.kill();
        self.process.wait().await;
        eventually("the end of workerd", async || {
            std::net::TcpListener::bind(("127.0.0.1", self.port)).ok()
        })
        .await;
        self.process = Self::spawn(self.platform, &self.folder, &self.origin, self.port);
        self.answers().await;
    }

    /// What a service needs to keep its objects here.
    pub fn settings(&self) -> [String; 2] {
        [
            format!("edge.url={}", self.url()),
            format!("edge.secret={SECRET}"),
        ]
    }

    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// Where its files and what it stores are.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub fn request(&self, method: Method, path: &str) -> RequestBuilder {
        self.http.request(method, self.url() + path)
    }

    /// A request as the service sends it by a clock that is ahead by this.
    pub async fn signed(
        &self,
        method: Method,
        path: &str,
        body: &'static str,
        ahead: Duration,
    ) -> Response {
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        let time = (now.expect("a clock") + ahead).as_millis();
        let digest = match body {
            "" => String::new(),
            body => hex::encode(Sha256::digest(body)),
        };
        let mac = Hmac::<Sha256>::new_from_slice(SECRET.as_bytes()).expect("a key");
        let mac = mac.chain_update(format!("store\n{time}\n{method}\n{path}\n{digest}"));
        let mac = hex::encode(mac.finalize().into_bytes());
        let request = self.request(method, path).body(body);
        let signature = format!("t={time}, body={digest}, v1={mac}");
        let sent = request.header("X-Porchlight-Store", signature).send();
        sent.await.expect("an answer")
    }

    pub async fn get(&self, path: &str) -> Response {
        let answer = self.request(Method::GET, path).send().await;
        answer.expect("an answer")
    }

    pub async fn json(&self, path: &str) -> Value {
        self.get(path).await.json().await.expect("JSON")
    }
}
