//! The app's own secrets in a real keyring: GNOME's, on the test's own session
//! bus.

use crate::companion::Companion;
use crate::desktop::Desktop;
use crate::fixture::service;
use crate::harness::keyring::Keyring;
use crate::harness::{TestService, free_port};
use crate::picgo::ready_address;

/// The secret of a companion that is started and stopped again.
async fn secret(desktop: &Desktop, service: &TestService) -> String {
    let port = free_port();
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

    let open = Keyring::start(&desktop, true).await;
    let first = secret(&desktop, &service).await;
    assert!(in_file().contains(&first));
    std::fs::remove_file(&file).expect("to remove");
    assert_eq!(secret(&desktop, &service).await, first);
    assert!(in_file().contains(&first));
    open.stop(&desktop).await;

    // The owner has not unlocked it: the companion does not wait.
    let locked = Keyring::start(&desktop, false).await;
    assert_eq!(secret(&desktop, &service).await, first);
    locked.stop(&desktop).await;

    assert_eq!(secret(&desktop, &service).await, first);
    let _open = Keyring::start(&desktop, true).await;
    assert_eq!(secret(&desktop, &service).await, first);
}
