//! Random images of each class are uniform, and seeds keep theirs.

use std::collections::HashMap;
use std::hash::Hash;
use std::time::Instant;

use rusqlite::Connection;
use sha2::{Digest as _, Sha256};

use super::{ImageClass, Orientation, bucket, key_of};
use crate::clock::Clock;
use crate::clock::timestamp::Timestamp;
use crate::images::row::{NewImage, StoredImage};
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
    for tables in [table::CREATE, names, super::CREATE, trash] {
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

fn drawn(connection: &Connection, class: &ImageClass, key: u64) -> Option<i64> {
    class.draw(connection, key).expect("a draw")
}

/// Which image each of many seeds draws.
fn seeds(connection: &Connection, class: &ImageClass) -> Vec<Option<i64>> {
    let seeds = (0..4_000).map(|number| key_of(&format!("seed {number}")));
    seeds.map(|key| drawn(connection, class, key)).collect()
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
        let keys = (0..images * 10).map(|number| key_of(&format!("draw {number}")));
        let images_drawn = keys.map(|key| drawn(&connection, &class, key).expect("an image"));
        assert_uniform(images_drawn.collect(), images, &format!("{class:?}"));
    }
}

#[tokio::test]
async fn each_of_10_000_images_is_as_likely_by_the_services_own_random_keys() {
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
    assert_uniform(hashes, 10_000, "random keys");
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
    assert_eq!(drawn(&connection, &of(Orientation::Square), 1), None);
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
    let rows = connection.query_row("SELECT count(*) FROM image_place", [], |row| row.get(0));
    assert_eq!(rows, Ok(0), "nothing is left of a class without images");
    assert_eq!(drawn(&connection, &all(), 1), None);
}

fn id_of(connection: &Connection, number: u32) -> i64 {
    let query = "SELECT id FROM image WHERE hash = ?1";
    let id = connection.query_row(query, [name(number).as_bytes()], |row| row.get(0));
    id.expect("an image")
}

#[test]
fn a_seed_loses_its_image_only_to_a_new_one_or_with_it() {
    // Each of these numbers is in all three classes.
    let classes = [all(), of(Orientation::Portrait), cats()];
    let mut connection = empty();
    add(&mut connection, 0..220);
    let mut before = classes.each_ref().map(|class| seeds(&connection, class));
    // The second new one gets the place that became free.
    for (is_new, number) in [
        (true, 220),
        (false, 4),
        (true, 232),
        (false, 232),
        (false, 16),
    ] {
        let gone = (!is_new).then(|| id_of(&connection, number));
        if is_new {
            add(&mut connection, number..number + 1);
        } else {
            delete(&mut connection, number);
        }
        for (class, before) in classes.iter().zip(&mut before) {
            let now = seeds(&connection, class);
            assert_eq!(seeds(&connection, class), now, "the same for the same");
            let moved: Vec<_> = before
                .iter()
                .zip(&now)
                .filter(|(one, other)| one != other)
                .collect();
            let meant = if is_new {
                Some(id_of(&connection, number))
            } else {
                gone
            };
            for (was, is) in &moved {
                assert_eq!(
                    *if is_new { is } else { was },
                    &meant,
                    "{class:?}: {number}"
                );
            }
            let images = class.count(&connection).expect("a count") as f64;
            let share = now.len() as f64 / images;
            // Five standard deviations.
            let most = share + 5.0 * share.sqrt();
            assert!(
                !moved.is_empty() && (moved.len() as f64) < most,
                "{} of {most}",
                moved.len()
            );
            *before = now;
        }
    }
}

#[test]
fn where_most_places_are_free_all_images_are_compared() {
    let mut connection = empty();
    add(&mut connection, 0..3_000);
    for number in 0..2_997 {
        delete(&mut connection, number);
    }
    let before = seeds(&connection, &all());
    let mut counts: HashMap<Option<i64>, u32> = HashMap::new();
    for image in &before {
        *counts.entry(*image).or_default() += 1;
    }
    // A third of 4,000 each, with a standard deviation of 30.
    let is_right = |count: &u32| (1_183..=1_483).contains(count);
    assert!(
        counts.len() == 3 && counts.values().all(is_right),
        "{counts:?}"
    );
    let gone = id_of(&connection, 2_997);
    delete(&mut connection, 2_997);
    let now = seeds(&connection, &all());
    let moved = before.iter().zip(now).filter(|(was, is)| *was != is);
    assert!(moved.into_iter().all(|(was, _)| *was == Some(gone)));
}

#[test]
fn one_more_place_takes_keys_from_the_others_and_moves_no_other() {
    for places in 1..50 {
        for key in 0..500_u64 {
            let (before, now) = (bucket(key, places), bucket(key, places + 1));
            assert!(now == before || now == places, "{key} of {places}");
        }
    }
}

/// The Worker's tests read the same file.
#[test]
fn seeds_draw_as_at_the_worker() {
    let rules = include_str!("../../../../../edge/tests/harness/rules.json");
    let rules: serde_json::Value = serde_json::from_str(rules).expect("JSON");
    for draws in rules["draws"].as_array().expect("draws") {
        let connection = empty();
        let taken = draws["taken"].as_array().expect("ranges").iter();
        let ranges =
            taken.map(|range| [&range[0], &range[1]].map(|end| end.as_i64().expect("a place")));
        let ranges: Vec<[i64; 2]> = ranges.collect();
        for place in 0..draws["places"].as_i64().expect("a count") {
            let is_taken = ranges
                .iter()
                .any(|[first, last]| (*first..=*last).contains(&place));
            let row = (place, is_taken.then_some(place));
            let query = "INSERT INTO image_place (class, place, image) VALUES ('*', ?1, ?2)";
            connection.execute(query, row).expect("a place");
        }
        let seeds = rules["seeds"].as_array().expect("seeds").iter();
        for (seed, place) in seeds.zip(draws["drawn"].as_array().expect("places")) {
            let key = key_of(seed.as_str().expect("a seed"));
            assert_eq!(drawn(&connection, &all(), key), place.as_i64(), "{seed}");
        }
    }
}

/// What the service does for `/random_image` beside HTTP.
#[test]
#[ignore = "a minute: `cargo xtask verify --only draws`"]
fn a_draw_among_a_million_takes_less_than_a_third_of_a_millisecond() {
    let file = tempfile::NamedTempFile::new().expect("a file");
    let mut connection = with_tables(Connection::open(file.path()).expect("a database"));
    connection
        .pragma_update(None, "synchronous", "OFF")
        .expect("a pragma");
    add(&mut connection, 0..1_000_000);
    drop(connection);
    let connection = Connection::open(file.path()).expect("a database");
    for class in [all(), of(Orientation::Portrait), cats()] {
        let mut times: Vec<_> = (0..10_000)
            .map(|number| {
                let key = key_of(&format!("draw {number}"));
                let began = Instant::now();
                let image = drawn(&connection, &class, key).expect("an image");
                let image = table::numbered(&connection, image).expect("a row");
                assert!(image.is_some());
                began.elapsed()
            })
            .collect();
        times.sort_unstable();
        let (median, slow) = (times[5_000], times[9_900]);
        println!("{class:?}: {median:?}, p99 {slow:?}");
        assert!(slow.as_micros() < 300, "{class:?}: {slow:?}");
    }
}
