//! Maintenance of the data folder while the service runs.

use std::path::Path;

use porchlight_test_harness::{line::Line, s3};
use serde_json::json;

use super::*;
use crate::blog::Choice;
use crate::settings::changes::Changes;
use crate::settings::sections::StorageKind;
use crate::testing::{hashes, host, host_with, keep_a_secret, picture, stored, upload};
use crate::text::address::WebAddress;

#[tokio::test]
async fn a_backup_reports_its_content_and_a_check_what_is_wrong() {
    let home = tempfile::tempdir().expect("a folder");
    let data = home.path().join("data");
    let host = host(&data, &[]).await;
    keep_a_secret(&data).await;
    let hash = stored(&host).await;
    stored(&host).await;
    let file = home.path().join("porchlight.tar");
    std::fs::write(&file, "an older one").expect("a file");
    let plain = host
        .maintenance()
        .back_up(file.clone(), false)
        .await
        .expect("a backup");
    assert_eq!((plain.good, plain.kind), (2, WorkKind::Backup));
    assert_eq!((plain.wrong.len(), plain.secrets.len()), (0, 0));
    let whole = host
        .maintenance()
        .back_up(file.clone(), true)
        .await
        .expect("a backup");
    assert_eq!(whole.secrets, ["own-tokens.json"]);
    assert_eq!(whole.file, Some(file.display().to_string()));

    let well = host.maintenance().check_images().await.expect("a report");
    assert_eq!((well.good, well.wrong.len()), (2, 0));
    let lost = data.join(format!("images/{}/{hash}.webp", &hash[..2]));
    std::fs::remove_file(&lost).expect("the image's file");
    let ill = host.maintenance().check_images().await.expect("a report");
    assert_eq!((ill.good, ill.wrong.len()), (1, 1));
    assert!(ill.wrong[0].to_string().contains(&hash), "{:?}", ill.wrong);
    assert_eq!(host.maintenance().progress().get(), None);
    // A window that comes later finds the last of each kind.
    let reports = host.maintenance().glance().reports;
    assert_eq!(reports.len(), 2);
    assert_eq!(reports[0].kind, WorkKind::Backup);
    assert_eq!(reports[1], ill);
    host.stop().await;
}

#[tokio::test]
async fn only_one_maintenance_task_runs_at_a_time() {
    let home = tempfile::tempdir().expect("a folder");
    let host = host(home.path(), &[]).await;
    let work = host
        .maintenance()
        .start(WorkKind::Move)
        .expect("nothing else");
    work.progress(1, 2).expect("not cancelled");
    let shown = host.maintenance().progress().get();
    let expected = Work {
        kind: WorkKind::Move,
        done: 1,
        of: Some(2),
        cancelling: false,
        cancellable: true,
    };
    assert_eq!(shown, Some(expected));
    let refused = host
        .maintenance()
        .check_images()
        .await
        .expect_err("something is done");
    assert!(refused.to_string().contains("wait"), "{refused}");
    assert_eq!(host.maintenance().glance().work, shown);
    drop(work);
    assert_eq!(host.maintenance().glance().work, None);
    host.maintenance()
        .check_images()
        .await
        .expect("nothing is done any more");
    host.stop().await;
}

#[tokio::test]
async fn images_move_and_the_settings_follow() {
    let store = s3::ObjectStore::start().await;
    let home = tempfile::tempdir().expect("a folder");
    let data = home.path().join("data");
    let of_disk = |set: &String| !set.starts_with("storage.kind");
    let set: Vec<String> = store.settings().into_iter().filter(of_disk).collect();
    let host = host_with(&data, set).await;
    stored(&host).await;
    let moved = host
        .maintenance()
        .move_images(host.store(), StorageKind::S3)
        .await
        .expect("moved");
    assert_eq!((moved.good, moved.wrong), (1, Vec::new()));
    assert_eq!(store.objects().len(), 1);
    let written = std::fs::read_to_string(data.join("settings.toml"));
    assert_eq!(written.expect("a file"), "[storage]\nkind = \"s3\"\n");
    stored(&host).await;
    assert_eq!(store.objects().len(), 2);
    host.stop().await;
}

#[tokio::test]
async fn images_do_not_move_to_a_store_that_is_not_the_one_of_the_settings() {
    let store = s3::ObjectStore::start().await;
    let home = tempfile::tempdir().expect("a folder");
    let data = home.path().join("data");
    let of_file =
        |set: &String| !set.starts_with("storage.kind") && !set.starts_with("storage.bucket");
    let bucket = store.settings();
    let bucket = bucket
        .iter()
        .find_map(|set| set.strip_prefix("storage.bucket="));
    let bucket = bucket
        .expect("a bucket")
        .trim_matches(['"', '\''])
        .to_owned();
    let set: Vec<String> = store.settings().into_iter().filter(of_file).collect();
    std::fs::create_dir(&data).expect("a folder");
    let file = format!("[storage]\nbucket = \"{bucket}\"\n");
    std::fs::write(data.join("settings.toml"), file).expect("a file");
    let host = host_with(&data, set).await;
    stored(&host).await;
    for (bucket, moves) in [("another", false), (bucket.as_str(), true)] {
        let change = [("storage.bucket".to_owned(), json!(bucket))];
        let changed = host.store().change(&Changes::from(change)).await;
        assert_eq!(changed, Ok(Vec::new()));
        let moved = host
            .maintenance()
            .move_images(host.store(), StorageKind::S3)
            .await;
        assert_eq!(moved.is_ok(), moves, "{bucket}: {moved:?}");
        assert_eq!(store.objects().len(), usize::from(moves));
    }
    host.stop().await;
}

#[tokio::test]
async fn a_move_to_invalid_settings_moves_no_image() {
    let home = tempfile::tempdir().expect("a folder");
    let host = host(&home.path().join("data"), &[]).await;
    stored(&host).await;
    let refused = host
        .maintenance()
        .move_images(host.store(), StorageKind::S3)
        .await
        .expect_err("no store");
    assert!(
        refused.to_string().contains("storage.endpoint"),
        "{refused}"
    );
    assert_eq!(host.maintenance().progress().get(), None);
    host.stop().await;
}

#[tokio::test]
async fn a_restore_can_be_cancelled_until_it_replaces_data() {
    let home = tempfile::tempdir().expect("a folder");
    let data = home.path().join("data");
    let host = host(&data, &[]).await;
    stored(&host).await;
    let maintenance = host.maintenance();
    let file = home.path().join("porchlight.tar");
    let backup = maintenance.back_up(file.clone(), false).await;
    backup.expect("a backup");
    let look = maintenance.look_into_backup(&file);
    let (found, ()) = tokio::join!(look, async { maintenance.cancel() });
    assert_eq!(found.err(), Some(Message::Cancelled));
    let report = maintenance.glance().reports.pop().expect("a report");
    assert!(
        report.cancelled && report.kind == WorkKind::Restore,
        "{report:?}"
    );
    let mut left = std::fs::read_dir(data.join(startup::FOLDER)).expect("a folder");
    assert!(left.next().is_none(), "nothing is left of it");
    // The next one takes the report of that away.
    let found = maintenance.look_into_backup(&file);
    assert_eq!(found.await.expect("a backup").images(), 1);
    let of_restore = |report: &WorkReport| report.kind == WorkKind::Restore;
    assert!(!maintenance.glance().reports.iter().any(of_restore));

    let work = maintenance.start(WorkKind::Restore).expect("nothing else");
    work.commit();
    maintenance.cancel();
    work.progress(1, 2).expect("it is not cancelled");
    drop(work);
    host.stop().await;
}

/// More images than are read at once.
const SEVERAL: usize = 30;
/// Calls of an object store for more images than are read at once, and for fewer than there are.
const CALLS: usize = 20;

#[tokio::test]
async fn cancelled_work_ends_early_and_leaves_nothing_half_done() {
    let store = s3::ObjectStore::start().await;
    let home = tempfile::tempdir().expect("a folder");
    let data = home.path().join("data");
    let host = host_with(&data, store.settings()).await;
    for _ in 0..SEVERAL {
        stored(&host).await;
    }
    let backups = home.path().join("backups");
    std::fs::create_dir(&backups).expect("a folder");
    let maintenance = host.maintenance();
    // Cancels after the first image that is done, and before the last.
    let cancel = async || {
        let mut progress = maintenance.progress();
        let started = |work: &Option<Work>| work.as_ref().is_some_and(|work| work.done > 0);
        progress.wait_for(started).await.expect("some progress");
        maintenance.cancel();
        store.is(s3::StoreMode::Well);
    };
    let file = backups.join("porchlight.tar");
    store.is(s3::StoreMode::WaitsAfter(CALLS));
    let (backup, ()) = tokio::join!(maintenance.back_up(file.clone(), false), cancel());
    let check = maintenance.check_images();
    store.is(s3::StoreMode::WaitsAfter(CALLS));
    let (check, ()) = tokio::join!(check, cancel());
    let moving = maintenance.move_images(host.store(), StorageKind::Disk);
    store.is(s3::StoreMode::WaitsAfter(CALLS));
    let (moved, ()) = tokio::join!(moving, cancel());
    for (kind, report) in [
        (WorkKind::Backup, backup),
        (WorkKind::Check, check),
        (WorkKind::Move, moved),
    ] {
        let report = report.expect("a report");
        assert!(report.cancelled && report.kind == kind, "{report:?}");
        assert!((1..SEVERAL as u64).contains(&report.good), "{report:?}");
    }
    assert_eq!(maintenance.glance().work, None);
    assert_eq!(maintenance.glance().reports.len(), 3);
    let left: Vec<_> = std::fs::read_dir(&backups).expect("a folder").collect();
    assert!(left.is_empty(), "{left:?}");
    // New images go where they went, and each one is read from its own place.
    assert_eq!(host.settings().storage.kind, StorageKind::S3);
    let well = maintenance.check_images().await;
    let well = well.expect("a report");
    assert_eq!(
        (well.good, well.wrong.len()),
        (SEVERAL as u64, 0),
        "{well:?}"
    );
    // The next move continues.
    let moved = maintenance
        .move_images(host.store(), StorageKind::Disk)
        .await;
    assert_eq!(moved.expect("moved").good, SEVERAL as u64);
    host.stop().await;
}

#[tokio::test]
async fn the_images_of_another_server_are_imported_once_and_an_import_is_cancelled() {
    let home = tempfile::tempdir().expect("a folder");
    let other = host(&home.path().join("other"), &[]).await;
    for _ in 0..SEVERAL {
        stored(&other).await;
    }
    let host = host(&home.path().join("data"), &[]).await;
    let maintenance = host.maintenance();
    let address = other.local_url();
    let mut line = Line::to(
        address
            .trim_start_matches("http://")
            .parse()
            .expect("a port"),
    );
    let from = format!("http://{}", line.address());
    let from: WebAddress = from.parse().expect("an address");
    let cancel = async {
        let mut progress = maintenance.progress();
        let started = |work: &Option<Work>| work.as_ref().is_some_and(|work| work.done > 0);
        progress.wait_for(started).await.expect("some progress");
        maintenance.cancel();
    };
    let (cut, ()) = tokio::join!(maintenance.import_images(from.clone()), cancel);
    let cut = cut.expect("a report");
    assert!(cut.cancelled && cut.good < SEVERAL as u64, "{cut:?}");
    let all = maintenance.import_images(from.clone()).await;
    let all = all.expect("a report");
    assert_eq!(all.good + all.already_here, SEVERAL as u64, "{all:?}");
    assert!(
        all.already_here >= cut.good && all.wrong.is_empty(),
        "{all:?}"
    );
    // Nothing else can listen there meanwhile.
    line.cut().await;
    let refused = maintenance.import_images(from).await;
    let refused = refused.expect_err("no server").to_string();
    assert!(refused.contains("the list of"), "{refused}");
    assert_eq!(maintenance.glance().work, None);
    other.stop().await;
    host.stop().await;
}

#[tokio::test]
async fn a_cancelled_adoption_changes_no_post_and_the_next_one_continues() {
    let home = tempfile::tempdir().expect("a folder");
    let address = "server.public_url=https://blog.example";
    let host = host(&home.path().join("data"), &[address]).await;
    let blog = home.path().join("blog");
    std::fs::create_dir(&blog).expect("a folder");
    let mut text = String::new();
    for number in 0..SEVERAL {
        std::fs::write(blog.join(format!("{number}.png")), picture()).expect("a picture");
        text += &format!("![]({number}.png)\n");
    }
    std::fs::write(blog.join("a.md"), &text).expect("a post");
    let maintenance = host.maintenance();
    let adopt = || {
        let kind = host.address_kind();
        maintenance.adopt(host.blog(), host.store(), &blog, Choice::default(), kind)
    };
    let cancel = async {
        let mut progress = maintenance.progress();
        let started = |work: &Option<Work>| work.as_ref().is_some_and(|work| work.done > 0);
        progress.wait_for(started).await.expect("some progress");
        maintenance.cancel();
    };
    let (cut, ()) = tokio::join!(adopt(), cancel);
    let cut = cut.expect("a report");
    assert!(cut.cancelled && cut.adopted.is_none(), "{cut:?}");
    let post = || std::fs::read_to_string(blog.join("a.md")).expect("a post");
    assert_eq!(post(), text);
    assert!(host.settings().blog.folders.is_empty());
    let whole = adopt().await.expect("a report").adopted.expect("adopted");
    assert!(whole.already_here > 0, "{whole:?}");
    let counts = (whole.uploaded + whole.already_here, whole.references);
    assert_eq!(counts, (SEVERAL, SEVERAL), "{whole:?}");
    assert_eq!(post().matches("https://blog.example/i/").count(), SEVERAL);
    assert_eq!(host.settings().blog.folders, [blog]);
    host.stop().await;
}

/// The file of a stored image.
fn file_of(data: &Path, hash: &str) -> PathBuf {
    data.join(format!("images/{}/{hash}.webp", &hash[..2]))
}

#[tokio::test]
async fn a_repair_runs_beside_the_service() {
    let home = tempfile::tempdir().expect("a folder");
    let data = home.path().join("data");
    let host = host(&data, &["images.trash_days=0"]).await;
    let (lost, kept) = (stored(&host).await, stored(&host).await);
    let orphan = stored(&host).await;
    let bytes = std::fs::read(file_of(&data, &orphan)).expect("a file");
    let hash = orphan.parse().expect("a hash");
    assert!(host.service().images().delete(hash).await.expect("deleted"));
    std::fs::write(file_of(&data, &orphan), bytes).expect("a file");
    std::fs::remove_file(file_of(&data, &lost)).expect("a file");
    let report = host.maintenance().repair(false).await.expect("repaired");
    assert_eq!((report.good, report.mended), (1, 2), "{:?}", report.wrong);
    let mut found = hashes(&host).await;
    found.sort();
    let mut expected = vec![kept, orphan];
    expected.sort();
    assert_eq!(found, expected, "without a restart");
    assert_eq!(
        host.maintenance()
            .repair(false)
            .await
            .expect("again")
            .mended,
        0
    );
    host.stop().await;
}

#[tokio::test]
async fn a_file_whose_picture_comes_again_before_its_repair_stays() {
    let home = tempfile::tempdir().expect("a folder");
    let data = home.path().join("data");
    let host = host(&data, &["images.trash_days=0"]).await;
    let source = picture();
    let image = upload(&host, source.clone()).await.expect("an image");
    let file = file_of(&data, &image.hash.to_string());
    let bytes = std::fs::read(&file).expect("a file");
    let images = host.service().images();
    assert!(images.delete(image.hash).await.expect("deleted"));
    std::fs::write(&file, &bytes).expect("a file");
    let storage = host.service().settings().storage.clone();
    let checked = crate::upkeep::check(&data, &storage, &|_, _| Ok(())).await;
    let mut report = checked.expect("a report");
    assert_eq!(report.problems.len(), 1, "{:?}", report.problems);
    upload(&host, source).await.expect("the same image");
    let repaired = crate::upkeep::repair(images, &data, &mut report, false).await;
    repaired.expect("repaired");
    assert_eq!(std::fs::read(&file).expect("it is there"), bytes);
    host.stop().await;
}

#[tokio::test]
async fn many_missing_images_are_removed_only_after_confirmation() {
    let home = tempfile::tempdir().expect("a folder");
    let data = home.path().join("data");
    let host = host(&data, &[]).await;
    for _ in 0..6 {
        stored(&host).await;
    }
    let (images, elsewhere) = (data.join("images"), home.path().join("images"));
    std::fs::rename(&images, &elsewhere).expect("moved");
    let (report, missing) = host.maintenance().check_for_repair().await.expect("done");
    assert_eq!((report.wrong.len(), missing), (6, Some((6, 6))));
    let report = host.maintenance().repair(false).await.expect("a report");
    assert_eq!((report.mended, report.wrong.len()), (0, 7));
    assert!(matches!(report.wrong[0], Message::ManyMissing { .. }));
    assert_eq!(hashes(&host).await.len(), 6);
    let report = host.maintenance().repair(true).await.expect("repaired");
    assert_eq!((report.mended, hashes(&host).await.len()), (6, 0));

    std::fs::rename(&elsewhere, &images).expect("mounted again");
    assert_eq!(
        host.maintenance()
            .repair(false)
            .await
            .expect("repaired")
            .mended,
        6
    );
    assert_eq!(hashes(&host).await.len(), 6);
    host.stop().await;
}
