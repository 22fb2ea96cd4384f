//! A data folder of an earlier version, with something in every table, is
//! opened with all of it.

use std::path::Path;

use porchlight_api::Timestamp;
use rusqlite::Connection;
use rusqlite_migration::{M, Migrations};

use super::{STEPS, difference};
use crate::Service;
use crate::clock::StoppedClock;
use crate::images::Wanted;
use crate::settings::{Settings, StorageKind};
use crate::stats::Endpoint;
use crate::tokens::Scope;

const START: i64 = 1_000_000_000_000;
const MINUTE: i64 = 60_000;

/// The tables as they were, with their rows.
fn write_older(file: &Path) {
    let mut database = Connection::open(file).expect("a database");
    let steps = STEPS[..4].iter().map(|step| M::up(step)).collect();
    let migrated = Migrations::new(steps).to_latest(&mut database);
    migrated.expect("the older tables");
    let rows = format!(
        "INSERT INTO token (name, scope, digest, created_at, last_used)
         VALUES ('blog', 'upload', x'01', {START}, NULL), ('me', 'admin', x'02', {START}, {START});
         INSERT INTO first_run VALUES (1, {START});
         INSERT INTO presence VALUES (1, {START} + 9 * {MINUTE}, 'b', 'line', '1,2,3,1', 1);
         INSERT INTO presence_change (at, application, introduce, rgba, online)
         VALUES ({START}, 'a', '', '', 1), ({START} + {MINUTE}, 'b', 'line', '1,2,3,1', 1);
         INSERT INTO image (hash, sha256, size, width, height, frames, created_at, slot,
                            source_size, source_format)
         VALUES (unhex('{old}'), zeroblob(32), 10, 2, 3, 1, {START}, 1, 99, 'JPEG'),
                (unhex('{new}'), randomblob(32), 20, 4, 5, 7, {START} + 1, 2, 98, 'GIF');
         UPDATE shelf SET count = 2;
         INSERT INTO alias VALUES (unhex('{alias}'), 1);
         INSERT INTO source VALUES (randomblob(32), 1);
         INSERT INTO image_view VALUES (unhex('{old}'), 5, {START}), (unhex('{new}'), 3, {START});
         INSERT INTO call_total VALUES ('{short}', 8, {START});
         INSERT INTO call_hour VALUES ({START} / 3600000, '{short}', 2, 8);",
        old = name('a'),
        new = name('b'),
        alias = name('c'),
        short = Endpoint::ShortImage.path(),
    );
    database.execute_batch(&rows).expect("rows");
}

fn name(digit: char) -> String {
    digit.to_string().repeat(32)
}

async fn open(folder: &Path, now: i64) -> Service {
    let clock = StoppedClock::at(Timestamp::from_millis(now)).clock();
    let settings = Settings {
        history_days: 30,
        ..Settings::default()
    };
    let opened = Service::open(folder, settings, clock).await;
    opened.expect("a data folder of an earlier version")
}

#[tokio::test]
async fn an_upgrade_keeps_everything() {
    let folder = tempfile::tempdir().expect("a folder");
    write_older(&crate::database_file(folder.path()));
    let at = |minutes: i64| Timestamp::from_millis(START + minutes * MINUTE);
    // The second time there is nothing left to bring up to date.
    for _ in 0..2 {
        let service = open(folder.path(), START + 600 * MINUTE).await;

        let tokens = service.tokens().list().await.expect("tokens");
        let found: Vec<_> = tokens
            .iter()
            .map(|token| (token.name.as_str(), token.scope, token.last_used))
            .collect();
        assert_eq!(
            found,
            [
                ("blog", Scope::Upload, None),
                ("me", Scope::Admin, Some(at(0)))
            ]
        );
        let second_start = service
            .tokens()
            .make_first(&[], async |_| Ok::<(), crate::tokens::TokenError>(()));
        assert!(
            !second_start.await.expect("an answer"),
            "the first run is over"
        );

        // The last change was repeated by heartbeats for eight minutes.
        let alive = i64::try_from(service.settings().heartbeat.alive_seconds).expect("seconds");
        let alive = Timestamp::from_millis(START + 9 * MINUTE + alive * 1_000);
        let past = service.presence().history(at(-10), at(600)).await;
        let past: Vec<_> = past
            .expect("the past")
            .into_iter()
            .map(|one| (one.fields.application, one.from, one.to))
            .collect();
        assert_eq!(
            past,
            [
                ("a".to_owned(), at(0), at(1)),
                ("b".to_owned(), at(1), alive)
            ]
        );
        assert_eq!(
            service.presence().check().last_heartbeat,
            at(9).as_seconds()
        );

        let found = service.images().search(Wanted::default(), 0, 10).await;
        let found = found.expect("images");
        let rows: Vec<_> = found
            .images
            .iter()
            .map(|one| (one.image.hash.to_string(), one.frames, one.views))
            .collect();
        assert_eq!(rows, [(name('b'), 7, 3), (name('a'), 1, 5)]);
        assert!(
            found
                .images
                .iter()
                .all(|one| one.image.place == StorageKind::Disk)
        );
        let alias = name('c').parse().expect("a hash");
        let named = service.images().named(vec![alias]).await.expect("images");
        assert_eq!(named[0].image.hash.to_string(), name('a'));

        let space = service.images().space().await.expect("sums");
        assert_eq!((space.stored, space.sources), (30, 197));

        // The day of earlier views is unknown.
        let most_viewed = service.images().most_viewed(at(-60), at(600), 1).await;
        assert_eq!(most_viewed.expect("images"), []);
        assert_eq!(service.stats().total(Endpoint::ShortImage).count, 8);
        let hours = service.stats().hours(at(-60)).await.expect("hours");
        assert_eq!(hours.iter().map(|hour| hour.count).sum::<u64>(), 8);
        service.close().await;
    }
}

#[test]
fn each_version_matches_its_migrations_and_foreign_objects_are_named() {
    for version in 1..=STEPS.len() {
        let mut database = Connection::open_in_memory().expect("a database");
        let steps = STEPS[..version].iter().map(|step| M::up(step)).collect();
        let made = Migrations::new(steps).to_latest(&mut database);
        made.expect("the tables of this version");
        assert_eq!(difference(&database), Ok(None), "{version}");
        database
            .execute_batch("CREATE VIEW evil AS SELECT 1")
            .expect("a view");
        let named = difference(&database).expect("a schema");
        assert_eq!(named.as_deref(), Some("view \"evil\""), "{version}");
    }
}
