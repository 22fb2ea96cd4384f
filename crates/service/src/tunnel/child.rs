//! The tunnel's program while it runs.

use std::io;
use std::path::Path;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use tokio::io::{AsyncBufRead, AsyncBufReadExt as _, AsyncRead, BufReader};
use tokio::process::{Child, ChildStdin, Command};
use tokio::sync::mpsc;

use super::Holder;
use super::plan::Plan;

const ENDS_WITHIN: Duration = Duration::from_secs(5);
/// The start of the names of Porchlight's variables: tokens, and settings that can be secrets.
const OWN_VARIABLES: &str = "PORCHLIGHT_";
/// The rest of a longer line is ignored.
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
        let mut command = Command::new(&holder.program);
        // A separate process group: signals from a terminal, such as Ctrl-C,
        // reach only us, and we end the holder.
        #[cfg(unix)]
        command.process_group(0);
        #[cfg(windows)]
        crate::files::windows::without_console(command.as_std_mut());
        withhold_secrets(&mut command);
        if let Some(name) = plan.withheld {
            command.env_remove(name);
        }
        let mut child = command
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
            tracing::warn!("the tunnel's program did not end in time, and is killed");
            let _ = self.child.kill().await;
        }
    }
}

/// Removes Porchlight's secrets from the environment of a program before it is started. Variables
/// for the program are set afterwards.
fn withhold_secrets(command: &mut Command) {
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy().to_ascii_uppercase();
        if text.starts_with(OWN_VARIABLES) {
            command.env_remove(name);
        }
    }
}

/// Hands on what is printed, line by line.
async fn read(out: impl AsyncRead + Unpin, lines: mpsc::Sender<String>) {
    let mut out = BufReader::new(out);
    let mut line = Vec::new();
    loop {
        line.clear();
        match read_line(&mut out, &mut line).await {
            Ok(true) => {}
            Ok(false) | Err(_) => return,
        }
        let plain = strip_ansi_escapes::strip(&line);
        let plain = String::from_utf8_lossy(&plain).trim().to_owned();
        // Without a receiver it is still read, or the program would block on a
        // full pipe.
        if !plain.is_empty() {
            let _ = lines.send(plain).await;
        }
    }
}

/// Reads to the end of a line and keeps its start. A carriage return ends a
/// line too. False at the end of the stream.
async fn read_line(out: &mut (impl AsyncBufRead + Unpin), line: &mut Vec<u8>) -> io::Result<bool> {
    let mut read_some = false;
    loop {
        let ready = out.fill_buf().await?;
        if ready.is_empty() {
            return Ok(read_some);
        }
        read_some = true;
        let end = ready.iter().position(|byte| matches!(byte, b'\n' | b'\r'));
        let part = &ready[..end.unwrap_or(ready.len())];
        let room = LONGEST_LINE.saturating_sub(line.len());
        line.extend_from_slice(&part[..part.len().min(room)]);
        let taken = part.len() + usize::from(end.is_some());
        out.consume(taken);
        if end.is_some() {
            return Ok(true);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{LONGEST_LINE, read_line};

    #[tokio::test]
    async fn lines_end_at_cr_or_lf_and_keep_only_their_start() {
        let long = "x".repeat(3 * LONGEST_LINE);
        let text = format!("one\rtwo\n{long}\nlast");
        let mut out = tokio::io::BufReader::with_capacity(100, text.as_bytes());
        let mut lines = Vec::new();
        let mut line = Vec::new();
        while read_line(&mut out, &mut line).await.expect("bytes") {
            lines.push(String::from_utf8(std::mem::take(&mut line)).expect("text"));
        }
        assert_eq!(lines, ["one", "two", &long[..LONGEST_LINE], "last"]);
    }
}
