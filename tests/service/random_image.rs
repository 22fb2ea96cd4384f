//! `/random_image`: any stored image, each as likely as the others.

use std::collections::{HashMap, HashSet};

use reqwest::Method;
use reqwest::header::{
    ACCEPT_RANGES, CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_TYPE, ETAG, IF_NONE_MATCH, IF_RANGE,
    LOCATION, RANGE, VARY,
};

use serde_json::{Value, json};

use crate::harness::{TestService, assert_error, pictures};

async fn drawn(service: &TestService) -> String {
    let response = service.get("/random_image").await;
    assert_eq!(response.status(), 200);
    let headers = response.headers();
    assert_eq!(headers[CONTENT_TYPE], "image/webp");
    assert_eq!(headers[CACHE_CONTROL], "no-store");
    let disposition = headers[CONTENT_DISPOSITION]
        .to_str()
        .expect("text")
        .replace('"', "");
    let name = disposition
        .strip_prefix("inline; filename=")
        .expect("inline with a name");
    name.strip_suffix(".webp").expect("a WebP").to_owned()
}

#[tokio::test]
async fn without_images_it_is_not_found() {
    let service = TestService::start(&[]).await;
    assert_error(
        service.get("/random_image").await,
        404,
        "No images available",
    )
    .await;
    let hash = service.stored(pictures::photo()).await;
    assert_eq!(drawn(&service).await, hash);
    service.delete(&hash).await;
    assert_error(
        service.get("/random_image").await,
        404,
        "No images available",
    )
    .await;
}

#[tokio::test]
async fn a_random_image_has_the_bytes_of_the_image_it_names() {
    let service = TestService::start(&[]).await;
    for _ in 0..3 {
        service.stored(pictures::photo()).await;
    }
    for _ in 0..10 {
        let response = service.get("/random_image").await;
        let name = response.headers()[CONTENT_DISPOSITION]
            .to_str()
            .expect("text")
            .to_owned();
        let bytes = response.bytes().await.expect("a body");
        let hash = &name[name.find(".webp").expect("an ending") - 32..][..32];
        assert_eq!(service.webp(hash).await, bytes);
    }
}

#[tokio::test]
async fn every_image_is_as_likely_as_the_others() {
    let service = TestService::start(&["limits.requests_per_second=0"]).await;
    let mut hashes = Vec::new();
    for _ in 0..6 {
        hashes.push(service.stored(pictures::photo()).await);
    }
    // Gaps are where a draw by row number or by random key goes wrong.
    service.delete(&hashes.remove(1)).await;
    service.delete(&hashes.remove(1)).await;
    let mut seen: HashMap<String, u32> = HashMap::new();
    for _ in 0..800 {
        *seen.entry(drawn(&service).await).or_default() += 1;
    }
    assert_eq!(seen.len(), hashes.len(), "{seen:?}");
    for hash in hashes {
        // 200 expected, with a standard deviation of 12: five of them.
        assert!((140..=260).contains(&seen[&hash]), "{seen:?}");
    }
}

/// The next call answers with another image: neither ranges nor cached copies
/// of this one apply.
#[tokio::test]
async fn a_random_image_is_never_answered_with_304_or_206() {
    let service = TestService::start(&[]).await;
    let hash = service.stored(pictures::photo()).await;
    let whole = service.webp(&hash).await;
    let tag = format!("\"{hash}\"");
    for (name, value) in [
        (IF_NONE_MATCH, tag.as_str()),
        (IF_NONE_MATCH, "*"),
        (RANGE, "bytes=0-9"),
        (RANGE, "bytes=99999999-"),
    ] {
        for method in [Method::GET, Method::HEAD] {
            let request = service
                .request(method.clone(), "/random_image")
                .header(&name, value)
                .header(IF_RANGE, &tag);
            let response = request.send().await.expect("an answer");
            assert_eq!(response.status(), 200, "{method} {name}: {value}");
            for header in [ETAG, ACCEPT_RANGES] {
                assert!(!response.headers().contains_key(&header), "{header}");
            }
            if method == Method::GET {
                assert_eq!(response.bytes().await.expect("a body"), whole);
            }
        }
    }
}

/// A picture of this size, stored.
async fn sized(service: &TestService, width: u32, height: u32) -> String {
    let picture = pictures::scene(pictures::next_seed(), width, height);
    service.stored(pictures::png(&picture)).await
}

/// The hashes that so many draws of these parameters give.
async fn draws(service: &TestService, parameters: &str, times: u32) -> HashSet<String> {
    let mut drawn = HashSet::new();
    for _ in 0..times {
        let path = format!("/random_image?form=json&{parameters}");
        let answer = service.json(&path).await;
        drawn.insert(answer["hash"].as_str().expect("a hash").to_owned());
    }
    drawn
}

#[tokio::test]
async fn only_images_of_the_wanted_orientation_are_drawn() {
    let service = TestService::start(&["limits.requests_per_second=0"]).await;
    let [wide, high, square] = [(64, 48), (48, 64), (50, 50)];
    let mut stored = Vec::new();
    for (width, height) in [wide, wide, high, high, square] {
        stored.push(sized(&service, width, height).await);
    }
    let set = |hashes: &[String]| hashes.iter().cloned().collect::<HashSet<_>>();
    for (parameters, wanted) in [
        ("orientation=landscape", &stored[..2]),
        ("type=pc", &stored[..2]),
        ("orientation=portrait", &stored[2..4]),
        ("type=mobile", &stored[2..4]),
        ("orientation=square", &stored[4..]),
        ("", &stored[..]),
    ] {
        // One of two is missed by 40 draws once in 10^12 runs, one of five once in 10^3.
        let times = if parameters.is_empty() { 150 } else { 40 };
        assert_eq!(
            draws(&service, parameters, times).await,
            set(wanted),
            "{parameters}"
        );
    }
    for hash in &stored[2..4] {
        service.delete(hash).await;
    }
    let gone = service.get("/random_image?orientation=portrait").await;
    assert_error(gone, 404, "No images available").await;
}

#[tokio::test]
async fn auto_is_what_fits_the_readers_screen_and_else_any() {
    let service = TestService::start(&[]).await;
    let (wide, high) = (sized(&service, 64, 48).await, sized(&service, 48, 64).await);
    let phone = "Mozilla/5.0 (Linux; Android 15) Chrome/140.0 Mobile Safari/537.36";
    let ask = async |headers: [(&str, &str); 2]| {
        let mut request = service.request(Method::GET, "/random_image?orientation=auto&form=json");
        for (name, value) in headers.into_iter().filter(|(_, value)| !value.is_empty()) {
            request = request.header(name, value);
        }
        let response = request.send().await.expect("an answer");
        assert_eq!(response.headers()[VARY], "Sec-CH-UA-Mobile, User-Agent");
        let body: Value = response.json().await.expect("JSON");
        body["hash"].as_str().expect("a hash").to_owned()
    };
    let (hint, agent) = ("Sec-CH-UA-Mobile", "User-Agent");
    for (headers, wanted) in [
        ([(hint, ""), (agent, phone)], &high),
        (
            [(hint, ""), (agent, "Mozilla/5.0 (X11; Linux x86_64)")],
            &wide,
        ),
        ([(hint, "?1"), (agent, "")], &high),
        ([(hint, "?0"), (agent, phone)], &wide),
    ] {
        for _ in 0..5 {
            assert_eq!(&ask(headers).await, wanted, "{headers:?}");
        }
    }
    service.delete(&high).await;
    assert_eq!(ask([(hint, "?1"), (agent, "")]).await, wide);
    let others = service.get("/random_image?orientation=landscape").await;
    assert!(!others.headers().contains_key(VARY));
}

#[tokio::test]
async fn the_answer_is_an_image_its_address_or_json() {
    let service = TestService::start(&[]).await;
    let hash = sized(&service, 64, 48).await;
    let body = service.json("/random_image?form=json").await;
    let url = body["url"].as_str().expect("an address");
    let thumbhash = body["thumbhash"].as_str().expect("a thumbhash");
    assert_eq!(
        body,
        json!({ "hash": hash, "url": url, "width": 64, "height": 48, "thumbhash": thumbhash })
    );
    let image = service.http.get(url).send().await.expect("an answer");
    assert_eq!(
        image.bytes().await.expect("bytes"),
        service.webp(&hash).await
    );
    let redirect = service.get("/random_image?form=redirect").await;
    assert_eq!(redirect.status(), 302);
    assert_eq!(redirect.headers()[LOCATION], format!("/i/{hash}.webp"));
    assert_eq!(redirect.headers()[CACHE_CONTROL], "no-store");
    let image = service.get("/random_image?form=image").await;
    assert_eq!(
        image.bytes().await.expect("bytes"),
        service.webp(&hash).await
    );

    let public = [
        "server.public_url=https://b.example",
        "server.client_ip=x-forwarded-for",
    ];
    let service = TestService::start(&public).await;
    let hash = sized(&service, 4, 4).await;
    let body = service.json("/random_image?form=json").await;
    assert_eq!(body["url"], format!("https://b.example/i/{hash}.webp"));
}

#[tokio::test]
async fn a_seed_draws_the_same_image_also_after_a_restart() {
    let mut service = TestService::start(&["limits.requests_per_second=0"]).await;
    for _ in 0..8 {
        sized(&service, 32, 24).await;
    }
    let mut drawn = HashMap::new();
    for seed in 0..40 {
        let parameters = format!("seed=%E5%85%89%20{seed}");
        let hashes = draws(&service, &parameters, 2).await;
        assert_eq!(hashes.len(), 1, "{parameters}");
        drawn.insert(parameters, hashes);
    }
    assert!(drawn.values().flatten().collect::<HashSet<_>>().len() > 4);
    service.restart().await;
    for (parameters, hashes) in &drawn {
        assert_eq!(&draws(&service, parameters, 1).await, hashes);
    }
}

#[tokio::test]
async fn wrong_parameters_are_named() {
    let service = TestService::start(&[]).await;
    sized(&service, 8, 8).await;
    let long = "a".repeat(201);
    for (parameter, value) in [
        ("orientation", "wide"),
        ("orientation", ""),
        ("type", "tablet"),
        ("form", "xml"),
        ("seed", &long),
        ("seed", "%ff"),
        ("album", ""),
        ("album", &long),
    ] {
        let answer = service
            .get(&format!("/random_image?{parameter}={value}"))
            .await;
        assert_error(answer, 400, &format!("Invalid {parameter}")).await;
    }
    let longest = format!("/random_image?seed={}&t=1", &long[1..]);
    assert_eq!(service.get(&longest).await.status(), 200);
}
