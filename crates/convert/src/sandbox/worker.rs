//! The caller's side of a decoder process: it is started, gets the source, answers, and is killed
//! when it takes too long.

use std::io::BufReader;
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, Once, PoisonError};
use std::time::Duration;

use super::super::ConvertError;
use super::super::limits::Limits;
use super::wire::{self, DecoderAnswer, Head};
use super::{DecodedFrame, Decoding, Task};
#[cfg(windows)]
use crate::job::Job;

/// A header takes no longer.
const HEADER_WITHIN: Duration = Duration::from_secs(15);
/// Nor a frame, after what came before it. The largest picture of all takes a tenth of it.
const FRAME_WITHIN: Duration = Duration::from_secs(60);

/// A running decoder process that has sent the content of the header. It is killed when this is dropped.
pub(crate) struct Worker {
    pub(super) head: Head,
    stdin: ChildStdin,
    answers: DecoderAnswers,
}

/// The end of the pipe that answers come out of.
struct DecoderAnswers {
    from: BufReader<ChildStdout>,
    child: Arc<Mutex<Child>>,
    /// What the watch waits for; dropped, it ends.
    alive: Option<Sender<Sign>>,
    /// What it ends with, and what limits it.
    #[cfg(windows)]
    job: Option<Job>,
}

impl Worker {
    /// Starts the program on these bytes and reads the header.
    ///
    /// # Errors
    /// What the decoder answers, or that it died of the image; [`ConvertError::Internal`] when it
    /// cannot be started.
    pub(super) fn start(program: &Path, source: &[u8], task: &Task) -> Result<Self, ConvertError> {
        Self::start_within(HEADER_WITHIN, program, source, task)
    }

    /// The same with another time limit for the header.
    fn start_within(
        within: Duration,
        program: &Path,
        source: &[u8],
        task: &Task,
    ) -> Result<Self, ConvertError> {
        let mut command = Command::new(program);
        command
            .args(task.words())
            // It ends with this process, also when this one dies before it starts.
            .arg(format!("--wanted-by={}", std::process::id()))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            // What it prints as it dies is of no use: the image is broken.
            .stderr(Stdio::null())
            // Its arguments are all that it needs.
            .env_clear();
        // Windows finds its own libraries by this one.
        if let Some(root) = std::env::var_os("SystemRoot") {
            command.env("SystemRoot", root);
        }
        let internal = |error: std::io::Error| {
            ConvertError::Internal(format!("no decoder could be started: {error}"))
        };
        #[cfg(windows)]
        porchlight_api::windows::without_console(&mut command);
        let mut child = command.spawn().map_err(internal)?;
        // It waits for the source, and ends by itself when this process ends before the next line.
        #[cfg(windows)]
        let job = confined(&child, task.memory);
        let (stdin, stdout) = (child.stdin.take(), child.stdout.take());
        let (Some(mut stdin), Some(stdout)) = (stdin, stdout) else {
            return Err(ConvertError::Internal("a decoder without pipes".into()));
        };
        let child = Arc::new(Mutex::new(child));
        let mut answers = DecoderAnswers {
            from: BufReader::with_capacity(1 << 16, stdout),
            alive: Some(watch(&child)?),
            child,
            #[cfg(windows)]
            job,
        };
        // It answers nothing before it has read all. One that died of something earlier is found
        // out below.
        let _ = wire::write_source(&mut stdin, source);
        let mut answer = answers.next(within, None)?;
        if let DecoderAnswer::Unconfined(reason) = answer {
            warn_once(&reason);
            answer = answers.next(within, None)?;
        }
        let limits = Limits::new(task.max_pixels, task.max_animation_pixels);
        Ok(Self {
            head: head_of(answer, &limits)?,
            stdin,
            answers,
        })
    }

    /// Has the pixels decoded, in an address space of `memory` bytes.
    ///
    /// # Errors
    /// See [`Worker::start`].
    pub(super) fn decode(
        self,
        memory: u64,
        limits: &Limits,
    ) -> Result<Decoding<'static>, ConvertError> {
        self.decode_within(FRAME_WITHIN, memory, limits)
    }

    /// The same with another time limit for each frame.
    fn decode_within(
        mut self,
        within: Duration,
        memory: u64,
        limits: &Limits,
    ) -> Result<Decoding<'static>, ConvertError> {
        self.answers.allow(memory);
        // One that has died is found out below.
        let _ = wire::write_go_on(&mut self.stdin);
        let mut answers = self.answers;
        let head = head_of(answers.next(within, None)?, limits)?;
        let shape = |head: &Head| (head.width, head.height, head.frames, head.channels);
        if shape(&head) != shape(&self.head) {
            return Err(ConvertError::invalid("its pixels are not as announced"));
        }
        let known = head.clone();
        let mut ended = false;
        let frames = move || -> Result<Option<DecodedFrame>, ConvertError> {
            if ended {
                return Ok(None);
            }
            match answers.next(within, Some(&known))? {
                DecoderAnswer::Frame(shown) => Ok(Some(shown)),
                DecoderAnswer::End => {
                    ended = true;
                    Ok(None)
                }
                _ => Err(ConvertError::invalid("a decoder without an end")),
            }
        };
        Ok(Decoding {
            head,
            frames: Box::new(frames),
        })
    }
}

fn head_of(answer: DecoderAnswer, limits: &Limits) -> Result<Head, ConvertError> {
    let DecoderAnswer::Head(head) = answer else {
        return Err(ConvertError::invalid("a decoder without a head"));
    };
    limits.check_frame(head.width, head.height)?;
    Ok(head)
}

/// Puts a decoder that has just started into a job of its own. Where the system refuses that, it is
/// used all the same, as on systems without jobs.
#[cfg(windows)]
fn confined(child: &Child, memory: u64) -> Option<Job> {
    let job = Job::new().and_then(|job| {
        job.confine(memory)?;
        job.take(child)?;
        Ok(job)
    });
    job.inspect_err(|error| warn_once(&error.to_string())).ok()
}

/// The reason is the same for each image.
fn warn_once(reason: &str) {
    static WARNED: Once = Once::new();
    WARNED.call_once(|| {
        tracing::warn!(
            ?reason,
            "the processes that decode AVIF and JPEG XL are not confined"
        );
    });
}

impl DecoderAnswers {
    /// The next answer. `head` is needed to read a frame.
    fn next(
        &mut self,
        within: Duration,
        head: Option<&Head>,
    ) -> Result<DecoderAnswer, ConvertError> {
        // The watch may have given up already, and then the answer shows it.
        let send = |sign| self.alive.as_ref().map(|alive| alive.send(sign));
        let _ = send(Sign::Waiting(within));
        let answer = wire::read(&mut self.from, head);
        let _ = send(Sign::Answered);
        match answer {
            Ok(DecoderAnswer::Refused(error)) => Err(error),
            Ok(answer) => Ok(answer),
            Err(_) => Err(ConvertError::invalid("its decoder died of it")),
        }
    }
}

impl DecoderAnswers {
    /// Raises the limit of the address space by this much, up to the process's own maximum.
    #[cfg(target_os = "linux")]
    fn allow(&self, memory: u64) {
        use rustix::process::{Pid, Resource, Rlimit, getrlimit, prlimit};

        use super::{MAX_MEMORY, address_space};

        let child = self.child.lock().unwrap_or_else(PoisonError::into_inner);
        let memory = address_space(&child.id().to_string()) + memory;
        // The child has this process's own limit, where that is lower.
        let most = getrlimit(Resource::As).maximum;
        let most = most.map_or(MAX_MEMORY, |most| most.min(MAX_MEMORY));
        // Where it is refused, the decoder has less memory than it may need, and reports it.
        let _ = prlimit(
            Some(Pid::from_child(&child)),
            Resource::As,
            Rlimit {
                current: Some(memory.min(most)),
                maximum: Some(most),
            },
        );
    }

    /// The same of the memory that it has.
    #[cfg(windows)]
    fn allow(&self, memory: u64) {
        let memory = super::PROCESS + memory;
        let job = self.job.as_ref();
        // Where it is refused, the decoder has less memory than it may need, and reports it.
        let _ = job.map(|job| job.confine(memory.min(super::MAX_MEMORY)));
    }

    #[cfg(not(any(target_os = "linux", windows)))]
    fn allow(&self, _memory: u64) {}
}

impl Drop for DecoderAnswers {
    fn drop(&mut self) {
        self.alive = None;
        let mut child = self.child.lock().unwrap_or_else(PoisonError::into_inner);
        // Gone already, in the best case; waited for in each, so that nothing of it is left.
        let _ = child.kill();
        let _ = child.wait();
    }
}

/// What the watch over a decoder learns.
#[derive(Clone, Copy)]
enum Sign {
    /// An answer is expected within this time.
    Waiting(Duration),
    /// It came; the time until the next one is expected does not count.
    Answered,
}

/// Kills the child when it is waited for and does not answer for too long.
fn watch(child: &Arc<Mutex<Child>>) -> Result<Sender<Sign>, ConvertError> {
    let (alive, signs) = channel();
    let watched = Arc::clone(child);
    let watch = move || {
        // It reads the source first.
        let mut sign = Sign::Waiting(HEADER_WITHIN);
        loop {
            let next = match sign {
                Sign::Waiting(within) => signs.recv_timeout(within),
                Sign::Answered => signs.recv().map_err(|_| RecvTimeoutError::Disconnected),
            };
            match next {
                Ok(next) => sign = next,
                Err(RecvTimeoutError::Disconnected) => return,
                Err(RecvTimeoutError::Timeout) => {
                    let mut child = watched.lock().unwrap_or_else(PoisonError::into_inner);
                    let _ = child.kill();
                    return;
                }
            }
        }
    };
    let started = std::thread::Builder::new()
        .name("decoder's watch".to_owned())
        .spawn(watch);
    match started {
        Ok(_) => Ok(alive),
        Err(error) => {
            let mut child = child.lock().unwrap_or_else(PoisonError::into_inner);
            let _ = child.kill();
            let _ = child.wait();
            let why = format!("a decoder could not be watched: {error}");
            Err(ConvertError::Internal(why))
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::sync::mpsc::channel;

    use porchlight_test_harness::files::script;
    use tempfile::TempDir;

    use super::*;
    use crate::orientation::Orientation;
    use crate::picture::Channels;

    const TASK: Task = Task {
        max_pixels: 100,
        max_animation_pixels: 100,
        memory: 1 << 30,
    };

    /// A decoder that reads nothing, sends this and then nothing.
    fn silent_after(sent: &[u8]) -> (TempDir, std::path::PathBuf) {
        let folder = tempfile::tempdir().expect("a folder");
        let (answer, program) = (folder.path().join("answer"), folder.path().join("decoder"));
        std::fs::write(&answer, sent).expect("a file");
        let lines = format!("cat '{}'\nexec sleep 600\n", answer.display());
        script(&program, &lines);
        (folder, program)
    }

    /// What comes of it, unless that takes far longer than it may.
    fn in_time<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
        let (done, result) = channel();
        std::thread::spawn(move || done.send(work()));
        let result = result.recv_timeout(Duration::from_secs(30));
        result.expect("it is waited for without an end")
    }

    #[test]
    fn a_decoder_that_gives_no_header_in_time_is_ended() {
        let (_folder, program) = silent_after(b"");
        let patience = Duration::from_millis(100);
        let started = in_time(move || Worker::start_within(patience, &program, b"", &TASK).err());
        assert_eq!(
            started,
            Some(ConvertError::invalid("its decoder died of it"))
        );
    }

    #[test]
    fn a_decoder_that_could_not_be_confined_is_used_all_the_same() {
        let mut sent = Vec::new();
        wire::write_unconfined(&mut sent, "an old kernel").expect("bytes");
        wire::write_error(&mut sent, &ConvertError::TooLarge).expect("bytes");
        let (_folder, program) = silent_after(&sent);
        let started = in_time(move || Worker::start(&program, b"", &TASK).err());
        assert_eq!(started, Some(ConvertError::TooLarge));
    }

    #[test]
    fn a_decoder_that_gives_no_frame_in_time_is_ended() {
        let head = Head {
            width: 2,
            height: 2,
            frames: 1,
            plays: 1,
            orientation: Orientation::UPRIGHT,
            channels: Channels::Rgb,
            sixteen: false,
            lossy: false,
            profile: None,
        };
        let mut sent = Vec::new();
        for _ in 0..2 {
            wire::write_head(&mut sent, &head).expect("bytes");
        }
        let (_folder, program) = silent_after(&sent);
        let (read, frame) = in_time(move || {
            let worker = Worker::start(&program, b"", &TASK).expect("a head");
            let (read, limits) = (worker.head.clone(), Limits::new(100, 100));
            let patience = Duration::from_millis(100);
            let decoding = worker.decode_within(patience, 1 << 30, &limits);
            let mut decoding = decoding.expect("the head of the pixels");
            (read, (decoding.frames)().err())
        });
        assert_eq!(read, head);
        assert_eq!(frame, Some(ConvertError::invalid("its decoder died of it")));
    }
}
