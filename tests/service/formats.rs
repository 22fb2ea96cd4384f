//! The accepted formats, by the program itself.

#[cfg(unix)]
use crate::harness::TIMEOUT;
use crate::harness::{TestService, answer, assert_error, pictures};

/// As a WebP it would be another image: an animation of AVIF, whose frames are not read.
const UNSUPPORTED: [&str; 1] = ["sequence.avif"];

#[tokio::test]
async fn every_image_format_is_stored_or_refused_as_unsupported() {
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
async fn a_longer_picture_than_the_settings_want_is_scaled_down() {
    let service = TestService::start(&["images.max_side=300"]).await;
    let large = pictures::scene(pictures::next_seed(), 800, 600);
    let hash = service.stored(pictures::jpeg(&large)).await;
    let stored = pictures::decoded(&service.webp(&hash).await);
    assert_eq!((stored.width(), stored.height()), (300, 225));
}

/// Its text is drawn with fonts of the system, if there are any; nothing else of the system is read.
#[tokio::test]
async fn an_svg_is_drawn_by_a_process_that_reads_nothing_but_fonts() {
    let service = TestService::start(&[]).await;
    let svg = "<svg xmlns='http://www.w3.org/2000/svg' width='40' height='20'>\
        <rect width='40' height='20' fill='#fff'/><text x='2' y='15'>light</text>\
        <image width='40' height='20' href='/etc/passwd'/></svg>";
    let hash = service.stored(svg.as_bytes().to_vec()).await;
    let drawn = pictures::decoded(&service.webp(&hash).await);
    assert_eq!((drawn.width(), drawn.height()), (80, 40));
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
async fn a_crashing_decoder_does_not_affect_the_service() {
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

/// As Linux confines it.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_helper_is_confined_and_ends_with_the_process_that_started_it() {
    use tokio::io::AsyncBufReadExt as _;

    use crate::harness::eventually;

    let helper = env!("CARGO_BIN_EXE_porchlight");
    // It reads from a pipe that stays open, so only the death of the shell ends it.
    let script = format!(
        "exec 3<&0; {helper:?} convert --memory=1000000000 --started-by=$$ <&3 >/dev/null & \
         echo $!; wait"
    );
    let mut shell = tokio::process::Command::new("sh")
        .args(["-c", &script])
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .expect("it starts");
    let _open = shell.stdin.take();
    let mut line = tokio::io::BufReader::new(shell.stdout.take().expect("a pipe"));
    let mut pid = String::new();
    line.read_line(&mut pid).await.expect("a process id");
    let pid = pid.trim();
    let runs = || {
        let words = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        words.starts_with(helper.as_bytes())
    };
    let status = eventually("it is confined", async || {
        let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
        (runs() && status.contains("Seccomp:\t2")).then_some(status)
    })
    .await;
    assert!(status.contains("NoNewPrivs:\t1"), "{status}");
    // Those that decode HEVC have been started before: at most four, with one more each.
    let threads = status
        .lines()
        .find_map(|line| line.strip_prefix("Threads:\t"));
    let threads: u32 = threads.expect("a line").parse().expect("a number");
    assert!(threads <= 9, "{status}");
    shell.kill().await.expect("it is killed");
    eventually("it ends", async || (!runs()).then_some(())).await;
}

/// The service may be killed after it has started a helper process, and before that has asked to end
/// with it.
#[cfg(unix)]
#[tokio::test]
async fn a_helper_without_its_service_does_not_start() {
    let no_parent = std::process::id() + 1;
    let mut helper = tokio::process::Command::new(env!("CARGO_BIN_EXE_porchlight"))
        .args(["convert", "--memory=500000000"])
        .arg(format!("--started-by={no_parent}"))
        // It stays open: one that starts would wait for the image.
        .stdin(std::process::Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .expect("it starts");
    let _open = helper.stdin.take();
    let ended = tokio::time::timeout(TIMEOUT, helper.wait()).await;
    let status = ended.expect("it ends").expect("a status");
    assert_eq!(status.code(), Some(1));
}

#[tokio::test]
async fn an_avif_whose_header_understates_its_pixels_is_refused() {
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
