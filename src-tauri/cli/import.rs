//! `porchlight import`: the images of another server of the interface, with
//! their names and dates.

use std::io::{self, IsTerminal as _};
use std::time::Duration;

use clap::Args;
use clap::builder::RangedU64ValueParser;
use indicatif::{BinaryBytes, ProgressBar, ProgressStyle};
use porchlight_service::error::message::Message;
use porchlight_service::text::image_hash::ImageHash;
use porchlight_service::upkeep::import::{self, Event, Order};
use serde::Serialize;

use super::opened::Opened;
use super::printing::{is_on_terminal, print, print_error};
use super::shown::printable;
use super::{Invocation, UsageError};

/// What `import` takes.
#[derive(Args)]
pub(super) struct Options {
    /// The other server
    #[arg(long, value_name = "URL")]
    // Read here and not by clap, which would repeat a secret that is in it.
    from: String,

    /// The other server is in a network of your own, though its name is neither
    /// localhost nor ends in .local, and may send on to addresses there
    #[arg(long)]
    private: bool,

    /// Images that are fetched at once
    #[arg(long, value_name = "N", default_value_t = 4,
        value_parser = RangedU64ValueParser::<usize>::new().range(1..=32))]
    concurrent: usize,

    /// How often what may pass is tried again
    #[arg(long, value_name = "N", default_value_t = 3,
        value_parser = clap::value_parser!(u32).range(0..=100))]
    retries: u32,

    /// Seconds that one try may take
    #[arg(long, value_name = "SECONDS", default_value_t = 60,
        value_parser = clap::value_parser!(u64).range(1..=86_400))]
    timeout: u64,

    /// A line of JSON for each image, and one for all of them at the end
    #[arg(long)]
    json: bool,
}

/// Imports; `false` where an image is missing.
pub(super) async fn run(invocation: Invocation, options: Options) -> anyhow::Result<bool> {
    let from = options.from.parse();
    let from = from.map_err(|why: Message| UsageError(format!("--from: {why}")))?;
    let opened = Opened::by(&invocation).await?;
    let order = Order {
        from,
        private: options.private,
        concurrent: options.concurrent,
        retries: options.retries,
        timeout: Duration::from_secs(options.timeout),
    };
    let mut reporter = Reporter::new(options.json);
    let images = opened.service.images();
    let ended = import::import(images, &order, |event| reporter.report(&event)).await;
    opened.close().await;
    Ok(reporter.end(ended.err()))
}

/// Prints the progress: a bar on a terminal, a line for each image elsewhere, JSON
/// for scripts.
struct Reporter {
    json: bool,
    lines: bool,
    bar: Option<ProgressBar>,
    summary: Summary,
}

/// How it went in all.
#[derive(Debug, Default, Serialize)]
struct Summary {
    imported: u64,
    second_names: u64,
    already_here: u64,
    failed: u64,
    /// Of the imported, as they came.
    bytes: u64,
    /// Imported images whose time could not be read; they are as of now.
    without_date: u64,
    /// Why not all was tried.
    stopped: Option<String>,
}

/// The last line of JSON.
#[derive(Serialize)]
struct Last<'a> {
    summary: &'a Summary,
}

/// One line of JSON.
#[derive(Default, Serialize)]
struct Line<'a> {
    hash: &'a str,
    status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    of: Option<ImageHash>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bytes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
}

impl Reporter {
    fn new(json: bool) -> Self {
        let bar = (!json && is_on_terminal() && io::stderr().is_terminal()).then(|| {
            let bar = ProgressBar::new(0);
            if let Ok(style) =
                ProgressStyle::with_template("{bar:30} {pos} of {len}  {elapsed} {msg}")
            {
                bar.set_style(style);
            }
            bar
        });
        Self {
            json,
            lines: !is_on_terminal(),
            bar,
            summary: Summary::default(),
        }
    }

    fn report(&mut self, event: &Event) {
        if let (Some(bar), Event::Listed(total)) = (&self.bar, event) {
            bar.set_length(*total);
        }
        let name = match event {
            Event::Listed(_) => return,
            Event::Imported { hash, .. }
            | Event::SecondName { hash, .. }
            | Event::AlreadyHere(hash) => hash.to_string(),
            Event::Failed { name, .. } => printable(name),
        };
        let line = self.counted(event, &name);
        if self.json {
            if let Ok(text) = serde_json::to_string(&line) {
                let _ = print(&text);
            }
            return;
        }
        if let Some(bar) = &self.bar {
            bar.inc(1);
        }
        let text = match event {
            Event::Failed { why, .. } => {
                let text = format!("failed  {name}: {}", printable(&why.to_string()));
                match &self.bar {
                    Some(bar) => bar.println(text),
                    None => print_error(&text),
                }
                return;
            }
            Event::SecondName { of, .. } => format!("second name  {name}  of {of}"),
            Event::AlreadyHere(_) => format!("already here  {name}"),
            _ => format!("imported  {name}"),
        };
        if self.lines {
            let _ = print(&text);
        }
    }

    /// Counts it; what it is for scripts.
    fn counted<'a>(&mut self, event: &'a Event, name: &'a str) -> Line<'a> {
        let mut line = Line {
            hash: name,
            ..Line::default()
        };
        let summary = &mut self.summary;
        match event {
            Event::Listed(_) => {}
            Event::Imported { bytes, dated, .. } => {
                summary.imported += 1;
                summary.bytes += bytes;
                summary.without_date += u64::from(!dated);
                (line.status, line.bytes) = ("imported", Some(*bytes));
            }
            Event::SecondName { of, .. } => {
                summary.second_names += 1;
                (line.status, line.of) = ("second_name", Some(*of));
            }
            Event::AlreadyHere(_) => {
                summary.already_here += 1;
                line.status = "already_here";
            }
            Event::Failed { why, .. } => {
                summary.failed += 1;
                (line.status, line.reason) = ("failed", Some(why.to_string()));
            }
        }
        line
    }

    /// Prints the summary; whether all was imported.
    fn end(mut self, stopped: Option<Message>) -> bool {
        self.summary.stopped = stopped.map(|stopped| stopped.to_string());
        let summary = &self.summary;
        let well = summary.failed == 0 && summary.stopped.is_none();
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
        if !self.json {
            let _ = print(&summary.sentence());
        } else if let Ok(text) = serde_json::to_string(&Last { summary }) {
            let _ = print(&text);
        }
        if let Some(stopped) = &summary.stopped {
            print_error(&format!("porchlight: {}", printable(stopped)));
        }
        if !well {
            print_error("Run it again to go on: what is here is not fetched a second time.");
        }
        well
    }
}

impl Summary {
    fn sentence(&self) -> String {
        let mut text = format!(
            "{} imported ({}), {} second names, {} already here, {} failed",
            self.imported,
            BinaryBytes(self.bytes),
            self.second_names,
            self.already_here,
            self.failed,
        );
        if self.without_date > 0 {
            text += &format!(
                "; of {} the time could not be read, they are as of now",
                self.without_date
            );
        }
        text
    }
}
