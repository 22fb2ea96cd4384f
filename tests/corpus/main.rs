//! The test files of Pillow, more than a thousand, many of which have broken decoders. Each is
//! uploaded; for those that are accepted, the stored image is compared with Pillow's decoding of
//! the source, frame by frame, over black and over white.
//!
//! `cargo xtask soak corpus` downloads the files and Pillow and runs this.
#![cfg(target_os = "linux")]

mod compared;
mod known;

use porchlight_test_harness as harness;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use compared::{Pillow, Verdict};
use harness::memory::memory_of;
use harness::{TestService, answer, files};
use reqwest::StatusCode;

/// The maximum memory of the service and its children, in bytes.
const MEMORY: u64 = 416 << 20;
/// With fewer files, the corpus is not the one that the table describes.
const FILES: usize = 1_000;

/// A variable that `cargo xtask soak corpus` sets.
fn path(variable: &str) -> PathBuf {
    std::env::var_os(variable)
        .unwrap_or_else(|| panic!("{variable} is not set: run `cargo xtask soak corpus`"))
        .into()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs files and Pillow, which `cargo xtask soak corpus` downloads"]
#[allow(
    clippy::print_stdout,
    reason = "the numbers are what a long run is for"
)]
async fn every_picture_is_answered_and_stored_as_another_decoder_sees_it() {
    let corpus = path("PORCHLIGHT_CORPUS");
    let sources = files::below(&corpus);
    assert!(sources.len() >= FILES, "only {} files", sources.len());
    let service = TestService::start(&["limits.requests_per_second=0"]).await;
    let watched = Watched::start(service.pid());
    let stored = tempfile::tempdir().expect("a folder");
    let mut pillow = Pillow::start(&path("PORCHLIGHT_PILLOW"));
    let mut statuses: BTreeMap<u16, usize> = BTreeMap::new();
    let mut verdicts: Vec<(String, Verdict)> = Vec::new();
    for source in &sources {
        let name = source.strip_prefix(&corpus).expect("below it");
        let name = name.to_string_lossy().into_owned();
        let bytes = std::fs::read(source).expect("readable");
        let (status, body) = answer(service.upload(bytes).await).await;
        *statuses.entry(status).or_default() += 1;
        assert!(status < 500, "{name}: {status}: {body}");
        let hash = match status {
            201 => &body["hash"],
            409 => &body["existingHash"],
            _ => {
                verdicts.push((name, Verdict::Refused(status)));
                continue;
            }
        };
        let file = stored.path().join("stored.webp");
        let webp = service.webp(hash.as_str().expect("a hash")).await;
        std::fs::write(&file, webp).expect("to write");
        verdicts.push((name, pillow.compare(source, &file)));
    }
    let most = watched.stop();
    println!("{} files, {} MiB at most", sources.len(), most >> 20);
    for (status, number) in &statuses {
        let status = StatusCode::from_u16(*status).expect("a status");
        println!("  {status}: {number}");
    }
    let wrong = known::judge(&verdicts);
    assert!(most <= MEMORY, "{} MiB", most >> 20);
    assert!(
        wrong.is_empty(),
        "unexpected differences:\n{}",
        wrong.join("\n")
    );
}

/// Samples the memory of a process.
struct Watched {
    stop: std::sync::mpsc::Sender<()>,
    thread: std::thread::JoinHandle<u64>,
}

impl Watched {
    fn start(pid: u32) -> Self {
        const EVERY: std::time::Duration = std::time::Duration::from_millis(20);
        let (stop, stopped) = std::sync::mpsc::channel();
        let thread = std::thread::spawn(move || {
            let mut most = 0;
            while stopped.recv_timeout(EVERY) == Err(std::sync::mpsc::RecvTimeoutError::Timeout) {
                most = most.max(memory_of(pid));
            }
            most
        });
        Self { stop, thread }
    }

    /// The highest sample.
    fn stop(self) -> u64 {
        drop(self.stop);
        self.thread.join().expect("no panic")
    }
}

/// The folder of this test's own files.
fn own(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/corpus")
        .join(name)
}
