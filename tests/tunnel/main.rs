//! The tunnel end to end: real ones where available (OpenSSH, bore), and a
//! stand-in for cloudflared. The service is the real binary.
#![cfg(target_os = "linux")]

mod bore;
mod cloudflared;
mod command;
mod programs;
mod proxy;
mod ssh;

use harness::edge;
use porchlight_test_harness as harness;
use std::path::Path;

use harness::{TestService, eventually};

/// The address in the last line of the log for a tunnel that is up, when there
/// are at least this many.
async fn up(service: &TestService, times: usize) -> String {
    let what = format!("up for the {times}. time: {}", service.stderr());
    eventually(&what, async || {
        let log = service.stderr();
        let addresses = log
            .lines()
            .filter_map(|line| Some(line.split_once("the tunnel: up at ")?.1.trim().to_owned()));
        let addresses: Vec<String> = addresses.collect();
        (addresses.len() >= times).then(|| addresses.last().cloned())?
    })
    .await
}

/// Waits until the log contains this.
async fn wait_for_log(service: &TestService, text: &str) {
    eventually(text, async || service.stderr().contains(text).then_some(())).await;
}

/// The settings of a code block of `docs/permanent-address.md`, those of the section
/// `[tunnel]` in the first block with this word in it.
fn documented(word: &str) -> toml::Table {
    let text = std::fs::read_to_string(
        Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/permanent-address.md"),
    )
    .expect("the document");
    let block = text
        .split("```toml\n")
        .skip(1)
        .filter_map(|rest| rest.split("```").next())
        .find(|block| block.contains(word))
        .unwrap_or_else(|| panic!("no settings with {word}"));
    let table: toml::Table = block.parse().expect("TOML");
    table["tunnel"].as_table().expect("a section").clone()
}
