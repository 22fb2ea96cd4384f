//! Servers that are slow, broken or hostile, and an import that is killed.

use serde_json::{Value, json};

use crate::foreign::{Foreign, Reply};
use crate::harness::{TestService, files};
use crate::{count, import, imported, is_well, porchlight, webp};

const WHEN: &str = "2021-03-04T05:06:07.000Z";

/// Why an image failed.
fn reason<'a>(lines: &'a [Value], hash: &str) -> &'a str {
    let line = lines.iter().find(|line| line["hash"] == hash);
    let line = line.unwrap_or_else(|| panic!("{hash} is not named: {lines:?}"));
    assert_eq!(line["status"], "failed", "{line}");
    line["reason"].as_str().expect("a reason")
}

fn named(number: u32) -> String {
    format!("{number:032x}")
}

#[tokio::test]
async fn a_killed_import_continues_and_fetches_nothing_twice() {
    let there = Foreign::start().await;
    let mut images = Vec::new();
    for _ in 0..20 {
        let bytes = webp();
        images.push((there.has(&bytes, WHEN), bytes));
    }
    let home = tempfile::tempdir().expect("a folder");
    let folder = home.path().join("data");
    std::fs::create_dir(&folder).expect("a folder");
    there.answer_only(Some(9));
    let mut running = porchlight(&folder, &["import", "--from", &there.url()]);
    there.asked(12).await;
    running.line_with("imported").await.expect("the first one");
    running.kill();
    running.wait().await;
    there.answer_only(None);

    let before = files::stored_hashes(&folder);
    assert!(!before.is_empty());
    let asked = there.fetched().len();
    let (code, lines) = imported(&folder, &there.url(), &[]).await;
    assert_eq!(code, 0, "{lines:?}");
    let here = count(&lines, "already_here");
    assert!(
        here >= 1 && here + 1 >= before.len() as u64,
        "{here}: {lines:?}"
    );
    assert_eq!(count(&lines, "imported") + here, 20);
    // Existing images were not requested again.
    assert_eq!((there.fetched().len() - asked) as u64, 20 - here);
    is_well(&folder, &[]).await;
    let service = TestService::builder().data_dir(&folder).start().await;
    for (hash, bytes) in &images {
        assert_eq!(service.webp(hash).await, *bytes);
    }
}

#[tokio::test]
async fn unavailable_images_are_named_and_the_rest_is_imported() {
    let there = Foreign::start().await;
    let good = there.has(&webp(), WHEN);
    let passing = webp();
    let mut number = 0;
    let mut offer = |reply: Reply| {
        number += 1;
        there.offers(&named(number), WHEN, reply);
        named(number)
    };
    let later = offer(Reply::After(vec![429, 503, 500], passing));
    let gone = offer(Reply::Bytes(Vec::new()));
    let html = offer(Reply::Bytes(b"<html>Welcome</html>".to_vec()));
    let broken = offer(Reply::Bytes(webp()[..60].to_vec()));
    let cut = offer(Reply::Cut(webp()[..60].to_vec()));
    let failing = offer(Reply::After(vec![500; 9], webp()));
    let claims = offer(Reply::Claims(1 << 40));
    let endless = offer(Reply::Endless);
    let silent = offer(Reply::Silence);
    let around = offer(Reply::SendOn(format!("/i/{}", named(10))));
    let file = offer(Reply::SendOn("file:///etc/passwd".to_owned()));
    let here = offer(Reply::SendOn(format!("/i/{good}")));
    there.offers("not-a-hash\u{1b}[2J", WHEN, Reply::Bytes(webp()));
    let home = tempfile::tempdir().expect("a folder");
    let folder = home.path().join("data");
    let words = ["--timeout", "2", "--set", "images.max_upload_bytes=1000000"];
    let (code, lines) = imported(&folder, &there.url(), &words).await;
    assert_eq!(code, 1, "{lines:?}");
    for (hash, why) in [
        (&gone, "format"),
        (&html, "format"),
        (&broken, "damaged"),
        (&cut, ""),
        (&failing, "500"),
        (&claims, "too large"),
        (&endless, "too large"),
        (&silent, "in time"),
        (&around, "again and again"),
        (&file, "no web address"),
        (&"not-a-hash\\u{1b}[2J".to_owned(), "32 hexadecimal"),
    ] {
        let text = reason(&lines, hash);
        assert!(text.contains(why), "{hash}: {text}");
    }
    assert_eq!(count(&lines, "failed"), 11, "{lines:?}");
    // The one that is sent on to the good one is that, under a second name.
    assert_eq!(count(&lines, "imported") + count(&lines, "second_names"), 3);
    is_well(&folder, &[]).await;
    assert_eq!(files::below(&folder.join("incoming")).len(), 0);
    let service = TestService::builder().data_dir(&folder).start().await;
    for hash in [&good, &later, &here] {
        assert_eq!(service.get(&format!("/i/{hash}")).await.status(), 200);
    }
    assert_eq!(service.count().await, 2);
}

fn rows(names: impl Iterator<Item = u32>) -> Vec<Value> {
    names
        .map(|number| json!({ "hash": named(number), "createdAt": WHEN }))
        .collect()
}

#[tokio::test]
async fn a_list_that_changes_while_it_is_read_is_read_again() {
    let there = Foreign::start().await;
    for number in 0..9 {
        there.set_reply(&named(number), Reply::Bytes(webp()));
    }
    // The first image is deleted when the first page has been read, so that the
    // fourth moves to that page unseen.
    there.lists(|page, calls| {
        let first = if calls == 1 { 0 } else { 1 };
        let from = first + (page as u32 - 1) * 3;
        json!({
            "images": rows((from..from + 3).filter(|number| *number < 9)),
            "pagination": { "total": 9 - first },
        })
    });
    let home = tempfile::tempdir().expect("a folder");
    let folder = home.path().join("data");
    let (code, lines) = imported(&folder, &there.url(), &[]).await;
    assert_eq!((code, count(&lines, "imported")), (0, 9), "{lines:?}");
}

#[tokio::test]
async fn a_list_without_a_count_that_shrinks_behind_its_first_page_is_read_again() {
    let there = Foreign::start().await;
    for number in 0..9 {
        there.set_reply(&named(number), Reply::Bytes(webp()));
    }
    // The fourth image is deleted when the second page has been read, so that the
    // seventh moves to that page unseen.
    there.lists(|page, calls| {
        let there: Vec<u32> = (0..9).filter(|number| calls <= 2 || *number != 3).collect();
        let from = (page as usize - 1) * 3;
        json!({ "images": rows(there.into_iter().skip(from).take(3)) })
    });
    let home = tempfile::tempdir().expect("a folder");
    let folder = home.path().join("data");
    let (code, lines) = imported(&folder, &there.url(), &[]).await;
    assert_eq!((code, count(&lines, "imported")), (0, 9), "{lines:?}");
}

#[tokio::test]
async fn an_endless_list_is_stopped() {
    let there = Foreign::start().await;
    for number in 0..3 {
        there.set_reply(&named(number), Reply::Bytes(webp()));
    }
    there.lists(|_, _| json!({ "images": rows(0..3), "pagination": { "total": 3 } }));
    let home = tempfile::tempdir().expect("a folder");
    let (code, lines) = imported(&home.path().join("data"), &there.url(), &[]).await;
    assert_eq!((code, count(&lines, "imported")), (0, 3), "{lines:?}");
}

#[tokio::test]
async fn a_list_that_shows_less_than_it_counts_is_not_all() {
    let there = Foreign::start().await;
    there.set_reply(&named(0), Reply::Bytes(webp()));
    there.lists(|page, _| {
        let images = rows(0..u32::from(page == 1));
        json!({ "images": images, "pagination": { "total": 5 } })
    });
    let home = tempfile::tempdir().expect("a folder");
    let (code, lines) = imported(&home.path().join("data"), &there.url(), &[]).await;
    assert_eq!((code, count(&lines, "imported")), (1, 1), "{lines:?}");
    let stopped = &lines.last().expect("a summary")["summary"]["stopped"];
    assert!(
        stopped
            .to_string()
            .contains("counts 5 pictures and shows 1"),
        "{stopped}"
    );
}

#[tokio::test]
async fn a_wrong_or_unreachable_server_is_reported() {
    let home = tempfile::tempdir().expect("a folder");
    let folder = home.path().join("data");
    let there = Foreign::start().await;
    there.lists(|_, _| json!({ "hello": "world" }));
    let ended = import(&folder, &there.url(), &[]).await;
    assert_eq!(ended.status.code(), Some(1), "{ended:?}");
    assert!(ended.stderr.contains("no list of pictures"), "{ended:?}");
    let long = "x".repeat(2 << 20);
    there.lists(move |_, _| json!({ "images": [], "more": long }));
    let ended = import(&folder, &there.url(), &[]).await;
    assert!(ended.stderr.contains("has no end"), "{ended:?}");
    let url = there.url();
    drop(there);
    let ended = import(&folder, &url, &["--retries", "0"]).await;
    assert_eq!(ended.status.code(), Some(1), "{ended:?}");
    for wrong in ["nowhere", "ftp://a.b", "https://me:hunter2@a.b"] {
        let ended = import(&folder, wrong, &[]).await;
        assert_eq!(ended.status.code(), Some(2), "{ended:?}");
        assert!(!ended.stderr.contains("hunter2"), "{ended:?}");
    }
    let ended = import(&folder, &url, &["--set", "images.qualty=1"]).await;
    assert_eq!(ended.status.code(), Some(2), "{ended:?}");
}
