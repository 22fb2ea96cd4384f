//! The formats that come in, by the program itself: also those that it decodes in a process of
//! their own.

use std::time::Instant;

use crate::harness::{PATIENCE, TestService, answer, assert_error, eventually, form, pictures};

/// What each of these would be as a WebP is another picture: an animation of AVIF whose frames are
/// not read, and colours brighter than white.
const UNSUPPORTED: [&str; 3] = ["brighter-hlg.avif", "brighter-pq.avif", "sequence.avif"];

#[tokio::test]
async fn every_kind_of_picture_comes_in_or_is_said_not_to_be_supported() {
    let service = TestService::start(&["limits.requests_per_second=0"]).await;
    for (name, bytes) in pictures::kept() {
        let response = service.upload(bytes).await;
        if UNSUPPORTED.contains(&name.as_str()) {
            assert_error(response, 415, "Unsupported image format").await;
            continue;
        }
        let (status, body) = answer(response).await;
        // Many of them show the same, and a few become the same WebP.
        assert!([201, 409].contains(&status), "{name}: {status} {body}");
        if status == 201 {
            let hash = body["hash"].as_str().expect("a hash");
            pictures::decoded(&service.webp(hash).await);
        }
    }
    assert!(service.count().await > 40);
    assert!(
        !service.stderr().contains("panicked"),
        "{}",
        service.stderr()
    );
}

#[tokio::test]
async fn an_animation_of_jpeg_xl_stays_one() {
    let service = TestService::start(&[]).await;
    let kept = pictures::kept();
    let (_, bytes) = kept
        .iter()
        .find(|(name, _)| name == "animation.jxl")
        .expect("it is there");
    let hash = service.stored(bytes.clone()).await;
    let delays = pictures::frame_delays(&service.webp(&hash).await);
    assert_eq!(delays, [100, 250, 70]);
}

/// rav1d ends the process that it runs in when AV1 is broken in some ways: that must not be the
/// service's.
#[tokio::test]
async fn a_decoder_that_dies_of_a_picture_takes_nothing_with_it() {
    let service = TestService::start(&["limits.requests_per_second=0"]).await;
    let kept = pictures::kept();
    let mut died = 0;
    for name in ["lossy.avif", "alpha.avif", "grid.avif"] {
        let (_, whole) = kept.iter().find(|(kept, _)| kept == name).expect("there");
        let pixels = whole
            .windows(4)
            .position(|four| four == b"mdat")
            .expect("a box of pixels");
        for at in (pixels + 4..whole.len()).step_by(whole.len() / 40) {
            let mut broken = whole.clone();
            broken[at..]
                .iter_mut()
                .take(9)
                .for_each(|byte| *byte ^= 0xA5);
            let status = service.upload(broken).await.status();
            assert!([201, 409, 415, 422].contains(&status.as_u16()), "{status}");
            died += u32::from(status == 422);
        }
    }
    assert!(died > 10, "{died}");
    assert!(
        !service.stderr().contains("panicked"),
        "{}",
        service.stderr()
    );
    service.stored(pictures::photo()).await;
}

/// A drawing whose patterns hold each other three times over, thirty deep.
fn endless_drawing() -> String {
    let mut nested = String::new();
    for n in 1..30 {
        let fill = format!("<rect width='9' height='9' fill='url(#p{})'/>", n - 1).repeat(3);
        nested += &format!(
            "<pattern id='p{n}' width='1' height='1' patternUnits='userSpaceOnUse'>{fill}</pattern>"
        );
    }
    format!("{nested}<rect width='40' height='30' fill='url(#p29)'/>")
}

fn svg(body: &str) -> Vec<u8> {
    format!("<svg xmlns='http://www.w3.org/2000/svg' width='40' height='30'>{body}</svg>").into()
}

/// The processes that this one has started and that still run.
fn children(pid: u32) -> Vec<u32> {
    let list = std::fs::read_dir("/proc").expect("processes");
    let pids = list.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<u32>().ok());
    let of_it = pids.filter(|child| {
        let stat = std::fs::read_to_string(format!("/proc/{child}/stat")).unwrap_or_default();
        // Behind the name, which may hold anything: state, and who started it.
        let after = stat.rsplit(") ").next().unwrap_or_default();
        let mut fields = after.split(' ');
        let state = fields.next().unwrap_or("Z");
        state != "Z" && fields.next() == Some(pid.to_string().as_str())
    });
    of_it.collect()
}

#[tokio::test]
async fn a_decoder_ends_with_the_service_that_was_killed_and_with_its_time() {
    let mut service = TestService::start(&[]).await;
    let upload = service.request(reqwest::Method::POST, "/images/add");
    let (kind, body) = form::file("image", "a", "image/svg+xml", &svg(&endless_drawing()));
    let upload = upload
        .bearer_auth(&service.admin_token)
        .header(reqwest::header::CONTENT_TYPE, kind)
        .body(body);
    let upload = tokio::spawn(upload.send());
    let pid = service.pid();
    let decoder = eventually("a decoder", async || children(pid).first().copied()).await;
    service.kill().await;
    let program = format!("/proc/{decoder}/cmdline");
    eventually("the end of the decoder", async || {
        let words = std::fs::read(&program).unwrap_or_default();
        words.is_empty().then_some(())
    })
    .await;
    assert!(upload.await.expect("no panic").is_err());
}

/// The service may be killed after it has started a decoder, and before that has asked to end with
/// it.
#[tokio::test]
async fn a_decoder_whose_service_is_gone_already_does_not_begin() {
    let of_nobody = std::process::id() + 1;
    let mut decoder = tokio::process::Command::new(env!("CARGO_BIN_EXE_porchlight"))
        .args([
            "decode-picture",
            "--max-pixels=1",
            "--max-animation-pixels=1",
        ])
        .args([
            "--memory=500000000".to_owned(),
            format!("--wanted-by={of_nobody}"),
        ])
        // It stays open: one that begins would wait for the picture.
        .stdin(std::process::Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .expect("it starts");
    let _open = decoder.stdin.take();
    let ended = tokio::time::timeout(PATIENCE, decoder.wait()).await;
    let status = ended.expect("it ends").expect("a status");
    assert_eq!(status.code(), Some(1));
}

/// A drawing that would take an hour is refused by what it would cost, and one that hides its cost
/// dies with its decoder.
#[tokio::test]
async fn a_drawing_that_is_a_trap_costs_neither_time_nor_memory() {
    let service = TestService::start(&[]).await;
    let deep = format!("{}{}", "<g>".repeat(200_000), "</g>".repeat(200_000));
    for body in [
        endless_drawing(),
        deep,
        "<filter id='f' x='-9e9' y='-9e9' width='9e18' height='9e18'><feFlood/><feTurbulence \
         baseFrequency='9' numOctaves='999999'/></filter><rect width='9' height='9' \
         filter='url(#f)'/>"
            .to_owned(),
    ] {
        let began = Instant::now();
        let status = service.upload(svg(&body)).await.status().as_u16();
        assert!([201, 413, 422].contains(&status), "{status}");
        assert!(began.elapsed().as_secs() < 40, "{:?}", began.elapsed());
    }
    service.stored(pictures::photo()).await;
}

/// What is taken from the memory budget, the header says; the pixels may say otherwise.
#[tokio::test]
async fn an_avif_whose_header_says_less_than_its_pixels_is_refused() {
    let service = TestService::start(&[]).await;
    let kept = pictures::kept();
    let (_, whole) = kept
        .iter()
        .find(|(name, _)| name == "lossy.avif")
        .expect("it is there");
    let mut lying = whole.clone();
    let size = lying.windows(4).position(|four| four == b"ispe");
    let size = size.expect("a size");
    // Width and height, behind version and flags.
    lying[size + 8..size + 16].copy_from_slice(&[0, 0, 0, 8, 0, 0, 0, 8]);
    assert_error(service.upload(lying).await, 422, "Invalid image").await;
    service.stored(whole.clone()).await;
}
