//! A data folder of the last build before the first version, with all that it had in it. The archive
//! was made with that build: `serve` with two uploads, a heartbeat and a token, and `watch` with one
//! file.

use std::path::Path;

use reqwest::Method;
use rusqlite::Connection;
use serde_json::Value;

use crate::harness::process::{RunningProcess, clean_command};
use crate::harness::{TestService, eventually};

/// The token `blog` of scope `admin` in that folder.
const TOKEN: &str = "rOVP0kp4-2HYpurS5ogBTdzhDYLQL3Pk08UP_wPAI-E";

const IMAGES: [&str; 2] = [
    "9f873eb4df73261f9799f9293da2ac26",
    "b0bdf6d946585672f3a00e03b6ccba97",
];

fn version(file: &Path) -> i64 {
    let database = Connection::open(file).expect("a database");
    let version = database.pragma_query_value(None, "user_version", |row| row.get(0));
    version.expect("a version")
}

#[tokio::test]
async fn a_folder_of_the_last_build_before_the_first_version_keeps_everything() {
    let home = tempfile::tempdir().expect("a folder");
    let archive = include_bytes!("before-first-version.tgz");
    let unpacked =
        tar::Archive::new(flate2::read::GzDecoder::new(&archive[..])).unpack(home.path());
    unpacked.expect("a data folder");
    let data = home.path().join("data");
    let databases = ["porchlight.db", "outbox.db"].map(|name| data.join(name));
    assert_eq!(databases.each_ref().map(|file| version(file)), [17, 3]);

    // The second start finds it as it is from now on.
    for start in 0..2 {
        let mut service = TestService::builder().data_dir(&data).start().await;
        for hash in IMAGES {
            assert_eq!(service.get(&format!("/i/{hash}.webp")).await.status(), 200);
        }
        let check = service.json("/check").await;
        assert_eq!(check["application"], "Vim");
        assert_eq!(check["last_heartbeat"], 1_795_530_890);
        let stats = service.json("/api_stats").await;
        let stats = stats.as_array().expect("a list").iter();
        let uploads: Vec<&Value> = stats.filter(|one| one["key"] == "/images/add").collect();
        assert_eq!(uploads[0]["count"], 2);
        // Its token is valid, and deletes nothing that is not there.
        let deleted = service
            .request(Method::DELETE, "/images/00000000000000000000000000000000")
            .bearer_auth(TOKEN)
            .send()
            .await
            .expect("an answer");
        assert_eq!(deleted.status(), 404, "start {start}");
        service.stop().await;
    }

    // The watched folder's file was uploaded, and is not sent again.
    let folder = home.path().join("watched");
    std::fs::create_dir(&folder).expect("a folder");
    let service = TestService::builder().data_dir(&data).start().await;
    let mut watch = clean_command(env!("CARGO_BIN_EXE_porchlight"), home.path());
    watch.arg("watch").arg("--data-dir").arg(&data);
    watch.arg("--folder").arg(&folder);
    let mut watch = RunningProcess::spawn(watch);
    eventually("the queue is brought up to date", async || {
        (version(&databases[1]) == 1).then_some(())
    })
    .await;
    watch.terminate();
    watch.wait().await;
    let queue = Connection::open(&databases[1]).expect("a database");
    let rows = queue.query_row("SELECT count(*) FROM picture", [], |row| {
        row.get::<_, i64>(0)
    });
    assert_eq!(rows, Ok(1));
    drop(service);
    assert_eq!(databases.each_ref().map(|file| version(file)), [5, 1]);
}
