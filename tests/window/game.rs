//! The owner's game in the window, with a stand-in for Steam.

use crate::desktop::Desktop;
use crate::driver::Driven;
use crate::stand_in::Reply;
use crate::steam::{FakeSteam, SUMMARY};

#[tokio::test]
async fn the_game_is_named_and_both_sources_are_tried() {
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

    app.press("Test connection").await;
    app.see("Steam on this computer: Off or not set up.").await;
    app.see("Steam Web API: Works: playing Portal 2.").await;

    steam.change(|account| {
        account
            .faults
            .insert(SUMMARY, Reply::html(500, "<p>Sorry</p>"));
    });
    app.press("Test connection").await;
    app.until(
        "the trouble",
        "const lines = [...document.querySelectorAll('main li')].map((one) => one.innerText); \
         return lines.some((one) => one.startsWith('Steam Web API:') && !one.includes('Portal 2'))",
    )
    .await;
}
