//! A move inside the process that serves: readers notice nothing, and
//! concurrent uploads and deletes are correct.

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use porchlight_service::clock::Clock;
use porchlight_service::images::Served;
use porchlight_service::router::listener_state::Shared;
use porchlight_service::service::Service;
use porchlight_service::settings::Settings;
use porchlight_service::settings::sections::{StorageKind, StorageSettings};
use porchlight_service::text::image_hash::ImageHash;
use porchlight_service::tokens::scope::Scope;
use secrecy::ExposeSecret as _;
use tokio_util::sync::CancellationToken;

use crate::garage::Garage;
use crate::harness::{Client, form, http};
use crate::wide;

fn storage(garage: &Garage) -> StorageSettings {
    let settings = garage.settings();
    let of = |name: &str| {
        let prefix = format!("storage.{name}=");
        let found = settings.iter().find_map(|set| set.strip_prefix(&prefix));
        found.expect("a setting").to_owned()
    };
    StorageSettings {
        kind: StorageKind::Disk,
        endpoint: Some(of("endpoint").parse().expect("an address")),
        region: Some(of("region")),
        bucket: Some(of("bucket")),
        access_key: Some(of("access_key").into()),
        secret_key: Some(of("secret_key").into()),
        storage_url: Some(of("storage_url").parse().expect("an address")),
        ..StorageSettings::default()
    }
}

struct Blog {
    http: Client,
    url: String,
    token: String,
}

impl Blog {
    async fn upload(&self, picture: &[u8]) -> String {
        let (kind, body) = form::file("image", "a.jpg", "image/jpeg", picture);
        let request = self.http.post(format!("{}/images/add", self.url));
        let request = request
            .bearer_auth(&self.token)
            .header("content-type", kind);
        let response = request.body(body).send().await.expect("an answer");
        assert_eq!(response.status(), 201);
        let body: serde_json::Value = response.json().await.expect("JSON");
        body["hash"].as_str().expect("a hash").to_owned()
    }

    async fn read(&self, path: &str) -> Vec<u8> {
        let response = self.http.get(format!("{}{path}", self.url)).send().await;
        let response = response.expect("an answer");
        assert_eq!(response.status(), 200, "{path}");
        response.bytes().await.expect("a body").to_vec()
    }

    async fn delete(&self, hash: &str) {
        let request = self.http.delete(format!("{}/images/{hash}", self.url));
        let response = request.bearer_auth(&self.token).send().await;
        assert_eq!(response.expect("an answer").status(), 200);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn readers_are_served_throughout_a_move_there_and_back() {
    let garage = Garage::start().await;
    let folder = tempfile::tempdir().expect("a folder");
    let mut settings = Settings {
        storage: storage(&garage),
        ..Settings::default()
    };
    settings.images.helper = Some(Path::new(env!("CARGO_BIN_EXE_porchlight")).into());
    let service = Service::open(folder.path(), settings, Clock::system());
    let service = service.await.expect("a service");
    let token = service
        .tokens()
        .create("test", Scope::Admin)
        .await
        .expect("a token");
    let mut settings = porchlight_service::settings::Settings::default();
    settings.limits.requests_per_second = 0;
    let bound = porchlight_service::router::listen::bind(
        service.clone(),
        ([127, 0, 0, 1], 0).into(),
        Shared::with(settings),
    );
    let bound = bound.await.expect("bound");
    let blog = Arc::new(Blog {
        http: http(),
        url: format!("http://{}", bound.address()),
        token: token.expose_secret().to_owned(),
    });
    let stop = CancellationToken::new();
    let serving = tokio::spawn(bound.serve(stop.clone()));

    let mut images = Vec::new();
    for _ in 0..30 {
        let hash = blog.upload(&wide()).await;
        images.push((hash.clone(), blog.read(&format!("/i/{hash}")).await));
    }
    let (images, to_go) = images.split_at(24);
    let images: Arc<Vec<(String, Vec<u8>)>> = Arc::new(images.to_vec());
    let mut to_go = to_go.iter();
    for to in [StorageKind::S3, StorageKind::Disk] {
        let (ended, reads) = (
            Arc::new(AtomicBool::new(false)),
            Arc::new(AtomicUsize::new(0)),
        );
        let readers: Vec<_> = (0..3)
            .map(|reader| {
                let (blog, images) = (Arc::clone(&blog), Arc::clone(&images));
                let (ended, reads) = (Arc::clone(&ended), Arc::clone(&reads));
                tokio::spawn(async move {
                    while !ended.load(Ordering::Relaxed) {
                        let (hash, bytes) = &images[rand::random_range(0..images.len())];
                        if reader == 0 {
                            blog.read(&format!("/i/{hash}?w=320")).await;
                        } else {
                            assert_eq!(blog.read(&format!("/i/{hash}")).await, *bytes);
                        }
                        reads.fetch_add(1, Ordering::Relaxed);
                    }
                })
            })
            .collect();
        let moving = tokio::spawn({
            let images = service.images().clone();
            async move { images.move_to(to, &|_, _| Ok(())).await }
        });
        let mut new = Vec::new();
        for _ in 0..3 {
            let hash = blog.upload(&wide()).await;
            new.push((hash.clone(), blog.read(&format!("/i/{hash}")).await));
            blog.delete(&to_go.next().expect("one more").0).await;
        }
        let report = moving.await.expect("no panic").expect("moved");
        ended.store(true, Ordering::Relaxed);
        for reader in readers {
            reader.await.expect("a reader was not served");
        }
        assert!(report.problems.is_empty(), "{report:?}");
        assert!(reads.load(Ordering::Relaxed) > 0);
        for (hash, bytes) in &new {
            assert_eq!(blog.read(&format!("/i/{hash}")).await, *bytes);
            blog.delete(hash).await;
        }
        // Everything is in the new place and nothing in the old one.
        let on_disk: HashSet<String> = crate::harness::files::stored_hashes(folder.path())
            .into_iter()
            .collect();
        let all: HashSet<String> = service_hashes(&service).await;
        match to {
            StorageKind::Disk => assert_eq!(on_disk, all),
            _ => assert!(on_disk.is_empty(), "{on_disk:?}"),
        }
    }
    assert_eq!(garage.objects().await, 0);
    stop.cancel();
    serving.await.expect("it ends");
    service.close().await;
}

async fn service_hashes(service: &Service) -> HashSet<String> {
    let page = service.images().page(0, 100, None).await.expect("a page");
    page.images
        .iter()
        .map(|listed| listed.image.hash.to_string())
        .collect()
}

/// A service in this process with one image, which is wide.
async fn with_one(garage: &Garage, folder: &Path) -> (Service, ImageHash) {
    let mut settings = Settings {
        storage: storage(garage),
        ..Settings::default()
    };
    settings.images.helper = Some(Path::new(env!("CARGO_BIN_EXE_porchlight")).into());
    let service = Service::open(folder, settings, Clock::system()).await;
    let service = service.expect("a service");
    let images = service.images();
    let mut incoming = images.start_upload().await.expect("an upload");
    incoming.write(&wide().into()).await.expect("written");
    let stored = images.ingest(incoming).await.expect("stored");
    (service, stored.hash)
}

async fn whole(served: &Served) -> Vec<u8> {
    let body = served.body(0..served.size()).await.expect("a body");
    body.whole().await.expect("all of it").to_vec()
}

#[tokio::test]
async fn a_reader_from_before_a_move_still_reads_the_image() {
    let garage = Garage::start().await;
    let folder = tempfile::tempdir().expect("a folder");
    let (service, hash) = with_one(&garage, folder.path()).await;
    let images = service.images();
    for to in [StorageKind::S3, StorageKind::Disk] {
        let before = images
            .open_image(hash)
            .await
            .expect("a row")
            .expect("an image");
        images.move_to(to, &|_, _| Ok(())).await.expect("moved");
        let bytes = whole(&before).await;
        let after = images
            .open_image(hash)
            .await
            .expect("a row")
            .expect("an image");
        assert_eq!(after.image().place, to);
        assert_eq!(bytes, whole(&after).await);
    }
    service.close().await;
}

#[tokio::test]
async fn a_reader_from_before_an_eviction_still_reads_the_rendition() {
    let garage = Garage::start().await;
    let folder = tempfile::tempdir().expect("a folder");
    let (service, hash) = with_one(&garage, folder.path()).await;
    let images = service.images();
    let rendition = || async { images.open_rendition(hash, 320).await.expect("a copy") };
    let made = whole(&rendition().await.expect("an image")).await;
    let before = rendition().await.expect("an image");
    let copies = crate::harness::files::below(&folder.path().join("renditions"));
    let [copy] = copies.as_slice() else {
        panic!("one copy: {copies:?}")
    };
    std::fs::remove_file(copy).expect("swept");
    assert_eq!(whole(&before).await, made);
    assert!(copy.exists(), "made again");
    service.close().await;
}
