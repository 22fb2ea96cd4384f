//! Watcher and service are killed in turn while images come in by every way:
//! all arrive, each once.
//!
//! Some hundred images and ten kills here; `cargo xtask soak` has ten thousand
//! (`PORCHLIGHT_DROPPED`).

use std::collections::HashMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use crate::harness::{TestService, eventually, free_port};
use crate::{Fixture, picture, times_sent};

/// A loopback address that stays the same over restarts.
pub(crate) fn free_address() -> String {
    format!("127.0.0.1:{}", free_port())
}

/// How many images are dropped at once: the given number, or what the
/// environment asks for.
pub(crate) fn dropped(otherwise: usize) -> usize {
    std::env::var("PORCHLIGHT_DROPPED")
        .ok()
        .map_or(otherwise, |number| number.parse().expect("a number"))
}

/// Drops this many different images, each by the next of five ways.
fn drop_all(folder: &Path, beside: &Path, number: usize) {
    std::fs::create_dir_all(beside).expect("a folder");
    for place in 0..number {
        let bytes = picture();
        let file = format!("{place:05}.jpg");
        let outside = beside.join(&file);
        match place % 5 {
            0 => std::fs::write(folder.join(&file), bytes).expect("written"),
            1 => {
                let mut slow = std::fs::File::create(folder.join(&file)).expect("a file");
                for part in bytes.chunks(bytes.len() / 3) {
                    slow.write_all(part).expect("written");
                    slow.sync_all().expect("written");
                }
            }
            2 => {
                std::fs::write(&outside, bytes).expect("written");
                std::fs::rename(&outside, folder.join(&file)).expect("moved");
            }
            3 => {
                let part = folder.join(format!("{file}.part"));
                std::fs::write(&part, bytes).expect("written");
                std::fs::rename(&part, folder.join(&file)).expect("renamed");
            }
            _ => {
                let inside = folder.join(format!("{}/{place}", place % 7));
                std::fs::create_dir_all(&inside).expect("folders");
                std::fs::write(&outside, bytes).expect("written");
                std::fs::hard_link(&outside, inside.join(&file)).expect("linked");
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn everything_arrives_once_while_watcher_and_service_are_killed_in_turn() {
    let number = dropped(200);
    let kills = (number as u64 / 20).min(100);
    let mut service = TestService::builder()
        .listen(free_address())
        .set("limits.requests_per_second=0")
        .start()
        .await;
    let fixture = Fixture::of(&service);
    let mut watcher = fixture.watch(&[]);
    let (folder, beside): (PathBuf, PathBuf) = (fixture.folder(), fixture.beside("outside"));
    let dropping = tokio::task::spawn_blocking(move || drop_all(&folder, &beside, number));

    let mut lines = Vec::new();
    let mut sent = 0;
    for kill in 0..kills {
        // So far in all; then, whatever is under way.
        let enough = number as u64 * (kill + 1) / (kills + 2);
        eventually("some more have arrived", async || {
            (service.count().await >= enough).then_some(())
        })
        .await;
        if kill % 2 == 0 {
            watcher.kill().await;
            lines.extend(watcher.lines());
            watcher = fixture.watch(&[]);
        } else {
            sent += times_sent(&service).await;
            service.kill().await;
            service.restart().await;
            sent -= times_sent(&service).await.min(sent);
        }
    }
    dropping.await.expect("no panic");
    eventually("nothing waits any more", async || {
        (service.count().await >= number as u64 && fixture.rows(0) == 0).then_some(())
    })
    .await;
    watcher.kill().await;
    lines.extend(watcher.lines());

    // Each 201 makes an image, and none was deleted.
    assert_eq!(service.count().await, number as u64);
    assert_eq!(fixture.rows(2), number as i64);
    let mut times: HashMap<String, u32> = HashMap::new();
    for line in &lines {
        assert!(
            ["uploaded", "already_there"].contains(&line["status"].as_str().unwrap_or("")),
            "{line}"
        );
        *times.entry(line["file"].to_string()).or_default() += 1;
    }
    let twice: Vec<_> = times.iter().filter(|(_, times)| **times > 1).collect();
    assert!(twice.is_empty(), "reported twice: {twice:?}");
    // A kill may come between an image's end and the line about it; two are
    // under way at once.
    assert!(
        times.len() as u64 + kills * 2 >= number as u64,
        "{}",
        times.len()
    );
    sent += times_sent(&service).await;
    // A killed service has lost the counts of its last second at most, and a
    // try that was cut off is sent again.
    assert!(sent <= number as u64 + kills * 2, "{sent} were sent");
    println!(
        "{number} pictures, {kills} kills: all arrived once, {sent} sent, {} reported",
        times.len()
    );
}
