//! What a fresh install asks for before it gives a link, a status on a page, and a link that lasts:
//! presses, pastes and seconds. `--nocapture` prints them.

use std::path::Path;
use std::time::Instant;

use crate::app::file;
use crate::desktop::Desktop;
use crate::dialog;
use crate::driver::Driven;
use crate::dropping::drag;
use crate::edge::Edge;
use crate::eventually;
use crate::harness::cloudflare::{FakeCloudflare, TOKEN};
use crate::harness::files::script;
use crate::harness::free_port;
use crate::harness::pictures::photo;

const WELCOME: &str = "Leave a light on for your readers";
const QUICK: &str = "able-api-apt-arm.trycloudflare.com";
const WORKER: &str = "light.blog.workers.dev";
/// A press in a dialog of the system.
const APPROVAL: u32 = 1;

/// A desktop whose internet is `edge`, and whose programs are first looked for in this folder.
async fn online(edge: &Edge, folder: &Path) -> Desktop {
    let authority = file(folder, "authority.pem", edge.authority.as_bytes());
    let path = std::env::var("PATH").expect("a path");
    Desktop::start_with(&[
        ("HTTPS_PROXY", &edge.proxy()),
        ("NO_PROXY", "127.0.0.1"),
        ("SSL_CERT_FILE", &authority),
        ("PATH", &format!("{}:{path}", folder.display())),
    ])
    .await
}

#[tokio::test]
async fn a_picture_that_is_dropped_on_the_welcome_has_a_link_without_a_press() {
    let desktop = Desktop::start().await;
    let app = Driven::start(&desktop, &[]).await;
    app.see(WELCOME).await;
    let picture = file(desktop.home(), "evening.jpg", &photo());
    drag(&desktop, &app, &[picture]).await;
    let dropped = Instant::now();
    let link = format!("{}/i/", app.service.url());
    eventually("the link on the clipboard", async || {
        desktop.clipboard().await.starts_with(&link).then_some(())
    })
    .await;
    report("a first link", app.presses(), dropped);
    assert_eq!(app.presses(), 0);
}

#[tokio::test]
async fn a_status_is_on_a_page_after_six_presses() {
    let edge = Edge::start().await;
    let listener = free_port();
    edge.connect(QUICK, listener);
    let folder = tempfile::tempdir().expect("a folder");
    let line = format!("echo 'INF |  https://{QUICK}  |' >&2\nexec sleep 600\n");
    script(&folder.path().join("cloudflared"), &line);
    let desktop = online(&edge, folder.path()).await;
    let app = Driven::start(&desktop, &[&format!("tunnel.port={listener}")]).await;
    app.see(WELCOME).await;
    let started = Instant::now();
    app.press("Share my status").await;
    app.tick("Cloudflare quick tunnel").await;
    app.press("Start").await;
    dialog::press_yes(&desktop).await;
    app.press("Skip this step").await;
    app.press("Copy code").await;
    eventually("the lines on the clipboard", async || {
        let lines = desktop.clipboard().await;
        let element = format!("<porch-light src=\"https://{QUICK}\">");
        lines.contains(&element).then_some(())
    })
    .await;
    let check = edge.reader().get(format!("https://{QUICK}/check"));
    let check = check.send().await.expect("an answer").json().await;
    let check: serde_json::Value = check.expect("JSON");
    assert_eq!(check["application"], "Porchlight");
    let presses = app.presses() + APPROVAL;
    report("a status on a page", presses, started);
    assert_eq!(presses, 6);
}

#[tokio::test]
async fn a_link_lasts_after_nine_presses_and_one_paste() {
    let cloud = FakeCloudflare::start().await;
    let edge = Edge::of(WORKER).await;
    edge.connect(WORKER, cloud.port());
    let folder = tempfile::tempdir().expect("a folder");
    // Where a page of Cloudflare would open.
    script(&folder.path().join("xdg-open"), "");
    let desktop = online(&edge, folder.path()).await;
    let app = Driven::start(&desktop, &[&cloud.setting()]).await;
    app.see(WELCOME).await;
    // On the disk: the stand-in for the Worker keeps no pictures.
    app.service.upload(&photo()).await;
    let started = Instant::now();
    app.press("Share my status").await;
    app.press("Open Cloudflare’s page").await;
    app.type_into("API token", TOKEN).await;
    app.press("Set up").await;
    dialog::press_yes(&desktop).await;
    app.see(&format!("Your blog’s address is https://{WORKER}."))
        .await;
    app.press("Next").await;
    app.press("Skip this step").await;
    app.press("Open Porchlight").await;
    app.see("Newest pictures").await;
    app.click("//main//li//button[contains(@class, \"open\")]")
        .await;
    app.press("Copy link").await;
    eventually("the link on the clipboard", async || {
        let link = format!("https://{WORKER}/i/");
        desktop.clipboard().await.starts_with(&link).then_some(())
    })
    .await;
    let presses = app.presses() + APPROVAL;
    report("a link that lasts", presses, started);
    assert_eq!(presses, 9);
}

#[allow(clippy::print_stdout, reason = "the numbers of the documentation")]
fn report(what: &str, presses: u32, since: Instant) {
    println!(
        "{what}: {presses} presses, {:.1} s",
        since.elapsed().as_secs_f64()
    );
}
