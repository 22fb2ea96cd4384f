//! `porchlight storage move`: from the disk to a real object store and back.

use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex};

use serde_json::Value;

use crate::garage::Garage;
use crate::harness::process::{Ended, RunningProcess, clean_command};
use crate::harness::s3::ObjectStore;
use crate::harness::{TestService, answer, eventually, files, pictures};
use crate::{checked, database, file_of, kinds, porchlight, wide, with_images};

/// Writes a settings file that describes the store, with this kind.
fn describe(folder: &Path, garage: &Garage, kind: &str) {
    describe_store(folder, &garage.settings(), kind);
}

fn describe_store(folder: &Path, settings: &[String], kind: &str) {
    let mut text = "# mine\n[storage]\n".to_owned();
    for setting in settings {
        let (key, value) = setting.split_once('=').expect("a setting");
        let name = key.strip_prefix("storage.").expect("of storage");
        let value = if name == "kind" { kind } else { value };
        text += &format!("{name} = \"{value}\"\n");
    }
    fs::write(folder.join("settings.toml"), text).expect("to write");
}

async fn move_to(folder: &Path, to: &str) -> Ended {
    porchlight(folder, &["storage", "move", "--to", to]).await
}

/// What each image is.
async fn contents(service: &TestService, hashes: &[String]) -> Vec<Vec<u8>> {
    let mut all = Vec::new();
    for hash in hashes {
        all.push(service.webp(hash).await);
    }
    all
}

fn kind_of(folder: &Path) -> String {
    let text = fs::read_to_string(folder.join("settings.toml")).expect("settings");
    assert!(text.starts_with("# mine\n"), "{text}");
    let line = text.lines().find(|line| line.starts_with("kind"));
    line.expect("a kind")
        .replace("kind = ", "")
        .replace('"', "")
}

#[tokio::test]
async fn images_go_to_the_store_and_come_back_with_every_byte() {
    let garage = Garage::start().await;
    let (mut service, hashes) = with_images(6).await;
    let images = contents(&service, &hashes).await;
    service.get(&format!("/i/{}?w=320", hashes[0])).await;
    let list = service.json("/images/list").await;
    let folder = service.data_dir().to_owned();

    // Not to a store that is not configured.
    service.stop().await;
    let refused = move_to(&folder, "s3").await;
    assert_eq!(refused.status.code(), Some(2), "{refused:?}");
    assert!(refused.stderr.contains("storage.endpoint"), "{refused:?}");

    describe(&folder, &garage, "disk");
    let ended = move_to(&folder, "s3").await;
    assert_eq!(ended.status.code(), Some(0), "{ended:?}");
    assert!(ended.stdout.contains("6 images moved to s3"), "{ended:?}");
    assert_eq!(kind_of(&folder), "s3");
    assert_eq!(garage.objects().await, 6);
    assert!(files::below(&folder.join("images")).is_empty());
    assert!(files::below(&folder.join("renditions")).is_empty());
    let (code, report) = checked(&folder, &[]).await;
    assert_eq!((code, report["images"].as_u64()), (0, Some(6)), "{report}");
    service.restart_with(&["behaviour=B"]).await;
    for hash in &hashes {
        assert_eq!(service.get(&format!("/i/{hash}")).await.status(), 302);
    }
    service.stop().await;

    // Redirects would lead nowhere afterwards: nothing is moved.
    let refused = porchlight(
        &folder,
        &["storage", "move", "--to", "disk", "--set", "behaviour=B"],
    )
    .await;
    assert_eq!(refused.status.code(), Some(2), "{refused:?}");
    assert!(refused.stderr.contains("behaviour"), "{refused:?}");
    assert_eq!(garage.objects().await, 6);

    let ended = move_to(&folder, "disk").await;
    assert_eq!(ended.status.code(), Some(0), "{ended:?}");
    assert_eq!(kind_of(&folder), "disk");
    assert_eq!(garage.objects().await, 0);
    let again = porchlight(&folder, &["storage", "move", "--to", "disk", "--json"]).await;
    let report: Value = serde_json::from_str(&again.stdout).expect("JSON");
    assert_eq!(
        (report["moved"].as_u64(), report["there_already"].as_u64()),
        (Some(0), Some(6))
    );
    let (code, report) = checked(&folder, &[]).await;
    assert_eq!(code, 0, "{report}");
    let service = TestService::builder().data_dir(&folder).start().await;
    assert_eq!(service.json("/images/list").await, list);
    assert_eq!(contents(&service, &hashes).await, images);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_killed_move_leaves_a_consistent_folder_and_continues() {
    let garage = Garage::start().await;
    let (mut service, hashes) = with_images(24).await;
    let images = contents(&service, &hashes).await;
    let folder = service.data_dir().to_owned();
    service.stop().await;
    describe(&folder, &garage, "disk");
    let home = tempfile::tempdir().expect("a folder");
    let place = tempfile::tempdir().expect("a folder");
    let mut was_half = false;
    for (kills, objects) in [2, 9, 17].into_iter().enumerate() {
        let mut command = clean_command(env!("CARGO_BIN_EXE_porchlight"), home.path());
        command
            .args(["storage", "move", "--to", "s3", "--data-dir"])
            .arg(&folder);
        let mut moving = RunningProcess::spawn(command);
        // Somewhere after this many, when it has come so far.
        eventually("it has moved some", async || {
            let left = files::below(&folder.join("images")).len();
            (left <= 24 - objects).then_some(())
        })
        .await;
        moving.kill();
        moving.wait().await;
        let left = files::below(&folder.join("images")).len();
        was_half |= left > 0 && left < 24;

        // What was copied and not committed is in both places.
        let (_, report) = checked(&folder, &[]).await;
        assert_eq!(report["images"], 24, "{report}");
        assert!(
            kinds(&report).iter().all(|kind| *kind == "orphan"),
            "{report}"
        );
        // Half here and half there, it is served, added to and deleted from.
        for kind in ["disk", "s3"] {
            let mut service = TestService::builder()
                .data_dir(&folder)
                .sets(&[
                    format!("storage.kind={kind}"),
                    "limits.requests_per_second=0".to_owned(),
                ])
                .start()
                .await;
            assert_eq!(contents(&service, &hashes).await, images, "after {kills}");
            let narrower = service.get(&format!("/i/{}?w=320", hashes[kills])).await;
            assert_eq!(narrower.status(), 200);
            let new = service.stored(wide()).await;
            assert_eq!(service.delete(&new).await.status(), 200);
            eventually("nothing is left to remove", async || {
                let waiting = "SELECT count(*) FROM removal";
                let waiting = database(&folder).query_row(waiting, [], |row| row.get(0));
                (waiting == Ok(0)).then_some(())
            })
            .await;
            service.stop().await;
        }
        let backup = place.path().join(format!("{kills}.tar"));
        let backup = backup.to_str().expect("UTF-8");
        let ended = porchlight(&folder, &["backup", backup]).await;
        assert!(ended.status.success(), "{ended:?}");
        let back = place.path().join(format!("back-{kills}"));
        let ended = porchlight(&back, &["restore", backup]).await;
        assert!(ended.status.success(), "{ended:?}");
        let (code, report) = checked(&back, &[]).await;
        assert_eq!((code, report["images"].as_u64()), (0, Some(24)), "{report}");
        assert_eq!(files::stored_hashes(&back).len(), 24);
    }
    assert!(was_half, "no move was killed half-way");
    // One that is in both places, as a kill leaves it: its deletion takes both.
    let to_store = || {
        let builder = TestService::builder().data_dir(&folder);
        builder.set("storage.kind=s3").start()
    };
    let objects = garage.objects().await;
    let mut service = to_store().await;
    let twice = service.stored(wide()).await;
    let bytes = service.webp(&twice).await;
    service.stop().await;
    assert_eq!(garage.objects().await, objects + 1);
    let file = file_of(&folder, &twice);
    fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
    fs::write(&file, bytes).expect("a copy");
    let on_disk = "UPDATE image SET place = 0 WHERE hash = ?1";
    let raw = hex::decode(&twice).expect("digits");
    let changed = database(&folder).execute(on_disk, [raw]);
    assert_eq!(changed.expect("an update"), 1);
    let mut service = to_store().await;
    assert_eq!(service.delete(&twice).await.status(), 200);
    eventually("both are gone", async || {
        (garage.objects().await == objects && !file.exists()).then_some(())
    })
    .await;
    service.stop().await;
    let ended = move_to(&folder, "s3").await;
    assert_eq!(ended.status.code(), Some(0), "{ended:?}");
    // The images, and the requested renditions of those that were there
    // already.
    let objects = garage.objects().await;
    assert!((24..=24 + 3).contains(&objects), "{objects} objects");
    let (code, report) = checked(&folder, &["--repair"]).await;
    assert_eq!(
        (code, report["problems"].as_array().map(Vec::len)),
        (0, Some(0)),
        "{report}"
    );
    let service = TestService::builder().data_dir(&folder).start().await;
    assert_eq!(contents(&service, &hashes).await, images);
}

#[tokio::test]
async fn wrong_or_missing_objects_are_named_and_stay() {
    let garage = Garage::start().await;
    let (mut service, hashes) = with_images(4).await;
    let folder = service.data_dir().to_owned();
    service.stop().await;
    describe(&folder, &garage, "disk");
    fs::remove_file(file_of(&folder, &hashes[0])).expect("to remove");
    fs::write(file_of(&folder, &hashes[1]), b"wrong").expect("to write");
    let ended = porchlight(&folder, &["storage", "move", "--to", "s3", "--json"]).await;
    assert_eq!(ended.status.code(), Some(1), "{ended:?}");
    let report: Value = serde_json::from_str(&ended.stdout).expect("JSON");
    assert_eq!(kinds(&report), ["missing", "wrong"]);
    assert_eq!(report["moved"], 2);
    assert_eq!(garage.objects().await, 2);
    assert_eq!(
        fs::read(file_of(&folder, &hashes[1])).expect("still there"),
        b"wrong"
    );
    let (code, report) = checked(&folder, &["--repair"]).await;
    assert_eq!(code, 0, "{report}");
    let (code, report) = checked(&folder, &[]).await;
    assert_eq!((code, report["images"].as_u64()), (0, Some(2)), "{report}");
}

#[tokio::test]
async fn a_store_that_is_down_stops_the_move_and_nothing_is_lost() {
    let mut garage = Garage::start().await;
    let (mut service, hashes) = with_images(3).await;
    let images = contents(&service, &hashes).await;
    let folder = service.data_dir().to_owned();
    service.stop().await;
    describe(&folder, &garage, "disk");
    garage.kill().await;
    let ended = move_to(&folder, "s3").await;
    assert_eq!(ended.status.code(), Some(1), "{ended:?}");
    assert!(ended.stderr.contains("run it again"), "{ended:?}");
    assert_eq!(kind_of(&folder), "disk");
    assert_eq!(files::stored_hashes(&folder).len(), 3);
    service.restart().await;
    assert_eq!(contents(&service, &hashes).await, images);
    service.stop().await;
    garage.restart().await;
    let ended = move_to(&folder, "s3").await;
    assert_eq!(ended.status.code(), Some(0), "{ended:?}");
    // Garage counts a moment later.
    eventually("three objects", async || {
        (garage.objects().await == 3).then_some(())
    })
    .await;
}

#[tokio::test]
async fn a_start_without_the_store_of_its_images_is_refused() {
    let garage = Garage::start().await;
    let (mut service, hashes) = with_images(2).await;
    let images = contents(&service, &hashes).await;
    let folder = service.data_dir().to_owned();
    service.stop().await;
    describe(&folder, &garage, "disk");
    assert!(move_to(&folder, "s3").await.status.success());

    // New ones to the disk, and what is in the store is still served.
    describe(&folder, &garage, "disk");
    service.restart().await;
    assert_eq!(contents(&service, &hashes).await, images);
    let (status, stored) = answer(service.upload(pictures::photo()).await).await;
    assert_eq!(status, 201, "{stored}");
    assert_eq!(files::stored_hashes(&folder).len(), 1);
    service.stop().await;

    fs::write(folder.join("settings.toml"), "").expect("to write");
    let refused = TestService::builder().data_dir(&folder).refused().await;
    assert_eq!(refused.status.code(), Some(2), "{refused:?}");
    assert!(
        refused
            .stderr
            .contains("2 of the images are in an object store"),
        "{refused:?}"
    );
    assert!(refused.stderr.contains("storage.endpoint"), "{refused:?}");
    for words in [
        &["check"][..],
        &["check", "--repair"],
        &["backup", "/dev/null/x"],
    ] {
        let refused = porchlight(&folder, words).await;
        assert_eq!(refused.status.code(), Some(2), "{refused:?}");
        assert!(refused.stderr.contains("object store"), "{refused:?}");
    }
}

/// An object store that returns other bytes than it was given.
async fn lying_store() -> (String, tokio::task::JoinHandle<()>) {
    use axum::http::{Method, StatusCode, header};
    use axum::response::IntoResponse as _;

    let kept: Arc<Mutex<HashMap<String, Vec<u8>>>> = Arc::default();
    let answer = move |request: axum::extract::Request| {
        let kept = Arc::clone(&kept);
        async move {
            let (parts, body) = request.into_parts();
            let path = parts.uri.path().to_owned();
            let body = axum::body::to_bytes(body, usize::MAX)
                .await
                .expect("a body");
            let mut kept = kept.lock().expect("no panic");
            let headers = [
                (header::ETAG, "\"tag\""),
                (header::LAST_MODIFIED, "Sat, 31 Jan 2026 08:15:00 GMT"),
            ];
            match parts.method {
                Method::PUT => {
                    let mut bytes = body.to_vec();
                    bytes[20] ^= 1;
                    kept.insert(path, bytes);
                    (headers, "").into_response()
                }
                Method::DELETE => {
                    kept.remove(&path);
                    StatusCode::NO_CONTENT.into_response()
                }
                _ => match kept.get(&path) {
                    Some(bytes) => (headers, bytes.clone()).into_response(),
                    None => StatusCode::NOT_FOUND.into_response(),
                },
            }
        }
    };
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await;
    let listener = listener.expect("a free port");
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    let router = axum::Router::new().fallback(answer);
    let serving = tokio::spawn(async move {
        axum::serve(listener, router).await.expect("to serve");
    });
    (url, serving)
}

#[tokio::test]
async fn an_image_that_reads_back_changed_is_not_moved() {
    let (mut service, hashes) = with_images(3).await;
    let images = contents(&service, &hashes).await;
    let folder = service.data_dir().to_owned();
    service.stop().await;
    let (url, serving) = lying_store().await;
    let text = format!(
        "# mine\n[storage]\nkind = \"disk\"\nendpoint = \"{url}\"\nbucket = \"pictures\"\n\
         access_key = \"key\"\nsecret_key = \"secret\"\n"
    );
    fs::write(folder.join("settings.toml"), text).expect("to write");
    let ended = move_to(&folder, "s3").await;
    assert_eq!(ended.status.code(), Some(1), "{ended:?}");
    assert!(
        ended.stderr.contains("came back as something else"),
        "{ended:?}"
    );
    assert_eq!(kind_of(&folder), "disk");
    service.restart().await;
    assert_eq!(contents(&service, &hashes).await, images);
    assert_eq!(files::stored_hashes(&folder).len(), 3);
    serving.abort();
}

#[cfg(unix)]
#[tokio::test]
async fn as_root_files_moved_from_the_store_belong_to_the_owner_of_the_data_folder() {
    use std::os::unix::fs::{MetadataExt as _, chown};

    const OWNER: u32 = 4321;
    if !rustix::process::geteuid().is_root() {
        return;
    }
    let store = ObjectStore::start().await;
    let service = TestService::builder().sets(&store.settings()).start();
    let mut service = service.await;
    let hashes = [service.stored(wide()).await, service.stored(wide()).await];
    service.stop().await;
    let folder = service.data_dir();
    describe_store(folder, &store.settings(), "s3");
    chown(folder, Some(OWNER), Some(OWNER)).expect("to chown");
    let ended = move_to(folder, "disk").await;
    assert!(ended.status.success(), "{ended:?}");
    for hash in &hashes {
        assert!(file_of(folder, hash).is_file());
    }
    let foreign = |path: &std::path::PathBuf| path.metadata().expect("a file").uid() != OWNER;
    let mut all = files::below(folder);
    all.extend([
        folder.join("images"),
        folder.join("images").join(&hashes[0][..2]),
    ]);
    all.retain(foreign);
    assert_eq!(all, [""; 0].map(std::path::PathBuf::from));
}
