//! Browsing the images: one of them large, one by the prefix of its hash, and a
//! great many.

use crate::desktop::Desktop;
use crate::driver::Driven;
use crate::eventually;
use crate::harness::pictures::{flat, jpeg, next_seed, png, scene};
use crate::input::strike;

/// What is found in the large view.
const LARGE: &str = "document.querySelector('dialog[open] dd.mono')?.textContent";

#[tokio::test]
async fn an_image_is_viewed_large_its_link_copied_and_found_by_its_hash() {
    let desktop = Desktop::start().await;
    let app = Driven::start(&desktop, &["presence.enabled=false"]).await;
    let mut hashes = Vec::new();
    for _ in 0..3 {
        let picture = jpeg(&scene(next_seed(), 900, 600));
        hashes.insert(0, app.service.upload(&picture).await);
    }
    app.go("Pictures").await;
    app.click_on(&desktop, "[data-index='0'] img", None).await;
    app.see("Picture 1 of 3").await;
    strike(&desktop, &["Right"]).await;
    app.until(
        "the second picture",
        &format!("return {LARGE} === '{}'", hashes[1]),
    )
    .await;
    let wide =
        "return document.querySelector('dialog[open] .stage img:not(.thumb)')?.naturalWidth ===";
    app.until("as many pixels as are seen", &format!("{wide} 640"))
        .await;
    app.click_on(&desktop, "dialog[open] .stage img:not(.thumb)", None)
        .await;
    app.until("every pixel", &format!("{wide} 900")).await;
    app.see("900 × 600").await;

    app.press_named("Link format").await;
    app.press("Markdown").await;
    app.see("Link copied").await;
    let markdown = |hash: &str| format!("![]({}/i/{hash}.webp)", app.service.url());
    let copied = async |link: String| {
        eventually(&link, async || {
            (desktop.clipboard().await == link).then_some(())
        })
        .await;
    };
    copied(markdown(&hashes[1])).await;
    // The first one leaves the zoom.
    strike(&desktop, &["Escape"]).await;
    app.until("the whole picture", &format!("{wide} 640")).await;
    strike(&desktop, &["Escape"]).await;
    app.until(
        "the grid again, with the keys at the picture that was large",
        "return document.querySelector('dialog[open]') === null \
         && document.activeElement?.dataset.index === '1'",
    )
    .await;

    // The form is the preferred one from now on, also in the settings.
    strike(&desktop, &["Right", "ctrl+c"]).await;
    copied(markdown(&hashes[2])).await;
    let settings = std::fs::read_to_string(desktop.data_dir().join("settings.toml"));
    assert!(
        settings
            .expect("the settings")
            .contains("template = \"markdown\"")
    );

    app.write("Search by name, date or link", &hashes[2][..9])
        .await;
    app.see("1 found").await;
    let found = "const found = [...document.querySelectorAll('[role=gridcell] img')]; \
        return found.length === 1 && found[0].src";
    let source = app.until("the one", found).await;
    assert!(source.as_str().expect("a source").contains(&hashes[2]));
}

#[tokio::test]
async fn three_hundred_pictures_are_scrolled_to_the_end_and_few_are_drawn() {
    const MANY: u16 = 300;
    let desktop = Desktop::start().await;
    let app = Driven::start(&desktop, &["presence.enabled=false"]).await;
    app.go("Pictures").await;
    let mut oldest = String::new();
    for n in 0..MANY {
        let colour = [(n % 16) as u8 * 16, (n / 16) as u8 * 12, 40];
        let hash = app.service.upload(&png(&flat(24, 16, colour))).await;
        if n == 0 {
            oldest = hash;
        }
    }
    app.see("300 in total").await;
    app.click_on(&desktop, "[data-index='0']", Some("ctrl"))
        .await;
    strike(&desktop, &["Escape", "End"]).await;
    let end = format!(
        "const cell = document.activeElement; const at = cell.getBoundingClientRect(); \
         return cell.dataset.index === '299' && at.top >= 0 && at.bottom <= innerHeight \
         && cell.querySelector('img[src*=\"{oldest}\"]')?.naturalWidth"
    );
    assert_eq!(app.until("the oldest picture", &end).await, 24);
    let drawn = app
        .script("return document.querySelectorAll('[role=gridcell]').length")
        .await;
    let drawn = drawn.as_u64().expect("a number");
    assert!((4..=80).contains(&drawn), "{drawn} cells");
    strike(&desktop, &["Home"]).await;
    app.until(
        "the first picture",
        "return document.activeElement.dataset.index === '0'",
    )
    .await;
}
