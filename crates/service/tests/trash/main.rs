//! Deleted images: what comes back, what does not, and what a death in between leaves. The clock moves on
//! command.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use porchlight_service::clock::timestamp::Timestamp;
use porchlight_service::clock::{Clock, StoppedClock};
use porchlight_service::images::{Imported, IngestError, StoredImage};
use porchlight_service::service::Service;
use porchlight_service::settings::Settings;
use porchlight_service::settings::sections::{StorageKind, StorageSettings};
use porchlight_service::text::image_hash::ImageHash;
use porchlight_test_harness::eventually;
use porchlight_test_harness::process::built_program;
use porchlight_test_harness::s3::{ObjectStore, StoreMode};
use reqwest::Method;
use rusqlite::Connection;
use tempfile::TempDir;

const DAY: Duration = Duration::from_secs(24 * 60 * 60);
const START: Timestamp = Timestamp::from_millis(1_790_000_000_000);

struct Fixture {
    service: Service,
    clock: StoppedClock,
    folder: TempDir,
    settings: Settings,
}

impl Fixture {
    async fn new(change: impl FnOnce(&mut Settings)) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let clock = StoppedClock::at(START);
        let mut settings = Settings::default();
        settings.images.helper = Some(built_program());
        change(&mut settings);
        let service = open(folder.path(), &settings, clock.clock()).await;
        Self {
            service,
            clock,
            folder,
            settings,
        }
    }

    /// Closes the service, changes what it leaves, and opens it again.
    async fn again(&mut self, change: impl FnOnce(&Path, &Connection)) {
        self.service.close().await;
        let connection = self.database();
        change(self.folder.path(), &connection);
        drop(connection);
        self.service = open(self.folder.path(), &self.settings, self.clock.clock()).await;
    }

    async fn upload(&self, source: &[u8]) -> Result<StoredImage, IngestError> {
        let images = self.service.images();
        let mut incoming = images.start_upload().await?;
        incoming.set_file_name("harbour at night.png");
        incoming.set_album(Some("Trips".to_owned()));
        incoming.write(&source.to_vec().into()).await?;
        images.ingest(incoming).await
    }

    async fn stored(&self, seed: u8) -> ImageHash {
        self.upload(&png(seed)).await.expect("a new picture").hash
    }

    async fn is_there(&self, hash: ImageHash) -> bool {
        let images = self.service.images();
        images.find(hash).await.expect("a database").is_some()
    }

    async fn delete(&self, hash: ImageHash) {
        let deleted = self.service.images().delete(hash).await;
        assert!(deleted.expect("a database"));
    }

    async fn put_back(&self, hash: ImageHash) -> usize {
        let back = self.service.images().put_back(vec![hash]).await;
        back.expect("nothing fails")
    }

    async fn in_trash(&self) -> u64 {
        let trash = self.service.images().trash(0, 10).await;
        trash.expect("a database").total
    }

    fn database(&self) -> Connection {
        Connection::open(self.folder.path().join("porchlight.db")).expect("a database")
    }

    /// How many objects wait to be removed.
    fn waiting(&self) -> i64 {
        let count = "SELECT count(*) FROM removal";
        let rows = self.database().query_row(count, [], |row| row.get(0));
        rows.expect("a number")
    }

    async fn settled(&self) {
        eventually("nothing waits to be removed", async || {
            (self.waiting() == 0).then_some(())
        })
        .await;
    }

    fn file(&self, hash: ImageHash) -> PathBuf {
        file(self.folder.path(), hash)
    }

    fn trash_file(&self, hash: ImageHash) -> PathBuf {
        trash_file(self.folder.path(), hash)
    }
}

fn file(folder: &Path, hash: ImageHash) -> PathBuf {
    let name = format!("{hash}.webp");
    folder.join("images").join(&name[..2]).join(name)
}

fn trash_file(folder: &Path, hash: ImageHash) -> PathBuf {
    folder.join("trash").join(format!("{hash}.webp"))
}

async fn open(folder: &Path, settings: &Settings, clock: Clock) -> Service {
    let service = Service::open(folder, settings.clone(), clock).await;
    service.expect("a data folder")
}

fn at(store: &ObjectStore) -> StorageSettings {
    StorageSettings {
        kind: StorageKind::S3,
        endpoint: Some(store.url().parse().expect("an address")),
        bucket: Some("pictures".to_owned()),
        access_key: Some("stand-in".into()),
        secret_key: Some("stand-in".into()),
        ..StorageSettings::default()
    }
}

fn png(seed: u8) -> Vec<u8> {
    let mut png = std::io::Cursor::new(Vec::new());
    image::RgbImage::from_fn(40, 30, |x, y| {
        image::Rgb([(x * 6) as u8, (y * 8) as u8, seed])
    })
    .write_to(&mut png, image::ImageFormat::Png)
    .expect("a PNG");
    png.into_inner()
}

#[tokio::test]
async fn what_is_put_back_is_what_it_was() {
    let fixture = Fixture::new(|_| {}).await;
    let images = fixture.service.images();
    let source = png(1);
    let hash = fixture.upload(&source).await.expect("stored").hash;
    fixture.clock.advance(DAY);
    let newer = fixture.stored(2).await;
    let second_name = ImageHash::from_bytes([9; 16]);
    let mut incoming = images.start_upload().await.expect("an upload");
    let written = incoming.write(&source.clone().into()).await;
    written.expect("written");
    let imported = images.import_image(incoming, second_name, None).await;
    assert_eq!(imported.expect("imported"), Imported::SecondName(hash));

    let listed = async || images.page(0, 10, None).await.expect("a page").images;
    let named = async || images.named(vec![hash, second_name]).await.expect("rows");
    let (list, names) = (listed().await, named().await);
    assert_eq!(
        list.iter().map(|one| one.image.hash).collect::<Vec<_>>(),
        [newer, hash]
    );
    assert_eq!(names[0].name.as_deref(), Some("harbour at night"));
    assert_eq!(names[0].album.as_deref(), Some("Trips"));
    let bytes = std::fs::read(fixture.file(hash)).expect("a file");

    // By its second name.
    fixture.delete(second_name).await;
    assert!(!fixture.is_there(hash).await && !fixture.is_there(second_name).await);
    assert_eq!(listed().await.len(), 1);
    assert!(!fixture.file(hash).exists());
    assert_eq!(
        std::fs::read(fixture.trash_file(hash)).expect("a copy"),
        bytes
    );
    let trash = images.trash(0, 10).await.expect("a database");
    assert_eq!(trash.total, 1);
    assert_eq!(
        trash.images[0].deleted_at.as_millis(),
        START.as_millis() + 86_400_000
    );
    assert_eq!(images.deleted_bytes(hash).await.expect("bytes"), bytes);

    fixture.clock.advance(DAY);
    assert_eq!(fixture.put_back(hash).await, 1);
    assert_eq!((listed().await, named().await), (list, names));
    assert!(fixture.is_there(second_name).await);
    assert_eq!(std::fs::read(fixture.file(hash)).expect("a file"), bytes);
    assert!(!fixture.trash_file(hash).exists());
    assert_eq!(
        (fixture.in_trash().await, fixture.put_back(hash).await),
        (0, 0)
    );
    let again = fixture.upload(&source).await;
    assert!(matches!(again, Err(IngestError::Duplicate(_))), "{again:?}");
    fixture.settled().await;
}

#[tokio::test]
async fn an_upload_of_the_same_picture_takes_it_out_of_the_trash() {
    let mut fixture = Fixture::new(|settings| settings.images.quality = 80).await;
    let (source, other) = (png(1), fixture.stored(2).await);
    let hash = fixture.upload(&source).await.expect("stored").hash;
    fixture.delete(hash).await;
    fixture.delete(other).await;
    assert_eq!(fixture.in_trash().await, 2);
    assert_eq!(
        fixture.upload(&source).await.expect("stored again").hash,
        hash
    );
    assert_eq!(fixture.in_trash().await, 1);
    assert!(!fixture.trash_file(hash).exists());
    assert_eq!(fixture.put_back(hash).await, 0);

    // The same source becomes other bytes.
    fixture.settings.images.quality = 5;
    fixture.again(|_, _| {}).await;
    let source = include_bytes!("../../../../tests/pictures/place.jpg").as_slice();
    let first = fixture.upload(source).await.expect("stored").hash;
    fixture.delete(first).await;
    fixture.settings.images.quality = 90;
    fixture.again(|_, _| {}).await;
    let second = fixture.upload(source).await.expect("stored").hash;
    assert_ne!(first, second);
    assert_eq!(fixture.put_back(first).await, 0);
    assert!(!fixture.is_there(first).await);
}

#[tokio::test]
async fn nothing_is_kept_for_longer_than_the_days_of_the_settings() {
    let mut fixture = Fixture::new(|_| {}).await;
    let [old, new, none] = [
        fixture.stored(1).await,
        fixture.stored(2).await,
        fixture.stored(3).await,
    ];
    fixture.delete(old).await;
    fixture.clock.advance(29 * DAY);
    fixture.delete(new).await;
    fixture.again(|_, _| {}).await;
    assert_eq!(fixture.in_trash().await, 2);
    fixture.clock.advance(DAY);
    // The first round removes it.
    let unknown = trash_file(fixture.folder.path(), ImageHash::from_bytes([7; 16]));
    std::fs::write(&unknown, b"without a row").expect("a file");
    fixture.again(|_, _| {}).await;
    eventually("the first round is over", async || {
        (!unknown.exists()).then_some(())
    })
    .await;
    // A clock that is ahead at the start is set within an hour.
    assert_eq!(fixture.in_trash().await, 2);
    hours(2).await;
    eventually("the old one is gone", async || {
        (fixture.in_trash().await == 1).then_some(())
    })
    .await;
    eventually("its file, too", async || {
        (!fixture.trash_file(old).exists()).then_some(())
    })
    .await;
    assert_eq!(fixture.put_back(old).await, 0);
    assert!(fixture.trash_file(new).exists());

    // The setting counts at once.
    let mut settings = fixture.settings.images.clone();
    settings.trash_days = 0;
    fixture.service.images().follow(settings);
    eventually("the trash is empty", async || {
        (fixture.in_trash().await == 0 && !fixture.trash_file(new).exists()).then_some(())
    })
    .await;
    let deletion = fixture.service.images().delete_all(vec![none]).await;
    assert!(!deletion.expect("a database").in_trash);
    assert!(!fixture.file(none).exists() && !fixture.trash_file(none).exists());
    assert_eq!(fixture.put_back(none).await, 0);
}

/// Lets time pass for the service.
async fn hours(number: u64) {
    tokio::time::pause();
    tokio::time::sleep(Duration::from_secs(number * 60 * 60)).await;
    tokio::time::resume();
}

#[tokio::test]
async fn the_trash_is_tidied_while_the_service_runs() {
    let fixture = Fixture::new(|_| {}).await;
    let hash = fixture.stored(1).await;
    fixture.delete(hash).await;
    fixture.clock.advance(31 * DAY);
    assert_eq!(fixture.in_trash().await, 1);
    hours(2).await;
    eventually("it is gone", async || {
        (fixture.in_trash().await == 0).then_some(())
    })
    .await;
}

/// The oldest time that a clock shows, as after an empty battery.
#[tokio::test]
async fn a_deletion_while_the_clock_is_behind_is_kept_as_long_as_any_other() {
    let fixture = Fixture::new(|_| {}).await;
    let hash = fixture.stored(1).await;
    fixture.clock.set(Timestamp::from_millis(0));
    fixture.delete(hash).await;
    fixture.clock.set(START);
    hours(2).await;
    assert_eq!(fixture.in_trash().await, 1);
    assert_eq!(fixture.put_back(hash).await, 1);
}

#[tokio::test]
async fn where_no_copy_can_be_kept_the_deletion_goes_on() {
    let fixture = Fixture::new(|_| {}).await;
    let hash = fixture.stored(1).await;
    // No folder can be made here.
    std::fs::write(fixture.folder.path().join("trash"), "in the way").expect("a file");
    let deletion = fixture.service.images().delete_all(vec![hash]).await;
    assert!(!deletion.expect("a database").in_trash, "nothing to undo");
    assert!(!fixture.is_there(hash).await && !fixture.file(hash).exists());
    assert_eq!(
        (fixture.in_trash().await, fixture.put_back(hash).await),
        (0, 0)
    );
    fixture.settled().await;
}

/// Its images are on a drive, by a link or a mount point.
#[tokio::test]
async fn a_drive_that_is_not_connected_loses_no_deleted_image() {
    let fixture = Fixture::new(|_| {}).await;
    let (first, second) = (fixture.stored(1).await, fixture.stored(2).await);
    let (images, away) = (
        fixture.folder.path().join("images"),
        fixture.folder.path().join("away"),
    );
    for (hash, is_mount_point) in [(first, false), (second, true)] {
        std::fs::rename(&images, &away).expect("to move");
        if is_mount_point {
            std::fs::create_dir(&images).expect("a folder");
        }
        fixture.delete(hash).await;
        assert_eq!((fixture.in_trash().await, fixture.waiting()), (1, 1));
        if is_mount_point {
            std::fs::remove_dir(&images).expect("to remove");
        }
        std::fs::rename(&away, &images).expect("to move");
        assert_eq!(fixture.put_back(hash).await, 1);
        assert!(fixture.is_there(hash).await && fixture.file(hash).exists());
    }
}

/// As a key of a bucket that may write and delete, and not read.
#[tokio::test]
async fn an_object_that_its_store_does_not_give_is_deleted_at_once() {
    let store = ObjectStore::start().await;
    let fixture = Fixture::new(|settings| settings.storage = at(&store)).await;
    let hash = fixture.stored(1).await;
    store.is(StoreMode::WriteOnly(403));
    fixture.delete(hash).await;
    fixture.settled().await;
    assert!(store.objects().is_empty());
    assert_eq!(fixture.in_trash().await, 0);

    // One that neither gives nor deletes keeps everything for later.
    store.is(StoreMode::Well);
    let hash = fixture.stored(2).await;
    store.is(StoreMode::Refuses(403));
    let before = store.count(&Method::DELETE);
    fixture.delete(hash).await;
    // The background tries once at once. A store that changes in the middle of that try is one that
    // does not give and deletes.
    store.called(&Method::DELETE, before + 1).await;
    assert_eq!((fixture.in_trash().await, fixture.waiting()), (1, 1));
    store.is(StoreMode::Well);
    assert_eq!(fixture.put_back(hash).await, 1);
}

/// Each state that a death can leave, made by hand.
#[tokio::test]
async fn every_step_is_done_again_at_the_next_start() {
    let mut fixture = Fixture::new(|_| {}).await;
    let hash = fixture.stored(1).await;
    fixture.delete(hash).await;
    let moved_back = |folder: &Path| {
        std::fs::rename(trash_file(folder, hash), file(folder, hash)).expect("to move");
    };
    let waits = |connection: &Connection| {
        let row = "INSERT INTO removal (hash, place) VALUES (?1, 0)";
        connection.execute(row, [hash.as_bytes()]).expect("a row");
    };
    type Leave<'l> = &'l dyn Fn(&Path, &Connection);
    let states: [(&str, Leave<'_>); 3] = [
        (
            "the rows are written, or it was being put back",
            &|folder, connection| {
                waits(connection);
                moved_back(folder);
            },
        ),
        ("the bytes are in the trash", &|_, connection| {
            waits(connection)
        }),
        ("a copy is half-written", &|folder, connection| {
            waits(connection);
            moved_back(folder);
            let half = trash_file(folder, hash).with_extension("part");
            std::fs::write(half, "half").expect("a file");
        }),
    ];
    for (state, leave) in states {
        fixture.again(leave).await;
        assert!(!fixture.is_there(hash).await, "{state}");
        fixture.settled().await;
        assert!(!fixture.file(hash).exists(), "{state}");
        assert!(fixture.trash_file(hash).exists(), "{state}");
        assert_eq!(fixture.in_trash().await, 1, "{state}");
    }
    // Put back right after the rows were written: its object has not moved yet.
    fixture.service.close().await;
    let connection = fixture.database();
    waits(&connection);
    moved_back(fixture.folder.path());
    drop(connection);
    fixture.service = open(
        fixture.folder.path(),
        &fixture.settings,
        fixture.clock.clock(),
    )
    .await;
    assert_eq!(fixture.put_back(hash).await, 1);
    assert!(fixture.is_there(hash).await && fixture.file(hash).exists());
    // Bytes without a row.
    let stray = ImageHash::from_bytes([7; 16]);
    fixture
        .again(|folder, _| std::fs::write(trash_file(folder, stray), "left").expect("a file"))
        .await;
    eventually("bytes without a row go", async || {
        (!fixture.trash_file(stray).exists()).then_some(())
    })
    .await;
    assert!(fixture.is_there(hash).await && fixture.file(hash).exists());
}

#[tokio::test]
async fn a_store_that_is_away_delays_nothing_that_readers_see() {
    let mut store = ObjectStore::start().await;
    let fixture = Fixture::new(|settings| settings.storage = at(&store)).await;
    let hash = fixture.stored(1).await;
    let object = format!("randomimg/{hash}.webp");
    store.line.cut().await;
    fixture.delete(hash).await;
    assert!(!fixture.is_there(hash).await);
    // Its object is still there.
    assert_eq!(fixture.put_back(hash).await, 1);
    assert!(fixture.is_there(hash).await);
    store.line.mend();
    assert_eq!(store.objects(), std::slice::from_ref(&object));

    fixture.delete(hash).await;
    fixture.settled().await;
    assert!(store.objects().is_empty());
    assert!(fixture.trash_file(hash).exists());
    store.is(StoreMode::ReadOnly(503));
    let refused = fixture.service.images().put_back(vec![hash]).await;
    assert!(refused.is_err());
    assert!(!fixture.is_there(hash).await);
    store.is(StoreMode::Well);
    assert_eq!(fixture.put_back(hash).await, 1);
    assert_eq!(store.objects(), [object]);
    eventually("its copy here goes", async || {
        (!fixture.trash_file(hash).exists()).then_some(())
    })
    .await;
}

#[tokio::test]
async fn ten_thousand_are_deleted_in_one_step() {
    let mut fixture = Fixture::new(|_| {}).await;
    let hash = |number: u32| {
        let mut hash = [0; 16];
        hash[..4].copy_from_slice(&number.to_be_bytes());
        ImageHash::from_bytes(hash)
    };
    fixture
        .again(|_, connection| {
            let insert = "INSERT INTO image (hash, sha256, size, width, height, frames, created_at,
                    source_size, source_format, thumbhash)
                 VALUES (?1, randomblob(32), 1, 1, 1, 1, ?2, 1, 'PNG', x'')";
            let transaction = connection.unchecked_transaction().expect("a transaction");
            for number in 0..10_000 {
                let hash = hash(number);
                let values = rusqlite::params![hash.as_bytes(), number];
                transaction.execute(insert, values).expect("a row");
            }
            transaction.commit().expect("committed");
        })
        .await;
    let start = Instant::now();
    let all = (0..10_000).map(hash).collect();
    let deletion = fixture
        .service
        .images()
        .delete_all(all)
        .await
        .expect("a database");
    println!("10,000 deletions: {:?}", start.elapsed());
    assert_eq!(deletion.images, 10_000);
    assert!(
        start.elapsed() < Duration::from_secs(30),
        "{:?}",
        start.elapsed()
    );
    fixture.again(|_, _| {}).await;
    assert_eq!(fixture.service.images().count().await.expect("a number"), 0);
}
