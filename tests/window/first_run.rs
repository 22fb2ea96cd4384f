//! The question of the first run, and what follows from its answer.

use crate::desktop::Desktop;
use crate::driver::Driven;

#[tokio::test]
async fn nothing_is_reported_before_the_owner_says_yes_and_then_the_light_is_on() {
    let desktop = Desktop::start().await;
    let app = Driven::start(&desktop, &[]).await;
    app.see("Leave a light on for your readers?").await;
    app.screenshot(&desktop, "first-run.png").await;
    let check = app.service.json("/check").await;
    assert_eq!(check["last_heartbeat"], 0);
    assert_eq!(check["alive"], false);

    app.press("Share it").await;
    let check = app
        .service
        .check("the heartbeat", |check| check["alive"] == true)
        .await;
    assert_eq!(check["application"], "Porchlight");
    assert_eq!(check["applicationOnline"], true);
    app.see("The light is on").await;
    app.see("Readers see this on your blog").await;

    app.press("Pause").await;
    app.service
        .check("the pause", |check| check["applicationOnline"] == false)
        .await;
    app.press("Resume").await;
    app.service
        .check("the light again", |check| {
            check["applicationOnline"] == true
        })
        .await;
}

#[tokio::test]
async fn a_no_is_kept_and_reports_nothing() {
    let desktop = Desktop::start().await;
    let app = Driven::start(&desktop, &[]).await;
    app.press("Not now").await;
    app.see("This computer reports nothing about you.").await;
    assert_eq!(app.service.json("/check").await["last_heartbeat"], 0);
    let settings = std::fs::read_to_string(desktop.data_dir().join("settings.toml"));
    assert!(settings.expect("the settings").contains("enabled = false"));
}
