//! The limits that a helper process sets itself before it reads its first picture.

use super::Limits;

/// Seconds of the processor for all its pictures together: far more than they take.
#[cfg(unix)]
const PROCESSOR: u64 = 3_600;

/// Limits memory and processor time, and forbids core dumps, writing files and child processes.
/// False when the process that started this one has gone.
#[cfg(unix)]
pub(super) fn apply(limits: &Limits) -> bool {
    use rustix::process::{Resource, Rlimit, getppid, getrlimit, setrlimit};

    #[cfg(target_os = "linux")]
    {
        use rustix::process::{Signal, set_parent_process_death_signal};
        // Where it is refused, the process still ends with its input.
        let _ = set_parent_process_death_signal(Some(Signal::KILL));
    }
    for (resource, limit) in [
        (Resource::As, address_space() + limits.memory),
        (Resource::Core, 0),
        (Resource::Fsize, 0),
        (Resource::Nproc, 0),
        (Resource::Cpu, PROCESSOR),
    ] {
        let most = getrlimit(resource).maximum;
        let [current, maximum] = [Some(most.map_or(limit, |most| most.min(limit))); 2];
        // Where the system does not keep such a limit, the limits of the decoders are left.
        let _ = setrlimit(resource, Rlimit { current, maximum });
    }
    // One that died before the system was asked to end this process with it, ends nothing.
    let parent = getppid().map(|parent| parent.as_raw_nonzero().get());
    parent.is_some_and(|parent| u32::try_from(parent) == Ok(limits.started_by))
}

/// On Windows the job of the process that started it has them; before that, its input ends with it.
#[cfg(not(unix))]
pub(super) fn apply(_limits: &Limits) -> bool {
    true
}

/// The address space that this process has now, in bytes; 0 where the system does not show it. The
/// libraries of the window are part of each helper of the tray app, and take more than half a GiB.
#[cfg(unix)]
fn address_space() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let size = status.lines().find_map(|line| line.strip_prefix("VmSize:"));
    let kib = size.and_then(|size| size.trim().strip_suffix(" kB")?.parse::<u64>().ok());
    kib.map_or(0, |kib| kib << 10)
}

/// From here on this process can read its input, write its output, and no more, but for the files of fonts.
/// Why that failed, if it did.
#[cfg(target_os = "linux")]
pub(super) fn confine(fonts: bool) -> Option<String> {
    let mut readable = Vec::new();
    if fonts {
        let list = crate::svg::fonts();
        readable = list
            .faces()
            .filter_map(|face| match &face.source {
                resvg::usvg::fontdb::Source::File(path)
                | resvg::usvg::fontdb::Source::SharedFile(path, _) => path.parent(),
                resvg::usvg::fontdb::Source::Binary(_) => None,
            })
            .map(std::path::Path::to_owned)
            .collect();
        readable.sort();
        readable.dedup();
    }
    super::confine::confine(&readable).err()
}

#[cfg(not(target_os = "linux"))]
pub(super) fn confine(_fonts: bool) -> Option<String> {
    None
}
