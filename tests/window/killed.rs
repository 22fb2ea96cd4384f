//! The app is killed while images are being uploaded, and started again.

use image::ImageFormat;

use crate::app::{App, file};
use crate::desktop::Desktop;
use crate::driver::Driven;
use crate::dropping::drag;
use crate::eventually;
use crate::harness::pictures::{encoded, scene};

/// Images that are long enough on their way to be caught there.
const LARGE: u64 = 6;

/// Large images in a folder; their paths.
fn large_pictures(folder: &std::path::Path) -> Vec<String> {
    std::fs::create_dir_all(folder).expect("a folder");
    let picture = |n| encoded(&scene(n, 1_500, 1_000), ImageFormat::Bmp);
    let name = |n| format!("large {n}.bmp");
    (1..=LARGE)
        .map(|n| file(folder, name(n), &picture(n)))
        .collect()
}

async fn all_arrived_once(app: &App) {
    eventually("all of them", async || {
        (app.service.count().await == LARGE).then_some(())
    })
    .await;
    let list = app.service.json("/images/list?limit=100").await;
    let list = list["images"].as_array().expect("a list").clone();
    assert_eq!(list.len() as u64, LARGE);
    for image in list {
        let hash = image["hash"].as_str().expect("a hash");
        assert_eq!(app.service.status(&format!("/i/{hash}")).await, 200);
    }
}

#[tokio::test]
async fn pictures_of_a_watched_folder_all_arrive_once_though_the_app_is_killed() {
    let desktop = Desktop::start().await;
    let folder = desktop.home().join("watched");
    std::fs::create_dir(&folder).expect("a folder");
    let watch = format!("watch.folders=[{folder:?}]");
    let words = [
        "--hidden",
        "--set",
        &watch,
        "--set",
        "presence.enabled=false",
    ];
    let app = App::start(&desktop, &words).await;
    large_pictures(&folder);
    eventually("the first of them", async || {
        (app.service.count().await > 0).then_some(())
    })
    .await;
    let before = app.service.count().await;
    app.kill().await;
    assert!(before < LARGE, "they were too quick to be caught");

    let again = App::start(&desktop, &words).await;
    all_arrived_once(&again).await;
    again.terminate();
    again.ends_well().await;
}

#[tokio::test]
async fn pictures_dropped_on_the_window_all_arrive_once_though_the_app_is_killed() {
    let desktop = Desktop::start().await;
    let dropped = large_pictures(&desktop.home().join("dropped"));
    let app = Driven::start(&desktop, &["presence.enabled=false"]).await;
    drag(&desktop, &app, &dropped).await;
    eventually("the first of them", async || {
        (app.service.count().await > 0).then_some(())
    })
    .await;
    let before = app.service.count().await;
    app.kill(&desktop).await;
    assert!(before < LARGE, "they were too quick to be caught");

    let words = ["--hidden", "--set", "presence.enabled=false"];
    let again = App::start(&desktop, &words).await;
    all_arrived_once(&again).await;
    eventually("nothing to wait any more", async || {
        let queue = rusqlite::Connection::open(desktop.data_dir().join("porchlight.db"));
        let waiting = queue.expect("the queue").query_row(
            "SELECT count(*) FROM upload WHERE state = 0",
            [],
            |row| row.get::<_, i64>(0),
        );
        (waiting.expect("a number") == 0).then_some(())
    })
    .await;
    again.terminate();
    again.ends_well().await;
}
