//! The app's own secrets in a real keyring: GNOME's, on the test's own session
//! bus.

use crate::app::App;
use crate::desktop::Desktop;
use crate::eventually;
use crate::harness::free_port;
use crate::harness::keyring::Keyring;

/// The secret for editors of a tray app that is started and stopped again.
async fn secret(desktop: &Desktop) -> String {
    let port = format!("picgo.port={}", free_port());
    let words = ["--hidden", "--set", "picgo.enabled=true", "--set", &port];
    let app = App::start(desktop, &words).await;
    let secret = eventually("the address for editors", async || {
        let log = app.log();
        let mut lines = log.lines();
        let address = lines.find_map(|line| Some(line.split_once("editors upload to ")?.1));
        let (_, secret) = address?.split_once("?secret=").expect("a secret");
        Some(secret.to_owned())
    })
    .await;
    app.terminate();
    app.ends_well().await;
    secret
}

#[tokio::test]
async fn the_secret_of_editors_stays_the_same_when_the_keyring_is_locked_or_the_file_is_gone() {
    let desktop = Desktop::start().await;
    let file = desktop.data_dir().join("own-tokens.json");
    let in_file = || std::fs::read_to_string(&file).expect("a file");

    let open = Keyring::start(&desktop, true).await;
    let first = secret(&desktop).await;
    assert!(in_file().contains(&first));
    std::fs::remove_file(&file).expect("to remove");
    assert_eq!(secret(&desktop).await, first);
    assert!(in_file().contains(&first));
    open.stop(&desktop).await;

    // The owner has not unlocked it: the app does not wait.
    let locked = Keyring::start(&desktop, false).await;
    assert_eq!(secret(&desktop).await, first);
    locked.stop(&desktop).await;

    assert_eq!(secret(&desktop).await, first);
    let _open = Keyring::start(&desktop, true).await;
    assert_eq!(secret(&desktop).await, first);
}
