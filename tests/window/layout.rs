//! The smallest window: nothing is cut off, in any place and either language.

use serde_json::{Value, json};

use crate::desktop::Desktop;
use crate::driver::Driven;
use crate::harness::pictures::{flat, png};
use crate::input::in_front;

/// Width and height in pixels.
const SMALLEST: (&str, &str) = ("900", "600");
const SETTINGS: [&str; 2] = [
    "presence.enabled=true",
    "presence.rules=[{ program = 'a-program-with-quite-a-long-name', title = '/a window/', \
     name = 'The workshop behind the house', introduce = 'Sawing and sanding, with music' }]",
];
/// What exceeds the window or clips its own text. Parts that scroll or shorten their text may be
/// longer.
const CUT_OFF: &str = "const clips = (one) => getComputedStyle(one).overflowX !== 'visible'; \
    const main = document.querySelector('main'); \
    const within = (one) => { \
      for (let up = one.parentElement; up !== null && up !== main; up = up.parentElement) \
        if (clips(up)) return true; \
      return false; }; \
    const beyond = (one) => { const { left, right, width } = one.getBoundingClientRect(); \
      return width > 0 && one.checkVisibility() && !within(one) && (right > innerWidth + 1 || left < -1); }; \
    const cramped = (one) => one.checkVisibility() && one.clientWidth > 1 && \
      !one.closest('.visually-hidden') && one.scrollWidth > one.clientWidth + 1; \
    const name = (one) => one.tagName + ' ' + one.innerText.slice(0, 40); \
    const found = [...document.querySelectorAll('body *')].filter(beyond).map(name); \
    const tight = [...document.querySelectorAll('button, h1, th, legend, .chip')].filter(cramped).map(name); \
    if (main.scrollWidth > main.clientWidth) found.push('the place scrolls sideways'); \
    if (document.documentElement.scrollWidth > innerWidth) found.push('the window scrolls sideways'); \
    return [...found, ...tight]";

#[tokio::test]
async fn nothing_is_cut_off_in_the_smallest_window_in_either_language() {
    let desktop = Desktop::start().await;
    let app = Driven::start(&desktop, &SETTINGS).await;
    for colour in [[200, 30, 60], [20, 130, 60], [20, 30, 160]] {
        app.service.upload(&png(&flat(40, 30, colour))).await;
    }
    let window = in_front(&desktop).await;
    let (width, height) = SMALLEST;
    desktop
        .xdotool(&["windowsize", &window, width, height])
        .await;
    let resized = format!("return innerWidth === {width} && innerHeight === {height}");
    app.until("the smallest window", &resized).await;
    for language in ["en", "zh"] {
        let changes = json!({ "app.language": language });
        let call = format!(
            "return await window.__TAURI_INTERNALS__.invoke('update_settings', {{ changes: {changes} }})"
        );
        app.wait_for(&call).await;
        let applied = format!("return document.documentElement.lang.startsWith('{language}')");
        app.until("the language", &applied).await;
        for place in 0..6 {
            let there = format!(
                "const place = document.querySelectorAll('nav button')[{place}]; place.click(); \
                 return place.ariaCurrent === 'page' && document.querySelector('.skeleton') === null"
            );
            app.until("the place", &there).await;
            fits(&app, &format!("place {place} in {language}")).await;
        }
        let groups = app
            .script("return document.querySelectorAll('[role=tab]').length")
            .await;
        let groups = groups.as_u64().expect("a number");
        assert!(groups > 10, "{groups}");
        for group in 0..groups {
            let there = format!(
                "const tab = document.querySelectorAll('[role=tab]')[{group}]; tab.click(); \
                 return tab.ariaSelected === 'true' && document.querySelector('.skeleton') === null"
            );
            app.until("the group", &there).await;
            fits(&app, &format!("settings {group} in {language}")).await;
        }
    }
}

async fn fits(app: &Driven, what: &str) {
    // During layout, positions are not final.
    let last = std::cell::RefCell::new(Value::Null);
    let fits = crate::within(crate::harness::TIMEOUT / 10, async || {
        *last.borrow_mut() = app.script(CUT_OFF).await;
        (*last.borrow() == json!([])).then_some(())
    });
    assert!(fits.await.is_some(), "{what}: {}", last.borrow());
}
