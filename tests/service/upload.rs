//! What an upload becomes: WebP of the same image, upright, in sRGB, with
//! nothing in it that the camera wrote down.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use image::ImageFormat;
use reqwest::header::CONTENT_TYPE;
use reqwest::{Method, Response};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::harness::{TestService, answer, assert_error, form, pictures};

async fn post(service: &TestService, path: &str, kind: &str, body: Vec<u8>) -> Response {
    let request = service.request(Method::POST, path);
    let request = request.bearer_auth(&service.admin_token);
    let request = request.header(CONTENT_TYPE, kind).body(body);
    request.send().await.expect("an answer")
}

/// A form with a part that has these lines for its head.
fn part(head: &str, body: &[u8]) -> (String, Vec<u8>) {
    let head = format!("--{}\r\n{head}\r\n\r\n", form::BOUNDARY);
    form::form(&[[head.as_bytes(), body, b"\r\n"].concat()])
}

#[tokio::test]
async fn an_upload_answers_201_with_the_hash_the_type_and_the_size() {
    let service = TestService::start(&["behaviour=A"]).await;
    let response = service.upload(pictures::photo()).await;
    assert_eq!(response.headers()["content-type"], "application/json");
    let (status, body) = answer(response).await;
    assert_eq!(status, 201);
    let hash = body["hash"].as_str().expect("a hash");
    let webp = service.webp(hash).await;
    let expected = json!({ "hash": hash, "contentType": "image/webp", "size": webp.len() });
    assert_eq!(body, expected);
}

#[tokio::test]
async fn the_hash_is_the_first_half_of_the_sha256_of_the_stored_bytes() {
    let service = TestService::start(&[]).await;
    for _ in 0..3 {
        let hash = service.stored(pictures::photo()).await;
        let webp = service.webp(&hash).await;
        assert_eq!(hash, hex::encode(&Sha256::digest(&webp)[..16]));
        let file = service
            .data_dir()
            .join(format!("images/{}/{hash}.webp", &hash[..2]));
        assert_eq!(std::fs::read(file).expect("the file in its place"), webp);
    }
}

#[tokio::test]
async fn every_format_becomes_the_same_picture_as_webp() {
    let service = TestService::start(&[]).await;
    for format in [
        ImageFormat::Jpeg,
        ImageFormat::Png,
        ImageFormat::WebP,
        ImageFormat::Bmp,
        ImageFormat::Tiff,
    ] {
        let picture = pictures::scene(pictures::next_seed(), 160, 120);
        let hash = service.stored(pictures::encoded(&picture, format)).await;
        let stored = pictures::decoded(&service.webp(&hash).await).to_rgb8();
        let distance = pictures::distance(&stored, &picture);
        assert!(distance < 12.0, "{format:?}: {distance}");
    }
    let picture = pictures::flat(40, 30, [200, 40, 40]);
    let hash = service
        .stored(pictures::encoded(&picture, ImageFormat::Gif))
        .await;
    let stored = pictures::decoded(&service.webp(&hash).await).to_rgb8();
    assert!(pictures::distance(&stored, &picture) < 12.0);
}

#[tokio::test]
async fn transparency_is_kept() {
    let service = TestService::start(&[]).await;
    let half = image::RgbaImage::from_fn(64, 64, |x, _| {
        if x < 32 {
            image::Rgba([250, 120, 0, 0])
        } else {
            image::Rgba([250, 120, 0, 255])
        }
    });
    let mut png = std::io::Cursor::new(Vec::new());
    half.write_to(&mut png, ImageFormat::Png).expect("a PNG");
    let hash = service.stored(png.into_inner()).await;
    let stored = pictures::decoded(&service.webp(&hash).await).to_rgba8();
    assert_eq!(
        (stored.get_pixel(4, 4)[3], stored.get_pixel(60, 60)[3]),
        (0, 255)
    );
}

#[tokio::test]
async fn the_content_decides_never_the_name_or_the_declared_type() {
    let service = TestService::start(&[]).await;
    let seed = pictures::next_seed();
    let png = pictures::png(&pictures::scene(seed, 50, 40));
    for (name, declared) in [
        ("photo.jpg", "image/jpeg"),
        ("notes.txt", "text/plain"),
        ("", ""),
        ("../../etc/passwd", "image/png"),
        ("灯 \u{1f4a1}.gif", "image/gif"),
    ] {
        let hash = {
            let (status, body) = answer(service.upload_as(png.clone(), name, declared).await).await;
            assert_eq!(status, 201, "{name}: {body}");
            body["hash"].as_str().expect("a hash").to_owned()
        };
        assert_eq!(pictures::decoded(&service.webp(&hash).await).width(), 50);
        assert_eq!(service.delete(&hash).await.status(), 200);
    }
}

#[tokio::test]
async fn a_turned_photograph_is_stored_upright() {
    let service = TestService::start(&[]).await;
    for (orientation, size) in [
        (1, (120, 40)),
        (3, (120, 40)),
        (6, (40, 120)),
        (8, (40, 120)),
    ] {
        let mut picture = pictures::flat(120, 40, [20, 20, 20]);
        for y in 0..40 {
            for x in 0..40 {
                picture.put_pixel(x, y, image::Rgb([240, 240, 240]));
            }
        }
        // The remark makes the files differ, not the images.
        let exif = pictures::exif(orientation, &format!("turned {orientation}"));
        let hash = service
            .stored(pictures::jpeg_with_exif(&pictures::jpeg(&picture), &exif))
            .await;
        let stored = pictures::decoded(&service.webp(&hash).await).to_rgb8();
        assert_eq!(stored.dimensions(), size, "{orientation}");
        // The bright third: at the left, the right, the top, the bottom.
        let light = match orientation {
            1 => (10, 20),
            3 => (110, 20),
            6 => (20, 10),
            _ => (20, 110),
        };
        assert!(stored.get_pixel(light.0, light.1)[0] > 200, "{orientation}");
    }
}

#[tokio::test]
async fn camera_metadata_is_not_published() {
    let service = TestService::start(&[]).await;
    let secret = "48.8584N 2.2945E home";
    let picture = pictures::scene(pictures::next_seed(), 80, 60);
    let jpeg = pictures::jpeg_with_exif(&pictures::jpeg(&picture), &pictures::exif(1, secret));
    let other = pictures::scene(pictures::next_seed(), 80, 60);
    let webp = pictures::webp(&other, Some(pictures::exif(1, secret)));
    for (format, file) in [("JPEG", jpeg), ("WebP", webp)] {
        let holds = |bytes: &[u8]| {
            bytes
                .windows(secret.len())
                .any(|part| part == secret.as_bytes())
        };
        assert!(holds(&file), "{format}: the test is wrong");
        let hash = service.stored(file).await;
        let stored = service.webp(&hash).await;
        assert!(!holds(&stored), "{format}");
        let chunks = pictures::webp_chunks(&stored);
        for name in ["EXIF", "XMP ", "ICCP"] {
            assert!(!chunks.contains(&name.to_owned()), "{format}: {chunks:?}");
        }
    }
}

#[tokio::test]
async fn a_wide_colour_space_is_converted_to_srgb() {
    let service = TestService::start(&[]).await;
    let profile = moxcms::ColorProfile::new_display_p3()
        .encode()
        .expect("a profile");
    // Display P3 (200, 100, 50) is sRGB (215, 93, 31), by the two spaces' own
    // definitions.
    let p3 = pictures::flat(64, 48, [200, 100, 50]);
    let hash = service
        .stored(pictures::png_with_profile(&p3, profile))
        .await;
    let webp = service.webp(&hash).await;
    let stored = pictures::decoded(&webp).to_rgb8();
    let middle = stored.get_pixel(32, 24).0;
    for (have, want) in middle.iter().zip([215_u8, 93, 31]) {
        assert!(have.abs_diff(want) <= 5, "{middle:?}");
    }
    assert!(!pictures::webp_chunks(&webp).contains(&"ICCP".to_owned()));
}

#[tokio::test]
async fn a_webp_that_needs_no_change_is_stored_as_it_came() {
    let service = TestService::start(&[]).await;
    let plain = pictures::webp(&pictures::scene(pictures::next_seed(), 90, 70), None);
    let hash = service.stored(plain.clone()).await;
    assert_eq!(service.webp(&hash).await, plain);

    let picture = pictures::scene(pictures::next_seed(), 90, 70);
    let with_exif = pictures::webp(&picture, Some(pictures::exif(1, "a remark")));
    let hash = service.stored(with_exif).await;
    let stored = service.webp(&hash).await;
    assert_eq!(
        pictures::decoded(&stored).to_rgb8(),
        picture,
        "encoded twice"
    );
}

#[tokio::test]
async fn a_turned_webp_is_stored_upright() {
    let service = TestService::start(&[]).await;
    let picture = pictures::scene(pictures::next_seed(), 90, 30);
    let webp = pictures::webp(&picture, Some(pictures::exif(6, "turned")));
    let hash = service.stored(webp).await;
    let stored = pictures::decoded(&service.webp(&hash).await);
    assert_eq!((stored.width(), stored.height()), (30, 90));
}

#[tokio::test]
async fn an_animation_stays_one_frame_for_frame() {
    let service = TestService::start(&[]).await;
    let hash = service.stored(pictures::animated_gif(6, 60, 40, 120)).await;
    let webp = service.webp(&hash).await;
    let stored = pictures::decoded(&webp);
    assert_eq!((stored.width(), stored.height()), (60, 40));
    assert_eq!(pictures::frame_delays(&webp), vec![120; 6]);
}

#[tokio::test]
async fn a_side_beyond_webps_limit_is_scaled_down_to_it() {
    let service = TestService::start(&[]).await;
    let ribbon = pictures::png(&pictures::flat(20_000, 40, [30, 90, 160]));
    let hash = service.stored(ribbon).await;
    let stored = pictures::decoded(&service.webp(&hash).await);
    assert_eq!(stored.width(), 16_383);
    assert!((32..=33).contains(&stored.height()), "{}", stored.height());
}

#[tokio::test]
async fn a_lower_quality_makes_a_smaller_file() {
    let picture = pictures::jpeg(&pictures::scene(pictures::next_seed(), 400, 300));
    let mut sizes = Vec::new();
    for setting in ["images.quality=20", "images.quality=95"] {
        let service = TestService::start(&[setting]).await;
        let (status, body) = answer(service.upload(picture.clone()).await).await;
        assert_eq!(status, 201);
        sizes.push(body["size"].as_u64().expect("a size"));
    }
    assert!(sizes[0] * 2 < sizes[1], "{sizes:?}");
}

#[tokio::test]
async fn a_few_flat_colours_are_kept_exactly() {
    let service = TestService::start(&[]).await;
    let chart = image::RgbImage::from_fn(256, 192, |x, y| match (x / 16 + y / 16) % 3 {
        0 => image::Rgb([255, 255, 255]),
        1 => image::Rgb([20, 40, 90]),
        _ => image::Rgb([220, 60, 30]),
    });
    let hash = service.stored(pictures::png(&chart)).await;
    let webp = service.webp(&hash).await;
    assert_eq!(pictures::decoded(&webp).to_rgb8(), chart);
}

#[tokio::test]
async fn limits_of_pixels_hold_for_pictures_and_for_whole_animations() {
    let settings = [
        "images.max_pixels=10000",
        "images.max_animation_pixels=20000",
    ];
    let service = TestService::start(&settings).await;
    service
        .stored(pictures::png(&pictures::flat(100, 100, [1, 2, 3])))
        .await;
    let larger = pictures::png(&pictures::flat(101, 100, [1, 2, 3]));
    assert_error(service.upload(larger).await, 413, "Image too large").await;

    service.stored(pictures::animated_gif(4, 50, 50, 100)).await;
    let longer = pictures::animated_gif(9, 50, 50, 100);
    assert_error(service.upload(longer).await, 413, "Image too large").await;
    assert_eq!(service.count().await, 2);
}

#[tokio::test]
async fn the_parameters_of_a_part_count_in_any_case() {
    let service = TestService::start(&[]).await;
    for head in [
        r#"Content-Disposition: form-data; Name="image"; Filename="a.png""#,
        r#"content-disposition: FORM-DATA; FILENAME=a.png; NAME=image"#,
        r#"Content-Disposition: form-data; filename*=UTF-8''a.png; name="image""#,
    ] {
        let (kind, body) = part(head, &pictures::photo());
        let response = post(&service, "/images/add", &kind, body).await;
        assert_eq!(response.status(), 201, "{head}");
    }
}

#[tokio::test]
async fn a_part_in_base64_is_decoded() {
    let service = TestService::start(&[]).await;
    let photo = pictures::photo();
    // As in mail: lines of 76 characters.
    let text = BASE64_STANDARD.encode(&photo);
    let lines: Vec<&str> = text
        .as_bytes()
        .chunks(76)
        .map(|line| std::str::from_utf8(line).expect("ASCII"))
        .collect();
    let head = "Content-Disposition: form-data; name=\"image\"; filename=\"a.jpg\"\r\n\
                Content-Transfer-Encoding: ";
    let send = async |encoding: &str, body: &[u8]| {
        let (kind, body) = part(&format!("{head}{encoding}"), body);
        post(&service, "/images/add", &kind, body).await
    };
    let (status, body) = answer(send("Base64", lines.join("\r\n").as_bytes()).await).await;
    assert_eq!(status, 201, "{body}");
    // It is the same picture.
    let (status, again) = answer(send("binary", &photo).await).await;
    assert_eq!((status, &again["existingHash"]), (409, &body["hash"]));
    for (encoding, body) in [
        ("base64", &b"no base64!"[..]),
        ("base64", b"QUJDR"),
        ("quoted-printable", &photo),
    ] {
        assert_error(send(encoding, body).await, 400, "Invalid form").await;
    }
    assert_eq!(service.count().await, 1);
}

/// Apple's Shortcuts, the binary body of ShareX, `curl --data-binary`.
#[tokio::test]
async fn the_body_may_be_the_image_itself() {
    let service = TestService::start(&["images.max_upload_bytes=100000"]).await;
    let add = "/images/add";
    for kind in ["image/jpeg", "IMAGE/*", "application/octet-stream; x=y"] {
        let (status, body) = answer(post(&service, add, kind, pictures::photo()).await).await;
        assert_eq!(status, 201, "{kind}: {body}");
        let hash = body["hash"].as_str().expect("a hash");
        assert!(pictures::is_webp(&service.webp(hash).await));
    }
    let in_album = format!("{add}?name=%E7%81%AF.png&album=trip&detail=1");
    let photo = pictures::photo();
    let (status, body) = answer(post(&service, &in_album, "image/png", photo.clone()).await).await;
    assert_eq!((status, body["width"].is_u64()), (201, true), "{body}");
    let listed = service.json("/images/list?album=trip").await;
    assert_eq!(listed["images"][0]["hash"], body["hash"]);
    assert_eq!(name_of(&service, &body), "灯");

    let again = post(&service, add, "image/png", photo).await;
    assert_eq!(again.status(), 409);
    let long = format!("{add}?album={}", "a".repeat(65));
    let wrong = post(&service, &long, "image/png", pictures::photo()).await;
    assert_error(wrong, 400, "Invalid album").await;
    let empty = post(&service, add, "image/png", Vec::new()).await;
    assert_error(empty, 400, "Image file is required").await;
    let text = post(&service, add, "image/png", b"no picture".to_vec()).await;
    assert_error(text, 415, "Unsupported image format").await;
    let large = post(&service, add, "image/png", vec![0; 100_001]).await;
    assert_error(large, 413, "Image too large").await;
    let other = post(&service, add, "text/plain", pictures::photo()).await;
    assert_error(other, 400, "Image file is required").await;
    assert_eq!(service.count().await, 4);
}

/// The name of the file of an image, which the owner sees.
fn name_of(service: &TestService, image: &Value) -> String {
    let database = rusqlite::Connection::open(service.data_dir().join("porchlight.db"));
    let database = database.expect("a database");
    let hash = image["hash"].as_str().expect("a hash");
    let sql = "SELECT n.name FROM image_name n JOIN image i ON i.id = n.image
               WHERE lower(hex(i.hash)) = ?";
    let name = database.query_row(sql, [hash], |row| row.get(0));
    name.expect("a name")
}

#[tokio::test]
async fn a_duplicate_is_a_success_where_that_is_wanted() {
    let service = TestService::start(&["behaviour=A"]).await;
    let photo = pictures::photo();
    let (kind, body) = form::file("image", "a.jpg", "image/jpeg", &photo);
    let mut answers = Vec::new();
    for query in ["?duplicate=ok", "?duplicate=ok", "?duplicate=no", ""] {
        let path = format!("/images/add{query}");
        answers.push(answer(post(&service, &path, &kind, body.clone()).await).await);
    }
    let statuses: Vec<_> = answers.iter().map(|(status, _)| *status).collect();
    assert_eq!(statuses, [201, 200, 409, 409]);
    assert_eq!(answers[0].1, answers[1].1);
    assert_eq!(answers[0].1["hash"], answers[2].1["existingHash"]);
}
