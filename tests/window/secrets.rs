//! What the page gets contains no secret.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::app::TOKEN;
use crate::desktop::Desktop;
use crate::driver::Driven;
use crate::eventually;

/// The prefix of each of the secrets below.
const MARK: &str = "5EC7E7";
/// All settings that hold one, each with the mark.
const SECRETS: [&str; 8] = [
    "storage.access_key=5EC7E7000000000000000000000000A1",
    "storage.secret_key=5EC7E7000000000000000000000000A2",
    "game.steam_api_key=5EC7E7000000000000000000000000A3",
    "ip.ipinfo_token=5EC7E7000000000000000000000000A4",
    "tunnel.cloudflared_token=5EC7E7000000000000000000000000A5",
    "picgo.secret=5EC7E7000000000000000000000000A6",
    "presence.token=5EC7E7000000000000000000000000A7",
    "edge.secret=5EC7E7000000000000000000000000A8",
];

/// Each command that answers something, with parameters that change nothing.
const ASKED: [&str; 31] = [
    "'home'",
    "'albums'",
    "'requested_page'",
    "'uploads'",
    "'set_aside_files'",
    "'images', { search: {}, offset: 0, limit: 9 }",
    "'image_days', { search: {} }",
    "'image_hashes', { search: {}, offset: 0, limit: 10 }",
    "'trash', { offset: 0, limit: 9 }",
    "'posts'",
    "'posts_of', { hashes: [] }",
    "'statistics', { edges: [0, 1, 4102444800000] }",
    "'blog_lines', { form: 'html', whole: true }",
    "'reach'",
    "'test_store'",
    "'presence'",
    "'presence_history', { from: 0, to: 4102444800000 }",
    "'try_rules', { rules: [] }",
    "'program_of', { application: 'XTerm' }",
    "'add_device', { device: { name: 'Car', kind: 'other', client: 'sleepy', allowed: false } }",
    "'game'",
    "'settings'",
    "'check_for_updates'",
    "'check_settings', { changes: { 'storage.secret_key': '' } }",
    "'check_settings', { changes: { 'storage.secret_key': 7 } }",
    "'appearance'",
    "'tokens'",
    "'log_lines', { lines: 1000 }",
    "'check_images', { repair: false }",
    "'maintenance'",
    "'move_images', { to: 's3' }",
];
/// Those that answer nothing, open a dialog of the system, or need a folder from one.
const UNASKED: [&str; 63] = [
    "share",
    "pause",
    "resume",
    "pause_watching",
    "turn_on_gnome_extension",
    "fix_status",
    "choose_pictures",
    "choose_folder_of_pictures",
    "paste_pictures",
    "copy_upload_link",
    "cancel_upload",
    "retry_upload",
    "clear_uploads",
    "retry_set_aside",
    "dismiss_set_aside",
    "copy_links",
    "name_image",
    "put_in_album",
    "rename_album",
    "remove_images",
    "put_back_images",
    "open_post",
    "choose_blog",
    "plan_blog",
    "adopt_blog",
    "undo_blog",
    "save_statistics",
    "copy_address",
    "start_at_login",
    "menu_entry",
    "copy_install_line",
    "try_now",
    "copy_blog_lines",
    "write_edge_files",
    "copy_for_edge",
    "open_token_page",
    "set_up_edge",
    "stop_edge_setup",
    "put_off_edge_update",
    "forget_edge_token",
    "set_rules",
    "allow_device",
    "rename_device",
    "forget_device",
    "order_devices",
    "copy_device_field",
    "finish_adding_device",
    "update_settings",
    "choose_folder",
    "choose_file",
    "quit",
    "open_folder",
    "new_token",
    "revoke_token",
    "set_up_editor",
    "copy_editor_address",
    "copy_diagnostics",
    "copy_log_line",
    "back_up",
    "cancel_work",
    "import_images",
    "restore_backup",
    "take_over_worker",
];
/// Records the process's events.
const RECORD: &str = "window.events = []; \
    const inner = window.__TAURI_INTERNALS__; \
    for (const event of ['home-changed', 'uploads-changed', 'images-changed', \
        'presence-changed', 'settings-changed', 'work-changed', 'reach-changed', \
        'log-changed', 'posts-changed', 'drop-hover', 'show-place']) \
      inner.invoke('plugin:event|listen', { event, target: { kind: 'Any' }, \
        handler: inner.transformCallback((event) => window.events.push(event)) })";

#[test]
fn every_command_is_called_or_excluded_explicitly() {
    let calls = include_str!("../../ui/src/api/commands.ts").split(">(\"");
    let listed: BTreeSet<_> = calls
        .skip(1)
        .filter_map(|call| call.split('"').next())
        .collect();
    let asked = ASKED
        .iter()
        .filter_map(|command| command.split('\'').nth(1));
    let known: BTreeSet<_> = asked.chain(UNASKED).collect();
    assert_eq!(listed, known);
}

#[tokio::test]
async fn no_command_of_the_page_answers_a_secret_or_a_token() {
    let desktop = Desktop::start().await;
    let mut settings = SECRETS.to_vec();
    settings.push("presence.enabled=false");
    let app = Driven::start(&desktop, &settings).await;
    app.see("No pictures yet.").await;
    let new_token = new_token(&desktop).await;

    let ask = async |command: &str| {
        let script = format!(
            "return JSON.stringify(await window.__TAURI_INTERNALS__.invoke({command})) ?? 'null'"
        );
        let replies = app.wait_for(&script).await;
        replies.as_str().expect("text").to_owned()
    };
    app.script(RECORD).await;
    let mut replies = Vec::new();
    for command in ASKED {
        replies.push((command, ask(command).await));
    }
    assert_eq!(ask("'copy_diagnostics'").await, "null");
    let copied = eventually("the report", async || {
        let copied = desktop.clipboard().await;
        copied.contains("Porchlight").then_some(copied)
    })
    .await;
    replies.push(("the report of trouble", copied));
    // A change, so that an event about it comes.
    ask("'share', { share: true }").await;
    let events = "return window.events.length > 0 && JSON.stringify(window.events)";
    let events = app.until("the events", events).await;
    replies.push(("the events", events.as_str().expect("text").to_owned()));

    let answered = |name: &str| {
        let mut all = replies.iter();
        let found = all.find(|(command, _)| command.starts_with(name));
        found.map(|(_, replies)| replies).expect("asked")
    };
    let all = answered("'settings'");
    let all: Value = serde_json::from_str(all).expect("JSON");
    let secret = |setting: &&Value| setting["secret"] == true;
    let of_page = all["settings"].as_array().expect("the settings").iter();
    let set: Vec<_> = of_page.filter(secret).collect();
    assert_eq!(set.len(), SECRETS.len(), "{set:?}");
    let tokens = answered("'tokens'");
    assert!(tokens.contains("createdAt"), "{tokens}");
    for (command, replies) in &replies {
        assert!(
            replies.len() > 1 && !replies.contains("not found"),
            "{command}: {replies}"
        );
        assert!(!replies.contains(MARK), "{command}: {replies}");
        assert!(!replies.contains(TOKEN), "{command}: {replies}");
        assert!(!replies.contains(&new_token), "{command}: {replies}");
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

/// A token that the owner has made.
async fn new_token(desktop: &Desktop) -> String {
    let data_dir = desktop.data_dir();
    let words = ["token", "new", "--name", "phone", "--scope", "admin"];
    let mut words = words.to_vec();
    words.extend(["--data-dir", data_dir.to_str().expect("UTF-8")]);
    let made = desktop.run(env!("CARGO_BIN_EXE_porchlight"), &words).await;
    let token = String::from_utf8(made.stdout).expect("text");
    assert!(token.trim().len() >= 43, "{token:?}");
    token.trim().to_owned()
}
