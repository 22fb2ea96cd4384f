//! Sums of calls, on a clock that the test moves.

use std::time::Duration;

use super::*;
use crate::clock::StoppedClock;
use crate::service::Service;
use crate::settings::Settings;

/// An hour like any other.
const START: i64 = 480_000 * 60 * 60 * 1000;

struct Fixture {
    service: Service,
    clock: StoppedClock,
    _folder: tempfile::TempDir,
}

impl Fixture {
    async fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let clock = StoppedClock::at(Timestamp::from_millis(START));
        let service = Service::open(folder.path(), Settings::default(), clock.clock()).await;
        Self {
            service: service.expect("a data folder"),
            clock,
            _folder: folder,
        }
    }

    /// Calls that come this many minutes after the start. A status of 0 hangs up.
    async fn called(&self, minutes: i64, endpoint: Endpoint, statuses: &[u16]) {
        // What was counted before belongs to the hour of then.
        self.service.stats().write().await.expect("written");
        self.clock.set(at(minutes));
        for status in statuses {
            let call = self.service.stats().call(endpoint);
            if *status > 0 {
                call.answered(*status);
            }
        }
        self.service.stats().write().await.expect("written");
    }

    async fn between(&self, minutes: &[i64]) -> CallsBetween {
        let edges = Edges::new(minutes.iter().copied().map(at).collect());
        let sums = self.service.stats().between(edges.expect("edges")).await;
        sums.expect("sums")
    }
}

fn at(minutes: i64) -> Timestamp {
    Timestamp::from_millis(START + minutes * 60_000)
}

fn good(good: u64) -> Calls {
    Calls {
        good,
        ..Calls::default()
    }
}

#[tokio::test]
async fn an_hour_belongs_to_the_step_in_which_it_starts() {
    let fixture = Fixture::new().await;
    fixture.called(0, Endpoint::Check, &[200]).await;
    fixture.called(65, Endpoint::Check, &[200, 200]).await;
    fixture.called(179, Endpoint::Check, &[200; 4]).await;
    let steps = |found: CallsBetween| found.steps;
    let whole = fixture.between(&[0, 60, 120, 180]).await;
    assert_eq!(steps(whole), [good(1), good(2), good(4)]);
    // The second hour starts in the first step, the third in the second.
    let odd = fixture.between(&[-30, 90, 150]).await;
    assert_eq!(steps(odd), [good(3), good(4)]);
    // The first hour starts before the range, the third at its end.
    let inner = fixture.between(&[1, 120]).await;
    assert_eq!(steps(inner), [good(2)]);
    // A step between two hours holds none.
    let none = fixture.between(&[121, 150, 179]).await;
    assert_eq!((none.steps, none.paths.len()), (vec![good(0); 2], 0));
}

#[tokio::test]
async fn calls_are_counted_by_endpoint_and_status() {
    let fixture = Fixture::new().await;
    fixture.called(0, Endpoint::GameStatus, &[200]).await;
    let statuses = [200, 302, 304, 404, 429, 401, 500, 0, 0];
    fixture.called(61, Endpoint::ShortImage, &statuses).await;
    fixture.called(62, Endpoint::Check, &[200]).await;
    fixture.called(63, Endpoint::Root, &[200]).await;
    fixture.called(500, Endpoint::Root, &[200]).await;
    let found = fixture.between(&[60, 120]).await;
    let calls = Calls {
        good: 1,
        redirected: 2,
        refused: 3,
        failed: 1,
        hung_up: 2,
    };
    let path = |key: &str, calls, minutes| PathCalls {
        key: key.to_owned(),
        calls,
        last: Some(at(minutes).as_millis()),
    };
    // As often as each other: in the order of the interface. The last call of
    // the root came after the range.
    let paths = [
        path("/i/{hash}", calls, 61),
        path("/", good(1), 500),
        path("/check", good(1), 62),
    ];
    assert_eq!(found.paths, paths);
    assert_eq!(found.steps, [Calls { good: 3, ..calls }]);
    let hours = fixture.service.stats().hours_between(at(60), at(120)).await;
    let hours = hours.expect("hours");
    assert_eq!(hours.iter().map(|row| row.count).sum::<u64>(), 11);
    assert!(hours.iter().all(|row| row.hour == at(60)));
}

#[tokio::test]
async fn bytes_belong_to_the_hour_in_which_they_were_sent() {
    let fixture = Fixture::new().await;
    let stats = fixture.service.stats();
    for (minutes, bytes) in [(0, 5), (59, 7), (60, 100), (119, 1), (120, 1_000)] {
        fixture.called(minutes, Endpoint::ShortImage, &[]).await;
        stats.sent(bytes);
    }
    stats.write().await.expect("written");
    let sent = async |from, to| stats.sent_between(at(from), at(to)).await.expect("bytes");
    assert_eq!(sent(0, 60).await, 12);
    assert_eq!(sent(60, 120).await, 101);
    assert_eq!(sent(1, 181).await, 1_101);
    assert_eq!(sent(180, 300).await, 0);
}

#[tokio::test]
async fn the_first_hour_is_that_of_the_first_call() {
    let fixture = Fixture::new().await;
    let stats = fixture.service.stats();
    assert_eq!(stats.first_hour().await.expect("an answer"), None);
    fixture.called(61, Endpoint::Check, &[200]).await;
    fixture.called(600, Endpoint::Check, &[200]).await;
    assert_eq!(stats.first_hour().await.expect("an answer"), Some(at(60)));
}

#[tokio::test]
async fn images_served_counts_readers_of_the_last_hours() {
    let fixture = Fixture::new().await;
    fixture.called(0, Endpoint::ShortImage, &[200; 100]).await;
    fixture
        .called(60, Endpoint::ShortImage, &[200, 206, 304, 404, 0])
        .await;
    fixture
        .called(90, Endpoint::Image, &[302, 500, 200, 200])
        .await;
    // Two of them deleted.
    fixture.service.stats().deleted();
    fixture.service.stats().deleted();
    fixture.called(100, Endpoint::RandomImage, &[200]).await;
    fixture.called(110, Endpoint::ListImages, &[200]).await;
    fixture.clock.advance(Duration::from_secs(23 * 60 * 60));
    let served = fixture.service.stats().images_served(24).await;
    assert_eq!(served.expect("a sum"), 5);
}

#[test]
fn edges_are_two_to_four_hundred_rising_times() {
    let edges = |times: Vec<i64>| Edges::new(times.into_iter().map(at).collect());
    for wrong in [
        vec![],
        vec![1],
        vec![1, 1],
        vec![1, 3, 2],
        (0..401).collect(),
    ] {
        assert_eq!(
            edges(wrong.clone()),
            Err(crate::detail!(
                "a range is given by 2 to 400 times, each later than the one before"
            )),
            "{wrong:?}"
        );
    }
    assert!(edges((0..400).collect()).is_ok());
    assert!(edges(vec![-9, 7]).is_ok());
}
