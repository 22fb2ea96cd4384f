//! The service is killed again and again while images come in by every way:
//! all arrive, each once.
//!
//! Some hundred images and ten kills here; `cargo xtask soak` has ten thousand
//! (`PORCHLIGHT_DROPPED`).

use std::collections::HashMap;
use std::io::Write as _;
use std::path::Path;

use crate::harness::eventually;
use crate::{Fixture, picture};

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
async fn everything_arrives_once_while_the_service_is_killed() {
    let number = dropped(200);
    let kills = (number / 20).min(100);
    let fixture = Fixture::new();
    let mut watcher = fixture.watch(&["limits.requests_per_second=0"]).await;
    let (folder, beside) = (fixture.folder(), fixture.beside("outside"));
    let dropping = tokio::task::spawn_blocking(move || drop_all(&folder, &beside, number));

    let mut outcomes = Vec::new();
    for kill in 0..kills {
        // So far in all; then, whatever is under way.
        let enough = number * (kill + 1) / (kills + 2);
        eventually("some more have arrived", async || {
            (watcher.service.count().await >= enough as u64).then_some(())
        })
        .await;
        watcher.service.kill().await;
        outcomes.extend(watcher.outcomes());
        watcher.restart(&[]).await;
    }
    dropping.await.expect("no panic");
    fixture.have(number as i64, 2).await;
    watcher.service.stop().await;
    outcomes.extend(watcher.outcomes());
    watcher.restart(&[]).await;
    // Each makes an image, and none was deleted.
    assert_eq!(watcher.service.count().await, number as u64);
    let mut times: HashMap<_, u32> = HashMap::new();
    for outcome in &outcomes {
        assert!(outcome.is_upload(), "{outcome:?}");
        *times.entry(&outcome.file).or_default() += 1;
    }
    let twice: Vec<_> = times.iter().filter(|(_, times)| **times > 1).collect();
    assert!(twice.is_empty(), "reported twice: {twice:?}");
    // A kill may come between an image's end and the line about it, or the record of it: then it
    // is uploaded again. As many are under way at once as there are helper processes.
    let at_once = std::thread::available_parallelism().map_or(1, |cores| cores.get().min(4));
    let again = outcomes
        .iter()
        .filter(|outcome| outcome.was_there())
        .count();
    assert!(again <= kills * at_once, "{again} were uploaded again");
    let reported = times.len();
    assert!(reported + kills * at_once >= number, "{reported}");
    println!(
        "{number} pictures, {kills} kills: all arrived once, {again} were uploaded again, {reported} reported"
    );
}
