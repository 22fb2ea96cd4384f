//! The console of a program that is built without one. On Windows the tray app is such a program:
//! started from a menu it shows none, and typed in one it would print nothing.

#![allow(unsafe_code, reason = "no library among ours attaches to a console")]

use std::fs::File;
use std::os::windows::io::{AsRawHandle as _, IntoRawHandle as _};
#[cfg(feature = "desktop")]
use std::process::{Command, ExitCode, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};

use windows_sys::Win32::Foundation::INVALID_HANDLE_VALUE;
use windows_sys::Win32::System::Console::{
    ATTACH_PARENT_PROCESS, AttachConsole, GetStdHandle, STD_ERROR_HANDLE, STD_HANDLE,
    STD_INPUT_HANDLE, STD_OUTPUT_HANDLE, SetStdHandle,
};

static IS_ATTACHED: AtomicBool = AtomicBool::new(false);

/// Uses the console of the process that started this one for what would go nowhere. Must be called before
/// anything is printed, and before a second thread starts.
pub(crate) fn attach() {
    let absent: Vec<STD_HANDLE> = [STD_INPUT_HANDLE, STD_OUTPUT_HANDLE, STD_ERROR_HANDLE]
        .into_iter()
        .filter(|which| is_absent(*which))
        .collect();
    // A console program, or one whose output is redirected, needs nothing.
    if !absent.contains(&STD_OUTPUT_HANDLE) && !absent.contains(&STD_ERROR_HANDLE) {
        return;
    }
    // SAFETY: it has no conditions; it fails where the parent has none.
    if unsafe { AttachConsole(ATTACH_PARENT_PROCESS) } == 0 {
        return;
    }
    IS_ATTACHED.store(true, Ordering::Relaxed);
    // The system sets those that were absent in some versions, but not in all.
    for which in absent.into_iter().filter(|which| is_absent(*which)) {
        let name = if which == STD_INPUT_HANDLE {
            "CONIN$"
        } else {
            "CONOUT$"
        };
        if let Ok(console) = File::options().read(true).write(true).open(name) {
            // SAFETY: the handle is open, and is never closed.
            unsafe { SetStdHandle(which, console.as_raw_handle()) };
            let _ = console.into_raw_handle();
        }
    }
}

/// Where this process is the program's twin for consoles, starts the app by the program itself, so that
/// the console is free again. Returns the exit code then.
#[cfg(feature = "desktop")]
pub(crate) fn start_without() -> Option<ExitCode> {
    let twin = std::env::current_exe().ok()?;
    if !twin.extension()?.eq_ignore_ascii_case("com") {
        return None;
    }
    let started = Command::new(twin.with_extension("exe"))
        .args(std::env::args_os().skip(1))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    Some(match started {
        Ok(_) => ExitCode::SUCCESS,
        Err(error) => super::failed(&error, 1),
    })
}

/// Leaves a console that is another program's: its Ctrl+C and its end are not meant for the tray app.
/// The handles to it go, too, since their numbers will be those of other files.
#[cfg(feature = "desktop")]
pub(crate) fn leave() {
    if IS_ATTACHED.load(Ordering::Relaxed) {
        use windows_sys::Win32::Storage::FileSystem::{FILE_TYPE_CHAR, GetFileType};
        for which in [STD_INPUT_HANDLE, STD_OUTPUT_HANDLE, STD_ERROR_HANDLE] {
            // SAFETY: they have no conditions, and fail for what is no handle.
            unsafe {
                if GetFileType(GetStdHandle(which)) == FILE_TYPE_CHAR {
                    SetStdHandle(which, std::ptr::null_mut());
                }
            }
        }
        // SAFETY: it has no conditions.
        unsafe { windows_sys::Win32::System::Console::FreeConsole() };
    }
}

fn is_absent(which: STD_HANDLE) -> bool {
    // SAFETY: it has no conditions.
    let handle = unsafe { GetStdHandle(which) };
    handle.is_null() || handle == INVALID_HANDLE_VALUE
}
