//! What the app is to the desktop around it: keys wherever the owner is, its
//! entries, and words that follow the settings at once.

use serde_json::Value;

use crate::app::{self, App, file};
use crate::asked_for::copy;
use crate::desktop::Desktop;
use crate::dialog::read_it;
use crate::driver::Driven;
use crate::eventually;
use crate::harness::pictures::{photo, png};
use crate::harness::process::RunningProcess;
use crate::notifications::Notifications;

#[tokio::test]
async fn keys_upload_what_is_on_the_clipboard_wherever_the_owner_is_also_with_num_lock() {
    let desktop = Desktop::start().await;
    let mut notifications = Notifications::begin(&desktop).await;
    let keys = ["--hidden", "--set", "app.upload_shortcut=Ctrl+Alt+U"];
    let app = App::start(&desktop, &keys).await;
    for (number, colour) in [(1, [1, 2, 3]), (2, [200, 2, 3])] {
        let image = png(&crate::harness::pictures::flat(32, 24, colour));
        let image = file(desktop.home(), "a.png", &image);
        let _owner = copy(&desktop, "image/png", &image).await;
        eventually("the picture", async || {
            // Until the app has asked for the keys, nobody hears them.
            desktop.xdotool(&["key", "ctrl+alt+u"]).await;
            let count = app.service.json("/images/count").await;
            (count["count"] == number).then_some(())
        })
        .await;
        notifications.next().await;
        desktop.xdotool(&["key", "Num_Lock"]).await;
    }
}

#[tokio::test]
async fn a_command_for_the_desktops_own_keys_uploads_what_is_on_the_clipboard() {
    let desktop = Desktop::start().await;
    let app = App::start(&desktop, &["--hidden"]).await;
    let image = file(desktop.home(), "a.jpg", &photo());
    let list = file(
        desktop.home(),
        "list",
        format!("file://{image}\r\n").as_bytes(),
    );
    let _owner = copy(&desktop, "text/uri-list", &list).await;
    let second = RunningProcess::spawn(app::command(&desktop, &["--upload-clipboard"]));
    assert!(second.ended().await.status.success());
    eventually("the picture", async || {
        (app.service.json("/images/count").await["count"] == 1).then_some(())
    })
    .await;
    assert!(desktop.windows("Porchlight").await.is_empty());
}

#[tokio::test]
async fn keys_that_another_program_has_are_said_to_be_taken() {
    let desktop = Desktop::start().await;
    // Openbox has Alt+F4 for itself.
    let taken = ["--hidden", "--set", "app.upload_shortcut=Alt+F4"];
    let _app = App::start(&desktop, &taken).await;
    eventually("the reason in the log", async || {
        let log = log(&desktop);
        log.contains("the shortcut Alt+F4 cannot be had: Another program has these keys already.")
            .then_some(())
    })
    .await;
}

#[tokio::test]
async fn keys_that_are_none_are_refused_with_what_would_be_some() {
    let desktop = Desktop::start().await;
    let keys = ["--hidden", "--set", "app.upload_shortcut=Hyper+U"];
    let started = RunningProcess::spawn(app::command(&desktop, &keys));
    read_it(&desktop).await;
    let ended = started.ended().await;
    assert_eq!(ended.status.code(), Some(2));
    assert!(
        ended.stderr.contains("such as Ctrl+Alt+U"),
        "{}",
        ended.stderr
    );
}

#[tokio::test]
async fn the_page_puts_the_app_into_the_menu_and_starts_it_at_login() {
    let desktop = Desktop::start().await;
    let app = Driven::start(&desktop, &["presence.enabled=false"]).await;
    let share = desktop.home().join(".local/share/applications");
    let autostart = desktop.home().join(".config/autostart");
    let ask = async |command: &str, on: bool| {
        let script =
            format!("return await window.__TAURI_INTERNALS__.invoke('{command}', {{ on: {on} }})");
        assert_eq!(app.wait_for(&script).await, Value::Null, "{command}");
    };
    ask("menu_entry", true).await;
    ask("start_at_login", true).await;
    let entries = |folder: &std::path::Path| {
        let entries = std::fs::read_dir(folder).expect("a folder").flatten();
        let entries = entries.filter(|entry| entry.path().extension() == Some("desktop".as_ref()));
        let texts = entries.map(|entry| std::fs::read_to_string(entry.path()).expect("a file"));
        texts.collect::<Vec<String>>()
    };
    let data_dir = desktop.data_dir();
    let data_dir = data_dir.to_str().expect("a UTF-8 path");
    let exec = format!(
        "Exec=\"{}\" --data-dir \"{data_dir}\"",
        env!("CARGO_BIN_EXE_porchlight")
    );
    let in_menu = entries(&share);
    assert_eq!(in_menu.len(), 2);
    for ending in ["\n", " --upload %F\n"] {
        let line = format!("{exec}{ending}");
        assert!(
            in_menu.iter().any(|entry| entry.contains(&line)),
            "{in_menu:?}"
        );
    }
    let at_login = entries(&autostart);
    assert_eq!(at_login.len(), 1);
    assert!(
        at_login[0].contains(&format!("{exec} --hidden\n")),
        "{at_login:?}"
    );

    ask("menu_entry", false).await;
    ask("start_at_login", false).await;
    assert!(entries(&share).is_empty() && entries(&autostart).is_empty());
}

/// All that the app has logged so far.
fn log(desktop: &Desktop) -> String {
    let logs = std::fs::read_dir(desktop.data_dir().join("logs"));
    let logs = logs.map(|logs| logs.flatten().collect::<Vec<_>>());
    logs.unwrap_or_default()
        .iter()
        .filter_map(|entry| std::fs::read_to_string(entry.path()).ok())
        .collect()
}
