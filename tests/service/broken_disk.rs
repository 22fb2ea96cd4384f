//! A disk that is full or read-only: a clear answer, what was there before
//! still is, and all is well again when there is room.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use rusqlite::Connection;
use serde_json::json;

use crate::harness::{TestService, assert_error, eventually, files, pictures};

/// A command that gives the service its own small disk, in a private mount
/// namespace; `None`, with the reason printed, where neither root nor a user
/// namespace may mount. With `CI` set that is a failure: skipped tests are not
/// noticed there.
pub(crate) fn small_disk(folder: &Path, megabytes: u32) -> Option<Vec<String>> {
    let script = format!("mount -t tmpfs -o size={megabytes}m porchlight \"$0\" && exec \"$@\"");
    let folder = folder.to_str().expect("a UTF-8 path");
    for private in ["-m", "-rm"] {
        let wrapper = ["unshare", private, "sh", "-c", &script, folder].map(str::to_owned);
        let tried = Command::new(&wrapper[0])
            .args(&wrapper[1..])
            .arg("true")
            .status();
        if tried.is_ok_and(|status| status.success()) {
            return Some(wrapper.to_vec());
        }
    }
    assert!(
        std::env::var_os("CI").is_none(),
        "neither root nor a user namespace may mount a tmpfs here"
    );
    eprintln!("skipped: neither root nor a user namespace may mount a tmpfs here");
    None
}

/// A command under which file modes apply to root too; empty for other users.
fn bound_by_modes() -> Vec<String> {
    let status = fs::read_to_string("/proc/self/status").expect("Linux");
    let user = status
        .lines()
        .find_map(|line| line.strip_prefix("Uid:"))
        .expect("a user");
    if user.split_whitespace().nth(1) != Some("0") {
        return Vec::new();
    }
    ["setpriv", "--bounding-set=-dac_override,-dac_read_search"]
        .map(str::to_owned)
        .to_vec()
}

/// Sets the mode of the folder and of every folder below it.
fn set_folder_modes(folder: &Path, mode: u32) {
    fs::set_permissions(folder, Permissions::from_mode(mode)).expect("a folder of our own");
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            set_folder_modes(&path, mode);
        }
    }
}

#[tokio::test]
async fn on_a_full_disk_an_upload_is_refused_and_nothing_is_lost() {
    let mount = tempfile::tempdir().expect("a temporary folder");
    let Some(wrapper) = small_disk(mount.path(), 16) else {
        return;
    };
    let service = TestService::builder()
        .wrapped_in(&wrapper)
        .data_dir(mount.path().join("data"))
        .start()
        .await;
    let hash = service.stored(pictures::photo()).await;
    let webp = service.webp(&hash).await;
    service.heartbeat(&json!({ "application": "Lamp" })).await;

    // The service's own mount namespace.
    let seen = PathBuf::from(format!("/proc/{}/root", service.pid()));
    let inside = seen.join(mount.path().strip_prefix("/").expect("an absolute path"));
    let filler = inside.join("filler");
    fill(&filler);

    let large = pictures::jpeg(&pictures::scene(pictures::next_seed(), 1200, 900));
    for _ in 0..3 {
        assert_error(
            service.upload(large.clone()).await,
            507,
            "Not enough storage",
        )
        .await;
    }
    assert_eq!(service.count().await, 1);
    assert_eq!(service.webp(&hash).await, webp);
    assert_eq!(service.json("/images/list").await["pagination"]["total"], 1);
    assert_eq!(service.json("/check").await["application"], "Lamp");
    assert_eq!(files::stored_hashes(&inside.join("data")), [hash.as_str()]);

    fs::remove_file(filler).expect("our own file");
    let later = service.stored(large).await;
    assert_eq!(service.count().await, 2);
    for hash in [&hash, &later] {
        assert!(pictures::is_webp(&service.webp(hash).await));
    }
    assert_eq!(
        service
            .heartbeat(&json!({ "application": "Desk" }))
            .await
            .status(),
        200
    );
    assert_eq!(service.json("/check").await["application"], "Desk");
}

/// The system reports it by another error than a full disk, which SQLite does not know.
#[tokio::test]
async fn a_used_up_quota_is_a_full_disk_for_files_and_for_the_database() {
    let home = tempfile::tempdir().expect("a temporary folder");
    let (library, flag) = (home.path().join("over_quota.so"), home.path().join("over"));
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/service/over_quota.c");
    let built = Command::new("cc")
        .args(["-shared", "-fPIC", "-o"])
        .arg(&library)
        .args([source, "-ldl"])
        .status();
    assert!(built.expect("cc").success());
    let path = |path: &Path| path.to_str().expect("UTF-8").to_owned();
    let service = TestService::builder()
        .env("LD_PRELOAD", path(&library))
        .env("OVER_QUOTA", path(&flag))
        .start()
        .await;
    let hash = service.stored(pictures::photo()).await;
    for part in ["porchlight.db", "/incoming/", "/images/"] {
        fs::write(&flag, part).expect("a file");
        for _ in 0..2 {
            let refused = service.upload(pictures::photo()).await;
            assert_error(refused, 507, "Not enough storage").await;
        }
        fs::remove_file(&flag).expect("our own file");
        service.stored(pictures::photo()).await;
    }
    assert_eq!(service.count().await, 4);
    assert!(pictures::is_webp(&service.webp(&hash).await));
}

#[tokio::test]
async fn on_a_full_disk_a_narrower_copy_is_served_though_it_cannot_be_kept() {
    let mount = tempfile::tempdir().expect("a temporary folder");
    let Some(wrapper) = small_disk(mount.path(), 16) else {
        return;
    };
    let service = TestService::builder()
        .wrapped_in(&wrapper)
        .data_dir(mount.path().join("data"))
        .start()
        .await;
    let picture = pictures::scene(pictures::next_seed(), 800, 600);
    let hash = service.stored(pictures::jpeg(&picture)).await;
    let seen = PathBuf::from(format!("/proc/{}/root", service.pid()));
    let inside = seen.join(mount.path().strip_prefix("/").expect("an absolute path"));
    let filler = inside.join("filler");
    fill(&filler);
    let mut copies = Vec::new();
    for _ in 0..2 {
        copies.push(narrower(&service, &hash, 320).await);
        assert!(files::below(&inside.join("data/renditions")).is_empty());
        assert!(files::below(&inside.join("data/images/half-written")).is_empty());
    }
    fs::remove_file(filler).expect("our own file");
    copies.push(narrower(&service, &hash, 320).await);
    assert!(copies.iter().all(|copy| *copy == copies[0]));
    assert_eq!(files::below(&inside.join("data/renditions")).len(), 1);
}

/// The rendition that a reader gets.
async fn narrower(service: &TestService, hash: &str, width: u32) -> Vec<u8> {
    let response = service.get(&format!("/i/{hash}?w={width}")).await;
    assert_eq!(response.status(), 200, "{}", service.stderr());
    let bytes = response.bytes().await.expect("a body").to_vec();
    assert_eq!(pictures::decoded(&bytes).width(), width);
    bytes
}

/// A deletion has to be written down before it is one.
#[tokio::test]
async fn on_a_full_disk_a_delete_is_done_or_refused_and_never_half() {
    let mount = tempfile::tempdir().expect("a temporary folder");
    let Some(wrapper) = small_disk(mount.path(), 16) else {
        return;
    };
    let service = TestService::builder()
        .wrapped_in(&wrapper)
        .data_dir(mount.path().join("data"))
        .start()
        .await;
    let mut hashes = Vec::new();
    for _ in 0..3 {
        hashes.push(service.stored(pictures::photo()).await);
    }
    let seen = PathBuf::from(format!("/proc/{}/root", service.pid()));
    let inside = seen.join(mount.path().strip_prefix("/").expect("an absolute path"));
    let filler = inside.join("filler");
    fill(&filler);
    let mut refused = 0;
    for hash in &hashes {
        let response = service.delete(hash).await;
        if response.status() != 200 {
            refused += 1;
            assert_error(response, 507, "Not enough storage").await;
            assert!(pictures::is_webp(&service.webp(hash).await));
        }
        let left = service.count().await as usize;
        assert_eq!(files::stored_hashes(&inside.join("data")).len(), left);
    }
    assert!(refused > 0, "there was room");
    fs::remove_file(filler).expect("our own file");
    for hash in &hashes {
        assert!([200, 404].contains(&service.delete(hash).await.status().as_u16()));
    }
    assert_eq!(service.count().await, 0);
    assert!(files::stored_hashes(&inside.join("data")).is_empty());
}

/// Writes until there is no room for another byte.
pub(crate) fn fill(path: &Path) {
    use std::io::Write;
    let mut file = fs::File::create(path).expect("a new file");
    for piece in [1 << 16, 1 << 12, 1] {
        while file.write_all(&vec![0; piece]).is_ok() {}
    }
}

#[tokio::test]
async fn in_a_read_only_image_folder_an_upload_fails_and_nothing_is_lost() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let service = TestService::builder()
        .wrapped_in(&bound_by_modes())
        .data_dir(folder.path())
        .start()
        .await;
    let hash = service.stored(pictures::photo()).await;
    let webp = service.webp(&hash).await;
    let photo = pictures::photo();

    set_folder_modes(folder.path(), 0o555);
    let refused = service.upload(photo.clone()).await;
    set_folder_modes(folder.path(), 0o755);
    assert_error(refused, 500, "Internal server error").await;
    assert_eq!(service.count().await, 1);
    assert_eq!(service.webp(&hash).await, webp);
    assert_eq!(files::stored_hashes(folder.path()), [hash]);
    // The operator sees the reason; the caller does not.
    assert!(
        service.stderr().to_lowercase().contains("denied"),
        "{}",
        service.stderr()
    );

    service.stored(photo).await;
    assert_eq!(service.count().await, 2);
}

#[tokio::test]
async fn in_a_read_only_folder_a_narrower_copy_is_served_though_it_cannot_be_kept() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let service = TestService::builder()
        .wrapped_in(&bound_by_modes())
        .data_dir(folder.path())
        .start()
        .await;
    let picture = pictures::scene(pictures::next_seed(), 800, 600);
    let hash = service.stored(pictures::jpeg(&picture)).await;
    set_folder_modes(folder.path(), 0o555);
    let first = narrower(&service, &hash, 320).await;
    let again = narrower(&service, &hash, 320).await;
    set_folder_modes(folder.path(), 0o755);
    assert!(files::below(&folder.path().join("renditions")).is_empty());
    assert_eq!(narrower(&service, &hash, 320).await, first);
    assert_eq!(first, again);
    assert_eq!(files::below(&folder.path().join("renditions")).len(), 1);
}

#[tokio::test]
async fn in_a_read_only_folder_a_delete_takes_effect_for_readers_and_the_file_is_removed_later() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut service = TestService::builder()
        .wrapped_in(&bound_by_modes())
        .data_dir(folder.path())
        .start()
        .await;
    let hash = service.stored(pictures::photo()).await;
    service.webp(&hash).await;
    set_folder_modes(folder.path(), 0o555);
    let deleted = service.delete(&hash).await;
    let read = service.get(&format!("/i/{hash}")).await;
    let left = files::stored_hashes(folder.path());
    set_folder_modes(folder.path(), 0o755);
    assert_eq!((deleted.status().as_u16(), left), (200, vec![hash.clone()]));
    assert_error(read, 404, "Image not found").await;
    assert_eq!(service.count().await, 0);
    assert!(service.stderr().contains(&hash), "{}", service.stderr());

    service.restart().await;
    eventually("its file is gone too", async || {
        files::stored_hashes(folder.path()).is_empty().then_some(())
    })
    .await;
    assert_eq!(service.get(&format!("/i/{hash}")).await.status(), 404);
}

/// A file that was removed from a folder may reappear after a power cut until
/// the folder is synced. Syncing requires reading it, which this folder
/// forbids: so the removal stays pending.
#[tokio::test]
async fn a_removal_is_not_done_before_its_folder_is_synced() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut service = TestService::builder()
        .wrapped_in(&bound_by_modes())
        .data_dir(folder.path())
        .start()
        .await;
    let hash = service.stored(pictures::photo()).await;
    let waiting = || {
        let database = Connection::open(folder.path().join("porchlight.db"));
        let count =
            database
                .expect("the database")
                .query_row("SELECT count(*) FROM removal", [], |row| {
                    row.get::<_, i64>(0)
                });
        count.expect("a count")
    };
    let prefix_folder = folder.path().join("images").join(&hash[..2]);
    fs::set_permissions(&prefix_folder, Permissions::from_mode(0o300)).expect("our own folder");
    assert_eq!(service.delete(&hash).await.status(), 200);
    service.restart().await;
    eventually("a start has tried again", async || {
        service.stderr().contains("still there").then_some(())
    })
    .await;
    let (left, to_remove) = (
        prefix_folder.join(format!("{hash}.webp")).exists(),
        waiting(),
    );
    fs::set_permissions(&prefix_folder, Permissions::from_mode(0o755)).expect("our own folder");
    assert_eq!((left, to_remove), (false, 1));

    service.restart().await;
    eventually("the removal is done", async || {
        (waiting() == 0).then_some(())
    })
    .await;
}

#[tokio::test]
async fn in_a_read_only_data_folder_the_service_does_not_start_and_reports_why() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let start = || {
        TestService::builder()
            .wrapped_in(&bound_by_modes())
            .data_dir(folder.path())
    };
    let hash = {
        let mut service = start().start().await;
        let hash = service.stored(pictures::photo()).await;
        service.stop().await;
        hash
    };
    let before = files::precious(folder.path());
    set_folder_modes(folder.path(), 0o555);
    let files: Vec<PathBuf> = files::below(folder.path());
    for file in &files {
        fs::set_permissions(file, Permissions::from_mode(0o444)).expect("our own file");
    }
    let ended = start().refused().await;
    set_folder_modes(folder.path(), 0o755);
    assert!(!ended.status.success(), "{ended:?}");
    assert!(!ended.stderr.contains("panicked"), "{}", ended.stderr);
    let name = folder.path().to_str().expect("a UTF-8 path");
    assert!(ended.stderr.contains(name), "not named: {}", ended.stderr);
    assert!(
        before == files::precious(folder.path()),
        "bytes were changed"
    );

    for file in &files {
        fs::set_permissions(file, Permissions::from_mode(0o600)).expect("our own file");
    }
    let service = start().start().await;
    assert!(pictures::is_webp(&service.webp(&hash).await));
}
