//! What `cargo xtask bench` measures: the release binary beside programs that
//! are known to be good at the same thing, in turns, on the same machine, in
//! the same minutes. The numbers that count are the ratios.
#![allow(
    clippy::print_stdout,
    reason = "what is measured is printed for the person who asked"
)]

mod child;
mod cwebp;
mod figures;
mod growth;
mod latency;
mod list;
mod memory;
mod mixed;
mod nearness;
mod nginx;
mod packages;
mod photograph;
mod photographs;
mod pictures;
mod porchlight;
mod publishing;
mod quality;
mod rows;
mod serve;
mod sharp;
mod start;
mod table;
mod upload;
mod uploads;
#[cfg(target_os = "linux")]
mod window;
mod worker;
mod wrk;

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Parser, ValueEnum};

use crate::sharp::Sharp;
use crate::table::Line;

/// A failure is a sentence for the person who ran it.
type Result<T> = std::result::Result<T, Box<dyn Error + Send + Sync>>;

#[derive(Parser)]
struct Arguments {
    /// The release binary
    #[arg(long)]
    porchlight: PathBuf,
    /// The release binary of the tray app; the window's part needs it
    #[arg(long)]
    desktop: Option<PathBuf>,
    /// The folder of `convert.mjs`, with its packages installed
    #[arg(long)]
    sharp: PathBuf,
    /// The folder of the Worker, with its packages installed
    #[arg(long)]
    edge: PathBuf,
    /// Where images are kept between runs, and all else while it is measured
    #[arg(long)]
    folder: PathBuf,
    /// Measure this alone; can be given more than once
    #[arg(long, value_name = "PART")]
    only: Vec<Part>,
    /// Fail when an aim is missed
    #[arg(long)]
    enforce: bool,
}

/// What is measured, in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Part {
    /// Requests a second, beside nginx
    Serve,
    /// Images to WebP, beside sharp
    Upload,
    /// Screenshots, drawings, animations and phone JPEGs, beside sharp
    Mixed,
    /// How near WebP is to real photographs, beside cwebp and sharp
    Quality,
    /// From the start of the process to the first image
    Start,
    /// The list and the random image of a million
    List,
    /// The same calls at a thousand images and at a million
    Growth,
    /// Many large photographs at once
    Memory,
    /// What is written for an upload and for heartbeats while a snapshot is published
    Publishing,
    /// Requests a second through the Worker, beside the service
    Worker,
    /// What the tray app and its window cost
    Window,
}

/// What a part is given.
struct Place<'a> {
    /// The release binary.
    porchlight: &'a Path,
    /// The release binary of the tray app.
    desktop: Option<&'a Path>,
    /// The folder of `convert.mjs`.
    sharp: &'a Path,
    /// The folder of the Worker, with its packages installed.
    edge: &'a Path,
    /// Kept between runs.
    kept: &'a Path,
    /// Gone after this run. On the same disk as the checkout: a folder in
    /// memory would make syncing free.
    scratch: &'a Path,
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
    std::fs::create_dir_all(&arguments.folder)?;
    let scratch = tempfile::Builder::new()
        .prefix("run-")
        .tempdir_in(&arguments.folder)?;
    let place = Place {
        porchlight: &arguments.porchlight,
        desktop: arguments.desktop.as_deref(),
        sharp: &arguments.sharp,
        edge: &arguments.edge,
        kept: &arguments.folder,
        scratch: scratch.path(),
    };
    let parts = match arguments.only.as_slice() {
        [] => Part::value_variants(),
        some => some,
    };
    let mut lines: Vec<Line> = Vec::new();
    for part in parts {
        lines.extend(match part {
            Part::Serve => serve::measure(&place).await?,
            Part::Upload => upload::measure(&place).await?,
            Part::Mixed => mixed::measure(&place).await?,
            Part::Quality => quality::measure(&place).await?,
            Part::Start => start::measure(&place).await?,
            Part::List => list::measure(&place).await?,
            Part::Growth => growth::measure(&place).await?,
            Part::Memory => memory::measure(&place).await?,
            Part::Publishing => publishing::measure(&place).await?,
            Part::Worker => worker::measure(&place).await?,
            #[cfg(target_os = "linux")]
            Part::Window => window::measure(&place).await?,
            #[cfg(not(target_os = "linux"))]
            Part::Window => return Err("the window is measured on Linux".into()),
        });
    }
    println!("\n{}\n", table::print(&lines));
    println!("{}", machine(parts, &place)?);
    let missed = lines.iter().filter(|line| line.is_missed()).count();
    match missed {
        0 => println!("Every aim is reached."),
        1 => println!("One aim is missed."),
        _ => println!("{missed} aims are missed."),
    }
    Ok(missed == 0 || !arguments.enforce)
}

/// What was measured on and beside, in one line.
fn machine(parts: &[Part], place: &Place<'_>) -> Result<String> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let mut line = format!("{cores} cores, {}", std::env::consts::ARCH);
    if parts.contains(&Part::Serve) {
        line.push_str(&format!("; {}", nginx::version()?));
    }
    let with_sharp = [Part::Upload, Part::Mixed, Part::Quality];
    if with_sharp.iter().any(|part| parts.contains(part)) {
        line.push_str(&format!("; {}", Sharp::start(place.sharp)?.versions()?));
    }
    if parts.contains(&Part::Quality) || parts.contains(&Part::Mixed) {
        line.push_str(&format!("; {}", cwebp::version()?));
    }
    Ok(line + ".")
}
