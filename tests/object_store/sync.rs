//! What readers of the Worker get while the service runs, after it was killed or stopped, while the machine
//! sleeps, and after calls were lost; and whose rows the Worker has.

use std::time::{Duration, Instant, SystemTime};

use hmac::{Hmac, KeyInit as _, Mac as _};
use reqwest::Method;
use serde_json::{Value, json};
use sha2::Sha256;

use super::at_the_worker::at;
use crate::harness::bus::Login;
use crate::harness::desktop::Desktop;
use crate::harness::front::{Day, Front};
use crate::harness::process::{RunningProcess, clean_command};
use crate::harness::workerd::{SECRET, Worker};
use crate::harness::{TestService, eventually, pictures};

pub(crate) fn heartbeat(application: &str) -> Value {
    json!({ "application": application, "introduce": "", "rgba": "", "applicationOnline": true })
}

/// The time in Unix milliseconds.
pub(crate) fn unix_millis() -> i64 {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    i64::try_from(now.expect("after 1970").as_millis()).expect("a time")
}

/// Waits until readers of the Worker see this app; what they see.
pub(crate) async fn shows(worker: &Worker, application: &str) -> Value {
    eventually(&format!("{application:?}"), async || {
        let check = worker.json("/check").await;
        (check["application"] == application).then_some(check)
    })
    .await
}

/// Waits until the Worker lists so many images.
pub(crate) async fn lists(worker: &Worker, count: u64) {
    eventually(&format!("{count} images"), async || {
        (worker.json("/images/count").await["count"] == count).then_some(())
    })
    .await;
}

#[tokio::test]
async fn a_killed_service_is_there_until_its_last_heartbeat_ends() {
    let worker = Worker::with_store().await;
    let mut service = TestService::builder()
        .set("heartbeat.alive_seconds=10")
        .sets(&worker.settings())
        .start()
        .await;
    service.heartbeat(&heartbeat("Editor")).await;
    let seen = shows(&worker, "Editor").await;
    assert_eq!(seen, service.json("/check").await);
    service.kill().await;
    let end = seen["last_heartbeat"].as_i64().expect("a time") + 10;
    let over = shows(&worker, "").await;
    let now = unix_millis() / 1000;
    assert!(now >= end, "{now} is before {end}");
    let expected = json!({
        "alive": false, "last_heartbeat": end - 10, "application": "", "introduce": "", "rgba": "",
        "applicationOnline": false,
    });
    assert_eq!(over, expected);
}

#[tokio::test]
async fn a_stopped_service_is_offline_from_that_moment() {
    let worker = Worker::with_store().await;
    let mut service = at(&worker).await;
    service.heartbeat(&heartbeat("Editor")).await;
    shows(&worker, "Editor").await;
    assert!(service.stop().await.success());
    let check = worker.json("/check").await;
    assert_eq!(
        (&check["alive"], &check["application"]),
        (&json!(false), &json!(""))
    );
    let badge = worker.json("/badge.json").await;
    assert_eq!(badge["message"], "Offline");
    let passed = worker.get("/api_stats").await;
    assert_eq!(passed.status(), 503);
    assert_eq!(passed.headers()["Retry-After"], "60");
}

/// A service that knows logind and tells the Worker.
async fn service_of(desktop: &Desktop, url: &str) -> TestService {
    TestService::builder()
        .set(format!("edge.url={url}"))
        .set(format!("edge.secret={SECRET}"))
        .env("DBUS_SYSTEM_BUS_ADDRESS", desktop.bus())
        .start()
        .await
}

#[tokio::test]
async fn the_worker_is_offline_and_names_no_app_while_the_machine_sleeps() {
    let desktop = Desktop::start_without_tray(&[]).await;
    let login = Login::start(&desktop).await;
    let worker = Worker::with_store().await;
    let service = service_of(&desktop, &worker.url()).await;
    service.heartbeat(&heartbeat("Editor")).await;
    for sleeps in 1..=2 {
        shows(&worker, "Editor").await;
        login.is_held_up(sleeps).await;
        login.sleeps(true).await;
        let check = shows(&worker, "").await;
        assert_eq!(check["alive"], false);
        // The service's own answer keeps its last values.
        assert_eq!(service.json("/check").await["application"], "Editor");
        login.sleeps(false).await;
    }
    shows(&worker, "Editor").await;
}

/// A request was lost, and its connection hangs.
#[tokio::test]
async fn a_call_that_hangs_does_not_delay_what_sleep_hides() {
    let desktop = Desktop::start_without_tray(&[]).await;
    let login = Login::start(&desktop).await;
    let worker = Worker::with_store().await;
    let front = Front::of(&worker.url()).await;
    let service = service_of(&desktop, &front.url()).await;
    service.heartbeat(&heartbeat("Editor")).await;
    shows(&worker, "Editor").await;
    login.is_held_up(1).await;
    front.is(Day::Lost);
    service.stored(pictures::photo()).await;
    eventually("a call that hangs", async || {
        (front.refused() > 0).then_some(())
    })
    .await;
    front.is(Day::Young);
    let announced = Instant::now();
    login.sleeps(true).await;
    shows(&worker, "").await;
    let took = announced.elapsed();
    assert!(took < Duration::from_secs(4), "{took:?}");
}

#[tokio::test]
async fn what_is_lost_on_the_way_fails_nothing_and_comes_again() {
    let worker = Worker::with_store().await;
    let front = Front::of(&worker.url()).await;
    let service = TestService::builder()
        .set(format!("edge.url={}", front.url()))
        .set(format!("edge.secret={SECRET}"))
        .start()
        .await;
    let first = service.stored(pictures::photo()).await;
    lists(&worker, 1).await;
    front.is(Day::Spent);
    service.stored(pictures::photo()).await;
    assert_eq!(service.delete(&first).await.status(), 200);
    service.heartbeat(&heartbeat("Zed")).await;
    eventually("a call that is refused", async || {
        (front.refused() > 0).then_some(())
    })
    .await;
    assert_eq!(worker.json("/check").await["application"], "");
    front.is(Day::Young);
    // By a signature that is older than the one of the last call.
    let old = worker
        .signed(Method::POST, "/-/sync", "{}", Duration::ZERO)
        .await;
    assert!(old.status().is_client_error(), "{old:?}");
    let mut service = service;
    service.restart().await;
    service.heartbeat(&heartbeat("Zed")).await;
    shows(&worker, "Zed").await;
    eventually("the same list", async || {
        let list = "/images/list?detail=1";
        (worker.json(list).await == service.json(list).await).then_some(())
    })
    .await;
}

#[tokio::test]
async fn the_worker_of_another_is_left_alone_until_it_is_taken_over() {
    let worker = Worker::with_store().await;
    let mut first = at(&worker).await;
    first.stored(pictures::photo()).await;
    first.heartbeat(&heartbeat("here")).await;
    shows(&worker, "here").await;
    lists(&worker, 1).await;
    let second = at(&worker).await;
    second.heartbeat(&heartbeat("elsewhere")).await;
    eventually("a warning", async || {
        let log = second.stderr();
        log.contains("belongs to another Porchlight").then_some(())
    })
    .await;
    assert_eq!(worker.json("/check").await["application"], "here");
    assert!(first.stop().await.success());
    lists(&worker, 1).await;

    let home = tempfile::tempdir().expect("a folder");
    let mut command = clean_command(env!("CARGO_BIN_EXE_porchlight"), home.path());
    command
        .args(["edge", "take-over", "--data-dir"])
        .arg(second.data_dir());
    let ended = RunningProcess::spawn(command).ended().await;
    assert!(ended.status.success(), "{ended:?}");
    shows(&worker, "elsewhere").await;
    lists(&worker, 0).await;
    // The first one is another now.
    first.restart().await;
    eventually("a warning", async || {
        let log = first.stderr();
        log.contains("belongs to another Porchlight").then_some(())
    })
    .await;
    assert_eq!(worker.json("/check").await["application"], "elsewhere");
}

/// Rows of pictures without their files, written while the service does not run.
fn write_rows(service: &TestService, count: usize) {
    let database = rusqlite::Connection::open(service.data_dir().join("porchlight.db"));
    let mut database = database.expect("the database");
    let transaction = database.transaction().expect("a transaction");
    for _ in 0..count {
        let insert = "INSERT INTO image (hash, sha256, size, width, height, frames, created_at,
                                         source_size, source_format, thumbhash, place)
                      VALUES (randomblob(16), randomblob(32), 1, 2, 3, 1, 0, 1, 'PNG', x'00', 2)";
        transaction.execute(insert, []).expect("a row");
    }
    transaction.commit().expect("committed");
}

/// The second service has a copy of the first one's numbers, as a restored backup has.
#[tokio::test]
async fn a_take_over_that_is_interrupted_leaves_nothing_of_the_other_list() {
    let worker = Worker::with_store().await;
    let front = Front::of(&worker.url()).await;
    let mut first = at(&worker).await;
    first.stop().await;
    write_rows(&first, 2_600);
    first.restart().await;
    lists(&worker, 2_600).await;
    assert!(first.stop().await.success());
    let mut second = TestService::builder()
        .set("storage.kind=edge")
        .set(format!("edge.url={}", front.url()))
        .set(format!("edge.secret={SECRET}"))
        .start()
        .await;
    second.stop().await;
    write_rows(&second, 2_650);
    let database = second.data_dir().join("porchlight.db");
    let database = rusqlite::Connection::open(database).expect("the database");
    let flag = database.execute("UPDATE edge SET take_over = 1", []);
    assert_eq!(flag, Ok(1));
    drop(database);
    second.restart().await;
    // Its first parts have arrived, and the answer to one of them is lost.
    eventually("the take-over", async || {
        let unfinished = "SELECT take_over FROM edge";
        let database = rusqlite::Connection::open(second.data_dir().join("porchlight.db"));
        let database = database.expect("the database");
        let is_open = database.query_row(unfinished, [], |row| row.get::<_, bool>(0));
        (front.passed() >= 3 || is_open == Ok(false)).then_some(())
    })
    .await;
    second.kill().await;
    second.restart().await;
    lists(&worker, 2_650).await;
    let random = "/random_image?form=json&seed=a";
    assert_eq!(
        worker.json(random).await["hash"],
        second.json(random).await["hash"]
    );
}

#[tokio::test]
async fn a_restored_backup_does_not_speak_for_the_service_that_it_is_of() {
    let worker = Worker::with_store().await;
    let service = TestService::builder().sets(&worker.settings());
    let service = service.start().await;
    service.stored(pictures::photo()).await;
    service.heartbeat(&heartbeat("here")).await;
    shows(&worker, "here").await;
    let home = tempfile::tempdir().expect("a folder");
    let backup = home.path().join("backup.tar");
    let backup = backup.to_str().expect("UTF-8");
    let done = service.run(&["backup", backup]).await;
    assert!(done.status.success(), "{done:?}");
    let restored = home.path().join("restored");
    let mut command = clean_command(env!("CARGO_BIN_EXE_porchlight"), home.path());
    command
        .args(["restore", backup, "--data-dir"])
        .arg(&restored);
    let ended = RunningProcess::spawn(command).ended().await;
    assert!(ended.status.success(), "{ended:?}");
    let copy = TestService::builder()
        .data_dir(&restored)
        .sets(&worker.settings())
        .start()
        .await;
    eventually("a warning", async || {
        copy.stderr()
            .contains("belongs to another Porchlight")
            .then_some(())
    })
    .await;
    assert_eq!(worker.json("/check").await["application"], "here");
}

/// What the database has of the names of images.
fn names(service: &TestService) -> Vec<String> {
    let database = rusqlite::Connection::open(service.data_dir().join("porchlight.db"));
    let database = database.expect("the database");
    let mut select = database
        .prepare("SELECT name FROM image_name ORDER BY image")
        .expect("the table");
    let names = select.query_map([], |row| row.get(0)).expect("rows");
    names.collect::<Result<_, _>>().expect("names")
}

#[tokio::test]
async fn the_name_of_a_file_is_kept_and_no_reader_gets_it() {
    let worker = Worker::with_store().await;
    let service = at(&worker).await;
    let photo = pictures::photo();
    let upload = async |bytes: Vec<u8>, name: &str| {
        let response = service.upload_as(bytes, name, "image/jpeg").await;
        let headers = format!("{:?}", response.headers());
        format!("{headers} {}", response.text().await.expect("text"))
    };
    let mut seen = vec![
        upload(photo.clone(), "/home/me/Härbour (1).jpg").await,
        upload(photo.clone(), "another härbour.jpg").await,
        upload(pictures::photo(), "image.png").await,
    ];
    assert_eq!(names(&service), ["Härbour (1)"]);
    lists(&worker, 2).await;
    let list = service.json("/images/list").await;
    let hashes = list["images"].as_array().expect("a list").iter();
    let hashes: Vec<_> = hashes.filter_map(|image| image["hash"].as_str()).collect();
    let source = hex::encode(<Sha256 as sha2::Digest>::digest(&photo));
    let by_source = service
        .request(Method::GET, &format!("/images/by-source/{source}"))
        .bearer_auth(service.token("upload").await);
    let mut answers = vec![by_source.send().await.expect("an answer")];
    let mut paths = [
        "/",
        "/images/list?detail=1",
        "/images/count",
        "/api_stats",
        "/random_image",
    ]
    .map(str::to_owned)
    .to_vec();
    for hash in hashes {
        paths.extend([format!("/i/{hash}"), format!("/images/{hash}")]);
    }
    for path in paths {
        answers.push(service.get(&path).await);
        answers.push(worker.get(&path).await);
    }
    for answer in answers {
        let headers = format!("{:?}", answer.headers());
        let body = answer.bytes().await.expect("a body");
        seen.push(headers + &String::from_utf8_lossy(&body));
    }
    for text in seen {
        assert!(!text.to_lowercase().contains("rbour"), "{text}");
    }
}

/// A call like the service's, with this body.
async fn sync(worker: &Worker, body: &Value) -> (u16, Value) {
    let body = body.to_string();
    let time = unix_millis();
    let digest = hex::encode(<Sha256 as sha2::Digest>::digest(&body));
    let mac = Hmac::<Sha256>::new_from_slice(SECRET.as_bytes()).expect("a key");
    let mac = mac.chain_update(format!("store\n{time}\nPOST\n/-/sync\n{digest}"));
    let mac = hex::encode(mac.finalize().into_bytes());
    let signature = format!("t={time}, body={digest}, v1={mac}");
    let request = worker.request(Method::POST, "/-/sync").body(body);
    let answer = request.header("X-Porchlight-Store", signature).send().await;
    let answer = answer.expect("an answer");
    let status = answer.status().as_u16();
    (status, answer.json().await.unwrap_or_default())
}

/// A Worker whose list is another's than the service thinks, such as after an older backup of its own.
#[tokio::test]
async fn a_list_of_another_number_is_healed() {
    let worker = Worker::with_store().await;
    let service = at(&worker).await;
    service.stored(pictures::photo()).await;
    lists(&worker, 1).await;
    let database = rusqlite::Connection::open(service.data_dir().join("porchlight.db"));
    let id = database
        .expect("the database")
        .query_row("SELECT service FROM edge", [], |row| {
            row.get::<_, String>(0)
        });
    let wrong = json!({
        "service": id.expect("an id"), "state": "running", "valid_until": 0, "address": null,
        "images": { "from": 0, "to": 99 },
    });
    let (status, answer) = sync(&worker, &wrong).await;
    assert_eq!((status, &answer["images"]), (200, &json!(99)), "{answer}");
    assert_eq!(worker.json("/images/count").await["count"], 0);
    service.heartbeat(&heartbeat("Zed")).await;
    lists(&worker, 1).await;
    shows(&worker, "Zed").await;
}
