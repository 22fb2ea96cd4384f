//! A job of Windows: its processes, and what these start, end when the last handle of it is closed.
//! The system closes handles with their process, however that ends.

#![allow(
    unsafe_code,
    reason = "no library among ours has jobs with a limit of memory"
)]

use std::io;
use std::os::windows::io::{AsHandle, AsRawHandle as _, FromRawHandle as _, OwnedHandle};
use std::ptr::null;

use windows_sys::Win32::Foundation::HANDLE;
use windows_sys::Win32::System::JobObjects::{
    AssignProcessToJobObject, CreateJobObjectW, JOB_OBJECT_LIMIT_ACTIVE_PROCESS,
    JOB_OBJECT_LIMIT_DIE_ON_UNHANDLED_EXCEPTION, JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE,
    JOB_OBJECT_LIMIT_PROCESS_MEMORY, JOBOBJECT_EXTENDED_LIMIT_INFORMATION,
    JobObjectExtendedLimitInformation, SetInformationJobObject,
};
use windows_sys::Win32::System::Threading::GetCurrentProcess;

/// Ends its processes when it is dropped.
#[derive(Debug)]
pub struct Job(OwnedHandle);

impl Job {
    /// A job without processes, and without other limits.
    ///
    /// # Errors
    /// The error of the system.
    pub fn new() -> io::Result<Self> {
        // SAFETY: without a name and without attributes nothing is read, and the handle is new.
        let handle = unsafe { CreateJobObjectW(null(), null()) };
        if handle.is_null() {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: it is open, and has no other owner.
        let job = Self(unsafe { OwnedHandle::from_raw_handle(handle) });
        job.limit(JOBOBJECT_EXTENDED_LIMIT_INFORMATION::default())?;
        Ok(job)
    }

    /// Takes this process in. What it has started before is left out.
    ///
    /// # Errors
    /// The error of the system.
    pub fn take(&self, process: &impl AsHandle) -> io::Result<()> {
        self.take_handle(process.as_handle().as_raw_handle())
    }

    /// The same by the handle of the process, which must be open.
    ///
    /// # Errors
    /// The error of the system.
    pub fn take_process(&self, process: HANDLE) -> io::Result<()> {
        self.take_handle(process)
    }

    /// Has the system end what this process starts from now on together with this process.
    ///
    /// # Errors
    /// The error of the system.
    pub fn take_this_process(self) -> io::Result<()> {
        // SAFETY: it has no conditions.
        self.take_handle(unsafe { GetCurrentProcess() })?;
        // Until the process ends: with the job it would end itself.
        std::mem::forget(self);
        Ok(())
    }

    /// Lets its process have so many bytes of memory, and start no more than a console. Can be changed.
    ///
    /// # Errors
    /// The error of the system.
    pub fn confine(&self, memory: u64) -> io::Result<()> {
        let mut limits = JOBOBJECT_EXTENDED_LIMIT_INFORMATION {
            ProcessMemoryLimit: usize::try_from(memory).unwrap_or(usize::MAX),
            ..Default::default()
        };
        // The second is that of the console, which the system gives to a console program.
        limits.BasicLimitInformation.ActiveProcessLimit = 2;
        // Nor does it show the system's dialog when it crashes.
        limits.BasicLimitInformation.LimitFlags = JOB_OBJECT_LIMIT_PROCESS_MEMORY
            | JOB_OBJECT_LIMIT_ACTIVE_PROCESS
            | JOB_OBJECT_LIMIT_DIE_ON_UNHANDLED_EXCEPTION;
        self.limit(limits)
    }

    fn limit(&self, mut limits: JOBOBJECT_EXTENDED_LIMIT_INFORMATION) -> io::Result<()> {
        limits.BasicLimitInformation.LimitFlags |= JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE;
        #[allow(clippy::cast_possible_truncation, reason = "it has some hundred bytes")]
        let length = size_of_val(&limits) as u32;
        // SAFETY: the job is open, and the limits have this class and this length.
        let done = unsafe {
            SetInformationJobObject(
                self.0.as_raw_handle(),
                JobObjectExtendedLimitInformation,
                (&raw const limits).cast(),
                length,
            )
        };
        if done == 0 {
            return Err(io::Error::last_os_error());
        }
        Ok(())
    }

    fn take_handle(&self, process: HANDLE) -> io::Result<()> {
        // SAFETY: both are open: the job is ours, and the process is borrowed or this one.
        match unsafe { AssignProcessToJobObject(self.0.as_raw_handle(), process) } {
            0 => Err(io::Error::last_os_error()),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::process::{Child, Command, Stdio};
    use std::time::{Duration, Instant};

    use super::*;

    const HELD: &str = "PORCHLIGHT_TEST_HELD";

    /// This program, running a test that waits for the end of its input or only for its end.
    fn waiting(test: &str) -> Child {
        let program = std::env::current_exe().expect("this program");
        let mut command = Command::new(program);
        command.args(["--exact", "--nocapture", &format!("job::tests::{test}")]);
        command
            .env(HELD, "1")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped());
        command.spawn().expect("started")
    }

    fn ends_soon(child: &mut Child) {
        let began = Instant::now();
        while child.try_wait().expect("a child").is_none() {
            assert!(began.elapsed() < Duration::from_secs(10), "it still runs");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    #[test]
    fn waits_when_it_is_held() {
        if std::env::var_os(HELD).is_some() {
            std::thread::sleep(Duration::from_secs(60));
        }
    }

    /// Starts another process that waits, names it and waits.
    #[test]
    fn holds_another_when_it_is_held() {
        if std::env::var_os(HELD).is_none() {
            return;
        }
        let job = Job::new().expect("a job");
        job.take_this_process().expect("in the job");
        println!("holds {}", waiting("waits_when_it_is_held").id());
        std::thread::sleep(Duration::from_secs(60));
    }

    #[test]
    fn a_process_ends_with_its_job() {
        let mut child = waiting("waits_when_it_is_held");
        let job = Job::new().expect("a job");
        job.take(&child).expect("in the job");
        job.confine(1 << 30).expect("limits");
        std::thread::sleep(Duration::from_millis(300));
        assert!(
            child.try_wait().expect("a child").is_none(),
            "it ended by itself"
        );
        drop(job);
        ends_soon(&mut child);
    }

    #[test]
    fn what_a_process_has_started_ends_when_it_is_killed() {
        use std::io::{BufRead as _, BufReader};

        use sysinfo::{Pid, ProcessesToUpdate, System};

        let mut holder = waiting("holds_another_when_it_is_held");
        let output = BufReader::new(holder.stdout.take().expect("its output"));
        let mut lines = output.lines().map_while(Result::ok);
        let held = lines.find_map(|line| Some(line.split_once("holds ")?.1.to_owned()));
        let held: u32 = held.expect("a line").trim().parse().expect("a number");
        let runs = || {
            let mut system = System::new().expect("a system");
            let held = Pid::from_u32(held);
            system.refresh_processes(ProcessesToUpdate::Some(&[held]), true);
            system.process(held).is_some()
        };
        assert!(runs(), "it has not started");
        holder.kill().expect("killed");
        holder.wait().expect("ended");
        let began = Instant::now();
        while runs() {
            assert!(began.elapsed() < Duration::from_secs(10), "it still runs");
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}
