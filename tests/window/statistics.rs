//! The calls of readers in the window.

use crate::desktop::Desktop;
use crate::dialog;
use crate::driver::Driven;
use crate::harness::pictures;

#[tokio::test]
async fn images_viewed_today_are_shown_with_their_views_and_saved() {
    let desktop = Desktop::start().await;
    let app = Driven::start(&desktop, &["presence.enabled=false"]).await;
    let hashes = [
        app.service.upload(&pictures::photo()).await,
        app.service.upload(&pictures::photo()).await,
    ];
    for (hash, views) in [(&hashes[0], 2), (&hashes[1], 3)] {
        for _ in 0..views {
            app.service.visit(&format!("/i/{hash}")).await;
        }
    }
    app.go("Statistics").await;
    let shown = "const views = [...document.querySelectorAll('[aria-labelledby=top-title] li')] \
         .map((one) => one.querySelector('.small').innerText.trim()).join(); \
         return views === '3 views,2 views'";
    app.until("their views", shown).await;

    app.press("Export…").await;
    app.press("Picture views by day (CSV)").await;
    let place = desktop.home().join("views.csv");
    dialog::choose(&desktop, "Export views", place.to_str().expect("UTF-8")).await;
    app.see("Saved as").await;
    let csv = std::fs::read_to_string(&place).expect("the file");
    let mut lines = csv.lines();
    assert_eq!(lines.next(), Some("day,picture,views"));
    for (hash, views) in [(&hashes[1], 3), (&hashes[0], 2)] {
        let line = lines.next().expect("a line");
        assert!(line.ends_with(&format!(",{hash},{views}")), "{csv}");
    }
    assert_eq!(lines.next(), None);
}

#[tokio::test]
async fn calls_of_readers_are_in_the_table_and_in_the_file_that_is_saved() {
    let desktop = Desktop::start().await;
    let app = Driven::start(&desktop, &["presence.enabled=false"]).await;
    app.go("Statistics").await;
    app.see("No visits yet.").await;
    for _ in 0..3 {
        app.service.visit("/check").await;
    }
    app.service.visit("/images/count").await;
    app.go("Home").await;
    app.go("Statistics").await;
    let shows = |calls: &str| {
        format!(
            "const row = document.querySelector('main li[title^=\"/check,\"] > b:last-child'); \
             return row?.innerText.trim() === '{calls}'"
        )
    };
    app.until("three calls", &shows("3")).await;
    // While it is open, too.
    for _ in 0..2 {
        app.service.visit("/check").await;
    }
    app.until("two calls more", &shows("5")).await;

    app.press("Export…").await;
    app.press("Requests by hour (CSV)").await;
    let place = desktop.home().join("calls.csv");
    dialog::choose(&desktop, "Export requests", place.to_str().expect("UTF-8")).await;
    app.see("Saved as").await;
    let csv = std::fs::read_to_string(&place).expect("the file");
    let line = csv.lines().find(|line| line.contains("/check"));
    assert!(
        line.is_some_and(|line| line.split(',').any(|cell| cell == "5")),
        "{csv}"
    );
    assert!(csv.contains("/images/count"), "{csv}");
}
