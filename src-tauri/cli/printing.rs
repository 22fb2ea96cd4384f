//! How commands print: results to standard output, and a progress bar on a terminal.

use std::io::{self, IsTerminal as _, Write as _};

use anyhow::anyhow;
use indicatif::{ProgressBar, ProgressStyle};
use porchlight_service::upkeep::{Cancelled, Problem};

/// How far it is: a bar on a terminal, nothing elsewhere.
pub(super) struct Bar(ProgressBar);

impl Bar {
    /// A bar with a word for the work in progress.
    pub(super) fn new(what: &'static str, json: bool) -> Self {
        let bar = if json || !io::stderr().is_terminal() {
            ProgressBar::hidden()
        } else {
            ProgressBar::new(0)
        };
        let style = ProgressStyle::with_template("{msg} {wide_bar} {pos}/{len} {eta}")
            .unwrap_or_else(|_| ProgressStyle::default_bar());
        bar.set_style(style);
        bar.set_message(what);
        Self(bar)
    }

    /// Shows how many of all are done.
    pub(super) fn progress(&self) -> impl Fn(u64, u64) -> Result<(), Cancelled> + Send + Sync {
        |done, total| {
            self.0.set_length(total);
            self.0.set_position(done);
            Ok(())
        }
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.0.finish_and_clear();
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
    let mut out = io::stdout().lock();
    let printed = writeln!(out, "{line}").and_then(|()| out.flush());
    printed.map_err(|error| anyhow!("standard output: {error}"))
}

/// `1 image`, `2 images`.
pub(super) fn images(count: u64) -> String {
    if count == 1 {
        "1 image".to_owned()
    } else {
        format!("{count} images")
    }
}
