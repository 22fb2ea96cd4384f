//! Readers of days, on a clock that the test moves.

use std::net::Ipv4Addr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::Connection;

use super::*;
use crate::clock::StoppedClock;
use crate::clock::timestamp::Timestamp;
use crate::service::Service;
use crate::settings::Settings;

/// Noon on a day like any other.
const NOON: i64 = 20_000 * 86_400_000 + 43_200_000;
const TODAY: i64 = 20_000;

struct Fixture {
    service: Service,
    clock: StoppedClock,
    folder: tempfile::TempDir,
}

impl Fixture {
    async fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let clock = StoppedClock::at(Timestamp::from_millis(NOON));
        Self {
            service: open(folder.path(), &clock).await,
            clock,
            folder,
        }
    }

    async fn restarted(self) -> Self {
        self.service.close().await;
        self.opened_again().await
    }

    /// After it was closed.
    async fn opened_again(self) -> Self {
        Self {
            service: open(self.folder.path(), &self.clock).await,
            ..self
        }
    }

    fn came(&self, readers: &[Reader]) {
        for reader in readers {
            self.service.stats().read_by(*reader);
        }
    }

    fn today(&self) -> (u64, bool) {
        let ReaderCount { count, more } = self.service.stats().readers_today();
        (count, more)
    }

    async fn write(&self) {
        self.service.stats().write().await.expect("written");
    }

    fn digest_file(&self) -> PathBuf {
        file_in(self.folder.path())
    }

    /// What the files hold: the days, and the digests.
    fn kept(&self) -> (Vec<(i64, i64, bool)>, Option<usize>) {
        let file = crate::schema::database_file(self.folder.path());
        let database = Connection::open(file).expect("a database");
        let days = database
            .prepare(
                "SELECT hour / 24, sum(iif(what = 'readers', n, 0)), max(what = 'more readers')
                 FROM count WHERE what IN ('readers', 'more readers')
                 GROUP BY hour ORDER BY hour",
            )
            .and_then(|mut days| {
                days.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?
                    .collect()
            });
        let file = self.digest_file();
        let digests = file.is_file().then(|| read(&file).digests.len());
        (days.expect("days"), digests)
    }
}

async fn open(folder: &Path, clock: &StoppedClock) -> Service {
    let opened = Service::open(folder, Settings::default(), clock.clock()).await;
    opened.expect("a data folder")
}

fn at(number: u32) -> Reader {
    Reader::At(Ipv4Addr::from(number).into())
}

#[tokio::test]
async fn when_the_day_is_over_a_number_stays_and_nothing_else() {
    let fixture = Fixture::new().await;
    fixture.came(&[at(1), at(2), Reader::Unnamed]);
    fixture.write().await;
    // A reader comes in its last moment, before that is written.
    fixture.clock.advance(Duration::from_secs(12 * 60 * 60 - 1));
    fixture.came(&[at(3)]);
    fixture.clock.advance(Duration::from_secs(1));
    assert_eq!(fixture.today(), (0, false));
    fixture.write().await;
    let ended = (TODAY, 3, true);
    assert_eq!(fixture.kept(), (vec![ended], None));
    // The same reader is a new one to the new day.
    fixture.came(&[at(1)]);
    assert_eq!(fixture.today(), (1, false));
    fixture.write().await;
    assert_eq!(
        fixture.kept(),
        (vec![ended, (TODAY + 1, 1, false)], Some(1))
    );
    let from = |day: i64| Timestamp::from_millis(day * 86_400_000);
    let stats = fixture.service.stats();
    let days = stats.readers_between(from(TODAY), from(TODAY + 1)).await;
    let readers = ReaderCount {
        count: 3,
        more: true,
    };
    let today = DayReaders {
        day: TODAY,
        readers,
    };
    assert_eq!(days.expect("days"), [today]);
    let days = stats.readers_between(from(0), from(TODAY + 2)).await;
    assert_eq!(days.expect("days").len(), 2);
}

#[tokio::test]
async fn the_key_of_a_day_that_is_over_is_in_no_file() {
    let fixture = Fixture::new().await;
    fixture.came(&[at(1)]);
    fixture.write().await;
    let key = serde_json::to_string(&read(&fixture.digest_file()).key).expect("a key");
    let holding = || {
        let entries = std::fs::read_dir(fixture.folder.path()).expect("a folder");
        let files = entries.map(|entry| entry.expect("an entry").path());
        files
            .filter(|path| path.is_file())
            .filter(|path| {
                let bytes = std::fs::read(path).expect("readable");
                bytes.windows(key.len()).any(|part| part == key.as_bytes())
            })
            .collect::<Vec<_>>()
    };
    assert_eq!(holding(), [fixture.digest_file()], "today's is in one file");
    fixture.clock.advance(Duration::from_secs(24 * 60 * 60));
    // Also while the service keeps running, which may be for months.
    fixture.write().await;
    assert!(holding().is_empty());
}

#[tokio::test]
async fn a_day_that_ends_while_nothing_runs_is_forgotten_at_the_next_start() {
    let fixture = Fixture::new().await;
    fixture.came(&[at(1), at(2)]);
    fixture.service.close().await;
    fixture.clock.advance(Duration::from_secs(36 * 60 * 60));
    let fixture = fixture.opened_again().await;
    assert_eq!(fixture.today(), (0, false));
    fixture.write().await;
    assert_eq!(fixture.kept(), (vec![(TODAY, 2, false)], None));
}

#[tokio::test]
async fn the_file_does_not_reveal_that_the_same_reader_came_on_two_days() {
    let fixture = Fixture::new().await;
    let mut digests: Vec<i64> = Vec::new();
    for _ in 0..2 {
        fixture.came(&[at(0x0808_0808)]);
        fixture.write().await;
        digests.extend(read(&fixture.digest_file()).digests);
        fixture.clock.advance(Duration::from_secs(24 * 60 * 60));
    }
    assert_ne!(digests[0], digests[1], "{digests:?}");
    let plain: i64 = digest(&Key::default(), Ipv4Addr::from(0x0808_0808).into());
    assert!(!digests.contains(&plain));
}

#[tokio::test]
async fn readers_without_an_address_are_counted_as_more_and_not_as_one() {
    let fixture = Fixture::new().await;
    fixture.came(&[Reader::Unnamed, Reader::Unnamed]);
    assert_eq!(fixture.today(), (0, true));
    let fixture = fixture.restarted().await;
    assert_eq!(fixture.today(), (0, true));
    fixture.came(&[at(1)]);
    assert_eq!(fixture.today(), (1, true));
}

#[tokio::test]
async fn beyond_the_most_there_are_more_and_neither_memory_nor_the_file_grows() {
    let fixture = Fixture::new().await;
    let most = u32::try_from(MOST).expect("a number");
    for number in 0..most {
        fixture.service.stats().read_by(at(number));
    }
    assert_eq!(fixture.today(), (u64::from(most), false));
    fixture.came(&[at(0)]);
    assert_eq!(fixture.today(), (u64::from(most), false), "was here before");
    for number in 0..1_000 {
        fixture.service.stats().read_by(at(most + number));
    }
    assert_eq!(fixture.today(), (u64::from(most), true));
    fixture.write().await;
    let days = vec![(TODAY, i64::from(most), true)];
    assert_eq!(fixture.kept(), (days, Some(MOST)));
}

#[tokio::test]
async fn a_day_whose_digests_are_gone_has_at_least_as_many_readers_as_before() {
    let fixture = Fixture::new().await;
    fixture.came(&[at(1), at(2)]);
    fixture.service.close().await;
    // As after a restore.
    std::fs::remove_file(fixture.digest_file()).expect("a file");
    let fixture = fixture.opened_again().await;
    assert_eq!(fixture.today(), (2, true));
    fixture.came(&[at(1)]);
    assert_eq!(fixture.today(), (2, true));
    // They may be three others.
    fixture.came(&[at(2), at(3)]);
    assert_eq!(fixture.today(), (3, true));
}

#[tokio::test]
async fn a_damaged_file_is_replaced_while_the_service_runs_and_at_its_start() {
    for damage in [&b"no digests, but long enough to look like some"[..], b"no"] {
        let fixture = Fixture::new().await;
        fixture.came(&[at(1), at(2)]);
        fixture.write().await;
        std::fs::write(fixture.digest_file(), damage).expect("damaged");
        fixture.came(&[at(3)]);
        fixture.write().await;
        assert_eq!(fixture.kept(), (vec![(TODAY, 3, false)], Some(3)));
        fixture.service.close().await;
        std::fs::write(fixture.digest_file(), damage).expect("damaged");
        assert_eq!(fixture.opened_again().await.today(), (3, true));
    }
}

#[tokio::test]
async fn a_lower_bound_stays_one_and_what_a_kill_has_left_is_removed() {
    let fixture = Fixture::new().await;
    fixture.came(&[at(1), at(2)]);
    fixture.write().await;
    fixture.service.close().await;
    std::fs::remove_file(fixture.digest_file()).expect("a file");
    let unfinished = fixture
        .folder
        .path()
        .join(".readers.json.porchlight-unfinished-half");
    std::fs::write(&unfinished, "{").expect("written");
    let fixture = fixture.opened_again().await;
    assert!(!unfinished.exists());
    fixture.came(&[at(3), at(4)]);
    fixture.write().await;
    fixture.service.close().await;
    assert_eq!(fixture.opened_again().await.today(), (2, true));
}

#[tokio::test]
async fn a_file_that_cannot_be_written_is_no_obstacle() {
    let fixture = Fixture::new().await;
    std::fs::create_dir(fixture.digest_file()).expect("a folder in its place");
    fixture.came(&[at(1), at(2)]);
    fixture.write().await;
    assert_eq!(fixture.today(), (2, false));
    std::fs::remove_dir(fixture.digest_file()).expect("removed");
    fixture.write().await;
    assert_eq!(fixture.kept(), (vec![(TODAY, 2, false)], Some(2)));
    fixture.service.close().await;
    std::fs::remove_file(fixture.digest_file()).expect("a file");
    std::fs::create_dir(fixture.digest_file()).expect("a folder in its place");
    assert_eq!(fixture.opened_again().await.today(), (2, true));
}

#[tokio::test]
async fn a_clock_that_is_set_back_removes_nothing_from_a_day() {
    let fixture = Fixture::new().await;
    fixture.came(&[at(1), at(2)]);
    fixture.write().await;
    fixture.clock.advance(Duration::from_secs(24 * 60 * 60));
    fixture.came(&[at(3)]);
    fixture.write().await;
    fixture.clock.set(Timestamp::from_millis(NOON));
    fixture.came(&[at(4)]);
    fixture.write().await;
    let days = vec![(TODAY, 3, false), (TODAY + 1, 1, false)];
    assert_eq!(fixture.kept(), (days, Some(1)));
}

#[tokio::test]
async fn readers_whose_count_was_not_written_are_counted_with_the_next_one() {
    let fixture = Fixture::new().await;
    fixture.came(&[at(1), at(2)]);
    fixture.write().await;
    fixture.service.close().await;
    let file = crate::schema::database_file(fixture.folder.path());
    let database = Connection::open(file).expect("a database");
    let lose = "UPDATE count SET n = 1 WHERE what = 'readers'";
    database.execute(lose, []).expect("lost");
    let fixture = fixture.opened_again().await;
    assert_eq!(fixture.today(), (2, false));
    fixture.came(&[at(3)]);
    fixture.write().await;
    assert_eq!(fixture.kept(), (vec![(TODAY, 3, false)], Some(3)));
}

#[tokio::test]
async fn what_could_not_be_written_is_written_the_next_time() {
    let fixture = Fixture::new().await;
    let file = crate::schema::database_file(fixture.folder.path());
    let database = Connection::open(file).expect("a database");
    let rename = |from: &str, to: &str| {
        let rename = format!("ALTER TABLE {from} RENAME TO {to}");
        database.execute(&rename, []).expect("renamed");
    };
    rename("count", "elsewhere");
    fixture.came(&[at(1)]);
    assert!(fixture.service.stats().write().await.is_err());
    fixture.came(&[at(2)]);
    rename("elsewhere", "count");
    fixture.write().await;
    assert_eq!(fixture.kept(), (vec![(TODAY, 2, false)], Some(2)));
}
