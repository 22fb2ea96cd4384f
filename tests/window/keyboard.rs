//! The window without a mouse: every place by its shortcut, and everything in it
//! by the Tab key, which is seen wherever it is.

use crate::desktop::Desktop;
use crate::driver::{Driven, PLACES};
use crate::harness::pictures::{flat, png};
use crate::input::strike;

/// More stops than any place has.
const MOST: usize = 120;
/// The focused element: whether it is visible, and its label.
const FOCUSED: &str = "const one = document.activeElement; \
    if (one === null || one === document.body) return null; \
    const rings = (part) => part !== null && getComputedStyle(part).outlineStyle !== 'none' && \
      Number.parseFloat(getComputedStyle(part).outlineWidth) >= 1; \
    const box = (one.closest('label') ?? one).getBoundingClientRect(); \
    const around = [one, one.closest('label'), one.nextElementSibling, one.parentElement]; \
    window.stops ??= new Map(); \
    if (!window.stops.has(one)) window.stops.set(one, window.stops.size); \
    return { stop: window.stops.get(one), what: one.outerHTML.slice(0, 160), \
      ringed: one.matches(':focus-visible') && around.some(rings), \
      inSight: box.width > 0 && box.bottom > 0 && box.top < innerHeight && box.right > 0 && box.left < innerWidth }";

#[tokio::test]
async fn every_page_has_its_shortcut_and_the_sheet_lists_them_all() {
    let desktop = Desktop::start().await;
    let app = Driven::start(&desktop, &["presence.enabled=true"]).await;
    app.see("The light is on").await;
    for (nth, place) in PLACES.into_iter().enumerate().rev() {
        strike(&desktop, &[&format!("ctrl+{}", nth + 1)]).await;
        let there = format!(
            "return document.querySelector('h1')?.innerText.trim() === '{place}' && \
             document.querySelector('nav [aria-current]').innerText.includes('{place}')"
        );
        app.until(place, &there).await;
    }
    strike(&desktop, &["question"]).await;
    let sheet = "const sheet = document.querySelector('dialog[open]')?.innerText; \
        return sheet !== undefined && ['Ctrl', 'Delete', 'Enter', 'Shift'].every((key) => sheet.includes(key))";
    app.until("the sheet", sheet).await;
    strike(&desktop, &["Escape"]).await;
    app.until(
        "the sheet to be gone",
        "return document.querySelector('dialog[open]') === null",
    )
    .await;
}

#[tokio::test]
async fn the_tab_key_reaches_everything_with_a_visible_focus() {
    let desktop = Desktop::start().await;
    let settings = [
        "presence.enabled=true",
        "presence.rules=[{ program = 'xterm', name = 'The workshop' }]",
    ];
    let app = Driven::start(&desktop, &settings).await;
    for colour in [[200, 30, 60], [20, 130, 60]] {
        app.service.upload(&png(&flat(40, 30, colour))).await;
    }
    app.see("The light is on").await;
    for (nth, place) in PLACES.into_iter().enumerate() {
        strike(&desktop, &[&format!("ctrl+{}", nth + 1)]).await;
        let there = format!(
            "return document.querySelector('h1')?.innerText.trim() === '{place}' && \
             document.querySelector('.skeleton') === null"
        );
        app.until(place, &there).await;
        app.script("window.stops = new Map(); document.activeElement?.blur()")
            .await;
        let mut stops = 0;
        for _ in 0..MOST {
            let before = app.script(FOCUSED).await;
            strike(&desktop, &["Tab"]).await;
            // Behind the last one there may be none.
            let moved = format!(
                "const now = (() => {{ {FOCUSED} }})(); \
                 return (now?.stop ?? null) !== {} && (now ?? 'none')",
                before["stop"]
            );
            let now = app.until("the next stop", &moved).await;
            if now == "none" {
                break;
            }
            let stop = now["stop"].as_u64().expect("a number");
            if stop < stops {
                break;
            }
            stops = stop + 1;
            // It may still be scrolling into view.
            let seen =
                format!("const now = (() => {{ {FOCUSED} }})(); return now.ringed && now.inSight");
            app.until(&format!("{place}: {now} to be seen"), &seen)
                .await;
        }
        // The side bar is six of them.
        assert!((8..MOST as u64).contains(&stops), "{place}: {stops} stops");
    }
}
