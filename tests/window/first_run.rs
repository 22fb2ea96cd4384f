//! The welcome: its questions, their effects, and that it is shown once.

use std::time::{Duration, Instant};

use crate::app::file;
use crate::desktop::Desktop;
use crate::dialog;
use crate::driver::Driven;
use crate::eventually;
use crate::harness::free_port;
use crate::harness::pictures::photo;

const WELCOME: &str = "Leave a light on for your readers";
/// From the first start to a blog that shows the owner.
const LONGEST: Duration = Duration::from_secs(180);

#[tokio::test]
async fn the_welcome_ends_with_an_address_that_a_blog_can_read() {
    let desktop = Desktop::start().await;
    let folder = desktop.home().join("for the blog");
    std::fs::create_dir(&folder).expect("a folder");
    let folder = folder.to_str().expect("a UTF-8 path");
    // The simplest of tunnels: its public address is the listener itself.
    let listener = free_port();
    let started = Instant::now();
    let app = Driven::start(&desktop, &[&format!("tunnel.port={listener}")]).await;

    app.see(WELCOME).await;
    app.see("Step 1 of 4").await;
    let check = app.service.json("/check").await;
    assert_eq!(check["last_heartbeat"], 0);
    assert_eq!(check["alive"], false);
    app.press("Share my status").await;
    // A heartbeat before that can name no app: it waits for the sensors for a second at most.
    let check = app
        .service
        .check("the heartbeat", |check| {
            check["application"] == "Porchlight"
        })
        .await;
    assert_eq!(
        (&check["alive"], &check["applicationOnline"]),
        (&true.into(), &true.into())
    );

    app.see("Put it online").await;
    app.tick("Another program").await;
    app.fill("Command", "sleep 600").await;
    let public = format!("http://127.0.0.1:{listener}");
    app.fill("Public address", &public).await;
    app.press("Start").await;
    // No page starts a program without the owner.
    dialog::press_yes(&desktop).await;

    // It goes on by itself once the address answers.
    app.see("Pictures from a folder").await;
    app.press("Choose a folder…").await;
    dialog::choose(&desktop, "Choose folder", folder).await;
    app.see(folder).await;
    app.see("New pictures in this folder upload").await;
    std::fs::write(format!("{folder}/evening.jpg"), photo()).expect("to write");
    eventually("the picture", async || {
        (app.service.json("/images/count").await["count"] == 1).then_some(())
    })
    .await;
    app.press("Next").await;

    // A real address leads to "You’re live"; this one ends at this computer.
    app.see("Ready on this computer").await;
    app.see("Reachable from the internet").await;
    let shown = "return document.querySelector('textarea').value";
    let lines = app.script(shown).await;
    let lines = lines.as_str().expect("a text");
    assert!(
        lines.contains(&format!("<porch-light src=\"{public}\">")),
        "{lines}"
    );
    app.press("Copy code").await;
    eventually("the lines on the clipboard", async || {
        (desktop.clipboard().await.trim() == lines.trim()).then_some(())
    })
    .await;
    let blog = crate::harness::http()
        .get(format!("{public}/check"))
        .send()
        .await;
    let blog: serde_json::Value = blog.expect("an answer").json().await.expect("JSON");
    assert_eq!(blog["alive"], true);
    assert!(started.elapsed() < LONGEST, "{:?}", started.elapsed());
    app.press("Open Porchlight").await;
    app.see("What readers would see").await;
    drop(app);

    let app = Driven::start(&desktop, &[]).await;
    app.see("You’re online").await;
    app.see_no_more(WELCOME).await;
}

#[tokio::test]
async fn the_welcome_can_be_skipped_reports_nothing_then_and_does_not_come_back() {
    let desktop = Desktop::start().await;
    let app = Driven::start(&desktop, &[]).await;
    app.see(WELCOME).await;
    app.press("Skip the rest").await;
    app.see("The light is off").await;
    app.see("Newest pictures").await;
    drop(app);

    let app = Driven::start(&desktop, &[]).await;
    app.see("Newest pictures").await;
    app.see_no_more("Skip the rest").await;
    // The question itself stays until it is answered.
    app.see("Leave a light on for your readers?").await;
    assert_eq!(app.service.json("/check").await["last_heartbeat"], 0);
}

#[tokio::test]
async fn a_refusal_is_stored_and_no_heartbeat_is_sent() {
    let desktop = Desktop::start().await;
    let app = Driven::start(&desktop, &[]).await;
    app.press("Not now").await;
    for (step, lead) in [
        ("Put it online", "Skip this step"),
        ("Pictures from a folder", "Skip this step"),
        ("Ready on this computer", "Open Porchlight"),
    ] {
        app.see(step).await;
        app.press(lead).await;
    }
    app.see("Your status isn’t shared.").await;
    let settings = std::fs::read_to_string(desktop.data_dir().join("settings.toml"));
    assert!(settings.expect("the settings").contains("enabled = false"));
    drop(app);

    let picture = file(desktop.home(), "a.jpg", &photo());
    let app = Driven::start(&desktop, &[]).await;
    app.see("Your status isn’t shared.").await;
    app.service
        .upload(&std::fs::read(picture).expect("a picture"))
        .await;
    assert_eq!(app.service.json("/check").await["last_heartbeat"], 0);
}
