//! The search against a scan of everything.

use std::path::Path;

use rand::rngs::StdRng;
use rand::{RngExt as _, SeedableRng as _};

use super::*;
use crate::clock::Clock;
use crate::images::row::NewImage;
use crate::service::Service;
use crate::settings::Settings;
use crate::settings::sections::StorageKind;

mod albums;
mod order;

struct Fixture {
    service: Service,
    _folder: tempfile::TempDir,
}

impl Fixture {
    async fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let service = open(folder.path()).await;
        Self {
            service,
            _folder: folder,
        }
    }

    async fn add(&self, images: Vec<NewImage>) {
        let added = self.service.images().0.database.write(move |transaction| {
            for image in &images {
                table::insert(transaction, image)?;
            }
            Ok::<_, DatabaseError>(())
        });
        added.await.expect("rows");
    }

    async fn alias(&self, name: ImageHash, of: ImageHash) {
        let database = &self.service.images().0.database;
        let added = database.write(move |transaction| {
            Ok::<_, DatabaseError>(table::add_alias(transaction, name, of)?)
        });
        added.await.expect("a row");
    }

    async fn search(&self, wanted: ImageSearch, offset: u64, limit: u32) -> (Vec<ImageHash>, u64) {
        let found = self.service.images().search(wanted, offset, limit).await;
        let found = found.expect("an answer");
        let names = found.images.iter().map(|found| found.image.hash);
        (names.collect(), found.total)
    }
}

async fn open(folder: &Path) -> Service {
    Service::open(folder, Settings::default(), Clock::system())
        .await
        .expect("a data folder")
}

fn hash(digits: &str) -> ImageHash {
    format!("{digits:0<32}").parse().expect("a hash")
}

fn prefix(digits: &str) -> ImageSearch {
    ImageSearch {
        prefix: Some(digits.parse().expect("a prefix")),
        ..ImageSearch::default()
    }
}

fn time(millis: i64) -> Option<Timestamp> {
    Some(Timestamp::from_millis(millis))
}

fn image(hash: ImageHash, created_at: i64) -> NewImage {
    let mut sha256 = [0; 32];
    sha256[..16].copy_from_slice(hash.as_bytes());
    NewImage {
        image: StoredImage {
            hash,
            size: 10,
            width: 4,
            height: 3,
            created_at: Timestamp::from_millis(created_at),
            place: StorageKind::Disk,
        },
        sha256,
        frames: 2,
        source_digest: sha256,
        source_size: 99,
        source_format: "gif".into(),
        name: None,
        preview: None,
        album: None,
    }
}

#[tokio::test]
async fn every_search_page_matches_a_scan_of_all_images() {
    let fixture = Fixture::new().await;
    let mut rng = StdRng::seed_from_u64(11);
    let mut all: Vec<(ImageHash, i64)> = Vec::new();
    for _ in 0..300 {
        let name = ImageHash::from_bytes(rng.random());
        // Few times, so that many share one.
        all.push((name, rng.random_range(-5..30)));
    }
    fixture
        .add(all.iter().map(|(name, at)| image(*name, *at)).collect())
        .await;
    all.sort_by_key(|(name, at)| (-at, *name));
    let ends = [i64::MIN, -6, -5, 0, 7, 8, 29, 30, i64::MAX];
    let times = || ends.into_iter().map(Some).chain([None]);
    for digits in ["", "a", "A3", "07"] {
        for from in times() {
            for to in times() {
                let mut wanted = if digits.is_empty() {
                    ImageSearch::default()
                } else {
                    prefix(digits)
                };
                wanted.from = from.and_then(time);
                wanted.to = to.and_then(time);
                let expected: Vec<ImageHash> = all
                    .iter()
                    .filter(|(name, at)| {
                        name.to_string().starts_with(&digits.to_lowercase())
                            && from.is_none_or(|from| *at >= from)
                            && to.is_none_or(|to| *at < to)
                    })
                    .map(|(name, _)| *name)
                    .collect();
                for (offset, limit) in [(0, 500), (0, 3), (1, 4), (17, 20), (299, 5), (1 << 40, 9)]
                {
                    let end = expected.len().min((offset + u64::from(limit)) as usize);
                    let start = end.min(offset as usize);
                    assert_eq!(
                        fixture.search(wanted.clone(), offset, limit).await,
                        (expected[start..end].to_vec(), expected.len() as u64),
                        "{digits:?} {from:?} {to:?} {offset} {limit}"
                    );
                }
            }
        }
    }
}

#[tokio::test]
async fn an_image_is_found_once_by_each_of_its_names_and_under_its_own() {
    let fixture = Fixture::new().await;
    let own = hash("abc1");
    fixture
        .add(vec![image(own, 5), image(hash("abd"), 9)])
        .await;
    fixture.alias(hash("abc2"), own).await;
    fixture.alias(hash("77"), own).await;
    assert_eq!(fixture.search(prefix("77"), 0, 10).await, (vec![own], 1));
    assert_eq!(fixture.search(prefix("7"), 0, 10).await, (vec![own], 1));
    assert_eq!(fixture.search(prefix("abc"), 0, 10).await, (vec![own], 1));
    let both = (vec![hash("abd"), own], 2);
    assert_eq!(fixture.search(prefix("ab"), 0, 10).await, both);
    let only_then = ImageSearch {
        to: time(9),
        ..prefix("77")
    };
    assert_eq!(fixture.search(only_then, 0, 10).await, (vec![own], 1));
    let later = ImageSearch {
        from: time(6),
        ..prefix("77")
    };
    assert_eq!(fixture.search(later, 0, 10).await, (vec![], 0));

    let images = fixture.service.images();
    let named = images
        .named(vec![hash("77"), hash("99"), hash("abd")])
        .await;
    let named: Vec<ImageHash> = named
        .expect("rows")
        .iter()
        .map(|details| details.image.hash)
        .collect();
    assert_eq!(named, [own, hash("abd")]);
}

#[tokio::test]
async fn where_there_are_none_nothing_is_found() {
    let fixture = Fixture::new().await;
    assert_eq!(
        fixture.search(ImageSearch::default(), 0, 10).await,
        (vec![], 0)
    );
    assert_eq!(fixture.search(prefix("a"), 0, 10).await, (vec![], 0));
    assert_eq!(most_viewed(&fixture, 12).await, []);
}

/// The most viewed images of all time, with their views.
async fn most_viewed(fixture: &Fixture, limit: u32) -> Vec<(ImageHash, u64)> {
    let ever = [i64::MIN, i64::MAX].map(Timestamp::from_millis);
    let images = fixture.service.images();
    let most = images.most_viewed(ever[0], ever[1], limit).await;
    let most = most.expect("rows");
    assert!(most.iter().all(|(image, views)| image.views == *views));
    let found = most.iter().map(|(image, views)| (image.image.hash, *views));
    found.collect()
}

#[tokio::test]
async fn details_contain_the_source_and_views() {
    let fixture = Fixture::new().await;
    let names: Vec<ImageHash> = (0..14).map(|n| hash(&format!("{n:02}"))).collect();
    fixture
        .add(names.iter().map(|name| image(*name, 1)).collect())
        .await;
    let stats = fixture.service.stats();
    for (views, name) in names.iter().enumerate() {
        for _ in 0..views.min(9) {
            stats.view(*name);
        }
    }
    stats.write().await.expect("written");
    let images = fixture.service.images();
    let found = images.search(prefix("04"), 0, 1).await.expect("an answer");
    let found = &found.images[0];
    assert_eq!((found.source_size, found.frames, found.views), (99, 2, 4));
    assert_eq!(found.source_format, "gif");

    let most = most_viewed(&fixture, 12).await;
    // Nine views each of 9 to 13, then eight of 8, down to two of 2.
    let expected = [9, 10, 11, 12, 13, 8, 7, 6, 5, 4, 3, 2];
    assert_eq!(most, expected.map(|n| (names[n], n.min(9) as u64)));

    let space = images.space().await.expect("sums");
    assert_eq!(
        (space.pictures, space.stored, space.sources),
        (14, 140, 14 * 99)
    );

    // A deleted image has no views, and takes no space.
    assert!(images.delete(names[10]).await.expect("a delete"));
    let space = images.space().await.expect("sums");
    assert_eq!(
        (space.pictures, space.stored, space.sources),
        (13, 130, 13 * 99)
    );
    let most = most_viewed(&fixture, 2).await;
    assert_eq!(most, [(names[9], 9), (names[11], 9)]);
}

#[test]
fn a_prefix_is_one_to_thirty_two_hexadecimal_digits() {
    for wrong in [
        "",
        "g",
        "ab c",
        "é",
        " ",
        "0123456789abcdef0123456789abcdef0",
    ] {
        assert_eq!(wrong.parse::<HashPrefix>(), Err(NoPrefix), "{wrong:?}");
    }
    let whole: HashPrefix = "0123456789ABCDEF0123456789abcdef".parse().expect("one");
    assert_eq!(whole.first, whole.last);
}

#[tokio::test]
async fn a_part_of_the_name_finds_an_image_in_any_case_and_each_once() {
    let fixture = Fixture::new().await;
    let named = |digits: &str, at: i64, name: &str| NewImage {
        name: Some(name.to_owned()),
        ..image(hash(digits), at)
    };
    let nameless = image(hash("be"), 4);
    let images = [
        named("a1", 1, "Évening 100%_Harbour"),
        named("a2", 2, "harbour"),
        named("be1", 3, "bee"),
    ];
    fixture
        .add(images.into_iter().chain([nameless]).collect())
        .await;
    let found = async |name: &str, digits: Option<&str>, from: Option<i64>| {
        let wanted = ImageSearch {
            prefix: digits.map(|digits| digits.parse().expect("a prefix")),
            name: Some(name.to_owned()),
            from: from.and_then(time),
            to: None,
            ..ImageSearch::default()
        };
        let (images, total) = fixture.search(wanted, 0, 10).await;
        assert_eq!(images.len() as u64, total, "{name}");
        images
    };
    let [first, second, bee, plain] = ["a1", "a2", "be1", "be"].map(hash);
    assert_eq!(found("HARBOUR", None, None).await, [second, first]);
    assert_eq!(found("évening", None, None).await, [first]);
    assert_eq!(found("harbour", None, Some(2)).await, [second]);
    assert_eq!(found("%", None, None).await, [first]);
    assert_eq!(found("_har", None, None).await, [first]);
    assert_eq!(found("r%h", None, None).await, []);
    // What may be either is sought as both.
    assert_eq!(found("be", Some("be"), None).await, [plain, bee]);
    assert_eq!(
        found("b", Some("b"), None).await,
        [plain, bee, second, first]
    );

    let images = fixture.service.images();
    images
        .name_image(second, " Old\nmill ")
        .await
        .expect("named");
    images.name_image(first, "").await.expect("named");
    assert_eq!(found("harbour", None, None).await, []);
    assert_eq!(found("old mill", None, None).await, [second]);
    let known = images.named(vec![second, first]).await.expect("images");
    let names: Vec<_> = known.iter().map(|one| one.name.as_deref()).collect();
    assert_eq!(names, [Some("Old mill"), None]);
    assert!(images.delete(second).await.expect("deleted"));
    assert_eq!(found("old mill", None, None).await, []);
}
