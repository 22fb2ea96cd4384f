//! The end of the session on Windows: at a logoff and at a shutdown the system asks windows, and a
//! program whose libraries could make one hears nothing of it at its console. So there is one, which is
//! never shown. The setup ends processes by the same window.

#![allow(
    unsafe_code,
    reason = "no library among ours has a window that is never shown"
)]

use std::ffi::OsString;
use std::io;
use std::os::windows::ffi::OsStringExt as _;
use std::os::windows::io::{AsRawHandle as _, FromRawHandle as _, OwnedHandle};
use std::path::PathBuf;
use std::ptr::{null, null_mut};
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use tokio::sync::Notify;
use windows_sys::Win32::Foundation::{HWND, LPARAM, LRESULT, WPARAM};
use windows_sys::Win32::System::Threading::{
    OpenProcess, PROCESS_NAME_WIN32, PROCESS_QUERY_LIMITED_INFORMATION, QueryFullProcessImageNameW,
};
use windows_sys::Win32::UI::WindowsAndMessaging::{
    CreateWindowExW, DefWindowProcW, DispatchMessageW, FindWindowExW, GWLP_WNDPROC, GetMessageW,
    GetWindowThreadProcessId, MSG, PostMessageW, SetWindowLongPtrW, WM_CLOSE, WM_ENDSESSION,
    WM_QUERYENDSESSION, WS_POPUP,
};
use windows_sys::core::PCWSTR;
use windows_sys::w;

/// The window's class, which is the system's, and its name.
const CLASS: PCWSTR = w!("STATIC");
const NAME: PCWSTR = w!("Porchlight: end of the session");

/// The longest path of Windows, in UTF-16 units.
const LONGEST_PATH: usize = 32_768;

/// The system waits no longer for the answer.
const ENDS_WITHIN: Duration = Duration::from_secs(5);

static ENDS: Notify = Notify::const_new();

/// Listens from now on. Does nothing where windows cannot be made, as in a service.
///
/// # Errors
/// When the system gives no thread.
pub(crate) fn listen() -> io::Result<()> {
    let (made, is_made) = channel();
    let thread = thread::Builder::new().name("session's end".to_owned());
    thread.spawn(move || {
        let window = window();
        drop(made);
        if window.is_some() {
            answer_messages();
        }
    })?;
    // A message that comes early is not lost.
    let _: Result<(), _> = is_made.recv();
    Ok(())
}

/// Done when the session ends. The process has [`ENDS_WITHIN`] then.
pub(crate) async fn ended() {
    ENDS.notified().await;
}

/// Has every other process of this program end in order, whatever its data folder. Does not wait for
/// that.
///
/// # Errors
/// When the system does not know this program.
pub(super) fn end_others() -> io::Result<()> {
    // Its twin for consoles differs in the ending.
    let lower = |program: PathBuf| {
        let program = program.with_extension("");
        program.to_string_lossy().to_lowercase()
    };
    let own = lower(std::env::current_exe()?);
    let (mut window, mut windows) = (null_mut(), Vec::new());
    loop {
        // SAFETY: both names end with a null, and the window is one that was found.
        window = unsafe { FindWindowExW(null_mut(), window, CLASS, NAME) };
        if window.is_null() {
            break;
        }
        windows.push(window);
    }
    for window in windows {
        let mut process = 0;
        // SAFETY: it writes one number.
        unsafe { GetWindowThreadProcessId(window, &raw mut process) };
        if program_of(process).is_some_and(|program| lower(program) == own) {
            // SAFETY: the message has no data.
            unsafe { PostMessageW(window, WM_CLOSE, 0, 0) };
        }
    }
    Ok(())
}

/// The file that a process was started from.
fn program_of(process: u32) -> Option<PathBuf> {
    let mut path = vec![0; LONGEST_PATH];
    let mut length = u32::try_from(path.len()).ok()?;
    // SAFETY: the handle has one owner, and `length` is that of `path`.
    let is_known = unsafe {
        let process = OpenProcess(PROCESS_QUERY_LIMITED_INFORMATION, 0, process);
        if process.is_null() {
            return None;
        }
        let process = OwnedHandle::from_raw_handle(process);
        QueryFullProcessImageNameW(
            process.as_raw_handle(),
            PROCESS_NAME_WIN32,
            path.as_mut_ptr(),
            &raw mut length,
        )
    };
    let path = path.get(..length as usize).filter(|_| is_known != 0)?;
    Some(OsString::from_wide(path).into())
}

/// A window of this thread that is never shown.
fn window() -> Option<HWND> {
    // SAFETY: both names end with a null, and everything else is absent.
    let window = unsafe {
        CreateWindowExW(
            0,
            CLASS,
            NAME,
            WS_POPUP,
            0,
            0,
            0,
            0,
            null_mut(),
            null_mut(),
            null_mut(),
            null(),
        )
    };
    if window.is_null() {
        return None;
    }
    // SAFETY: the window is ours, and this is a function for its messages.
    unsafe { SetWindowLongPtrW(window, GWLP_WNDPROC, on_message as *const () as isize) };
    Some(window)
}

/// Until the process ends.
fn answer_messages() {
    let mut message = MSG::default();
    // SAFETY: the message is ours.
    unsafe {
        while GetMessageW(&raw mut message, null_mut(), 0, 0) > 0 {
            DispatchMessageW(&raw const message);
        }
    }
}

unsafe extern "system" fn on_message(
    window: HWND,
    message: u32,
    first: WPARAM,
    second: LPARAM,
) -> LRESULT {
    match message {
        // `taskkill` without `/F` sends this to the windows of a process.
        WM_CLOSE => {
            ENDS.notify_one();
            0
        }
        // It may end.
        WM_QUERYENDSESSION => 1,
        WM_ENDSESSION if first != 0 => {
            ENDS.notify_one();
            // The process is ended as soon as this returns.
            thread::sleep(ENDS_WITHIN);
            0
        }
        // SAFETY: they are those that the system has called this with.
        _ => unsafe { DefWindowProcW(window, message, first, second) },
    }
}

#[cfg(test)]
mod tests {
    use windows_sys::Win32::UI::WindowsAndMessaging::SendNotifyMessageW;

    use super::*;

    #[tokio::test]
    async fn the_end_of_the_session_is_heard() {
        let (send, made) = std::sync::mpsc::channel();
        thread::spawn(move || {
            if let Some(window) = window() {
                send.send(window as usize).expect("sent");
                answer_messages();
            }
        });
        let Ok(window) = made.recv() else {
            // As in Wine without a screen.
            return;
        };
        let window = window as HWND;
        let heard = || tokio::time::timeout(Duration::from_secs(1), ended());
        // It was called off: another program has refused.
        // SAFETY: the window is there.
        unsafe { SendNotifyMessageW(window, WM_ENDSESSION, 0, 0) };
        assert!(heard().await.is_err());
        // SAFETY: the window is there.
        unsafe { SendNotifyMessageW(window, WM_ENDSESSION, 1, 0) };
        assert!(heard().await.is_ok());
    }
}
