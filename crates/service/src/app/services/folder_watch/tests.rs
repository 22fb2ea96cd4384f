//! Watched folders of a host as the tray app has it.

use std::path::{Path, PathBuf};

use super::*;
use crate::app::host::Host;
use crate::testing::{host_with, picture};

async fn host(folder: &Path, watched: &Path, set: &[String]) -> Host {
    let mut set = set.to_vec();
    set.push(format!("watch.folders=[{watched:?}]"));
    host_with(folder, set).await
}

fn watched(folder: &Path) -> PathBuf {
    let watched = folder.join("pictures");
    std::fs::create_dir_all(&watched).expect("a folder");
    watched
}

#[tokio::test]
async fn a_picture_in_a_watched_folder_is_uploaded_to_the_apps_own_service() {
    let home = tempfile::tempdir().expect("a folder");
    let (data, watched) = (home.path().join("data"), watched(home.path()));
    let host = host(&data, &watched, &[]).await;
    let mut outcomes = host.services().outcomes();
    std::fs::write(watched.join("a.png"), picture()).expect("a file");
    let Ok(WatchOutcome::Uploaded { hash, .. }) = outcomes.recv().await else {
        panic!("it is uploaded");
    };
    let page = host
        .service()
        .images()
        .page(0, 10, None)
        .await
        .expect("a page");
    assert_eq!(page.images[0].image.hash, hash);
    let tokens = host.service().tokens().list().await.expect("a list");
    assert_eq!(tokens, [], "the app needs no token for itself");
    host.stop().await;
}

#[tokio::test]
async fn files_added_while_the_app_was_closed_are_uploaded_at_the_next_start() {
    let home = tempfile::tempdir().expect("a folder");
    let (data, watched) = (home.path().join("data"), watched(home.path()));
    let first = host(&data, &watched, &[]).await;
    first.stop().await;
    std::fs::write(watched.join("a.png"), picture()).expect("a file");
    // A second start has another port and the same token.
    let second = host(&data, &watched, &[]).await;
    let mut images = second.service().images().changes();
    let arrived = images.wait_for(|count| *count == 1).await;
    assert!(arrived.is_ok());
    second.stop().await;
}
