//! Programs that die, hang or know nothing of pictures, in the place of a helper process.

use std::path::PathBuf;

use futures_util::poll;
use porchlight_test_harness::files::script;
use porchlight_test_harness::process::built_program;
use tempfile::TempDir;

use super::*;

/// A program that runs these lines, and how long nothing may come from it.
fn helpers(lines: &str, patience: Duration) -> (TempDir, Helpers) {
    let folder = tempfile::tempdir().expect("a folder");
    let program: PathBuf = folder.path().join("helper");
    script(&program, lines);
    let helpers = Helpers::with_patience(Some(program.into()), patience);
    (folder, helpers)
}

async fn answer(helpers: &Helpers) -> Result<(Done, Vec<u8>), ConvertError> {
    let picture = Picture::Bytes(Bytes::from_static(b"RIFF"));
    helpers.run(&Task::Preview, picture).await
}

#[tokio::test]
async fn a_process_that_hangs_is_ended_and_its_picture_is_broken() {
    let (_folder, helpers) = helpers("exec sleep 600\n", Duration::from_millis(100));
    let why = answer(&helpers).await.expect_err("no answer");
    assert_eq!(
        why,
        ConvertError::Invalid("it takes too long to decode".into())
    );
    assert!(helpers.is_idle());
}

#[test]
fn a_process_that_waits_for_a_processor_is_given_its_time() {
    let seconds = |number: f64| Some(Duration::from_secs_f64(number));
    for (then, seen, now, expected) in [
        (1.0, 1.0, 5.0, true),
        (1.0, 20.0, 25.0, true),
        (1.0, 25.0, 32.0, false),
        (1.0, 20.0, 20.1, false),
    ] {
        let is = process::is_slowed_down(seconds(then), seconds(seen), seconds(now), PATIENCE);
        assert_eq!(is, expected, "{then} {seen} {now}");
    }
    assert!(!process::is_slowed_down(None, None, None, PATIENCE));
}

#[tokio::test]
async fn a_process_that_dies_has_a_broken_picture_and_one_without_memory_a_large_one() {
    let long = Duration::from_secs(60);
    let (_folder, dying) = helpers("exit 3\n", long);
    let why = answer(&dying).await.expect_err("no answer");
    assert_eq!(why, ConvertError::Invalid("its decoder died of it".into()));
    let (folder, full) = helpers(
        "echo \"$2\" >> \"${0%/*}/tries\"; echo 'memory allocation of 9 bytes failed' >&2\n",
        long,
    );
    assert_eq!(answer(&full).await, Err(ConvertError::TooLarge));
    let tries = std::fs::read_to_string(folder.path().join("tries")).expect("two tries");
    assert_eq!(
        tries,
        format!("--memory={MEMORY}\n--memory={LARGE_MEMORY}\n")
    );
    let (_folder, none) = (0, Helpers::new(Some(PathBuf::from("/nowhere").into())));
    assert!(matches!(
        answer(&none).await,
        Err(ConvertError::Internal(_))
    ));
}

/// The program breaks as long as a file says so, and converts without it.
#[tokio::test]
async fn after_a_process_that_hangs_dies_or_finds_no_memory_the_next_picture_is_converted() {
    let mut webp = std::io::Cursor::new(Vec::new());
    let picture = image::RgbImage::from_pixel(8, 8, image::Rgb([200, 30, 40]));
    picture
        .write_to(&mut webp, image::ImageFormat::WebP)
        .expect("a WebP");
    let webp = Bytes::from(webp.into_inner());
    let dies = ConvertError::Invalid("its decoder died of it".into());
    let hangs = ConvertError::Invalid("it takes too long to decode".into());
    let program = built_program();
    for (breaks, expected) in [
        ("exec sleep 600", hangs),
        ("exit 3", dies.clone()),
        ("kill -9 $$", dies),
        (
            "echo 'memory allocation of 9 bytes failed' >&2; exit 1",
            ConvertError::TooLarge,
        ),
    ] {
        let lines = format!(
            "if [ -e \"${{0%/*}}/broken\" ]; then {breaks}; fi\nexec {} \"$@\"\n",
            program.display()
        );
        let (folder, helpers) = helpers(&lines, Duration::from_secs(2));
        let broken = folder.path().join("broken");
        std::fs::write(&broken, "").expect("a file");
        let preview = || helpers.run(&Task::Preview, Picture::Bytes(webp.clone()));
        assert_eq!(preview().await, Err(expected), "{breaks}");
        std::fs::remove_file(&broken).expect("the file");
        let done = preview().await;
        assert!(
            matches!(done, Ok((Done::Preview(_), _))),
            "{breaks}: {done:?}"
        );
        assert!(helpers.is_idle());
    }
}

#[tokio::test(start_paused = true)]
async fn waiting_readers_are_bounded_in_number_and_time() {
    let helpers = Helpers::new(None);
    let mut taken = Vec::new();
    while let Ok(place) = Arc::clone(&helpers.0.renditions).try_acquire_owned() {
        taken.push(place);
    }
    let until = Some(Instant::now() + Duration::from_secs(2));
    let place = || Box::pin(helpers.rendition_permit(until));
    let mut waiting: Vec<_> = (0..WAITING).map(|_| place()).collect();
    for reader in &mut waiting {
        assert!(poll!(reader).is_pending());
    }
    assert!(place().await.is_none(), "too many wait");
    // The first in the queue leaves: there is room at its end, and the second comes next.
    drop(waiting.remove(0));
    let mut last = place();
    assert!(poll!(&mut last).is_pending());
    taken.pop();
    let second = waiting.remove(0).await;
    assert!(second.is_some());
    assert!(last.await.is_none(), "the time is over");
}
