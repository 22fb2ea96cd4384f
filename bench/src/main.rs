//! What `cargo xtask bench` measures: the release binary beside programs that
//! are known to be good at the same thing, in turns, on the same machine, in
//! the same minutes. The numbers that count are the ratios.
#![allow(
    clippy::print_stdout,
    reason = "what is measured is printed for the person who asked"
)]

mod lookups;
mod memory;
mod rows;
mod serve;
mod service;
mod start;
mod table;
mod upload;
#[cfg(target_os = "linux")]
mod window;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Result, bail};
use clap::Parser;
use serde_json::Value;
use xshell::{Shell, cmd};

/// `PORCHLIGHT_PROGRAM` names the release binary.
#[derive(Parser)]
struct Arguments {
    /// The release binary of the tray app; the window's part needs it
    #[arg(long)]
    desktop: Option<PathBuf>,
    /// Where pictures are kept between runs, and all else while it is measured
    #[arg(long)]
    folder: PathBuf,
    /// Fail when an aim is missed
    #[arg(long)]
    enforce: bool,
    /// What is measured: serve, upload, start, memory, window
    parts: Vec<String>,
}

/// Measures and prints; whether the run is to count as good.
#[tokio::main]
async fn main() -> Result<ExitCode> {
    let arguments = Arguments::parse();
    // On the same disk as the checkout: a folder in memory would make syncing free.
    let mut folder = tempfile::Builder::new();
    let folder = folder.prefix("run-").tempdir_in(&arguments.folder)?;
    let folder = folder.path();
    let photographs = arguments.folder.join("photographs");
    let mut lines = Vec::new();
    for part in &arguments.parts {
        let measured = match part.as_str() {
            "serve" => {
                let look_ups = lookups::measure(folder).await?;
                [serve::measure(folder).await?, look_ups].concat()
            }
            "upload" => upload::measure(folder, &photographs).await?,
            "start" => start::measure(folder).await?,
            "memory" => memory::measure(folder, &photographs).await?,
            #[cfg(target_os = "linux")]
            "window" => window::measure(arguments.desktop.as_deref()).await?,
            other => bail!("{other} is not measured here"),
        };
        // At once, since a later part may fail.
        println!("\n{}\n", table::print(&measured));
        lines.extend(measured);
    }
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    println!("{cores} cores, {}", std::env::consts::ARCH);
    let missed = lines.iter().filter(|line| line.is_missed()).count();
    println!("{missed} of {} aims are missed.", lines.len());
    Ok(ExitCode::from(u8::from(missed > 0 && arguments.enforce)))
}

/// What sharp answers to a command.
fn sharp(command: &str, words: &Value) -> Result<Value> {
    let sh = Shell::new()?;
    sh.change_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/sharp"));
    let words = words.to_string();
    let printed = cmd!(sh, "node convert.mjs {command} {words}")
        .quiet()
        .read()?;
    Ok(serde_json::from_str(&printed)?)
}
