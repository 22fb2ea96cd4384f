//! Who paints the window's page.

use std::fs::{OpenOptions, read_dir};

use crate::app::{self, App};
use crate::desktop::Desktop;
use crate::driver::Driven;

#[tokio::test]
async fn the_processor_paints_the_page_where_no_graphics_card_does() {
    let cards = read_dir("/dev/dri").into_iter().flatten().flatten();
    let a_card = cards
        .filter(|entry| entry.file_name().to_string_lossy().starts_with("render"))
        .any(|card| {
            let mut wanted = OpenOptions::new();
            wanted.read(true).write(true).open(card.path()).is_ok()
        });
    let desktop = Desktop::start().await;
    let app = Driven::start(&desktop, &["presence.enabled=false"]).await;
    app.see("No pictures yet.").await;
    // WebKit has depth only where OpenGL composites layers, in hardware or software.
    let depth = "matchMedia('(-webkit-transform-3d)').matches";
    app.until("who paints", &format!("return {depth} === {a_card}"))
        .await;
}

#[tokio::test]
async fn windows_that_were_closed_leave_no_threads_behind() {
    const WINDOWS: usize = 8;
    let desktop = Desktop::start().await;
    let app = App::start(&desktop, &["--hidden", "--set", "presence.enabled=false"]).await;
    let mut fewest = Vec::new();
    for _ in 0..WINDOWS {
        let second = app::command(&desktop, &[]).output().await;
        assert!(second.expect("it starts").status.success());
        let window = desktop.window("Porchlight").await;
        desktop.close_window(&window).await;
        desktop.without_window("Porchlight").await;
        fewest.push(app.threads());
    }
    // One is left by half of the windows at least, where the page ends late.
    let (first, last) = (fewest[0], fewest[WINDOWS - 1]);
    assert!(last <= first + 2, "{fewest:?}");
}
