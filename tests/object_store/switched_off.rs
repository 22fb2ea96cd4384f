//! The snapshot is removed when publishing is switched off, and taken over with a command.

use crate::harness::process::{RunningProcess, clean_command};
use crate::harness::{TestService, eventually, pictures};
use crate::publish::{at, lists, shows};
use crate::s3::ObjectStore;

#[tokio::test]
async fn switched_off_in_the_file_the_snapshot_goes_at_once_or_at_the_next_start() {
    let store = ObjectStore::start().await;
    let settings = |enabled: bool| {
        let storage = store.settings().join("\n").replace('=', " = '");
        let storage: String = storage.lines().map(|line| format!("{line}'\n")).collect();
        format!("{storage}publish.enabled = {enabled}\n")
    };
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("settings.toml");
    let write = |enabled| std::fs::write(&file, settings(enabled)).expect("to write");
    let snapshot = || {
        let mut objects = store.objects();
        objects.retain(|name| name.starts_with("porchlight/"));
        objects
    };
    for while_it_runs in [true, false] {
        write(true);
        let mut service = TestService::builder().data_dir(folder.path()).start().await;
        let hash = service.stored(pictures::photo()).await;
        service.heartbeat(&at("writing", true)).await;
        shows(&store, "writing", "online").await;
        let count = if while_it_runs { 1 } else { 2 };
        assert!(lists(&store, count).await.contains(&hash));
        if while_it_runs {
            write(false);
        } else {
            service.stop().await;
            write(false);
            service = TestService::builder().data_dir(folder.path()).start().await;
        }
        eventually("no snapshot", async || snapshot().is_empty().then_some(())).await;
        assert_eq!(service.get(&format!("/i/{hash}")).await.status(), 200);
        service.stop().await;
        assert_eq!(snapshot(), [""; 0]);
    }
}

#[tokio::test]
async fn the_take_over_command_works_while_publishing_is_off() {
    let store = ObjectStore::start().await;
    let publisher = || store.json("porchlight/images/index.json")["publisher"].clone();
    let mut first = crate::publish::publishing(&store, &[]).await;
    let mut second = crate::publish::publishing(&store, &[]).await;
    let before = publisher();
    second.heartbeat(&at("elsewhere", true)).await;
    first.heartbeat(&at("here", true)).await;
    shows(&store, "here", "online").await;
    assert!(first.stop().await.success());

    let home = tempfile::tempdir().expect("a folder");
    let mut command = clean_command(env!("CARGO_BIN_EXE_porchlight"), home.path());
    let words = ["publish", "take-over", "--data-dir"];
    command.args(words).arg(second.data_dir());
    let ended = RunningProcess::spawn(command).ended().await;
    assert!(ended.status.success(), "{ended:?}");
    shows(&store, "elsewhere", "online").await;
    eventually("an index of the second", async || {
        (publisher() != before).then_some(())
    })
    .await;
    assert!(second.stop().await.success());
}
