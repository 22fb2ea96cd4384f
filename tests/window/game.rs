//! The owner's game in the window, with a stand-in for Steam.

use serde_json::json;

use crate::desktop::Desktop;
use crate::driver::Driven;
use crate::stand_in::Reply;
use crate::steam::{FakeSteam, SUMMARY};

#[tokio::test]
async fn the_game_is_named_and_a_failing_source_is_too() {
    let desktop = Desktop::start().await;
    let steam = FakeSteam::playing().await;
    let mut settings = steam.settings();
    settings.push("presence.enabled=true".to_owned());
    let settings: Vec<&str> = settings.iter().map(String::as_str).collect();
    let app = Driven::start(&desktop, &settings).await;
    app.service
        .check("the light", |check| check["applicationOnline"] == true)
        .await;
    app.go("Game").await;
    app.see("Portal 2").await;
    app.see("1 of 8").await;
    app.see("From the Steam Web API").await;
    let status = app.service.json("/game_status").await;
    assert_eq!(status["game"], "Portal 2");

    steam.change(|account| {
        account
            .faults
            .insert(SUMMARY, Reply::html(500, "<p>Sorry</p>"));
    });
    // The status is cached; other settings are requested at once.
    app.ask(
        "update_settings",
        &json!({ "changes": { "game.report_offline": true } }),
    )
    .await;
    app.see("Not working").await;
    app.see("Steam answered with status 500").await;
}
