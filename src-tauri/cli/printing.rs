//! How commands print: results to standard output, and a progress bar on a terminal; to their client
//! where they run in another process.

use std::io::{self, IsTerminal as _, Write as _};

use anyhow::anyhow;
use indicatif::{ProgressBar, ProgressStyle};
use porchlight_service::upkeep::{Cancelled, Problem};
use serde::{Deserialize, Serialize};
use tokio::sync::mpsc::UnboundedSender;

/// What a command prints that runs for a client.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Printed {
    /// A line of standard output.
    Out(String),
    /// A line of standard error.
    Error(String),
    /// How far the work with this word is.
    Progress { what: String, done: u64, of: u64 },
    /// The exit code; nothing comes after it.
    Ended(u8),
}

tokio::task_local! {
    /// Where a command prints that runs for a client.
    pub(super) static SINK: UnboundedSender<Printed>;
}

/// The sink of this command, where it runs for a client.
fn sink() -> Option<UnboundedSender<Printed>> {
    SINK.try_with(Clone::clone).ok()
}

/// How far it is: a bar on a terminal, nothing elsewhere.
pub(super) struct Bar {
    what: String,
    bar: ProgressBar,
    sink: Option<UnboundedSender<Printed>>,
    is_silent: bool,
}

impl Bar {
    /// A bar with a word for the work in progress.
    pub(super) fn new(what: impl Into<String>, json: bool) -> Self {
        let (what, sink) = (what.into(), sink());
        let bar = if json || sink.is_some() || !io::stderr().is_terminal() {
            ProgressBar::hidden()
        } else {
            ProgressBar::new(0)
        };
        let style = ProgressStyle::with_template("{msg} {wide_bar} {pos}/{len} {eta}")
            .unwrap_or_else(|_| ProgressStyle::default_bar());
        bar.set_style(style);
        bar.set_message(what.clone());
        Self {
            what,
            bar,
            sink,
            is_silent: json,
        }
    }

    /// Shows how many of all are done. A client that is gone cancels the work.
    pub(super) fn progress(&self) -> impl Fn(u64, u64) -> Result<(), Cancelled> + Send + Sync {
        |done, of| {
            self.bar.set_length(of);
            self.bar.set_position(done);
            let Some(sink) = &self.sink else {
                return Ok(());
            };
            if !self.is_silent {
                let what = self.what.clone();
                // Whether it is received is asked below.
                let _ = sink.send(Printed::Progress { what, done, of });
            }
            if sink.is_closed() {
                return Err(Cancelled);
            }
            Ok(())
        }
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// Prints what is wrong, one line each.
///
/// # Errors
/// When standard output is closed.
pub(super) fn print_problems(problems: &[Problem]) -> anyhow::Result<()> {
    for problem in problems {
        match &problem.mended {
            None => print(&format!("wrong: {}", problem.fault))?,
            Some(mended) => print(&format!("mended: {}; {mended}", problem.fault))?,
        }
    }
    Ok(())
}

/// Prints a report for scripts.
///
/// # Errors
/// When standard output is closed.
pub(super) fn print_json(report: &impl serde::Serialize) -> anyhow::Result<()> {
    print(&serde_json::to_string_pretty(report)?)
}

/// Prints one line.
///
/// # Errors
/// When standard output is closed.
pub(super) fn print(line: &str) -> anyhow::Result<()> {
    if let Some(sink) = sink() {
        let sent = sink.send(Printed::Out(line.to_owned()));
        return sent.map_err(|_| anyhow!("standard output: nobody reads it"));
    }
    let mut out = io::stdout().lock();
    let printed = writeln!(out, "{line}").and_then(|()| out.flush());
    printed.map_err(|error| anyhow!("standard output: {error}"))
}

/// Prints one line on standard error.
pub(super) fn print_error(line: &str) {
    match sink() {
        // Nobody may read it any more.
        Some(sink) => drop(sink.send(Printed::Error(line.to_owned()))),
        None => eprintln!("{line}"),
    }
}

/// Whether standard output is a terminal that shows a bar.
pub(super) fn is_on_terminal() -> bool {
    sink().is_none() && io::stdout().is_terminal()
}

/// `1 image`, `2 images`.
pub(super) fn images(count: u64) -> String {
    if count == 1 {
        "1 image".to_owned()
    } else {
        format!("{count} images")
    }
}
