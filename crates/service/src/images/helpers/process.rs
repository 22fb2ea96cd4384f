//! One helper process, from the outside.

use std::path::Path;
use std::process::Stdio;
use std::sync::Once;
use std::time::Duration;

use porchlight_convert::ConvertError;
use porchlight_convert::helper::{ARGUMENT, Answer, Done, Head, MAX_HEAD, Task, head};
use tokio::fs::File;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader, copy};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::time::timeout;

use super::{Picture, internal};

/// No WebP is longer, in bytes: one that claims more comes from a process that is no longer ours.
const MAX_ANSWER: u64 = 1 << 30;

/// What Rust writes before it aborts.
const OUT_OF_MEMORY: &str = "memory allocation of";

/// Why there is no answer.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Died {
    OfMemory,
    /// It was killed, because nothing came from it for too long.
    Silent,
    Other,
}

/// A running helper process. It is killed when this is dropped.
pub(super) struct Process {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    /// Whether it may read fonts.
    pub(super) fonts: bool,
    /// How many it was given.
    pub(super) pictures: u32,
    /// What it ends with, and what limits it.
    #[cfg(windows)]
    _job: Option<porchlight_convert::job::Job>,
}

impl Process {
    pub(super) fn start(program: &Path, memory: u64, fonts: bool) -> Result<Self, ConvertError> {
        let mut command = Command::new(program);
        command
            .arg(ARGUMENT)
            .arg(format!("--memory={memory}"))
            .arg(format!("--started-by={}", std::process::id()))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            // Its arguments are all that it needs, but for where fonts are and, on Windows, its libraries.
            .env_clear();
        let mut kept = vec!["SystemRoot"];
        if fonts {
            command.arg("--fonts");
            kept.extend(["HOME", "XDG_DATA_HOME", "XDG_DATA_DIRS", "LOCALAPPDATA"]);
        }
        for name in kept {
            if let Some(value) = std::env::var_os(name) {
                command.env(name, value);
            }
        }
        #[cfg(windows)]
        crate::files::windows::without_console(command.as_std_mut());
        let mut child = command.spawn().map_err(internal)?;
        #[cfg(windows)]
        let _job = confined(&child, memory);
        let (input, output) = (child.stdin.take(), child.stdout.take());
        let (Some(input), Some(output)) = (input, output) else {
            return Err(internal("a process without pipes"));
        };
        Ok(Self {
            child,
            input,
            output: BufReader::new(output),
            fonts,
            pictures: 0,
            #[cfg(windows)]
            _job,
        })
    }

    /// Has it do a task. `patience` is how long nothing may come from it.
    pub(super) async fn work(
        &mut self,
        task: &Task,
        picture: &Picture<'_>,
        patience: Duration,
    ) -> Result<Result<(Done, Vec<u8>), ConvertError>, Died> {
        self.pictures += 1;
        match timeout(patience, self.send(task, picture)).await {
            // Of a part, the answer shows what it died of.
            Ok(Sent::Whole | Sent::Part) => {}
            Ok(Sent::Unreadable(error)) => return Ok(Err(error)),
            Err(_) => return Err(Died::Silent),
        }
        // The time of the processor that it had had at its last sign of life, and when that was last looked at.
        let mut then = self.processor_time();
        let mut seen = then;
        loop {
            if timeout(patience, self.output.fill_buf()).await.is_err() {
                let now = self.processor_time();
                if !is_slowed_down(then, seen, now, patience) {
                    return Err(Died::Silent);
                }
                seen = now;
                continue;
            }
            let Ok(answer) = timeout(patience, self.answer()).await else {
                return Err(Died::Silent);
            };
            then = self.processor_time();
            seen = then;
            match answer {
                Ok((Answer::Started(reason), _)) => warn_once(reason.as_deref()),
                Ok((Answer::Working, _)) => {}
                Ok((Answer::Done(done), bytes)) => return Ok(Ok((done, bytes))),
                Ok((Answer::Failed(error), _)) => return Ok(Err(error)),
                Err(_) => return Err(self.died().await),
            }
        }
    }

    async fn send(&mut self, task: &Task, picture: &Picture<'_>) -> Sent {
        let send = async {
            match picture {
                Picture::Bytes(bytes) => {
                    let head = head(task, bytes.len() as u64)?;
                    self.input.write_all(&head).await?;
                    self.input.write_all(bytes).await?;
                }
                Picture::File(path) => {
                    let file = File::open(path).await;
                    let opened = match file {
                        Ok(file) => file.metadata().await.map(|about| (file, about.len())),
                        Err(error) => Err(error),
                    };
                    let (mut file, length) = match opened {
                        Ok(opened) => opened,
                        Err(error) => return Ok(Sent::Unreadable(internal(error))),
                    };
                    self.input.write_all(&head(task, length)?).await?;
                    copy(&mut file, &mut self.input).await?;
                }
            }
            self.input.flush().await?;
            std::io::Result::Ok(Sent::Whole)
        };
        send.await.unwrap_or(Sent::Part)
    }

    /// The time of the processor that it has had. `None` where the system does not show it.
    fn processor_time(&self) -> Option<Duration> {
        let path = format!("/proc/{}/schedstat", self.child.id()?);
        let text = std::fs::read_to_string(path).ok()?;
        let nanoseconds = text.split_whitespace().next()?.parse().ok()?;
        Some(Duration::from_nanos(nanoseconds))
    }

    async fn answer(&mut self) -> std::io::Result<(Answer, Vec<u8>)> {
        let size = self.output.read_u32_le().await?;
        let mut json = vec![0; size.min(MAX_HEAD) as usize];
        self.output.read_exact(&mut json).await?;
        let Head { message, length } = serde_json::from_slice(&json)?;
        let mut bytes = Vec::new();
        let mut body = (&mut self.output).take(length.min(MAX_ANSWER));
        if body.read_to_end(&mut bytes).await? as u64 != length {
            return Err(std::io::ErrorKind::UnexpectedEof.into());
        }
        Ok((message, bytes))
    }

    /// What it died of, by what it wrote last.
    async fn died(&mut self) -> Died {
        let _ = self.child.start_kill();
        let mut said = String::new();
        if let Some(errors) = self.child.stderr.take() {
            let _ = errors.take(1 << 16).read_to_string(&mut said).await;
        }
        let status = self.child.wait().await;
        tracing::debug!(?status, said, "a helper process died");
        if said.contains(OUT_OF_MEMORY) {
            Died::OfMemory
        } else {
            Died::Other
        }
    }
}

/// Whether a process is silent because others keep it from the processor: it has had some of its time since
/// it was `seen`, and less than its patience allows since its last sign of life, `then`.
pub(super) fn is_slowed_down(
    then: Option<Duration>,
    seen: Option<Duration>,
    now: Option<Duration>,
    patience: Duration,
) -> bool {
    let (Some(then), Some(seen), Some(now)) = (then, seen, now) else {
        return false;
    };
    now.saturating_sub(seen) > patience / 100 && now.saturating_sub(then) < patience
}

/// What the process was given.
enum Sent {
    Whole,
    /// It no longer reads.
    Part,
    Unreadable(ConvertError),
}

/// The reason is the same for each process.
fn warn_once(reason: Option<&str>) {
    static WARNED: Once = Once::new();
    if let Some(reason) = reason {
        WARNED.call_once(|| {
            tracing::warn!(
                reason,
                "the processes that convert pictures are not confined"
            );
        });
    }
}

/// Puts a process that has just started into a job of its own. Where the system refuses that, it is
/// used all the same, as on systems without jobs.
#[cfg(windows)]
fn confined(child: &Child, memory: u64) -> Option<porchlight_convert::job::Job> {
    /// What any process takes.
    const PROCESS: u64 = 512 << 20;
    let job = porchlight_convert::job::Job::new().and_then(|job| {
        job.confine(PROCESS + memory)?;
        let process = child.raw_handle().ok_or(std::io::ErrorKind::NotFound)?;
        job.take_process(process)?;
        Ok(job)
    });
    job.inspect_err(|error| warn_once(Some(&error.to_string())))
        .ok()
}
