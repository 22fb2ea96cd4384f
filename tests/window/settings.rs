//! Settings that are changed in the window, and the maintenance of the data
//! folder.

use crate::app::file;
use crate::desktop::Desktop;
use crate::dialog;
use crate::driver::{Driven, make_executable};
use crate::eventually;
use crate::harness::TestService;
use crate::harness::form;
use crate::harness::pictures::{jpeg, next_seed, photo, scene};
use crate::harness::process::{RunningProcess, clean_command};
use crate::input::{ENTER, TAB};
use reqwest::Method;
use reqwest::header::CONTENT_TYPE;
use serde_json::Value;

/// The settings file; nothing where nothing was ever written.
fn written(desktop: &Desktop) -> String {
    std::fs::read_to_string(desktop.data_dir().join("settings.toml")).unwrap_or_default()
}

/// Waits until this is beside the setting.
async fn see_beside(app: &Driven, key: &str, what: &str) {
    let beside = format!(
        "return [...document.querySelectorAll('[data-setting=\"{key}\"] :is(.why, .note)')]\
         .some((one) => one.innerText.trim() === '{what}')"
    );
    app.until(what, &beside).await;
}

#[tokio::test]
async fn a_setting_applies_as_the_page_shows_and_an_invalid_one_is_refused_beside_its_field() {
    let desktop = Desktop::start().await;
    let app = Driven::start(&desktop, &["presence.enabled=false"]).await;
    let size = async || {
        let picture = jpeg(&scene(next_seed(), 640, 480));
        let hash = app.service.upload(&picture).await;
        app.service.bytes(&format!("/i/{hash}")).await.len()
    };
    let before = size().await;
    app.open_settings("Quality").await;
    app.write("Quality", &format!("120{ENTER}")).await;
    see_beside(&app, "images.quality", "Enter a number from 1 to 100.").await;
    assert!(!written(&desktop).contains("quality"));
    app.write("Quality", &format!("5{ENTER}")).await;
    see_beside(&app, "images.quality", "Saved").await;
    assert!(written(&desktop).contains("quality = 5\n"));
    let after = size().await;
    assert!(after < before / 2, "{before} bytes, then {after}");

    // An error that only the process can detect is shown in the same place.
    app.open_settings("Service").await;
    app.write("Public address", &format!("nonsense{ENTER}"))
        .await;
    let why = "return document.querySelector('[data-setting=\"server.public_url\"] .text-bad')?.innerText";
    app.until("why not", why).await;
    assert!(!written(&desktop).contains("nonsense"));

    app.write("Greeting", &format!("Come in, the light is on.{TAB}"))
        .await;
    see_beside(&app, "server.greeting", "Saved").await;
    assert!(written(&desktop).contains("greeting = \"Come in, the light is on.\""));
    assert_eq!(app.service.bytes("/").await, b"Come in, the light is on.");
}

#[tokio::test]
async fn manual_edits_appear_on_the_page_and_an_error_is_shown_until_it_is_fixed() {
    let desktop = Desktop::start().await;
    let app = Driven::start(&desktop, &["presence.enabled=false"]).await;
    app.open_settings("Quality").await;
    let file = desktop.data_dir().join("settings.toml");
    // As many editors write: another file, in the old one's place.
    let edit = |text: &str| {
        let new = desktop.data_dir().join("settings.toml.new");
        std::fs::write(&new, text).expect("to write");
        std::fs::rename(&new, &file).expect("to rename");
    };
    edit("# mine\n[images]\nquality = 33\n");
    let quality = "return document.querySelector('[data-setting=\"images.quality\"] input').value";
    app.until("the new value", &format!("{quality} === '33'"))
        .await;

    edit("# mine\n[images]\nquality = 500\n");
    let wrong = "line 3, images.quality: 500 is out of bounds: from 1 to 100";
    app.see(wrong).await;
    app.until("the old value", &format!("{quality} === '33'"))
        .await;
    app.go("Home").await;
    app.see("There’s a mistake in settings.toml").await;

    // What is wrong can be mended here, and the owner's words stay.
    app.press("View").await;
    app.see(wrong).await;
    app.open_settings("Quality").await;
    app.write("Quality", &format!("44{ENTER}")).await;
    see_beside(&app, "images.quality", "Saved").await;
    app.see_no_more("mistake in").await;
    assert_eq!(written(&desktop), "# mine\n[images]\nquality = 44\n");
}

#[tokio::test]
async fn the_program_of_the_tunnel_is_chosen_and_runs_once_a_dialog_was_answered() {
    let desktop = Desktop::start().await;
    // Where nothing refreshes by itself.
    let text = b"#!/bin/sh\necho http://127.0.0.1:$1\nexec sleep 600\n";
    let program = file(desktop.home(), "hidden-tunnel", text);
    let settings = [
        "presence.enabled=false",
        "tunnel.kind=command",
        "tunnel.command=['no-such-tunnel', '{port}']",
        "tunnel.pattern=(http[^ ]+)",
    ];
    let app = Driven::start(&desktop, &settings).await;
    app.open_settings("Tunnel").await;
    let choose = "//*[@data-setting='tunnel.program']//button[normalize-space()='Choose…']";
    app.see("Program not installed").await;
    app.click(choose).await;
    dialog::choose(&desktop, "Choose file", &program).await;
    app.see("may not be started: it is not marked as a program")
        .await;
    assert!(!written(&desktop).contains("program"));
    make_executable(&program);
    app.click(choose).await;
    dialog::choose(&desktop, "Choose file", &program).await;
    dialog::press_yes(&desktop).await;
    see_beside(&app, "tunnel.program", "Saved").await;
    app.see("ms round trip").await;
    // A stroke that the dialog missed may leave a slash more in what was typed.
    let text = written(&desktop);
    let settings: toml::Table = text.parse().expect("TOML");
    let chosen = settings["tunnel"]["program"].as_str().expect("a path");
    let chosen = std::fs::canonicalize(chosen).expect("a file");
    assert_eq!(
        chosen,
        std::fs::canonicalize(program).expect("a file"),
        "{text}"
    );
}

#[tokio::test]
async fn the_configuration_for_share_x_is_saved_and_its_token_uploads() {
    let desktop = Desktop::start().await;
    let app = Driven::start(&desktop, &["presence.enabled=false"]).await;
    app.open_settings("Editors").await;
    app.press_named("Set up ShareX").await;
    let place = desktop.home().join("Porchlight.sxcu");
    dialog::choose(
        &desktop,
        "Save ShareX uploader",
        place.to_str().expect("UTF-8"),
    )
    .await;
    app.see("Saved as").await;
    let text = std::fs::read_to_string(&place).expect("the file");
    let file: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(file["Body"], "MultipartFormData");
    let method: Method = file["RequestMethod"]
        .as_str()
        .and_then(|method| method.parse().ok())
        .expect("a method");
    let url = file["RequestURL"].as_str().expect("an address");
    let path = url
        .strip_prefix(app.service.url())
        .expect("its own address");
    let field = file["FileFormName"].as_str().expect("a field");
    let (content_type, body) = form::file(field, "shot.png", "image/png", &photo());
    let mut request = app.service.request(method, path);
    for (name, value) in file["Headers"].as_object().expect("headers") {
        request = request.header(name, value.as_str().expect("text"));
    }
    let request = request.header(CONTENT_TYPE, content_type).body(body);
    let response = request.send().await.expect("an answer");
    assert_eq!(response.status(), 201);
    assert_eq!(app.service.count().await, 1);
    // Its token never was on the page.
    let token = file["Headers"]["Authorization"].as_str().expect("a token");
    let token = token.strip_prefix("Bearer ").expect("a bearer");
    app.nowhere_on_the_page(token).await;
}

/// Its name, its setting, and an upload: path, field, header and what is before the token there.
const UPLOAD_APIS: [(&str, &str, [&str; 4]); 2] = [
    (
        "Lsky Pro",
        "tools.lsky",
        ["/api/v1/upload", "file", "Authorization", "Bearer "],
    ),
    (
        "Chevereto",
        "tools.chevereto",
        ["/api/1/upload", "source", "X-API-Key", ""],
    ),
];

#[tokio::test]
async fn the_apis_of_lsky_pro_and_chevereto_are_switched_on_and_what_is_copied_there_uploads() {
    let desktop = Desktop::start().await;
    let app = Driven::start(&desktop, &["presence.enabled=false"]).await;
    app.open_settings("Editors").await;
    for (nth, (name, setting, [path, field, header, before])) in UPLOAD_APIS.iter().enumerate() {
        let upload = async |address: &str, token: &str| {
            let path = format!("{address}{path}");
            let path = path.strip_prefix(app.service.url()).expect("its address");
            let (content_type, body) = form::file(field, "shot.png", "image/png", &photo());
            let request = app.service.request(Method::POST, path);
            let request = request.header(*header, format!("{before}{token}"));
            let request = request.header(CONTENT_TYPE, content_type).body(body);
            request.send().await.expect("an answer").status().as_u16()
        };
        assert_eq!(upload(app.service.url(), "none").await, 404, "{name}");
        let shown =
            format!("return document.querySelector('[aria-label=\"Set up {name}\"]') !== null");
        assert_eq!(app.script(&shown).await, false, "{name}");
        app.click(&format!(
            "//*[@data-setting='{setting}']//*[@role='switch']"
        ))
        .await;
        let button = format!("//*[@aria-label='Set up {name}']");
        app.click(&button).await;
        let row = format!("{button}/ancestor::*[.//*[contains(@class, 'server')]][1]");
        app.find(&format!("{row}//*[contains(., 'Paste it now.')]"))
            .await;
        let token = desktop.clipboard().await;
        let shown = format!("{row}//*[contains(@class, 'mono')]");
        let address = app.find(&shown).await.text().await.expect("a text");
        assert_eq!(upload(&address, &token).await, 200, "{name}");
        assert_eq!(app.service.count().await, nth as u64 + 1);
        app.nowhere_on_the_page(&token).await;
        app.click(&format!("{row}//*[@aria-label='Server address']"))
            .await;
        eventually("the address on the clipboard", async || {
            (desktop.clipboard().await == address).then_some(())
        })
        .await;
        assert!(written(&desktop).contains(&setting.replace("tools.", "")));
    }
}

#[tokio::test]
async fn a_backup_that_is_saved_from_the_window_is_restored_elsewhere() {
    let desktop = Desktop::start().await;
    let app = Driven::start(&desktop, &["presence.enabled=false"]).await;
    let hash = app.service.upload(&photo()).await;
    app.open_settings("Backup & repair").await;
    app.press("Save backup…").await;
    let place = desktop.home().join("saved.tar");
    let place = place.to_str().expect("UTF-8");
    dialog::choose(&desktop, "Save backup", place).await;
    app.see("1 picture saved in").await;
    app.see("It includes no secrets.").await;

    let elsewhere = desktop.home().join("elsewhere");
    let mut restore = clean_command(env!("CARGO_BIN_EXE_porchlight"), desktop.home());
    restore
        .arg("--data-dir")
        .arg(&elsewhere)
        .args(["restore", place]);
    let ended = RunningProcess::spawn(restore).ended().await;
    assert!(ended.status.success(), "{}", ended.stderr);
    let stored = elsewhere.join(format!("images/{}/{hash}.webp", &hash[..2]));
    let original = app.service.bytes(&format!("/i/{hash}")).await;
    assert_eq!(std::fs::read(stored).expect("the picture"), original);
}

#[tokio::test]
async fn the_pictures_of_another_server_are_imported_after_confirmation() {
    let other = TestService::start(&[]).await;
    let hash = other.stored(photo()).await;
    let desktop = Desktop::start().await;
    let app = Driven::start(&desktop, &["presence.enabled=false"]).await;
    app.open_settings("Backup & repair").await;
    let from = app.find("//input[@aria-label='Address of the other server']");
    let typed = from.await.send_keys(&other.url("")).await;
    typed.expect("the address is typed");
    app.press("Import…").await;
    dialog::press_yes(&desktop).await;
    app.see("1 picture imported.").await;
    app.service.bytes(&format!("/i/{hash}")).await;
    app.press("Import…").await;
    dialog::press_yes(&desktop).await;
    app.see("0 pictures imported; 1 already here.").await;
}

#[tokio::test]
async fn a_line_of_the_log_goes_to_the_clipboard() {
    let desktop = Desktop::start().await;
    let app = Driven::start(&desktop, &["presence.enabled=false"]).await;
    app.open_settings("Backup & repair").await;
    app.click("//*[@role='option'][last()]").await;
    app.press("Copy line").await;
    app.see("Line copied").await;
    let chosen =
        "return document.querySelector('[role=option][aria-selected=true] .text').innerText";
    let line = app.script(chosen).await;
    let copied = desktop.clipboard().await;
    let line = line.as_str().expect("a line");
    assert!(!line.is_empty() && copied.contains(line), "{copied}");
}
