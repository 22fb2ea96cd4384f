//! The snapshot: what readers find in the object store while the service runs, after it was killed
//! or stopped, and after the store was in trouble.

use std::time::{Duration, Instant};

use hmac::{Hmac, KeyInit as _, Mac as _};
use reqwest::Method;
use reqwest::header::{CACHE_CONTROL, CONTENT_TYPE};
use serde_json::{Value, json};
use sha2::Sha256;

use crate::garage::Garage;
use crate::harness::memory::memory_of;
use crate::harness::{TestService, eventually, pictures};
use crate::s3::{ObjectStore, StoreMode};

const CHECK: &str = "porchlight/check.json";
const INDEX: &str = "porchlight/images/index.json";
const SECRET: &str = "a-key-of-this-test-and-of-no-other";

pub(crate) async fn publishing(store: &ObjectStore, settings: &[&str]) -> TestService {
    let service = TestService::builder()
        .sets(&store.settings())
        .set("publish.enabled=true")
        .sets(settings);
    let service = service.start().await;
    eventually("an index", async || store.content(INDEX)).await;
    service
}

pub(crate) fn at(application: &str, online: bool) -> Value {
    json!({
        "application": application, "introduce": "", "rgba": "",
        "applicationOnline": online,
    })
}

/// The state once `check.json` shows this application.
pub(crate) async fn shows(store: &ObjectStore, application: &str, state: &str) -> Value {
    eventually(&format!("{application} {state}"), async || {
        let check = store.json(CHECK);
        (check["application"] == application && check["state"] == state).then_some(check)
    })
    .await
}

/// The hashes of all pages, once there are this many.
pub(crate) async fn lists(store: &ObjectStore, count: usize) -> Vec<String> {
    eventually(&format!("{count} images"), async || {
        let index = store.json(INDEX);
        let mut hashes = Vec::new();
        for page in index["pages"].as_array()? {
            let name = page["name"].as_str()?;
            let page = store.json(&format!("porchlight/images/{name}.json"));
            let images = page["images"].as_array()?;
            hashes.extend(
                images
                    .iter()
                    .filter_map(|image| image["hash"].as_str().map(str::to_owned)),
            );
        }
        (index["total"] == count && hashes.len() == count).then_some(hashes)
    })
    .await
}

#[tokio::test]
async fn a_killed_service_leaves_its_last_snapshot_with_the_time_it_expires() {
    let store = ObjectStore::start().await;
    let mut service = publishing(&store, &[]).await;
    service.heartbeat(&at("Editor", true)).await;
    let first = service.stored(pictures::photo()).await;
    let second = service.stored(pictures::photo()).await;
    let check = shows(&store, "Editor", "online").await;
    assert_eq!(lists(&store, 2).await, [second.clone(), first.clone()]);
    service.kill().await;

    assert_eq!(store.json(CHECK), check);
    let heartbeat = &check["last_heartbeat"].as_i64().expect("a time");
    assert_eq!(check["valid_until"], heartbeat + 600);
    assert_eq!(check["alive"], true);
    assert_eq!(check["applicationOnline"], true);
    assert!(store.content(&format!("randomimg/{first}.webp")).is_some());

    service.restart().await;
    assert_eq!(service.delete(&second).await.status(), 200);
    assert_eq!(lists(&store, 1).await, [first]);
}

#[tokio::test]
async fn a_stopped_service_is_offline_from_that_moment() {
    let store = ObjectStore::start().await;
    let secret = format!("edge.secret={SECRET}");
    let mut service = publishing(&store, &[&secret]).await;
    service.heartbeat(&at("Editor", true)).await;
    shows(&store, "Editor", "online").await;
    // The last change is written, too.
    let hash = service.stored(pictures::photo()).await;
    assert!(service.stop().await.success());
    let check = store.json(CHECK);
    assert_eq!(check["state"], "offline");
    assert_eq!(
        (&check["alive"], &check["applicationOnline"]),
        (&json!(false), &json!(false))
    );
    for key in ["application", "introduce", "rgba"] {
        assert_eq!(check[key], "", "{key}: {check}");
    }
    let since = check["since"].as_i64().expect("a time");
    assert!(since >= check["last_heartbeat"].as_i64().expect("a time"));
    assert_eq!(store.json("porchlight/game_status.json")["status"], "在线");
    assert!(store.json("porchlight/origin.json")["sealed"].is_string());
    assert_eq!(lists(&store, 1).await, [hash]);

    let widget = store.content("porchlight/widget.js").expect("a script");
    let widget = String::from_utf8(widget.to_vec()).expect("a text");
    let (line, script) = widget.split_once('\n').expect("two lines");
    let mac = Hmac::<Sha256>::new_from_slice(SECRET.as_bytes()).expect("a key");
    let mac = hex::encode(mac.chain_update(script).finalize().into_bytes());
    assert_eq!(line, format!("//{mac}"));
}

#[tokio::test]
async fn the_devices_that_readers_see_are_published_with_the_end_of_each() {
    const DEVICES: &str = "porchlight/devices.json";
    let store = ObjectStore::start().await;
    let mut service = publishing(&store, &[]).await;
    let token = service.device(&["Phone"]).await;
    let phone = at("Map", true);
    service.heartbeat_by(&token, &phone).await;
    service.heartbeat(&at("Editor", true)).await;
    shows(&store, "Editor", "online").await;
    let devices = eventually("this computer", async || {
        let devices = store.json(DEVICES)["devices"].take();
        (devices[0]["application"] == "Editor").then_some(devices)
    })
    .await;
    assert_eq!(devices[0]["id"], "this-computer");
    let end = devices[0]["last_heartbeat"].as_i64().expect("a time") + 600;
    assert_eq!(devices[0]["valid_until"], end);
    assert_eq!(devices.as_array().map(Vec::len), Some(1), "one waits");

    let allowed = service.run(&["device", "allow", "phone"]).await;
    assert!(allowed.status.success(), "{allowed:?}");
    let answer = eventually("the phone", async || {
        let answer = service.json("/devices").await;
        (answer["devices"][1]["id"] == "phone").then_some(answer)
    })
    .await;
    let published = eventually("the phone in the store", async || {
        let mut published = store.json(DEVICES);
        let devices = published["devices"].as_array_mut()?;
        for device in devices.iter_mut() {
            let end = device.as_object_mut()?.remove("valid_until");
            assert!(end.is_some_and(|end| end.is_i64()));
        }
        (devices.len() == 2).then_some(published)
    })
    .await;
    assert_eq!(published, answer);

    assert!(service.stop().await.success());
    let devices = store.json(DEVICES)["devices"].take();
    for device in devices.as_array().expect("a list") {
        assert_eq!(device["online"], false, "{device}");
        assert_eq!(device["application"], "", "{device}");
    }
}

#[tokio::test]
async fn the_answer_of_lanyards_protocol_is_published_with_its_end() {
    const LANYARD: &str = "porchlight/lanyard.json";
    let store = ObjectStore::start().await;
    let mut service = publishing(&store, &[]).await;
    service.heartbeat(&at("Editor", true)).await;
    let published = async |application: &str| {
        let mut body = eventually(application, async || {
            let body = store.json(LANYARD);
            (body["data"]["kv"]["application"] == application).then_some(body)
        })
        .await;
        let end = body
            .as_object_mut()
            .expect("an object")
            .remove("valid_until");
        (body, end.and_then(|end| end.as_i64()).expect("a time"))
    };
    let (body, end) = published("Editor").await;
    assert_eq!(body, service.json("/v1/users/1").await);
    let last = service.json("/check").await["last_heartbeat"].as_i64();
    assert_eq!(Some(end - 600), last);
    assert!(service.stop().await.success());
    let (body, _) = published("").await;
    assert_eq!(body["data"]["discord_status"], "offline");
    assert_eq!(body["data"]["activities"], json!([]));

    service.restart_with(&["lanyard.enabled=false"]).await;
    eventually("it is off", async || {
        let body = store.json(LANYARD);
        (body["error"]["code"] == "user_not_monitored" && body["valid_until"] == 0).then_some(())
    })
    .await;
}

#[tokio::test]
async fn without_a_key_there_is_neither_an_origin_nor_a_script() {
    let store = ObjectStore::start().await;
    let mut service = publishing(&store, &[]).await;
    assert!(service.stop().await.success());
    let objects = store.objects();
    assert!(objects.contains(&CHECK.to_owned()), "{objects:?}");
    for name in ["porchlight/origin.json", "porchlight/widget.js"] {
        assert!(!objects.contains(&name.to_owned()), "{objects:?}");
    }
}

#[tokio::test]
async fn changes_are_written_at_a_rate_that_stores_take_and_a_new_state_at_once() {
    let store = ObjectStore::start().await;
    let service = publishing(&store, &["heartbeat.alive_seconds=12"]).await;
    service.heartbeat(&at("First", true)).await;
    shows(&store, "First", "online").await;
    let before = store.times(&Method::PUT, CHECK).len();
    for number in 0..30 {
        let name = format!("App {number}");
        assert_eq!(service.heartbeat(&at(&name, true)).await.status(), 200);
    }
    let began = Instant::now();
    assert_eq!(service.heartbeat(&at("Last", false)).await.status(), 200);
    shows(&store, "Last", "away").await;
    assert!(
        began.elapsed() < Duration::from_secs(3),
        "{:?}",
        began.elapsed()
    );
    let times = store.times(&Method::PUT, CHECK);
    assert!(times.len() <= before + 2, "{}", times.len() - before);
    // No heartbeat comes any more, and the last snapshot expires.
    let check = shows(&store, "", "offline").await;
    assert_eq!(check["alive"], false);
    for object in [CHECK, INDEX, "porchlight/game_status.json"] {
        let times = store.times(&Method::PUT, object);
        for pair in times.windows(2) {
            let apart = pair[1] - pair[0];
            assert!(apart >= Duration::from_secs(1), "{object}: {apart:?}");
        }
    }
}

#[tokio::test]
async fn an_unchanged_heartbeat_renews_the_snapshot_before_it_expires() {
    let store = ObjectStore::start().await;
    let service = publishing(&store, &["heartbeat.alive_seconds=4"]).await;
    service.heartbeat(&at("Editor", true)).await;
    let first = shows(&store, "Editor", "online").await;
    let until = |check: &Value| check["valid_until"].as_i64().expect("a time");
    eventually("a later end", async || {
        service.heartbeat(&at("Editor", true)).await;
        let check = store.json(CHECK);
        assert_eq!(check["state"], "online", "{check}");
        (until(&check) >= until(&first) + 4).then_some(())
    })
    .await;
}

#[tokio::test]
async fn a_store_in_trouble_fails_no_upload_and_the_snapshot_is_right_soon_after() {
    let store = ObjectStore::start().await;
    let service = publishing(&store, &[]).await;
    service.heartbeat(&at("Before", true)).await;
    shows(&store, "Before", "online").await;
    for trouble in [
        StoreMode::ReadOnlyBelow("porchlight/", 503),
        StoreMode::ReadOnlyBelow("porchlight/", 403),
        StoreMode::ReadOnlyBelow("porchlight/", 507),
        StoreMode::ReadOnlyBelow("porchlight/", 429),
    ] {
        store.is(trouble);
        let before = store.times(&Method::PUT, INDEX).len();
        let images = service.count().await;
        let hash = service.stored(pictures::photo()).await;
        assert_eq!(service.heartbeat(&at("During", true)).await.status(), 200);
        store.called(&Method::PUT, store.count(&Method::PUT)).await;
        assert_eq!(store.times(&Method::PUT, INDEX).len(), before);
        store.is(StoreMode::Well);
        let listed = lists(&store, usize::try_from(images).expect("a number") + 1).await;
        assert_eq!(listed[0], hash);
        shows(&store, "During", "online").await;
    }
}

/// As many changes as a busy hour has, while the store does not answer and while it refuses.
#[tokio::test]
async fn an_hour_of_store_failures_loses_no_upload_and_grows_neither_memory_nor_disk() {
    let store = ObjectStore::start().await;
    let service = publishing(&store, &["limits.requests_per_second=0"]).await;
    // What the first ones take stays.
    for _ in 0..5 {
        service.stored(pictures::photo()).await;
    }
    for trouble in [
        StoreMode::WaitsBelow("porchlight/"),
        StoreMode::ReadOnlyBelow("porchlight/", 503),
    ] {
        let images = usize::try_from(service.count().await).expect("a number");
        let memory = memory_of(service.pid());
        store.is(trouble);
        for number in 0..120 {
            let heartbeat = at(&format!("App {number}"), number % 2 == 1);
            assert_eq!(service.heartbeat(&heartbeat).await.status(), 200);
            if number % 6 == 0 {
                service.stored(pictures::photo()).await;
            }
        }
        let more = memory_of(service.pid()).saturating_sub(memory);
        assert!(more < 32 << 20, "{more} bytes of memory");
        let database = ["porchlight.db", "porchlight.db-wal"].map(|name| {
            let file = std::fs::metadata(service.data_dir().join(name));
            file.map_or(0, |file| file.len())
        });
        assert!(database.iter().sum::<u64>() < 8 << 20, "{database:?}");
        store.is(StoreMode::Well);
        lists(&store, images + 20).await;
        shows(&store, "App 119", "online").await;
    }
}

#[tokio::test]
async fn the_snapshot_of_another_is_not_overwritten() {
    let store = ObjectStore::start().await;
    let index = json!({ "publisher": "another", "total": 0, "pages": [], "written_at": 1 });
    store.holds(INDEX, &index.to_string());
    let mut service = publishing(&store, &[]).await;
    eventually("a warning", async || {
        service
            .stderr()
            .contains("another Porchlight's snapshot")
            .then_some(())
    })
    .await;
    service.heartbeat(&at("Editor", true)).await;
    service.stored(pictures::photo()).await;
    assert!(service.stop().await.success());
    assert_eq!(store.json(INDEX), index);
    assert_eq!(store.content(CHECK), None);
}

#[tokio::test]
async fn a_snapshot_needs_a_public_object_store() {
    let refused = TestService::builder()
        .set("publish.enabled=true")
        .refused()
        .await;
    assert_eq!(refused.status.code(), Some(2), "{refused:?}");
    for key in [
        "--set: `publish.enabled`",
        "`storage.kind`",
        "`storage.storage_url`",
    ] {
        assert!(refused.stderr.contains(key), "{}", refused.stderr);
    }
}

#[tokio::test]
async fn readers_of_a_real_store_get_it_with_its_headers() {
    let garage = Garage::start().await;
    let mut service = TestService::builder()
        .sets(&garage.settings())
        .sets(&["publish.enabled=true", "publish.prefix=my-blog/"])
        .start()
        .await;
    service.heartbeat(&at("Editor", true)).await;
    let hash = service.stored(pictures::photo()).await;
    assert!(service.stop().await.success());
    let reader = garage.reader();
    let read = async |name: &str| {
        let url = format!("{}/{name}", garage.storage_url());
        let answer = reader.get(url).send().await.expect("an answer");
        assert_eq!(answer.status(), 200, "{name}");
        let header = |name| answer.headers()[name].to_str().expect("text").to_owned();
        let headers = (header(CONTENT_TYPE), header(CACHE_CONTROL));
        let body = answer.bytes().await.expect("a body");
        (
            headers,
            serde_json::from_slice::<Value>(&body).unwrap_or_default(),
        )
    };
    let plain = ("application/json".to_owned(), "no-cache".to_owned());
    let (headers, check) = read("my-blog/check.json").await;
    assert_eq!(
        (headers, &check["state"]),
        (plain.clone(), &json!("offline"))
    );
    let (headers, index) = read("my-blog/images/index.json").await;
    assert_eq!(headers, plain);
    let name = index["pages"][0]["name"].as_str().expect("a page");
    let ((_, cache), page) = read(&format!("my-blog/images/{name}.json")).await;
    assert_eq!(cache, "public, max-age=86400, immutable");
    let image = &page["images"][0];
    assert_eq!(image["hash"], hash);
    assert!(
        image["thumbhash"].is_string() && image["color"].is_string(),
        "{image}"
    );
    let wide = image["width"].as_u64() > image["height"].as_u64();
    let class = if wide { "landscape/" } else { "portrait/" };
    assert_eq!(index["pages"][0]["classes"], json!({ class: 1 }));
    let ((kind, cache), _) = read(&format!("randomimg/{hash}.webp")).await;
    assert_eq!(kind, "image/webp");
    assert!(cache.contains("s-maxage=86400"), "{cache}");
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
    let store = ObjectStore::start().await;
    let service = publishing(&store, &[]).await;
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
    let hashes = lists(&store, 2).await;
    let source = hex::encode(<Sha256 as sha2::Digest>::digest(&photo));
    let by_source = service
        .request(Method::GET, &format!("/images/by-source/{source}"))
        .bearer_auth(service.token("upload").await);
    let mut answers = vec![by_source.send().await.expect("an answer")];
    for path in [
        "/",
        "/images/list",
        "/images/count",
        "/api_stats",
        "/random_image",
    ] {
        answers.push(service.get(path).await);
    }
    for hash in &hashes {
        answers.push(service.get(&format!("/i/{hash}")).await);
        answers.push(service.get(&format!("/images/{hash}")).await);
    }
    for answer in answers {
        let headers = format!("{:?}", answer.headers());
        let body = answer.bytes().await.expect("a body");
        seen.push(headers + &String::from_utf8_lossy(&body));
    }
    for object in store.objects() {
        let content = store.content(&object).expect("an object");
        seen.push(object + &String::from_utf8_lossy(&content));
    }
    for text in seen {
        assert!(!text.to_lowercase().contains("rbour"), "{text}");
    }
}
