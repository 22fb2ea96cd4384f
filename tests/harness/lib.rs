//! One running Porchlight, as its users get it: the real binary in its own data
//! folder, on a free loopback port, with its own tokens.
//!
//! Nothing here sleeps until the service is there: it is ready when it prints
//! its `listening on` line, and it is gone when its process has been waited for.
//!
//! Beside it: what the service talks to (stores, Steam, tunnels) and desktops to run it on.

#[cfg(target_os = "linux")]
pub mod browser;
#[cfg(target_os = "linux")]
pub mod bus;
pub mod chunks;
#[cfg(target_os = "linux")]
pub mod clock;
pub mod cloudflare;
#[cfg(target_os = "linux")]
pub mod deadline;
#[cfg(target_os = "linux")]
pub mod desktop;
pub mod edge;
pub mod files;
pub mod form;
pub mod front;
pub mod garage;
#[cfg(target_os = "linux")]
pub mod gnome;
pub mod ipinfo;
#[cfg(target_os = "linux")]
pub mod keyring;
pub mod line;
pub mod litestream;
pub mod memory;
pub mod mmdb;
pub mod openapi;
pub mod pictures;
pub mod process;
#[cfg(unix)]
pub mod process_group;
pub mod quick_tunnel;
pub mod raw;
pub mod s3;
pub mod socket;
pub mod stand_in;
mod start;
pub mod steam;
#[cfg(target_os = "linux")]
pub mod steam_client;
#[cfg(target_os = "linux")]
pub mod sway;
pub mod tool;
#[cfg(target_os = "linux")]
pub mod tray;
#[cfg(target_os = "linux")]
pub mod workerd;

use std::net::{SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU16, Ordering};
use std::time::{Duration, Instant};

#[cfg(target_os = "linux")]
use deadline::waits_for;
use process::{Ended, RunningProcess};
use reqwest::header::CONTENT_TYPE;
use reqwest::{Method, Response};
use reqwest_middleware::ClientBuilder;
pub use reqwest_middleware::{ClientWithMiddleware as Client, RequestBuilder};
use serde_json::Value;
pub use start::Builder;
use start::listening;
use tempfile::TempDir;

/// The longest that anything in these tests may take before it has failed.
pub const TIMEOUT: Duration = Duration::from_secs(60);

/// A running service. Dropping it kills the process and removes its folders.
pub struct TestService {
    /// A token of scope `admin`.
    pub admin_token: String,
    /// A token of scope `heartbeat`.
    pub heartbeat_token: String,
    /// A client that follows no redirects.
    pub http: Client,
    how: Builder,
    process: RunningProcess,
    address: SocketAddr,
    data_dir: PathBuf,
    // The last field: the folder goes when the process is gone.
    home: TempDir,
}

impl TestService {
    /// A new service with these `--set` settings.
    pub async fn start(settings: &[&str]) -> Self {
        Self::builder().sets(settings).start().await
    }

    /// A service whose start is described step by step.
    pub fn builder() -> Builder {
        Builder::new()
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Its process.
    pub fn pid(&self) -> u32 {
        self.process.pid().expect("it runs")
    }

    /// The address of `path`, which starts with a slash.
    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// Its data folder.
    pub fn data_dir(&self) -> &Path {
        &self.data_dir
    }

    /// A request to be added to.
    pub fn request(&self, method: Method, path: &str) -> RequestBuilder {
        self.http.request(method, self.url(path))
    }

    /// `GET path`.
    pub async fn get(&self, path: &str) -> Response {
        self.request(Method::GET, path)
            .send()
            .await
            .expect("an answer")
    }

    /// `GET path`, which must answer 200 with JSON.
    pub async fn json(&self, path: &str) -> Value {
        let (status, body) = answer(self.get(path).await).await;
        assert_eq!(status, 200, "{path}: {body}");
        body
    }

    /// Uploads the bytes as the form field `image`, with the admin token.
    pub async fn upload(&self, bytes: impl Into<Vec<u8>>) -> Response {
        self.upload_as(bytes, "picture", "application/octet-stream")
            .await
    }

    /// [`TestService::upload`] under a file name and with a declared type.
    pub async fn upload_as(
        &self,
        bytes: impl Into<Vec<u8>>,
        file_name: &str,
        declared: &str,
    ) -> Response {
        let (content_type, body) = form::file("image", file_name, declared, &bytes.into());
        self.request(Method::POST, "/images/add")
            .bearer_auth(&self.admin_token)
            .header(CONTENT_TYPE, content_type)
            .body(body)
            .send()
            .await
            .expect("an answer")
    }

    /// Uploads the bytes, which must be new and good, and gives the hash.
    pub async fn stored(&self, bytes: impl Into<Vec<u8>>) -> String {
        let (status, body) = answer(self.upload(bytes).await).await;
        assert_eq!(status, 201, "{body}");
        body["hash"].as_str().expect("a hash").to_owned()
    }

    /// The bytes that readers of this image get.
    pub async fn webp(&self, hash: &str) -> Vec<u8> {
        let response = self.get(&format!("/i/{hash}")).await;
        assert_eq!(response.status(), 200);
        response.bytes().await.expect("a body").to_vec()
    }

    /// `DELETE /images/{hash}` with the admin token.
    pub async fn delete(&self, hash: &str) -> Response {
        self.request(Method::DELETE, &format!("/images/{hash}"))
            .bearer_auth(&self.admin_token)
            .send()
            .await
            .expect("an answer")
    }

    /// How many images the service reports.
    pub async fn count(&self) -> u64 {
        self.json("/images/count").await["count"]
            .as_u64()
            .expect("a number")
    }

    /// A heartbeat with a JSON body and the heartbeat token.
    pub async fn heartbeat(&self, fields: &Value) -> Response {
        self.heartbeat_by(&self.heartbeat_token, fields).await
    }

    /// A heartbeat with a JSON body and this token.
    pub async fn heartbeat_by(&self, token: &str, fields: &Value) -> Response {
        self.request(Method::POST, "/heartbeat")
            .bearer_auth(token)
            .json(fields)
            .send()
            .await
            .expect("an answer")
    }

    /// The token of a new device, made by `porchlight device add` with these words.
    pub async fn device(&self, words: &[&str]) -> String {
        let ended = self.run(&[&["device", "add"], words].concat()).await;
        assert!(ended.status.success(), "{ended:?}");
        ended.stdout.trim().to_owned()
    }

    /// A new stored token of this scope, made by `porchlight token new`.
    pub async fn token(&self, scope: &str) -> String {
        static NEXT: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
        let number = NEXT.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let name = format!("test-{scope}-{number}");
        let ended = self
            .run(&["token", "new", "--name", &name, "--scope", scope])
            .await;
        assert!(ended.status.success(), "{ended:?}");
        ended.stdout.trim().to_owned()
    }

    /// Runs another command of the binary on the same data folder to
    /// completion.
    pub async fn run(&self, words: &[&str]) -> Ended {
        let mut command = process::clean_command(&program(), self.home.path());
        command.args(words).arg("--data-dir").arg(&self.data_dir);
        RunningProcess::spawn(command).ended().await
    }

    /// What it has printed on standard error so far.
    pub fn stderr(&self) -> String {
        self.process.stderr()
    }

    /// What it has printed on standard output so far.
    pub fn stdout(&self) -> String {
        self.process.stdout()
    }

    /// Asks it to end and waits until it has.
    pub async fn stop(&mut self) -> ExitStatus {
        self.process.terminate();
        self.process.wait().await
    }

    /// Asks it to end, and does not wait.
    pub fn terminate(&self) {
        self.process.terminate();
    }

    /// Asks it to end as Ctrl+C does, and does not wait.
    pub fn interrupt(&self) {
        self.process.interrupt();
    }

    /// Ends it as a power cut would (SIGKILL) and waits until it is gone.
    pub async fn kill(&mut self) {
        self.process.kill();
        self.process.wait().await;
    }

    /// Stops it if it runs and starts it as it was on the same data folder,
    /// on another free port.
    pub async fn restart(&mut self) {
        self.restart_with(&[]).await;
    }

    /// [`TestService::restart`] with further settings from then on.
    pub async fn restart_with(&mut self, settings: &[&str]) {
        if self.process.pid().is_some() {
            self.stop().await;
        }
        self.how
            .settings
            .extend(settings.iter().map(|&setting| setting.to_owned()));
        let process = self.how.spawn(
            self.home.path(),
            &self.data_dir,
            &self.admin_token,
            &self.heartbeat_token,
        );
        match listening(process).await {
            Ok((process, address)) => (self.process, self.address) = (process, address),
            Err(ended) => panic!("the service did not start again: {ended:?}"),
        }
    }
}

/// The status and the JSON body of an answer; `null` when it is no JSON.
pub async fn answer(response: Response) -> (u16, Value) {
    let status = response.status().as_u16();
    let body = response.bytes().await.expect("a body");
    (status, serde_json::from_slice(&body).unwrap_or_default())
}

/// Asserts that the answer is this error, with the body and headers that every
/// error has.
pub async fn assert_error(response: Response, status: u16, text: &str) {
    let header = |name: &str| {
        let value = response.headers().get(name);
        value
            .map(|value| value.to_str().expect("text").to_owned())
            .unwrap_or_default()
    };
    let (kind, cache, origin) = (
        header("content-type"),
        header("cache-control"),
        header("access-control-allow-origin"),
    );
    let (answered, body) = answer(response).await;
    assert_eq!(
        (answered, &body),
        (status, &serde_json::json!({ "error": text }))
    );
    assert!(kind.starts_with("application/json"), "{text}: {kind}");
    assert_eq!(cache, "no-store", "{text}");
    assert_eq!(origin, "*", "{text}");
}

/// Polls until the answer is `Some`, within [`TIMEOUT`]: for what happens
/// asynchronously and announces itself in no other way.
pub async fn eventually<T>(what: &str, mut ask: impl AsyncFnMut() -> Option<T>) -> T {
    let began = Instant::now();
    waits_for(what);
    loop {
        if let Some(answer) = ask().await {
            return answer;
        }
        assert!(began.elapsed() < TIMEOUT, "never: {what}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// Only desktops, which are tested on Linux, have a deadline.
#[cfg(not(target_os = "linux"))]
fn waits_for(_: &str) {}

/// The program under test: the file that `PORCHLIGHT_PROGRAM` names
/// (`cargo xtask soak` names the release build), otherwise the one built with the
/// tests.
pub fn program() -> String {
    std::env::var("PORCHLIGHT_PROGRAM").unwrap_or_else(|_| {
        // Cargo puts tests into `deps`, beside the program.
        let test = std::env::current_exe().expect("this test");
        let folder = test.ancestors().nth(2).expect("the folder of programs");
        let name = format!("porchlight{}", std::env::consts::EXE_SUFFIX);
        folder.join(name).to_string_lossy().into_owned()
    })
}

/// A port of loopback that is free now and that no other test is given, of this process or another. The
/// system never assigns it: ports of clients, and of servers that bind port 0, are above 32,767.
pub fn free_port() -> u16 {
    const FIRST: u16 = 20_000;
    const BLOCKS: u16 = 12;
    const BLOCK: u16 = 1_000;
    // The first port of a block is held while this process runs: the block is its own.
    static OWN: LazyLock<TcpListener> = LazyLock::new(|| {
        let blocks = (0..BLOCKS).map(|block| FIRST + block * BLOCK);
        let mut held = blocks.map(|first| TcpListener::bind(("127.0.0.1", first)));
        held.find_map(Result::ok).expect("a block of ports")
    });
    static GIVEN: AtomicU16 = AtomicU16::new(0);
    let first = OWN.local_addr().expect("an address").port();
    (1..BLOCK)
        .map(|_| first + 1 + GIVEN.fetch_add(1, Ordering::Relaxed) % (BLOCK - 1))
        .find(|port| TcpListener::bind(("127.0.0.1", *port)).is_ok())
        .expect("a free port")
}

/// A client that follows no redirects and knows no proxy. Whatever the service answers it has to be in
/// `docs/openapi.json`.
pub fn http() -> Client {
    let client = porchlight_service::http::client_tls::http_client()
        .redirect(reqwest::redirect::Policy::none())
        .no_proxy()
        .timeout(TIMEOUT)
        // The service closes a connection that is idle for 15 s, which Wine reports late.
        .pool_idle_timeout(Duration::from_secs(5))
        .build()
        .expect("a client");
    ClientBuilder::new(client).with(openapi::hold).build()
}

/// 256 random bits as text.
pub fn random_token() -> String {
    hex::encode(rand::random::<[u8; 32]>())
}
