//! Who paints the window's page.

use std::fs::{OpenOptions, read_dir};

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
    // WebKit has depth only where OpenGL puts layers together, whoever plays the card.
    let depth = "matchMedia('(-webkit-transform-3d)').matches";
    app.until("who paints", &format!("return {depth} === {a_card}"))
        .await;
}
