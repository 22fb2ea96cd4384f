//! Start failures are shown to the owner: a port in use in the window, and
//! others in a dialog.

use std::net::TcpListener;

use crate::app;
use crate::desktop::Desktop;
use crate::dialog::read_it;
use crate::driver::Driven;
use crate::eventually;
use crate::harness::process::RunningProcess;

#[tokio::test]
async fn with_its_port_in_use_the_app_runs_shows_that_and_listens_when_it_is_free() {
    let mut desktop = Desktop::start().await;
    let held = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = held.local_addr().expect("an address");
    let listen = format!("server.listen={address}");
    let app = Driven::start(&desktop, &[&listen, "presence.enabled=true"]).await;
    app.see("Not running").await;
    app.see("in use by another program").await;
    let icon = desktop.tray().icon().await;
    eventually("the tray's line", async || {
        let menu = icon.menu(&desktop).await;
        let need = "Action needed: the service is not running";
        menu.iter().any(|item| item.label == need).then_some(())
    })
    .await;
    // Heartbeats still arrive, and none of them at the other program's port.
    let online = |check: &serde_json::Value| check["applicationOnline"] == true;
    app.service.check("the light", online).await;
    held.set_nonblocking(true).expect("a listener");
    assert!(held.accept().is_err(), "a call arrived there");

    app.press("Try now").await;
    app.see("in use by another program").await;
    drop(held);
    app.press("Try now").await;
    app.see(&format!("Running on port {}", address.port()))
        .await;
    let there = app::Service::at(&format!("http://{address}"));
    assert_eq!(there.status("/check").await, 200);
}

#[tokio::test]
async fn invalid_settings_are_shown_in_a_dialog() {
    let desktop = Desktop::start().await;
    std::fs::create_dir_all(desktop.data_dir()).expect("a folder");
    let file = desktop.data_dir().join("settings.toml");
    std::fs::write(file, "[images]\nquality = 500\n").expect("to write");
    let start = app::command(&desktop, &["--hidden"]);
    let process = RunningProcess::spawn(start);
    read_it(&desktop).await;
    let ended = process.ended().await;
    assert_eq!(ended.status.code(), Some(2), "{}", ended.stderr);
    assert!(ended.stderr.contains("quality"), "{}", ended.stderr);
    assert_eq!(ended.stdout, "");
}

#[tokio::test]
async fn a_dialog_about_a_start_ends_with_the_session() {
    let desktop = Desktop::start().await;
    let start = app::command(&desktop, &["--set", "images.quality=500"]);
    let process = RunningProcess::spawn(start);
    desktop.window("Porchlight").await;
    process.terminate();
    assert_eq!(process.ended().await.status.code(), Some(2));
}
