//! The layout of the window: nothing is cut off, overlaps or leaves its container, in any place, at
//! two sizes, in either language, with upright photographs, a panorama and long names.

use std::cell::RefCell;
use std::time::Duration;

use serde_json::{Value, json};

use crate::desktop::Desktop;
use crate::devices::device;
use crate::driver::{Driven, PLACES};
use crate::harness::pictures::{jpeg, scene};
use crate::input::in_front;
use crate::within;

/// What is wrong with the page that is open.
const FAULTS: &str = include_str!("layout.js");
/// Width and height in pixels: the smallest window, and a new one.
const SIZES: [(u32, u32); 2] = [(900, 600), (1100, 880)];
/// Width and height of each picture: every row of the grid has an upright one.
const SHAPES: [(u32, u32); 9] = [
    (90, 60),
    (60, 90),
    (400, 50),
    (64, 64),
    (60, 80),
    (40, 300),
    (90, 60),
    (60, 90),
    (80, 60),
];
const LONG_NAME: &str =
    "The old lighthouse at the end of the pier, seen from the ferry on the way home";
/// As long as the name of a device may nearly be.
const LONG_DEVICE: &str = "The old laptop next to the window of the workshop, on the left";
const WAITING_DEVICE: &str = "The old laptop next to the window of the workshop, on the right";
const LONG_APP: &str = "Writing about cherry blossoms in the garden behind the house";
const LONG_LINE: &str =
    "With tea, music and a view of the harbour until it is too dark to see the paper";
const SETTINGS: [&str; 2] = [
    "presence.enabled=true",
    "presence.rules=[{ program = 'a-program-with-quite-a-long-name', title = '/a window/', \
     name = 'The workshop behind the house', introduce = 'Sawing and sanding, with music' }]",
];
/// How much longer than other tests it may take: eighty pages are looked at.
const LONGER: Duration = Duration::from_secs(120);

#[tokio::test]
async fn nothing_is_cut_off_overlaps_or_leaves_its_container() {
    let mut desktop = Desktop::start().await;
    desktop.extend_deadline(LONGER);
    let app = Driven::start(&desktop, &SETTINGS).await;
    for (seed, (width, height)) in (1..).zip(SHAPES) {
        let hash = app.service.upload(&jpeg(&scene(seed, width, height))).await;
        app.service.visit(&format!("/i/{hash}")).await;
        call(
            &app,
            "name_image",
            &json!({ "hash": hash, "name": LONG_NAME }),
        )
        .await;
    }
    let status =
        json!({ "application": LONG_APP, "introduce": LONG_LINE, "rgba": "", "until": null });
    call(&app, "fix_status", &json!({ "status": status })).await;
    for (name, access) in [(LONG_DEVICE, Some("--allow")), (WAITING_DEVICE, None)] {
        let words = [name, "--kind", "laptop"];
        let words: Vec<&str> = words.into_iter().chain(access).collect();
        let token = device(&desktop, &words).await;
        let report = json!({
            "battery": 64, "application": LONG_APP, "introduce": LONG_LINE,
            "applicationOnline": true,
        });
        assert_eq!(app.report("/heartbeat", &token, &report).await, 200);
    }
    for (width, height) in SIZES {
        size(&desktop, &app, width, height).await;
        for language in ["en", "zh"] {
            let changes = json!({ "changes": { "app.language": language } });
            call(&app, "update_settings", &changes).await;
            let applied = format!("return document.documentElement.lang.startsWith('{language}')");
            app.until("the language", &applied).await;
            let what = format!("{language}, {width} × {height}");
            for (nth, place) in PLACES.into_iter().enumerate() {
                open(&app, "nav button", nth, "ariaCurrent === 'page'").await;
                fits(&app, &format!("{place}, {what}")).await;
            }
            let groups = "return document.querySelectorAll('[role=tab]').length";
            let groups = app.script(groups).await.as_u64().expect("a number");
            assert!(groups > 10, "{groups}");
            for nth in 0..groups as usize {
                open(&app, "[role=tab]", nth, "ariaSelected === 'true'").await;
                fits(&app, &format!("settings {nth}, {what}")).await;
            }
        }
    }
}

async fn call(app: &Driven, command: &str, parameters: &Value) {
    let call = format!(
        "return await window.__TAURI_INTERNALS__.invoke('{command}', {parameters}) ?? null"
    );
    let answer = app.wait_for(&call).await;
    assert!(!answer.is_string(), "{command}: {answer}");
}

async fn size(desktop: &Desktop, app: &Driven, width: u32, height: u32) {
    let window = in_front(desktop).await;
    let words = [width.to_string(), height.to_string()];
    let [wide, high] = words.each_ref();
    desktop.xdotool(&["windowmove", &window, "0", "0"]).await;
    desktop.xdotool(&["windowsize", &window, wide, high]).await;
    let resized = format!("return innerWidth === {width} && innerHeight === {height}");
    app.until("the size", &resized).await;
}

/// Presses the `nth` of what the selector finds, and waits until what it leads to is loaded, except pictures
/// that are loaded when they come into view.
async fn open(app: &Driven, selector: &str, nth: usize, chosen: &str) {
    let there = format!(
        "const one = document.querySelectorAll('{selector}')[{nth}]; one.click(); \
         const cells = [...document.querySelectorAll('[role=gridcell]')]; \
         const loaded = (image) => image?.complete && image.naturalHeight > 0; \
         const waiting = document.querySelector('.skeleton:not(:has([loading=lazy]))'); \
         return one.{chosen} && waiting === null && \
           cells.every((cell) => loaded(cell.querySelector('img')))"
    );
    app.until(selector, &there).await;
}

async fn fits(app: &Driven, what: &str) {
    // During layout, positions are not final.
    let last = RefCell::new(Value::Null);
    let fits = within(crate::harness::TIMEOUT / 10, async || {
        *last.borrow_mut() = app.script(FAULTS).await;
        (*last.borrow() == json!([])).then_some(())
    });
    assert!(fits.await.is_some(), "{what}: {:#}", last.borrow());
}
