//! The two documented behaviours and the mixes of them, as far as they need no
//! object store, and the settings that contradict each other.

use reqwest::Method;
use serde_json::{Value, json};

use crate::harness::{TestService, answer, pictures};

fn keys(body: &Value) -> Vec<&str> {
    body.as_object()
        .expect("an object")
        .keys()
        .map(String::as_str)
        .collect()
}

const FIELDS: [&str; 4] = ["application", "applicationOnline", "introduce", "rgba"];

async fn assert_image_bodies_of_a(service: &TestService) {
    let photo = pictures::photo();
    let (status, stored) = answer(service.upload(photo.clone()).await).await;
    assert_eq!(
        (status, keys(&stored)),
        (201, vec!["contentType", "hash", "size"])
    );
    let (status, duplicate) = answer(service.upload(photo).await).await;
    assert_eq!(
        (status, keys(&duplicate)),
        (409, vec!["error", "existingHash"])
    );
    let hash = stored["hash"].as_str().expect("a hash");
    for path in [
        format!("/i/{hash}"),
        format!("/images/{hash}"),
        "/random_image".to_owned(),
    ] {
        assert_eq!(service.get(&path).await.status(), 200, "{path}");
    }
    let (status, deleted) = answer(service.delete(hash).await).await;
    assert_eq!((status, keys(&deleted)), (200, vec!["hash", "message"]));
}

async fn assert_heartbeat_bodies(service: &TestService, with_fields: bool) {
    let (status, echo) = answer(service.heartbeat(&json!({ "application": "Lamp" })).await).await;
    assert_eq!(status, 200);
    let check = service.json("/check").await;
    let mut words = vec!["message"];
    let mut shown = vec!["alive", "last_heartbeat"];
    if with_fields {
        words.extend(FIELDS);
        shown.extend(FIELDS);
    }
    for (body, mut expected) in [(&echo, words), (&check, shown)] {
        let mut have = keys(body);
        have.sort_unstable();
        expected.sort_unstable();
        assert_eq!(have, expected);
    }
}

#[tokio::test]
async fn by_default_images_are_served_directly_and_heartbeats_carry_fields() {
    let service = TestService::start(&[]).await;
    assert_image_bodies_of_a(&service).await;
    assert_heartbeat_bodies(&service, true).await;
}

#[tokio::test]
async fn behaviour_a_serves_directly_and_its_heartbeats_carry_nothing() {
    let service = TestService::start(&["behaviour=A"]).await;
    assert_image_bodies_of_a(&service).await;
    assert_heartbeat_bodies(&service, false).await;
}

#[tokio::test]
async fn each_half_can_be_chosen_alone() {
    let service = TestService::start(&["heartbeat.fields=false"]).await;
    assert_image_bodies_of_a(&service).await;
    assert_heartbeat_bodies(&service, false).await;

    let settings = ["images.delivery=direct", "heartbeat.fields=true"];
    let service = TestService::start(&settings).await;
    assert_image_bodies_of_a(&service).await;
    assert_heartbeat_bodies(&service, true).await;
}

#[tokio::test]
async fn behaviour_a_beside_keys_that_agree_with_it_is_fine() {
    let settings = [
        "behaviour=A",
        "images.delivery=direct",
        "heartbeat.fields=false",
    ];
    let service = TestService::start(&settings).await;
    assert_heartbeat_bodies(&service, false).await;
}

#[tokio::test]
async fn a_contradiction_is_refused_at_start_naming_both_keys() {
    let store = [
        "storage.kind=s3",
        "storage.endpoint=http://127.0.0.1:1",
        "storage.region=here",
        "storage.bucket=pictures",
        "storage.access_key=key",
        "storage.secret_key=secret",
        "storage.storage_url=http://127.0.0.1:1",
    ];
    for (settings, named) in [
        (
            vec!["behaviour=A", "heartbeat.fields=true"],
            ["`behaviour`", "--set: `heartbeat.fields`"],
        ),
        (
            vec!["behaviour=A", "images.delivery=redirect"],
            ["`behaviour`", "--set: `images.delivery`"],
        ),
        (
            vec!["behaviour=B", "heartbeat.fields=false"],
            ["`behaviour`", "--set: `heartbeat.fields`"],
        ),
        (
            vec!["behaviour=B", "images.delivery=direct"],
            ["`behaviour`", "--set: `images.delivery`"],
        ),
    ] {
        let ended = TestService::builder()
            .sets(&store)
            .sets(&settings)
            .refused()
            .await;
        assert_eq!(ended.status.code(), Some(2), "{settings:?}: {ended:?}");
        for key in named {
            assert!(ended.stderr.contains(key), "{settings:?}: {}", ended.stderr);
        }
        assert!(ended.stdout.is_empty(), "{settings:?}: {}", ended.stdout);
    }
    let folder = tempfile::tempdir().expect("a folder");
    let written = "behaviour = 'A'\n[heartbeat]\nfields = true\n";
    std::fs::write(folder.path().join("settings.toml"), written).expect("to write");
    let from_file = TestService::builder().data_dir(folder.path());
    let ended = from_file.refused().await;
    let line = "settings.toml, line 3: `heartbeat.fields`";
    assert!(ended.stderr.contains(line), "{}", ended.stderr);
}

#[tokio::test]
async fn redirects_to_nowhere_are_refused_at_start() {
    for (settings, named) in [
        (
            &["images.delivery=redirect"][..],
            &[
                "`images.delivery`",
                "`storage.kind`",
                "`storage.storage_url`",
            ][..],
        ),
        (
            &["behaviour=B"],
            &["`behaviour`", "`storage.kind`", "`storage.storage_url`"],
        ),
        (
            &[
                "images.delivery=redirect",
                "storage.storage_url=https://cdn.example",
            ],
            &["`images.delivery`", "`storage.kind`"],
        ),
        (
            &[
                "images.delivery=redirect",
                "storage.kind=s3",
                "storage.endpoint=http://127.0.0.1:1",
                "storage.region=here",
                "storage.bucket=pictures",
                "storage.access_key=key",
                "storage.secret_key=secret",
            ],
            &["`images.delivery`", "`storage.storage_url`"],
        ),
        (
            &["storage.kind=s3", "storage.bucket=pictures"],
            &[
                "`storage.kind`",
                "`storage.endpoint`, `storage.access_key`, `storage.secret_key`",
            ],
        ),
    ] {
        let ended = TestService::builder().sets(settings).refused().await;
        assert_eq!(ended.status.code(), Some(2), "{settings:?}: {ended:?}");
        assert_eq!(ended.stdout, "", "{settings:?}");
        for key in named {
            assert!(ended.stderr.contains(key), "{settings:?}: {}", ended.stderr);
        }
    }
}

#[tokio::test]
async fn there_is_no_third_behaviour() {
    for setting in ["behaviour=C", "behaviour=7", "images.delivery=pigeon"] {
        let ended = TestService::builder().set(setting).refused().await;
        assert_eq!(ended.status.code(), Some(2), "{setting}: {ended:?}");
        let key = setting.split('=').next().expect("a key");
        assert!(ended.stderr.contains(key), "{setting}: {}", ended.stderr);
    }
}

#[tokio::test]
async fn the_behaviour_may_change_between_two_runs_and_nothing_is_lost() {
    let mut service = TestService::start(&["behaviour=A"]).await;
    let hash = service.stored(pictures::photo()).await;
    service.restart_with(&["heartbeat.fields=false"]).await;
    assert_eq!(service.count().await, 1);
    let head = service
        .request(Method::HEAD, &format!("/i/{hash}"))
        .send()
        .await;
    assert_eq!(head.expect("an answer").status(), 200);
}
