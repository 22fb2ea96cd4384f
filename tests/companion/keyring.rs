//! The app's own secrets in a real keyring: GNOME's, on the test's own session
//! bus.

use std::net::TcpListener;

use crate::companion::Companion;
use crate::desktop::Desktop;
use crate::fixture::service;
use crate::harness::TestService;
use crate::harness::process::RunningProcess;
use crate::picgo::ready_address;

/// A keyring daemon on this desktop.
async fn keyring(desktop: &Desktop, unlocked: bool) -> RunningProcess {
    let start = if unlocked {
        // The password, an empty one, comes on standard input.
        "exec gnome-keyring-daemon --foreground --components=secrets --unlock <<END\n\nEND\n"
    } else {
        "exec gnome-keyring-daemon --foreground --components=secrets"
    };
    let mut command = desktop.command("sh");
    command.args(["-c", start]);
    let daemon = RunningProcess::spawn(command);
    wait_for_service(desktop, true).await;
    daemon
}

async fn wait_for_service(desktop: &Desktop, wanted: bool) {
    let words = [
        "--session",
        "--print-reply",
        "--dest=org.freedesktop.DBus",
        "/",
        "org.freedesktop.DBus.NameHasOwner",
        "string:org.freedesktop.secrets",
    ];
    crate::eventually("the Secret Service to come or go", async || {
        let answer = desktop.run("dbus-send", &words).await;
        let answer = String::from_utf8_lossy(&answer.stdout).into_owned();
        answer.contains(&format!("boolean {wanted}")).then_some(())
    })
    .await;
}

/// The secret of a companion that is started and stopped again.
async fn secret(desktop: &Desktop, service: &TestService) -> String {
    let free = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = free.local_addr().expect("an address").port();
    drop(free);
    let companion = Companion::start(
        desktop,
        &service.url(""),
        &service.heartbeat_token,
        &["picgo.enabled=true", &format!("picgo.port={port}")],
    );
    let address = ready_address(&companion).await;
    assert!(companion.terminated().await.status.success());
    let (_, secret) = address.split_once("?secret=").expect("a secret");
    secret.to_owned()
}

#[tokio::test]
async fn the_secret_of_editors_stays_the_same_when_the_keyring_is_locked_or_the_file_is_gone() {
    let desktop = Desktop::start().await;
    let service = service().await;
    let file = desktop.home().join("companion/own-tokens.json");
    let in_file = || std::fs::read_to_string(&file).expect("a file");

    let open = keyring(&desktop, true).await;
    let first = secret(&desktop, &service).await;
    assert!(in_file().contains(&first));
    std::fs::remove_file(&file).expect("to remove");
    assert_eq!(secret(&desktop, &service).await, first);
    assert!(in_file().contains(&first));
    drop(open);
    wait_for_service(&desktop, false).await;

    // The owner has not unlocked it: the companion does not wait.
    let locked = keyring(&desktop, false).await;
    assert_eq!(secret(&desktop, &service).await, first);
    drop(locked);
    wait_for_service(&desktop, false).await;

    assert_eq!(secret(&desktop, &service).await, first);
    let _open = keyring(&desktop, true).await;
    assert_eq!(secret(&desktop, &service).await, first);
}
