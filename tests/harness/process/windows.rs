//! Signals and the figures of a process, by the Windows API.
#![allow(
    unsafe_code,
    reason = "the Windows API has no safe form of these calls"
)]

use std::io;
use std::mem::zeroed;

use windows_sys::Win32::Foundation::{CloseHandle, HANDLE, HWND, LPARAM};
use windows_sys::Win32::System::ProcessStatus::{GetProcessMemoryInfo, PROCESS_MEMORY_COUNTERS};
use windows_sys::Win32::System::Threading::{
    INFINITE, OpenProcess, PROCESS_QUERY_LIMITED_INFORMATION, PROCESS_SYNCHRONIZE,
    PROCESS_TERMINATE, PROCESS_VM_READ, TerminateProcess, WaitForSingleObject,
};
use windows_sys::Win32::UI::WindowsAndMessaging::{
    EnumWindows, GetWindowThreadProcessId, PostMessageW, WM_CLOSE,
};
use windows_sys::core::BOOL;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Signal {
    /// WM_CLOSE to its windows, as `taskkill` sends it.
    Close,
    Kill,
}

pub(super) const TERMINATE: Signal = Signal::Close;
pub(super) const INTERRUPT: Signal = Signal::Close;
pub(super) const KILL: Signal = Signal::Kill;

pub(super) fn send(pid: u32, signal: Signal) -> io::Result<()> {
    let done = match signal {
        // SAFETY: the function is one for windows, and gets what it expects.
        Signal::Close => unsafe { EnumWindows(Some(close_if_of), pid as isize) },
        Signal::Kill => {
            let process = Process::open(pid, PROCESS_TERMINATE)?;
            // SAFETY: the handle is open.
            unsafe { TerminateProcess(process.0, 1) }
        }
    };
    (done != 0)
        .then_some(())
        .ok_or_else(io::Error::last_os_error)
}

unsafe extern "system" fn close_if_of(window: HWND, pid: LPARAM) -> BOOL {
    let mut of = 0;
    // SAFETY: the window is there or the calls fail, and the place for its process is ours.
    unsafe {
        GetWindowThreadProcessId(window, &raw mut of);
        if of as isize == pid {
            PostMessageW(window, WM_CLOSE, 0, 0);
        }
    }
    1
}

/// Waits until a process has ended.
pub(super) fn wait(pid: u32) {
    if let Ok(process) = Process::open(pid, PROCESS_SYNCHRONIZE) {
        // SAFETY: the handle is open.
        unsafe { WaitForSingleObject(process.0, INFINITE) };
    }
}

/// The most memory that a process has had, in bytes.
pub fn peak_memory(pid: u32) -> u64 {
    counters(pid).expect("it runs").PeakWorkingSetSize as u64
}

/// The memory that a process has now, in bytes; 0 for one that has exited.
pub fn memory_of(pid: u32) -> u64 {
    counters(pid).map_or(0, |counters| counters.WorkingSetSize as u64)
}

fn counters(pid: u32) -> io::Result<PROCESS_MEMORY_COUNTERS> {
    let read = PROCESS_QUERY_LIMITED_INFORMATION | PROCESS_VM_READ;
    let process = Process::open(pid, read)?;
    // SAFETY: zeros are valid counters; the handle is open, and the size is that of the counters.
    unsafe {
        let mut counters: PROCESS_MEMORY_COUNTERS = zeroed();
        let size = size_of::<PROCESS_MEMORY_COUNTERS>() as u32;
        let read = GetProcessMemoryInfo(process.0, &raw mut counters, size);
        (read != 0)
            .then_some(counters)
            .ok_or_else(io::Error::last_os_error)
    }
}

/// An open handle.
struct Process(HANDLE);

impl Process {
    fn open(pid: u32, access: u32) -> io::Result<Self> {
        // SAFETY: it takes no pointers.
        let process = unsafe { OpenProcess(access, 0, pid) };
        (!process.is_null())
            .then_some(Self(process))
            .ok_or_else(io::Error::last_os_error)
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // SAFETY: it is open, and closed once.
        unsafe { CloseHandle(self.0) };
    }
}
