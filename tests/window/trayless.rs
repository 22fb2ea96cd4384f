//! A desktop that has no tray, or gets one late.

use crate::app::{self, App};
use crate::desktop::Desktop;
use crate::driver::Driven;
use crate::notifications::Notifications;

/// What the window says while the icon is in no tray.
const NO_ICON: &str = "Your desktop shows no tray icon.";

#[tokio::test]
async fn a_hidden_start_without_a_tray_notifies_how_to_reopen() {
    let desktop = Desktop::start_without_tray(&[]).await;
    let mut notifications = Notifications::start(&desktop).await;
    let _app = App::start(&desktop, &["--hidden"]).await;
    let shown = notifications.next().await;
    assert!(shown.body.contains("start Porchlight again"), "{shown:?}");
    assert!(desktop.windows("Porchlight").await.is_empty());
}

#[tokio::test]
async fn a_watcher_without_a_host_is_no_tray_and_a_lost_one_is_notified() {
    let mut desktop = Desktop::start_without_tray(&[]).await;
    desktop.put_up_tray_that(&["--no-host"]).await;
    let mut notifications = Notifications::start(&desktop).await;
    let app = App::start(&desktop, &["--hidden"]).await;
    let no_tray = async |notifications: &mut Notifications| {
        let shown = notifications.next().await;
        assert!(shown.body.contains("no tray"), "{shown:?}");
    };
    no_tray(&mut notifications).await;
    // Closing the window notifies where the icon is.
    desktop.tray().host_comes_or_goes();
    assert!(app::command(&desktop, &[]).output().await.is_ok());
    let window = desktop.window("Porchlight").await;
    desktop.close_window(&window).await;
    let shown = notifications.next().await;
    assert!(shown.body.contains("in the tray"), "{shown:?}");

    desktop.tray().host_comes_or_goes();
    no_tray(&mut notifications).await;
    drop(app);
}

#[tokio::test]
async fn without_a_tray_the_window_quits_the_app() {
    let desktop = Desktop::start_without_tray(&[]).await;
    let app = Driven::start(&desktop, &["presence.enabled=true"]).await;
    app.see("Quit Porchlight").await;
    // The WebDriver has its answer before the page is gone.
    let press = "const quit = [...document.querySelectorAll('button')]
        .find((button) => button.textContent.trim() === 'Quit Porchlight');
        setTimeout(() => quit.click(), 100);";
    app.script(press).await;
    // As when it is quit from the tray, which has no panic.
    let logs = desktop.data_dir().join("logs");
    let log = crate::eventually("the end of the app", async || {
        let log = crate::harness::files::below(&logs).pop()?;
        let log = std::fs::read_to_string(log).ok()?;
        log.contains("the service is down").then_some(log)
    })
    .await;
    assert!(!log.contains("panicked"), "{log}");
    assert!(app.service.gone().await);
}

#[tokio::test]
async fn without_notifications_the_window_stays_in_the_window_list() {
    let desktop = Desktop::start_without_tray(&[]).await;
    let _app = App::start(&desktop, &["--hidden"]).await;
    crate::eventually("a window", async || {
        let all = desktop
            .run("xdotool", &["search", "--name", "^Porchlight$"])
            .await;
        for id in crate::desktop::text(&all).lines() {
            let state = desktop.run("xprop", &["-id", id, "WM_STATE"]).await;
            if crate::desktop::text(&state).contains("Iconic") {
                return Some(());
            }
        }
        None
    })
    .await;
}

#[tokio::test]
async fn a_tray_that_starts_late_gets_the_icon() {
    let mut desktop = Desktop::start_without_tray(&[]).await;
    let mut notifications = Notifications::start(&desktop).await;
    let app = App::start(&desktop, &[]).await;
    let window = desktop.window("Porchlight").await;
    desktop.put_up_tray().await;
    let icon = desktop.tray().icon().await;
    desktop.close_window(&window).await;
    let shown = notifications.next().await;
    assert!(shown.body.contains("in the tray"), "{shown:?}");
    icon.click(&desktop, "Quit").await;
    app.ends_well().await;
}

#[tokio::test]
async fn the_window_says_that_a_tray_does_not_take_the_icon() {
    for words in ["--refuses", "--hides-icons"] {
        let mut desktop = Desktop::start_without_tray(&[]).await;
        desktop.put_up_tray_that(&[words]).await;
        let app = Driven::start(&desktop, &["presence.enabled=true"]).await;
        app.see(NO_ICON).await;
    }
}

#[tokio::test]
async fn the_icon_registers_again_whenever_a_tray_comes_back() {
    let mut desktop = Desktop::start().await;
    let app = Driven::start(&desktop, &["presence.enabled=true"]).await;
    desktop.tray().icon().await;
    app.see("The light is on").await;
    app.see_no_more(NO_ICON).await;
    for _ in 0..3 {
        desktop.take_down_tray();
        app.see(NO_ICON).await;
        desktop.put_up_tray().await;
        let icon = desktop.tray().icon().await;
        app.see_no_more(NO_ICON).await;
        assert!(icon.menu(&desktop).await.len() > 5);
    }
}

#[tokio::test]
async fn the_page_knows_whether_there_is_a_tray_and_whether_the_welcome_was_shown() {
    const READ: &str = "return await window.__TAURI_INTERNALS__.invoke('home')";
    let mut desktop = Desktop::start_without_tray(&[]).await;
    let app = Driven::start(&desktop, &[]).await;
    let tray = async |wanted: bool| {
        crate::eventually("the tray", async || {
            (app.wait_for(READ).await["tray"] == wanted).then_some(())
        })
        .await;
    };
    tray(false).await;
    desktop.put_up_tray().await;
    tray(true).await;
    assert_eq!(app.wait_for(READ).await["welcomed"], false);
    // The answer that the welcome asks for.
    let answer = "return await window.__TAURI_INTERNALS__.invoke('share', { share: false })";
    app.wait_for(answer).await;
    assert_eq!(app.wait_for(READ).await["welcomed"], true);
}
