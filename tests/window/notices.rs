//! Notifications: of what was uploaded without the window, and of closing it.

use crate::app::{App, file};
use crate::desktop::Desktop;
use crate::driver::Driven;
use crate::eventually;
use crate::harness::pictures::photo;
use crate::notifications::Notifications;

#[tokio::test]
async fn a_burst_of_uploads_is_notified_once_and_a_click_opens_the_window() {
    let desktop = Desktop::start().await;
    let mut notifications = Notifications::start(&desktop).await;
    let app = App::start(&desktop, &["--hidden"]).await;
    for _ in 0..3 {
        app.service.upload(&photo()).await;
    }
    let shown = notifications.next().await;
    assert_eq!(shown.title, "3 pictures uploaded");
    assert_eq!(notifications.another(), None);

    // What follows soon takes its place.
    app.service.upload(&photo()).await;
    let more = notifications.next().await;
    assert_eq!(
        (more.title.as_str(), more.replaced),
        ("4 pictures uploaded", shown.number)
    );

    notifications.click(&more).await;
    desktop.window("Porchlight").await;
}

#[tokio::test]
async fn a_file_set_aside_is_notified_by_name_and_never_by_path() {
    let desktop = Desktop::start().await;
    let mut notifications = Notifications::start(&desktop).await;
    let folder = desktop.home().join("screenshots");
    std::fs::create_dir(&folder).expect("a folder");
    let folders = format!("watch.folders=[{folder:?}]");
    let _app = App::start(&desktop, &["--hidden", "--set", &folders]).await;
    file(&folder, "a <b>torn one.jpg", &photo()[..400]);
    let shown = notifications.next().await;
    assert_eq!(shown.title, "Couldn’t upload a <b>torn one.jpg");
    let home = desktop.home().to_str().expect("a UTF-8 path");
    assert!(!shown.title.contains(home) && !shown.body.contains(home));
}

#[tokio::test]
async fn a_name_is_escaped_only_where_markup_is_supported() {
    for (markup, written) in [
        (true, "Couldn’t upload a &lt;b&gt; &amp; c.jpg"),
        (false, "Couldn’t upload a <b> & c.jpg"),
    ] {
        let desktop = Desktop::start().await;
        let mut notifications = Notifications::begin_with(&desktop, markup).await;
        let _app = App::start(&desktop, &["--hidden"]).await;
        let torn = file(desktop.home(), "a <b> & c.jpg", &photo()[..400]);
        let good = file(desktop.home(), "a.jpg", &photo());
        let mut second = crate::app::command(&desktop, &["--upload", &torn, &good]);
        assert!(second.output().await.expect("it starts").status.success());
        let shown = notifications.next().await;
        assert_eq!(shown.body.lines().last(), Some(written), "{shown:?}");
    }
}

#[tokio::test]
async fn a_click_on_a_notification_opens_its_page() {
    let desktop = Desktop::start().await;
    let mut notifications = Notifications::start(&desktop).await;
    let app = Driven::start(&desktop, &["presence.enabled=false"]).await;
    let window = desktop.window("Porchlight").await;
    desktop
        .xdotool(&["windowminimize", "--sync", &window])
        .await;
    app.service.upload(&photo()).await;
    let uploaded = notifications.next().await;
    // A click before the app knows the notification's id is ignored.
    let leads_to_images = async || {
        eventually("Pictures", async || {
            notifications.click(&uploaded).await;
            let there = "return document.querySelector('h1')?.textContent === 'Pictures'";
            (app.script(there).await == true).then_some(())
        })
        .await;
    };
    leads_to_images().await;
    // Replaced in its place, it is about the same.
    app.go("Home").await;
    let home = "return document.querySelector('h1')?.textContent === 'Home'";
    app.until("Home", home).await;
    leads_to_images().await;
}

#[tokio::test]
async fn uploads_are_not_notified_where_notifications_are_off() {
    let desktop = Desktop::start_with(&[("PORCHLIGHT_LOG", "debug")]).await;
    let mut notifications = Notifications::start(&desktop).await;
    let app = App::start(&desktop, &["--hidden", "--set", "presence.enabled=true"]).await;
    app.service.upload(&photo()).await;
    assert_eq!(notifications.next().await.title, "Picture uploaded");
    let burst_is_over = async |wanted: usize| {
        eventually("the end of the burst", async || {
            let count = app.log().matches("a burst of uploads is over").count();
            (count == wanted).then_some(())
        })
        .await;
    };
    burst_is_over(1).await;
    // They are turned off in the running program.
    let file = desktop.data_dir().join("settings.toml");
    std::fs::write(file, "[app]\nnotifications = false\n").expect("to write");
    eventually("the change", async || {
        app.log()
            .contains("the settings file was edited")
            .then_some(())
    })
    .await;
    app.service.upload(&photo()).await;
    burst_is_over(2).await;
    let second = crate::app::command(&desktop, &[]).output().await;
    assert!(second.expect("it starts").status.success());
    let window = desktop.window("Porchlight").await;
    desktop.close_window(&window).await;
    assert_eq!(notifications.next().await.title, "Sharing continues");
    assert_eq!(notifications.another(), None);
}

#[tokio::test]
async fn closing_the_window_notifies_once_that_the_app_keeps_running() {
    let mut desktop = Desktop::start().await;
    let mut notifications = Notifications::start(&desktop).await;
    let app = App::start(&desktop, &["--set", "presence.enabled=false"]).await;
    let icon = desktop.tray().icon().await;
    let window = desktop.window("Porchlight").await;
    desktop.close_window(&window).await;
    let shown = notifications.next().await;
    assert_eq!(shown.title, "Porchlight is still running");
    assert!(shown.body.contains("in the tray"), "{shown:?}");

    icon.click(&desktop, "Open").await;
    let window = desktop.window("Porchlight").await;
    desktop.close_window(&window).await;
    desktop.without_window("Porchlight").await;
    // An upload is notified after that, and is the next.
    app.service.upload(&photo()).await;
    assert_eq!(notifications.next().await.title, "Picture uploaded");
    app.terminate();
    app.ends_well().await;

    let app = App::start(&desktop, &["--set", "presence.enabled=false"]).await;
    let window = desktop.window("Porchlight").await;
    desktop.close_window(&window).await;
    desktop.without_window("Porchlight").await;
    app.service.upload(&photo()).await;
    assert_eq!(notifications.next().await.title, "Picture uploaded");
}

#[tokio::test]
async fn without_a_tray_closing_notifies_again_how_to_reopen() {
    let mut desktop = Desktop::start().await;
    let mut notifications = Notifications::start(&desktop).await;
    let shared = ["--set", "presence.enabled=true"];
    let app = App::start(&desktop, &shared).await;
    let window = desktop.window("Porchlight").await;
    desktop.close_window(&window).await;
    let shown = notifications.next().await;
    assert_eq!(shown.title, "Sharing continues");
    assert!(shown.body.contains("in the tray"), "{shown:?}");
    app.terminate();
    app.ends_well().await;

    desktop.take_down_tray();
    for first in [true, false] {
        let app = App::start(&desktop, &shared).await;
        let window = desktop.window("Porchlight").await;
        desktop.close_window(&window).await;
        desktop.without_window("Porchlight").await;
        if first {
            let shown = notifications.next().await;
            assert_eq!(shown.title, "Sharing continues");
            assert!(shown.body.contains("start Porchlight again"), "{shown:?}");
        } else {
            app.service.upload(&photo()).await;
            assert_eq!(notifications.next().await.title, "Picture uploaded");
        }
        app.terminate();
        app.ends_well().await;
    }
}
