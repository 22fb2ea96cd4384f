//! Runs Pillow in a separate process and compares one image at a time.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde::Deserialize;

/// The maximum mean difference of a channel (0 to 255) between a lossy image and its source.
const MOST: f64 = 6.0;
/// The tolerance for frame times, which some formats round, in milliseconds.
const ROUNDED: u64 = 10;

/// The result for one file of the corpus.
#[derive(Debug)]
pub(crate) enum Verdict {
    /// Rejected, with this status.
    Refused(u16),
    /// Taken, and Pillow does not decode it.
    Unreadable(String),
    /// Equal to Pillow's decoding.
    Same,
    /// Different, with a description.
    Differs(String),
}

/// One answer of `compare.py`.
#[derive(Debug, Deserialize)]
struct Compared {
    unreadable: Option<String>,
    broken: Option<String>,
    #[serde(default)]
    frames: u64,
    #[serde(default)]
    stored_frames: u64,
    #[serde(default)]
    size: [u32; 2],
    #[serde(default)]
    stored_size: [u32; 2],
    difference: Option<f64>,
    #[serde(default)]
    worst_frame: u64,
    #[serde(default)]
    durations: Vec<u64>,
    #[serde(default)]
    stored_durations: Vec<u64>,
}

impl Compared {
    fn verdict(self) -> Verdict {
        if let Some(why) = self.unreadable {
            return Verdict::Unreadable(why);
        }
        if let Some(why) = self.broken {
            return Verdict::Differs(format!("what is stored is not decoded: {why}"));
        }
        let Some(difference) = self.difference else {
            let words = format!("{:?} became {:?}", self.size, self.stored_size);
            return Verdict::Differs(words);
        };
        if difference > MOST {
            let words = format!(
                "a mean difference of {difference} in frame {} of {} ({} stored)",
                self.worst_frame, self.frames, self.stored_frames
            );
            return Verdict::Differs(words);
        }
        let times = self.durations.iter().zip(&self.stored_durations);
        for (number, (wanted, given)) in times.enumerate() {
            if wanted.abs_diff(*given) > ROUNDED * (number as u64 + 1) {
                return Verdict::Differs(format!(
                    "frame {number} ends at {given}, not {wanted} ms"
                ));
            }
        }
        Verdict::Same
    }
}

/// A running `compare.py`; dropping it ends it.
pub(crate) struct Pillow {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Pillow {
    /// Starts it with this Python.
    pub(crate) fn start(python: &Path) -> Self {
        let mut child = Command::new(python)
            .arg(super::own("compare.py"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("Python with Pillow");
        let input = child.stdin.take().expect("a pipe");
        let output = BufReader::new(child.stdout.take().expect("a pipe"));
        Self {
            child,
            input,
            output,
        }
    }

    /// Compares what is stored with its source.
    pub(crate) fn compare(&mut self, source: &Path, stored: &Path) -> Verdict {
        writeln!(self.input, "{}\t{}", source.display(), stored.display()).expect("it reads");
        let mut line = String::new();
        self.output.read_line(&mut line).expect("it answers");
        let compared: Compared = serde_json::from_str(&line)
            .unwrap_or_else(|error| panic!("{}: {line:?}: {error}", source.display()));
        compared.verdict()
    }
}

impl Drop for Pillow {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
