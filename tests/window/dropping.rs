//! Uploads from the window: files dragged from another program and dropped,
//! and files that are chosen in the dialog.

use crate::app::file;
use crate::desktop::Desktop;
use crate::dialog;
use crate::driver::Driven;
use crate::eventually;
use crate::harness::pictures::photo;
use crate::harness::process::RunningProcess;
use crate::input::strike;
use crate::tray::PYTHON;

const DIALOG: &str = "Choose pictures";
/// A window of another program, with files to be dragged.
pub(crate) const SOURCE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/window/drag_source.py");

/// A window of another program that prints what is dropped on it.
const TARGET: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/window/drop_target.py");

/// The text of the queue's rows.
const ROWS: &str = "return [...document.querySelectorAll('main li:has(.file)')].map((row) => row.innerText.trim())";
/// Whether all five have come to an end.
const ENDED: &str = "const rows = [...document.querySelectorAll('main li:has(.file)')]; \
    return rows.length === 5 && rows.every((row) => row.matches('.done, .duplicate, .failed'))";

#[tokio::test]
async fn files_dropped_on_the_window_are_uploaded_and_a_broken_one_shows_why_not() {
    let desktop = Desktop::start().await;
    let app = Driven::start(&desktop, &["presence.enabled=false"]).await;
    app.see("No pictures yet.").await;

    let folder = desktop.home().join("from the camera");
    std::fs::create_dir_all(folder.join("trip/.cache")).expect("a folder");
    let good = photo();
    let dropped = [
        file(&folder, "evening 光.jpg", &good),
        file(&folder, "the same again.jpg", &good),
        file(&folder, "broken.jpg", &photo()[..400]),
        file(&folder, "notes.txt", b"buy milk"),
        folder
            .join("trip")
            .to_str()
            .expect("a UTF-8 path")
            .to_owned(),
    ];
    file(&folder, "trip/street.jpg", &photo());
    file(&folder, "trip/.cache/hidden.jpg", &photo());
    // Wherever in the window the owner is.
    drag(&desktop, &app, &dropped).await;
    app.go("Pictures").await;

    app.until("the end of all five", ENDED).await;
    let rows = app.script(ROWS).await;
    let rows: Vec<&str> = rows
        .as_array()
        .expect("rows")
        .iter()
        .filter_map(|row| row.as_str())
        .collect();
    // Both at a time: either may be the first of the two that are the same.
    let row = |name: &str| {
        rows.iter()
            .find(|row| row.starts_with(name))
            .expect("its row")
    };
    let mut twins =
        [row("evening 光.jpg"), row("the same again.jpg")].map(|row| row.ends_with("uploaded"));
    twins.sort_unstable();
    assert_eq!(twins, [false, true], "{rows:?}");
    assert!(
        row("broken.jpg").contains("This picture is damaged"),
        "{rows:?}"
    );
    assert!(
        row("notes.txt").contains("This format isn’t supported"),
        "{rows:?}"
    );
    assert!(row("street.jpg").ends_with("uploaded"), "{rows:?}");
    app.see("2 pictures uploaded, 1 already here, 2 failed")
        .await;
    assert_eq!(app.service.json("/images/count").await["count"], 2);
    assert_eq!(std::fs::read(&dropped[0]).expect("still there"), good);
    // One of each that is stored, in the order of the files.
    let links = eventually("the links", async || {
        let text = desktop.clipboard().await;
        let links: Vec<String> = text.lines().map(str::to_owned).collect();
        (links.len() == 3).then_some(links)
    })
    .await;
    assert_eq!(links[0], links[1]);
    let prefix = format!("{}/i/", app.service.url());
    assert!(
        links.iter().all(|link| link.starts_with(&prefix)),
        "{links:?}"
    );
    app.press_named("Copy link to street.jpg").await;
    eventually("the link of one", async || {
        (desktop.clipboard().await == links[2]).then_some(())
    })
    .await;

    app.press("Clear finished").await;
    app.until(
        "an empty list",
        "return document.querySelector('main li:has(.file)') === null",
    )
    .await;
}

/// One more than is uploaded without a question.
const MANY: usize = 51;

#[tokio::test]
async fn many_files_are_uploaded_only_after_confirmation() {
    let desktop = Desktop::start().await;
    let app = Driven::start(&desktop, &["presence.enabled=false"]).await;
    app.see("No pictures yet.").await;
    let folder = desktop.home().join("everything");
    std::fs::create_dir_all(&folder).expect("a folder");
    let photo = photo();
    for number in 0..MANY {
        file(&folder, format!("{number}.jpg"), &photo);
    }
    let folder = folder.to_str().expect("a UTF-8 path").to_owned();
    drag(&desktop, &app, std::slice::from_ref(&folder)).await;
    dialog::press_no(&desktop).await;
    app.go("Pictures").await;
    app.press_named("More ways to add pictures").await;
    app.press("Choose a folder…").await;
    dialog::choose(&desktop, "Choose a folder of pictures", &folder).await;
    dialog::press_yes(&desktop).await;
    // Those of the first drop would be listed, too.
    app.see("1 picture uploaded, 50 already here").await;
    assert_eq!(app.service.json("/images/count").await["count"], 1);
}

#[tokio::test]
async fn pictures_chosen_in_the_dialog_are_uploaded() {
    let desktop = Desktop::start().await;
    let app = Driven::start(&desktop, &["presence.enabled=false"]).await;
    let picture = file(desktop.home(), "chosen.jpg", &photo());
    app.press("Add pictures…").await;
    dialog::choose(&desktop, DIALOG, &picture).await;
    // Among the newest on the first page it opens at a press.
    app.click_on(&desktop, "main li .open", None).await;
    app.see("Picture 1 of 1").await;
    strike(&desktop, &["Escape"]).await;
    app.see("chosen.jpg").await;
    app.see("1 picture uploaded").await;
    assert_eq!(app.service.json("/images/count").await["count"], 1);
}

#[tokio::test]
async fn a_picture_is_dragged_out_as_its_address_and_never_back_in() {
    let desktop = Desktop::start().await;
    let app = Driven::start(&desktop, &["presence.enabled=false"]).await;
    let hash = app.service.upload(&photo()).await;
    app.go("Pictures").await;
    app.until(
        "the picture",
        "return document.querySelector('[data-index] img')?.complete",
    )
    .await;
    let mut target = desktop.command(PYTHON);
    target.arg(TARGET);
    let mut target = RunningProcess::spawn(target);
    let there = desktop.window("Drop target").await;
    let window = desktop.window("Porchlight").await;
    let middle = "const at = document.querySelector('[data-index]').getBoundingClientRect(); \
        return [at.x + at.width / 2, at.y + at.height / 2]";
    let middle = app.script(middle).await;
    let [x, y] = [0, 1].map(|n| middle[n].as_f64().expect("a place").round().to_string());
    let lift = ["mousemove", "--window", &window, &x, &y, "mousedown", "1"];
    desktop.xdotool(&lift).await;
    let step = std::cell::Cell::new(0_u32);
    let hover = async |window: &str, from: u32| {
        step.set(step.get() + 1);
        let at = (from + step.get() % 9).to_string();
        desktop
            .xdotool(&["mousemove", "--window", window, &at, &at])
            .await;
    };
    // Over the window itself it is no file to upload.
    for _ in 0..12 {
        hover(&window, 300).await;
    }
    let veil = "return document.body.innerText.includes('Drop to upload')";
    assert_eq!(app.script(veil).await, false);
    for _ in 0..12 {
        hover(&there, 40).await;
    }
    desktop.xdotool(&["mouseup", "1"]).await;
    let line = target.line_with("/i/").await.expect("an address");
    assert_eq!(line.trim(), format!("{}/i/{hash}.webp", app.service.url()));
}

/// Drags the files from a window of another program into the middle of the app.
pub(crate) async fn drag(desktop: &Desktop, app: &Driven, files: &[String]) {
    let mut source = desktop.command(PYTHON);
    source.arg(SOURCE).args(files);
    let _source = RunningProcess::spawn(source);
    let from = desktop.window("Drag source").await;
    let to = desktop.window("Porchlight").await;
    desktop.xdotool(&["windowactivate", "--sync", &from]).await;
    // Near the corner, where the app's window does not cover it.
    desktop
        .xdotool(&["mousemove", "--window", &from, "40", "40"])
        .await;
    desktop.xdotool(&["mousedown", "1"]).await;
    let step = std::cell::Cell::new(0);
    eventually("the window to see the files hover", async || {
        // A pointer that does not move drags nothing.
        step.set(step.get() + 1);
        let (x, y) = (
            (300 + step.get() % 7).to_string(),
            (300 + step.get() % 5).to_string(),
        );
        desktop
            .xdotool(&["mousemove", "--window", &to, &x, &y])
            .await;
        let seen = app
            .script("return document.body.innerText.includes('Drop to upload')")
            .await;
        (seen == true).then_some(())
    })
    .await;
    desktop.xdotool(&["mouseup", "1"]).await;
    app.until(
        "the end of the drag",
        "return !document.body.innerText.includes('Let go')",
    )
    .await;
}
