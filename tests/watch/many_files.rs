//! Thousands of images at once: all arrive, and the service stays small.
//!
//! Some hundred here; `cargo xtask soak` drops ten thousand
//! (`PORCHLIGHT_DROPPED`).

use std::time::{Duration, Instant};

use crate::harness::pictures;
use crate::harness::process::peak_memory;
use crate::killed::dropped;
use crate::{Fixture, picture};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_folder_full_of_pictures_arrives_whole_and_memory_stays_flat() {
    let number = dropped(400);
    let fixture = Fixture::new();
    std::fs::create_dir(fixture.beside("full")).expect("a folder");
    for place in 0..number {
        let file = fixture.beside("full").join(format!("{place:05}.jpg"));
        std::fs::write(file, picture()).expect("a file");
    }
    let mut watcher = fixture.watching(&[]).await;
    let pid = watcher.service.pid();
    let before = peak_memory(pid);
    let began = Instant::now();
    // One after another, as a file manager moves them.
    for place in 0..number {
        let file = format!("{place:05}.jpg");
        std::fs::rename(
            fixture.beside("full").join(&file),
            fixture.folder().join(&file),
        )
        .expect("moved");
    }
    watcher.next_names(number).await;
    let took = began.elapsed();
    let most = peak_memory(pid);
    assert_eq!(watcher.service.count().await, number as u64 + 1);
    assert_eq!(watcher.outcomes().len(), number + 1);
    println!("{number} pictures in {took:.1?}: {before} bytes before, {most} at most");
    assert!(most - before < 64 << 20, "{before} bytes, then {most}");
}

/// By the queue of Linux.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_lost_event_is_found_by_a_scan() {
    use rustix::process::{Pid, Signal, kill_process};

    let queue = std::fs::read_to_string("/proc/sys/fs/inotify/max_queued_events");
    let queue: usize = queue.expect("inotify").trim().parse().expect("a number");
    let fixture = Fixture::new();
    let mut watcher = fixture.watching(&[]).await;
    let pid = Pid::from_raw(watcher.service.pid().cast_signed()).expect("a pid");
    // It is stopped, and the queue overflows with ignored files.
    kill_process(pid, Signal::STOP).expect("stopped");
    for place in 0..queue {
        let file = fixture.folder().join(format!(".{}", place % 10));
        std::fs::write(&file, "x").expect("a file");
        std::fs::remove_file(&file).expect("our file");
    }
    for name in ["a.jpg", "b.jpg"] {
        fixture.put(name);
    }
    std::fs::create_dir(fixture.folder().join("new")).expect("a folder");
    fixture.put("new/c.jpg");
    kill_process(pid, Signal::CONT).expect("continued");
    assert_eq!(watcher.next_names(3).await, ["a.jpg", "b.jpg", "c.jpg"]);
    // The folder whose event was lost is watched, too.
    fixture.put("new/d.jpg");
    assert_eq!(watcher.next().await.name(), "d.jpg");
}

/// A screenshot with this many windows, each of one colour, with lines as of
/// text.
fn screenshot(windows: u32) -> Vec<u8> {
    let mut screen = pictures::flat(1920, 1080, [40, 44, 52]);
    for _ in 0..windows {
        let colour = rand::random::<[u8; 3]>();
        let (left, top) = (rand::random_range(0..1500), rand::random_range(0..800));
        for y in top..top + 280 {
            for x in left..left + 420 {
                let is_text = y % 18 > 9 && rand::random_range(0..3) == 0;
                let shown = if is_text { [230, 230, 230] } else { colour };
                screen.put_pixel(x, y, image::Rgb(shown));
            }
        }
    }
    pictures::png(&screen)
}

/// From the end of its writing, on a machine that has nothing else to do. Windows does not say that a
/// file is closed, so it is watched for more than a second there.
const SOON: Duration = Duration::from_secs(if cfg!(windows) { 4 } else { 1 });
/// This many are timed; and where other tests and programs have slowed all of them down, more, up
/// to the second number.
const SCREENSHOTS: (usize, usize) = (5, 40);

#[tokio::test]
async fn a_screenshots_address_is_ready_within_a_second() {
    let fixture = Fixture::new();
    let mut watcher = fixture.watching(&[]).await;
    let mut times: Vec<Duration> = Vec::new();
    let (few, most) = SCREENSHOTS;
    while times.len() < few || (times.len() < most && times.iter().all(|time| *time >= SOON)) {
        let bytes = screenshot(12);
        let file = fixture.folder().join(format!("{}.png", times.len()));
        std::fs::write(file, bytes).expect("a file");
        let closed = Instant::now();
        watcher.next().await;
        times.push(closed.elapsed());
    }
    times.sort();
    println!("from the file to its address: {times:.2?}");
    assert!(times[0] < SOON, "{times:?}");
}
