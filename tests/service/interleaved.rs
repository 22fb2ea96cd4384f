//! Upload and delete of the same image at the same time: every response is
//! true, and after all responses row, file and readers agree.

use futures_util::future::join_all;
use image::ImageFormat;
use serde_json::json;

use crate::harness::{TestService, answer, files, pictures};

/// What all see of the one image: present for all, or for none.
async fn is_there(service: &TestService, hash: &str) -> bool {
    let response = service.get(&format!("/i/{hash}")).await;
    let there = response.status() == 200;
    if there {
        let webp = response.bytes().await.expect("the whole of it");
        assert!(pictures::is_webp(&webp));
    } else {
        assert_eq!(response.status(), 404);
    }
    let expected = if there { vec![hash] } else { Vec::new() };
    assert_eq!(files::stored_hashes(service.data_dir()), expected);
    assert_eq!(service.count().await, u64::from(there));
    let list = service.json("/images/list").await;
    assert_eq!(
        list["images"].as_array().map(Vec::len),
        Some(expected.len())
    );
    there
}

#[tokio::test]
async fn uploads_and_deletes_of_one_picture_leave_it_whole_or_gone() {
    let service = TestService::start(&["limits.requests_per_second=0"]).await;
    // Different source bytes of the same pixels do not wait for each other
    // before they are stored.
    let picture = pictures::scene(pictures::next_seed(), 20, 15);
    let formats = [ImageFormat::Png, ImageFormat::Bmp, ImageFormat::Tiff];
    let sources = formats.map(|format| pictures::encoded(&picture, format));
    let hash = service.stored(sources[0].clone()).await;
    let mut there = true;
    for round in 0..40 {
        let uploads = sources.iter().cycle().take(6);
        let uploads = join_all(uploads.map(|source| service.upload(source.clone())));
        let deletes = join_all((0..6).map(|_| service.delete(&hash)));
        let path = format!("/i/{hash}");
        let readers = join_all((0..3).map(|_| service.get(&path)));
        let (uploads, deletes, readers) = tokio::join!(uploads, deletes, readers);
        let (mut came, mut went) = (0, 0);
        for response in uploads {
            let (status, body) = answer(response).await;
            match status {
                201 => came += 1,
                409 => assert_eq!(body["existingHash"], json!(hash)),
                _ => panic!("round {round}: {status}: {body}"),
            }
        }
        for response in deletes {
            match answer(response).await {
                (200, _) => went += 1,
                (404, _) => {}
                other => panic!("round {round}: {other:?}"),
            }
        }
        for response in readers {
            match response.status().as_u16() {
                200 => assert!(pictures::is_webp(&response.bytes().await.expect("all"))),
                status => assert_eq!(status, 404, "round {round}"),
            }
        }
        // It was added and deleted in turns, so the responses determine the
        // final state.
        let ended = i32::from(there) + came - went;
        there = is_there(&service, &hash).await;
        assert_eq!(ended, i32::from(there), "round {round}: +{came} -{went}");
    }
}
