//! Names that are no checksums, and images that have two of them.

use std::path::Path;

use reqwest::Method;
use reqwest::header::{CONTENT_DISPOSITION, ETAG, IF_NONE_MATCH};
use serde_json::json;
use sha2::{Digest as _, Sha256};

use crate::foreign::{Foreign, Reply};
use crate::harness::{TestService, answer, assert_error, files, pictures};
use crate::{count, imported, is_well, porchlight, webp};

const WHEN: &str = "2021-03-04T05:06:07.000Z";

#[tokio::test]
async fn a_name_is_kept_with_its_date_and_metadata_goes() {
    let there = Foreign::start().await;
    let plain = webp();
    let exif = pictures::exif(1, "48.8584 N 2.2945 E");
    let with_metadata = pictures::webp(&pictures::scene(pictures::next_seed(), 60, 40), Some(exif));
    let jpeg = pictures::photo();
    let kept = there.has(&plain, "2020-01-02 03:04:05");
    let cleaned = there.has(&with_metadata, 1_600_000_000);
    let converted = there.has(&jpeg, WHEN);
    let undated = there.has(&webp(), "some day");
    let home = tempfile::tempdir().expect("a folder");
    let folder = home.path().join("data");
    let (code, lines) = imported(&folder, &there.url(), &[]).await;
    assert_eq!(code, 0, "{lines:?}");
    assert_eq!(
        (count(&lines, "imported"), count(&lines, "without_date")),
        (4, 1)
    );
    is_well(&folder, &[]).await;

    let here = TestService::builder().data_dir(&folder).start().await;
    let list = here.json("/images/list").await;
    let rows = list["images"].as_array().expect("a list");
    let row = |hash: &str| json!({ "hash": hash, "contentType": "image/webp" });
    let shown: Vec<_> = rows[1..]
        .iter()
        .map(|shown| (shown["hash"].clone(), shown["createdAt"].clone()))
        .collect();
    assert_eq!(rows[0]["hash"], row(&undated)["hash"], "as of now");
    assert_eq!(
        shown,
        [
            (json!(converted), json!(WHEN)),
            (json!(cleaned), json!("2020-09-13T12:26:40.000Z")),
            (json!(kept), json!("2020-01-02T03:04:05.000Z")),
        ]
    );
    assert_eq!(here.webp(&kept).await, plain);
    let stored = here.webp(&cleaned).await;
    assert!(!stored.windows(7).any(|part| part == b"48.8584"));
    assert!(pictures::is_webp(&here.webp(&converted).await));
    // What it was made of is known.
    for source in [&plain, &with_metadata, &jpeg] {
        assert_eq!(here.upload(source.clone()).await.status(), 409);
    }
    assert_eq!(here.upload(stored).await.status(), 409);
}

/// A data folder in which one image has two names: its own, and one that was
/// imported.
async fn with_two_names(folder: &Path) -> (TestService, String, String, Vec<u8>) {
    let mut here = TestService::builder().data_dir(folder).start().await;
    let bytes = webp();
    let own = here.stored(bytes.clone()).await;
    here.stop().await;
    let there = Foreign::start().await;
    let second = there.has(&bytes, WHEN);
    let (code, lines) = imported(folder, &there.url(), &[]).await;
    assert_eq!(code, 0, "{lines:?}");
    assert_eq!(
        lines[0],
        json!({ "hash": second, "status": "second_name", "of": own })
    );
    assert_eq!(count(&lines, "second_names"), 1);
    let (code, lines) = imported(folder, &there.url(), &[]).await;
    assert_eq!((code, count(&lines, "already_here")), (0, 1), "{lines:?}");
    assert_eq!(
        there.fetched(),
        std::slice::from_ref(&second),
        "fetched once"
    );
    here.restart().await;
    (here, own, second, bytes)
}

#[tokio::test]
async fn an_image_that_exists_gets_a_second_name_and_is_listed_once() {
    let home = tempfile::tempdir().expect("a folder");
    let folder = home.path().join("data");
    let (here, own, second, bytes) = with_two_names(&folder).await;
    assert_eq!(here.count().await, 1);
    let list = here.json("/images/list").await;
    assert_eq!(list["images"].as_array().map(Vec::len), Some(1));
    assert_eq!(list["images"][0]["hash"], json!(own));
    assert_eq!(files::stored_hashes(&folder), std::slice::from_ref(&own));
    for path in ["/i/", "/images/"] {
        for name in [&own, &second] {
            let response = here.get(&format!("{path}{name}")).await;
            assert_eq!(response.status(), 200);
            assert_eq!(response.headers()[ETAG], format!("\"{name}\""));
            let file = format!("inline; filename=\"{name}.webp\"");
            assert_eq!(response.headers()[CONTENT_DISPOSITION], file);
            assert_eq!(response.bytes().await.expect("a body"), bytes);
            let request = here
                .request(Method::GET, &format!("{path}{name}"))
                .header(IF_NONE_MATCH, format!("\"{name}\""));
            assert_eq!(request.send().await.expect("an answer").status(), 304);
        }
    }
    // One count for both: two reads by each name, one with the bytes.
    for name in [&own, &second] {
        let stat = here.json(&format!("/api_stats/i/{name}")).await;
        assert_eq!(stat["count"], 4, "{stat}");
    }
    let digest = hex::encode(Sha256::digest(&bytes));
    let request = here
        .request(Method::GET, &format!("/images/by-source/{digest}"))
        .bearer_auth(&here.admin_token);
    let (status, body) = answer(request.send().await.expect("an answer")).await;
    assert_eq!((status, &body["hash"]), (200, &json!(own)));
    let (status, body) = answer(here.upload(bytes).await).await;
    assert_eq!((status, &body["existingHash"]), (409, &json!(own)));
    is_well(&folder, &[]).await;
}

#[tokio::test]
async fn deleting_by_either_name_removes_both_and_the_image_can_be_imported_again() {
    for by_second in [true, false] {
        let home = tempfile::tempdir().expect("a folder");
        let folder = home.path().join("data");
        let (here, own, second, bytes) = with_two_names(&folder).await;
        // In memory by both names.
        for name in [&own, &second] {
            assert_eq!(here.webp(name).await, bytes);
        }
        let asked = if by_second { &second } else { &own };
        let (status, body) = answer(here.delete(asked).await).await;
        assert_eq!((status, &body["hash"]), (200, &json!(asked)));
        for name in [&own, &second] {
            assert_error(
                here.get(&format!("/i/{name}")).await,
                404,
                "Image not found",
            )
            .await;
            assert_error(here.delete(name).await, 404, "Image not found").await;
        }
        assert_eq!(files::stored_hashes(&folder), Vec::<String>::new());
        assert_eq!(here.stored(bytes.clone()).await, own);
        assert_error(
            here.get(&format!("/i/{second}")).await,
            404,
            "Image not found",
        )
        .await;
        is_well(&folder, &[]).await;
    }
}

#[tokio::test]
async fn both_names_outlive_a_backup() {
    let home = tempfile::tempdir().expect("a folder");
    let folder = home.path().join("data");
    let (mut here, own, second, bytes) = with_two_names(&folder).await;
    here.stop().await;
    let file = home.path().join("backup.tar");
    let file = file.to_str().expect("UTF-8");
    let ended = porchlight(&folder, &["backup", file]).ended().await;
    assert!(ended.status.success(), "{ended:?}");
    let back = home.path().join("back");
    std::fs::create_dir(&back).expect("a folder");
    let ended = porchlight(&back, &["restore", file]).ended().await;
    assert!(ended.status.success(), "{ended:?}");
    is_well(&back, &[]).await;
    let back = TestService::builder().data_dir(&back).start().await;
    for name in [&own, &second] {
        assert_eq!(back.webp(name).await, bytes);
    }
}

#[tokio::test]
async fn a_name_in_use_stays_with_its_image() {
    let home = tempfile::tempdir().expect("a folder");
    let folder = home.path().join("data");
    // A hostile server calls its image what ours will be called.
    let ours = webp();
    let name = hex::encode(&Sha256::digest(&ours)[..16]);
    let theirs = webp();
    let there = Foreign::start().await;
    there.offers(&name, WHEN, Reply::Bytes(theirs.clone()));
    let (code, lines) = imported(&folder, &there.url(), &[]).await;
    assert_eq!((code, count(&lines, "imported")), (0, 1), "{lines:?}");
    let mut here = TestService::builder().data_dir(&folder).start().await;
    assert_eq!(here.webp(&name).await, theirs);
    let other = here.stored(ours.clone()).await;
    assert_eq!(other, hex::encode(&Sha256::digest(&ours)[16..]));
    assert_eq!(here.webp(&other).await, ours);
    assert_eq!(here.webp(&name).await, theirs);
    here.stop().await;
    is_well(&folder, &[]).await;
}
