//! Albums: an upload names the one of a new image, and who knows its name reads its images.

use reqwest::header::CONTENT_TYPE;
use reqwest::{Method, Response};
use serde_json::{Value, json};

use crate::harness::form::{file_part, form, text_part};
use crate::harness::{TestService, answer, assert_error, pictures};

enum First {
    Album,
    Image,
}

async fn upload(service: &TestService, album: &[u8], first: First) -> Response {
    let photo = pictures::photo();
    let mut parts = vec![
        text_part("album", album),
        file_part("image", "a.jpg", "image/jpeg", &photo),
    ];
    if matches!(first, First::Image) {
        parts.reverse();
    }
    let (content_type, body) = form(&parts);
    let request = service.request(Method::POST, "/images/add");
    let request = request.bearer_auth(&service.admin_token);
    let request = request.header(CONTENT_TYPE, content_type).body(body);
    request.send().await.expect("an answer")
}

async fn stored(service: &TestService, album: &str, first: First) -> Value {
    let (status, body) = answer(upload(service, album.as_bytes(), first).await).await;
    assert_eq!(status, 201, "{body}");
    body["hash"].clone()
}

async fn listed(service: &TestService, parameters: &str) -> (Vec<Value>, Value) {
    let page = service.json(&format!("/images/list?{parameters}")).await;
    let images = page["images"].as_array().expect("a list");
    let hashes = images.iter().map(|image| image["hash"].clone());
    (hashes.collect(), page["pagination"].clone())
}

#[tokio::test]
async fn an_album_has_a_list_and_random_images_of_its_own() {
    let mut service = TestService::start(&[]).await;
    service.stored(pictures::photo()).await;
    let dog = stored(&service, " dogs\n", First::Image).await;
    let mut cats = vec![
        stored(&service, "猫 & co", First::Album).await,
        stored(&service, "猫 & co", First::Image).await,
        stored(&service, "猫 & co", First::Album).await,
    ];
    cats.reverse();
    // An empty field is none, as a form without a choice sends it.
    stored(&service, "", First::Album).await;
    for _ in 0..2 {
        let name = "album=%E7%8C%AB+%26%20co";
        let (found, pagination) = listed(&service, name).await;
        assert_eq!(pagination, json!({ "current": 1, "size": 10, "total": 3 }));
        assert_eq!(found.len(), 3);
        let (second, pagination) = listed(&service, &format!("{name}&limit=2&page=2")).await;
        assert_eq!(
            (second, &pagination["total"]),
            (vec![found[2].clone()], &json!(3))
        );
        assert!(cats.iter().all(|cat| found.contains(cat)), "{found:?}");
        assert_eq!(
            listed(&service, "album=dogs").await.0,
            std::slice::from_ref(&dog)
        );
        assert_eq!(listed(&service, "album=Dogs").await.1["total"], 0);
        assert_eq!(listed(&service, "").await.1["total"], 6);
        for _ in 0..20 {
            let drawn = service
                .json(&format!("/random_image?form=json&{name}"))
                .await;
            assert!(cats.contains(&drawn["hash"]), "{drawn}");
        }
        let none = service
            .get("/random_image?album=dogs&orientation=portrait")
            .await;
        assert_error(none, 404, "No images available").await;
        service.restart().await;
    }
    let gone = cats.remove(0);
    service.delete(gone.as_str().expect("a hash")).await;
    assert_eq!(
        listed(&service, "album=%E7%8C%AB+%26%20co").await.1["total"],
        2
    );
}

#[tokio::test]
async fn the_name_of_an_album_has_1_to_64_characters() {
    let service = TestService::start(&[]).await;
    let (longest, too_long) = ("光".repeat(64), "光".repeat(65));
    stored(&service, &longest, First::Album).await;
    let endless = "a".repeat(100_000);
    for album in [too_long.as_bytes(), endless.as_bytes(), b" ", b"\xff"] {
        for first in [First::Album, First::Image] {
            assert_error(upload(&service, album, first).await, 400, "Invalid album").await;
        }
    }
    assert_eq!(service.count().await, 1);
    for path in ["/images/list?album=", "/images/list?album=%ff"] {
        assert_error(service.get(path).await, 400, "Invalid album").await;
    }
}

#[tokio::test]
async fn the_same_image_again_stays_in_its_album() {
    let service = TestService::start(&[]).await;
    let photo = pictures::photo();
    service.stored(photo.clone()).await;
    let parts = [
        file_part("image", "a.jpg", "image/jpeg", &photo),
        text_part("album", b"cats"),
    ];
    let (content_type, body) = form(&parts);
    let request = service.request(Method::POST, "/images/add");
    let request = request.bearer_auth(&service.admin_token);
    let request = request.header(CONTENT_TYPE, content_type).body(body);
    assert_eq!(request.send().await.expect("an answer").status(), 409);
    assert_eq!(listed(&service, "album=cats").await.1["total"], 0);
}
