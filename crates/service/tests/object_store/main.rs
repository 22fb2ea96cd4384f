//! An object store that does not answer. The clock is tokio's paused clock,
//! which advances when all tasks wait, so that minutes pass at once; network
//! traffic is real.

use std::path::{Path, PathBuf};
use std::time::Duration;

use porchlight_service::clock::Clock;
use porchlight_service::images::{Body, ImagesError, IngestError, StoredImage};
use porchlight_service::service::Service;
use porchlight_service::settings::Settings;
use porchlight_service::settings::sections::{StorageKind, StorageSettings};
use porchlight_service::text::image_hash::ImageHash;
use porchlight_service::upkeep;
use porchlight_service::upkeep::Fault;
use porchlight_test_harness::process::built_program;
use porchlight_test_harness::s3;
use reqwest::Method;
use s3::{ObjectStore, StoreMode};
use tempfile::TempDir;
use tokio::time::{Instant, pause, resume, timeout};

/// Where to give up on what should have ended.
const FOR_EVER: Duration = Duration::from_secs(60 * 60);

struct Fixture {
    store: ObjectStore,
    service: Service,
    folder: TempDir,
}

impl Fixture {
    async fn new() -> Self {
        let store = ObjectStore::start().await;
        let folder = tempfile::tempdir().expect("a temporary folder");
        let mut settings = Settings {
            storage: storage(&store),
            ..Settings::default()
        };
        settings.images.helper = Some(built_program());
        let service = Service::open(folder.path(), settings, Clock::system())
            .await
            .expect("a new data folder");
        Self {
            store,
            service,
            folder,
        }
    }

    /// Stores an image; a large one is larger than the cache holds.
    async fn stored(&self, seed: u8, side: u32) -> ImageHash {
        let image = self.ingest(seed, side).await.expect("a new picture");
        image.hash
    }

    async fn ingest(&self, seed: u8, side: u32) -> Result<StoredImage, IngestError> {
        let mut png = std::io::Cursor::new(Vec::new());
        let mut noise = u32::from(seed) + 1;
        image::RgbImage::from_fn(side, side, |_, _| {
            noise = noise.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            image::Rgb([(noise >> 24) as u8, (noise >> 16) as u8, seed])
        })
        .write_to(&mut png, image::ImageFormat::Png)
        .expect("a PNG");
        let images = self.service.images();
        let mut incoming = images.start_upload().await?;
        incoming.write(&png.into_inner().into()).await?;
        images.ingest(incoming).await
    }

    /// Lets the time run from the next call of the store on, and returns how
    /// much of it `work` took.
    async fn since_the_call<T>(
        &self,
        method: &Method,
        work: impl Future<Output = T>,
    ) -> (T, Duration) {
        let before = self.store.count(method);
        let mut work = std::pin::pin!(work);
        tokio::select! {
            _ = &mut work => panic!("the store was not called"),
            () = self.store.called(method, before) => {}
        }
        pause();
        let began = Instant::now();
        let done = timeout(FOR_EVER, work).await.expect("an end of it");
        let took = began.elapsed();
        resume();
        (done, took)
    }
}

fn storage(store: &ObjectStore) -> StorageSettings {
    StorageSettings {
        kind: StorageKind::S3,
        endpoint: Some(store.url().parse().expect("an address")),
        bucket: Some("pictures".to_owned()),
        access_key: Some("stand-in".into()),
        secret_key: Some("stand-in".into()),
        ..StorageSettings::default()
    }
}

fn is_about(took: Duration, seconds: u64) -> bool {
    took.as_secs().abs_diff(seconds) <= 2
}

#[tokio::test]
async fn an_upload_that_is_never_answered_is_given_up_and_nothing_is_stored() {
    let fixture = Fixture::new().await;
    fixture.store.is(StoreMode::Waits);
    let (refused, took) = fixture
        .since_the_call(&Method::PUT, fixture.ingest(1, 40))
        .await;
    let Err(IngestError::Storage(why)) = refused else {
        panic!("{refused:?}");
    };
    assert!(why.to_string().contains("within 30 seconds"), "{why}");
    // The row is written after that, by a thread, for which the stopped clock does not wait.
    assert!(took.as_secs() >= 28, "{took:?}");
    assert_eq!(fixture.service.images().count().await.expect("a count"), 0);
}

#[tokio::test]
async fn a_read_that_is_never_answered_is_given_up() {
    let fixture = Fixture::new().await;
    let images = fixture.service.images();
    for side in [400, 900] {
        let hash = fixture.stored(1, side).await;
        fixture.store.is(StoreMode::Waits);
        let served = images
            .open_image(hash)
            .await
            .expect("a row")
            .expect("a row");
        let (read, took) = fixture
            .since_the_call(&Method::GET, served.body(0..served.size()))
            .await;
        assert!(read.is_err());
        assert!(is_about(took, 30), "{side}: {took:?}");
        let (narrowed, took) = fixture
            .since_the_call(&Method::HEAD, images.open_rendition(hash, 320))
            .await;
        assert!(narrowed.is_err());
        assert!(is_about(took, 30), "{side}: {took:?}");
        fixture.store.is(StoreMode::Well);
        assert!(images.delete(hash).await.expect("a delete"));
    }
}

#[tokio::test]
async fn an_answer_that_stops_in_the_middle_is_given_up() {
    let fixture = Fixture::new().await;
    let images = fixture.service.images();
    // One that is read whole, and one that is passed on as it comes.
    for (side, streamed) in [(400, false), (900, true)] {
        let hash = fixture.stored(1, side).await;
        fixture.store.is(StoreMode::Stalls);
        let served = images
            .open_image(hash)
            .await
            .expect("a row")
            .expect("a row");
        let reading = async {
            let body = served.body(0..served.size()).await?;
            assert_eq!(matches!(body, Body::Stream(_)), streamed);
            Ok::<_, ImagesError>(body.whole().await?)
        };
        let (read, took) = fixture.since_the_call(&Method::GET, reading).await;
        assert!(read.is_err());
        // A line is waited for as long as the slowest would take, and time passes
        // while the first half is on its way.
        let minutes = took.as_secs().div_ceil(60);
        assert!((1..5).contains(&minutes), "{side}: {took:?}");
        fixture.store.is(StoreMode::Well);
        assert!(images.delete(hash).await.expect("a delete"));
    }
}

#[tokio::test]
async fn an_object_of_an_absurd_size_is_not_read() {
    let fixture = Fixture::new().await;
    fixture.stored(1, 40).await;
    fixture.store.is(StoreMode::Announces(1 << 30));
    let settings = storage(&fixture.store);
    let report = upkeep::check(fixture.folder.path(), &settings, &|_, _| Ok(())).await;
    let problems = report.expect("a report").problems;
    let [Fault::Unreadable(_, why)] = problems.iter().map(|one| &one.fault).collect::<Vec<_>>()[..]
    else {
        panic!("{problems:?}");
    };
    assert!(why.to_string().contains("1073741824 bytes"), "{why}");
}

#[tokio::test]
async fn a_check_that_is_never_answered_is_given_up() {
    let fixture = Fixture::new().await;
    fixture.stored(1, 40).await;
    fixture.store.is(StoreMode::Waits);
    let settings = storage(&fixture.store);
    let check = upkeep::check(fixture.folder.path(), &settings, &|_, _| Ok(()));
    let (report, took) = fixture.since_the_call(&Method::GET, check).await;
    let why = report.expect_err("no list").to_string();
    assert!(why.contains("in time"), "{why}");
    assert!(is_about(took, 30), "{took:?}");
}

#[tokio::test]
async fn a_delete_that_is_never_answered_does_not_block_the_caller() {
    let fixture = Fixture::new().await;
    let hash = fixture.stored(1, 40).await;
    fixture.store.is(StoreMode::Waits);
    let images = fixture.service.images();
    // It is read first, for the trash.
    let (deleted, took) = fixture
        .since_the_call(&Method::GET, images.delete(hash))
        .await;
    assert!(deleted.expect("a delete"));
    assert!(is_about(took, 2), "{took:?}");
    assert!(images.find(hash).await.expect("no row").is_none());
}

#[tokio::test]
async fn a_reader_from_before_a_delete_does_not_restore_the_image_to_the_cache() {
    let fixture = Fixture::new().await;
    let hash = fixture.stored(2, 40).await;
    let images = fixture.service.images();
    let served = images.open_image(hash).await.expect("a database");
    let served = served.expect("an image");
    // Its object stays for as long as the store takes no deletes.
    fixture.store.is(StoreMode::ReadOnly(503));
    assert!(images.delete(hash).await.expect("a delete"));
    let all = 0..served.size();
    assert!(
        served.body(all).await.is_ok(),
        "it existed when it was requested"
    );
    let again = images.open_image(hash).await.expect("a database");
    assert!(again.is_none(), "it is served from memory after its delete");
}

/// What a crash leaves on the disk: an object that must not be there, whose turn
/// comes after that of any other.
fn left_on_disk(folder: &Path) -> (PathBuf, rusqlite::Connection) {
    let file = folder.join("images/ff").join("f".repeat(32) + ".webp");
    std::fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
    std::fs::write(&file, "left").expect("a file");
    let database = rusqlite::Connection::open(folder.join("porchlight.db")).expect("a database");
    let row = "INSERT INTO removal (hash, place) VALUES (?, 0)";
    database.execute(row, [[0xff_u8; 16]]).expect("a row");
    (file, database)
}

/// How many objects wait to be removed.
fn waiting(database: &rusqlite::Connection) -> i64 {
    let rows = database.query_row("SELECT count(*) FROM removal", [], |row| row.get(0));
    rows.expect("a number")
}

#[tokio::test]
async fn an_unreachable_object_does_not_block_the_sweep_of_other_places() {
    let fixture = Fixture::new().await;
    let hash = fixture.stored(3, 40).await;
    fixture.store.is(StoreMode::ReadOnly(403));
    let deleted = fixture.service.images().delete(hash).await;
    assert!(deleted.expect("a delete"));
    let settings = (*fixture.service.settings()).clone();
    fixture.service.close().await;
    let folder = fixture.folder.path();
    let (left, database) = left_on_disk(folder);
    let service = Service::open(folder, settings, Clock::system()).await;
    let service = service.expect("the same data folder");
    let swept = async {
        while waiting(&database) > 1 {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    let swept = timeout(Duration::from_secs(30), swept).await;
    swept.expect("the store keeps the disk from being swept");
    assert!(!left.exists());
    assert_eq!(fixture.store.objects().len(), 1, "it waits still");
    service.close().await;
}

#[tokio::test]
async fn an_unreachable_object_does_not_block_other_repairs() {
    let fixture = Fixture::new().await;
    let hash = fixture.stored(4, 40).await;
    fixture.store.is(StoreMode::ReadOnly(403));
    let deleted = fixture.service.images().delete(hash).await;
    assert!(deleted.expect("a delete"));
    let settings = fixture.service.settings().storage.clone();
    let folder = fixture.folder.path();
    let (left, database) = left_on_disk(folder);
    let repair = async || {
        let checked = upkeep::check(folder, &settings, &|_, _| Ok(())).await;
        let mut report = checked.expect("a report");
        let images = fixture.service.images();
        upkeep::repair(images, folder, &mut report, false).await
    };
    repair().await.expect("what can be mended is");
    assert!(!left.exists());
    assert_eq!(waiting(&database), 1);
    fixture.store.is(StoreMode::Well);
    repair().await.expect("the rest of it");
    assert_eq!((waiting(&database), fixture.store.objects().len()), (0, 0));
}
