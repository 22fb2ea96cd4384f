//! What the Worker counts for its plan arrives at home, and a day whose limits are reached loses
//! nothing. Cloudflare is a stand-in in front of workerd.

use reqwest::Method;
use serde_json::json;

use super::at_the_worker::at;
use crate::harness::front::{Day, Front};
use crate::harness::workerd::{SECRET, Worker};
use crate::harness::{TestService, answer, assert_error, eventually, free_port, pictures};

/// How often this was called, as the service has it.
async fn counted(service: &TestService, path: &str) -> u64 {
    let stats = service.json("/api_stats").await;
    let mut stats = stats.as_array().expect("a list").iter();
    let stat = stats.find(|stat| stat["key"] == path);
    stat.map_or(0, |stat| stat["count"].as_u64().expect("a number"))
}

/// Draws images at the Worker, and waits until it has counted that.
async fn draw(worker: &Worker, times: usize) {
    for number in 0..times {
        let reader = format!("192.0.2.{}", number % 3);
        let request = worker.request(Method::GET, "/random_image");
        let drawn = request.header("X-Real-IP", reader).send().await;
        assert_eq!(drawn.expect("an answer").status(), 200);
    }
    // What was counted before comes to the store with the next question.
    assert_eq!(worker.get("/images/count").await.status(), 200);
}

#[tokio::test]
async fn what_the_worker_counts_is_in_the_statistics_once() {
    let mut worker = Worker::with_store().await;
    let mut service = at(&worker).await;
    service.stored(pictures::photo()).await;
    eventually("the list", async || {
        (worker.json("/images/count").await["count"] == 1).then_some(())
    })
    .await;
    let path = "/random_image";
    // It asks at its start. The second time what was added before is known.
    for (times, sum) in [(10, 10), (5, 15)] {
        draw(&worker, times).await;
        service.restart().await;
        let found = eventually("the counts", async || {
            let found = counted(&service, path).await;
            (found >= sum).then_some(found)
        })
        .await;
        assert_eq!(found, sum);
    }
    // It has lost what it had not saved: of 35 calls none counts twice.
    worker.restart().await;
    draw(&worker, 20).await;
    service.restart().await;
    let found = eventually("more", async || {
        let found = counted(&service, path).await;
        (found > 15).then_some(found)
    })
    .await;
    assert!(found <= 35, "{found}");
    service.stop().await;
    let database = service.data_dir().join("porchlight.db");
    let database = rusqlite::Connection::open(database).expect("a database");
    let readers = "SELECT max(n) FROM count WHERE what = 'edge readers'";
    let readers: i64 = database
        .query_row(readers, [], |row| row.get(0))
        .expect("readers");
    assert_eq!(readers, 3);
}

#[tokio::test]
async fn a_day_whose_limits_are_reached_is_waited_for_and_loses_nothing() {
    for day in [Day::Spent, Day::Full] {
        let worker = Worker::with_store().await;
        let front = Front::of(&worker.url()).await;
        let watched = tempfile::tempdir().expect("a folder");
        let mut service = TestService::builder()
            .listen(format!("127.0.0.1:{}", free_port()))
            .set(format!("watch.folders=['{}']", watched.path().display()))
            .sets(&["storage.kind=edge", "limits.requests_per_second=0"])
            .set(format!("edge.url={}", front.url()))
            .set(format!("edge.secret={SECRET}"))
            .start()
            .await;
        let kept = service.stored(pictures::photo()).await;
        eventually("the list", async || {
            (worker.json("/images/count").await["count"] == 1).then_some(())
        })
        .await;

        front.is(day);
        let photo = pictures::photo();
        let refused = service.upload(photo.clone()).await;
        assert_error(refused, 507, "Not enough storage").await;
        let zed = json!({ "application": "Zed", "applicationOnline": true });
        assert_eq!(service.heartbeat(&zed).await.status(), 200);
        eventually("it says until when", async || {
            let log = service.stderr();
            let why = "limit of the day is reached: it works again from 20";
            let is_said = log.contains("the Worker was not updated") && log.contains(why);
            is_said.then_some(())
        })
        .await;
        // Nothing more is sent until the day is over.
        let before = front.refused();
        for _ in 0..3 {
            let refused = service.upload(photo.clone()).await;
            assert_error(refused, 507, "Not enough storage").await;
        }
        assert_eq!(front.refused(), before, "{day:?}");
        assert_eq!(service.count().await, 1);

        // The queue of a watched folder waits.
        std::fs::write(watched.path().join("a.jpg"), pictures::photo()).expect("a file");
        eventually("it was tried", async || {
            service.stderr().contains("uploads wait").then_some(())
        })
        .await;

        // The next day, as a service sees it that starts then.
        service.kill().await;
        front.is(Day::Young);
        service.restart().await;
        let (status, body) = answer(service.upload(photo).await).await;
        assert_eq!(status, 201, "{body}");
        assert_eq!(service.heartbeat(&zed).await.status(), 200);
        eventually("everything", async || {
            let check = worker.json("/check").await;
            let count = worker.json("/images/count").await;
            (check["application"] == "Zed" && count["count"] == 3).then_some(())
        })
        .await;
        assert_eq!(worker.get(&format!("/i/{kept}")).await.status(), 200);
    }
}
