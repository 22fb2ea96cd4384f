//! Uploads off the clipboard: an image, files, and nothing that is one.

use crate::app::{App, file};
use crate::desktop::Desktop;
use crate::eventually;
use crate::harness::pictures::{flat, photo, png};
use crate::harness::process::RunningProcess;
use crate::notifications::Notifications;

/// Puts what a file holds on the clipboard, as this type, and offers it until
/// another program takes the clipboard.
pub(crate) async fn copy(desktop: &Desktop, media_type: &str, path: &str) -> RunningProcess {
    let mut command = desktop.command("xclip");
    command.args([
        "-quiet",
        "-selection",
        "clipboard",
        "-t",
        media_type,
        "-i",
        path,
    ]);
    let owner = RunningProcess::spawn(command);
    eventually("the clipboard", async || {
        let offered = ["-selection", "clipboard", "-t", "TARGETS", "-o"];
        let offered = desktop.run("xclip", &offered).await;
        crate::desktop::text(&offered)
            .contains(media_type)
            .then_some(())
    })
    .await;
    owner
}

#[tokio::test]
async fn a_copied_image_is_uploaded_by_the_tray_and_its_link_takes_its_place() {
    let mut desktop = Desktop::start().await;
    let mut notifications = Notifications::start(&desktop).await;
    let app = App::start(&desktop, &["--hidden", "--set", "links.template=html"]).await;
    let icon = desktop.tray().icon().await;
    let image = file(desktop.home(), "a.png", &png(&flat(32, 24, [1, 2, 3])));
    let _owner = copy(&desktop, "image/png", &image).await;

    icon.click(&desktop, "Upload from clipboard").await;
    let shown = notifications.next().await;
    assert_eq!(
        (shown.title.as_str(), shown.body.as_str()),
        (
            "Picture uploaded",
            "Link copied.\nReaders can’t open this address."
        )
    );
    let list = app.service.json("/images/list").await;
    let hash = list["images"][0]["hash"].as_str().expect("a hash");
    let link = format!(
        "<img src=\"{}/i/{hash}.webp\" width=\"32\" height=\"24\" alt=\"\">",
        app.service.url()
    );
    assert_eq!(desktop.clipboard().await, link);

    // The link is no image.
    icon.click(&desktop, "Upload from clipboard").await;
    let shown = notifications.next().await;
    assert_eq!(shown.title, "No picture on the clipboard");

    let _owner = copy(&desktop, "image/png", &image).await;
    icon.click(&desktop, "Upload from clipboard").await;
    eventually("the link once more", async || {
        (desktop.clipboard().await == link).then_some(())
    })
    .await;
    assert_eq!(app.service.json("/images/count").await["count"], 1);
}

#[tokio::test]
async fn copied_files_are_uploaded_whatever_their_names_and_a_broken_one_is_named() {
    let mut desktop = Desktop::start().await;
    let mut notifications = Notifications::start(&desktop).await;
    let app = App::start(&desktop, &["--hidden"]).await;
    let icon = desktop.tray().icon().await;
    let folder = desktop.home().join("two words");
    std::fs::create_dir(&folder).expect("a folder");
    let files = [
        file(&folder, "-evening 光.jpg", &photo()),
        file(&folder, "torn.jpg", &photo()[..400]),
    ];
    let list: String = files
        .iter()
        .map(|path| format!("file://{}\r\n", path.replace(' ', "%20")))
        .collect();
    let list = file(desktop.home(), "list", list.as_bytes());
    let _owner = copy(&desktop, "text/uri-list", &list).await;

    icon.click(&desktop, "Upload from clipboard").await;
    let shown = notifications.next().await;
    assert_eq!(shown.title, "Picture uploaded");
    assert_eq!(
        shown.body,
        "Link copied.\nReaders can’t open this address.\nCouldn’t upload torn.jpg"
    );
    assert_eq!(app.service.json("/images/count").await["count"], 1);
    // The icon has a badge, since there is an alert.
    eventually("what needs the owner", async || {
        let menu = icon.menu(&desktop).await;
        let need = "Action needed: failed uploads: 1";
        menu.iter().any(|item| item.label == need).then_some(())
    })
    .await;
}
