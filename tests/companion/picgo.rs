//! Editors that know PicGo, by its protocol; the clipboard is a real one.

use std::net::TcpListener;
use std::path::Path;

use reqwest::header::{AUTHORIZATION, HOST, ORIGIN};
use reqwest::multipart::{Form, Part};
use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};

use crate::companion::Companion;
use crate::desktop::Desktop;
use crate::harness::process::RunningProcess;
use crate::harness::{TestService, http, pictures};
use crate::home::service;

/// A companion that listens for editors, and the service that it uploads to.
struct Editors {
    companion: Companion,
    service: TestService,
    desktop: Desktop,
    port: u16,
}

impl Editors {
    async fn start(settings: &[&str]) -> Self {
        let desktop = Desktop::start().await;
        let service = service().await;
        let free = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = free.local_addr().expect("an address").port();
        drop(free);
        let port_setting = format!("picgo.port={port}");
        let mut all = vec!["picgo.enabled=true", &port_setting];
        all.extend(settings);
        let token = service.admin_token.clone();
        let companion = Companion::start(&desktop, &service.url(""), &token, &all);
        companion.says("editors can upload here").await;
        Self {
            companion,
            service,
            desktop,
            port,
        }
    }

    fn request(&self) -> RequestBuilder {
        http().request(
            Method::POST,
            format!("http://127.0.0.1:{}/upload", self.port),
        )
    }

    /// The addresses that are answered; each leads to a picture.
    async fn uploaded(&self, request: RequestBuilder) -> Vec<String> {
        let answer = told(request).await;
        assert_eq!(answer["success"], true, "{answer}");
        let links: Vec<String> =
            serde_json::from_value(answer["result"].clone()).expect("addresses");
        for link in &links {
            let picture = self.service.http.get(link).send().await.expect("an answer");
            assert_eq!(picture.status(), 200, "{link}");
            assert_eq!(picture.headers()["content-type"], "image/webp");
        }
        links
    }
}

async fn told(request: RequestBuilder) -> Value {
    let answer = request.send().await.expect("an answer");
    answer.json().await.expect("JSON")
}

fn picture() -> Vec<u8> {
    pictures::png(&pictures::scene(pictures::next_seed(), 24, 16))
}

fn written(folder: &Path, name: &str) -> String {
    let file = folder.join(name);
    std::fs::write(&file, picture()).expect("a file");
    file.to_str().expect("UTF-8").to_owned()
}

#[tokio::test]
async fn files_are_uploaded_by_their_paths_and_their_addresses_answered_in_order() {
    let editors = Editors::start(&[]).await;
    let folder = tempfile::tempdir().expect("a folder");
    let (first, second) = (
        written(folder.path(), "a.png"),
        written(folder.path(), "雪 b.png"),
    );
    let links = editors
        .uploaded(editors.request().json(&json!({ "list": [first, second] })))
        .await;
    assert_eq!(links.len(), 2);
    assert!(
        links[0].starts_with(&editors.service.url("/i/")),
        "{links:?}"
    );
    // The same file again is the picture that is there.
    let again = editors
        .uploaded(editors.request().json(&json!({ "list": [first] })))
        .await;
    assert_eq!(again, links[..1]);
}

#[tokio::test]
async fn a_form_may_call_its_fields_anything() {
    let editors = Editors::start(&[]).await;
    let file = || Part::bytes(picture()).file_name("clip.png");
    let form = Form::new()
        .part("files", file())
        .part("图片", file())
        .text("comment", "no picture");
    assert_eq!(
        editors
            .uploaded(editors.request().multipart(form))
            .await
            .len(),
        2
    );
}

#[tokio::test]
async fn without_a_body_the_clipboard_is_uploaded() {
    let editors = Editors::start(&[]).await;
    let empty = told(editors.request()).await;
    assert_eq!(empty["success"], false);
    assert!(
        empty["message"]
            .as_str()
            .expect("a text")
            .contains("clipboard"),
        "{empty}"
    );
    let folder = tempfile::tempdir().expect("a folder");
    let picture = written(folder.path(), "copied.png");
    let mut command = editors.desktop.command("xclip");
    command.args([
        "-selection",
        "clipboard",
        "-t",
        "image/png",
        "-quiet",
        "-i",
        &picture,
    ]);
    let _owner = RunningProcess::spawn(command);
    let links = crate::eventually("the clipboard to be taken", async || {
        let answer = told(editors.request()).await;
        (answer["success"] == true).then(|| answer["result"].clone())
    })
    .await;
    assert_eq!(links.as_array().map(Vec::len), Some(1));
    // Typora sends an empty list for the same.
    let list = editors.request().json(&json!({ "list": [] }));
    assert_eq!(editors.uploaded(list).await.len(), 1);
}

#[tokio::test]
async fn what_cannot_be_uploaded_is_named_and_nothing_breaks() {
    let editors = Editors::start(&[]).await;
    let folder = tempfile::tempdir().expect("a folder");
    let text = folder.path().join("text.png");
    std::fs::write(&text, "no picture").expect("a file");
    for (body, named) in [
        (
            json!({ "list": ["/nowhere/a.png"] }).to_string(),
            "/nowhere/a.png",
        ),
        (json!({ "list": ["a.png"] }).to_string(), "full path"),
        (json!({ "list": [folder.path()] }).to_string(), "not a file"),
        (json!({ "list": [text] }).to_string(), "text.png"),
        ("{".to_owned(), "neither a form nor"),
        (json!({ "list": 7 }).to_string(), "neither a form nor"),
    ] {
        let answer = told(editors.request().body(body.clone())).await;
        assert_eq!(answer["success"], false, "{body}: {answer}");
        let message = answer["message"].as_str().expect("a text");
        assert!(message.contains(named), "{body}: {message}");
    }
    let picture = written(folder.path(), "good.png");
    editors
        .uploaded(editors.request().json(&json!({ "list": [picture] })))
        .await;
    let ended = editors.companion.terminated().await;
    assert!(ended.status.success(), "{ended:?}");
}

#[tokio::test]
async fn pages_are_refused_without_a_secret_and_so_are_foreign_hosts() {
    let editors = Editors::start(&[]).await;
    let folder = tempfile::tempdir().expect("a folder");
    let list = json!({ "list": [written(folder.path(), "mine.png")] });
    for (name, value) in [
        (ORIGIN, "https://evil.example".to_owned()),
        (ORIGIN, "null".to_owned()),
        (HOST, "evil.example".to_owned()),
        (HOST, format!("evil.example:{}", editors.port)),
    ] {
        let answer = editors
            .request()
            .json(&list)
            .header(name, &value)
            .send()
            .await;
        let answer = answer.expect("an answer");
        assert_eq!(answer.status(), 403, "{value}");
        assert!(!answer.headers().contains_key("access-control-allow-origin"));
    }
    assert_eq!(editors.service.json("/images/count").await["count"], 0);
}

#[tokio::test]
async fn with_a_secret_all_must_know_it_and_pages_may() {
    let editors = Editors::start(&["picgo.secret=open-sesame"]).await;
    let folder = tempfile::tempdir().expect("a folder");
    let list = json!({ "list": [written(folder.path(), "mine.png")] });
    for wrong in [
        None,
        Some("Bearer wrong"),
        Some("open-sesame"),
        Some("Bearer "),
    ] {
        let mut request = editors.request().json(&list);
        if let Some(value) = wrong {
            request = request.header(AUTHORIZATION, value);
        }
        let answer = request.send().await.expect("an answer");
        assert_eq!(answer.status(), 401, "{wrong:?}");
    }
    let bearer = editors.request().json(&list).bearer_auth("open-sesame");
    editors.uploaded(bearer).await;
    let page = editors
        .request()
        .json(&list)
        .header(ORIGIN, "app://obsidian.md")
        .header("x-picgo-secret", "open-sesame");
    let answer = page.send().await.expect("an answer");
    assert_eq!(answer.status(), 200);
    assert_eq!(answer.headers()["access-control-allow-origin"], "*");
    assert!(!editors.companion.said().contains("open-sesame"));
}

#[tokio::test]
async fn a_port_that_is_taken_is_said_and_the_rest_goes_on() {
    let taken = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = taken.local_addr().expect("an address").port();
    let desktop = Desktop::start().await;
    let service = service().await;
    let port = format!("picgo.port={port}");
    let companion = Companion::start(
        &desktop,
        &service.url(""),
        &service.heartbeat_token,
        &["picgo.enabled=true", &port],
    );
    companion.says("choose another `picgo.port`").await;
    crate::home::seen(&service, "a heartbeat", |check| {
        check["applicationOnline"] == true
    })
    .await;
}
