//! Images that are pasted into the window.

use crate::app::file;
use crate::desktop::Desktop;
use crate::driver::Driven;
use crate::eventually;
use crate::external_uploads::copy;
use crate::harness::pictures::{decoded, distance, next_seed, png, scene};
use crate::input::strike;

#[tokio::test]
async fn a_picture_on_the_clipboard_is_pasted_by_ctrl_v_and_shows() {
    let desktop = Desktop::start().await;
    let app = Driven::start(&desktop, &["presence.enabled=false"]).await;
    let picture = scene(next_seed(), 640, 480);
    let image = file(desktop.home(), "a.png", &png(&picture));
    let _owner = copy(&desktop, "image/png", &image).await;

    // On the first page, too: the image is in the queue of the other.
    app.see("No pictures yet.").await;
    strike(&desktop, &["ctrl+v"]).await;
    // On every page, with the kind of the address.
    app.see("Link copied. Readers can’t open this address.")
        .await;
    app.until(
        "the new picture",
        "return document.querySelector('main img')?.naturalWidth",
    )
    .await;
    app.go("Pictures").await;
    app.see("clipboard.png").await;
    app.see("1 picture uploaded").await;
    let hash = app.service.json("/images/list").await["images"][0]["hash"].clone();
    let hash = hash.as_str().expect("a hash").to_owned();
    let seen = format!(
        "return document.querySelector('[role=gridcell] img[src*=\"{hash}\"]')?.naturalWidth"
    );
    assert_eq!(app.until("the picture", &seen).await, 320);
    let stored = app.service.bytes(&format!("/i/{hash}")).await;
    let stored = decoded(&stored).into_rgb8();
    assert!(distance(&stored, &picture) < 6.0);

    let link = format!("{}/i/{hash}.webp", app.service.url());
    assert_eq!(desktop.clipboard().await, link);

    // The same once more is known, and its link is copied again. A text is no image.
    let _owner = copy(&desktop, "image/png", &image).await;
    strike(&desktop, &["ctrl+v"]).await;
    app.see("already here").await;
    eventually("the link once more", async || {
        (desktop.clipboard().await == link).then_some(())
    })
    .await;
    let text = file(desktop.home(), "a.txt", b"buy milk");
    let _owner = copy(&desktop, "UTF8_STRING", &text).await;
    strike(&desktop, &["ctrl+v"]).await;
    app.see("There is no picture on the clipboard.").await;
    assert_eq!(app.service.count().await, 1);
}
