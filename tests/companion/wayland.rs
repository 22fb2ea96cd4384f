//! The foreground app under Wayland, on a real compositor without a screen
//! (sway). Idleness is left to the tests of X11: the sway of some systems has
//! no protocol for it.

use crate::companion::{Companion, LOG};
use crate::fixture::{SOON, at, seen, service};
use crate::harness::TestService;
use crate::sway::Sway;

/// The companion on this display.
fn companion_on(sway: &Sway, service: &TestService) -> Companion {
    let mut command = sway.command(env!("CARGO_BIN_EXE_porchlight"));
    command.args(["serve", "--listen", "127.0.0.1:0", "--data-dir"]);
    command.arg(sway.folder().join("companion"));
    command.args(["--set", "presence.enabled=true"]);
    command.env("PORCHLIGHT_PRESENCE_TARGET_URL", service.url(""));
    command.env("PORCHLIGHT_PRESENCE_TOKEN", &service.heartbeat_token);
    command.env("PORCHLIGHT_LOG", LOG);
    Companion::spawn(command)
}

#[tokio::test]
async fn the_foreground_app_is_sent_where_the_compositor_supports_it() {
    let sway = Sway::start().await;
    let service = service().await;
    let companion = companion_on(&sway, &service);
    let _terminal = sway.window("foot", "my secret plan");
    let check = seen(&service, "the terminal", at("foot")).await;
    assert_eq!(check["introduce"], "At the command line");
    let _program = sway.window("org.example.garden-planner", "Tulips");
    seen(&service, "the program", at("Garden planner")).await;
    let started = std::time::Instant::now();
    sway.focus("foot").await;
    seen(&service, "the terminal again", at("foot")).await;
    assert!(started.elapsed() < SOON, "after {:?}", started.elapsed());

    let _private = sway.window("firefox", "Savings — Mozilla Firefox Private Browsing");
    seen(&service, "nothing named", at("")).await;
    drop(sway);
    companion
        .wait_for_log("the Wayland compositor cannot be asked")
        .await;
    assert!(!companion.log().contains("secret"), "{}", companion.log());
}
