//! Files that a second start hands over, and a first start with files.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;

use crate::app::{self, App};
use crate::desktop::{Desktop, text};
use crate::eventually;
use crate::harness::pictures::photo;
use crate::notifications::Notifications;

/// Names that a careless program trips over.
fn hostile() -> Vec<&'static OsStr> {
    [
        &b"-o.jpg"[..],
        b"--hidden",
        b"two\nlines.jpg",
        b"\xff\xfe not unicode.jpg",
        "光 %F $HOME `id`.jpg".as_bytes(),
    ]
    .map(OsStr::from_bytes)
    .into()
}

#[tokio::test]
async fn a_second_start_hands_over_files_with_any_name_from_its_own_folder() {
    let desktop = Desktop::start().await;
    let mut notifications = Notifications::start(&desktop).await;
    let app = App::start(&desktop, &["--hidden"]).await;
    let folder = desktop.home().join("camera");
    std::fs::create_dir(&folder).expect("a folder");
    for name in hostile() {
        std::fs::write(folder.join(name), photo()).expect("to write");
    }
    let mut second = app::command(&desktop, &["--upload"]);
    second.args(hostile()).current_dir(&folder);
    let ended = second.output().await.expect("it starts");
    assert!(ended.status.success(), "{ended:?}");

    let shown = notifications.next().await;
    assert_eq!(
        (shown.title.as_str(), shown.body.as_str()),
        (
            "5 pictures uploaded",
            "Links copied.\nReaders can’t open this address."
        )
    );
    assert_eq!(app.service.json("/images/count").await["count"], 5);
    let links = desktop.clipboard().await;
    let prefix = format!("{}/i/", app.service.url());
    assert_eq!(
        links
            .lines()
            .filter(|line| line.starts_with(&prefix))
            .count(),
        5
    );
    assert!(desktop.windows("Porchlight").await.is_empty());
}

#[tokio::test]
async fn where_none_runs_the_app_starts_hidden_and_uploads_the_files() {
    let mut desktop = Desktop::start().await;
    let path = app::file(desktop.home(), "a.jpg", &photo());
    let app = App::start(&desktop, &["--upload", &path]).await;
    desktop.tray().icon().await;
    eventually("the picture", async || {
        (app.service.json("/images/count").await["count"] == 1).then_some(())
    })
    .await;
    assert!(desktop.windows("Porchlight").await.is_empty());
}

#[tokio::test]
async fn the_upload_command_passes_files_to_the_running_app_and_fails_without_one() {
    let desktop = Desktop::start().await;
    let path = app::file(desktop.home(), "-a.jpg", &photo());
    let upload = async |folder: &std::path::Path| {
        let mut command = desktop.command(env!("CARGO_BIN_EXE_porchlight"));
        command.arg("upload").arg("--data-dir").arg(folder);
        command.args(["--", "-a.jpg"]).current_dir(desktop.home());
        command.output().await.expect("it starts")
    };
    let ended = upload(&desktop.data_dir()).await;
    assert_eq!(ended.status.code(), Some(1));
    let error = String::from_utf8_lossy(&ended.stderr).into_owned();
    assert!(error.contains("no Porchlight serves"), "{error}");

    let app = App::start(&desktop, &["--hidden"]).await;
    let ended = upload(&desktop.data_dir()).await;
    assert!(ended.status.success(), "{ended:?}");
    let listed = app.service.json("/images/list").await;
    let hash = listed["images"][0]["hash"].as_str().expect("a picture");
    assert!(text(&ended).contains(hash), "{}", text(&ended));
    assert_eq!(app.service.count().await, 1);
    assert!(std::path::Path::new(&path).exists());
}
