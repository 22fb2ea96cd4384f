//! Behaviour B against a real object store: readers are redirected to the
//! store, and its content matches the service.

use reqwest::Method;
use reqwest::header::{CACHE_CONTROL, CONTENT_TYPE, LOCATION};
use serde_json::json;
use sha2::{Digest, Sha256};

use crate::garage::Garage;
use crate::harness::{TestService, answer, assert_error, eventually, pictures, random_token};

async fn behaviour_b(garage: &Garage) -> TestService {
    TestService::builder()
        .sets(&garage.settings())
        .set("behaviour=B")
        .start()
        .await
}

#[tokio::test]
async fn an_image_goes_to_the_store_and_readers_follow_it_there() {
    let garage = Garage::start().await;
    let service = behaviour_b(&garage).await;
    assert_error(
        service.get("/random_image").await,
        404,
        "No images available",
    )
    .await;

    let picture = pictures::scene(pictures::next_seed(), 120, 80);
    let (status, stored) = answer(service.upload(pictures::jpeg(&picture)).await).await;
    assert_eq!(status, 201);
    let hash = stored["hash"].as_str().expect("a hash").to_owned();
    assert_eq!(garage.objects().await, 1);

    let object = format!("{}/randomimg/{hash}.webp", garage.storage_url());
    for path in [
        format!("/i/{hash}"),
        format!("/images/{hash}"),
        "/random_image".to_owned(),
    ] {
        for method in [Method::GET, Method::HEAD] {
            let response = service
                .request(method, &path)
                .send()
                .await
                .expect("an answer");
            assert_eq!(response.status(), 302, "{path}");
            assert_eq!(response.headers()[LOCATION], object, "{path}");
            assert_eq!(
                response.headers()["access-control-allow-origin"],
                "*",
                "{path}"
            );
            let cache = response.headers()[CACHE_CONTROL].to_str().expect("text");
            let right = if path == "/random_image" {
                cache == "no-store"
            } else {
                cache.split(',').any(|word| word.trim() == "max-age=300")
            };
            assert!(right, "{path}: {cache}");
        }
    }

    let response = garage
        .reader()
        .get(&object)
        .send()
        .await
        .expect("the store answers");
    assert_eq!(response.status(), 200);
    assert_eq!(response.headers()[CONTENT_TYPE], "image/webp");
    let webp = response.bytes().await.expect("a body");
    assert_eq!(stored, json!({ "hash": hash, "size": webp.len() }));
    assert_eq!(hash, hex::encode(&Sha256::digest(&webp)[..16]));
    let distance = pictures::distance(&pictures::decoded(&webp).to_rgb8(), &picture);
    assert!(distance < 12.0, "{distance}");
}

#[tokio::test]
async fn the_bodies_are_those_of_behaviour_b() {
    let garage = Garage::start().await;
    let service = behaviour_b(&garage).await;
    let photo = pictures::photo();
    let (status, stored) = answer(service.upload(photo.clone()).await).await;
    let hash = stored["hash"].as_str().expect("a hash").to_owned();
    let expected = json!({ "hash": hash, "size": stored["size"] });
    assert_eq!((status, stored), (201, expected));

    let refused = answer(service.upload(photo).await).await;
    assert_eq!(
        refused,
        (
            409,
            json!({ "error": "Image already exists", "hash": hash })
        )
    );

    let deleted = answer(service.delete(&hash).await).await;
    assert_eq!(
        deleted,
        (200, json!({ "message": "Image deleted successfully" }))
    );

    let (status, echo) = answer(service.heartbeat(&json!({ "application": "Lamp" })).await).await;
    assert_eq!((status, &echo["application"]), (200, &json!("Lamp")));
    assert_eq!(service.json("/check").await["application"], "Lamp");
}

#[tokio::test]
async fn an_unknown_image_is_not_found_rather_than_a_redirect_to_nowhere() {
    let garage = Garage::start().await;
    let service = behaviour_b(&garage).await;
    service.stored(pictures::photo()).await;
    for wrong in ["00112233445566778899aabbccddeeff", "nothing", "..%2fsecret"] {
        for path in [format!("/i/{wrong}"), format!("/images/{wrong}")] {
            assert_error(service.get(&path).await, 404, "Image not found").await;
        }
        assert_error(service.delete(wrong).await, 404, "Image not found").await;
    }
}

#[tokio::test]
async fn a_deleted_image_is_gone_for_readers_at_once_and_from_the_store() {
    let garage = Garage::start().await;
    let mut service = behaviour_b(&garage).await;
    let kept = service.stored(pictures::photo()).await;
    let hash = service.stored(pictures::photo()).await;
    let object = format!("{}/randomimg/{hash}.webp", garage.storage_url());
    let reader = garage.reader();
    assert_eq!(
        reader
            .get(&object)
            .send()
            .await
            .expect("an answer")
            .status(),
        200
    );

    assert_eq!(service.delete(&hash).await.status(), 200);
    for path in [format!("/i/{hash}"), format!("/images/{hash}")] {
        assert_error(service.get(&path).await, 404, "Image not found").await;
    }
    eventually("the object is gone", async || {
        let response = reader.get(&object).send().await.expect("an answer");
        (response.status() == 404).then_some(())
    })
    .await;
    service.restart().await;
    assert_eq!(service.count().await, 1);
    let response = service.get("/random_image").await;
    let expected = format!("{}/randomimg/{kept}.webp", garage.storage_url());
    assert_eq!(response.headers()[LOCATION], expected);
}

#[tokio::test]
async fn a_rendition_is_an_object_beside_its_image_and_goes_with_it() {
    let garage = Garage::start().await;
    let service = behaviour_b(&garage).await;
    let large = pictures::scene(pictures::next_seed(), 1200, 900);
    let hash = service.stored(pictures::jpeg(&large)).await;
    let response = service.get(&format!("/i/{hash}?w=640")).await;
    assert_eq!(response.status(), 302);
    let object = format!("{}/randomimg/{hash}.w640.webp", garage.storage_url());
    assert_eq!(response.headers()[LOCATION], object);
    let narrower = garage
        .reader()
        .get(&object)
        .send()
        .await
        .expect("an answer");
    assert_eq!(narrower.status(), 200);
    let picture = pictures::decoded(&narrower.bytes().await.expect("a body"));
    assert_eq!((picture.width(), picture.height()), (640, 480));
    let wrong = service.get(&format!("/i/{hash}?w=641")).await;
    assert_error(wrong, 400, "Invalid width").await;

    assert_eq!(garage.objects().await, 2);
    assert_eq!(service.delete(&hash).await.status(), 200);
    eventually("the bucket is empty", async || {
        (garage.objects().await == 0).then_some(())
    })
    .await;
}

#[tokio::test]
async fn with_the_store_down_an_upload_fails_and_nothing_is_half_stored() {
    let mut garage = Garage::start().await;
    let mut service = behaviour_b(&garage).await;
    let kept = service.stored(pictures::photo()).await;
    garage.kill().await;

    let photo = pictures::photo();
    assert_error(
        service.upload(photo.clone()).await,
        500,
        "Internal server error",
    )
    .await;
    assert_eq!(service.count().await, 1);
    // What needs no store still works, and the cause is shown only to the owner.
    assert_eq!(service.get(&format!("/i/{kept}")).await.status(), 302);
    assert_eq!(service.heartbeat(&json!({})).await.status(), 200);
    assert!(service.stderr().contains("store") || service.stderr().contains("127.0.0.1"));
    for setting in garage.settings() {
        if let Some(secret) = setting.strip_prefix("storage.secret_key=") {
            assert!(!service.stderr().contains(secret), "the key leaks");
        }
    }

    garage.restart().await;
    let hash = service.stored(photo).await;
    assert_eq!(service.count().await, 2);
    assert_eq!(garage.objects().await, 2);
    service.restart().await;
    assert_eq!(service.get(&format!("/i/{hash}")).await.status(), 302);
}

#[tokio::test]
async fn a_delete_while_the_store_is_down_takes_effect_for_readers_at_once() {
    let mut garage = Garage::start().await;
    let mut service = behaviour_b(&garage).await;
    let hash = service.stored(pictures::photo()).await;
    garage.kill().await;
    assert_eq!(service.delete(&hash).await.status(), 200);
    assert_error(
        service.get(&format!("/i/{hash}")).await,
        404,
        "Image not found",
    )
    .await;
    assert_eq!(service.count().await, 0);

    garage.restart().await;
    service.restart().await;
    eventually("the object goes too", async || {
        (garage.objects().await == 0).then_some(())
    })
    .await;
}

#[tokio::test]
async fn the_store_can_be_used_with_images_served_directly() {
    let garage = Garage::start().await;
    let mut service = TestService::builder()
        .sets(&garage.settings())
        .start()
        .await;
    let photo = pictures::photo();
    let (status, stored) = answer(service.upload(photo.clone()).await).await;
    assert_eq!(
        (status, &stored["contentType"]),
        (201, &json!("image/webp"))
    );
    let hash = stored["hash"].as_str().expect("a hash").to_owned();
    assert_eq!(garage.objects().await, 1);
    for restarted in [false, true] {
        if restarted {
            service.restart().await;
        }
        let webp = service.webp(&hash).await;
        assert_eq!(hash, hex::encode(&Sha256::digest(&webp)[..16]));
        let part = service
            .request(Method::GET, &format!("/i/{hash}"))
            .header("Range", "bytes=0-9");
        let part = part.send().await.expect("an answer");
        assert_eq!(part.status(), 206);
        assert_eq!(part.bytes().await.expect("a body"), webp[..10]);
    }
    let (_, refused) = answer(service.upload(photo).await).await;
    assert_eq!(refused["existingHash"], json!(hash));
    let (_, deleted) = answer(service.delete(&hash).await).await;
    assert_eq!(deleted["hash"], json!(hash));
    assert_error(
        service.get(&format!("/i/{hash}")).await,
        404,
        "Image not found",
    )
    .await;
}

#[tokio::test]
async fn while_the_store_is_down_images_in_memory_are_served_and_the_rest_when_it_is_back() {
    let mut garage = Garage::start().await;
    let service = TestService::builder()
        .sets(&garage.settings())
        .start()
        .await;
    let wide = pictures::scene(pictures::next_seed(), 800, 600);
    let unread = service.stored(pictures::jpeg(&wide)).await;
    let read = service.stored(pictures::photo()).await;
    let webp = service.webp(&read).await;
    garage.kill().await;

    assert_eq!(service.webp(&read).await, webp);
    let paths = [format!("/i/{unread}"), format!("/i/{unread}?w=320")];
    for path in &paths {
        let failed = service.get(path).await;
        assert_error(failed, 500, "Internal server error").await;
    }
    garage.restart().await;
    for path in &paths {
        let response = service.get(path).await;
        assert_eq!(response.status(), 200, "{path}");
        assert!(pictures::is_webp(&response.bytes().await.expect("a body")));
    }
    assert_eq!(garage.objects().await, 3);
}

#[tokio::test]
async fn redirects_imply_heartbeats_without_fields() {
    let garage = Garage::start().await;
    let service = TestService::builder()
        .sets(&garage.settings())
        .sets(&["images.delivery=redirect", "heartbeat.fields=false"])
        .start()
        .await;
    let hash = service.stored(pictures::photo()).await;
    assert_eq!(service.get(&format!("/i/{hash}")).await.status(), 302);
    let beat = answer(service.heartbeat(&json!({ "application": "Lamp" })).await).await;
    assert_eq!(beat, (200, json!({ "message": "Heartbeat received" })));
    assert_eq!(
        service
            .json("/check")
            .await
            .as_object()
            .expect("an object")
            .len(),
        2
    );
}

#[tokio::test]
async fn a_wrong_key_is_a_clear_error_and_nothing_is_stored() {
    let garage = Garage::start().await;
    let service = TestService::builder()
        .sets(&garage.settings())
        .set(format!("storage.secret_key={}", random_token()))
        .start()
        .await;
    assert_error(
        service.upload(pictures::photo()).await,
        500,
        "Internal server error",
    )
    .await;
    assert_eq!(service.count().await, 0);
    assert_eq!(garage.objects().await, 0);
}
