//! What the app is to the desktop around it: its entries.

use serde_json::Value;

use crate::desktop::Desktop;
use crate::driver::Driven;

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
