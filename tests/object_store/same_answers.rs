//! Every question of a reader has the same answer at the Worker as at the service, which has the same
//! pictures; and what the Worker answers where the service cannot.

use hmac::{Hmac, KeyInit as _, Mac as _};
use reqwest::header::{HeaderMap, HeaderName};
use reqwest::{Method, Response};
use serde_json::json;
use sha2::Sha256;

use super::at_the_worker::at;
use super::sync::{heartbeat, lists, shows, unix_millis};
use crate::harness::workerd::{Origin, SECRET, Worker};
use crate::harness::{TestService, eventually, free_port, pictures};

/// The headers of an answer that readers and caches go by.
const HEADERS: [&str; 16] = [
    "content-type",
    "content-length",
    "content-range",
    "content-disposition",
    "content-security-policy",
    "accept-ranges",
    "cache-control",
    "etag",
    "location",
    "retry-after",
    "vary",
    "x-content-type-options",
    "access-control-allow-origin",
    "access-control-allow-methods",
    "access-control-allow-headers",
    "access-control-max-age",
];

/// A method, a path and headers.
type Question = (Method, String, &'static [(&'static str, &'static str)]);

/// What is asked of both. `{0}` and the like stand for the pictures' hashes.
fn questions(hashes: &[String]) -> Vec<Question> {
    const NONE: &[(&str, &str)] = &[];
    let get = |path: &str| (Method::GET, path.to_owned(), NONE);
    let paths = [
        "/check",
        "/check?x=1",
        "/game_status",
        "/devices",
        "/images/count",
        "/images/list",
        "/images/list?page=2&limit=2",
        "/images/list?limit=1000",
        "/images/list?detail=1",
        "/images/list?detail=2",
        "/images/list?page=9223372036854775807&limit=9223372036854775807",
        "/images/list?album=cats",
        "/images/list?album=%20cats%20&detail=1",
        "/images/list?album=none",
        "/images/list?page=0",
        "/images/list?page=-1",
        "/images/list?page=1.5",
        "/images/list?page=",
        "/images/list?limit=0",
        "/images/list?limit=x",
        "/images/list?page=9223372036854775808",
        "/images/list?album=",
        "/images/list?page=x&limit=x",
        "/images/list?page=1&page=2",
        "/random_image?seed=a&form=json",
        "/random_image?seed=b&form=redirect",
        "/random_image?seed=b&form=text",
        "/random_image?seed=c",
        "/random_image?seed=",
        "/random_image?seed=c&album=cats&form=json",
        "/random_image?seed=c&orientation=portrait&form=json",
        "/random_image?seed=c&type=mobile&form=json",
        "/random_image?seed=c&type=pc&form=json",
        "/random_image?seed=c&orientation=auto&form=json",
        "/random_image?orientation=square",
        "/random_image?album=none",
        "/random_image?orientation=x",
        "/random_image?type=x",
        "/random_image?form=x",
        "/random_image?album=",
        "/random_image?orientation=square&type=pc",
        "/i/{0}",
        "/i/{0}.webp",
        "/i/{0}/a-name.webp",
        "/i/{0}.webp?w=320",
        "/i/{0}?w=1920",
        "/i/{0}?w=5",
        "/i/{0}?w=",
        "/i/{0}.png",
        "/i/{0}/a/b.webp",
        "/i/x",
        "/i/",
        "/i/ffffffffffffffffffffffffffffffff",
        "/images/{1}",
        "/images/{1}.webp",
        "/images/x",
        "/images/ffffffffffffffffffffffffffffffff",
        "/widget.js",
        "/badge.json",
        "/badge.svg",
        "/card.svg",
        "/badge.json?label=blog&lang=zh",
        "/badge.svg?label=%E5%8D%9A%E5%AE%A2&theme=dark",
        "/badge.svg?label=a%3Cb%3E%26%22%27",
        "/card.svg?theme=dark&lang=zh-CN&label=me",
        "/card.svg?label=%F0%9F%91%A8%E2%80%8D%F0%9F%91%A9%E2%80%8D%F0%9F%91%A7%20e%CC%81",
        "/v1/users/1",
        "/v1/users/0",
    ];
    let mut all: Vec<Question> = paths.map(get).to_vec();
    let head = |path: &str| (Method::HEAD, path.to_owned(), NONE);
    all.extend(
        [
            "/check",
            "/images/list",
            "/i/{0}",
            "/images/{0}.webp",
            "/random_image?seed=a",
            "/badge.svg",
        ]
        .map(head),
    );
    let headers: [&[(&str, &str)]; 12] = [
        &[("Range", "bytes=0-9")],
        &[("Range", "bytes=10-")],
        &[("Range", "bytes=-5")],
        &[("Range", "bytes=99999999-")],
        &[("Range", "bytes=5-2")],
        &[("Range", "bytes=0-1,4-5")],
        &[("Range", "lines=1-2")],
        &[("If-None-Match", "*")],
        &[("If-None-Match", "\"x\", W/\"y\"")],
        &[("Range", "bytes=0-9"), ("If-Range", "\"x\"")],
        &[("Authorization", "Bearer unknown")],
        &[("Origin", "https://blog.example")],
    ];
    for headers in headers {
        for path in ["/i/{0}", "/images/{1}", "/check", "/random_image?seed=a"] {
            all.push((Method::GET, path.to_owned(), headers));
        }
    }
    all.push((
        Method::GET,
        "/random_image?seed=a&orientation=auto&form=json".to_owned(),
        &[("Sec-CH-UA-Mobile", "?1")],
    ));
    for path in ["/check", "/i/{0}", "/images/list", "/v1/users/1"] {
        all.push((
            Method::OPTIONS,
            path.to_owned(),
            &[
                ("Origin", "https://blog.example"),
                ("Access-Control-Request-Method", "GET"),
            ],
        ));
    }
    for (_, path, _) in &mut all {
        for (number, hash) in hashes.iter().enumerate() {
            *path = path.replace(&format!("{{{number}}}"), hash);
        }
    }
    all
}

type Answer = (u16, Vec<(HeaderName, String)>, String);

/// Status, headers and body.
async fn parts(answer: Response) -> Answer {
    let status = answer.status().as_u16();
    let named = |headers: &HeaderMap| {
        let known = HEADERS.iter().filter_map(|name| {
            let value = headers.get(*name)?.to_str().expect("text");
            // For caches in front of the Worker, so that a deletion is known there the day after.
            let value = value.replace(", s-maxage=86400", "");
            Some((HeaderName::from_static(name), value))
        });
        known.collect::<Vec<_>>()
    };
    let headers = named(answer.headers());
    let body = answer.bytes().await.expect("a body");
    let text = String::from_utf8(body.to_vec());
    (status, headers, text.unwrap_or_else(|_| hex::encode(&body)))
}

/// What differs at the Worker from what is answered at home.
fn difference(worker: &Answer, home: &Answer) -> String {
    if worker.0 != home.0 {
        return format!("{} instead of {}: {:.80}", worker.0, home.0, worker.2);
    }
    let lacks = |one: &Answer, other: &Answer| {
        let mut headers = one.1.clone();
        headers.retain(|header| !other.1.contains(header));
        headers
    };
    let (more, less) = (lacks(worker, home), lacks(home, worker));
    match more.is_empty() && less.is_empty() {
        false => format!("{more:?} instead of {less:?}"),
        true => format!("{:.200} instead of {:.200}", worker.2, home.2),
    }
}

/// The header of a request that the Worker passes on: it comes from outside, and by HTTPS.
fn signed(method: &Method, path: &str, ip: &str) -> String {
    let time = unix_millis() / 1000;
    let mac = Hmac::<Sha256>::new_from_slice(SECRET.as_bytes()).expect("a key");
    let mac = mac.chain_update(format!("{time}\n{ip}\n{method}\n{path}"));
    format!(
        "t={time}, ip={ip}, v1={}",
        hex::encode(mac.finalize().into_bytes())
    )
}

/// Asks both, and names each question whose answers differ.
async fn assert_same(worker: &Worker, service: &TestService, hashes: &[String]) {
    let mut different = Vec::new();
    for (method, path, headers) in questions(hashes) {
        let with = |mut request: crate::harness::RequestBuilder| {
            for (name, value) in headers {
                request = request.header(*name, *value);
            }
            request
        };
        let at_worker = with(worker.request(method.clone(), &path)).send();
        let at_worker = parts(at_worker.await.expect("an answer")).await;
        let at_home = service.request(method.clone(), &path);
        let at_home = with(at_home.header("X-Porchlight-Edge", signed(&method, &path, ""))).send();
        let at_home = parts(at_home.await.expect("an answer")).await;
        if at_worker != at_home {
            different.push(format!(
                "{method} {path} {headers:?}: {}",
                difference(&at_worker, &at_home)
            ));
        }
    }
    assert!(different.is_empty(), "{}", different.join("\n"));
}

/// A service with pictures of all shapes, two of them in an album, all at the Worker.
async fn with_pictures(worker: &Worker, address: String) -> (TestService, Vec<String>) {
    let service = TestService::builder()
        .listen(address)
        .sets(&[
            "storage.kind=edge",
            "lanyard.enabled=true",
            "lanyard.id=1",
            "devices.show=true",
        ])
        .sets(&worker.settings())
        .start()
        .await;
    let mut hashes = Vec::new();
    for (width, height) in [(400, 300), (300, 400), (350, 350), (10, 700), (2100, 9)] {
        let picture = pictures::scene(pictures::next_seed(), width, height);
        hashes.push(service.stored(pictures::png(&picture)).await);
    }
    let database = rusqlite::Connection::open(service.data_dir().join("porchlight.db"));
    let albums = "UPDATE image SET album = 'cats' WHERE id <= 2";
    let put = database.expect("the database").execute(albums, []);
    assert_eq!(put, Ok(2));
    service.heartbeat(&heartbeat("Zed <&> \"编辑\"")).await;
    lists(worker, 5).await;
    shows(worker, "Zed <&> \"编辑\"").await;
    (service, hashes)
}

#[tokio::test]
async fn while_the_service_runs() {
    let address = format!("127.0.0.1:{}", free_port());
    let worker = Worker::with_store_and(Origin::Fixed(format!("http://{address}"))).await;
    let (service, hashes) = with_pictures(&worker, address).await;
    // The narrower copies are made by the first who asks.
    service.get(&format!("/i/{}.webp?w=320", hashes[0])).await;
    assert_same(&worker, &service, &hashes).await;
    assert_eq!(service.delete(&hashes[4]).await.status(), 200);
    lists(&worker, 4).await;
    let away =
        json!({ "application": "", "introduce": "", "rgba": "", "applicationOnline": false });
    service.heartbeat(&away).await;
    shows(&worker, "").await;
    assert_same(&worker, &service, &hashes[..4]).await;
}

#[tokio::test]
async fn before_there_is_a_picture_and_a_heartbeat() {
    let worker = Worker::with_store().await;
    let service = at(&worker).await;
    eventually("the first call", async || {
        (worker.get("/check").await.status() == 200).then_some(())
    })
    .await;
    let hash = "0123456789abcdef0123456789abcdef".to_owned();
    let questions = questions(&[hash.clone(), hash]);
    assert!(questions.len() > 100);
    for path in [
        "/check",
        "/images/list",
        "/images/count",
        "/random_image",
        "/random_image?seed=a",
        "/game_status",
        "/devices",
        "/badge.svg",
        "/card.svg",
        "/v1/users/1",
    ] {
        let mut at_worker = parts(worker.get(path).await).await;
        // Image proxies ask again after a minute, whatever they make of `no-cache`.
        for (_, value) in &mut at_worker.1 {
            *value = value.replace("max-age=60", "no-cache");
        }
        assert_eq!(at_worker, parts(service.get(path).await).await, "{path}");
    }
}

/// The lists and pictures stay, whatever the state; the owner is offline in each.
#[tokio::test]
async fn while_the_service_is_off_all_but_presence_is_answered_as_before() {
    let address = format!("127.0.0.1:{}", free_port());
    let worker = Worker::with_store_and(Origin::Fixed(format!("http://{address}"))).await;
    let (mut service, hashes) = with_pictures(&worker, address).await;
    service.get(&format!("/i/{}.webp?w=320", hashes[0])).await;
    let is_presence = |path: &str| {
        let presence = ["/check", "/devices", "/badge", "/card", "/v1/"];
        presence.iter().any(|start| path.starts_with(start))
    };
    let ask = async |(method, path, headers): &Question| {
        let mut request = worker.request(method.clone(), path);
        for (name, value) in *headers {
            request = request.header(*name, *value);
        }
        parts(request.send().await.expect("an answer")).await
    };
    let mut before = Vec::new();
    for question in questions(&hashes) {
        let answer = ask(&question).await;
        before.push((question, answer));
    }
    assert!(service.stop().await.success());
    for (question, answer) in before {
        let now = ask(&question).await;
        let (method, path, _) = &question;
        if is_presence(path) {
            assert_eq!(now.0, answer.0, "{method} {path}");
        } else if answer.0 < 300 || answer.0 == 304 || answer.0 == 302 {
            assert_eq!(now, answer, "{method} {path}");
        }
    }
    let check = worker.json("/check").await;
    assert_eq!(
        (&check["alive"], &check["application"]),
        (&json!(false), &json!(""))
    );
    let card = worker.get("/card.svg?lang=en").await;
    assert_eq!(card.headers()["Cache-Control"], "max-age=60");
    assert!(card.text().await.expect("a picture").contains("Offline"));
}

#[tokio::test]
async fn an_address_has_the_same_rate_at_both() {
    let worker = Worker::with_store().await;
    let service = TestService::builder()
        .sets(&["limits.requests_per_second=1", "limits.burst=5"])
        .sets(&worker.settings())
        .start()
        .await;
    eventually("the first call", async || {
        (worker.get("/check").await.status() == 200).then_some(())
    })
    .await;
    let ask = async |at_worker: bool, ip: &str, path: &str| {
        let request = match at_worker {
            true => worker.request(Method::GET, path).header("X-Real-IP", ip),
            false => {
                let request = service.request(Method::GET, path);
                request.header("X-Porchlight-Edge", signed(&Method::GET, path, ip))
            }
        };
        parts(request.send().await.expect("an answer")).await
    };
    for (ip, same_network, other) in [
        ("192.0.2.1", "192.0.2.1", "192.0.2.2"),
        ("2001:db8::1", "2001:db8::2:3", "2001:db8:0:1::1"),
    ] {
        let mut refused = Vec::new();
        for at_worker in [true, false] {
            for _ in 0..5 {
                assert_eq!(ask(at_worker, ip, "/check").await.0, 200, "{ip}");
            }
            let mut answers = Vec::new();
            for _ in 0..5 {
                answers.push(ask(at_worker, same_network, "/images/count").await);
            }
            answers.retain(|answer| answer.0 == 429);
            refused.push(answers.pop().expect("a refusal"));
            let other_answer = ask(at_worker, other, "/check").await;
            assert_eq!(other_answer.0, 200, "{other} {at_worker}");
        }
        assert_eq!(refused[0], refused[1], "{ip}");
    }
}
