//! Journey 2 from the window: files dragged from another program and dropped.

use crate::app::file;
use crate::desktop::Desktop;
use crate::driver::Driven;
use crate::eventually;
use crate::harness::pictures::photo;
use crate::harness::process::RunningProcess;

const SOURCE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/window/drag_source.py");

#[tokio::test]
async fn files_dropped_on_the_window_are_uploaded_and_a_broken_one_says_why_not() {
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
    drag(&desktop, &app, &dropped).await;

    // Both at a time: either may be the first of the two that are the same.
    let rows = "return [...document.querySelectorAll('li:has(.name)')].map((row) => row.innerText)";
    let rows = eventually("the end of all five", async || {
        let rows = app.script(rows).await;
        let rows: Vec<String> = rows
            .as_array()?
            .iter()
            .filter_map(|row| Some(row.as_str()?.replace('\n', " ")))
            .collect();
        let ended = |row: &String| {
            ["added", "already here", "failed"]
                .iter()
                .any(|end| row.ends_with(end))
        };
        (rows.len() == 5 && rows.iter().all(ended)).then_some(rows)
    })
    .await;
    let row = |name: &str| {
        rows.iter()
            .find(|row| row.starts_with(name))
            .expect("its row")
    };
    let mut twins =
        [row("evening 光.jpg"), row("the same again.jpg")].map(|row| row.ends_with("added"));
    twins.sort_unstable();
    assert_eq!(twins, [false, true], "{rows:?}");
    assert!(
        row("broken.jpg").contains("The picture is damaged"),
        "{rows:?}"
    );
    assert!(row("notes.txt").contains("It is not a picture"), "{rows:?}");
    assert!(row("street.jpg").ends_with("added"), "{rows:?}");
    app.see("2 pictures added, 1 already here, 2 failed").await;
    assert_eq!(app.service.json("/images/count").await["count"], 2);
    assert_eq!(std::fs::read(&dropped[0]).expect("still there"), good);

    app.press("Clear finished").await;
    app.until(
        "an empty list",
        "return document.querySelector('li:has(.name)') === null",
    )
    .await;
}

/// Drags the files from a window of another program into the middle of the app.
async fn drag(desktop: &Desktop, app: &Driven, files: &[String]) {
    let mut source = desktop.command("/usr/bin/python3");
    source.arg(SOURCE).args(files);
    let _source = RunningProcess::spawn(source);
    let from = desktop.window("Drag source").await;
    let to = desktop.window("Porchlight").await;
    desktop.xdotool(&["windowactivate", "--sync", &from]).await;
    // Near the corner, where it lies free of the app's window.
    desktop
        .xdotool(&["mousemove", "--window", &from, "40", "40"])
        .await;
    desktop.xdotool(&["mousedown", "1"]).await;
    let step = std::cell::Cell::new(0);
    eventually("the window to see the files hover", async || {
        // A pointer that stands still drags nothing.
        step.set(step.get() + 1);
        let (x, y) = (
            (300 + step.get() % 7).to_string(),
            (300 + step.get() % 5).to_string(),
        );
        desktop
            .xdotool(&["mousemove", "--window", &to, &x, &y])
            .await;
        let seen = app
            .script("return document.body.innerText.includes('Let go to add them')")
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
