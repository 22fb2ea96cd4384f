//! An object store that is unreachable, slow, full, or answers with errors: a clear response,
//! nothing half-stored, and the service keeps serving what it has.

use reqwest::header::{CACHE_CONTROL, IF_NONE_MATCH, LOCATION};
use reqwest::{Method, Response};
use serde_json::json;

use crate::harness::{TestService, answer, assert_error, eventually, form, pictures};
use crate::s3::{KEY, ObjectStore, StoreMode};

/// Every way to fail an upload at once, and its response.
const FAILURES: [(StoreMode, u16, &str); 8] = [
    (StoreMode::Refuses(500), 500, "Internal server error"),
    (StoreMode::Refuses(503), 500, "Internal server error"),
    (StoreMode::Refuses(403), 500, "Internal server error"),
    (
        StoreMode::NamesTheKey("InvalidAccessKeyId"),
        500,
        "Internal server error",
    ),
    (
        StoreMode::NamesTheKey("SignatureDoesNotMatch"),
        500,
        "Internal server error",
    ),
    (StoreMode::ReadOnly(503), 500, "Internal server error"),
    (StoreMode::Refuses(507), 507, "Not enough storage"),
    (StoreMode::ReadOnly(507), 507, "Not enough storage"),
];

async fn service(store: &ObjectStore, delivery: &str) -> TestService {
    TestService::builder()
        .sets(&store.settings())
        .set(format!("images.delivery={delivery}"))
        .start()
        .await
}

fn object(hash: &str) -> String {
    format!("randomimg/{hash}.webp")
}

/// An image that has renditions.
fn wide() -> Vec<u8> {
    pictures::jpeg(&pictures::scene(pictures::next_seed(), 800, 600))
}

/// The store holds exactly these images.
async fn assert_holds(store: &ObjectStore, service: &TestService, hashes: &[&str]) {
    let mut expected: Vec<String> = hashes.iter().map(|hash| object(hash)).collect();
    expected.sort();
    assert_eq!(store.objects(), expected);
    assert_eq!(service.count().await, hashes.len() as u64);
}

/// A request that runs concurrently with the test.
fn uploading(service: &TestService, bytes: &[u8]) -> tokio::task::JoinHandle<Option<Response>> {
    let (content_type, body) = form::file("image", "a.jpg", "image/jpeg", bytes);
    let request = service
        .request(Method::POST, "/images/add")
        .bearer_auth(&service.admin_token)
        .header("content-type", content_type)
        .body(body);
    tokio::spawn(async move { request.send().await.ok() })
}

#[tokio::test]
async fn an_upload_that_the_store_does_not_take_is_an_error_and_nothing_is_half_stored() {
    let store = ObjectStore::start().await;
    let mut service = service(&store, "direct").await;
    let kept = service.stored(pictures::photo()).await;
    let photo = pictures::photo();
    for (mode, status, text) in FAILURES {
        store.is(mode);
        let refused = service.upload(photo.clone()).await;
        assert_eq!(refused.status(), status, "{mode:?}");
        assert_error(refused, status, text).await;
        assert_holds(&store, &service, &[&kept]).await;
        assert_eq!(service.heartbeat(&json!({})).await.status(), 200);
    }
    let log = service.stderr();
    assert!(log.contains("it answered 403 Forbidden, InvalidAccessKeyId"));
    assert!(!log.contains(KEY), "a key leaks");
    store.is(StoreMode::Well);
    let hash = service.stored(photo).await;
    for restarted in [false, true] {
        if restarted {
            service.restart().await;
        }
        service.webp(&hash).await;
        assert_holds(&store, &service, &[&kept, &hash]).await;
    }
}

#[tokio::test]
async fn with_an_unreachable_store_the_service_keeps_serving_stored_images() {
    let mut store = ObjectStore::start().await;
    let service = service(&store, "direct").await;
    let (read, unread) = (service.stored(wide()).await, service.stored(wide()).await);
    let webp = service.webp(&read).await;
    store.line.cut().await;

    assert_eq!(service.webp(&read).await, webp);
    let path = format!("/i/{unread}");
    for path in [path.clone(), format!("{path}?w=320")] {
        let failed = service.get(&path).await;
        assert_eq!(failed.headers()[CACHE_CONTROL], "no-store", "{path}");
        assert_error(failed, 500, "Internal server error").await;
    }
    let known = service.request(Method::GET, &path);
    let known = known.header(IF_NONE_MATCH, format!("\"{unread}\"")).send();
    assert_eq!(known.await.expect("an answer").status(), 304);
    let refused = service.upload(pictures::photo()).await;
    assert_error(refused, 500, "Internal server error").await;
    assert_eq!(service.json("/images/list").await["pagination"]["total"], 2);
    assert_eq!(service.heartbeat(&json!({})).await.status(), 200);

    store.line.mend();
    assert!(pictures::is_webp(&service.webp(&unread).await));
    let narrower = service.get(&format!("{path}?w=320")).await;
    assert_eq!(narrower.status(), 200);
    service.stored(pictures::photo()).await;
}

#[tokio::test]
async fn with_the_store_out_of_reach_the_service_starts() {
    let mut store = ObjectStore::start().await;
    let mut service = service(&store, "redirect").await;
    let hash = service.stored(pictures::photo()).await;
    service.stop().await;
    store.line.cut().await;
    service.restart().await;
    let response = service.get(&format!("/i/{hash}")).await;
    assert_eq!(response.status(), 302);
    assert_eq!(service.count().await, 1);
    store.line.mend();
    service.stored(pictures::photo()).await;
}

#[tokio::test]
async fn an_error_of_the_store_is_never_served_as_an_image_nor_cached() {
    let store = ObjectStore::start().await;
    let mut service = service(&store, "direct").await;
    let hash = service.stored(wide()).await;
    let path = format!("/i/{hash}");
    for (mode, ..) in FAILURES {
        if let StoreMode::ReadOnly(_) = mode {
            continue;
        }
        store.is(mode);
        for path in [path.clone(), format!("{path}?w=640")] {
            let failed = service.get(&path).await;
            assert_error(failed, 500, "Internal server error").await;
        }
        let random = service.get("/random_image").await;
        assert_error(random, 500, "Internal server error").await;
    }
    assert!(!service.stderr().contains(KEY), "a key leaks");
    store.is(StoreMode::Well);
    let webp = service.webp(&hash).await;

    // An object that is not what was stored, or not there although its row is.
    service.restart().await;
    store.cut_short(&object(&hash));
    let failed = service.get(&path).await;
    assert_error(failed, 500, "Internal server error").await;
    store.lose(&object(&hash));
    let failed = service.get(&path).await;
    assert_error(failed, 500, "Internal server error").await;
    assert!(!webp.is_empty());
    assert!(!service.stderr().contains("panicked"));
}

#[tokio::test]
async fn a_redirect_needs_no_store_and_a_narrower_copy_leads_nowhere_it_is_not() {
    let store = ObjectStore::start().await;
    let service = service(&store, "redirect").await;
    let hash = service.stored(wide()).await;
    let (path, narrower) = (format!("/i/{hash}"), format!("/i/{hash}?w=320"));
    for (mode, ..) in FAILURES {
        store.is(mode);
        assert_eq!(service.get(&path).await.status(), 302, "{mode:?}");
        let response = service.get(&narrower).await;
        if let StoreMode::ReadOnly(_) = mode {
            // Made, but not kept: it is not where a redirect would lead.
            assert_eq!(response.status(), 200, "{mode:?}");
            let webp = response.bytes().await.expect("a body");
            assert_eq!(pictures::decoded(&webp).width(), 320);
        } else {
            assert_error(response, 500, "Internal server error").await;
        }
        assert_holds(&store, &service, &[&hash]).await;
    }
    store.is(StoreMode::Well);
    let response = service.get(&narrower).await;
    assert_eq!(response.status(), 302);
    let location = response.headers()[LOCATION].to_str().expect("text");
    let copy = service.http.get(location).send().await.expect("an answer");
    assert_eq!(copy.status(), 200);
    // It is known by then, and readers are sent there whatever comes.
    store.is(StoreMode::Refuses(503));
    assert_eq!(service.get(&narrower).await.status(), 302);
}

#[tokio::test]
async fn a_delete_that_the_store_does_not_do_is_one_for_readers_and_is_done_later() {
    let mut store = ObjectStore::start().await;
    let mut service = service(&store, "direct").await;
    let kept = service.stored(pictures::photo()).await;
    let mut hashes = Vec::new();
    for _ in 0..FAILURES.len() + 1 {
        let hash = service.stored(pictures::photo()).await;
        service.webp(&hash).await;
        hashes.push(hash);
    }
    for (number, hash) in hashes.iter().enumerate() {
        match FAILURES.get(number) {
            Some((mode, ..)) => store.is(*mode),
            None => store.line.cut().await,
        }
        assert_eq!(service.delete(hash).await.status(), 200);
        let gone = service.get(&format!("/i/{hash}")).await;
        assert_error(gone, 404, "Image not found").await;
        assert_error(service.delete(hash).await, 404, "Image not found").await;
        assert!(store.objects().contains(&object(hash)));
    }
    assert_eq!(service.count().await, 1);
    service.kill().await;
    store.line.mend();
    store.is(StoreMode::Well);
    service.restart().await;
    eventually("all their objects are gone", async || {
        (store.objects() == [object(&kept)]).then_some(())
    })
    .await;
    service.webp(&kept).await;
}

#[tokio::test]
async fn a_delete_that_failed_is_tried_again_while_the_service_runs() {
    let store = ObjectStore::start().await;
    let service = service(&store, "direct").await;
    let hash = service.stored(pictures::photo()).await;
    store.is(StoreMode::Refuses(403));
    assert_eq!(service.delete(&hash).await.status(), 200);
    // Once by the delete itself, once by the background task: from here on a
    // pause has to end.
    eventually("it was tried twice", async || {
        let tries = service.stderr().matches("still there").count();
        (tries >= 2).then_some(())
    })
    .await;
    assert_eq!(store.objects(), [object(&hash)]);
    store.is(StoreMode::Well);
    eventually("its object is gone", async || {
        store.objects().is_empty().then_some(())
    })
    .await;
}

#[tokio::test]
async fn a_slow_store_delays_only_requests_that_need_it() {
    let store = ObjectStore::start().await;
    let service = service(&store, "direct").await;
    let (read, unread) = (service.stored(wide()).await, service.stored(wide()).await);
    let webp = service.webp(&read).await;
    store.is(StoreMode::Waits);
    let before = store.count(&Method::PUT);
    let upload = uploading(&service, &pictures::photo());
    store.called(&Method::PUT, before).await;
    let gets = store.count(&Method::GET);
    let request = service.request(Method::GET, &format!("/i/{unread}"));
    let reader = tokio::spawn(request.send());
    store.called(&Method::GET, gets).await;

    assert_eq!(service.webp(&read).await, webp);
    assert_eq!(service.count().await, 2);
    assert_eq!(service.heartbeat(&json!({})).await.status(), 200);
    assert_eq!(service.get("/check").await.status(), 200);
    assert!(!upload.is_finished() && !reader.is_finished());

    store.is(StoreMode::Well);
    let stored = upload.await.expect("no panic").expect("an answer");
    assert_eq!(stored.status(), 201);
    let read = reader.await.expect("no panic").expect("an answer");
    assert_eq!(read.status(), 200);
    assert_eq!(service.count().await, 3);
}

#[tokio::test]
async fn an_object_whose_answer_was_lost_stays_and_an_upload_finds_it() {
    let store = ObjectStore::start().await;
    let mut service = service(&store, "direct").await;
    let photo = pictures::photo();
    let half_stored = async |service: &TestService, photo: &[u8]| {
        store.is(StoreMode::DoesAndFails(500));
        let refused = service.upload(photo).await;
        assert_error(refused, 500, "Internal server error").await;
        store.is(StoreMode::Well);
    };
    half_stored(&service, &photo).await;
    assert_eq!((store.objects().len(), service.count().await), (1, 0));
    let hash = service.stored(photo).await;
    let other = pictures::photo();
    half_stored(&service, &other).await;
    assert_eq!((store.objects().len(), service.count().await), (2, 1));
    service.restart().await;
    service.webp(&hash).await;
    assert_eq!((store.objects().len(), service.count().await), (2, 1));
    let other = service.stored(other).await;
    assert_eq!((store.objects().len(), service.count().await), (2, 2));
    service.webp(&other).await;
}

#[tokio::test]
async fn after_a_kill_in_the_middle_of_an_upload_the_next_one_finds_its_object() {
    let store = ObjectStore::start().await;
    let mut service = service(&store, "direct").await;
    let kept = service.stored(pictures::photo()).await;
    store.is(StoreMode::Waits);
    let before = store.count(&Method::PUT);
    let photo = pictures::photo();
    let upload = uploading(&service, &photo);
    store.called(&Method::PUT, before).await;
    service.kill().await;
    assert!(upload.await.expect("no panic").is_none());
    store.is(StoreMode::Well);
    eventually("the store has taken it", async || {
        (store.objects().len() == 2).then_some(())
    })
    .await;
    service.restart().await;
    assert_eq!(service.count().await, 1);
    let again = service.stored(photo).await;
    assert_eq!((store.objects().len(), service.count().await), (2, 2));
    for hash in [&again, &kept] {
        service.webp(hash).await;
    }
}

#[tokio::test]
async fn a_delete_does_not_wait_for_a_narrower_copy_that_the_store_is_slow_to_take() {
    let store = ObjectStore::start().await;
    let service = service(&store, "direct").await;
    let hash = service.stored(wide()).await;
    store.is(StoreMode::WaitsToStore);
    let before = store.count(&Method::PUT);
    let request = service.request(Method::GET, &format!("/i/{hash}?w=320"));
    let reader = tokio::spawn(request.send());
    store.called(&Method::PUT, before).await;
    assert_eq!(service.delete(&hash).await.status(), 200);
    assert!(!reader.is_finished());
    for path in [format!("/i/{hash}"), format!("/i/{hash}?w=320")] {
        assert_error(service.get(&path).await, 404, "Image not found").await;
    }
    assert_eq!(service.count().await, 0);

    store.is(StoreMode::Well);
    let read = reader.await.expect("no panic").expect("an answer");
    assert!([200, 404].contains(&read.status().as_u16()));
    eventually("nothing is left in the store", async || {
        store.objects().is_empty().then_some(())
    })
    .await;
}

/// A slow store may carry out a delete when its caller has stopped waiting.
#[tokio::test]
async fn an_image_that_is_uploaded_during_its_delete_is_kept() {
    let store = ObjectStore::start().await;
    let mut service = service(&store, "direct").await;
    let photo = pictures::photo();
    let hash = service.stored(photo.clone()).await;
    store.is(StoreMode::WaitsToDelete);
    assert_eq!(service.delete(&hash).await.status(), 200);
    assert!(store.count(&Method::DELETE) > 0);

    let again = uploading(&service, &photo);
    // Others do not wait; by the time that they are done, it would be too.
    for _ in 0..3 {
        service.stored(pictures::photo()).await;
    }
    assert!(!again.is_finished(), "stored before the delete was done");
    store.is(StoreMode::Well);
    let stored = answer(again.await.expect("no panic").expect("an answer")).await;
    assert_eq!((stored.0, &stored.1["hash"]), (201, &json!(hash)));
    for restarted in [false, true] {
        if restarted {
            service.restart().await;
        }
        service.webp(&hash).await;
        assert_eq!(store.objects().len(), 4);
        assert_eq!(service.count().await, 4);
    }
}

/// The deletion is answered, the program is killed, and the store comes back only after the next start.
#[tokio::test]
async fn what_is_deleted_while_the_store_is_away_stays_deleted_and_comes_into_the_trash() {
    let mut store = ObjectStore::start().await;
    let mut service = service(&store, "direct").await;
    let hash = service.stored(wide()).await;
    let webp = service.webp(&hash).await;
    store.line.cut().await;
    assert_eq!(service.delete(&hash).await.status(), 200);
    service.kill().await;
    service.restart().await;
    assert_eq!(service.get(&format!("/i/{hash}")).await.status(), 404);
    assert_eq!(service.count().await, 0);
    assert_eq!(store.objects(), [object(&hash)]);
    store.line.mend();
    eventually("the store has lost it", async || {
        store.objects().is_empty().then_some(())
    })
    .await;
    let kept = service
        .data_dir()
        .join("trash")
        .join(format!("{hash}.webp"));
    assert_eq!(std::fs::read(kept).expect("a copy"), webp);
    assert_eq!(service.get(&format!("/i/{hash}")).await.status(), 404);
}
