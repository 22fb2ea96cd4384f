//! The foreground app, and what is sent of it.

use std::path::Path;

use serde_json::Value;

use crate::fixture::{self, Home, at};
use crate::harness::process::RunningProcess;

/// Whether a file below the folder holds these bytes.
fn holds(folder: &Path, text: &str) -> bool {
    std::fs::read_dir(folder).expect("a folder").any(|entry| {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            return holds(&path, text);
        }
        let bytes = std::fs::read(&path).unwrap_or_default();
        bytes
            .windows(text.len())
            .any(|part| part == text.as_bytes())
    })
}

/// The owner is online, without a named app.
fn unnamed(check: &Value) -> bool {
    check["application"] == ""
        && check["introduce"] == ""
        && check["rgba"] == "255,180,84,1"
        && check["applicationOnline"] == true
}

#[tokio::test]
async fn the_foreground_app_is_sent_within_two_seconds_and_its_title_never() {
    let mut home = Home::start(&[]).await;
    let _terminal = home.terminal("my secret plan").await;
    let check = home.sees("the terminal", at("XTerm")).await.soon();
    assert_eq!(check["introduce"], "At the command line");
    assert_eq!(check["rgba"], "90,110,130,1");

    let _program = home
        .program("garden-planner", "Tulips for a secret love")
        .await;
    let check = home.sees("the program", at("Garden planner")).await.soon();
    assert_eq!(check["introduce"], "");
    let colour = check["rgba"].as_str().expect("a colour").to_owned();
    assert!(colour.ends_with(",1"), "{colour}");

    home.bring_to_front("my secret plan").await;
    home.sees("the terminal again", at("XTerm")).await.soon();
    home.bring_to_front("Tulips for a secret love").await;
    let check = home.sees("the program again", at("Garden planner")).await;
    assert_eq!(check.soon()["rgba"], colour.as_str(), "always the same");

    let log = home.companion.terminated().await;
    assert!(log.stderr.contains("reporting \"XTerm\""), "{}", log.stderr);
    assert!(!log.stderr.contains("secret"), "{}", log.stderr);
    home.service.stop().await;
    let data_dir = home.service.data_dir();
    assert!(holds(data_dir, "XTerm") && !holds(data_dir, "secret"));
    assert!(!holds(&home.desktop.home().join("companion"), "secret"));
}

#[tokio::test]
async fn a_rule_matches_the_name_of_the_menu_entry_in_either_language() {
    let rules = "presence.rules=[{ program = '厨房计时器', hide = true }]";
    let home = Home::start(&[rules, "presence.language=en"]).await;
    let entries = home.desktop.home().join(".local/share/applications");
    std::fs::create_dir_all(&entries).expect("a folder");
    let entry = "[Desktop Entry]\nName=Kitchen Timer\nName[zh_CN]=厨房计时器\n";
    std::fs::write(entries.join("kitchen-timer.desktop"), entry).expect("to write");
    let _terminal = home.terminal("Shell").await;
    home.sees("the terminal", at("XTerm")).await;
    let _timer = home.program("kitchen-timer", "Eggs").await;
    home.sees("nothing of the timer", unnamed).await.soon();
}

/// Its private windows may look like any other.
#[tokio::test]
async fn a_browser_of_the_menu_shares_no_title() {
    let home = Home::start(&["presence.share_titles=true"]).await;
    let entries = home.desktop.home().join(".local/share/applications");
    std::fs::create_dir_all(&entries).expect("a folder");
    let entry =
        |categories: &str| format!("[Desktop Entry]\nName=Some Sheets\nCategories={categories}\n");
    for (name, categories) in [
        ("paper-pages", "Office;"),
        ("net-pages", "Network;WebBrowser;"),
    ] {
        let file = entries.join(format!("{name}.desktop"));
        std::fs::write(file, entry(categories)).expect("to write");
    }
    let _paper = home.program("paper-pages", "A letter").await;
    let check = home.sees("the app of paper", at("Some Sheets")).await.check;
    assert_eq!(check["introduce"], "A letter");
    let _net = home.program("net-pages", "A secret page").await;
    let untitled = |check: &serde_json::Value| at("Some Sheets")(check) && check["introduce"] == "";
    home.sees("the browser", untitled).await;
}

#[tokio::test]
async fn a_window_that_closes_leaves_nothing_named() {
    let home = Home::start(&[]).await;
    let terminal = home.terminal("Shell").await;
    home.sees("the terminal", at("XTerm")).await;
    drop(terminal);
    home.sees("an empty desktop", unnamed).await.soon();
}

#[tokio::test]
async fn the_first_matching_rule_names_shares_the_title_or_hides() {
    let rules = "presence.rules=[\
        { program = 'xterm', title = '/^Diary/', hide = true },\
        { program = '/(?i)^XTERM$/', name = 'A terminal', introduce = 'At {title}', rgba = '1,2,3,0.5' },\
        { program = 'xterm', name = 'Never reached' }]";
    let home = Home::start(&[rules]).await;
    let _open = home.terminal("the kettle").await;
    let check = home.sees("the rule's name", at("A terminal")).await.soon();
    assert_eq!(check["introduce"], "At the kettle");
    assert_eq!(check["rgba"], "1,2,3,0.5");

    let _diary = home.terminal("Diary of May").await;
    home.sees("nothing of the diary", unnamed).await.soon();
    home.bring_to_front("the kettle").await;
    home.sees("the rule's name again", at("A terminal"))
        .await
        .soon();
}

#[tokio::test]
async fn titles_are_sent_when_the_owner_shares_them() {
    let home = Home::start(&["presence.share_titles=true"]).await;
    let _terminal = home.terminal("watering the plants").await;
    let shown = |check: &Value| check["introduce"] == "watering the plants";
    home.sees("the title", shown).await.soon();
}

#[tokio::test]
async fn private_windows_and_password_managers_are_never_named() {
    let rules = "presence.rules=[{ program = '/./', name = 'Anything', introduce = '{title}' }]";
    let home = Home::start(&[rules, "presence.share_titles=true"]).await;
    let _terminal = home.terminal("plain").await;
    let rule = |check: &Value| check["introduce"] == "plain";
    for (name, title) in [
        ("firefox", "My savings — Mozilla Firefox Private Browsing"),
        ("KeePassXC", "accounts"),
        ("google-chrome", "River Bank - Online Banking"),
    ] {
        home.bring_to_front("plain").await;
        home.sees("the rule's name", rule).await;
        let _secret = home.program(name, title).await;
        home.sees(name, unnamed).await.soon();
    }
    home.companion.wait_for_log("nothing that is named").await;
}

/// xterm writes such a title as compound text, which is not read.
#[tokio::test]
async fn a_title_that_is_not_unicode_is_not_shared() {
    let rules = "presence.rules=[{ program = '/./', name = 'Anything', introduce = '{title}' }]";
    let home = Home::start(&[rules, "presence.share_titles=true"]).await;
    for (title, shared) in [("plain", "plain"), ("招商银行网上银行", "")] {
        let mut command = home.desktop.command("xterm");
        command.env("LC_ALL", "C.UTF-8");
        command.args(["-class", "Notebook", "-title", title, "-e", "sleep", "600"]);
        let _window = RunningProcess::spawn(command);
        home.bring_to_front(title).await;
        let shown =
            |check: &Value| check["introduce"] == shared && check["application"] == "Anything";
        home.sees(title, shown).await.soon();
    }
}

#[tokio::test]
async fn names_and_lines_are_chinese_for_those_who_want_it() {
    let home = Home::start(&["presence.language=zh"]).await;
    let _program = home.program("nautilus", "Home").await;
    let check = home.sees("the files", at("文件")).await.soon();
    assert_eq!(check["introduce"], "正在整理文件");
}

#[tokio::test]
async fn heartbeats_are_at_least_a_second_apart() {
    let recorder = crate::targets::Recorder::start().await;
    let desktop = crate::desktop::Desktop::start().await;
    let _companion = crate::companion::Companion::start(&desktop, &recorder.url(), "token", &[]);
    let _one = fixture::terminal(&desktop, "one");
    let _two = fixture::program(&desktop, &["garden-planner", "two"]);
    let windows = [desktop.window("one").await, desktop.window("two").await];
    // Some of them stay long enough to count, and too short for a heartbeat
    // each; the others are ignored.
    while recorder.heartbeats().len() < 6 {
        for stay in ["0.4", "0.4", "0.02", "0.02"] {
            for window in &windows {
                let words = ["windowactivate", window, "sleep", stay];
                desktop.xdotool(&words).await;
            }
        }
    }
    let heartbeats = recorder.heartbeats();
    let gaps = heartbeats.windows(2).map(|two| two[1].at - two[0].at);
    let shortest = gaps.min().expect("many");
    assert!(shortest.as_millis() >= 1_000, "{shortest:?}");
}
