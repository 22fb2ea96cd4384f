//! How many readers came is kept by the day; who they were is kept nowhere.

use std::path::Path;

use reqwest::Method;
use rusqlite::{Connection, OpenFlags};

use crate::harness::{TestService, files};

/// The dates of these two differ at any time: it is 26 hours later in the second.
const EARLIER: &str = "<-12>12";
const LATER: &str = "<+14>-14";

/// What the data folder contains of readers: the days, and the digests of one day.
fn kept(data_dir: &Path) -> (Vec<(u64, bool)>, usize) {
    let database = data_dir.join("porchlight.db");
    let database = Connection::open_with_flags(database, OpenFlags::SQLITE_OPEN_READ_ONLY);
    let database = database.expect("a database");
    let mut days = database
        .prepare(
            "SELECT sum(iif(what = 'readers', n, 0)), max(what = 'more readers') FROM count
             WHERE what IN ('readers', 'more readers') GROUP BY hour ORDER BY hour",
        )
        .expect("the table");
    let days = days.query_map([], |row| {
        Ok((row.get::<_, i64>(0)?.unsigned_abs(), row.get(1)?))
    });
    // There is none before the first reader, nor when the day is over.
    let digests = std::fs::read(data_dir.join("readers.json")).ok();
    let digests = digests.map_or(0, |text| {
        let kept: serde_json::Value = serde_json::from_slice(&text).expect("JSON");
        kept["digests"].as_array().expect("digests").len()
    });
    (days.and_then(Iterator::collect).expect("days"), digests)
}

async fn read_by(service: &TestService, forwarded_for: &str) {
    read_with(service, "X-Forwarded-For", forwarded_for).await;
}

async fn read_with(service: &TestService, header: &str, value: &str) {
    let request = service.request(Method::GET, "/check");
    let answer = request.header(header, value).send();
    assert_eq!(answer.await.expect("an answer").status(), 200);
}

#[tokio::test]
async fn a_day_keeps_its_count_across_restarts_and_midnight_deletes_the_digests() {
    let folder = tempfile::tempdir().expect("a folder");
    let data_dir = folder.path().join("data");
    let start = async |zone: &str| {
        let how = TestService::builder().set("server.client_ip=x-forwarded-for");
        how.data_dir(&data_dir).env("TZ", zone).start().await
    };
    let mut service = start(EARLIER).await;
    for reader in ["1.2.3.4", "made-up, 2001:db8:1:2:3::4", "1.2.3.4"] {
        read_by(&service, reader).await;
    }
    assert!(service.stop().await.success());
    assert_eq!(kept(&data_dir), (vec![(2, false)], 2));

    let mut service = start(EARLIER).await;
    read_by(&service, "2001:db8:1:2:ffff::9").await;
    read_by(&service, "1.2.3.5").await;
    // Of the owner's own machine, also through the proxy.
    service.get("/check").await;
    for own in ["127.0.0.1", "192.0.2.9, ::1"] {
        read_by(&service, own).await;
    }
    assert!(service.stop().await.success());
    assert_eq!(kept(&data_dir), (vec![(3, false)], 3));

    let kept_files = files::below(&data_dir);
    assert!(!kept_files.is_empty());
    for file in kept_files {
        let bytes = std::fs::read(&file).expect("readable");
        let household = [0x20, 0x01, 0x0d, 0xb8, 0, 1, 0, 2];
        for address in [
            &b"1.2.3.4"[..],
            b"1.2.3.5",
            b"2001:db8",
            b"made-up",
            &household,
        ] {
            let found = bytes.windows(address.len()).any(|part| part == address);
            assert!(
                !found,
                "{file:?} holds {}",
                String::from_utf8_lossy(address)
            );
        }
    }

    // The next day starts with a call that is no reader's.
    let mut service = start(LATER).await;
    service.get("/check").await;
    assert!(service.stop().await.success());
    assert_eq!(kept(&data_dir), (vec![(3, false)], 0));
}

#[tokio::test]
async fn a_caller_on_this_machine_is_no_reader_whatever_it_sends() {
    let mut service = TestService::start(&[]).await;
    for header in ["X-Forwarded-For", "CF-Connecting-IP", "X-Real-IP"] {
        read_with(&service, header, "1.2.3.4").await;
    }
    assert!(service.stop().await.success());
    assert_eq!(kept(service.data_dir()), (Vec::new(), 0));
}
