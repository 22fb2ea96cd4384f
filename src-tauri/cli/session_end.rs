//! The end of the session on Windows: at a logoff and at a shutdown the system asks windows, and a
//! program whose libraries could make one hears nothing of it at its console. So there is one, which is
//! never shown.

#![allow(
    unsafe_code,
    reason = "no library among ours has a window that is never shown"
)]

use std::io;
use std::ptr::{null, null_mut};
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use tokio::sync::Notify;
use windows_sys::Win32::Foundation::{HWND, LPARAM, LRESULT, WPARAM};
use windows_sys::Win32::UI::WindowsAndMessaging::{
    CreateWindowExW, DefWindowProcW, DispatchMessageW, GWLP_WNDPROC, GetMessageW, MSG,
    SetWindowLongPtrW, WM_CLOSE, WM_ENDSESSION, WM_QUERYENDSESSION, WS_POPUP,
};
use windows_sys::w;

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

/// A window of this thread that is never shown.
fn window() -> Option<HWND> {
    // SAFETY: the class is the system's, its name ends with a null, and everything else is absent.
    let window = unsafe {
        CreateWindowExW(
            0,
            w!("STATIC"),
            null(),
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
