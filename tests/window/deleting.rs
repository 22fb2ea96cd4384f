//! Deleting in the window: what is selected, and the time to think better of it.

use crate::app::App;
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
async fn a_deletion_undone_in_time_deletes_nothing() {
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
    app.see("2 pictures will be deleted in").await;
    assert_eq!(statuses(&app, &hashes).await, [200; 5]);
    app.press("Undo").await;
    app.see("2 pictures kept").await;

    // One that is deleted after them goes when they would long be gone.
    app.click_on(&desktop, "[data-index='0']", Some("ctrl"))
        .await;
    app.press("Delete").await;
    app.see("1 picture will be deleted in").await;
    eventually("the one to be gone", async || {
        let statuses = statuses(&app, &hashes).await;
        assert_eq!(statuses[1..], [200; 4]);
        (statuses[0] == 404).then_some(())
    })
    .await;
    assert_eq!(app.service.count().await, 4);
    app.see("4 in total").await;
    app.until("the grid without it", &format!("{SHOWN} === 4"))
        .await;
    let gone = app
        .script(&format!(
            "return document.querySelector('[role=gridcell] img[src*=\"{}\"]') === null",
            hashes[0]
        ))
        .await;
    assert_eq!(gone, true);
}

#[tokio::test]
async fn quitting_within_the_time_deletes_nothing() {
    let mut desktop = Desktop::start().await;
    let app = Driven::start(&desktop, &SETTINGS).await;
    let icon = desktop.tray().icon().await;
    let hashes = upload(&app, 2).await;
    app.click_on(&desktop, "[data-index='0']", Some("ctrl"))
        .await;
    strike(&desktop, &["ctrl+a"]).await;
    app.see("2 selected").await;
    strike(&desktop, &["Delete"]).await;
    app.see("2 pictures will be deleted in").await;
    icon.click(&desktop, "Quit").await;
    eventually("the app to be gone", async || {
        app.service.gone().await.then_some(())
    })
    .await;
    drop(app);

    let again = App::start(&desktop, &["--hidden", "--set", "presence.enabled=false"]).await;
    for hash in hashes {
        assert_eq!(again.service.status(&format!("/i/{hash}")).await, 200);
    }
    assert_eq!(again.service.count().await, 2);
}
