//! Random images of each class are uniform, and seeds keep theirs.

use std::collections::HashMap;
use std::hash::Hash;

use rusqlite::Connection;
use sha2::{Digest as _, Sha256};

use super::{ImageClass, Orientation};
use crate::clock::Clock;
use crate::clock::timestamp::Timestamp;
use crate::images::row::{ListedImage, NewImage, StoredImage};
use crate::images::table;
use crate::service::Service;
use crate::settings::Settings;
use crate::storage::StorageKind;
use crate::text::image_hash::ImageHash;

fn empty() -> Connection {
    with_tables(Connection::open_in_memory().expect("a database"))
}

fn with_tables(connection: Connection) -> Connection {
    let (names, trash) = (
        crate::images::names::CREATE,
        crate::images::trash_table::CREATE,
    );
    for tables in [table::CREATE, names, trash] {
        connection.execute_batch(tables).expect("the tables");
    }
    connection
}

/// A third is wider than high, a third higher than wide, a third square; every fourth is in an album.
fn add(connection: &mut Connection, numbers: std::ops::Range<u32>) {
    let transaction = connection.transaction().expect("a transaction");
    for number in numbers {
        let sha256: [u8; 32] = Sha256::digest(number.to_be_bytes()).into();
        let (width, height) = [(3, 2), (2, 3), (2, 2)][number as usize % 3];
        let new = NewImage {
            image: StoredImage {
                hash: name(number),
                size: 1,
                width,
                height,
                created_at: Timestamp::from_millis(number.into()),
                place: StorageKind::Disk,
            },
            sha256,
            frames: 1,
            source_digest: sha256,
            source_size: 1,
            source_format: "PNG".into(),
            name: None,
            preview: None,
            album: (number % 4 == 0).then(|| "cats".to_owned()),
        };
        table::insert(&transaction, &new).expect("an image");
    }
    transaction.commit().expect("a commit");
}

fn name(number: u32) -> ImageHash {
    ImageHash::of_sha256(&Sha256::digest(number.to_be_bytes()).into())
}

fn delete(connection: &mut Connection, number: u32) {
    let transaction = connection.transaction().expect("a transaction");
    assert!(table::delete(&transaction, name(number)).expect("a delete"));
    transaction.commit().expect("a commit");
}

fn all() -> ImageClass {
    ImageClass::default()
}

fn of(orientation: Orientation) -> ImageClass {
    ImageClass {
        orientation: Some(orientation),
        album: None,
    }
}

fn cats() -> ImageClass {
    ImageClass {
        orientation: None,
        album: Some("cats".to_owned()),
    }
}

fn hash_of(found: rusqlite::Result<Option<ListedImage>>) -> Option<ImageHash> {
    found.expect("a draw").map(|found| found.image.hash)
}

fn drawn(connection: &Connection, class: &ImageClass) -> Option<ImageHash> {
    hash_of(class.draw(connection))
}

/// Which image each of many seeds draws.
fn seeds(connection: &Connection, class: &ImageClass) -> Vec<Option<ImageHash>> {
    let seeds = (0..4_000).map(|number| format!("seed {number}"));
    seeds
        .map(|seed| hash_of(class.of_seed(connection, &seed)))
        .collect()
}

/// 10,000 images, after holes of which some were filled again.
fn ten_thousand(connection: &mut Connection) {
    add(connection, 0..10_000);
    for number in (0..10_000).step_by(7) {
        delete(connection, number);
    }
    add(connection, 10_000..11_429);
}

/// By a chi-square test of the images that were drawn.
fn assert_uniform<T: Eq + Hash>(drawn: Vec<T>, images: usize, what: &str) {
    let expected = drawn.len() as f64 / images as f64;
    let mut counts: HashMap<T, f64> = HashMap::new();
    for image in drawn {
        *counts.entry(image).or_default() += 1.0;
    }
    let missing = (images - counts.len()) as f64 * expected;
    let sum = counts
        .values()
        .map(|count| (count - expected).powi(2) / expected);
    let chi_square = sum.sum::<f64>() + missing;
    // The chi-square of so many degrees of freedom is about normal: five deviations.
    let freedom = images as f64 - 1.0;
    let most = freedom + 5.0 * (2.0 * freedom).sqrt();
    assert!(chi_square < most, "{what}: {chi_square} of {most}");
}

#[test]
fn each_image_of_a_class_is_as_likely_as_the_others() {
    let mut connection = empty();
    ten_thousand(&mut connection);
    assert_eq!(all().count(&connection), Ok(10_000));
    let wide_cats = ImageClass {
        orientation: Some(Orientation::Landscape),
        ..cats()
    };
    for class in [
        all(),
        of(Orientation::Landscape),
        of(Orientation::Portrait),
        of(Orientation::Square),
        cats(),
        wide_cats,
    ] {
        let images = class.count(&connection).expect("a count") as usize;
        let images_drawn = (0..images * 3).map(|_| drawn(&connection, &class).expect("an image"));
        assert_uniform(images_drawn.collect(), images, &format!("{class:?}"));
    }
}

#[tokio::test]
async fn each_of_10_000_images_is_as_likely_over_the_service() {
    let folder = tempfile::tempdir().expect("a folder");
    let service = Service::open(folder.path(), Settings::default(), Clock::system()).await;
    let service = service.expect("a data folder");
    let file = folder.path().join("porchlight.db");
    ten_thousand(&mut Connection::open(file).expect("the database"));
    let images = service.images();
    assert_eq!(images.count().await.expect("a count"), 10_000);
    let mut hashes = Vec::new();
    for _ in 0..50_000 {
        let image = images.random(all(), None).await.expect("a draw");
        hashes.push(image.expect("an image").image.hash);
    }
    assert_uniform(hashes, 10_000, "draws");
}

#[test]
fn classes_follow_what_is_added_changed_and_deleted() {
    let mut connection = empty();
    add(&mut connection, 0..24);
    let count =
        |connection: &Connection, class: ImageClass| class.count(connection).expect("a count");
    assert_eq!(count(&connection, all()), 24);
    assert_eq!(count(&connection, of(Orientation::Square)), 8);
    assert_eq!(count(&connection, cats()), 6);
    connection
        .execute_batch(
            "UPDATE image SET album = 'dogs' WHERE album = 'cats' AND width > height;
             UPDATE image SET width = 9, height = 1 WHERE width = height;",
        )
        .expect("changes");
    assert_eq!(count(&connection, of(Orientation::Square)), 0);
    assert_eq!(drawn(&connection, &of(Orientation::Square)), None);
    assert_eq!(count(&connection, of(Orientation::Landscape)), 16);
    let dogs = ImageClass {
        orientation: Some(Orientation::Landscape),
        album: Some("dogs".to_owned()),
    };
    assert_eq!(
        (count(&connection, cats()), count(&connection, dogs)),
        (4, 2)
    );
    for number in 0..24 {
        delete(&mut connection, number);
    }
    assert_eq!(drawn(&connection, &all()), None);
    assert_eq!(seeds(&connection, &all())[0], None);
}

#[test]
fn an_added_image_takes_seeds_and_moves_no_other() {
    let mut connection = empty();
    add(&mut connection, 0..100);
    for class in [all(), of(Orientation::Portrait), cats()] {
        let before = seeds(&connection, &class);
        add(&mut connection, 100..140);
        let after = seeds(&connection, &class);
        let added: Vec<_> = (100..140).map(|number| Some(name(number))).collect();
        let moved = before.iter().zip(&after).filter(|(old, new)| old != new);
        let taken = moved.clone().count();
        assert!((1..4_000).contains(&taken), "{taken}");
        assert!(
            moved.clone().all(|(_, new)| added.contains(new)),
            "{class:?}"
        );
        (100..140).for_each(|number| delete(&mut connection, number));
        assert_eq!(seeds(&connection, &class), before);
    }
}

#[test]
fn a_seed_draws_the_next_hash_around_the_ring() {
    let mut connection = empty();
    add(&mut connection, 0..50);
    let mut hashes: Vec<_> = (0..50).map(name).collect();
    hashes.sort_unstable();
    for number in 0..500 {
        let seed = format!("seed {number}");
        let at = ImageHash::of_sha256(&Sha256::digest(&seed).into());
        let next = hashes
            .iter()
            .find(|hash| **hash >= at)
            .unwrap_or(&hashes[0]);
        assert_eq!(hash_of(all().of_seed(&connection, &seed)), Some(*next));
    }
}

/// What `edge/tests/random.test.ts` expects of the Worker.
#[derive(serde::Deserialize)]
struct Rules {
    seeds: Vec<String>,
    rings: Vec<Ring>,
}

#[derive(serde::Deserialize)]
struct Ring {
    hashes: Vec<ImageHash>,
    /// For each of the seeds.
    drawn: Vec<ImageHash>,
}

#[test]
fn seeds_draw_as_at_the_worker() {
    let rules = include_str!("../../../../../edge/tests/harness/rules.json");
    let rules: Rules = serde_json::from_str(rules).expect("rules");
    for ring in rules.rings {
        let connection = empty();
        for hash in &ring.hashes {
            let insert = "INSERT INTO image (hash, sha256, size, width, height, frames, created_at,
                                             source_size, source_format)
                          VALUES (?1, randomblob(32), 1, 2, 3, 1, 0, 1, 'PNG')";
            connection.execute(insert, [hash]).expect("an image");
        }
        for (seed, drawn) in rules.seeds.iter().zip(ring.drawn) {
            let found = hash_of(all().of_seed(&connection, seed));
            assert_eq!(found, Some(drawn), "{seed}");
        }
    }
}
