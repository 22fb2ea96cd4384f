//! The app on a Wayland desktop: its window, the clipboard and the tray on a
//! real compositor without a screen (sway).

use std::time::{Duration, Instant};

use serde_json::Value;

use crate::app::{self, App, file};
use crate::desktop::Desktop;
use crate::driver::Driven;
use crate::dropping::SOURCE;
use crate::harness::TIMEOUT;
use crate::harness::pictures::{decoded, distance, next_seed, photo, png, scene};
use crate::harness::process::RunningProcess;
use crate::pointer::Pointer;
use crate::sway::Sway;
use crate::tray::PYTHON;
use crate::{eventually, within};

/// What the compositor knows the app by.
const APP: &str = "porchlight";
/// The screen of a compositor that has none.
const SCREEN: (u32, u32) = (1280, 720);

/// A file that was dropped is uploaded within this time.
const DROPPED: Duration = Duration::from_secs(3);

/// The way of a drag, and how long the hand takes for a part of it.
const STEPS: u32 = 20;
const STEP: Duration = Duration::from_millis(20);

/// A desktop whose programs draw on this compositor.
async fn desktop_on(sway: &Sway) -> Desktop {
    let socket = sway.socket();
    let socket = socket.to_str().expect("a UTF-8 path");
    Desktop::start_with(&[("WAYLAND_DISPLAY", socket), ("GDK_BACKEND", "wayland")]).await
}

/// Puts an image on the compositor's clipboard, and offers it until another
/// program takes the clipboard.
fn copy(desktop: &Desktop, picture: &str) -> RunningProcess {
    let mut command = desktop.command("sh");
    let copies = "exec wl-copy --foreground --type image/png <\"$0\"";
    command.args(["-c", copies, picture]);
    RunningProcess::spawn(command)
}

/// A window on the compositor.
struct Window {
    title: String,
    /// Where its middle is on the screen.
    middle: (u32, u32),
}

/// The window of this program, where it has one.
async fn window(sway: &Sway, program: &str) -> Option<Window> {
    let tree = sway.swaymsg(&["-t", "get_tree"]).await;
    let tree: Value = serde_json::from_str(&tree).expect("JSON");
    let mut nodes = vec![&tree];
    while let Some(node) = nodes.pop() {
        if node["app_id"] == program {
            let side = |name: &str| {
                let side = node["rect"][name].as_u64().expect("a number");
                u32::try_from(side).expect("a screen of some size")
            };
            return Some(Window {
                title: node["name"].as_str().expect("a title").to_owned(),
                middle: (
                    side("x") + side("width") / 2,
                    side("y") + side("height") / 2,
                ),
            });
        }
        let within = ["nodes", "floating_nodes"].map(|kind| node[kind].as_array());
        nodes.extend(within.into_iter().flatten().flatten());
    }
    None
}

#[tokio::test]
async fn the_window_is_one_of_wayland_and_takes_a_picture_by_ctrl_v() {
    let sway = Sway::start().await;
    let desktop = desktop_on(&sway).await;
    let app = Driven::start(&desktop, &["presence.enabled=false"]).await;
    app.see("No pictures yet.").await;
    let own = window(&sway, APP).await.expect("a window");
    assert_eq!(own.title, "Porchlight");
    assert!(desktop.windows("Porchlight").await.is_empty());

    let picture = scene(next_seed(), 640, 480);
    let image = file(desktop.home(), "a.png", &png(&picture));
    let _owner = copy(&desktop, &image);
    eventually("the picture", async || {
        // A key that is struck before the window has the keyboard goes astray.
        sway.focus(APP).await;
        let struck = desktop
            .run("wtype", &["-M", "ctrl", "v", "-m", "ctrl"])
            .await;
        assert!(struck.status.success(), "{struck:?}");
        (app.service.count().await == 1).then_some(())
    })
    .await;
    let hash = app.service.json("/images/list").await["images"][0]["hash"].clone();
    let stored = app
        .service
        .bytes(&format!("/i/{}", hash.as_str().expect("a hash")))
        .await;
    assert!(distance(&decoded(&stored).into_rgb8(), &picture) < 6.0);
}

#[tokio::test]
async fn a_picture_that_was_copied_is_uploaded_by_a_second_start_and_the_tray_opens_the_window() {
    let sway = Sway::start().await;
    let mut desktop = desktop_on(&sway).await;
    let app = App::start(&desktop, &["--hidden"]).await;
    let icon = desktop.tray().icon().await;
    assert!(window(&sway, APP).await.is_none());
    let image = file(desktop.home(), "a.png", &png(&scene(next_seed(), 64, 48)));
    let _owner = copy(&desktop, &image);
    let second = RunningProcess::spawn(app::command(&desktop, &["--upload-clipboard"]));
    assert!(second.ended().await.status.success());
    eventually("the picture", async || {
        (app.service.count().await == 1).then_some(())
    })
    .await;
    let hash = app.service.json("/images/list").await["images"][0]["hash"].clone();
    let link = format!(
        "{}/i/{}.webp",
        app.service.url(),
        hash.as_str().expect("a hash")
    );
    eventually("the link on the clipboard", async || {
        let pasted = desktop.run("wl-paste", &["--no-newline"]).await;
        (crate::desktop::text(&pasted) == link).then_some(())
    })
    .await;
    icon.click(&desktop, "Open").await;
    eventually("the window", async || window(&sway, APP).await).await;
}

#[tokio::test]
async fn a_file_that_is_dragged_from_another_window_is_uploaded() {
    let sway = Sway::start().await;
    let desktop = desktop_on(&sway).await;
    let mut pointer = Pointer::plug_in(&sway.socket());
    let app = Driven::start(&desktop, &["presence.enabled=false"]).await;
    app.see("No pictures yet.").await;
    let picture = file(desktop.home(), "evening 光.jpg", &photo());
    let mut source = desktop.command(PYTHON);
    source.args([SOURCE, &picture]);
    let _source = RunningProcess::spawn(source);
    let from = eventually("the other window", async || {
        window(&sway, "drag_source.py").await
    })
    .await;
    let started = Instant::now();
    while app.service.count().await == 0 {
        assert!(started.elapsed() < TIMEOUT, "nothing was dropped");
        drag(&mut pointer, from.middle, own_middle(&sway).await).await;
        let there = async || (app.service.count().await == 1).then_some(());
        within(DROPPED, there).await;
    }
}

/// Where the middle of the app's window is: it moves when another one comes.
async fn own_middle(sway: &Sway) -> (u32, u32) {
    window(sway, APP).await.expect("a window").middle
}

/// A drag starts after some distance, and both windows have to follow it.
async fn drag(pointer: &mut Pointer, from: (u32, u32), to: (u32, u32)) {
    pointer.to(from, SCREEN);
    pointer.press();
    for step in 1..=STEPS {
        let on = |from: u32, to: u32| (from * (STEPS - step) + to * step) / STEPS;
        pointer.to((on(from.0, to.0), on(from.1, to.1)), SCREEN);
        tokio::time::sleep(STEP).await;
    }
    pointer.release();
}
