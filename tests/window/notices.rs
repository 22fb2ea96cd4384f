//! Notifications: of what was uploaded without the window, and of closing it.

use crate::app::{App, file};
use crate::desktop::Desktop;
use crate::harness::pictures::photo;
use crate::notifications::Notifications;

#[tokio::test]
async fn a_burst_of_uploads_is_told_once_and_a_click_opens_the_window() {
    let desktop = Desktop::start().await;
    let mut notifications = Notifications::begin(&desktop).await;
    let app = App::start(&desktop, &["--hidden"]).await;
    for _ in 0..3 {
        app.service.upload(&photo()).await;
    }
    let told = notifications.next().await;
    assert_eq!(told.title, "3 pictures uploaded");
    assert_eq!(notifications.another(), None);

    // What follows soon takes its place.
    app.service.upload(&photo()).await;
    let more = notifications.next().await;
    assert_eq!(
        (more.title.as_str(), more.replaced),
        ("4 pictures uploaded", told.number)
    );

    notifications.click(&more).await;
    desktop.window("Porchlight").await;
}

#[tokio::test]
async fn a_file_that_was_set_aside_is_told_by_its_name_and_never_by_its_place() {
    let desktop = Desktop::start().await;
    let mut notifications = Notifications::begin(&desktop).await;
    let folder = desktop.home().join("screenshots");
    std::fs::create_dir(&folder).expect("a folder");
    let folders = format!("watch.folders=[{folder:?}]");
    let _app = App::start(&desktop, &["--hidden", "--set", &folders]).await;
    file(&folder, "a <b>torn one.jpg", &photo()[..400]);
    let told = notifications.next().await;
    assert_eq!(told.title, "Not uploaded: a <b>torn one.jpg");
    let home = desktop.home().to_str().expect("a UTF-8 path");
    assert!(!told.title.contains(home) && !told.body.contains(home));
}

#[tokio::test]
async fn nothing_is_told_of_uploads_where_the_owner_wants_no_notifications() {
    let desktop = Desktop::start().await;
    let mut notifications = Notifications::begin(&desktop).await;
    let quiet = [
        "--hidden",
        "--set",
        "app.notifications=false",
        "--set",
        "presence.enabled=true",
    ];
    let app = App::start(&desktop, &quiet).await;
    app.service.upload(&photo()).await;
    // Until the burst would have been told of; nothing says that it was not.
    tokio::time::sleep(std::time::Duration::from_secs(4)).await;
    let second = crate::app::command(&desktop, &[]).output().await;
    assert!(second.expect("it starts").status.success());
    let window = desktop.window("Porchlight").await;
    desktop.close_window(&window).await;
    assert_eq!(notifications.next().await.title, "The light stays on");
    assert_eq!(notifications.another(), None);
}

#[tokio::test]
async fn closing_the_window_says_once_that_the_app_goes_on_and_nothing_of_a_light_that_is_off() {
    let mut desktop = Desktop::start().await;
    let mut notifications = Notifications::begin(&desktop).await;
    let app = App::start(&desktop, &["--set", "presence.enabled=false"]).await;
    let icon = desktop.tray().icon().await;
    let window = desktop.window("Porchlight").await;
    desktop.close_window(&window).await;
    let told = notifications.next().await;
    assert_eq!(told.title, "Porchlight goes on");
    assert!(told.body.contains("in the tray"), "{told:?}");

    icon.click(&desktop, "Open").await;
    let window = desktop.window("Porchlight").await;
    desktop.close_window(&window).await;
    desktop.without_window("Porchlight").await;
    // An upload is told of after that, and is the next.
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
async fn where_the_tray_is_gone_closing_says_once_more_how_to_come_back() {
    let mut desktop = Desktop::start().await;
    let mut notifications = Notifications::begin(&desktop).await;
    let shared = ["--set", "presence.enabled=true"];
    let app = App::start(&desktop, &shared).await;
    let window = desktop.window("Porchlight").await;
    desktop.close_window(&window).await;
    let told = notifications.next().await;
    assert_eq!(told.title, "The light stays on");
    assert!(told.body.contains("in the tray"), "{told:?}");
    app.terminate();
    app.ends_well().await;

    desktop.take_down_tray();
    for first in [true, false] {
        let app = App::start(&desktop, &shared).await;
        let window = desktop.window("Porchlight").await;
        desktop.close_window(&window).await;
        desktop.without_window("Porchlight").await;
        if first {
            let told = notifications.next().await;
            assert_eq!(told.title, "The light stays on");
            assert!(told.body.contains("again opens its window"), "{told:?}");
        } else {
            app.service.upload(&photo()).await;
            assert_eq!(notifications.next().await.title, "Picture uploaded");
        }
        app.terminate();
        app.ends_well().await;
    }
}
