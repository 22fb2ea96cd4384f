//! `porchlight backup` beside a service at work, and `porchlight restore`.

use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::path::Path;

use reqwest::Method;
use reqwest::header::CONTENT_TYPE;
use serde_json::Value;

use crate::harness::form::{file_part, form, text_part};
use crate::harness::process::{RunningProcess, clean_command};
use crate::harness::s3::{ObjectStore, StoreMode};
use crate::harness::{TestService, answer, files, pictures};
use crate::{checked, file_of, kinds, porchlight, wide, with_images};

fn text(path: &Path) -> &str {
    path.to_str().expect("UTF-8")
}

/// What a tar file holds.
fn entries(file: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut archive = tar::Archive::new(fs::File::open(file).expect("a file"));
    let mut found = BTreeMap::new();
    for entry in archive.entries().expect("entries") {
        let mut entry = entry.expect("an entry");
        let path = text(&entry.path().expect("a path")).to_owned();
        let mut bytes = Vec::new();
        std::io::Read::read_to_end(&mut entry, &mut bytes).expect("bytes");
        assert_eq!(found.insert(path, bytes), None);
    }
    found
}

fn hashes_of(list: &Value) -> HashSet<String> {
    let images = list["images"].as_array().expect("a list");
    let hash = |image: &Value| image["hash"].as_str().expect("a hash").to_owned();
    images.iter().map(hash).collect()
}

#[tokio::test]
async fn devices_and_what_their_owner_decided_come_back() {
    let service = TestService::start(&[]).await;
    let report = async |service: &TestService, token: &str| {
        let body = serde_json::json!({ "application": "Maps", "applicationOnline": true });
        service.heartbeat_by(token, &body).await.status().as_u16()
    };
    let mut tokens = Vec::new();
    for device in ["phone", "waiting"] {
        tokens.push(service.device(&[device]).await);
    }
    for token in &tokens {
        assert_eq!(report(&service, token).await, 200);
    }
    for words in [["allow", "phone"], ["rename", "phone"]] {
        let name = (words[0] == "rename").then_some("The phone");
        let words = ["device"].into_iter().chain(words).chain(name);
        let ended = service.run(&words.collect::<Vec<_>>()).await;
        assert!(ended.status.success(), "{ended:?}");
    }
    let listed = async |folder: &Path| {
        let ended = porchlight(folder, &["device", "list", "--json"]).await;
        let mut devices: Value = serde_json::from_str(&ended.stdout).expect("JSON");
        for device in devices.as_array_mut().expect("a list") {
            device["last_report"] = Value::Null;
        }
        devices
    };
    let devices = listed(service.data_dir()).await;
    assert_eq!(devices[0]["name"], "The phone");
    let place = tempfile::tempdir().expect("a folder");
    let (file, back) = (place.path().join("backup.tar"), place.path().join("back"));
    let ended = porchlight(service.data_dir(), &["backup", text(&file)]).await;
    assert!(ended.status.success(), "{ended:?}");
    let ended = porchlight(&back, &["restore", "--all", text(&file)]).await;
    assert!(ended.status.success(), "{ended:?}");
    assert_eq!(listed(&back).await, devices);

    let restored = TestService::builder().data_dir(&back).start().await;
    // The owner said that the backup is their own: its tokens are valid.
    for token in &tokens {
        assert_eq!(report(&restored, token).await, 200);
    }
}

#[tokio::test]
async fn albums_come_back() {
    let service = TestService::start(&[]).await;
    let mut cats = HashSet::new();
    for album in ["cats", "cats", "dogs", ""] {
        let photo = pictures::photo();
        let (kind, body) = form(&[
            text_part("album", album.as_bytes()),
            file_part("image", "a.jpg", "image/jpeg", &photo),
        ]);
        let request = service.request(Method::POST, "/images/add").body(body);
        let request = request.header(CONTENT_TYPE, kind);
        let request = request.bearer_auth(&service.admin_token);
        let (status, body) = answer(request.send().await.expect("an answer")).await;
        assert_eq!(status, 201, "{body}");
        if album == "cats" {
            cats.insert(body["hash"].as_str().expect("a hash").to_owned());
        }
    }
    let place = tempfile::tempdir().expect("a folder");
    let (file, back) = (place.path().join("backup.tar"), place.path().join("back"));
    let ended = porchlight(service.data_dir(), &["backup", text(&file)]).await;
    assert!(ended.status.success(), "{ended:?}");
    let ended = porchlight(&back, &["restore", text(&file)]).await;
    assert!(ended.status.success(), "{ended:?}");

    let restored = TestService::builder().data_dir(&back).start().await;
    for (album, images) in [("cats", 2), ("dogs", 1), ("birds", 0)] {
        let path = format!("/images/list?album={album}");
        let list = restored.json(&path).await;
        assert_eq!(list, service.json(&path).await);
        assert_eq!(list["pagination"]["total"], images, "{album}");
    }
    let list = restored.json("/images/list?album=cats").await;
    assert_eq!(hashes_of(&list), cats);
    let path = "/random_image?form=json&album=cats";
    for seed in 0..20 {
        let path = format!("{path}&seed={seed}");
        let drawn = restored.json(&path).await;
        let hash = drawn["hash"].as_str().expect("a hash");
        assert!(cats.contains(hash), "{drawn}");
        assert_eq!(service.json(&path).await["hash"], hash);
    }
    let none = restored.get("/random_image?album=birds").await;
    assert_eq!(none.status(), 404);
}

#[tokio::test]
async fn the_upload_queue_is_in_no_backup() {
    let (service, _) = with_images(1).await;
    let name = b"/home/me/a file that waits.png";
    let add = "INSERT INTO upload (file, folder, bytes, changed, state, turn)
               VALUES (CAST(?1 AS BLOB), x'2f', 1, 1, 2, 1)";
    let database = crate::database(service.data_dir());
    assert_eq!(database.execute(add, [name]).expect("a row"), 1);
    drop(database);
    let place = tempfile::tempdir().expect("a folder");
    let file = place.path().join("backup.tar");
    let ended = porchlight(service.data_dir(), &["backup", text(&file)]).await;
    assert!(ended.status.success(), "{ended:?}");
    for (path, bytes) in entries(&file) {
        let is_in = bytes.windows(name.len()).any(|part| part == name);
        assert!(!is_in, "{path} names a file of this computer");
    }
}

#[tokio::test]
async fn the_trash_is_in_no_backup() {
    let (mut service, hashes) = with_images(2).await;
    assert_eq!(service.delete(&hashes[0]).await.status(), 200);
    let in_trash = |folder: &Path| {
        let database = crate::database(folder);
        let count = database.query_row("SELECT count(*) FROM trash", [], |row| row.get(0));
        let count: i64 = count.expect("a number");
        (count, files::below(&folder.join("trash")).len())
    };
    let name = b"a name that nobody may read";
    let named = "UPDATE trash SET name = CAST(?1 AS TEXT)";
    let database = crate::database(service.data_dir());
    assert_eq!(database.execute(named, [name]).expect("a name"), 1);
    drop(database);
    let place = tempfile::tempdir().expect("a folder");
    let (file, back) = (place.path().join("backup.tar"), place.path().join("back"));
    let ended = porchlight(service.data_dir(), &["backup", text(&file)]).await;
    assert!(ended.status.success(), "{ended:?}");
    service.stop().await;
    assert_eq!(in_trash(service.data_dir()), (1, 1));
    for (path, bytes) in entries(&file) {
        assert!(!path.contains(&hashes[0]), "{path}");
        let is_in = bytes.windows(name.len()).any(|part| part == name);
        assert!(!is_in, "{path} names a deleted picture");
    }
    let ended = porchlight(&back, &["restore", text(&file)]).await;
    assert!(ended.status.success(), "{ended:?}");
    assert_eq!(in_trash(&back), (0, 0));
    let (code, report) = checked(&back, &[]).await;
    assert_eq!((code, report["images"].as_u64()), (0, Some(1)), "{report}");
}

#[tokio::test]
async fn a_backup_of_a_service_at_rest_comes_back_with_every_byte() {
    let (service, hashes) = with_images(8).await;
    let list = service.json("/images/list").await;
    let place = tempfile::tempdir().expect("a folder");
    let file = place.path().join("backup.tar");
    let ended = porchlight(service.data_dir(), &["backup", text(&file)]).await;
    assert!(ended.status.success(), "{ended:?}");
    assert!(ended.stdout.contains("8 images"), "{ended:?}");
    files::assert_mode(&file, 0o600);
    assert!(
        files::below(place.path()).iter().eq([&file]),
        "nothing beside it"
    );

    let again = porchlight(service.data_dir(), &["backup", text(&file)]).await;
    assert_eq!(again.status.code(), Some(1), "{again:?}");
    assert!(again.stderr.contains("--force"), "{again:?}");
    let forced = porchlight(service.data_dir(), &["backup", "--force", text(&file)]).await;
    assert!(forced.status.success(), "{forced:?}");

    let back = place.path().join("back/data");
    let ended = porchlight(&back, &["restore", text(&file)]).await;
    assert!(ended.status.success(), "{ended:?}");
    let (code, report) = checked(&back, &[]).await;
    assert_eq!(code, 0, "{report}");
    for hash in &hashes {
        let bytes = fs::read(file_of(service.data_dir(), hash)).expect("an image");
        assert_eq!(fs::read(file_of(&back, hash)).expect("an image"), bytes);
    }
    assert_eq!(files::stored_hashes(&back).len(), 8);
    let restored = TestService::builder().data_dir(&back).start().await;
    assert_eq!(restored.json("/images/list").await, list);
    for hash in &hashes {
        assert_eq!(restored.webp(hash).await, service.webp(hash).await);
    }

    let refused = porchlight(service.data_dir(), &["restore", text(&file)]).await;
    assert_eq!(refused.status.code(), Some(1), "{refused:?}");
    assert!(
        refused
            .stderr
            .contains(&format!("(process {})", service.pid()))
    );
    let full = tempfile::tempdir().expect("a folder");
    fs::write(full.path().join("porchlight.db"), b"mine").expect("to write");
    let refused = porchlight(full.path(), &["restore", text(&file)]).await;
    assert_eq!(refused.status.code(), Some(1), "{refused:?}");
    assert!(refused.stderr.contains("not empty"), "{refused:?}");
    let kept = fs::read(full.path().join("porchlight.db")).expect("still there");
    assert_eq!(kept, b"mine");
}

#[tokio::test]
async fn a_backup_during_uploads_and_deletes_is_consistent() {
    let (service, first) = with_images(12).await;
    let place = tempfile::tempdir().expect("a folder");
    let (to_stay, to_go) = first.split_at(6);
    let work = async {
        let mut to_go = to_go.iter();
        loop {
            service.stored(pictures::photo()).await;
            if let Some(hash) = to_go.next() {
                assert_eq!(service.delete(hash).await.status(), 200);
            }
            let hash = service.stored(wide()).await;
            service.delete(&hash).await;
        }
    };
    let backups = async {
        for number in 0..3 {
            let file = place.path().join(format!("{number}.tar"));
            let ended = porchlight(service.data_dir(), &["backup", text(&file)]).await;
            assert!(ended.status.success(), "{ended:?}");
        }
    };
    tokio::select! {
        () = work => {}
        () = backups => {}
    }
    for number in 0..3 {
        let file = place.path().join(format!("{number}.tar"));
        let back = place.path().join(format!("back-{number}"));
        let ended = porchlight(&back, &["restore", text(&file)]).await;
        assert!(ended.status.success(), "{ended:?}");
        let (code, report) = checked(&back, &[]).await;
        assert_eq!(code, 0, "{report}");
        assert_eq!(report["waiting"], 0);
        for hash in to_stay {
            let bytes = fs::read(file_of(service.data_dir(), hash)).expect("an image");
            assert_eq!(fs::read(file_of(&back, hash)).expect("an image"), bytes);
        }
        let restored = TestService::builder().data_dir(&back).start().await;
        let list = restored.json("/images/list?limit=100").await;
        let files: HashSet<String> = files::stored_hashes(&back).into_iter().collect();
        assert_eq!(hashes_of(&list), files);
    }
}

#[tokio::test]
async fn a_backup_does_not_help_to_find_out_who_has_read_the_blog() {
    let mut service = TestService::start(&["server.client_ip=x-forwarded-for"]).await;
    let request = service.request(reqwest::Method::GET, "/check");
    let answer = request.header("X-Forwarded-For", "203.0.113.7").send();
    assert_eq!(answer.await.expect("an answer").status(), 200);
    assert!(service.stop().await.success());
    let digests = fs::read(service.data_dir().join("readers.json")).expect("digests of today");
    let digests: serde_json::Value = serde_json::from_slice(&digests).expect("JSON");
    let key = digests["key"].to_string();
    assert!(key.len() > 32, "{key}");

    let place = tempfile::tempdir().expect("a folder");
    let file = place.path().join("backup.tar");
    let ended = porchlight(service.data_dir(), &["backup", text(&file)]).await;
    assert!(ended.status.success(), "{ended:?}");
    let bytes = fs::read(&file).expect("the backup");
    assert!(!bytes.windows(key.len()).any(|part| part == key.as_bytes()));
    let back = place.path().join("back");
    let ended = porchlight(&back, &["restore", text(&file)]).await;
    assert!(ended.status.success(), "{ended:?}");
    assert!(!back.join("readers.json").exists());
    let database = rusqlite::Connection::open(back.join("porchlight.db")).expect("a database");
    let count = database.query_row("SELECT n FROM count WHERE what = 'readers'", [], |row| {
        row.get(0)
    });
    assert_eq!(count, Ok(1));
}

#[tokio::test]
async fn a_missing_or_wrong_image_is_named_and_the_rest_is_backed_up() {
    let (mut service, hashes) = with_images(4).await;
    service.stop().await;
    fs::remove_file(file_of(service.data_dir(), &hashes[0])).expect("to remove");
    fs::write(file_of(service.data_dir(), &hashes[1]), b"wrong").expect("to write");
    let place = tempfile::tempdir().expect("a folder");
    let file = place.path().join("backup.tar");
    let words = ["backup", "--json", text(&file)];
    let ended = porchlight(service.data_dir(), &words).await;
    assert_eq!(ended.status.code(), Some(1), "{ended:?}");
    let report: Value = serde_json::from_str(&ended.stdout).expect("JSON");
    assert_eq!(kinds(&report), ["missing", "wrong"]);
    assert_eq!(report["images"], 2);

    let back = place.path().join("back");
    let ended = porchlight(&back, &["restore", text(&file)]).await;
    assert!(ended.status.success(), "{ended:?}");
    let (code, report) = checked(&back, &[]).await;
    assert_eq!((code, report["images"].as_u64()), (0, Some(2)), "{report}");
}

#[tokio::test]
async fn secrets_are_included_on_request_and_listed() {
    let service = TestService::builder().without_tokens().start().await;
    let folder = service.data_dir();
    fs::write(folder.join("settings.toml"), "[images]\nquality = 77\n").expect("to write");
    let own = fs::read(folder.join("own-tokens.json")).expect("the app's own tokens");
    let place = tempfile::tempdir().expect("a folder");
    let (without, with) = (place.path().join("a.tar"), place.path().join("b.tar"));
    let ended = porchlight(folder, &["backup", text(&without)]).await;
    assert!(
        ended
            .stdout
            .contains("left out, as they hold secrets: settings.toml, own-tokens.json"),
        "{ended:?}"
    );
    let names: Vec<String> = entries(&without).into_keys().collect();
    assert_eq!(
        names,
        [
            "end-of-backup.json",
            "porchlight-backup.json",
            "porchlight.db"
        ]
    );
    let ended = porchlight(folder, &["backup", "--with-secrets", text(&with)]).await;
    assert!(
        ended
            .stdout
            .contains("with secrets: settings.toml, own-tokens.json"),
        "{ended:?}"
    );

    let back = place.path().join("back");
    let ended = porchlight(&back, &["restore", "--all", text(&with)]).await;
    assert!(ended.status.success(), "{ended:?}");
    assert_eq!(fs::read(back.join("own-tokens.json")).expect("a file"), own);
    let settings = fs::read_to_string(back.join("settings.toml")).expect("a file");
    assert_eq!(settings, "[images]\nquality = 77\n");
    for file in ["own-tokens.json", "settings.toml"] {
        files::assert_mode(&back.join(file), 0o600);
    }
}

#[tokio::test]
async fn a_backup_that_is_interrupted_leaves_no_file_behind() {
    let store = ObjectStore::start().await;
    let settings = store.settings();
    let service = TestService::builder().sets(&settings).start().await;
    service.stored(wide()).await;
    let place = tempfile::tempdir().expect("a folder");
    // What is read of the image is never sent.
    store.is(StoreMode::Waits);
    let read = store.count(&Method::GET);
    let mut command = clean_command(env!("CARGO_BIN_EXE_porchlight"), place.path());
    let sets = settings.iter().flat_map(|set| ["--set", set]);
    let folder = place.path().join("backups");
    fs::create_dir(&folder).expect("a folder");
    command
        .args(["backup", text(&folder.join("backup.tar"))])
        .args(sets)
        .arg("--data-dir")
        .arg(service.data_dir());
    let running = RunningProcess::spawn(command);
    store.called(&Method::GET, read).await;
    assert!(fs::read_dir(&folder).expect("a folder").count() > 0);
    running.interrupt();
    let ended = running.ended().await;
    assert_eq!(ended.status.code(), Some(1), "{ended:?}");
    assert!(ended.stderr.contains("cancelled"), "{ended:?}");
    let left: Vec<_> = fs::read_dir(&folder).expect("a folder").collect();
    assert!(left.is_empty(), "{left:?}");
    store.is(StoreMode::Well);
}
