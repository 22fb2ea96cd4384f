//! A process that dies in the middle: the row is the commit point, so nothing
//! that was acknowledged is lost and nothing half-done is kept.

use std::collections::HashSet;
use std::fs;

use sha2::{Digest, Sha256};

use crate::harness::{TestService, answer, files, form, pictures};

#[tokio::test]
async fn acknowledged_uploads_survive_a_kill_and_the_rest_can_be_sent_again() {
    let mut service = TestService::start(&[]).await;
    let sources: Vec<Vec<u8>> = (0..24)
        .map(|_| pictures::jpeg(&pictures::scene(pictures::next_seed(), 400, 300)))
        .collect();

    let (report, mut acknowledged) = tokio::sync::mpsc::unbounded_channel();
    let mut uploads = tokio::task::JoinSet::new();
    for (number, source) in sources.iter().enumerate() {
        let (content_type, body) = form::file("image", "a.jpg", "image/jpeg", source);
        let request = service
            .http
            .post(service.url("/images/add"))
            .bearer_auth(&service.admin_token)
            .header("content-type", content_type)
            .body(body);
        let report = report.clone();
        uploads.spawn(async move {
            // Most of these get no response: the service is killed.
            if let Ok(response) = request.send().await {
                let (status, body) = answer(response).await;
                if status == 201 {
                    let hash = body["hash"].as_str().expect("a hash").to_owned();
                    let _ = report.send((number, hash));
                }
            }
        });
    }
    drop(report);
    let mut stored = Vec::new();
    for _ in 0..3 {
        stored.push(acknowledged.recv().await.expect("an upload that worked"));
    }
    service.kill().await;
    while let Some(done) = acknowledged.recv().await {
        stored.push(done);
    }
    uploads.join_all().await;

    service.restart().await;
    for (_, hash) in &stored {
        let webp = service.webp(hash).await;
        assert_eq!(*hash, hex::encode(&Sha256::digest(&webp)[..16]));
    }
    let page = service.json("/images/list?limit=100").await;
    let images = page["images"].as_array().expect("a list").iter();
    let hash = |image: &serde_json::Value| image["hash"].as_str().expect("a hash").to_owned();
    let listed: HashSet<String> = images.map(hash).collect();
    // Each row has its file. One that was killed between its file and its row leaves the file, which
    // the same picture finds again.
    let files: HashSet<String> = files::stored_hashes(service.data_dir())
        .into_iter()
        .collect();
    assert!(listed.is_subset(&files), "{listed:?} {files:?}");
    assert!(stored.iter().all(|(_, hash)| listed.contains(hash)));
    assert_eq!(service.count().await, listed.len() as u64);

    for (number, source) in sources.into_iter().enumerate() {
        let (status, body) = answer(service.upload(source).await).await;
        let known = stored.iter().find(|(stored, _)| *stored == number);
        match known {
            Some((_, hash)) => {
                assert_eq!(
                    (status, body["existingHash"].as_str()),
                    (409, Some(hash.as_str()))
                );
            }
            None => assert!(status == 201 || status == 409, "{status}: {body}"),
        }
    }
    assert_eq!(service.count().await, 24);
}

#[tokio::test]
async fn foreign_files_are_not_removed() {
    let mut service = TestService::start(&[]).await;
    let hash = service.stored(pictures::photo()).await;
    let note = service.data_dir().join("images/README.txt");
    fs::write(&note, b"Do not touch").expect("a new file");
    service.kill().await;
    service.restart().await;
    assert!(pictures::is_webp(&service.webp(&hash).await));
    service.restart().await;
    assert_eq!(fs::read(&note).expect("still there"), b"Do not touch");
}
