//! Editors that know PicGo, by its protocol; the clipboard is a real one.

use std::fs::Permissions;
use std::net::TcpListener;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use reqwest::Method;
use reqwest::header::{AUTHORIZATION, HOST, ORIGIN};
use reqwest::multipart::{Form, Part};
use serde_json::{Value, json};

use crate::desktop::Desktop;
use crate::harness::process::RunningProcess;
use crate::harness::s3::{ObjectStore, StoreMode};
use crate::harness::{Builder, RequestBuilder, TestService, form, free_port, http, pictures};

/// A service on a desktop that listens for editors.
struct Editors {
    service: TestService,
    desktop: Desktop,
    port: u16,
    /// With the secret in it, if Porchlight generated one.
    address: String,
}

impl Editors {
    async fn start(settings: &[&str]) -> Self {
        let desktop = Desktop::start().await;
        let port = free_port();
        let service = service(&desktop, port, settings).await;
        wait_for_log(&service, "editors can upload here").await;
        let address = if settings.iter().any(|set| set.starts_with("picgo.secret=")) {
            format!("http://127.0.0.1:{port}/upload")
        } else {
            ready_address(&service).await
        };
        Self {
            service,
            desktop,
            port,
            address,
        }
    }

    fn request(&self) -> RequestBuilder {
        http().request(Method::POST, &self.address)
    }

    /// A request without the secret that may be in the address.
    fn without_secret(&self, query: &str) -> RequestBuilder {
        let (address, _) = self.address.split_once('?').expect("a secret");
        http().request(Method::POST, format!("{address}{query}"))
    }

    /// The addresses that are answered; each leads to an image.
    async fn uploaded(&self, request: RequestBuilder) -> Vec<String> {
        let answer = answer_of(request).await;
        assert_eq!(answer["success"], true, "{answer}");
        let links: Vec<String> =
            serde_json::from_value(answer["result"].clone()).expect("addresses");
        let items = answer["fullResult"].as_array().expect("items");
        let in_items: Vec<_> = items.iter().map(|item| item["imgUrl"].clone()).collect();
        assert_eq!(answer["result"], Value::Array(in_items));
        for link in &links {
            let picture = self.service.http.get(link).send().await.expect("an answer");
            assert_eq!(picture.status(), 200, "{link}");
            assert_eq!(picture.headers()["content-type"], "image/webp");
        }
        links
    }
}

/// A service that listens for editors on this port, with these settings more.
async fn service(desktop: &Desktop, port: u16, settings: &[&str]) -> TestService {
    let builder = TestService::builder()
        .sets(&["limits.requests_per_second=0", "picgo.enabled=true"])
        .set(format!("picgo.port={port}"))
        .sets(settings);
    let environment = desktop.environment();
    let add = |builder: Builder, (key, value): &(&str, String)| builder.env(key, value);
    environment.iter().fold(builder, add).start().await
}

async fn wait_for_log(service: &TestService, text: &str) {
    let is_there = async || service.stderr().contains(text).then_some(());
    crate::eventually(text, is_there).await;
}

/// The address that is printed for the owner.
async fn ready_address(service: &TestService) -> String {
    crate::eventually("the address for editors", async || {
        let log = service.stderr();
        let mut lines = log.lines();
        lines.find_map(|line| Some(line.split_once("editors upload to ")?.1.to_owned()))
    })
    .await
}

async fn answer_of(request: RequestBuilder) -> Value {
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
    // The same file again is the image that is there.
    let again = editors
        .uploaded(editors.request().json(&json!({ "list": [first] })))
        .await;
    assert_eq!(again, links[..1]);
}

/// Typora's "Upload all local images" sends paths as they are in the document.
#[tokio::test]
async fn paths_may_be_percent_encoded_or_file_addresses() {
    let editors = Editors::start(&[]).await;
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::create_dir(folder.path().join("图片 1")).expect("a folder");
    let spaced = written(folder.path(), "图片 1/a b.png");
    let literal = written(folder.path(), "100%25.png");
    written(folder.path(), "100%.png");
    let link_of = async |named: &str| {
        let list = json!({ "list": [named] });
        let links = editors.uploaded(editors.request().json(&list)).await;
        links.into_iter().next()
    };
    let link = link_of(&spaced).await;
    let encoded = spaced.replace(' ', "%20");
    let escaped = encoded.replace("图片", "%E5%9B%BE%E7%89%87");
    for named in [
        encoded.clone(),
        escaped.clone(),
        format!("file://{escaped}"),
        format!("file://localhost{spaced}"),
    ] {
        assert_eq!(link_of(&named).await, link, "{named}");
    }
    // The literal path comes first.
    let digest = editors.service.count().await;
    assert!(link_of(&literal).await.is_some());
    assert_eq!(editors.service.count().await, digest + 1);
    let other = link_of(&literal.replace("100%25", "100%2525")).await;
    assert_eq!(other, link_of(&literal).await);
    for elsewhere in ["file://server/share/a.png", "file:a.png"] {
        let list = json!({ "list": [elsewhere] });
        let answer = editors.request().json(&list).send().await;
        assert_eq!(answer.expect("an answer").status(), 400, "{elsewhere}");
    }
}

#[tokio::test]
async fn a_form_is_one_in_any_case() {
    let editors = Editors::start(&[]).await;
    let (_, body) = form::file("image", "a.png", "image/png", &picture());
    let body = String::from_utf8_lossy(&body).find("filename").map(|at| {
        let mut body = body.clone();
        body[at] = b'F';
        body
    });
    let kind = form::content_type().replace("multipart", "Multipart");
    let request = editors.request().header("content-type", kind);
    let links = editors.uploaded(request.body(body.expect("a form"))).await;
    assert_eq!(links.len(), 1);
}

#[tokio::test]
async fn pictures_go_through_the_queue_and_those_that_fail_leave_nothing_there() {
    let store = ObjectStore::start().await;
    let settings = store.settings();
    let settings: Vec<&str> = settings.iter().map(String::as_str).collect();
    let editors = Editors::start(&settings).await;
    let one = |bytes: Vec<u8>| Form::new().part("file", Part::bytes(bytes).file_name("a.png"));
    let in_queue = || {
        let folder = editors.service.data_dir();
        let database = rusqlite::Connection::open(folder.join("porchlight.db"));
        let rows = "SELECT count(*), ifnull(min(state), 2) FROM upload";
        let rows = database
            .expect("a database")
            .query_row(rows, [], |row| Ok((row.get(0)?, row.get(1)?)));
        let rows: (i64, i64) = rows.expect("numbers");
        let pasted = std::fs::read_dir(folder.join("pasted")).map_or(0, Iterator::count);
        (rows, pasted)
    };
    editors
        .uploaded(editors.request().multipart(one(picture())))
        .await;
    let folder = tempfile::tempdir().expect("a folder");
    let file = written(folder.path(), "a.png");
    let by_path = editors.request().json(&json!({ "list": [file] }));
    editors.uploaded(by_path).await;
    // Both are listed as done.
    assert_eq!(in_queue(), ((2, 2), 0));
    let broken = one(b"no picture".to_vec());
    let answer = answer_of(editors.request().multipart(broken)).await;
    assert_eq!(answer["success"], false, "{answer}");
    let why = answer["message"].as_str().expect("a text");
    assert!(why.contains("not a picture"), "{why}");
    // What came after it in the form is not uploaded at the next start.
    let part = |bytes: Vec<u8>| Part::bytes(bytes).file_name("a.png");
    let form = Form::new()
        .part("one", part(b"no picture".to_vec()))
        .part("two", part(picture()));
    let answer = answer_of(editors.request().multipart(form)).await;
    assert_eq!(answer["success"], false, "{answer}");
    assert_eq!(in_queue(), ((2, 2), 0));
    // A store that is away: the editor is told, and sends it again.
    store.is(StoreMode::Refuses(503));
    let away = editors.request().multipart(one(picture()));
    let answer = answer_of(away).await;
    assert_eq!(answer["success"], false, "{answer}");
    assert_eq!(in_queue(), ((2, 2), 0));
    store.is(StoreMode::Well);
    editors
        .uploaded(editors.request().multipart(one(picture())))
        .await;
    assert_eq!(in_queue(), ((3, 2), 0));
}

#[tokio::test]
async fn what_names_another_image_host_is_ignored_and_deletions_need_the_secret() {
    let editors = Editors::start(&[]).await;
    let folder = tempfile::tempdir().expect("a folder");
    let list = json!({ "list": [written(folder.path(), "a.png")] });
    // As PicList's and PicGo's callers choose one.
    let choice = "&picbed=smms&configName=mine&uploader=github&configId=1";
    let request = http().post(format!("{}{choice}", editors.address));
    assert_eq!(editors.uploaded(request.json(&list)).await.len(), 1);
    let answer = answer_of(editors.request().json(&list)).await;
    let items = json!({ "list": answer["fullResult"] });
    let delete = editors.address.replace("/upload?", "/delete?");
    let without = http().post(delete.split_once('?').expect("a secret").0);
    let refused = without.json(&items).send().await;
    assert_eq!(refused.expect("an answer").status(), 401);
    assert_eq!(editors.service.count().await, 1);
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

/// The form that Twikoo 1.7.9 (npm: twikoo-func, `utils/image.js`) sends to `PicList`.
#[tokio::test]
async fn twikoo_uploads_with_its_token_as_key() {
    let editors = Editors::start(&["picgo.secret=open-sesame"]).await;
    let file = Part::bytes(picture()).file_name("a-shot.png");
    let file = file.mime_str("image/png").expect("a type");
    let request = http()
        .post(format!("{}?key=open-sesame", editors.address))
        .header("accept", "application/json, text/plain, */*")
        .header("user-agent", "axios/1.21.1")
        .multipart(Form::new().part("file", file));
    assert_eq!(editors.uploaded(request).await.len(), 1);
}

#[tokio::test]
async fn without_a_body_the_clipboard_is_uploaded() {
    let editors = Editors::start(&[]).await;
    let empty = answer_of(editors.request()).await;
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
        let answer = answer_of(editors.request()).await;
        (answer["success"] == true).then(|| answer["result"].clone())
    })
    .await;
    assert_eq!(links.as_array().map(Vec::len), Some(1));
    // Typora sends an empty list for the same.
    let list = editors.request().json(&json!({ "list": [] }));
    assert_eq!(editors.uploaded(list).await.len(), 1);
}

#[tokio::test]
async fn a_file_that_cannot_be_uploaded_is_named_in_the_response() {
    let mut editors = Editors::start(&[]).await;
    let folder = tempfile::tempdir().expect("a folder");
    let text = folder.path().join("text.png");
    std::fs::write(&text, "no picture").expect("a file");
    for (body, named) in [
        (json!({ "list": ["a.png"] }).to_string(), "full path"),
        ("{".to_owned(), "neither a form nor"),
        (json!({ "list": 7 }).to_string(), "neither a form nor"),
        (
            json!({ "list": vec!["/a"; 201] }).to_string(),
            "200 at the most",
        ),
        (
            json!({ "list": ["/a".repeat(1 << 20)] }).to_string(),
            "cannot be read",
        ),
    ] {
        let answer = editors.request().body(body.clone()).send().await;
        let answer = answer.expect("an answer");
        assert_eq!(answer.status(), 400, "{body}");
        let answer: Value = answer.json().await.expect("JSON");
        assert_eq!(answer["success"], false, "{body}: {answer}");
        let message = answer["message"].as_str().expect("a text");
        assert!(message.contains(named), "{named}: {message}");
    }
    // The answer is the same for each file that is not uploaded and does not reveal which files
    // exist; the log has the reason.
    let closed = PathBuf::from(written(folder.path(), "closed.png"));
    std::fs::set_permissions(&closed, Permissions::from_mode(0o000)).expect("closed");
    let pipe = folder.path().join("pipe.png");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.expect("mkfifo").success());
    let gone = folder.path().join("gone.png");
    for file in [gone, closed, pipe, text, folder.path().to_owned()] {
        // Root can read files of mode 0.
        if rustix::process::geteuid().is_root() && file.ends_with("closed.png") {
            continue;
        }
        let list = json!({ "list": [file] });
        let answer = editors.request().json(&list).send().await;
        let answer = answer.expect("an answer");
        assert_eq!(answer.status(), 500);
        let answer: Value = answer.json().await.expect("JSON");
        assert_eq!(
            answer["message"],
            format!("{file:?} was not uploaded: Porchlight's log says why")
        );
        wait_for_log(&editors.service, &format!("{file:?}: ")).await;
    }
    // A name cannot change the text around it.
    let marks = "\u{301}".repeat(10_000);
    let hostile = format!("/</script><img src=x onerror=y>\u{202e}\u{1b}[2J\n{marks}");
    for file in [hostile.as_str(), &hostile[1..]] {
        let answer = answer_of(editors.request().json(&json!({ "list": [file] }))).await;
        let message = answer["message"].as_str().expect("a text");
        let is_plain = |c: char| c.is_ascii() && !c.is_ascii_control();
        assert!(message.chars().all(is_plain), "{message}");
    }
    let picture = written(folder.path(), "good.png");
    editors
        .uploaded(editors.request().json(&json!({ "list": [picture] })))
        .await;
    assert!(editors.service.stop().await.success());
}

#[tokio::test]
async fn pages_are_refused_without_a_secret_and_so_are_foreign_hosts() {
    let editors = Editors::start(&["picgo.secret="]).await;
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
    // A program that can send no secret.
    assert_eq!(
        editors.uploaded(editors.request().json(&list)).await.len(),
        1
    );
}

#[tokio::test]
async fn without_a_configured_secret_one_is_generated_and_required() {
    let editors = Editors::start(&[]).await;
    let folder = tempfile::tempdir().expect("a folder");
    let list = json!({ "list": [written(folder.path(), "mine.png")] });
    for query in [
        "",
        "?secret=",
        "?secret=guessed",
        "?key=guessed&secret=",
        "?Secret=x",
    ] {
        // What is on the clipboard, a file and a form.
        let form = Form::new().part("a", Part::bytes(picture()).file_name("a.png"));
        for request in [
            editors.without_secret(query),
            editors.without_secret(query).json(&list),
            editors.without_secret(query).multipart(form),
        ] {
            let answer = request.send().await.expect("an answer");
            assert_eq!(answer.status(), 401, "{query}");
        }
    }
    assert_eq!(editors.service.json("/images/count").await["count"], 0);
    let (_, secret) = editors.address.split_once("?secret=").expect("a secret");
    assert_eq!(secret.len(), 43, "256 bits");
    for request in [
        editors.request(),
        editors.without_secret(&format!("?key={secret}")),
        editors.without_secret("").bearer_auth(secret),
        editors.without_secret("").header("x-picgo-secret", secret),
    ] {
        assert_eq!(editors.uploaded(request.json(&list)).await.len(), 1);
    }
    // The line is for the terminal, not for the log.
    let data = editors.service.data_dir();
    let logs = std::fs::read_dir(data.join("logs")).expect("the log");
    for file in logs {
        let log = std::fs::read_to_string(file.expect("a file").path()).expect("a log");
        assert!(log.contains("editors can upload here") && !log.contains(secret));
    }
    let mode = |name| std::fs::metadata(data.join(name)).expect("there").mode() & 0o777;
    assert_eq!(mode("own-tokens.json"), 0o600);
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
    // As a plugin of Obsidian asks: the preflight, then the request, whose answer it reads.
    let delete = editors.address.replace("/upload", "/delete");
    // Paths are no items of uploads.
    for (address, status) in [(&editors.address, 200), (&delete, 400)] {
        let ask = |method, secret: Option<&str>| {
            let request = http().request(method, address).json(&list);
            let request = request.header(ORIGIN, "app://obsidian.md");
            match secret {
                Some(secret) => request.header("x-picgo-secret", secret),
                None => request.header("access-control-request-headers", "x-picgo-secret"),
            }
        };
        for (request, status) in [
            (ask(Method::OPTIONS, None), 204),
            (ask(Method::POST, Some("open-sesame")), status),
            (ask(Method::POST, Some("a-guess")), 401),
        ] {
            let answer = request.send().await.expect("an answer");
            assert_eq!(answer.status(), status, "{address}");
            let header = |name: &str| answer.headers()[name].to_str().expect("text").to_owned();
            assert_eq!(header("access-control-allow-origin"), "*", "{address}");
            assert!(header("access-control-allow-methods").contains("POST"));
            let named = header("access-control-allow-headers").to_lowercase();
            assert!(named.contains("content-type") && named.contains("x-picgo-secret"));
        }
    }
    // A program that sends more than one, as a proxy may add, needs one that is right.
    let known = "?secret=open-sesame";
    for (query, authorization, header, status) in [
        (known, Some("Basic b3Blbg=="), None, 200),
        (known, None, Some("wrong"), 200),
        ("?secret=&key=open-sesame", None, None, 200),
        (
            "?secret=wrong",
            Some("bearer open-sesame"),
            Some("wrong"),
            200,
        ),
        (
            "?secret=wrong",
            Some("Basic open-sesame"),
            Some("wrong"),
            401,
        ),
    ] {
        let mut request = http().post(format!("{}{query}", editors.address));
        for (name, value) in [("authorization", authorization), ("x-picgo-secret", header)] {
            request = value
                .into_iter()
                .fold(request, |request, value| request.header(name, value));
        }
        let answer = request.json(&list).send().await.expect("an answer");
        assert_eq!(
            answer.status(),
            status,
            "{query} {authorization:?} {header:?}"
        );
    }
    assert!(!editors.service.stderr().contains("open-sesame"));
}

#[tokio::test]
async fn who_guesses_the_secret_is_slowed_down_and_who_knows_it_is_not() {
    let editors = Editors::start(&["picgo.secret=open-sesame"]).await;
    let mut statuses = Vec::new();
    for _ in 0..40 {
        let guess = editors.service.http.post(&editors.address);
        let guess = guess.bearer_auth("a-guess").send().await;
        statuses.push(guess.expect("an answer").status().as_u16());
    }
    assert!(statuses[..30].iter().all(|status| *status == 401));
    assert!(statuses.contains(&429), "{statuses:?}");
    let form = Form::new().part("a", Part::bytes(picture()).file_name("a.png"));
    let known = editors.request().bearer_auth("open-sesame").multipart(form);
    assert_eq!(editors.uploaded(known).await.len(), 1);
}

#[tokio::test]
async fn a_port_in_use_is_reported_and_the_rest_continues() {
    let taken = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = taken.local_addr().expect("an address").port();
    let desktop = Desktop::start().await;
    let service = service(&desktop, port, &["presence.enabled=true"]).await;
    wait_for_log(&service, "choose another `picgo.port`").await;
    crate::fixture::seen(&service, "a heartbeat", |check| {
        check["applicationOnline"] == true
    })
    .await;
}
