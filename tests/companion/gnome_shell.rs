//! The foreground app and input in a real GNOME Shell on Wayland, by the extension.

use serde_json::Value;

use crate::companion::{Companion, LOG};
use crate::fixture::{SOON, WINDOW, at, seen, service};
use crate::gnome::Gnome;
use crate::harness::TestService;
use crate::harness::process::RunningProcess;
use crate::tray::PYTHON;

/// The companion in this session.
fn companion_on(gnome: &Gnome, service: &TestService, settings: &[&str]) -> Companion {
    let mut command = gnome.command(env!("CARGO_BIN_EXE_porchlight"));
    command.args(["serve", "--listen", "127.0.0.1:0", "--data-dir"]);
    command.arg(gnome.home().join("companion"));
    for setting in ["presence.enabled=true", "presence.interval_seconds=1"]
        .iter()
        .chain(settings)
    {
        command.args(["--set", setting]);
    }
    command.env("PORCHLIGHT_PRESENCE_TARGET_URL", service.url(""));
    command.env("PORCHLIGHT_PRESENCE_TOKEN", &service.heartbeat_token);
    command.env("PORCHLIGHT_LOG", LOG);
    Companion::spawn(command)
}

/// A GTK program of this name with a window of this title.
fn program(gnome: &Gnome, name: &str, title: &str) -> RunningProcess {
    let mut command = gnome.command(PYTHON);
    command.env("GDK_BACKEND", "wayland");
    command.arg(WINDOW).args([name, title]);
    RunningProcess::spawn(command)
}

fn away(check: &Value) -> bool {
    check["application"] == "" && check["applicationOnline"] == false
}

#[tokio::test]
#[ignore = "needs GNOME Shell: `cargo xtask verify`"]
async fn the_extension_reports_the_foreground_app_once_it_is_on() {
    let gnome = Gnome::start().await;
    let service = service().await;
    let companion = companion_on(&gnome, &service, &[]);
    let extension = gnome.extension().await;
    companion
        .wait_for_log(&format!("gnome-extensions enable {extension}"))
        .await;
    let _editor = program(&gnome, "gedit", "my secret plan");
    gnome.focus("my secret plan").await;
    seen(&service, "nothing named", at("")).await;

    gnome.turn(extension, true).await;
    seen(&service, "the editor", at("Text Editor")).await;
    let _garden = program(&gnome, "org.example.garden-planner", "Tulips");
    gnome.focus("Tulips").await;
    seen(&service, "the program", at("Garden planner")).await;
    let started = std::time::Instant::now();
    gnome.focus("my secret plan").await;
    seen(&service, "the editor again", at("Text Editor")).await;
    assert!(started.elapsed() < SOON, "after {:?}", started.elapsed());

    let private = program(
        &gnome,
        "firefox",
        "Savings — Mozilla Firefox Private Browsing",
    );
    gnome
        .focus("Savings — Mozilla Firefox Private Browsing")
        .await;
    seen(&service, "nothing named", at("")).await;
    gnome.focus("Tulips").await;
    seen(&service, "the program again", at("Garden planner")).await;
    drop(private);

    // A second start gets the present state from the extension.
    let log = companion.terminated().await.stderr;
    assert!(!log.contains("secret") && !log.contains("Savings"), "{log}");
    let companion = companion_on(&gnome, &service, &[]);
    seen(
        &service,
        "the program after a restart",
        at("Garden planner"),
    )
    .await;
    gnome.turn(extension, false).await;
    seen(&service, "nothing named any more", at("")).await;
    companion
        .wait_for_log(&format!("gnome-extensions enable {extension}"))
        .await;
    gnome.turn(extension, true).await;
    seen(
        &service,
        "the program by the extension",
        at("Garden planner"),
    )
    .await;
}

#[tokio::test]
#[ignore = "needs GNOME Shell: `cargo xtask verify`"]
async fn only_the_shell_is_believed() {
    let gnome = Gnome::start().await;
    let service = service().await;
    let _companion = companion_on(&gnome, &service, &[]);
    let extension = gnome.extension().await;
    gnome.turn(extension, true).await;
    let _garden = program(&gnome, "org.example.garden-planner", "Tulips");
    gnome.focus("Tulips").await;
    seen(&service, "the program", at("Garden planner")).await;
    let name = "blog.porchlight.Front";
    let words = (vec!["gedit"], "forged", 0_u32, false);
    let call = gnome
        .bus()
        .call_method(Some(name), "/front", Some(name), "ReportWindow", &words);
    call.await.expect("an answer");
    let beat = |check: &Value| check["last_heartbeat"].as_i64().expect("a time");
    let before = beat(&service.json("/check").await);
    seen(&service, "heartbeats after it", |check| {
        assert_eq!(check["application"], "Garden planner");
        beat(check) >= before + 3
    })
    .await;
}

#[tokio::test]
#[ignore = "needs GNOME Shell: `cargo xtask verify`"]
async fn without_input_the_owner_is_idle_and_a_key_ends_that() {
    let gnome = Gnome::start().await;
    let service = service().await;
    let _companion = companion_on(&gnome, &service, &["presence.idle_seconds=2"]);
    seen(&service, "idleness", away).await;
    gnome.press_a_key().await;
    seen(&service, "the owner", |check| {
        check["applicationOnline"] == true
    })
    .await;
    seen(&service, "idleness again", away).await;
}

#[tokio::test]
#[ignore = "needs GNOME Shell: `cargo xtask verify`"]
async fn a_locked_screen_is_away() {
    let gnome = Gnome::start().await;
    let service = service().await;
    let _companion = companion_on(&gnome, &service, &[]);
    gnome.turn(gnome.extension().await, true).await;
    let _garden = program(&gnome, "org.example.garden-planner", "Tulips");
    gnome.focus("Tulips").await;
    seen(&service, "the program", at("Garden planner")).await;
    gnome.lock().await;
    seen(&service, "a locked screen", away).await;
    gnome.unlock().await;
    seen(&service, "the program after it", at("Garden planner")).await;
}

#[tokio::test]
#[ignore = "needs GNOME Shell: `cargo xtask verify`"]
async fn a_running_shell_needs_a_new_login_for_new_files() {
    let gnome = Gnome::start_without_extensions().await;
    let service = service().await;
    let companion = companion_on(&gnome, &service, &[]);
    let extension = gnome.extension().await;
    companion
        .wait_for_log(&format!("GNOME needs the extension {extension}"))
        .await;
    gnome.install_extensions();
    let login = format!("GNOME Shell will know the extension {extension} after the next login");
    companion.wait_for_log(&login).await;
}
