//! The Worker as a place of images, beside the disk and an object store: narrower copies, second
//! names, what an upload announced, checks, repairs, backups, and moves back.

use std::time::Duration;

use axum::body::{Body, to_bytes};
use axum::extract::Request;
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use reqwest::Method;
use serde_json::{Value, json};

use super::at_the_worker::{at, keys};
use crate::harness::process::{RunningProcess, clean_command};
use crate::harness::workerd::{SECRET, Worker};
use crate::harness::{TestService, eventually, pictures, program};
use crate::s3::ObjectStore;

/// An image that is wide enough for a narrower copy.
fn wide() -> Vec<u8> {
    pictures::jpeg(&pictures::scene(pictures::next_seed(), 400, 300))
}

/// So many images with their bytes.
async fn stored(service: &TestService, count: usize) -> Vec<(String, Vec<u8>)> {
    let mut images = Vec::new();
    for _ in 0..count {
        let hash = service.stored(wide()).await;
        let bytes = service.webp(&hash).await;
        images.push((hash, bytes));
    }
    images
}

/// Runs a command on the data folder, with these settings; what it printed as JSON, and its exit code.
async fn run(service: &TestService, words: &[&str], settings: &[String]) -> (i32, Value) {
    let sets = settings.iter().flat_map(|set| ["--set", set]);
    let words: Vec<&str> = words.iter().copied().chain(sets).collect();
    let ended = service.run(&words).await;
    let code = ended.status.code().expect("an exit");
    let printed = serde_json::from_str(&ended.stdout);
    (
        code,
        printed.unwrap_or_else(|error| panic!("{error}: {ended:?}")),
    )
}

fn database(service: &TestService) -> rusqlite::Connection {
    let file = service.data_dir().join("porchlight.db");
    rusqlite::Connection::open(file).expect("a database")
}

fn raw(hash: &str) -> Vec<u8> {
    hex::decode(hash).expect("digits")
}

/// Waits until no object is to be removed.
async fn settled(service: &TestService) {
    eventually("nothing is left to remove", async || {
        let waiting = "SELECT count(*) FROM removal";
        let waiting = database(service).query_row(waiting, [], |row| row.get(0));
        (waiting == Ok(0)).then_some(())
    })
    .await;
}

#[tokio::test]
async fn images_at_the_worker_are_checked_repaired_backed_up_and_restored() {
    let worker = Worker::with_store().await;
    let mut service = at(&worker).await;
    let mut settings = worker.settings().to_vec();
    settings.push("storage.kind=edge".to_owned());
    let images = stored(&service, 4).await;
    service.get(&format!("/i/{}?w=320", images[0].0)).await;
    let check = ["check", "--json"];
    let (code, report) = run(&service, &check, &settings).await;
    assert_eq!((code, report["images"].as_u64()), (0, Some(4)), "{report}");
    let place = tempfile::tempdir().expect("a folder");
    let file = place.path().join("backup.tar");
    let file = file.to_str().expect("UTF-8");
    let sets = settings.iter().flat_map(|set| ["--set", set]);
    let words: Vec<&str> = ["backup", file].into_iter().chain(sets).collect();
    let ended = service.run(&words).await;
    assert!(ended.status.success(), "{ended:?}");

    service.stop().await;
    for (change, number) in [
        // Its object has no row then, and proves itself.
        ("DELETE FROM image WHERE hash = ?1", 0),
        // Its object does not match the row then.
        ("UPDATE image SET sha256 = zeroblob(32) WHERE hash = ?1", 1),
    ] {
        let changed = database(&service).execute(change, [raw(&images[number].0)]);
        assert_eq!(changed.expect(change), 1);
    }
    // And one has no object.
    let path = format!("/-/store/randomimg/{}.webp", images[2].0);
    let lost = worker
        .signed(Method::DELETE, &path, "", Duration::ZERO)
        .await;
    assert_eq!(lost.status(), 200);
    let (code, report) = run(&service, &check, &settings).await;
    assert_eq!(code, 1, "{report}");
    let problems = report["problems"].as_array().expect("a list");
    for kind in ["orphan", "wrong", "missing"] {
        assert!(problems.iter().any(|one| one["kind"] == kind), "{report}");
    }
    let (code, report) = run(&service, &["check", "--json", "--repair"], &settings).await;
    assert_eq!(code, 0, "{report}");
    let (code, report) = run(&service, &check, &settings).await;
    assert_eq!((code, report["images"].as_u64()), (0, Some(2)), "{report}");
    let aside = format!("set-aside/{}.webp", images[1].0);
    let aside = std::fs::read(service.data_dir().join(aside)).expect("kept");
    assert_eq!(aside, images[1].1);

    // On the disk, and at another Worker.
    let other = Worker::with_store().await;
    let mut elsewhere = other.settings().to_vec();
    elsewhere.push("storage.kind=edge".to_owned());
    for settings in [Vec::new(), elsewhere] {
        let back = place.path().join(settings.len().to_string());
        let mut command = clean_command(&program(), place.path());
        command.args(["restore", file]).arg("--data-dir").arg(&back);
        command.args(settings.iter().flat_map(|set| ["--set", set]));
        let ended = RunningProcess::spawn(command).ended().await;
        assert!(ended.status.success(), "{ended:?}");
        let restored = TestService::builder().data_dir(&back).sets(&settings);
        let restored = restored.start().await;
        for (hash, bytes) in &images {
            assert_eq!(restored.webp(hash).await, *bytes);
        }
    }
    assert_eq!(keys(&other, "randomimg/").await.len(), 4);
}

#[tokio::test]
async fn narrower_copies_and_second_names_are_at_the_worker_and_a_deletion_is_finished() {
    let worker = Worker::with_store().await;
    let mut service = at(&worker).await;
    let images = stored(&service, 2).await;
    let [(named, whole), (deleted, _)] = images.as_slice() else {
        panic!("two images")
    };
    let narrow = service.get(&format!("/i/{named}?w=320")).await;
    let narrow = narrow.bytes().await.expect("a copy");
    assert!(narrow.len() < whole.len());
    service.stop().await;
    let second = "ee".repeat(16);
    let connection = database(&service);
    let row = "INSERT INTO alias SELECT ?1, id FROM image WHERE hash = ?2";
    let row = connection.execute(row, [raw(&second), raw(named)]);
    assert_eq!(row.expect("a second name"), 1);
    // As a crash leaves a delete after its commit.
    let row = "DELETE FROM image WHERE hash = ?1";
    assert_eq!(
        connection.execute(row, [raw(deleted)]).expect("a delete"),
        1
    );
    let row = "INSERT INTO removal (hash, place) VALUES (?1, 2)";
    connection.execute(row, [raw(deleted)]).expect("a row");
    drop(connection);

    service.restart().await;
    settled(&service).await;
    assert_eq!(service.count().await, 1);
    eventually("the deletion", async || {
        let gone = worker.get(&format!("/i/{deleted}")).await;
        (gone.status() == 404).then_some(())
    })
    .await;
    eventually("the second name", async || {
        let named = worker.get(&format!("/i/{second}")).await;
        (named.status() == 200).then_some(())
    })
    .await;
    service.kill().await;
    for (path, bytes) in [
        (format!("/i/{second}"), whole.as_slice()),
        (format!("/i/{named}?w=320"), &narrow),
        (format!("/i/{second}?w=320"), &narrow),
    ] {
        let image = worker.get(&path).await;
        assert_eq!(image.status(), 200, "{path}");
        assert_eq!(image.bytes().await.expect("an image"), bytes, "{path}");
    }
}

#[tokio::test]
async fn images_come_back_from_the_worker() {
    let store = ObjectStore::start().await;
    for to in ["disk", "s3"] {
        let worker = Worker::with_store().await;
        let mut service = TestService::builder()
            .sets(&store.settings())
            .set("storage.kind=edge")
            .sets(&worker.settings())
            .start()
            .await;
        let images = stored(&service, 3).await;
        eventually("the list", async || {
            let count = worker.get("/images/count").await;
            let count: Value = count.json().await.unwrap_or_default();
            (count["count"] == 3).then_some(())
        })
        .await;
        service.stop().await;
        let mut settings = store.settings();
        settings.push("storage.kind=edge".to_owned());
        settings.extend(worker.settings());
        let words = ["storage", "move", "--to", to, "--json"];
        let (_, report) = run(&service, &words, &settings).await;
        let counts = (&report["moved"], &report["problems"]);
        assert_eq!(counts, (&json!(3), &json!([])), "{report}");
        assert!(keys(&worker, "randomimg/").await.is_empty());

        service.restart_with(&[&format!("storage.kind={to}")]).await;
        for (hash, bytes) in &images {
            assert_eq!(service.webp(hash).await, *bytes, "{to}");
        }
        assert!(keys(&worker, "").await.is_empty(), "{to}");
    }
}

/// A Worker that is bound to the bucket of this store. It keeps nothing itself.
async fn bound_to(store: &ObjectStore) -> String {
    let (http, bucket) = (crate::harness::http(), format!("{}/pictures", store.url()));
    let answer = move |request: Request| {
        let (http, bucket) = (http.clone(), bucket.clone());
        async move {
            let (parts, body) = request.into_parts();
            let Some(key) = parts.uri.path().strip_prefix("/-/store/") else {
                return StatusCode::NOT_FOUND.into_response();
            };
            let body = to_bytes(body, usize::MAX).await.expect("a body");
            let sent = http
                .request(parts.method, format!("{bucket}/{key}"))
                .body(body);
            let answer = sent.send().await.expect("an answer");
            let (status, mut headers) = (answer.status(), answer.headers().clone());
            headers.insert("X-Porchlight-Store", "absent".parse().expect("a value"));
            let bytes = answer.bytes().await.expect("a body");
            let mut passed = Response::new(Body::from(bytes));
            (*passed.status_mut(), *passed.headers_mut()) = (status, headers);
            passed
        }
    };
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await;
    let listener = listener.expect("a free port");
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    let router = axum::Router::new().fallback(answer);
    // It ends with the runtime of the test.
    tokio::spawn(async move { axum::serve(listener, router).await.expect("to serve") });
    url
}

#[tokio::test]
async fn a_removal_from_a_bucket_leaves_the_image_that_the_worker_has_there_since() {
    let store = ObjectStore::start().await;
    let mut service = TestService::builder()
        .sets(&store.settings())
        .set("storage.kind=edge")
        .set(format!("edge.url={}", bound_to(&store).await))
        .set(format!("edge.secret={SECRET}"))
        .start()
        .await;
    let images = stored(&service, 2).await;
    let [(again, bytes), (deleted, _)] = images.as_slice() else {
        panic!("two images")
    };
    service.stop().await;
    // Both were deleted while the bucket was out of reach, and one was uploaded again since, by way of
    // the Worker.
    let connection = database(&service);
    let row = "DELETE FROM image WHERE hash = ?1";
    assert_eq!(
        connection.execute(row, [raw(deleted)]).expect("a delete"),
        1
    );
    for hash in [again, deleted] {
        let row = "INSERT INTO removal (hash, place) VALUES (?1, 1)";
        connection.execute(row, [raw(hash)]).expect("a row");
    }
    drop(connection);
    service.restart().await;
    settled(&service).await;
    assert_eq!(store.objects(), [format!("randomimg/{again}.webp")]);
    assert_eq!(service.webp(again).await, *bytes);
}
