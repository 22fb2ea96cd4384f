//! `kill -9` at random moments through uploads, deletes and renditions: after
//! the next start everything that was answered is so, every file has its row
//! and every row its file, and nothing half-written is left.
//!
//! Ten times here; `cargo xtask soak` does it a hundred times
//! (`PORCHLIGHT_CRASHES`).

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use sha2::{Digest as _, Sha256};
use tokio::task::JoinSet;

use crate::harness::{self, TestService, answer, eventually, files, form};
use crate::{checked, kinds, wide};

/// What the service has promised about an image.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Promise {
    /// Its upload was answered 201.
    There,
    /// Its deletion was requested, and there was no response.
    Unsure,
    /// Its deletion was answered 200. It is in the trash.
    Gone,
}

#[derive(Default)]
struct Promises {
    images: HashMap<String, Promise>,
    unanswered: u64,
    renditions: u64,
}

/// A client that uploads, reads renditions and deletes until there is no
/// response.
struct Client {
    http: harness::Client,
    url: String,
    token: String,
    promises: Arc<Mutex<Promises>>,
}

impl Client {
    async fn go_on(self) {
        // It ends when the service is gone.
        while self.one_round().await.is_some() {}
        self.promises.lock().expect("no panic").unanswered += 1;
    }

    async fn one_round(&self) -> Option<()> {
        let (content_type, body) = form::file("image", "a.jpg", "image/jpeg", &wide());
        let upload = self
            .http
            .post(format!("{}/images/add", self.url))
            .bearer_auth(&self.token)
            .header("content-type", content_type)
            .body(body);
        let response = upload.send().await.ok()?;
        let status = response.status().as_u16();
        let body: serde_json::Value = response.json().await.ok()?;
        assert_eq!(status, 201, "{body}");
        let hash = body["hash"].as_str().expect("a hash").to_owned();
        self.promise(&hash, Promise::There);

        let narrower = self.http.get(format!("{}/i/{hash}?w=320", self.url));
        let response = narrower.send().await.ok()?;
        assert_eq!(response.status(), 200);
        response.bytes().await.ok()?;
        self.promises.lock().expect("no panic").renditions += 1;

        if rand::random_range(0..3) > 0 {
            return Some(());
        }
        self.promise(&hash, Promise::Unsure);
        let delete = self
            .http
            .delete(format!("{}/images/{hash}", self.url))
            .bearer_auth(&self.token);
        let response = delete.send().await.ok()?;
        assert_eq!(response.status(), 200);
        self.promise(&hash, Promise::Gone);
        Some(())
    }

    fn promise(&self, hash: &str, promise: Promise) {
        let mut promises = self.promises.lock().expect("no panic");
        promises.images.insert(hash.to_owned(), promise);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[cfg_attr(
    windows,
    ignore = "Wine keeps connections of a killed process open now and then, and its clients wait"
)]
async fn answered_requests_survive_a_kill_at_any_moment() {
    let crashes: u32 = std::env::var("PORCHLIGHT_CRASHES")
        .ok()
        .map_or(10, |number| number.parse().expect("a number"));
    let mut service = TestService::start(&["limits.requests_per_second=0"]).await;
    let promises: Arc<Mutex<Promises>> = Arc::default();
    for crash in 1..=crashes {
        let mut clients = JoinSet::new();
        for _ in 0..4 {
            let client = Client {
                http: service.http.clone(),
                url: service.url(""),
                token: service.admin_token.clone(),
                promises: Arc::clone(&promises),
            };
            clients.spawn(client.go_on());
        }
        // Any moment, also one before the first answer.
        tokio::time::sleep(Duration::from_millis(rand::random_range(0..1_500))).await;
        service.kill().await;
        clients.join_all().await;

        service.restart().await;
        let folder = service.data_dir();
        for leftover in ["incoming", "images/half-written"] {
            let left = files::below(&folder.join(leftover));
            assert!(left.is_empty(), "after crash {crash}: {left:?}");
        }
        // Half-done deletions are finished at once, in the background.
        let report = eventually("nothing waits for its removal", async || {
            let (_, report) = checked(folder, &[]).await;
            (report["waiting"] == 0).then_some(report)
        })
        .await;
        // An upload that was cut off before its row leaves its file.
        assert!(
            kinds(&report).iter().all(|kind| *kind == "orphan"),
            "after crash {crash}: {report}"
        );
        let problems = report["problems"].to_string();
        let mut there: HashSet<String> = files::stored_hashes(folder).into_iter().collect();
        there.retain(|hash| !problems.contains(hash));
        let in_trash: HashSet<String> = files::below(&folder.join("trash"))
            .iter()
            .map(|file| {
                file.file_stem()
                    .expect("a name")
                    .to_string_lossy()
                    .into_owned()
            })
            .collect();
        assert_eq!(report["images"], there.len(), "after crash {crash}");
        assert_eq!(service.count().await, there.len() as u64);
        for (hash, promise) in &promises.lock().expect("no panic").images {
            match promise {
                Promise::There => assert!(there.contains(hash), "crash {crash}: {hash} is lost"),
                Promise::Gone => {
                    assert!(!there.contains(hash), "crash {crash}: {hash} is back");
                    assert!(in_trash.contains(hash), "crash {crash}: {hash} is not kept");
                }
                Promise::Unsure => {}
            }
        }
    }

    service.stop().await;
    let (code, report) = checked(service.data_dir(), &["--repair"]).await;
    assert_eq!(code, 0, "{report}");
    let (code, report) = checked(service.data_dir(), &[]).await;
    assert_eq!(code, 0, "{report}");
    service.restart().await;
    let promises = std::mem::take(&mut *promises.lock().expect("no panic"));
    for (hash, promise) in &promises.images {
        let response = service.get(&format!("/i/{hash}")).await;
        match (promise, response.status().as_u16()) {
            (Promise::Gone | Promise::Unsure, 404) => {}
            (Promise::There | Promise::Unsure, 200) => {
                let webp = response.bytes().await.expect("a body");
                assert_eq!(*hash, hex::encode(&Sha256::digest(&webp)[..16]));
            }
            (_, status) => panic!("{hash} was promised {promise:?}: {status}"),
        }
    }
    let count = |wanted| {
        let promises = promises.images.values();
        promises.filter(|&&promise| promise == wanted).count()
    };
    println!(
        "{crashes} kills: {} uploads answered 201, {} deletes answered 200 and {} cut off, \
         {} narrower copies read, {} requests cut off; nothing lost",
        promises.images.len(),
        count(Promise::Gone),
        count(Promise::Unsure),
        promises.renditions,
        promises.unanswered,
    );
}

#[tokio::test]
async fn two_hundred_uploads_of_one_picture_make_one_image() {
    let service = TestService::start(&["limits.requests_per_second=0"]).await;
    let picture = wide();
    let mut uploads = JoinSet::new();
    for _ in 0..200 {
        let (content_type, body) = form::file("image", "a.jpg", "image/jpeg", &picture);
        let request = service
            .http
            .post(service.url("/images/add"))
            .bearer_auth(&service.admin_token)
            .header("content-type", content_type)
            .body(body);
        uploads.spawn(async move { answer(request.send().await.expect("an answer")).await.0 });
    }
    let statuses = uploads.join_all().await;
    let of = |wanted| statuses.iter().filter(|&&status| status == wanted).count();
    assert_eq!((of(201), of(409)), (1, 199), "{statuses:?}");
    assert_eq!(files::stored_hashes(service.data_dir()).len(), 1);
    let (code, report) = checked(service.data_dir(), &[]).await;
    assert_eq!(code, 0, "{report}");
}
