//! `/images/list?detail=1`: size, colour and ThumbHash, also of images that were stored before there
//! were any.

#[cfg(target_os = "linux")]
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use image::ImageFormat;
use serde_json::{Value, json};

use crate::harness::{TestService, answer, eventually, pictures};

async fn detailed(service: &TestService) -> Vec<Value> {
    let page = service.json("/images/list?detail=1&limit=100").await;
    page["images"].as_array().expect("a list").clone()
}

/// The red, green and blue of a colour in the list.
fn bytes_of(colour: &Value) -> [u8; 3] {
    let digits = colour.as_str().and_then(|text| text.strip_prefix('#'));
    let mut bytes = [0; 3];
    hex::decode_to_slice(digits.expect("a colour"), &mut bytes).expect("six digits");
    bytes
}

/// Whether a colour is within 3 of what is meant.
fn is_about(colour: &Value, meant: [u8; 3]) -> bool {
    std::iter::zip(bytes_of(colour), meant).all(|(found, meant)| found.abs_diff(meant) <= 3)
}

#[tokio::test]
async fn each_image_has_its_size_its_colour_and_a_thumbhash() {
    let service = TestService::start(&[]).await;
    let colour = [200, 40, 90];
    let flat = pictures::flat(640, 20, colour);
    let webp = pictures::encoded(&flat, ImageFormat::WebP);
    let sources = [
        (pictures::png(&flat), (640, 20), false),
        // Stored as it came.
        (webp, (640, 20), false),
        (
            pictures::jpeg(&pictures::flat(30, 200, colour)),
            (30, 200),
            false,
        ),
        (pictures::animated_gif(3, 40, 30, 100), (40, 30), true),
    ];
    for (source, (width, height), animated) in sources {
        let (status, body) = answer(service.upload(source).await).await;
        if status == 409 {
            continue;
        }
        let all = detailed(&service).await;
        let item = all
            .iter()
            .find(|item| item["hash"] == body["hash"])
            .expect("the image");
        assert_eq!(item.as_object().expect("an object").len(), 9, "{item}");
        assert_eq!(
            (
                &item["width"],
                &item["height"],
                &item["animated"],
                &item["size"]
            ),
            (
                &json!(width),
                &json!(height),
                &json!(animated),
                &body["size"]
            )
        );
        assert!(animated || is_about(&item["color"], colour), "{item}");
    }
    let plain = service.json("/images/list").await;
    assert_eq!(plain["images"][0].as_object().expect("an object").len(), 3);
}

/// A `ThumbHash` knows the shape to an eighth of the longer side, and the average colour to 6 bits of each
/// of its three parts.
#[tokio::test]
async fn a_thumbhash_decodes_to_the_shape_and_the_colour_of_its_source() {
    let service = TestService::start(&[]).await;
    for (width, height) in [(160, 90), (90, 160), (640, 480), (64, 64), (30, 100)] {
        let picture = pictures::scene(pictures::next_seed(), width, height);
        service.stored(pictures::png(&picture)).await;
        let item = detailed(&service).await.swap_remove(0);
        let text = item["thumbhash"].as_str().expect("base64");
        let thumbhash = BASE64_STANDARD.decode(text).expect("base64");

        let ratio = thumbhash::thumb_hash_to_approximate_aspect_ratio(&thumbhash);
        let ratio = ratio.expect("a ThumbHash");
        assert_eq!(ratio > 1.0, width > height, "{item}");
        let parts = |ratio: f32| 7.0 * ratio.min(1.0 / ratio);
        let meant = parts(width as f32 / height as f32);
        assert!((parts(ratio) - meant).abs() <= 0.51, "{ratio}: {item}");

        let average = thumbhash::thumb_hash_to_average_rgba(&thumbhash);
        let (red, green, blue, alpha) = average.expect("a ThumbHash");
        assert_eq!(alpha, 1.0, "{item}");
        for (channel, found) in [red, green, blue].into_iter().enumerate() {
            let sum: u64 = picture
                .pixels()
                .map(|pixel| u64::from(pixel[channel]))
                .sum();
            let meant = sum as f32 / (width * height) as f32;
            assert!(
                (found * 255.0 - meant).abs() < 10.0,
                "{found} {meant}: {item}"
            );
        }
    }
}

/// As a build without previews left the rows.
fn without_previews(service: &TestService) {
    let file = service.data_dir().join("porchlight.db");
    let database = rusqlite::Connection::open(file).expect("a database");
    database
        .execute("UPDATE image SET colour = NULL, thumbhash = NULL", [])
        .expect("rows");
}

fn missing(items: &[Value]) -> usize {
    items
        .iter()
        .filter(|item| item["thumbhash"].is_null())
        .count()
}

#[tokio::test]
async fn earlier_images_get_theirs_later_and_one_that_is_lost_keeps_none_waiting() {
    let mut service = TestService::start(&[]).await;
    let mut hashes = Vec::new();
    for _ in 0..6 {
        hashes.push(service.stored(pictures::photo()).await);
    }
    service.stored(pictures::animated_gif(3, 40, 30, 100)).await;
    let before = detailed(&service).await;
    service.stop().await;
    without_previews(&service);
    // The newest but one is lost, and another one is broken.
    let lost = &hashes[4];
    let file = |hash: &str| {
        let folder = service.data_dir().join("images").join(&hash[..2]);
        folder.join(format!("{hash}.webp"))
    };
    std::fs::remove_file(file(lost)).expect("a file");
    std::fs::write(file(&hashes[3]), "RIFF").expect("a file");
    service.restart().await;
    let now = eventually("all previews", async || {
        let now = detailed(&service).await;
        (missing(&now) == 2).then_some(now)
    })
    .await;
    for (was, is) in before.iter().zip(&now) {
        let is_lost = [lost, &hashes[3]].iter().any(|hash| is["hash"] == ***hash);
        assert_eq!(is["thumbhash"].is_null(), is_lost, "{is}");
        // Made of the stored WebP now, which is a little different from its source.
        assert!(
            is_lost || is_about(&is["color"], bytes_of(&was["color"])),
            "{was} {is}"
        );
    }
}

#[tokio::test]
async fn one_that_cannot_be_read_keeps_none_waiting() {
    let mut service = TestService::start(&[]).await;
    service.stored(pictures::photo()).await;
    let newest = service.stored(pictures::photo()).await;
    service.stop().await;
    without_previews(&service);
    let folder = service.data_dir().join("images").join(&newest[..2]);
    let file = folder.join(format!("{newest}.webp"));
    std::fs::remove_file(&file).expect("a file");
    // A folder is there, and cannot be read as a file.
    std::fs::create_dir(&file).expect("a folder");
    service.restart().await;
    let now = eventually("the other preview", async || {
        let now = detailed(&service).await;
        (missing(&now) == 1).then_some(now)
    })
    .await;
    let without = now.iter().find(|item| item["thumbhash"].is_null());
    assert_eq!(without.expect("one")["hash"], newest);
}

/// The processor time that a process has used.
#[cfg(target_os = "linux")]
fn processor_time(pid: u32) -> Duration {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).expect("a process");
    let fields = stat.rsplit(") ").next().expect("fields").split(' ');
    let ticks = fields
        .skip(11)
        .take(2)
        .map(|ticks| ticks.parse::<u64>().expect("ticks"));
    // In hundredths of a second on every Linux.
    Duration::from_millis(ticks.sum::<u64>() * 10)
}

/// The share of a core that the service takes in a few seconds. They are waited for: what is measured
/// is time itself.
#[cfg(target_os = "linux")]
async fn share(service: &TestService) -> f64 {
    let (began, used) = (Instant::now(), processor_time(service.pid()));
    tokio::time::sleep(Duration::from_secs(6)).await;
    (processor_time(service.pid()) - used).as_secs_f64() / began.elapsed().as_secs_f64()
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn previews_are_made_with_little_of_a_core_and_a_restart_goes_on() {
    let mut service = TestService::start(&[]).await;
    for seed in 0..12 {
        let picture = pictures::scene(seed, 1_600, 1_200);
        service.stored(pictures::jpeg(&picture)).await;
    }
    service.restart().await;
    let idle = share(&service).await;
    service.stop().await;
    without_previews(&service);
    service.restart().await;
    let first = eventually("the first preview", async || {
        let left = missing(&detailed(&service).await);
        (left < 12).then_some(left)
    })
    .await;
    service.restart().await;
    eventually("one more", async || {
        let left = missing(&detailed(&service).await);
        (left < first).then_some(())
    })
    .await;
    let busy = share(&service).await;
    assert!(
        missing(&detailed(&service).await) > 0,
        "too few to measure them"
    );
    assert!(busy - idle < 0.05, "{busy}, and {idle} without");
}
