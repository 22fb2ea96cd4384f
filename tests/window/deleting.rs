//! Deleting in the window: what is selected, the undo, and the list of deleted pictures.

use crate::desktop::Desktop;
use crate::driver::Driven;
use crate::eventually;
use crate::harness::pictures::{flat, png};
use crate::input::strike;

/// The images are requested again and again.
const SETTINGS: [&str; 2] = ["presence.enabled=false", "limits.requests_per_second=0"];
/// What the cells of the grid show, in their order.
const SHOWN: &str = "return document.querySelectorAll('[role=gridcell] img').length";

/// Uploads that many images; their hashes, newest first.
async fn upload(app: &Driven, count: u8) -> Vec<String> {
    let mut hashes = Vec::new();
    for n in 0..count {
        let picture = png(&flat(64, 48, [n * 20, 90, 200]));
        hashes.insert(0, app.service.upload(&picture).await);
    }
    app.go("Pictures").await;
    app.until("the pictures", &format!("{SHOWN} === {count}"))
        .await;
    hashes
}

/// What asking for each of them is answered.
async fn statuses(app: &Driven, hashes: &[String]) -> Vec<u16> {
    let mut statuses = Vec::new();
    for hash in hashes {
        statuses.push(app.service.status(&format!("/i/{hash}")).await);
    }
    statuses
}

#[tokio::test]
async fn a_deletion_counts_at_once_and_can_be_undone() {
    let desktop = Desktop::start().await;
    let app = Driven::start(&desktop, &SETTINGS).await;
    let hashes = upload(&app, 5).await;

    app.click_on(&desktop, "[data-index='1']", Some("ctrl"))
        .await;
    app.see("1 selected").await;
    strike(&desktop, &["shift+Right"]).await;
    app.see("2 selected").await;
    // A click selects further while something is selected.
    app.click_on(&desktop, "[data-index='4']", None).await;
    app.see("3 selected").await;
    strike(&desktop, &["space"]).await;
    app.see("2 selected").await;

    strike(&desktop, &["Delete"]).await;
    app.see("2 pictures deleted.").await;
    assert_eq!(statuses(&app, &hashes).await, [200, 404, 404, 200, 200]);
    app.until("the grid without them", &format!("{SHOWN} === 3"))
        .await;
    app.press("Undo").await;
    app.see("2 pictures put back").await;
    assert_eq!(statuses(&app, &hashes).await, [200; 5]);
    app.until("the grid with them", &format!("{SHOWN} === 5"))
        .await;
    let shown = app
        .script(
            "return [...document.querySelectorAll('[role=gridcell] img')]
             .map((image) => new URL(image.src).pathname.slice(1))",
        )
        .await;
    assert_eq!(shown, serde_json::json!(hashes), "in their places");
}

#[tokio::test]
async fn what_was_deleted_before_the_app_quit_is_gone_and_can_be_put_back() {
    let mut desktop = Desktop::start().await;
    let app = Driven::start(&desktop, &SETTINGS).await;
    let icon = desktop.tray().icon().await;
    let hashes = upload(&app, 2).await;
    app.click_on(&desktop, "[data-index='0']", Some("ctrl"))
        .await;
    strike(&desktop, &["ctrl+a"]).await;
    app.see("2 selected").await;
    strike(&desktop, &["Delete"]).await;
    app.see("2 pictures deleted.").await;
    icon.click(&desktop, "Quit").await;
    eventually("the app to be gone", async || {
        app.service.gone().await.then_some(())
    })
    .await;
    drop(app);

    let again = Driven::start(&desktop, &SETTINGS).await;
    assert_eq!(statuses(&again, &hashes).await, [404; 2]);
    again.go("Pictures").await;
    again.see("No pictures yet.").await;
    again.press("Deleted pictures…").await;
    again.see("2 pictures can be put back.").await;
    let loaded =
        "[...document.querySelectorAll('dialog img')].filter((one) => one.naturalWidth > 0)";
    again
        .until("their pixels", &format!("return {loaded}.length === 2"))
        .await;
    again.press("Put all back").await;
    again.see("2 pictures put back").await;
    assert_eq!(statuses(&again, &hashes).await, [200; 2]);
}
