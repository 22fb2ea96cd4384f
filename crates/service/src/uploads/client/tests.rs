//! What is found, when it is tried again, and what the ledger keeps.

use super::*;

fn names(source: &Sources) -> (Vec<String>, usize) {
    let mut pictures = Vec::new();
    let mut skipped = 0;
    for found in source.files() {
        match found {
            FoundFile::Picture { file, .. } => {
                let name = file.file_name().expect("a name").to_string_lossy();
                pictures.push(name.into_owned());
            }
            FoundFile::Skipped => skipped += 1,
            FoundFile::Unreadable { file, cause } => panic!("{file:?}: {cause}"),
        }
    }
    pictures.sort();
    (pictures, skipped)
}

#[test]
fn images_are_found_by_name_or_content_and_the_rest_is_skipped() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    std::fs::create_dir_all(at(".hidden/deep")).expect("folders");
    std::fs::write(at(".hidden/deep/a.jpg"), "").expect("a file");
    std::fs::write(at("no-ending"), b"\x89PNG\r\n\x1a\n...").expect("a file");
    std::fs::write(at("notes.txt"), "BMW").expect("a file");
    let source = Sources::Folder(folder.path().to_owned());
    let found = names(&source);
    assert_eq!(found.0, ["a.jpg", "no-ending"]);
    assert_eq!(found.1, 1);
}

#[cfg(unix)]
#[test]
fn links_are_not_followed_below_a_folder() {
    let folder = tempfile::tempdir().expect("a folder");
    let elsewhere = tempfile::tempdir().expect("a folder");
    std::fs::write(elsewhere.path().join("a.jpg"), "").expect("a file");
    let link = |from: &str, to: &Path| {
        std::os::unix::fs::symlink(to, folder.path().join(from)).expect("a link");
    };
    link("folder", elsewhere.path());
    link("b.jpg", &elsewhere.path().join("a.jpg"));
    link("round", folder.path());
    let found = names(&Sources::Folder(folder.path().to_owned()));
    assert_eq!(found, (Vec::new(), 3));
}

fn answered(status: u16) -> ClientError {
    ClientError::Answered {
        status,
        text: String::new(),
        is_by_the_service: true,
        retry_after: None,
    }
}

#[test]
fn only_temporary_errors_are_retried() {
    for status in [500, 502, 503, 507, 408] {
        assert!(may_pass(&answered(status)), "{status}");
    }
    for status in [301, 308, 400, 404, 413, 415, 422] {
        assert!(!may_pass(&answered(status)), "{status}");
    }
    assert!(!may_pass(&ClientError::Refused));
    assert!(may_pass(&ClientError::NotUnderstood { status: 200 }));
}

#[tokio::test(start_paused = true)]
async fn retries_are_counted_but_not_while_others_get_through() {
    let retry = RetryPolicy::new(2);
    let wait = || ClientError::Wait {
        retry_after: Some(Duration::from_secs(1)),
    };
    let mut tries = retry.tries();
    for _ in 0..20 {
        retry.settled();
        assert!(tries.again(wait()).await.is_ok());
    }
    assert!(tries.again(wait()).await.is_ok());
    assert!(tries.again(wait()).await.is_ok());
    assert!(tries.again(wait()).await.is_err());
    let mut tries = retry.tries();
    retry.settled();
    for _ in 0..2 {
        assert!(tries.again(answered(503)).await.is_ok());
    }
    assert!(tries.again(answered(503)).await.is_err());
}

#[tokio::test(start_paused = true)]
async fn after_a_week_without_the_service_it_resumes_within_the_longest_pause() {
    let refused = || answered(503);
    let retry = RetryPolicy::new(u32::MAX);
    let mut tries = retry.tries();
    let began = Instant::now();
    let week = Duration::from_secs(7 * 24 * 3_600);
    let mut calls = 0_u32;
    while began.elapsed() < week {
        let before = Instant::now();
        assert!(tries.again(refused()).await.is_ok());
        assert!(
            before.elapsed() <= BACKOFF.after(u32::MAX),
            "after {calls} calls"
        );
        calls += 1;
    }
    // At most a minute apart, and at least half of one.
    assert!((10_080..=20_170).contains(&calls), "{calls}");
    // Now it is back: a new upload does not wait.
    let back = Instant::now();
    retry.settled();
    retry.quiet_time().await;
    assert_eq!(back.elapsed(), Duration::ZERO);
    let mut next = retry.tries();
    assert!(next.again(refused()).await.is_ok());
    assert!(
        back.elapsed() <= BACKOFF.after(1),
        "it starts with short pauses"
    );
}

#[tokio::test(start_paused = true)]
async fn a_retry_after_for_one_applies_to_all() {
    let retry = RetryPolicy::new(3);
    let began = Instant::now();
    let wait = ClientError::Wait {
        retry_after: Some(Duration::from_secs(7)),
    };
    let mut tries = retry.tries();
    let (again, ()) = tokio::join!(tries.again(wait), async {
        tokio::task::yield_now().await;
        retry.quiet_time().await;
        assert!(began.elapsed() >= Duration::from_secs(7));
    });
    assert!(again.is_ok());
}

const BASE: &str = "https://light.example.blog";

#[test]
fn entries_are_found_by_the_next_run_only_for_their_server() {
    let folder = tempfile::tempdir().expect("a folder");
    let ledger = Ledger::open(folder.path(), BASE).expect("a ledger");
    ledger.add([1; 32], "ab12").expect("added");
    assert_eq!(ledger.find(&[1; 32]).as_deref(), Some("ab12"));
    drop(ledger);
    let ledger = Ledger::open(folder.path(), BASE).expect("a ledger");
    assert_eq!(ledger.find(&[1; 32]).as_deref(), Some("ab12"));
    assert_eq!(ledger.find(&[2; 32]), None);
    let other = Ledger::open(folder.path(), "https://other.example").expect("a ledger");
    assert_eq!(other.find(&[1; 32]), None);
}

#[test]
fn a_line_that_was_cut_off_costs_that_line_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    let whole = format!("{} ab12\n", hex::encode([1; 32]));
    let cut = format!("{} ab", hex::encode([2; 32]));
    fs::write(place(folder.path(), BASE), whole + &cut).expect("a file");
    let ledger = Ledger::open(folder.path(), BASE).expect("a ledger");
    assert_eq!(ledger.find(&[1; 32]).as_deref(), Some("ab12"));
    assert_eq!(ledger.find(&[2; 32]), None, "its hash is not whole");
    ledger.add([3; 32], "cd34").expect("added");
    drop(ledger);
    let ledger = Ledger::open(folder.path(), BASE).expect("a ledger");
    assert_eq!(ledger.find(&[3; 32]).as_deref(), Some("cd34"));
}

#[test]
fn an_image_without_a_hash_from_the_server_is_not_recorded() {
    let folder = tempfile::tempdir().expect("a folder");
    let unnamed = format!("{} -\n{} \n", hex::encode([1; 32]), hex::encode([2; 32]));
    fs::write(place(folder.path(), BASE), unnamed).expect("a file");
    let ledger = Ledger::open(folder.path(), BASE).expect("a ledger");
    assert_eq!(ledger.find(&[1; 32]), None);
    assert_eq!(ledger.find(&[2; 32]), None);
}
