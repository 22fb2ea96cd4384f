//! `porchlight decode-picture`: the program runs itself with this, once for each image of a format
//! that is decoded in a sandbox. Bytes come in, pixels go out; it may die in between.

use std::process::ExitCode;

use porchlight_convert::sandbox::{self, Task};

/// How much may come of it.
#[derive(clap::Args)]
pub(super) struct Bounds {
    #[arg(long)]
    max_pixels: u64,
    #[arg(long)]
    max_animation_pixels: u64,
    #[arg(long)]
    memory: u64,
    /// The process that wants the picture.
    #[arg(long)]
    wanted_by: u32,
}

/// Decodes standard input to standard output.
pub(super) fn run(bounds: &Bounds) -> ExitCode {
    limit_itself(bounds.memory);
    if !is_wanted(bounds.wanted_by) {
        return ExitCode::FAILURE;
    }
    let task = Task {
        max_pixels: bounds.max_pixels,
        max_animation_pixels: bounds.max_animation_pixels,
        memory: bounds.memory,
    };
    // From here on it can read its input, write its output, and no more.
    #[cfg(target_os = "linux")]
    let unconfined = sandbox::confine().err();
    #[cfg(not(target_os = "linux"))]
    let unconfined: Option<String> = None;
    let output = std::io::BufWriter::with_capacity(1 << 16, std::io::stdout().lock());
    match sandbox::decode(task, unconfined.as_deref(), std::io::stdin().lock(), output) {
        Ok(()) => ExitCode::SUCCESS,
        // Whoever wanted the picture has gone.
        Err(_) => ExitCode::FAILURE,
    }
}

/// Seconds of the processor: the longest animation takes a part of it.
#[cfg(unix)]
const PROCESSOR: u64 = 300;

/// Limits memory and processor time, and forbids core dumps, writing files and child processes.
/// Where the system supports it, the process ends with its parent.
#[cfg(unix)]
fn limit_itself(memory: u64) {
    use porchlight_convert::sandbox::MAX_MEMORY;
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

    #[cfg(target_os = "linux")]
    {
        // Where it is refused, the limit on the processor is left.
        let _ =
            rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::KILL));
    }
    let memory = sandbox::address_space("self") + memory;
    for (resource, now, most) in [
        (Resource::As, memory, MAX_MEMORY),
        (Resource::Core, 0, 0),
        (Resource::Fsize, 0, 0),
        (Resource::Nproc, 0, 0),
        (Resource::Cpu, PROCESSOR, PROCESSOR),
    ] {
        let most = getrlimit(resource)
            .maximum
            .map_or(most, |maximum| maximum.min(most));
        // Where the system does not keep such a limit, the limits of the decoders are left.
        let _ = setrlimit(
            resource,
            Rlimit {
                current: Some(now.min(most)),
                maximum: Some(most),
            },
        );
    }
}

/// Whether the one who wanted the picture is still there. One that dies before the system is asked
/// to end this process with it, ends nothing.
#[cfg(unix)]
fn is_wanted(by: u32) -> bool {
    let parent = rustix::process::getppid().map(|parent| parent.as_raw_nonzero().get());
    parent.is_some_and(|parent| u32::try_from(parent) == Ok(by))
}

/// On Windows it is in a job of its parent; before that, its input ends with it.
#[cfg(not(unix))]
fn is_wanted(_by: u32) -> bool {
    true
}

/// On Windows the parent's job has them.
#[cfg(not(unix))]
fn limit_itself(_memory: u64) {}
