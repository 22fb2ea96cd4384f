//! The tray app as its owner starts it, and what it answers over HTTP.

use std::ffi::OsStr;
use std::path::Path;

use reqwest::Method;
use reqwest::header::CONTENT_TYPE;
use serde_json::Value;
use tokio::process::Command;

use crate::desktop::Desktop;
use crate::eventually;
use crate::harness::deadline::waits_for;
use crate::harness::form;
use crate::harness::process::RunningProcess;
use crate::harness::{Client, RequestBuilder, http};
use crate::process_group::Group;

/// The token that uploads are made with.
pub(crate) const TOKEN: &str = "a-token-of-the-window-tests-0123456789abcdef";

/// A tray app that was started from a terminal. Dropping it ends it and all
/// that it started.
pub(crate) struct App {
    group: Group,
    pub(crate) process: RunningProcess,
    /// Where it answers.
    pub(crate) service: Service,
}

/// The command that starts the app on a desktop, on a free port.
pub(crate) fn command(desktop: &Desktop, words: &[&str]) -> Command {
    let mut command = desktop.command(env!("CARGO_BIN_EXE_porchlight"));
    command.arg("--data-dir").arg(desktop.data_dir());
    command
        .args(["--set", "server.listen=127.0.0.1:0"])
        .args(words);
    command.env("PORCHLIGHT_ADMIN_TOKEN", TOKEN);
    command.process_group(0);
    command
}

impl App {
    /// Starts it with these words more on its command line, and waits until
    /// its service answers.
    pub(crate) async fn start(desktop: &Desktop, words: &[&str]) -> Self {
        let mut process = RunningProcess::spawn(command(desktop, words));
        let group = Group::of(&process);
        let Some(line) = process.line_with("listening on ").await else {
            panic!("it did not start: {:?}", process.ended().await);
        };
        let service = Service::at(
            line.trim()
                .strip_prefix("listening on ")
                .expect("the line alone"),
        );
        Self {
            group,
            process,
            service,
        }
    }

    /// What it has logged so far.
    pub(crate) fn log(&self) -> String {
        self.process.stderr()
    }

    /// How many threads it has, without those of its children.
    pub(crate) fn threads(&self) -> usize {
        let pid = self.process.pid().expect("it runs");
        let tasks = std::fs::read_dir(format!("/proc/{pid}/task"));
        tasks.expect("its threads").count()
    }

    /// Asks it to end, as a session does that is over.
    pub(crate) fn terminate(&self) {
        self.process.terminate();
    }

    /// Ends it at once, as the system does that is out of memory.
    pub(crate) async fn kill(mut self) {
        self.process.kill();
        self.process.wait().await;
    }

    /// Waits until it and all that it started are gone.
    ///
    /// # Panics
    /// When it ends with anything but 0.
    pub(crate) async fn ends_well(mut self) {
        let status = self.process.wait().await;
        assert!(status.success(), "{status}: {}", self.process.stderr());
        self.group.gone().await;
    }
}

/// The service of a running app, over HTTP.
pub(crate) struct Service {
    url: String,
    http: Client,
}

impl Service {
    /// The one at this address.
    pub(crate) fn at(url: &str) -> Self {
        Self {
            url: url.to_owned(),
            http: http(),
        }
    }

    /// Its address.
    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    /// A request to it, with no token yet.
    pub(crate) fn request(&self, method: Method, path: &str) -> RequestBuilder {
        waits_for(path);
        self.http.request(method, format!("{}{path}", self.url))
    }

    /// The status of `GET path`.
    pub(crate) async fn status(&self, path: &str) -> u16 {
        let response = self.request(Method::GET, path).send().await;
        response.expect("an answer").status().as_u16()
    }

    /// The body of `GET path`, which must answer 200.
    pub(crate) async fn bytes(&self, path: &str) -> Vec<u8> {
        let response = self.request(Method::GET, path).send().await;
        let response = response.expect("an answer");
        assert_eq!(response.status(), 200, "{path}");
        response.bytes().await.expect("a body").into()
    }

    /// Whether nothing listens here any more.
    pub(crate) async fn gone(&self) -> bool {
        self.request(Method::GET, "/check").send().await.is_err()
    }

    /// How many images there are.
    pub(crate) async fn count(&self) -> u64 {
        let count = self.json("/images/count").await;
        count["count"].as_u64().expect("a number")
    }

    /// `GET path`, which must answer 200 with JSON.
    pub(crate) async fn json(&self, path: &str) -> Value {
        let response = self
            .http
            .get(format!("{}{path}", self.url))
            .send()
            .await
            .expect("an answer");
        assert_eq!(response.status(), 200, "{path}");
        response.json().await.expect("JSON")
    }

    /// A reader's `GET path`, which must not fail.
    pub(crate) async fn visit(&self, path: &str) {
        let response = self.http.get(format!("{}{path}", self.url)).send().await;
        assert_eq!(response.expect("an answer").status(), 200, "{path}");
    }

    /// `GET path` as an own proxy passes it on, which must answer 200.
    pub(crate) async fn visit_from(&self, reader: &str, path: &str) {
        let request = self.request(Method::GET, path);
        let response = request.header("X-Forwarded-For", reader).send().await;
        assert_eq!(response.expect("an answer").status(), 200, "{path}");
    }

    /// `GET /check`, as soon as it is as wanted.
    pub(crate) async fn check(&self, what: &str, wanted: impl Fn(&Value) -> bool) -> Value {
        eventually(what, async || {
            Some(self.json("/check").await).filter(|check| wanted(check))
        })
        .await
    }

    /// Uploads a new image; gives its hash.
    pub(crate) async fn upload(&self, picture: &[u8]) -> String {
        let (content_type, body) = form::file("image", "image.jpg", "image/jpeg", picture);
        let request = self
            .http
            .post(format!("{}/images/add", self.url))
            .bearer_auth(TOKEN);
        let response = request
            .header(CONTENT_TYPE, content_type)
            .body(body)
            .send()
            .await;
        let response = response.expect("an answer");
        assert_eq!(response.status(), 201);
        let reply: Value = response.json().await.expect("JSON");
        reply["hash"].as_str().expect("a hash").to_owned()
    }
}

/// A file in a folder.
pub(crate) fn file(folder: &Path, name: impl AsRef<OsStr>, bytes: &[u8]) -> String {
    let path = folder.join(name.as_ref());
    std::fs::write(&path, bytes).expect("to write");
    path.to_str().expect("a UTF-8 path").to_owned()
}
