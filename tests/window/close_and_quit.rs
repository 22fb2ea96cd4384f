//! The app outlives its window: closing, the tray, a second start, the end.

use std::cell::RefCell;

use crate::app::{self, App};
use crate::desktop::Desktop;
use crate::dialog::read_it;
use crate::dropping::SOURCE;
use crate::eventually;
use crate::harness::pictures::photo;
use crate::harness::process::{RunningProcess, seconds_worked};
use crate::tray::PYTHON;

const TITLE: &str = "Porchlight";

#[tokio::test]
async fn the_status_stays_without_the_window_and_the_tray_reopens_it() {
    let mut desktop = Desktop::start().await;
    let app = App::start(&desktop, &["--set", "presence.enabled=true"]).await;
    let icon = desktop.tray().icon().await;
    let window = desktop.window(TITLE).await;
    app.service
        .check("the light", |check| check["applicationOnline"] == true)
        .await;

    desktop.close_window(&window).await;
    desktop.without_window(TITLE).await;
    assert_eq!(app.service.json("/check").await["alive"], true);

    icon.click(&desktop, "Open").await;
    let again = desktop.window(TITLE).await;
    desktop.close_window(&again).await;
    desktop.without_window(TITLE).await;

    icon.click(&desktop, "Quit").await;
    app.ends_well().await;
}

#[tokio::test]
async fn a_hidden_app_takes_little_processor_time() {
    let mut desktop = Desktop::start().await;
    let app = App::start(&desktop, &["--hidden"]).await;
    desktop.tray().icon().await;
    let pid = app.process.pid().expect("it runs");
    // Time itself is tested: the start is over, and nothing happens.
    let pause = |seconds| tokio::time::sleep(std::time::Duration::from_secs(seconds));
    pause(4).await;
    let before = seconds_worked(pid);
    pause(5).await;
    let worked = seconds_worked(pid) - before;
    assert!(worked < 1.0, "{worked} of 5 seconds");
}

#[tokio::test]
async fn the_tray_pauses_and_resumes_heartbeats_and_its_icon_shows_it() {
    let mut desktop = Desktop::start().await;
    let app = App::start(&desktop, &["--hidden", "--set", "presence.enabled=true"]).await;
    let icon = desktop.tray().icon().await;
    let lit = async |wanted: bool| {
        eventually("the lamp", async || {
            // The image is a new file each time, and the old one is gone at once.
            let picture = image::open(icon.picture(&desktop).await).ok()?.into_rgba8();
            let [red, _, blue, _] = picture
                .get_pixel(picture.width() / 2, picture.height() * 3 / 4)
                .0;
            (red.abs_diff(blue) > 60)
                .then_some(())
                .filter(|()| wanted)
                .or((red.abs_diff(blue) < 20 && !wanted).then_some(()))
        })
        .await;
    };
    app.service
        .check("the light", |check| check["applicationOnline"] == true)
        .await;
    lit(true).await;

    icon.click(&desktop, "Until I resume").await;
    app.service
        .check("the pause", |check| check["applicationOnline"] == false)
        .await;
    lit(false).await;

    icon.click(&desktop, "Resume").await;
    app.service
        .check("the light again", |check| {
            check["applicationOnline"] == true
        })
        .await;
    lit(true).await;

    icon.click(&desktop, "For 30 minutes").await;
    app.service
        .check("the short pause", |check| {
            check["applicationOnline"] == false
        })
        .await;
    icon.click(&desktop, "Resume").await;
    lit(true).await;
}

#[tokio::test]
async fn nothing_can_be_paused_without_consent() {
    let mut desktop = Desktop::start().await;
    let _app = App::start(&desktop, &["--hidden"]).await;
    let icon = desktop.tray().icon().await;
    let menu = icon.menu(&desktop).await;
    let labels: Vec<_> = menu
        .iter()
        .map(|item| (item.label.as_str(), item.enabled))
        .collect();
    assert_eq!(
        labels,
        [
            ("Your status isn’t shared", false),
            ("Pause", false),
            ("For 30 minutes", true),
            ("Until tomorrow", true),
            ("Until I resume", true),
            ("Start sharing", true),
            ("Status", false),
            ("Set a status…", true),
            ("Clear status", false),
            ("Upload from clipboard", true),
            ("Copy last link", false),
            ("Copy address", true),
            ("Readers can’t open this address.", false),
            ("Recent uploads", false),
            ("Open Porchlight", true),
            ("Quit Porchlight", true),
        ]
    );
}

#[tokio::test]
async fn started_hidden_it_serves_without_a_window_until_a_second_start_opens_one() {
    let mut desktop = Desktop::start().await;
    let app = App::start(&desktop, &["--hidden"]).await;
    // The tray is put up before the window would be.
    desktop.tray().icon().await;
    assert_eq!(app.service.json("/images/count").await["count"], 0);
    assert!(second_start(&desktop, &["--hidden"]).await.success());
    // What comes after it by the same way is done: a window would be there by now.
    let path = app::file(desktop.home(), "a.jpg", &photo());
    assert!(second_start(&desktop, &["--upload", &path]).await.success());
    eventually("the picture", async || {
        (app.service.count().await == 1).then_some(())
    })
    .await;
    assert!(desktop.windows(TITLE).await.is_empty());

    assert!(second_start(&desktop, &[]).await.success());
    let window = desktop.window(TITLE).await;

    // With another window before it, a third start brings it to the front.
    let mut other = desktop.command(PYTHON);
    other.arg(SOURCE);
    let _other = RunningProcess::spawn(other);
    let in_front = desktop.window("Drag source").await;
    desktop
        .xdotool(&["windowactivate", "--sync", &in_front])
        .await;
    assert!(second_start(&desktop, &[]).await.success());
    eventually("the window in the foreground", async || {
        (desktop.active_window().await.as_ref() == Some(&window)).then_some(())
    })
    .await;
    assert_eq!(desktop.windows(TITLE).await.len(), 1);
    app.service.json("/check").await;
}

#[tokio::test]
async fn the_window_comes_back_as_it_was_left_also_after_a_restart() {
    let desktop = Desktop::start().await;
    let app = App::start(&desktop, &["--set", "presence.enabled=false"]).await;
    let window = desktop.window(TITLE).await;
    assert_eq!(desktop.size(&window).await, "1100x880");
    let started = desktop.place(&window).await;
    // Of a window that has only just come a move was once undone: it is moved
    // until it stays.
    let before = RefCell::new(String::new());
    let left = eventually("the window elsewhere", async || {
        let now = (desktop.size(&window).await, desktop.place(&window).await);
        let stays = before.replace(now.1.clone()) == now.1;
        if now.0 == "1000x700" && now.1 != started && stays {
            return Some(now);
        }
        for words in [
            ["windowsize", &window, "1000", "700"],
            ["windowmove", &window, "130", "170"],
        ] {
            desktop.xdotool(&words).await;
        }
        None
    })
    .await;
    let stays_in_place = async |window: &str| {
        eventually(&format!("{left:?}"), async || {
            let now = (desktop.size(window).await, desktop.place(window).await);
            (now == left).then_some(())
        })
        .await;
    };
    stays_in_place(&window).await;
    desktop.close_window(&window).await;
    desktop.without_window(TITLE).await;
    assert!(second_start(&desktop, &[]).await.success());
    stays_in_place(&desktop.window(TITLE).await).await;

    app.terminate();
    app.ends_well().await;
    let _again = App::start(&desktop, &["--set", "presence.enabled=false"]).await;
    stays_in_place(&desktop.window(TITLE).await).await;
}

#[tokio::test]
async fn the_tray_puts_the_address_on_the_clipboard() {
    let mut desktop = Desktop::start().await;
    let app = App::start(&desktop, &["--hidden"]).await;
    let icon = desktop.tray().icon().await;
    icon.click(&desktop, "Copy address").await;
    eventually("the address on the clipboard", async || {
        (desktop.clipboard().await == app.service.url()).then_some(())
    })
    .await;
}

#[tokio::test]
async fn on_sigterm_the_app_sends_a_goodbye_and_leaves_no_process() {
    let desktop = Desktop::start().await;
    let app = App::start(&desktop, &["--set", "presence.enabled=true"]).await;
    desktop.window(TITLE).await;
    app.service
        .check("the light", |check| check["applicationOnline"] == true)
        .await;
    app.terminate();
    app.ends_well().await;

    let again = App::start(&desktop, &["--hidden", "--set", "presence.enabled=false"]).await;
    let check = again.service.json("/check").await;
    assert_eq!(
        (&check["alive"], &check["applicationOnline"]),
        (&true.into(), &false.into())
    );
}

#[tokio::test]
async fn a_data_folder_in_use_is_refused_without_a_session_bus() {
    let desktop = Desktop::start().await;
    let _app = App::start(&desktop, &["--hidden"]).await;
    let mut second = app::command(&desktop, &["--hidden"]);
    second.env("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nonexistent");
    let second = RunningProcess::spawn(second);
    read_it(&desktop).await;
    let ended = second.ended().await;
    assert_eq!(ended.status.code(), Some(1));
    assert!(
        ended
            .stderr
            .contains("is served by another Porchlight already"),
        "{}",
        ended.stderr
    );
    assert_eq!(ended.stdout, "");
}

#[tokio::test]
async fn without_a_display_it_names_the_command_that_needs_none() {
    let desktop = Desktop::start().await;
    for display in ["", ":987"] {
        let mut command = app::command(&desktop, &[]);
        command.env("DISPLAY", display);
        let ended = RunningProcess::spawn(command).ended().await;
        assert_eq!(ended.status.code(), Some(1));
        assert!(
            ended.stderr.contains("`porchlight serve`"),
            "{}",
            ended.stderr
        );
        assert_eq!(ended.stdout, "");
    }
    assert!(!desktop.data_dir().exists());
}

async fn second_start(desktop: &Desktop, words: &[&str]) -> std::process::ExitStatus {
    RunningProcess::spawn(app::command(desktop, words))
        .wait()
        .await
}
