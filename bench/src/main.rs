//! What `cargo xtask bench` measures: the release binary beside programs that
//! are known to be good at the same thing, in turns, on the same machine, in
//! the same minutes. The numbers that count are the ratios.
#![allow(
    clippy::print_stdout,
    reason = "what is measured is printed for the person who asked"
)]

mod growth;
mod memory;
mod rows;
mod serve;
mod service;
mod sockets;
mod start;
mod table;
mod upload;
#[cfg(target_os = "linux")]
mod window;

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use clap::{Parser, ValueEnum};

/// A failure is a sentence for the person who ran it.
type Result<T> = std::result::Result<T, Box<dyn Error + Send + Sync>>;

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
    /// What is measured
    parts: Vec<Part>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Part {
    /// Requests a second, beside nginx
    Serve,
    /// Images to WebP, beside sharp
    Upload,
    /// From the start of the process to the first image
    Start,
    /// The same calls at a thousand images and at a million
    Growth,
    /// Many large photographs at once
    Memory,
    /// A thousand sockets of Lanyard's protocol
    Sockets,
    /// What the tray app and its window cost
    Window,
}

#[tokio::main]
async fn main() -> ExitCode {
    match measure(&Arguments::parse()).await {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(failure) => {
            eprintln!("\nerror: {failure}");
            ExitCode::from(2)
        }
    }
}

/// Measures and prints; whether the run is to count as good.
async fn measure(arguments: &Arguments) -> Result<bool> {
    // On the same disk as the checkout: a folder in memory would make syncing free.
    let mut folder = tempfile::Builder::new();
    let folder = folder.prefix("run-").tempdir_in(&arguments.folder)?;
    let folder = folder.path();
    let photographs = arguments.folder.join("photographs");
    let mut lines = Vec::new();
    for part in &arguments.parts {
        let measured = match part {
            Part::Serve => serve::measure(folder).await?,
            Part::Upload => upload::measure(folder, &photographs).await?,
            Part::Start => start::measure(folder).await?,
            Part::Growth => growth::measure(folder).await?,
            Part::Memory => memory::measure(folder, &photographs).await?,
            Part::Sockets => sockets::measure(folder).await?,
            #[cfg(target_os = "linux")]
            Part::Window => window::measure(arguments.desktop.as_deref()).await?,
            #[cfg(not(target_os = "linux"))]
            Part::Window => return Err("the window is measured on Linux".into()),
        };
        // At once, since a later part may fail.
        println!("\n{}\n", table::print(&measured));
        lines.extend(measured);
    }
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    println!("{cores} cores, {}", std::env::consts::ARCH);
    let missed = lines.iter().filter(|line| line.is_missed()).count();
    println!("{missed} of {} aims are missed.", lines.len());
    Ok(missed == 0 || !arguments.enforce)
}

/// What a program prints that is over at once. Fails when it does.
fn output(command: &mut Command) -> Result<String> {
    let output = command
        .output()
        .map_err(|error| format!("{command:?}: {error}"))?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    if output.status.success() {
        return Ok(text);
    }
    let text = text + &String::from_utf8_lossy(&output.stderr);
    Err(format!("{command:?} failed ({}): {text}", output.status).into())
}

/// What sharp answers to a command.
fn sharp(command: &str, words: &serde_json::Value) -> Result<serde_json::Value> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("sharp");
    let mut node = Command::new("node");
    let node = node.arg("convert.mjs").arg(command).arg(words.to_string());
    Ok(serde_json::from_str(&output(node.current_dir(folder))?)?)
}
