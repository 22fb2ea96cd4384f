//! The window with a screen reader: every control has a name and the right role, and what happens
//! by itself is announced.

use crate::app::file;
use crate::desktop::Desktop;
use crate::driver::{Driven, PLACES};
use crate::harness::pictures::{flat, photo, png};
use crate::screen_reader::{Part, Reader, role};

/// A rule, so that there is one to be edited.
const SETTINGS: [&str; 2] = [
    "presence.enabled=true",
    "presence.rules=[{ program = 'xterm', name = 'The workshop' }]",
];
/// How many parts of the page the Tab key can come to.
const TABBABLE: &str = "return [...document.querySelectorAll( \
      'button, input, select, textarea, a[href], [tabindex=\"0\"]')] \
    .filter((one) => !one.disabled && one.tabIndex >= 0 && one.checkVisibility()).length";
/// The groups of the settings.
const GROUPS: &str =
    "return [...document.querySelectorAll('[role=tab]')].map((tab) => tab.innerText.trim())";

#[tokio::test]
async fn a_screen_reader_finds_names_roles_headings_and_landmarks_in_every_place() {
    let desktop = Desktop::start_readable().await;
    let reader = Reader::start(&desktop).await;
    let folder = desktop.home().join("Pictures");
    std::fs::create_dir(&folder).expect("a folder");
    file(&folder, "torn.jpg", &photo()[..400]);
    let watched = format!("watch.folders=[{folder:?}]");
    let app = Driven::start(&desktop, &[&SETTINGS[..], &[&watched]].concat()).await;
    for colour in [[200, 30, 60], [20, 130, 60], [20, 30, 160]] {
        app.service.upload(&png(&flat(40, 30, colour))).await;
    }
    app.see("Not uploaded from watched folders: 1").await;
    for place in PLACES {
        app.go(place).await;
        look_through(&app, &reader, place).await;
    }
    let groups = app.script(GROUPS).await;
    let groups = groups.as_array().expect("groups");
    assert!(groups.len() > 10, "{groups:?}");
    for group in groups {
        app.open_settings(group.as_str().expect("a name")).await;
        look_through(&app, &reader, "Settings").await;
    }
}

#[tokio::test]
async fn a_screen_reader_finds_dialogs_by_name_and_nothing_behind_them() {
    let desktop = Desktop::start_readable().await;
    let reader = Reader::start(&desktop).await;
    let app = Driven::start(&desktop, &SETTINGS).await;
    app.service.upload(&photo()).await;
    app.press("Set a status…").await;
    in_dialog(&reader, "Set a status").await;
    app.press("Cancel").await;
    app.go("Pictures").await;
    app.click("//*[@data-index='0']").await;
    in_dialog(&reader, "Picture 1 of 1").await;
}

#[tokio::test]
async fn events_are_announced_and_errors_at_once() {
    let desktop = Desktop::start_readable().await;
    let reader = Reader::start(&desktop).await;
    let app = Driven::start(&desktop, &["presence.enabled=true"]).await;
    app.see("The light is on").await;
    // Parts that were not visited emit no events yet.
    look_through(&app, &reader, "Home").await;

    let mut listening = reader.listen().await;
    app.press("Pause for 30 min").await;
    assert_eq!(listening.announces("Paused").await, "polite");
    app.press_named("Copy address").await;
    let done = listening.announces("Address copied").await;
    assert_eq!(done, "polite");
    // There is no image on the clipboard now.
    app.script("document.body.focus()").await;
    crate::input::strike(&desktop, &["ctrl+v"]).await;
    let trouble = listening.announces("There is no picture on the clipboard");
    assert_eq!(trouble.await, "assertive");
}

/// Checks everything on a page.
async fn look_through(app: &Driven, reader: &Reader, place: &str) {
    app.until(
        "the place",
        "return document.querySelector('.skeleton') === null",
    )
    .await;
    let title =
        |part: &Part| part.role == role::HEADING && part.level() == "1" && part.name == place;
    let page = reader
        .page(place, |parts| {
            parts.iter().any(title) && parts.iter().any(|part| part.kind() == "alert")
        })
        .await;
    let headings = page.iter().filter(|part| part.level() == "1").count();
    assert_eq!(headings, 1, "{place}");
    let of = |kind: &'static str| page.iter().filter(move |part| part.kind() == kind);
    assert_eq!(of("main").count(), 1, "{place}");
    let ways: Vec<_> = of("navigation").map(|part| part.name.as_str()).collect();
    assert_eq!(ways, ["Pages"], "{place}");
    all_fit(app, place, &page).await;
}

/// Checks everything in a dialog, and that the rest is inert.
async fn in_dialog(reader: &Reader, name: &str) {
    let is = |part: &Part| part.role == role::DIALOG && part.name == name;
    let page = reader
        .page(name, |parts| {
            parts.iter().any(is) && !parts.iter().any(|part| part.kind() == "navigation")
        })
        .await;
    assert!(page.len() > 5, "{page:?}");
    let nameless = page.iter().find(|part| fault(part).is_some());
    assert!(nameless.is_none(), "{name}: {nameless:?}");
}

async fn all_fit(app: &Driven, place: &str, page: &[Part]) {
    let faults: Vec<_> = page
        .iter()
        .filter_map(|part| Some((fault(part)?, part)))
        .collect();
    assert!(faults.is_empty(), "{place}: {faults:#?}");
    let reached = page.iter().filter(|part| part.focusable).count() as u64;
    let tabbable = app.script(TABBABLE).await.as_u64().expect("a number");
    assert!(
        tabbable > 5 && reached >= tabbable,
        "{place}: {reached} of {tabbable}"
    );
}

/// What is wrong with a part for a screen reader.
fn fault(part: &Part) -> Option<&'static str> {
    let named = !part.name.trim().is_empty();
    if part.role == role::IMAGE && !named {
        return Some("a picture of nothing");
    }
    if part.kind() == "region" && !named {
        return Some("a region without a name");
    }
    if part.role == role::HEADING && !named {
        return Some("an empty heading");
    }
    if !part.focusable || part.role == role::DOCUMENT {
        return None;
    }
    if !named {
        return Some("it can be come to and has no name");
    }
    let fits = match part.tag() {
        "button" => [
            role::PUSH_BUTTON,
            role::TOGGLE_BUTTON,
            role::COMBO_BOX,
            role::PAGE_TAB,
            role::MENU_ITEM,
        ]
        .contains(&part.role),
        "input" => [
            role::CHECK_BOX,
            role::COLOUR_CHOOSER,
            role::ENTRY,
            role::PASSWORD,
            role::RADIO_BUTTON,
            role::SLIDER,
            role::SPIN_BUTTON,
            role::TOGGLE_BUTTON,
        ]
        .contains(&part.role),
        "select" => part.role == role::COMBO_BOX,
        "textarea" => part.role == role::ENTRY,
        "a" => part.role == role::LINK,
        _ => ![role::SECTION, role::PARAGRAPH, role::STATIC].contains(&part.role),
    };
    (!fits).then_some("it is not what it seems")
}
