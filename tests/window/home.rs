//! The home page: the switch of presence, the fixed status, the address, and
//! the state of the tunnel.

use rustix::process::{Pid, Signal, kill_process};

use crate::desktop::Desktop;
use crate::driver::Driven;
use crate::eventually;
use crate::harness::files::script;
use crate::notifications::Notifications;

const SHARED: &str = "presence.enabled=true";
/// The tile of the tunnel.
const TILE: &str = "document.querySelector('section[aria-label=\"Tunnel\"]')";

#[tokio::test]
async fn the_page_pauses_and_resumes_what_readers_see() {
    let desktop = Desktop::start().await;
    let app = Driven::start(&desktop, &[SHARED]).await;
    app.see("The light is on").await;
    app.press("Pause for 30 min").await;
    app.see("Paused until").await;
    let online =
        |wanted: bool| move |check: &serde_json::Value| check["applicationOnline"] == wanted;
    app.service.check("the pause", online(false)).await;
    app.press("Resume").await;
    app.see("The light is on").await;
    app.service.check("the light again", online(true)).await;

    app.press_named("More").await;
    app.press("Stop sharing").await;
    app.see("Your status isn’t shared.").await;
}

#[tokio::test]
async fn a_pause_that_cannot_be_written_is_in_force_and_named_by_the_page_and_the_tray() {
    let mut desktop = Desktop::start().await;
    let mut notifications = Notifications::start(&desktop).await;
    let app = Driven::start(&desktop, &[SHARED]).await;
    let icon = desktop.tray().icon().await;
    app.see("The light is on").await;
    let paused = |check: &serde_json::Value| check["applicationOnline"] == false;
    app.service.check("presence", |check| !paused(check)).await;
    // A folder is in the way of the file.
    let file = desktop.data_dir().join("presence.json");
    std::fs::create_dir(&file).expect("a folder");
    app.press("Pause for 30 min").await;
    app.see("what you changed holds until a restart").await;
    app.see("Paused until").await;
    app.service.check("a pause", paused).await;

    icon.click(&desktop, "Until tomorrow").await;
    let shown = notifications.next().await;
    let text = format!("{} {}", shown.title, shown.body);
    assert!(
        text.contains("It holds until Porchlight restarts"),
        "{text}"
    );
    app.service.check("a pause", paused).await;
}

#[tokio::test]
async fn a_fixed_status_is_shown_until_it_is_cleared() {
    let desktop = Desktop::start().await;
    let app = Driven::start(&desktop, &[SHARED]).await;
    app.press("Set a status…").await;
    app.fill("Status", "Out by bike").await;
    app.fill("Details", "Back for tea").await;
    app.press("Set status").await;
    let check = app
        .service
        .check("the status", |check| check["application"] == "Out by bike")
        .await;
    assert_eq!(check["introduce"], "Back for tea");
    app.see("Custom status.").await;

    app.press("Change status…").await;
    app.press("Clear status").await;
    app.service
        .check("the program", |check| check["application"] == "Porchlight")
        .await;
    app.see("Set a status…").await;
}

#[tokio::test]
async fn readers_of_today_are_counted_while_the_page_is_open_and_the_owner_is_none() {
    let desktop = Desktop::start().await;
    let app = Driven::start(&desktop, &[SHARED, "server.client_ip=x-forwarded-for"]).await;
    let spoken = |readers: &str| {
        format!(
            "return document.querySelector('section[aria-labelledby=readers-title] .visually-hidden')\
             ?.innerText === '{readers}'"
        )
    };
    app.service.visit("/check").await;
    app.until("no readers", &spoken("0 readers")).await;
    for reader in ["203.0.113.7", "2001:db8::1", "203.0.113.7", "2001:db8::2"] {
        app.service.visit_from(reader, "/check").await;
    }
    app.until("two readers", &spoken("2 readers")).await;
}

#[tokio::test]
async fn the_address_is_copied_by_its_button() {
    let desktop = Desktop::start().await;
    let app = Driven::start(&desktop, &[SHARED]).await;
    // The first heartbeat moves the button down by a line: a press at that moment meets its edge.
    app.see("Minding the light").await;
    app.press_named("Copy address").await;
    // The notice disappears after some seconds.
    app.see("Address copied").await;
    eventually("the address on the clipboard", async || {
        (desktop.clipboard().await == app.service.url()).then_some(())
    })
    .await;
}

#[tokio::test]
async fn the_tile_shows_the_tunnel_up_down_and_up_again() {
    let desktop = Desktop::start().await;
    let number = desktop.home().join("number");
    // Its address is the public listener itself, so that the probe succeeds.
    let text = format!(
        "echo $$ > '{}'\necho http://127.0.0.1:$1\nexec sleep 600\n",
        number.display()
    );
    let tunnel = desktop.home().join("my-tunnel");
    script(&tunnel, &text);
    let command = format!("tunnel.command=['{}', '{{port}}']", tunnel.display());
    let settings = [
        SHARED,
        "tunnel.kind=command",
        &command,
        "tunnel.pattern=(http[^ ]+)",
    ];
    let app = Driven::start(&desktop, &settings).await;
    let up = format!("return {TILE}?.innerText.includes('Connected since')");
    app.until("the tunnel", &up).await;
    app.see("Reachable from the internet").await;
    // The next start may print another one.
    app.see("Temporary").await;
    let home = "return await window.__TAURI_INTERNALS__.invoke('home')";
    let home = app.wait_for(home).await;
    let public = home["address"]["url"].as_str().expect("an address");
    assert_ne!(public, app.service.url());
    let blog = crate::harness::http()
        .get(format!("{public}/check"))
        .send()
        .await;
    assert_eq!(blog.expect("an answer").status(), 200);

    let pid = || {
        std::fs::read_to_string(&number)
            .ok()?
            .trim()
            .parse::<i32>()
            .ok()
    };
    let first = pid().expect("it runs");
    // It is not down for long: every text of the tile is recorded.
    app.script(&format!(
        "window.noticed = ''; const tile = {TILE}; \
         new MutationObserver(() => {{ window.noticed += tile.innerText }}) \
           .observe(tile, {{ subtree: true, childList: true, characterData: true }})"
    ))
    .await;
    let process = Pid::from_raw(first).expect("no process has number 0");
    kill_process(process, Signal::KILL).expect("a process of our own");
    app.until(
        "the report of its end",
        "return window.noticed.includes('Disconnected, next try at')",
    )
    .await;
    app.until("the tunnel again", &up).await;
    assert_ne!(pid(), Some(first));
}

#[tokio::test]
async fn a_tunnel_program_that_is_missing_is_named_by_the_tile() {
    let desktop = Desktop::start().await;
    let settings = [
        SHARED,
        "tunnel.kind=command",
        "tunnel.command=['no-such-tunnel', '{port}']",
        "tunnel.pattern=(http[^ ]+)",
    ];
    let app = Driven::start(&desktop, &settings).await;
    app.see("no-such-tunnel is not installed").await;
    app.see("Readers can’t reach it.").await;
    // The one thing to do leads to where it is set.
    app.click("//section[@aria-label='Tunnel']//button").await;
    app.see("How readers reach this computer.").await;
}
