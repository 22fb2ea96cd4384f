//! Backups that take the place of what is there, across a start.

use super::*;
use crate::app::host::Host;
use crate::app::maintenance::restore::{Extent, InspectedBackup};
use crate::stats::Reader;
use crate::testing::{full, hashes, host, keep_a_secret, picture, stored};
use crate::tokens::scope::Scope;
use crate::uploads::watch::WatchOutcome;

/// A host with a backup of one picture, and another picture since.
async fn with_a_backup(home: &Path) -> (Host, PathBuf, [String; 2]) {
    let data = home.join("data");
    let host = host(&data, &[]).await;
    keep_a_secret(&data).await;
    let kept = stored(&host).await;
    let change = [("server.greeting", Some("of the backup".into()))];
    host.store().update(&change).await.expect("written");
    let backup = home.join("backup.tar");
    host.maintenance()
        .back_up(backup.clone(), true)
        .await
        .expect("a backup");
    let later = stored(&host).await;
    let change = [("server.greeting", Some("later".into()))];
    host.store().update(&change).await.expect("written");
    (host, backup, [kept, later])
}

/// Has the next start restore it.
async fn restore(found: InspectedBackup, extent: Extent, host: &Host) {
    let ready = found.for_the_next_start(extent, host.store().layers(), host.maintenance());
    ready.await.expect("ready");
}

fn aside(data: &Path) -> Option<PathBuf> {
    let mut entries = std::fs::read_dir(data).expect("a folder");
    entries.find_map(|entry| {
        let path = entry.expect("an entry").path();
        let name = path.file_name()?.to_str()?.to_owned();
        name.starts_with("before-restore-").then_some(path)
    })
}

#[tokio::test]
async fn a_backup_replaces_the_data_at_the_next_start() {
    let home = tempfile::tempdir().expect("a folder");
    let data = home.path().join("data");
    let (first, backup, [kept, later]) = with_a_backup(home.path()).await;
    let found = first
        .maintenance()
        .look_into_backup(&backup)
        .await
        .expect("whole");
    assert_eq!(found.images(), 1);
    assert_eq!(found.secrets(), ["settings.toml", "own-tokens.json"]);
    restore(found, Extent::All, &first).await;
    assert_eq!(hashes(&first).await, [later.clone(), kept.clone()]);
    let reader = Reader::At([203, 0, 113, 7].into());
    first.service().stats().read_by(reader);
    first.stop().await;
    assert!(data.join("readers.json").exists());
    let of_a_repair = "porchlight.db.before-repair-1";
    std::fs::write(data.join(of_a_repair), "a copy").expect("to write");
    let deleted = format!("trash/{}.webp", "ab".repeat(16));
    std::fs::create_dir_all(data.join("trash")).expect("a folder");
    std::fs::write(data.join(&deleted), "deleted").expect("to write");

    let second = host(&data, &[]).await;
    assert_eq!(hashes(&second).await, [kept]);
    assert_eq!(second.settings().server.greeting, "of the backup");
    assert_eq!(
        second
            .maintenance()
            .check_images()
            .await
            .expect("a report")
            .wrong,
        []
    );
    second.stop().await;
    let aside = aside(&data).expect("what was there before");
    for file in [of_a_repair, &deleted] {
        assert!(
            aside.join(file).exists() && !data.join(file).exists(),
            "{file}"
        );
    }
    for folder in [&data, &aside] {
        assert!(!folder.join("readers.json").exists(), "{folder:?}");
    }
    let before = host(&aside, &[]).await;
    assert_eq!(hashes(&before).await.len(), 2, "nothing of it is lost");
    before.stop().await;
    assert!(!data.join(FOLDER).exists());
}

#[tokio::test]
async fn a_restore_without_confirmation_changes_nothing() {
    let home = tempfile::tempdir().expect("a folder");
    let data = home.path().join("data");
    let (first, backup, [kept, later]) = with_a_backup(home.path()).await;
    drop(
        first
            .maintenance()
            .look_into_backup(&backup)
            .await
            .expect("whole"),
    );
    let broken = home.path().join("broken.tar");
    let mut bytes = std::fs::read(&backup).expect("a backup");
    bytes.truncate(bytes.len() / 2);
    std::fs::write(&broken, bytes).expect("a file");
    let refused = first
        .maintenance()
        .look_into_backup(&broken)
        .await
        .err()
        .expect("not whole");
    assert!(refused.to_string().contains("no backup"), "{refused}");
    first.stop().await;
    let second = host(&data, &[]).await;
    assert_eq!(hashes(&second).await, [later, kept]);
    assert_eq!(second.settings().server.greeting, "later");
    second.stop().await;
    assert!(aside(&data).is_none() && !data.join(FOLDER).exists());
}

#[tokio::test]
async fn a_start_that_was_killed_half_way_is_gone_on_with() {
    for so_far in 0..4 {
        let home = tempfile::tempdir().expect("a folder");
        let data = home.path().join("data");
        let (first, backup, [kept, _]) = with_a_backup(home.path()).await;
        let found = first
            .maintenance()
            .look_into_backup(&backup)
            .await
            .expect("whole");
        restore(found, Extent::All, &first).await;
        first.stop().await;
        // As far as the killed one came.
        let from = data.join(FOLDER);
        let name = std::fs::read_to_string(from.join(READY)).expect("ready");
        let aside = data.join(&name);
        if so_far >= 1 {
            std::fs::create_dir(&aside).expect("a folder");
            let rename = std::fs::rename(data.join("porchlight.db"), aside.join("porchlight.db"));
            rename.expect("moved");
        }
        if so_far >= 2 {
            for name in ["images", "settings.toml", "own-tokens.json"] {
                std::fs::rename(data.join(name), aside.join(name)).expect("moved");
            }
            std::fs::rename(from.join(READY), from.join(MOVED)).expect("noted");
        }
        if so_far >= 3 {
            std::fs::rename(from.join("images"), data.join("images")).expect("moved");
        }
        let second = host(&data, &[]).await;
        assert_eq!(hashes(&second).await, [kept], "{so_far}");
        assert_eq!(
            second
                .maintenance()
                .check_images()
                .await
                .expect("a report")
                .good,
            1
        );
        second.stop().await;
        let before = host(&aside, &[]).await;
        assert_eq!(hashes(&before).await.len(), 2, "{so_far}");
        before.stop().await;
    }
}

#[tokio::test]
async fn settings_tokens_and_devices_stay_unless_the_backup_is_the_owners() {
    for extent in [Extent::Content, Extent::All] {
        let is_all = extent == Extent::All;
        let home = tempfile::tempdir().expect("a folder");
        let data = home.path().join("data");
        let (first, _, _) = with_a_backup(home.path()).await;
        let tokens = first.service().tokens();
        for name in ["kept", "revoked"] {
            let made = tokens.create(name, Scope::Upload).await;
            made.expect("a token");
        }
        let nowhere = full("/nowhere");
        let rules = |name: &str| {
            let rules = format!("[{{ program = 'vim', name = '{name}' }}]");
            Some(rules.parse::<toml_edit::Value>().expect("rules"))
        };
        let change = [
            (
                "watch.folders",
                Some(toml_edit::Array::from_iter([nowhere.as_str()]).into()),
            ),
            ("presence.rules", rules("of the backup")),
        ];
        first.store().update(&change).await.expect("written");
        let backup = home.path().join("backup.tar");
        let made = first.maintenance().back_up(backup.clone(), true).await;
        made.expect("a backup");
        assert!(tokens.revoke("revoked").await.expect("revoked"));
        tokens.create("later", Scope::Admin).await.expect("a token");
        let change = [
            ("watch.folders", None),
            ("presence.rules", rules("later")),
            ("server.greeting", Some("still later".into())),
        ];
        first.store().update(&change).await.expect("written");
        let own = std::fs::read_to_string(data.join("own-tokens.json")).expect("a file");

        let found = first.maintenance().look_into_backup(&backup).await;
        restore(found.expect("whole"), extent, &first).await;
        first.stop().await;
        let second = host(&data, &[]).await;
        let settings = second.settings();
        let folders: &[PathBuf] = if is_all { &[nowhere.into()] } else { &[] };
        assert_eq!(settings.watch.folders, folders);
        let greeting = if is_all { "later" } else { "still later" };
        assert_eq!(settings.server.greeting, greeting);
        let rules = format!("{:?}", settings.presence.rules);
        assert!(rules.contains("of the backup"), "{rules}");
        let rows = second.service().tokens().list().await.expect("a list");
        let names: Vec<&str> = rows.iter().map(|row| row.name.as_str()).collect();
        assert!(names.contains(&"kept"), "{names:?}");
        assert_eq!(names.contains(&"revoked"), is_all, "{names:?}");
        assert_eq!(names.contains(&"later"), !is_all, "{names:?}");
        let own_now = std::fs::read_to_string(data.join("own-tokens.json")).expect("a file");
        assert_eq!(own_now, own);
        second.stop().await;
    }
}

#[tokio::test]
async fn images_lost_by_a_restore_are_uploaded_again_and_deleted_ones_are_not() {
    let home = tempfile::tempdir().expect("a folder");
    let data = home.path().join("data");
    let watched = home.path().join("watched");
    std::fs::create_dir(&watched).expect("a folder");
    let folders = format!("watch.folders=[{:?}]", watched.display().to_string());
    let first = host(&data, &[&folders]).await;
    let mut outcomes = first.uploads().outcomes();
    let mut upload = async |name: &str| {
        std::fs::write(watched.join(name), picture()).expect("a file");
        match outcomes.recv().await {
            Ok(WatchOutcome::Uploaded { hash, .. }) => hash,
            other => panic!("{other:?}"),
        }
    };
    let kept = upload("kept.png").await;
    let deleted = upload("deleted.png").await;
    let images = first.service().images();
    assert!(images.delete(deleted).await.expect("deleted"));
    let backup = home.path().join("backup.tar");
    first
        .maintenance()
        .back_up(backup.clone(), false)
        .await
        .expect("a backup");
    let later = upload("later.png").await;
    let found = first
        .maintenance()
        .look_into_backup(&backup)
        .await
        .expect("whole");
    restore(found, Extent::All, &first).await;
    first.stop().await;

    let second = host(&data, &[&folders]).await;
    let mut changes = second.service().images().changes();
    while hashes(&second).await.len() < 2 {
        changes.changed().await.expect("the service");
    }
    // The folder was looked through by then.
    let mut outcomes = second.uploads().outcomes();
    std::fs::write(watched.join("last.png"), picture()).expect("a file");
    let last = loop {
        match outcomes.recv().await {
            Ok(WatchOutcome::Uploaded { hash, file, .. }) if file.ends_with("last.png") => {
                break hash;
            }
            Ok(WatchOutcome::Uploaded { hash, .. }) if hash == later => {}
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(
        hashes(&second).await,
        [last, later, kept].map(|hash| hash.to_string())
    );
    second.stop().await;
}
