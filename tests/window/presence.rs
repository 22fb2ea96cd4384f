//! The owner's presence, read and changed as the page does: by the commands of
//! the app's own process.

use std::time::{Duration, SystemTime};

use serde_json::{Value, json};

use crate::desktop::Desktop;
use crate::driver::Driven;
use crate::eventually;
use crate::harness::process::RunningProcess;

impl Driven {
    /// What a command answers; a message where it fails.
    pub(crate) async fn ask(&self, command: &str, parameters: &Value) -> Value {
        self.wait_for(&format!(
            "return await window.__TAURI_INTERNALS__.invoke('{command}', {parameters}) \
             .catch((refused) => refused)"
        ))
        .await
    }

    /// Readers see this program.
    async fn shows(&self, application: &str) {
        self.service
            .check(application, |check| check["application"] == application)
            .await;
    }
}

/// Brings the window with this title to the front.
pub(crate) async fn bring_to_front(desktop: &Desktop, title: &str) {
    let window = desktop.window(title).await;
    desktop
        .xdotool(&["windowactivate", "--sync", &window])
        .await;
}

/// A terminal, and Porchlight's own window above it.
pub(crate) async fn before_a_terminal(desktop: &Desktop) -> (Driven, RunningProcess) {
    let settings = ["presence.enabled=true", "presence.language=en"];
    let app = Driven::start(desktop, &settings).await;
    let mut command = desktop.command("xterm");
    command.args(["-title", "the kettle", "-e", "sleep", "600"]);
    let terminal = RunningProcess::spawn(command);
    bring_to_front(desktop, "the kettle").await;
    app.shows("XTerm").await;
    bring_to_front(desktop, "Porchlight").await;
    app.shows("Porchlight").await;
    (app, terminal)
}

#[tokio::test]
async fn rules_are_tried_on_the_window_before_porchlights_own_and_count_once_they_are_written() {
    let desktop = Desktop::start().await;
    let (app, _terminal) = before_a_terminal(&desktop).await;
    let page = app.ask("presence", &json!({})).await;
    assert_eq!(page["foreground"]["title"], "the kettle", "{page}");
    assert_eq!(page["foreground"]["names"][0], "XTerm", "{page}");
    assert_eq!(
        page["presence"]["preview"]["application"], "Porchlight",
        "{page}"
    );
    assert_eq!(page["rules"], json!([]));

    let rule = json!({
        "program": null, "title": "/^the k/", "name": "A terminal",
        "introduce": "At {title}", "rgba": "1,2,3,1", "hide": false,
    });
    let wrong = json!({ "program": "/(/" });
    let trial = app.ask("try_rules", &json!({ "rules": [rule] })).await;
    assert_eq!(trial["rule"], 0, "{trial}");
    assert_eq!(
        trial["verdict"],
        json!({
            "told": "shown", "application": "A terminal",
            "introduce": "At the kettle", "rgba": "1,2,3,1",
        })
    );
    let both = json!({ "rules": [rule, wrong] });
    let problems = app.ask("set_rules", &both).await;
    assert_eq!(problems[0]["rule"], 1, "{problems}");
    let page = app.ask("presence", &json!({})).await;
    assert_eq!(page["rules"], json!([]), "nothing was written");

    let written = app.ask("set_rules", &json!({ "rules": [rule] })).await;
    assert_eq!(written, json!([]));
    bring_to_front(&desktop, "the kettle").await;
    app.shows("A terminal").await;
    let past = app
        .ask("presence_history", &json!({ "from": 0, "to": 9e15 }))
        .await;
    let apps = past.as_array().expect("stretches").iter();
    let apps: Vec<_> = apps.map(|one| &one["shown"]["application"]).collect();
    assert!(
        apps.ends_with(&[&json!("Porchlight"), &json!("A terminal")]),
        "{past}"
    );
}

#[tokio::test]
async fn a_fixed_status_is_sent_until_it_is_cleared() {
    let desktop = Desktop::start().await;
    let (app, _terminal) = before_a_terminal(&desktop).await;
    let status = json!({ "application": "Out by bike", "introduce": "", "rgba": "" });
    app.ask("fix_status", &json!({ "status": status })).await;
    app.shows("Out by bike").await;
    let home = app.ask("home", &json!({})).await;
    assert_eq!(home["presence"]["fixed"]["application"], "Out by bike");
    assert_eq!(home["light"]["application"], "Out by bike");
    assert!(
        home["light"]["since"].as_i64() > Some(1_700_000_000_000),
        "{home}"
    );

    let bad = json!({ "application": "Out", "introduce": "", "rgba": "red" });
    let why = app.ask("fix_status", &json!({ "status": bad })).await;
    assert_eq!(why, json!({ "code": "no_colour" }));
    app.ask("pause", &json!({ "wanted": "half_an_hour" })).await;
    app.shows("").await;
    let home = app.ask("home", &json!({})).await;
    assert_eq!(home["sharing"], "paused");
    assert!(home["presence"]["pause"]["until"].is_number(), "{home}");
    app.ask("resume", &json!({})).await;
    app.shows("Out by bike").await;
    app.ask("fix_status", &json!({ "status": null })).await;
    app.shows("Porchlight").await;
}

#[tokio::test]
async fn a_status_ends_at_its_time_also_while_the_app_is_not_running() {
    let desktop = Desktop::start().await;
    let (app, _terminal) = before_a_terminal(&desktop).await;
    // Until it is shown, and a moment longer.
    let lasts = Duration::from_secs(4);
    let set = async |app: &Driven| {
        let end = SystemTime::now() + lasts;
        let until = end.duration_since(SystemTime::UNIX_EPOCH).expect("a time");
        let until = u64::try_from(until.as_millis()).expect("a time");
        let out =
            json!({ "application": "Out by bike", "introduce": "", "rgba": "", "until": until });
        app.ask("fix_status", &json!({ "status": out })).await;
        app.shows("Out by bike").await;
        end
    };
    let end = set(&app).await;
    app.shows("Porchlight").await;
    assert!(SystemTime::now() >= end);
    let home = app.ask("home", &json!({})).await;
    assert!(home["presence"]["fixed"].is_null(), "{home}");

    let end = set(&app).await;
    drop(app);
    if let Ok(left) = end.duration_since(SystemTime::now()) {
        tokio::time::sleep(left).await;
    }
    let settings = ["presence.enabled=true", "presence.language=en"];
    let app = Driven::start(&desktop, &settings).await;
    bring_to_front(&desktop, "the kettle").await;
    app.shows("XTerm").await;
    let home = app.ask("home", &json!({})).await;
    assert!(home["presence"]["fixed"].is_null(), "{home}");
}

#[tokio::test]
async fn the_tray_icon_has_the_colour_that_readers_see() {
    let mut desktop = Desktop::start().await;
    let (app, _terminal) = before_a_terminal(&desktop).await;
    let icon = desktop.tray().icon().await;
    for (rgba, wanted) in [("0,80,240,1", [0, 80, 240]), ("200,0,90,1", [200, 0, 90])] {
        let status = json!({ "application": "Out by bike", "introduce": "", "rgba": rgba });
        app.ask("fix_status", &json!({ "status": status })).await;
        eventually(rgba, async || {
            let picture = image::open(icon.picture(&desktop).await).ok()?.into_rgba8();
            let at = |side: u32, tenths: u32| side * tenths / 10;
            let [red, green, blue, _] = picture
                .get_pixel(at(picture.width(), 5), at(picture.height(), 7))
                .0;
            // The icon is brighter in the middle, so its hue is compared.
            let near = [red, green, blue].into_iter().zip(wanted);
            near.into_iter()
                .all(|(is, wanted)| is.abs_diff(wanted) < 60)
                .then_some(())
        })
        .await;
    }
}

#[tokio::test]
async fn the_window_is_notified_when_the_foreground_app_changes() {
    let desktop = Desktop::start().await;
    let (app, _terminal) = before_a_terminal(&desktop).await;
    app.wait_for(
        "window.noticed = 0;
         const tauri = window.__TAURI_INTERNALS__;
         const handler = tauri.transformCallback(() => { window.noticed += 1; });
         const target = { kind: 'Any' };
         await tauri.invoke('plugin:event|listen', { event: 'presence-changed', target, handler });",
    )
    .await;
    bring_to_front(&desktop, "the kettle").await;
    app.until("the event", "return window.noticed").await;
}

#[tokio::test]
async fn the_lines_for_a_blog_go_to_the_clipboard() {
    let desktop = Desktop::start().await;
    let app = Driven::start(&desktop, &[]).await;
    let address = app.service.url().to_owned();
    app.ask("copy_address", &json!({})).await;
    let copied = async |what: &str| {
        eventually("the clipboard", async || {
            Some(desktop.clipboard().await).filter(|text| text.contains(what))
        })
        .await
    };
    assert_eq!(copied(&address).await.trim(), address);
    let form = json!({ "form": "html", "whole": true });
    app.ask("copy_blog_lines", &form).await;
    let lines = copied("<script").await;
    assert!(
        lines.contains(&format!("<porch-light src=\"{address}\">")),
        "{lines}"
    );
    let shown = app.ask("blog_lines", &form).await;
    assert_eq!(shown["text"].as_str().map(str::trim), Some(lines.trim()));
    assert_eq!(shown["kind"], "local");
    let why = app.ask("copy_install_line", &json!({})).await;
    let nothing = json!({ "text": "nothing has to be installed" });
    assert_eq!(why, json!({ "code": "detail", "parameters": nothing }));
    app.ask("try_now", &json!({})).await;
}

#[tokio::test]
async fn the_game_is_shown_and_why_it_is_not_known() {
    let desktop = Desktop::start().await;
    let nowhere = format!(
        "game.steam_folder={}",
        desktop.home().join("steam").display()
    );
    let settings = [
        "presence.enabled=true",
        &nowhere,
        "game.steam_api_key=5EC7E7",
    ];
    let app = Driven::start(&desktop, &settings).await;
    let page = app.ask("game", &json!({})).await;
    assert_eq!(
        page["answer"],
        json!([{ "name": "status", "value": "在线" }]),
        "{page}"
    );
    assert_eq!(
        (&page["hasKey"], &page["asksClient"]),
        (&json!(true), &json!(true))
    );
    assert_eq!(
        (&page["recent"], &page["clientFolder"]),
        (&json!([]), &Value::Null)
    );
    // It is looked at once sharing has begun.
    let page = eventually("the trouble", async || {
        let page = app.ask("game", &json!({})).await;
        let trouble = page["glance"]["trouble"].to_string();
        trouble.contains("the SteamID is not set").then_some(page)
    })
    .await;
    assert!(!page.to_string().contains("5EC7E7"));
}
