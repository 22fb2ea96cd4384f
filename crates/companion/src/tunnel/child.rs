//! The tunnel's program while it runs.

use std::io;
use std::path::Path;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use tokio::io::{AsyncBufReadExt as _, AsyncRead, BufReader};
use tokio::process::{Child, ChildStdin, Command};
use tokio::sync::mpsc;

use super::Holder;
use super::plan::Plan;

/// What was told to end has so long to do it.
const ENDS_WITHIN: Duration = Duration::from_secs(5);
/// Of a line that is longer, the rest is not looked at.
const LONGEST_LINE: usize = 4096;

/// The program, held by a process that ends it with this one.
pub(super) struct Running {
    child: Child,
    /// Open for as long as the program is to run.
    input: Option<ChildStdin>,
}

impl Running {
    /// Starts it; what it prints comes line by line, without colours.
    ///
    /// # Errors
    /// When the system refuses.
    pub(super) fn start(
        holder: &Holder,
        program: &Path,
        plan: &Plan,
    ) -> io::Result<(Self, mpsc::Receiver<String>)> {
        let mut child = Command::new(&holder.program)
            .args(&holder.arguments)
            .arg(program)
            .args(plan.words.iter().skip(1))
            .envs(plan.environment())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        let (send, lines) = mpsc::channel(64);
        if let Some(out) = child.stdout.take() {
            tokio::spawn(read(out, send.clone()));
        }
        if let Some(out) = child.stderr.take() {
            tokio::spawn(read(out, send));
        }
        let input = child.stdin.take();
        Ok((Self { child, input }, lines))
    }

    /// Done when it has ended by itself.
    pub(super) async fn ended(&mut self) -> io::Result<ExitStatus> {
        self.child.wait().await
    }

    /// Ends it and waits until it is gone.
    pub(super) async fn end(mut self) {
        drop(self.input.take());
        if tokio::time::timeout(ENDS_WITHIN, self.child.wait())
            .await
            .is_err()
        {
            tracing::warn!("the tunnel's program did not end when told, and is killed");
            let _ = self.child.kill().await;
        }
    }
}

/// Hands on what is printed, line by line.
async fn read(out: impl AsyncRead + Unpin, lines: mpsc::Sender<String>) {
    let mut out = BufReader::new(out);
    let mut line = Vec::new();
    loop {
        line.clear();
        match out.read_until(b'\n', &mut line).await {
            Ok(0) | Err(_) => return,
            Ok(_) => {}
        }
        line.truncate(LONGEST_LINE);
        let plain = strip_ansi_escapes::strip(&line);
        let plain = String::from_utf8_lossy(&plain).trim().to_owned();
        // Nobody listens: it is read on all the same, or the program would
        // stop at a full pipe.
        if !plain.is_empty() {
            let _ = lines.send(plain).await;
        }
    }
}
