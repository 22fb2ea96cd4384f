//! An image that lands in a watched folder while the tray app runs.

use crate::app::{App, file};
use crate::desktop::Desktop;
use crate::eventually;
use crate::harness::pictures::photo;

#[tokio::test]
async fn a_picture_in_a_watched_folder_is_uploaded_and_its_link_is_on_the_clipboard() {
    let desktop = Desktop::start().await;
    let folder = desktop.home().join("screenshots");
    std::fs::create_dir(&folder).expect("a folder");
    let folders = format!("watch.folders=[{folder:?}]");
    let set = [
        "--set",
        &folders,
        "--set",
        "watch.copy_link=true",
        "--set",
        "links.template=markdown",
        "--set",
        "presence.enabled=false",
    ];
    let app = App::start(&desktop, &[&["--hidden"][..], &set].concat()).await;
    file(&folder, "shot.jpg", &photo());
    let link = eventually("the link on the clipboard", async || {
        let text = desktop.clipboard().await;
        text.starts_with("![shot](").then_some(text)
    })
    .await;
    let images = app.service.json("/images/list").await;
    let hash = images["images"][0]["hash"].as_str().expect("a hash");
    let address = format!("{}/i/{hash}.webp", app.service.url());
    assert_eq!(link, format!("![shot]({address})"));
    app.terminate();
    app.ends_well().await;
}
