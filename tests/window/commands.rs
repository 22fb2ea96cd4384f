//! What the page asks its process for, as it asks for it, without the page.

use std::os::unix::fs::OpenOptionsExt as _;

use serde_json::{Value, json};

use crate::desktop::Desktop;
use crate::driver::Driven;
use crate::eventually;
use crate::harness::cloudflare::{FakeCloudflare, TOKEN};
use crate::harness::free_port;
use crate::harness::stand_in::{Reply, StandIn};

/// The public key of the announcement in tests/update, and one that is not.
const KEY: &str = "RWTf6LxT3m4gMDYprChzKspDViqg573H64lABYU4gktUl+ZDvN8ZfGzE";
const OTHER_KEY: &str = "RWTf6LxU3m4gMDYprChzKspDViqg573H64lABYU4gktUl+ZDvN8ZfGzE";

/// What a command answers, or the message that it refuses with.
pub(crate) async fn ask(app: &Driven, command: &str, parameters: &str) -> Value {
    let call = format!(
        "return await window.__TAURI_INTERNALS__.invoke('{command}', {parameters}) \
         .then((answer) => ({{ answer }}), (refused) => ({{ refused }}));"
    );
    app.wait_for(&call).await
}

#[tokio::test]
async fn settings_tokens_and_the_log_are_read_by_commands() {
    let desktop = Desktop::start().await;
    let app = Driven::start(&desktop, &["picgo.secret=marked-for-this-test"]).await;
    let page = ask(&app, "settings", "{}").await;
    let rows = page["answer"]["settings"].as_array().expect("rows").clone();
    let row = |key: &str| {
        let found = rows.iter().find(|row| row["key"] == key);
        found.expect("a row").clone()
    };
    let secret = row("picgo.secret");
    assert!(
        secret["value"].is_null() && secret["set"] == true,
        "{secret}"
    );
    assert!(!page.to_string().contains("marked-for-this-test"));

    let changes = "{ changes: { 'app.theme': 'dark', 'images.quality': 500 } }";
    let refused = ask(&app, "update_settings", changes).await;
    assert_eq!(refused["answer"][0]["key"], "images.quality", "{refused}");
    let changes = "{ changes: { 'app.theme': 'dark' } }";
    let taken = ask(&app, "update_settings", changes).await;
    assert_eq!(taken["answer"], serde_json::json!([]), "{taken}");
    let look = ask(&app, "appearance", "{}").await;
    assert_eq!(look["answer"]["theme"], "dark", "{look}");

    let tokens = ask(&app, "tokens", "{}").await;
    assert_eq!(tokens["answer"], serde_json::json!([]), "{tokens}");
    let revoked = ask(&app, "revoke_token", "{ id: '1' }").await;
    let why = &revoked["refused"]["parameters"]["text"];
    assert_eq!(why, "there is no such token any more", "{revoked}");
    let log = ask(&app, "log_lines", "{ lines: 5 }").await;
    assert!(
        !log["answer"].as_array().expect("lines").is_empty(),
        "{log}"
    );
    let report = ask(&app, "check_images", "{ repair: true }").await;
    assert_eq!(report["answer"]["kind"], "check", "{report}");
}

#[tokio::test]
async fn the_window_answers_while_settings_are_checked() {
    let desktop = Desktop::start().await;
    let app = Driven::start(&desktop, &["presence.enabled=false"]).await;
    // A file that is read only when its writer is done.
    let file = desktop.data_dir().join("settings.toml");
    let _ = std::fs::remove_file(&file);
    let mode = rustix::fs::Mode::from_raw_mode(0o600);
    rustix::fs::mkfifoat(rustix::fs::CWD, &file, mode).expect("a pipe");
    app.script(
        "window.checked = window.__TAURI_INTERNALS__.invoke('check_settings', \
         { changes: { 'images.quality': 500 } }); return null",
    )
    .await;
    let writer = || {
        let mut open = std::fs::OpenOptions::new();
        let flags = rustix::fs::OFlags::NONBLOCK.bits().cast_signed();
        open.write(true).custom_flags(flags).open(&file).ok()
    };
    // There is none without a reader.
    let writer = eventually("the settings to be read", async || writer()).await;
    // The thread of the window answers these.
    for command in ["maintenance", "appearance"] {
        let answer = ask(&app, command, "{}").await;
        assert!(answer["answer"].is_object(), "{answer}");
    }
    // Who opens it again does not wait for another writer.
    std::fs::remove_file(&file).expect("the pipe");
    drop(writer);
    let problems = app.wait_for("return await window.checked").await;
    assert_eq!(problems[0]["key"], "images.quality", "{problems}");
}

#[tokio::test]
async fn the_address_for_editors_goes_to_the_clipboard_and_not_to_the_page() {
    let desktop = Desktop::start().await;
    let port = free_port();
    let port_setting = format!("picgo.port={port}");
    let app = Driven::start(&desktop, &["picgo.enabled=true", &port_setting]).await;
    let copied = ask(&app, "copy_editor_address", "{}").await;
    assert!(copied["refused"].is_null(), "{copied}");
    let prefix = format!("http://127.0.0.1:{port}/upload?secret=");
    let secret = eventually("the address", async || {
        let copied = desktop.clipboard().await;
        Some(copied.strip_prefix(&prefix)?.to_owned())
    })
    .await;
    assert_eq!(secret.len(), 43, "256 bits");
    for command in ["home", "settings", "tokens"] {
        let answer = ask(&app, command, "{}").await;
        assert!(!answer.to_string().contains(&secret), "{command}");
    }
}

#[tokio::test]
async fn the_announcement_and_its_key_are_those_of_the_settings_now() {
    let publisher = StandIn::start(|call| match call.path.as_str() {
        "/newer" => Reply::Body(
            200,
            "text/plain",
            include_str!("../update/newer.json").into(),
        ),
        "/newer.minisig" => {
            let signature = include_str!("../update/newer.json.minisig");
            Reply::Body(200, "text/plain", signature.into())
        }
        _ => Reply::html(404, "not here"),
    })
    .await;
    let desktop = Desktop::start().await;
    let app = Driven::start(&desktop, &["presence.enabled=false"]).await;
    let file = desktop.data_dir().join("settings.toml");
    let url = format!("url = \"{}/newer\"\n", publisher.url());
    for (written, result) in [
        (String::new(), json!("no_address")),
        (url.clone(), json!("no_key")),
        (
            format!("{url}public_key = \"{OTHER_KEY}\""),
            json!("other_key"),
        ),
        (format!("{url}public_key = \"{KEY}\""), json!("99.0.0")),
    ] {
        std::fs::write(&file, format!("[update]\n{written}\n")).expect("to write");
        eventually("the result", async || {
            let found = ask(&app, "check_for_updates", "{}").await["answer"]["result"].clone();
            let is_it = found["version"] == result || found["why"]["code"] == result;
            is_it.then_some(())
        })
        .await;
    }
}

#[tokio::test]
async fn cloudflare_is_where_the_settings_say_now() {
    let desktop = Desktop::start().await;
    let file = desktop.data_dir().join("settings.toml");
    let follow = |cloud: &FakeCloudflare| {
        let setting = cloud.setting();
        let url = setting.split_once('=').expect("a setting").1;
        let text = format!("[edge]\ncloudflare_url = \"{url}\"\n");
        std::fs::write(&file, text).expect("to write");
    };
    // Each refuses for another reason.
    let nameless = FakeCloudflare::start().await;
    nameless.change(|cloud| cloud.subdomain = None);
    let shared = FakeCloudflare::start().await;
    let other = ("fedcba9876543210fedcba9876543210", "Other");
    shared.change(|cloud| cloud.accounts.push(other));
    std::fs::create_dir_all(desktop.data_dir()).expect("a folder");
    follow(&nameless);
    let app = Driven::start(&desktop, &["presence.enabled=false"]).await;
    let request = format!(
        "{{ request: {{ task: 'set_up', token: '{TOKEN}', keepToken: false, account: '', domain: '', \
         subdomain: '', r2: false }} }}"
    );
    for (cloud, code) in [
        (&nameless, "edge_needs_subdomain"),
        (&shared, "edge_accounts"),
    ] {
        follow(cloud);
        eventually(code, async || {
            ask(&app, "set_up_edge", &request).await;
            let work = eventually("an end", async || {
                let reach = ask(&app, "reach", "{}").await;
                let work = reach["answer"]["setup"]["work"].clone();
                (work["state"] != "running").then_some(work)
            })
            .await;
            (work["why"]["code"] == code).then_some(())
        })
        .await;
    }
}
