//! Upload forms that are wrong in themselves: a clear answer each, and what
//! was stored before still is.

use reqwest::header::{CONTENT_TYPE, HeaderValue};
use reqwest::{Body, Method, Response};

use serde_json::json;

use crate::harness::{TestService, answer, assert_error, eventually, files, form, pictures, raw};

async fn post(service: &TestService, content_type: &str, body: impl Into<Body>) -> Response {
    let mut request = service
        .request(Method::POST, "/images/add")
        .bearer_auth(&service.admin_token)
        .body(body);
    if !content_type.is_empty() {
        request = request.header(
            CONTENT_TYPE,
            HeaderValue::from_str(content_type).expect("text"),
        );
    }
    request.send().await.expect("an answer")
}

async fn with_one_image(settings: &[&str]) -> (TestService, String) {
    let service = TestService::start(settings).await;
    let hash = service.stored(pictures::photo()).await;
    (service, hash)
}

/// The one image is there and whole, nothing else is, and uploads still work.
async fn assert_untouched(service: &TestService, hash: &str) {
    assert!(pictures::is_webp(&service.webp(hash).await));
    assert_eq!(service.count().await, 1);
    assert_eq!(files::stored_hashes(service.data_dir()), [hash]);
    service.stored(pictures::photo()).await;
}

#[tokio::test]
async fn a_form_without_the_image_field_is_refused_by_name() {
    let (service, hash) = with_one_image(&[]).await;
    let photo = pictures::photo();
    let forms = [
        form::form(&[]),
        form::form(&[form::text_part("title", b"A lamp")]),
        form::file("picture", "a.jpg", "image/jpeg", &photo),
        form::file("Image", "a.jpg", "image/jpeg", &photo),
    ];
    for (content_type, body) in forms {
        let response = post(&service, &content_type, body).await;
        assert_error(response, 400, "Image file is required").await;
    }
    assert_untouched(&service, &hash).await;
}

#[tokio::test]
async fn an_empty_part_is_no_image() {
    let (service, hash) = with_one_image(&[]).await;
    // What a browser sends when no file was chosen, and an empty file.
    for (name, declared) in [("", "application/octet-stream"), ("empty.png", "image/png")] {
        let (content_type, body) = form::file("image", name, declared, b"");
        let response = post(&service, &content_type, body).await;
        assert_error(response, 400, "Image file is required").await;
    }
    assert_untouched(&service, &hash).await;
}

#[tokio::test]
async fn other_fields_beside_the_image_are_ignored() {
    let service = TestService::start(&[]).await;
    let (content_type, body) = form::form(&[
        form::text_part("title", b"A lamp"),
        form::file_part("image", "a.jpg", "image/jpeg", &pictures::photo()),
        form::text_part("note", b"\xff\xfe"),
    ]);
    assert_eq!(post(&service, &content_type, body).await.status(), 201);
}

#[tokio::test]
async fn two_images_in_one_form_are_refused_and_neither_is_stored() {
    let (service, hash) = with_one_image(&[]).await;
    let (content_type, body) = form::form(&[
        form::file_part("image", "a.jpg", "image/jpeg", &pictures::photo()),
        form::file_part("image", "b.jpg", "image/jpeg", &pictures::photo()),
    ]);
    assert_error(
        post(&service, &content_type, body).await,
        400,
        "Invalid request body",
    )
    .await;
    assert_untouched(&service, &hash).await;
}

#[tokio::test]
async fn a_form_with_a_wrong_boundary_or_without_its_end_is_refused() {
    let (service, hash) = with_one_image(&[]).await;
    let (right, whole) = form::file("image", "a.jpg", "image/jpeg", &pictures::photo());
    let cut = whole[..whole.len() - form::BOUNDARY.len()].to_vec();
    let halved = whole[..whole.len() / 2].to_vec();
    for (case, content_type, body) in [
        (
            "empty boundary",
            "multipart/form-data; boundary=",
            whole.clone(),
        ),
        (
            "another boundary",
            "multipart/form-data; boundary=other",
            whole.clone(),
        ),
        ("no end", right.as_str(), cut),
        ("half of it", right.as_str(), halved),
    ] {
        let response = post(&service, content_type, body).await;
        let (status, body) = answer(response).await;
        assert_eq!(
            (status, &body["error"]),
            (400, &json!("Invalid request body")),
            "{case}"
        );
    }
    assert_untouched(&service, &hash).await;
}

#[tokio::test]
async fn in_a_body_that_cannot_be_read_as_a_form_there_is_no_image() {
    let (service, hash) = with_one_image(&[]).await;
    let (_, whole) = form::file("image", "a.jpg", "image/jpeg", &pictures::photo());
    for (content_type, body) in [
        // No boundary: the starts of the parts are unknown.
        ("multipart/form-data", whole),
        ("", pictures::photo()),
        ("text/plain", pictures::photo()),
        ("application/json", b"{\"image\":\"a.jpg\"}".to_vec()),
        ("application/x-www-form-urlencoded", b"image=a.jpg".to_vec()),
    ] {
        let response = post(&service, content_type, body).await;
        assert_eq!(response.status(), 400, "{content_type}");
        assert_error(response, 400, "Image file is required").await;
    }
    assert_untouched(&service, &hash).await;
}

#[tokio::test]
async fn a_body_over_the_limit_is_too_large_announced_or_not() {
    let (service, hash) = with_one_image(&["images.max_upload_bytes=200000"]).await;
    let (content_type, body) = form::file("image", "a.bmp", "image/bmp", &vec![7; 300_000]);
    let declared = post(&service, &content_type, body.clone()).await;
    assert_error(declared, 413, "Image too large").await;

    // In chunks the length is not known beforehand.
    let pieces: Vec<Result<Vec<u8>, std::io::Error>> = body
        .chunks(10_000)
        .map(|piece| Ok(piece.to_vec()))
        .collect();
    let stream = Body::wrap_stream(futures_util::stream::iter(pieces));
    let chunked = post(&service, &content_type, stream).await;
    assert_error(chunked, 413, "Image too large").await;
    assert_untouched(&service, &hash).await;
}

#[tokio::test]
async fn an_upload_of_exactly_the_limit_is_accepted() {
    let picture = pictures::flat(300, 200, [10, 120, 200]);
    let bmp = pictures::encoded(&picture, image::ImageFormat::Bmp);
    let setting = format!("images.max_upload_bytes={}", bmp.len());
    let service = TestService::start(&[&setting]).await;
    service.stored(bmp).await;
    let other = pictures::flat(300, 201, [10, 120, 200]);
    let larger = pictures::encoded(&other, image::ImageFormat::Bmp);
    assert_error(service.upload(larger).await, 413, "Image too large").await;
}

#[tokio::test]
async fn a_body_far_over_the_limit_is_refused_before_it_is_sent() {
    let (service, hash) = with_one_image(&[]).await;
    let request = format!(
        "POST /images/add HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {}\r\n\
         Content-Type: {}\r\nContent-Length: 9000000000000\r\nConnection: close\r\n\r\n",
        service.admin_token,
        form::content_type(),
    );
    let reply = raw::send(service.address(), request.as_bytes()).await;
    assert_eq!(reply.status, 413);
    assert_eq!(
        reply.json(),
        serde_json::json!({ "error": "Image too large" })
    );
    assert_untouched(&service, &hash).await;
}

#[tokio::test]
async fn a_client_that_hangs_up_half_way_leaves_nothing_behind() {
    let (service, hash) = with_one_image(&[]).await;
    let before = files::below(service.data_dir());
    let (content_type, body) = form::file("image", "a.jpg", "image/jpeg", &pictures::photo());
    // The last of these lacks only the end of the form.
    for sent in [0, 100, body.len() / 2, body.len() - form::BOUNDARY.len()] {
        let mut request = format!(
            "POST /images/add HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {}\r\n\
             Content-Type: {content_type}\r\nContent-Length: {}\r\n\r\n",
            service.admin_token,
            body.len(),
        )
        .into_bytes();
        request.extend_from_slice(&body[..sent]);
        raw::send_and_hang_up(service.address(), &request).await;
    }
    eventually("nothing half-stored is left", async || {
        let after = files::below(service.data_dir());
        after
            .iter()
            .all(|path| before.contains(path) || is_the_databases(path))
            .then_some(())
    })
    .await;
    assert_untouched(&service, &hash).await;
}

fn is_the_databases(path: &std::path::Path) -> bool {
    path.file_name()
        .is_some_and(|name| name.to_string_lossy().starts_with("porchlight.db"))
}
