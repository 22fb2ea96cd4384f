//! Bounded attacks on the real program, while a reader requests `/check` all the time. Refusals are
//! counted; a 5xx, a request that is wrongly accepted, and memory above the limit are failures.
//!
//! Each attack runs once in `cargo xtask test`. `cargo xtask soak hostile`
//! repeats them against the release build for `PORCHLIGHT_HOSTILE_SECONDS` seconds.

mod access;
mod bombs;
mod caller;
mod connections;
mod forms;
mod heartbeats;
mod limits;
/// As Linux shows processes and files to other users.
#[cfg(target_os = "linux")]
mod other_users;
mod oversized_images;
mod picgo;
mod reader;
mod renditions;
mod report;
mod requests;
mod target;

use porchlight_test_harness as harness;
use std::time::{Duration, Instant};

use reader::Observer;
use report::Report;
use target::Target;

/// The maximum growth of the service's memory without conversions, in bytes.
const GROWTH: u64 = 100 << 20;
/// The maximum total memory while images are converted, in bytes.
const WITH_CONVERSIONS: u64 = 416 << 20;

/// How long the attacks are repeated; `None` runs each once.
fn duration() -> Option<Duration> {
    let seconds = std::env::var("PORCHLIGHT_HOSTILE_SECONDS").ok()?;
    Some(Duration::from_secs(seconds.parse().expect("whole seconds")))
}

/// Runs every attack once, one after the other.
async fn round(target: &Target, report: &Report, observer: &Observer) {
    macro_rules! attack {
        ($name:literal, $attack:expr) => {
            observer.now($name);
            let began = Instant::now();
            $attack.await;
            report.took($name, began.elapsed());
            report.lived($name, target).await;
        };
    }
    attack!("cors", access::pages(target, report));
    attack!("auth", access::tokens(target, report));
    attack!("limits", limits::attack(target, report));
    attack!("paths", requests::paths(target, report));
    attack!("raw http", requests::smuggling(target, report));
    attack!("ranges", requests::ranges(target, report));
    attack!("ip", requests::addresses(target, report));
    attack!("heartbeat", heartbeats::attack(target, report));
    attack!("picgo", picgo::attack(target, report));
    #[cfg(target_os = "linux")]
    attack!("perms", other_users::attack(target, report));
    attack!("multipart", forms::attack(target, report));
    attack!("refused body", connections::refused_bodies(target, report));
    attack!("loris", connections::half_heads(target, report));
    attack!("narrow", renditions::attack(target, report));
    attack!("bombs", bombs::attack(target, report));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn attacks_are_refused_and_a_reader_beside_them_is_served() {
    let duration = duration();
    let target = Target::start(duration.is_some()).await;
    let report = Report::default();
    let observer = Observer::start(&target);
    let began = Instant::now();
    let trickled = duration.map(|_| forms::trickle(&target));
    loop {
        round(&target, &report, &observer).await;
        if duration.is_none_or(|duration| began.elapsed() >= duration) {
            break;
        }
    }
    if let Some(trickled) = trickled {
        observer.now("trickled form");
        forms::trickled(trickled, &report).await;
    }
    let seen = observer.stop();
    seen.judge(&report, GROWTH, WITH_CONVERSIONS);
    report.print(&seen, began.elapsed());
    let broken = report.broken();
    assert!(
        broken.is_empty(),
        "rules that were broken:\n{}\n{}",
        broken.join("\n"),
        target.service.stderr()
    );
}
