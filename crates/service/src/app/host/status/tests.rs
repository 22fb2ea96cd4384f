//! What each service is doing, as the window has it.

use std::time::Duration;

use super::*;
use crate::game::window::GameHidden;
use crate::schema::database_file;
use crate::testing::{full, host, host_with};
use crate::uploads::window::FolderState;

/// Asks until it is so, for five seconds at most: less than the parts wait by
/// themselves.
async fn soon<T>(mut ask: impl FnMut() -> Option<T>) -> T {
    for _ in 0..500 {
        if let Some(answer) = ask() {
            return answer;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("it did not come");
}

#[tokio::test]
async fn where_nothing_is_set_up_nothing_runs() {
    let folder = tempfile::tempdir().expect("a folder");
    let host = host(folder.path(), &[]).await;
    assert_eq!(host.tunnel(), TunnelState::Off);
    assert_eq!(host.editors(), EditorsGlance::Off);
    assert_eq!(host.watched_folders().folders, []);
    assert_eq!(host.game().hidden, Some(GameHidden::NotShared));
    assert_eq!(host.presence().preview, None);
    host.stop().await;
}

#[tokio::test]
async fn the_status_names_a_watched_folder_and_a_port_in_use() {
    let folder = tempfile::tempdir().expect("a folder");
    let pictures = tempfile::tempdir().expect("a folder");
    let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = taken.local_addr().expect("an address").port();
    let set = [
        format!("watch.folders=['{}']", pictures.path().display()),
        "picgo.enabled=true".to_owned(),
        format!("picgo.port={port}"),
    ];
    let host = host_with(folder.path(), set).await;
    let watched = |glance: &WatchStatus| glance.folders[0].state != FolderState::New;
    let glance = soon(|| Some(host.watched_folders()).filter(watched)).await;
    assert_eq!(
        glance.folders[0].folder,
        pictures.path().display().to_string()
    );
    assert_eq!(glance.trouble, None);
    match host.editors() {
        EditorsGlance::Trouble { why } => {
            assert!(why.to_string().contains(&port.to_string()), "{why}")
        }
        other => panic!("{other:?}"),
    }
    host.stop().await;
}

#[tokio::test]
async fn the_status_names_folders_that_cannot_be_watched_and_the_reason() {
    let folder = tempfile::tempdir().expect("a folder");
    let named = ["/a", "/b"].map(full);
    let first = host(folder.path(), &[]).await;
    first.stop().await;
    let database = rusqlite::Connection::open(database_file(folder.path()));
    let queue = "ALTER TABLE upload RENAME TO away";
    database
        .expect("a database")
        .execute_batch(queue)
        .expect("renamed");
    let host = host(folder.path(), &[&format!("watch.folders={named:?}")]).await;
    let glance = host.watched_folders();
    let folders: Vec<_> = glance
        .folders
        .iter()
        .map(|one| one.folder.as_str())
        .collect();
    assert_eq!(folders, named);
    let trouble = glance.trouble.expect("the reason");
    assert!(
        trouble.to_string().contains("no folder is watched"),
        "{trouble}"
    );
    host.stop().await;
}

#[cfg(unix)]
#[tokio::test]
async fn a_missing_tunnel_program_is_reported_and_retried_on_request() {
    use porchlight_test_harness::files::script;

    let folder = tempfile::tempdir().expect("a folder");
    let program = folder.path().join("my-tunnel");
    let set = [
        "tunnel.kind=command".to_owned(),
        format!("tunnel.command=['{}', '{{port}}']", program.display()),
        "tunnel.pattern=(https://[^ ]+)".to_owned(),
    ];
    let host = host_with(&folder.path().join("data"), set).await;
    let missing = |glance: &TunnelState| matches!(glance, TunnelState::Missing { .. });
    let glance = soon(|| Some(host.tunnel()).filter(missing)).await;
    assert_eq!(
        glance,
        TunnelState::Missing {
            program: program.display().to_string(),
            why: None,
            install: None,
        }
    );
    script(&program, "exit 1\n");
    host.try_now().await;
    soon(|| Some(host.tunnel()).filter(|glance| !missing(glance))).await;
    host.stop().await;
}

#[tokio::test]
async fn a_change_from_before_is_not_waited_for() {
    let state = crate::state::State::new(1);
    let kept = state.reader();
    state.set(2);
    let mut changes = super::from_now(kept.clone());
    assert!(futures_util::FutureExt::now_or_never(changes.changed()).is_none());
    state.set(3);
    assert_eq!(changes.changed().await, Ok(()));
}
