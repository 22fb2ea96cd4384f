//! What the page is told holds no secret.

use serde_json::Value;

use crate::app::TOKEN;
use crate::desktop::Desktop;
use crate::driver::Driven;
use crate::eventually;

/// Begins each of the secrets below.
const MARK: &str = "5EC7E7";
/// All settings that hold one, each with the mark.
const SECRETS: [&str; 7] = [
    "storage.access_key=5EC7E7000000000000000000000000A1",
    "storage.secret_key=5EC7E7000000000000000000000000A2",
    "game.steam_api_key=5EC7E7000000000000000000000000A3",
    "ip.ipinfo_token=5EC7E7000000000000000000000000A4",
    "tunnel.cloudflared_token=5EC7E7000000000000000000000000A5",
    "picgo.secret=5EC7E7000000000000000000000000A6",
    "presence.token=5EC7E7000000000000000000000000A7",
];

#[tokio::test]
async fn no_command_of_the_page_answers_a_secret_or_a_token() {
    let desktop = Desktop::start().await;
    let mut settings = SECRETS.to_vec();
    settings.push("presence.enabled=false");
    let app = Driven::start(&desktop, &settings).await;
    app.see("No pictures yet.").await;
    let own_tokens = own_tokens(&desktop);

    let ask = async |command: &str| {
        let script = format!(
            "return JSON.stringify(await window.__TAURI_INTERNALS__.invoke({command})) ?? 'null'"
        );
        let said = app.wait_for(&script).await;
        said.as_str().expect("text").to_owned()
    };
    let mut said = Vec::new();
    for command in [
        "'home'",
        "'settings'",
        "'tokens'",
        "'log_lines', { lines: 1000 }",
        "'uploads'",
        "'presence'",
        "'game'",
        "'snippet'",
        "'appearance'",
        "'set_aside_files'",
        "'test_game'",
        "'check_settings', { changes: { 'storage.secret_key': '' } }",
    ] {
        said.push((command, ask(command).await));
    }
    assert_eq!(ask("'copy_diagnostics'").await, "null");
    let copied = eventually("the report", async || {
        let copied = desktop.clipboard().await;
        copied.contains("Porchlight").then_some(copied)
    })
    .await;
    said.push(("the report of trouble", copied));

    let (_, all) = &said[1];
    let all: Value = serde_json::from_str(all).expect("JSON");
    let secret = |setting: &&Value| setting["secret"] == true;
    let of_page = all["settings"].as_array().expect("the settings").iter();
    let set: Vec<_> = of_page.filter(secret).collect();
    assert_eq!(set.len(), SECRETS.len(), "{set:?}");
    assert!(said[2].1.contains("createdAt"), "{}", said[2].1);
    for (command, said) in &said {
        assert!(
            said.len() > 1 && !said.contains("not found"),
            "{command}: {said}"
        );
        assert!(!said.contains(MARK), "{command}: {said}");
        assert!(!said.contains(TOKEN), "{command}: {said}");
        for token in &own_tokens {
            assert!(!said.contains(token.as_str()), "{command}: {said}");
        }
    }
    for secret in [MARK, TOKEN] {
        // Wherever the owner may go.
        for place in ["Settings", "Game", "Presence", "Home"] {
            app.go(place).await;
            let page = app
                .script("return document.documentElement.outerHTML")
                .await;
            assert!(!page.as_str().expect("text").contains(secret), "{place}");
        }
    }
}

/// The app's own tokens, where no keyring has them.
fn own_tokens(desktop: &Desktop) -> Vec<String> {
    let files = std::fs::read_dir(desktop.data_dir()).expect("the data folder");
    let texts = files
        .flatten()
        .filter(|entry| entry.file_name().to_string_lossy().contains("token"))
        .map(|entry| std::fs::read_to_string(entry.path()).expect("text"));
    let long = |word: &str| word.len() >= 40;
    let tokens: Vec<String> = texts
        .flat_map(|text| {
            let words = text.split(|of: char| !(of.is_alphanumeric() || "-_".contains(of)));
            words
                .filter(|word| long(word))
                .map(str::to_owned)
                .collect::<Vec<_>>()
        })
        .collect();
    assert!(tokens.len() >= 2, "{tokens:?}");
    tokens
}
