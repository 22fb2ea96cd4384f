//! How busy the processor is on Windows, from the times that the system counts. Performance counters
//! know it, too, but are slow to open, damaged on some machines and missing in Wine.

#![allow(unsafe_code, reason = "no library among ours reads these times")]

use windows_sys::Win32::Foundation::FILETIME;
use windows_sys::Win32::System::Threading::GetSystemTimes;

/// The times at the last reading, of all processors together; `None` where the system refused.
pub(super) struct ProcessorTimes(Option<Times>);

/// In units of 100 ns.
#[derive(Debug, Clone, Copy)]
struct Times {
    idle: u64,
    all: u64,
}

impl ProcessorTimes {
    pub(super) fn now() -> Self {
        Self(read())
    }

    /// How busy it was since the last reading, in percent; `None` where that is not known.
    pub(super) fn busy_since(&mut self) -> Option<f32> {
        let now = read();
        let before = std::mem::replace(&mut self.0, now)?;
        busy(before, now?)
    }
}

fn read() -> Option<Times> {
    let mut times = [FILETIME::default(); 3];
    let [idle, kernel, user] = &mut times;
    // SAFETY: it writes to these three.
    if unsafe { GetSystemTimes(idle, kernel, user) } == 0 {
        return None;
    }
    let [idle, kernel, user] =
        times.map(|time| u64::from(time.dwHighDateTime) << 32 | u64::from(time.dwLowDateTime));
    // That of the kernel contains the idle one.
    let all = kernel.checked_add(user)?;
    Some(Times { idle, all })
}

fn busy(before: Times, now: Times) -> Option<f32> {
    let all = now.all.checked_sub(before.all).filter(|all| *all > 0)?;
    let idle = now.idle.saturating_sub(before.idle).min(all);
    #[allow(
        clippy::cast_precision_loss,
        reason = "a percentage is shown without decimals"
    )]
    Some((all - idle) as f32 * 100.0 / all as f32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_part_that_was_not_idle_was_busy() {
        let times = |idle, all| Times { idle, all };
        assert_eq!(busy(times(50, 100), times(75, 200)), Some(75.0));
        assert_eq!(busy(times(50, 100), times(50, 100)), None);
        // Clocks that disagree do not make it negative.
        assert_eq!(busy(times(50, 100), times(900, 200)), Some(0.0));
    }

    #[test]
    fn the_system_counts_its_times() {
        let mut times = ProcessorTimes::now();
        let until = std::time::Instant::now() + std::time::Duration::from_millis(300);
        while std::time::Instant::now() < until {
            std::hint::spin_loop();
        }
        let busy = times.busy_since().expect("times");
        assert!(busy > 0.0 && busy <= 100.0, "{busy}");
    }
}
