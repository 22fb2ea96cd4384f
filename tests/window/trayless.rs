//! A desktop that has no tray, or gets one late.

use crate::app::App;
use crate::desktop::Desktop;
use crate::notifications::Notifications;

#[tokio::test]
async fn a_hidden_start_without_a_tray_says_how_to_come_back() {
    let desktop = Desktop::start_without_tray(&[]).await;
    let mut notifications = Notifications::begin(&desktop).await;
    let _app = App::start(&desktop, &["--hidden"]).await;
    let told = notifications.next().await;
    assert!(
        told.body
            .contains("Starting Porchlight again opens its window"),
        "{told:?}"
    );
    assert!(desktop.windows("Porchlight").await.is_empty());
}

#[tokio::test]
async fn where_nobody_shows_that_either_the_window_is_in_the_list_of_windows() {
    let desktop = Desktop::start_without_tray(&[]).await;
    let _app = App::start(&desktop, &["--hidden"]).await;
    crate::eventually("a window", async || {
        let all = desktop
            .run("xdotool", &["search", "--name", "^Porchlight$"])
            .await;
        let id = crate::desktop::text(&all).lines().next()?.to_owned();
        let state = desktop.run("xprop", &["-id", &id, "WM_STATE"]).await;
        crate::desktop::text(&state)
            .contains("Iconic")
            .then_some(())
    })
    .await;
}

#[tokio::test]
async fn a_tray_that_comes_late_gets_the_light() {
    let mut desktop = Desktop::start_without_tray(&[]).await;
    let mut notifications = Notifications::begin(&desktop).await;
    let app = App::start(&desktop, &[]).await;
    let window = desktop.window("Porchlight").await;
    desktop.put_up_tray().await;
    let icon = desktop.tray().icon().await;
    desktop.close_window(&window).await;
    let told = notifications.next().await;
    assert!(told.body.contains("in the tray"), "{told:?}");
    icon.click(&desktop, "Quit").await;
    app.ends_well().await;
}
