//! What `porchlight upload` prints: a bar on a terminal, a line for each picture
//! elsewhere, JSON for scripts, and at the end how it went.

use std::ffi::OsStr;
use std::io::{self, IsTerminal as _, Write as _};
use std::process::ExitCode;

use indicatif::{BinaryBytes, ProgressBar, ProgressStyle};
use porchlight_service::uploads::client::{Event, FoundFile, Sources, Stopped};
use serde::Serialize;

use crate::cli::shown::{printable, shown};

pub(super) struct Reporter {
    form: Form,
    summary: Summary,
}

enum Form {
    Json,
    /// Lines on standard output where that is no terminal, and a bar on standard
    /// error where it is one.
    Text {
        lines: bool,
        bar: Option<ProgressBar>,
    },
}

/// How it went in all.
#[derive(Debug, Default, Serialize)]
struct Summary {
    uploaded: u64,
    already_there: u64,
    skipped: u64,
    failed: u64,
    /// Of the uploaded: their bytes here.
    bytes_before: u64,
    /// Of the uploaded: their stored bytes, as far as they were reported.
    bytes_after: u64,
    /// Why not all was tried.
    stopped: Option<String>,
}

/// The last line of JSON.
#[derive(Debug, Serialize)]
struct Last<'a> {
    summary: &'a Summary,
}

/// One line of JSON.
#[derive(Debug, Serialize)]
struct Line<'a> {
    file: &'a str,
    /// The name's own bytes, where they are no UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    file_bytes_hex: Option<String>,
    status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    hash: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bytes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stored_bytes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
}

impl Reporter {
    pub(super) fn new(json: bool, source: &Sources) -> Self {
        let form = if json {
            Form::Json
        } else {
            Form::Text {
                lines: !io::stdout().is_terminal(),
                bar: io::stderr().is_terminal().then(|| bar(source.clone())),
            }
        };
        Self {
            form,
            summary: Summary::default(),
        }
    }

    /// How one file ended.
    pub(super) fn report(&mut self, event: Event) {
        self.summary.count(&event);
        let text = match &self.form {
            Form::Json => json(&event),
            Form::Text { lines, bar } => {
                if let Some(bar) = bar
                    && !matches!(event, Event::Skipped)
                {
                    bar.inc(1);
                }
                if let Event::Failed { file, failure } = &event {
                    let text = format!(
                        "failed  {}: {}",
                        shown(file),
                        printable(&failure.to_string())
                    );
                    match bar {
                        Some(bar) => bar.println(text),
                        None => eprintln!("{text}"),
                    }
                }
                line(&event).filter(|_| *lines)
            }
        };
        if let Some(text) = text {
            print_line(&text);
        }
    }

    /// How it went; what it gives back is the exit code.
    pub(super) fn end(mut self, stopped: Option<Stopped>) -> ExitCode {
        self.summary.stopped = stopped.map(|stopped| stopped.to_string());
        let summary = &self.summary;
        let well = summary.failed == 0 && summary.stopped.is_none();
        match self.form {
            Form::Json => {
                if let Ok(text) = serde_json::to_string(&Last { summary }) {
                    print_line(&text);
                }
            }
            Form::Text { bar, .. } => {
                if let Some(bar) = bar {
                    bar.finish_and_clear();
                }
                print_line(&summary.sentence());
            }
        }
        if let Some(stopped) = &summary.stopped {
            eprintln!("porchlight: {}", printable(stopped));
        }
        if !well {
            eprintln!("Run it again to go on: what was taken is not sent a second time.");
        }
        ExitCode::from(u8::from(!well))
    }
}

impl Summary {
    fn count(&mut self, event: &Event) {
        match event {
            Event::Uploaded {
                bytes,
                stored_bytes,
                ..
            } => {
                self.uploaded += 1;
                self.bytes_before += bytes;
                self.bytes_after += stored_bytes.unwrap_or(0);
            }
            Event::AlreadyThere { .. } => self.already_there += 1,
            Event::Failed { .. } => self.failed += 1,
            Event::Skipped => self.skipped += 1,
        }
    }

    fn sentence(&self) -> String {
        format!(
            "{} uploaded ({} became {}), {} already there, {} skipped, {} failed",
            self.uploaded,
            BinaryBytes(self.bytes_before),
            BinaryBytes(self.bytes_after),
            self.already_there,
            self.skipped,
            self.failed,
        )
    }
}

/// A bar whose length grows with what a second look at the files finds, so that
/// no list of them has to be kept.
fn bar(source: Sources) -> ProgressBar {
    let bar = ProgressBar::new(0);
    if let Ok(style) = ProgressStyle::with_template("{bar:30} {pos} of {len}  {elapsed} {msg}") {
        bar.set_style(style);
    }
    let counted = bar.clone();
    std::thread::spawn(move || {
        let pictures = source
            .files()
            .filter(|found| !matches!(found, FoundFile::Skipped));
        pictures.for_each(|_| counted.inc_length(1));
    });
    bar
}

fn line(event: &Event) -> Option<String> {
    let (word, file, hash) = match event {
        Event::Uploaded { file, hash, .. } => ("uploaded", file, hash),
        Event::AlreadyThere { file, hash } => ("already there", file, hash),
        Event::Failed { .. } | Event::Skipped => return None,
    };
    Some(format!("{word}  {hash}  {}", shown(file)))
}

fn json(event: &Event) -> Option<String> {
    let (file, status) = match event {
        Event::Uploaded { file, .. } => (file, "uploaded"),
        Event::AlreadyThere { file, .. } => (file, "already_there"),
        Event::Failed { file, .. } => (file, "failed"),
        Event::Skipped => return None,
    };
    let mut line = Line {
        file: &file.to_string_lossy(),
        file_bytes_hex: file.to_str().is_none().then(|| hex(file.as_os_str())),
        status,
        hash: None,
        bytes: None,
        stored_bytes: None,
        reason: None,
    };
    match event {
        Event::Uploaded {
            hash,
            bytes,
            stored_bytes,
            ..
        } => {
            line.hash = Some(hash);
            line.bytes = Some(*bytes);
            line.stored_bytes = *stored_bytes;
        }
        Event::AlreadyThere { hash, .. } => line.hash = Some(hash),
        Event::Failed { failure, .. } => line.reason = Some(failure.to_string()),
        Event::Skipped => {}
    }
    serde_json::to_string(&line).ok()
}

fn hex(name: &OsStr) -> String {
    let bytes = name.as_encoded_bytes().iter();
    bytes.map(|byte| format!("{byte:02x}")).collect()
}

/// Whoever closed standard output does not want it.
fn print_line(text: &str) {
    let mut out = io::stdout().lock();
    let written = writeln!(out, "{text}").and_then(|()| out.flush());
    if let Err(error) = written {
        tracing::debug!(%error, "standard output is closed");
    }
}
