//! The images of the snapshot, written to an object store that can be in trouble.

use std::collections::BTreeSet;

use porchlight_test_harness::s3::{KEY, ObjectStore, StoreMode};
use reqwest::Method;
use serde_json::Value;
use sha2::{Digest as _, Sha256};
use tokio::time::{Instant, sleep_until};

use super::pages::SnapshotOwner;
use super::*;
use crate::clock::timestamp::Timestamp;
use crate::images::row::{NewImage, StoredImage};
use crate::images::table::{self as images};
use crate::storage::{StorageKind, StorageSettings};
use crate::text::image_hash::ImageHash;

mod ownership;

const PREFIX: &str = "porchlight/";

fn settings(store: &ObjectStore) -> StorageSettings {
    StorageSettings {
        kind: StorageKind::S3,
        endpoint: store.url().parse().ok(),
        bucket: Some("pictures".to_owned()),
        access_key: Some(KEY.into()),
        secret_key: Some(KEY.into()),
        ..StorageSettings::default()
    }
}

struct Blog {
    store: ObjectStore,
    database: Database,
    documents: Documents,
    pages: Pages,
    folder: tempfile::TempDir,
}

impl Blog {
    async fn new() -> Self {
        Self::beside(ObjectStore::start().await).await
    }

    async fn beside(store: ObjectStore) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let database = crate::schema::open(&folder.path().join("porchlight.db")).await;
        let database = database.expect("a database");
        let documents = Documents::open(&settings(&store), StorageKind::S3, PREFIX, IMAGES_WITHIN);
        let documents = documents.expect("a store");
        Self {
            store,
            pages: Pages::new(documents.clone(), database.clone(), Clock::system()),
            database,
            documents,
            folder,
        }
    }

    /// The process restarts.
    async fn starts(&mut self) -> SnapshotOwner {
        let (documents, database) = (self.documents.clone(), self.database.clone());
        self.pages = Pages::new(documents, database, Clock::system());
        let owner = self.pages.owner().await.expect("a store");
        if owner == SnapshotOwner::Own {
            self.pages.compare().await.expect("a store");
            while self.pages.round().await.expect("a round") {}
        }
        owner
    }

    async fn add(&self, number: u8) {
        let mut bytes = [0; 16];
        bytes[0] = number;
        let image = NewImage {
            image: StoredImage {
                hash: ImageHash::from_bytes(bytes),
                size: 1,
                width: u32::from(number),
                height: 7,
                // Some share a time.
                created_at: Timestamp::from_millis(i64::from(number / 2) * 1_000),
                place: StorageKind::S3,
            },
            sha256: Sha256::digest(bytes).into(),
            frames: 1,
            source_digest: Sha256::digest(bytes).into(),
            source_size: 1,
            source_format: "PNG".into(),
            name: None,
            preview: None,
            album: None,
        };
        let insert = self.database.write(move |write| {
            images::insert(write, &image)?;
            Ok::<_, DatabaseError>(())
        });
        insert.await.expect("an image");
    }

    async fn delete(&self, number: u8) {
        let mut bytes = [0; 16];
        bytes[0] = number;
        let delete = self.database.write(move |write| {
            images::delete(write, ImageHash::from_bytes(bytes))?;
            Ok::<_, DatabaseError>(())
        });
        delete.await.expect("no image");
    }

    fn index(&self) -> Value {
        self.store.json("porchlight/images/index.json")
    }

    /// The widths of all images in the order of the pages, each of which matches its name.
    fn published(&self) -> Vec<u64> {
        let index = self.index();
        let mut all = Vec::new();
        for page in index["pages"].as_array().expect("pages") {
            let name = page["name"].as_str().expect("a name");
            let file = format!("{PREFIX}images/{name}.json");
            let content = self.store.content(&file).expect("a page");
            assert_eq!(hex::encode(&Sha256::digest(&content)[..8]), name);
            let page_images = self.store.json(&file)["images"].take();
            let page_images = page_images.as_array().expect("images").clone();
            assert_eq!(page["count"], page_images.len());
            assert!((1..=8).contains(&page_images.len()));
            all.extend(page_images);
        }
        assert_eq!(index["total"], all.len());
        let key = |image: &Value| {
            (
                image["createdAt"].as_str().map(str::to_owned),
                image["hash"].as_str().map(str::to_owned),
            )
        };
        let keys: Vec<_> = all.iter().map(key).collect();
        let mut sorted = keys.clone();
        sorted.sort_by(|(one, a), (other, b)| other.cmp(one).then(a.cmp(b)));
        assert_eq!(keys, sorted);
        all.iter()
            .map(|image| image["width"].as_u64().expect("a width"))
            .collect()
    }

    fn assert_publishes(&self, expected: impl IntoIterator<Item = u8>) {
        let published: BTreeSet<u64> = self.published().into_iter().collect();
        assert_eq!(published.len(), self.published().len());
        assert!(
            published
                .into_iter()
                .eq(expected.into_iter().map(u64::from))
        );
    }

    /// How many objects the next round writes.
    async fn written_by_a_round(&mut self) -> usize {
        let before = self.store.count(&Method::PUT);
        self.pages.round().await.expect("a round");
        self.store.count(&Method::PUT) - before
    }

    /// The pages that are in the store.
    fn page_objects(&self) -> usize {
        let objects = self.store.objects();
        let pages = objects
            .iter()
            .filter(|name| name.starts_with("porchlight/images/"));
        // The index and its places.
        pages.count() - 2
    }

    /// The document of the places that the index names.
    fn places(&self) -> Option<Value> {
        let name = self.index()["places"].as_str()?.to_owned();
        Some(self.store.json(&format!("{PREFIX}images/{name}.json")))
    }

    async fn put_in_albums(&self, album: &'static str) {
        let update = self.database.write(move |write| {
            write.execute_batch(&format!(
                "UPDATE image SET album = {album};
                 UPDATE shelf SET published = NULL, edition = random();"
            ))?;
            Ok::<_, DatabaseError>(())
        });
        update.await.expect("albums");
    }
}

#[tokio::test]
async fn a_change_rewrites_one_page_and_the_index_and_old_pages_go() {
    let mut blog = Blog::new().await;
    assert_eq!(blog.starts().await, SnapshotOwner::Own);
    blog.assert_publishes([]);
    for number in 1..=20 {
        blog.add(number).await;
    }
    blog.pages.round().await.expect("a round");
    blog.assert_publishes(1..=20);
    assert_eq!(blog.written_by_a_round().await, 0);
    let image = blog.store.json(&format!(
        "{PREFIX}images/{}.json",
        blog.index()["pages"][0]["name"].as_str().expect("a name")
    ));
    let expected = serde_json::json!({
        "hash": "14000000000000000000000000000000", "contentType": "image/webp",
        "createdAt": "1970-01-01T00:00:10.000Z", "width": 20, "height": 7,
        "size": 1, "animated": false, "color": null, "thumbhash": null,
    });
    assert_eq!(image["images"][0], expected);
    let classes = &blog.index()["pages"][0]["classes"];
    let count = classes["landscape/"].as_u64().expect("a count");
    assert_eq!(Some(count), blog.index()["pages"][0]["count"].as_u64());

    for number in 21..=40 {
        blog.add(number).await;
        let written = blog.written_by_a_round().await;
        assert!(
            (3..=4).contains(&written),
            "{written} objects for one image"
        );
    }
    blog.delete(30).await;
    assert_eq!(blog.written_by_a_round().await, 3);
    blog.assert_publishes((1..=40).filter(|number| *number != 30));

    assert!(blog.page_objects() > blog.index()["pages"].as_array().expect("pages").len());
    let last = Instant::now() + Duration::from_millis(300);
    sleep_until(blog.pages.next_removal().expect("old pages").max(last)).await;
    blog.pages.round().await.expect("a round");
    assert_eq!(
        blog.page_objects(),
        blog.index()["pages"].as_array().expect("pages").len()
    );
    assert_eq!(blog.pages.next_removal(), None);
    blog.assert_publishes((1..=40).filter(|number| *number != 30));
}

#[tokio::test]
async fn failed_writes_are_repeated_when_the_store_is_back_or_at_the_next_start() {
    let mut blog = Blog::new().await;
    assert_eq!(blog.starts().await, SnapshotOwner::Own);
    for number in 1..=12 {
        blog.add(number).await;
    }
    blog.store.is(StoreMode::ReadOnly(503));
    assert!(blog.pages.round().await.is_err());
    blog.assert_publishes([]);
    blog.store.is(StoreMode::Well);
    blog.pages.round().await.expect("a round");
    blog.assert_publishes(1..=12);

    // Killed before the round.
    blog.add(13).await;
    assert_eq!(blog.starts().await, SnapshotOwner::Own);
    blog.assert_publishes(1..=13);
    // A start with nothing to do writes nothing.
    let before = blog.store.count(&Method::PUT);
    assert_eq!(blog.starts().await, SnapshotOwner::Own);
    assert_eq!(blog.store.count(&Method::PUT), before);
}

#[tokio::test]
async fn a_start_compares_the_store_with_the_rows() {
    let mut blog = Blog::new().await;
    for number in 1..=12 {
        blog.add(number).await;
    }
    blog.starts().await;
    let page = blog.index()["pages"][1]["name"]
        .as_str()
        .expect("a name")
        .to_owned();
    blog.store.lose(&format!("{PREFIX}images/{page}.json"));
    blog.store
        .holds("porchlight/images/0123456789abcdef.json", "{}");
    blog.starts().await;
    blog.assert_publishes(1..=12);
    // On a busy machine the start has removed the stray page already.
    if let Some(due) = blog.pages.next_removal() {
        sleep_until(due).await;
        blog.pages.round().await.expect("a round");
    }
    assert_eq!(
        blog.page_objects(),
        blog.index()["pages"].as_array().expect("pages").len()
    );

    blog.store.lose("porchlight/images/index.json");
    blog.starts().await;
    blog.assert_publishes(1..=12);
}

#[tokio::test]
async fn second_names_have_objects_of_their_own() {
    let mut blog = Blog::new().await;
    blog.add(1).await;
    let [one, two] = ["01", "02"].map(|digits| digits.to_owned() + &"0".repeat(30));
    let (image, name): (ImageHash, ImageHash) =
        (one.parse().expect("a hash"), two.parse().expect("a hash"));
    let alias = blog.database.write(move |write| {
        images::add_alias(write, name, image)?;
        Ok::<_, DatabaseError>(())
    });
    alias.await.expect("a second name");
    blog.starts().await;
    let object = format!("{PREFIX}names/{two}");
    assert_eq!(blog.store.content(&object).as_deref(), Some(one.as_bytes()));
    assert_eq!(blog.written_by_a_round().await, 0);

    blog.store.lose(&object);
    blog.store.holds(&format!("{PREFIX}names/{one}"), "stray");
    blog.starts().await;
    assert_eq!(blog.store.content(&object).as_deref(), Some(one.as_bytes()));
    assert_eq!(blog.store.content(&format!("{PREFIX}names/{one}")), None);

    blog.delete(1).await;
    blog.pages.round().await.expect("a round");
    assert_eq!(blog.store.content(&object), None);
}

#[tokio::test]
async fn the_places_that_seeds_draw_from_are_published_while_there_are_few() {
    let mut blog = Blog::new().await;
    // On several pages, and in another order than there.
    let all = [9, 5, 12, 3, 10, 4, 11, 6, 7, 8, 20, 1, 13];
    for number in all {
        blog.add(number).await;
    }
    blog.starts().await;
    blog.put_in_albums("'cats'").await;
    blog.pages.round().await.expect("a round");
    assert!(blog.index()["pages"].as_array().expect("pages").len() > 1);
    let widths = |blog: &Blog, class: &str| -> Vec<Option<u64>> {
        let list = blog.published();
        let places = blog.places().expect("places");
        let of_class = places["positions"][class].as_array().expect("a class");
        let width = |place: &Value| Some(list[place.as_u64()? as usize]);
        of_class.iter().map(width).collect()
    };
    let expected = |numbers: &[u64]| numbers.iter().copied().map(Some).collect::<Vec<_>>();
    assert_eq!(widths(&blog, "*/cats"), expected(&all.map(u64::from)));
    assert_eq!(widths(&blog, "p"), expected(&[5, 3, 4, 6, 1]));
    assert_eq!(widths(&blog, "s"), expected(&[7]));

    blog.delete(5).await;
    blog.pages.round().await.expect("a round");
    let mut left = expected(&all.map(u64::from));
    left[1] = None;
    assert_eq!(widths(&blog, "*"), left);

    let places = blog.places().expect("places");
    let name = blog.index()["places"].as_str().expect("a name").to_owned();
    blog.store.lose(&format!("{PREFIX}images/{name}.json"));
    blog.starts().await;
    assert_eq!(blog.places(), Some(places));

    // Two places each.
    blog.put_in_albums("NULL").await;
    for number in 21..=80 {
        blog.add(number).await;
    }
    blog.pages.round().await.expect("a round");
    assert_eq!(blog.places(), None);
}

#[tokio::test]
async fn albums_are_left_out_of_an_index_that_would_have_too_many() {
    let mut blog = Blog::new().await;
    for number in 1..=70 {
        blog.add(number).await;
    }
    blog.starts().await;
    assert_eq!(blog.index()["albums"], true);
    blog.put_in_albums("width").await;
    blog.pages.round().await.expect("a round");
    assert_eq!(blog.index()["albums"], false);
    for page in blog.index()["pages"].as_array().expect("pages") {
        let classes = page["classes"].as_object().expect("classes");
        let names = ["landscape/", "portrait/", "square/"];
        assert!(classes.keys().all(|name| names.contains(&name.as_str())));
        let counts = classes.values().filter_map(Value::as_u64);
        assert_eq!(Some(counts.sum::<u64>()), page["count"].as_u64());
    }
    blog.put_in_albums("'cats'").await;
    blog.pages.round().await.expect("a round");
    assert_eq!(blog.index()["albums"], true);
}
