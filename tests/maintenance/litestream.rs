//! Litestream copies the database while the service runs; images are in the object store already.
//! When both are gone from one moment to the next, another machine goes on with the copy.
//!
//! Ten uploads here; `cargo xtask verify --only litestream` does a hundred, and what follows from a
//! copy that is behind.

use std::path::Path;

use tempfile::TempDir;
use tokio::task::JoinSet;

use crate::garage::Garage;
use crate::harness::litestream::Litestream;
use crate::harness::{TestService, answer, form, pictures};
use crate::{checked, kinds, porchlight};

const SHORT: usize = 10;
const LONG: usize = 100;
/// Uploads after the copy has ended.
const BEHIND: usize = 7;

struct Fixture {
    garage: Garage,
    service: TestService,
    litestream: Litestream,
    elsewhere: TempDir,
}

impl Fixture {
    async fn new() -> Self {
        let garage = Garage::start().await;
        let service = TestService::builder()
            .sets(&garage.settings())
            .set("limits.requests_per_second=0")
            .start()
            .await;
        let database = service.data_dir().join("porchlight.db");
        Self {
            litestream: Litestream::start(&garage, &database).await,
            garage,
            service,
            elsewhere: tempfile::tempdir().expect("a folder"),
        }
    }

    /// Ends both, and brings the copy to another data folder.
    async fn killed_and_restored(&mut self) {
        self.service.kill().await;
        self.litestream.kill().await;
        let restored = self.elsewhere.path().join("porchlight.db");
        self.litestream.restore(&restored).await;
    }

    /// `check` of the other data folder: its exit code and its report.
    async fn checked(&self, words: &[&str]) -> (i32, serde_json::Value) {
        let settings = self.garage.settings();
        let sets = settings.iter().flat_map(|set| ["--set", set]);
        let words: Vec<&str> = words.iter().copied().chain(sets).collect();
        checked(self.elsewhere.path(), &words).await
    }

    /// The other data folder serves exactly these images.
    async fn serves(&self, hashes: &[String]) {
        let (code, report) = self.checked(&[]).await;
        assert_eq!(code, 0, "{report}");
        assert_eq!(report["images"], hashes.len(), "{report}");
        let restored = TestService::builder()
            .sets(&self.garage.settings())
            .set("limits.requests_per_second=0")
            .data_dir(self.elsewhere.path())
            .start()
            .await;
        assert_eq!(restored.count().await, hashes.len() as u64);
        for hash in hashes {
            assert!(pictures::is_webp(&restored.webp(hash).await));
        }
    }
}

/// Uploads this many, four at a time; their hashes.
async fn uploaded(service: &TestService, count: usize) -> Vec<String> {
    let mut uploads = JoinSet::new();
    let mut hashes = Vec::new();
    for number in 0..count {
        let (content_type, body) = form::file("image", "a.jpg", "image/jpeg", &pictures::photo());
        let request = service
            .request(reqwest::Method::POST, "/images/add")
            .bearer_auth(&service.admin_token)
            .header("content-type", content_type)
            .body(body);
        uploads.spawn(request.send());
        while uploads.len() >= 4 || number + 1 == count && !uploads.is_empty() {
            let sent = uploads.join_next().await.expect("an upload");
            let (status, body) = answer(sent.expect("no panic").expect("an answer")).await;
            assert_eq!(status, 201, "{body}");
            hashes.push(body["hash"].as_str().expect("a hash").to_owned());
        }
    }
    hashes
}

async fn nothing_is_lost(count: usize) {
    let mut fixture = Fixture::new().await;
    let mut hashes = uploaded(&fixture.service, count).await;
    let deleted = hashes.swap_remove(count / 2);
    assert_eq!(fixture.service.delete(&deleted).await.status(), 200);
    fixture.litestream.caught_up().await;
    fixture.killed_and_restored().await;
    fixture.serves(&hashes).await;
}

#[tokio::test]
async fn a_copy_that_has_caught_up_serves_elsewhere() {
    nothing_is_lost(SHORT).await;
}

#[tokio::test]
#[ignore = "takes long: `cargo xtask verify`"]
async fn a_copy_of_a_hundred_uploads_serves_elsewhere() {
    nothing_is_lost(LONG).await;
}

#[tokio::test]
#[ignore = "takes long: `cargo xtask verify`"]
async fn a_copy_that_is_behind_gets_the_last_images_back_by_a_repair() {
    let mut fixture = Fixture::new().await;
    let mut hashes = uploaded(&fixture.service, SHORT).await;
    // Without a first copy there is nothing to restore.
    fixture.litestream.caught_up().await;
    hashes.extend(uploaded(&fixture.service, LONG - SHORT).await);
    // Whatever it has by now, it has not what follows.
    fixture.litestream.kill().await;
    hashes.extend(uploaded(&fixture.service, BEHIND).await);
    fixture.killed_and_restored().await;
    let (code, report) = fixture.checked(&["--repair"]).await;
    assert_eq!(code, 0, "{report}");
    let kinds = kinds(&report);
    assert!(kinds.len() >= BEHIND, "{report}");
    assert!(kinds.iter().all(|kind| *kind == "orphan"), "{report}");
    fixture.serves(&hashes).await;
}

#[tokio::test]
#[ignore = "takes long: `cargo xtask verify`"]
async fn a_backup_that_is_taken_beside_it_restores() {
    let fixture = Fixture::new().await;
    let before = uploaded(&fixture.service, LONG / 2).await;
    let file = fixture.elsewhere.path().join("backup.tar");
    let back_up = back_up(&fixture, &file);
    let (meanwhile, ()) = tokio::join!(uploaded(&fixture.service, LONG / 2), back_up);
    fixture.litestream.caught_up().await;

    let back = fixture.elsewhere.path().join("back");
    let ended = porchlight(&back, &["restore", file.to_str().expect("UTF-8")]).await;
    assert!(ended.status.success(), "{ended:?}");
    let (code, report) = checked(&back, &[]).await;
    assert_eq!(code, 0, "{report}");
    let restored = TestService::builder().data_dir(&back).start().await;
    for hash in &before {
        assert!(pictures::is_webp(&restored.webp(hash).await));
    }
    let most = before.len() + meanwhile.len();
    assert!(restored.count().await <= most as u64);
    assert!(!fixture.litestream.log().contains("level=ERROR"));
}

async fn back_up(fixture: &Fixture, file: &Path) {
    let settings = fixture.garage.settings();
    let mut words = vec!["backup", file.to_str().expect("UTF-8")];
    words.extend(settings.iter().flat_map(|set| ["--set", set]));
    let ended = porchlight(fixture.service.data_dir(), &words).await;
    assert!(ended.status.success(), "{ended:?}");
}
