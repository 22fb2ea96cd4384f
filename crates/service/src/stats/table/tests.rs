//! Views by day, on a clock that the test moves.

use std::time::Duration;

use super::*;
use crate::clock::StoppedClock;
use crate::service::Service;
use crate::settings::Settings;

const MILLIS: i64 = 24 * 60 * 60 * 1000;
const FIRST: i64 = 20_000;
const A_DAY: Duration = Duration::from_secs(24 * 60 * 60);

struct Fixture {
    service: Service,
    clock: StoppedClock,
    _folder: tempfile::TempDir,
}

impl Fixture {
    async fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let clock = StoppedClock::at(start_of(FIRST));
        let service = Service::open(folder.path(), Settings::default(), clock.clock()).await;
        Self {
            service: service.expect("a data folder"),
            clock,
            _folder: folder,
        }
    }

    async fn viewed(&self, views: &[(u32, u64)]) {
        let stats = self.service.stats();
        for (image, count) in views {
            for _ in 0..*count {
                stats.view(hash(*image));
            }
        }
        stats.write().await.expect("written");
    }

    /// The views on the days from one to another, as days after the first.
    async fn between(&self, first: i64, last: i64) -> Vec<(i64, ImageHash, u64)> {
        let (from, to) = (start_of(FIRST + first), start_of(FIRST + last + 1));
        let rows = self.service.stats().views_between(from, to).await;
        let rows = rows.expect("rows").into_iter();
        rows.map(|row| (row.day - FIRST, row.hash, row.count))
            .collect()
    }
}

fn start_of(day: i64) -> Timestamp {
    Timestamp::from_millis(day * MILLIS)
}

fn hash(number: u32) -> ImageHash {
    format!("{number:032x}").parse().expect("a hash")
}

#[tokio::test]
async fn a_view_belongs_to_the_day_on_which_it_came() {
    let fixture = Fixture::new().await;
    fixture.viewed(&[(1, 1), (2, 3)]).await;
    fixture.clock.advance(A_DAY - Duration::from_millis(1));
    fixture.viewed(&[(1, 4)]).await;
    fixture.clock.advance(Duration::from_millis(1));
    fixture.viewed(&[(2, 2)]).await;
    let first = [(0, hash(1), 5), (0, hash(2), 3)];
    assert_eq!(fixture.between(0, 0).await, first);
    assert_eq!(fixture.between(1, 1).await, [(1, hash(2), 2)]);
    assert_eq!(fixture.between(0, 9).await.len(), 3);
    assert_eq!(fixture.between(-9, -1).await, []);
    // Of all time it is what it was.
    let views = fixture.service.stats().views(hash(2)).await.expect("views");
    assert_eq!(views.0, 5);
}

#[tokio::test]
async fn of_a_past_day_the_thousand_most_viewed_are_kept() {
    let fixture = Fixture::new().await;
    let crowd: Vec<(u32, u64)> = (1..=1_200)
        .map(|n| (n, 1 + u64::from(n % 3 == 0)))
        .collect();
    fixture.viewed(&crowd).await;
    assert_eq!(fixture.between(0, 0).await.len(), 1_200, "today is whole");
    fixture.clock.advance(A_DAY);
    fixture.viewed(&[(7, 1)]).await;
    let kept = fixture.between(0, 0).await;
    assert_eq!(kept.len(), 1_000);
    // All of those that were viewed twice, then the others by name.
    assert!(kept[..400].iter().all(|(_, _, views)| *views == 2));
    assert_eq!(kept[400], (0, hash(1), 1));
    assert_eq!(kept[999].1, hash(899));
    assert_eq!(fixture.between(1, 1).await, [(1, hash(7), 1)]);
}

#[tokio::test]
async fn days_are_kept_for_more_than_a_year_and_no_longer() {
    let fixture = Fixture::new().await;
    fixture.viewed(&[(1, 1)]).await;
    fixture.clock.advance(A_DAY * 399);
    fixture.viewed(&[(2, 1)]).await;
    assert_eq!(fixture.between(0, 0).await.len(), 1);
    fixture.clock.advance(A_DAY);
    fixture.viewed(&[(3, 1)]).await;
    fixture.clock.advance(A_DAY);
    fixture.viewed(&[(4, 1)]).await;
    assert_eq!(fixture.between(0, 0).await, []);
    assert_eq!(fixture.between(0, 400).await.len(), 2);
    let views = fixture.service.stats().views(hash(1)).await.expect("views");
    assert_eq!(views.0, 1, "of all time");
}

#[tokio::test]
async fn a_clock_that_is_ahead_removes_no_days() {
    let fixture = Fixture::new().await;
    fixture.viewed(&[(1, 1)]).await;
    fixture.clock.advance(A_DAY * 500);
    fixture.viewed(&[(2, 1)]).await;
    assert_eq!(fixture.between(0, 0).await.len(), 1);
}
