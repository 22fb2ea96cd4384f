//! A data folder of a build before the first version, with something in every table, is opened with
//! all of it.

use std::path::Path;

use porchlight_api::{Scope, Timestamp};
use rusqlite::Connection;

use super::{
    OpenDatabaseError, database_file, difference, open_beside, open_read_only, without_layout,
};
use crate::Service;
use crate::clock::StoppedClock;
use crate::images::ImageSearch;
use crate::settings::{Settings, StorageKind};
use crate::stats::Endpoint;
use crate::tokens::Tokens;

const START: i64 = 1_000_000_000_000;
const MINUTE: i64 = 60_000;

/// The tables as the last build before the first version left them.
const UNRELEASED: &str = include_str!("unreleased.sql");

/// These tables with rows.
fn write_unreleased(file: &Path) {
    let database = Connection::open(file).expect("a database");
    database.execute_batch(UNRELEASED).expect("the tables");
    let rows = format!(
        "INSERT INTO token (name, scope, digest, created_at, last_used)
         VALUES ('blog', 'upload', x'01', {START}, NULL), ('me', 'admin', x'02', {START}, {START});
         INSERT INTO first_run VALUES (1, {START});
         INSERT INTO presence VALUES (1, {START} + 9 * {MINUTE}, 'b', 'line', '1,2,3,1', 1);
         INSERT INTO presence_change (at, application, introduce, rgba, online, until)
         VALUES ({START}, 'a', '', '', 1, {START}),
                ({START} + {MINUTE}, 'b', 'line', '1,2,3,1', 1, {START} + 9 * {MINUTE});
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
async fn a_folder_of_today_keeps_everything() {
    let folder = tempfile::tempdir().expect("a folder");
    write_unreleased(&database_file(folder.path()));
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

        let found = service.images().search(ImageSearch::default(), 0, 10).await;
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

fn version(file: &Path) -> i64 {
    let database = Connection::open(file).expect("a database");
    let version = database.pragma_query_value(None, "user_version", |row| row.get(0));
    version.expect("a version")
}

#[tokio::test]
async fn a_program_beside_the_service_leaves_the_version_as_it_is() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = database_file(folder.path());
    write_unreleased(&file);
    let refused = [
        open_beside(&file).await.err(),
        open_read_only(&file).await.err(),
    ];
    for why in refused {
        assert!(matches!(why, Some(OpenDatabaseError::Older(_))), "{why:?}");
    }
    assert_eq!(version(&file), 17);
    open(folder.path(), START).await.close().await;
    let tokens = Tokens::open_beside(folder.path()).await.expect("tokens");
    assert_eq!(tokens.list().await.expect("tokens").len(), 2);
    open_read_only(&file).await.expect("a database");
    assert_eq!(version(&file), 5);
}

#[tokio::test]
async fn tables_of_an_earlier_build_are_left_as_they_are() {
    for written in [1, 16] {
        let folder = tempfile::tempdir().expect("a folder");
        let file = database_file(folder.path());
        write_unreleased(&file);
        let database = Connection::open(&file).expect("a database");
        database
            .execute_batch("ALTER TABLE publisher DROP COLUMN has_published")
            .expect("tables");
        database
            .pragma_update(None, "user_version", written)
            .expect("a version");
        drop(database);
        let before = std::fs::read(&file).expect("a database");
        let refused = [
            crate::schema::open(&file).await.err(),
            open_beside(&file).await.err(),
            open_read_only(&file).await.err(),
        ];
        for why in refused {
            let why = why.expect("refused").to_string();
            assert!(why.contains(file.to_str().expect("UTF-8")), "{why}");
            assert!(why.contains("version 17"), "{why}");
        }
        assert_eq!(std::fs::read(&file).expect("a database"), before);
    }
}

#[tokio::test]
async fn tables_of_a_newer_version_are_refused_and_left_as_they_are() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = database_file(folder.path());
    write_unreleased(&file);
    for written in [6, 18] {
        Connection::open(&file)
            .and_then(|database| database.pragma_update(None, "user_version", written))
            .expect("a version");
        let before = std::fs::read(&file).expect("a database");
        for why in [
            crate::schema::open(&file).await.err(),
            open_beside(&file).await.err(),
            open_read_only(&file).await.err(),
        ] {
            assert!(
                matches!(why, Some(OpenDatabaseError::Newer(_))),
                "{written}: {why:?}"
            );
        }
        assert_eq!(std::fs::read(&file).expect("a database"), before);
    }
}

#[tokio::test]
async fn the_workers_place_is_added_to_both_tables_or_nothing_changes() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = database_file(folder.path());
    write_unreleased(&file);
    let database = Connection::open(&file).expect("a database");
    let texts = || {
        let mut texts = database.prepare("SELECT name, sql FROM sqlite_schema ORDER BY name")?;
        let texts = texts.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
        texts.collect::<rusqlite::Result<Vec<(String, Option<String>)>>>()
    };
    // As another program might have written the table again.
    let edit = "UPDATE sqlite_schema SET sql = replace(sql, '(0, 1)', '(0,1)')
                WHERE name = 'removal'";
    database
        .execute_batch(&format!(
            "PRAGMA writable_schema = ON; {edit}; PRAGMA writable_schema = RESET;"
        ))
        .expect("a schema");
    let before = texts().expect("a schema");
    let removal = before.iter().find(|(name, _)| name == "removal");
    let removal = removal.and_then(|(_, sql)| sql.as_ref()).expect("a table");
    assert!(removal.contains("(0,1)"), "{removal}");
    let refused = crate::schema::open(&file).await.err();
    assert!(
        matches!(refused, Some(OpenDatabaseError::Damaged(..))),
        "{refused:?}"
    );
    assert_eq!(texts().expect("a schema"), before);
    let rows = database.query_row("SELECT count(*) FROM image", [], |row| row.get(0));
    assert_eq!(rows, Ok(2));
}

#[tokio::test]
async fn foreign_objects_in_the_tables_of_each_version_are_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let first = folder.path().join("first.db");
    crate::schema::open(&first)
        .await
        .expect("tables")
        .close()
        .await;
    let unreleased = folder.path().join("unreleased.db");
    write_unreleased(&unreleased);
    for file in [first, unreleased] {
        let database = Connection::open(&file).expect("a database");
        assert_eq!(difference(&database), Ok(None), "{file:?}");
        database
            .execute_batch("CREATE VIEW evil AS SELECT 1")
            .expect("a view");
        let named = difference(&database).expect("a schema");
        assert_eq!(named.as_deref(), Some("view \"evil\""), "{file:?}");
    }
}

#[test]
fn only_the_layout_of_a_table_may_differ() {
    let layout = without_layout("CREATE TABLE a (\n  b TEXT NOT NULL\n, c INTEGER ) STRICT");
    assert_eq!(
        layout,
        without_layout("CREATE TABLE a(b TEXT NOT NULL, c INTEGER) STRICT")
    );
    assert_ne!(
        layout,
        without_layout("CREATE TABLE a(b TEXTNOT NULL, c INTEGER) STRICT")
    );
}
