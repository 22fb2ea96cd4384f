//! sharp, which uploads are compared with: one Node.js process that gets
//! commands and measures itself, so that its start does not count.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{ChildStdin, Command, Stdio};
use std::sync::mpsc::Receiver;
use std::time::Duration;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::Result;
use crate::child::Running;

/// No command takes this long.
const ANSWERS_WITHIN: Duration = Duration::from_secs(300);

/// The running process.
pub(crate) struct Sharp {
    // Dropped first: without it the process has nothing more to do.
    commands: ChildStdin,
    answers: Receiver<String>,
    _running: Running,
}

/// What turning files into WebP came to.
#[derive(Debug, Clone, Copy, Deserialize)]
pub(crate) struct Converted {
    pub(crate) seconds: f64,
    /// Of all WebP files together.
    pub(crate) bytes: u64,
}

#[derive(Deserialize)]
struct Versions {
    sharp: String,
    vips: String,
}

#[derive(Deserialize)]
struct Nothing {}

impl Sharp {
    /// Starts it.
    ///
    /// # Errors
    /// When Node.js is not there.
    pub(crate) fn start(folder: &Path) -> Result<Self> {
        let mut running = Running::start(
            Command::new("node")
                .arg("convert.mjs")
                .current_dir(folder)
                .stdin(Stdio::piped())
                .stdout(Stdio::piped()),
        )?;
        let commands = running.child.stdin.take().expect("a pipe");
        let answers = running.lines();
        Ok(Self {
            commands,
            answers,
            _running: running,
        })
    }

    /// `sharp 0.35.5 (libvips 8.18.7)`.
    pub(crate) fn versions(&mut self) -> Result<String> {
        let Versions { sharp, vips } = self.ask(&json!({ "command": "versions" }))?;
        Ok(format!("sharp {sharp} (libvips {vips})"))
    }

    /// Makes a JPEG of raw RGB.
    pub(crate) fn jpeg(
        &mut self,
        raw: &Path,
        (width, height): (usize, usize),
        quality: u8,
        out: &Path,
    ) -> Result<()> {
        let command = json!({
            "command": "jpeg",
            "raw": absolute(raw)?,
            "width": width,
            "height": height,
            "quality": quality,
            "out": absolute(out)?,
        });
        self.ask::<Nothing>(&command).map(drop)
    }

    /// The pixels of a file as a PNG.
    pub(crate) fn png(&mut self, file: &Path, out: &Path) -> Result<()> {
        let command = json!({ "command": "png", "file": absolute(file)?, "out": absolute(out)? });
        self.ask::<Nothing>(&command).map(drop)
    }

    /// Converts files to lossy WebP, two at a time, each with so many threads: the first to
    /// `0.webp`, and so on.
    pub(crate) fn webp(
        &mut self,
        files: &[PathBuf],
        folder: &Path,
        quality: u8,
        threads: usize,
    ) -> Result<Converted> {
        self.convert(files, folder, quality, false, threads)
    }

    /// The same, near-lossless.
    pub(crate) fn near_lossless(
        &mut self,
        files: &[PathBuf],
        folder: &Path,
        quality: u8,
    ) -> Result<Converted> {
        self.convert(files, folder, quality, true, 1)
    }

    fn convert(
        &mut self,
        files: &[PathBuf],
        folder: &Path,
        quality: u8,
        near_lossless: bool,
        threads: usize,
    ) -> Result<Converted> {
        let files: Vec<_> = files
            .iter()
            .map(|file| absolute(file))
            .collect::<Result<_>>()?;
        self.ask(&json!({
            "command": "webp",
            "files": files,
            "folder": absolute(folder)?,
            "quality": quality,
            "nearLossless": near_lossless,
            "atOnce": 2,
            "threads": threads,
        }))
    }

    fn ask<A: DeserializeOwned>(&mut self, command: &Value) -> Result<A> {
        writeln!(self.commands, "{command}")?;
        let answer = self
            .answers
            .recv_timeout(ANSWERS_WITHIN)
            .map_err(|_| "sharp does not answer: is `npm ci` done in its folder?")?;
        let answer: Value = serde_json::from_str(&answer)?;
        if let Some(Value::String(error)) = answer.get("error") {
            return Err(format!("sharp: {error}").into());
        }
        Ok(serde_json::from_value(answer)?)
    }
}

/// It runs in its own folder.
fn absolute(path: &Path) -> Result<PathBuf> {
    Ok(std::path::absolute(path)?)
}
