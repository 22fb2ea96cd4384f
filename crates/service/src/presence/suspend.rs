//! Sleep as Windows announces it, and the time that it leaves for that.

#![allow(
    unsafe_code,
    reason = "Windows calls a function before the machine sleeps"
)]

use std::convert::Infallible;
use std::ffi::c_void;
use std::sync::{LazyLock, mpsc};
use std::time::Duration;
use std::{io, ptr};

use tokio::sync::broadcast;
use windows::Win32::Foundation::{ERROR_SUCCESS, HANDLE};
use windows::Win32::System::Power::{
    DEVICE_NOTIFY_SUBSCRIBE_PARAMETERS, PowerRegisterSuspendResumeNotification,
};
use windows::Win32::UI::WindowsAndMessaging::{
    DEVICE_NOTIFY_CALLBACK, PBT_APMRESUMEAUTOMATIC, PBT_APMSUSPEND,
};

/// How long sleep is held up at most; Windows allows about two seconds.
pub(crate) const HOLD_UP: Duration = Duration::from_millis(1_800);

#[derive(Debug, Clone)]
pub(crate) enum Announced {
    /// The machine goes to sleep when all of these are dropped.
    Sleep(mpsc::Sender<Infallible>),
    Awake,
}

/// Windows knows the function, but no value of ours: all listeners share this.
static ANNOUNCEMENTS: LazyLock<broadcast::Sender<Announced>> =
    LazyLock::new(|| broadcast::channel(16).0);

/// The code with which Windows answered to the one registration, which stays.
static REGISTERED: LazyLock<u32> = LazyLock::new(|| {
    let recipient = Box::leak(Box::new(DEVICE_NOTIFY_SUBSCRIBE_PARAMETERS {
        Callback: Some(announce),
        Context: ptr::null_mut(),
    }));
    let recipient = HANDLE((&raw mut *recipient).cast());
    let mut registration = ptr::null_mut();
    // SAFETY: recipient and function live as long as the program.
    let answer = unsafe {
        PowerRegisterSuspendResumeNotification(DEVICE_NOTIFY_CALLBACK, recipient, &mut registration)
    };
    answer.0
});

/// The announcements of sleep and of its end, from now on.
///
/// # Errors
/// Where Windows announces none.
pub(crate) fn announced_sleeps() -> io::Result<broadcast::Receiver<Announced>> {
    match *REGISTERED {
        code if code == ERROR_SUCCESS.0 => Ok(ANNOUNCEMENTS.subscribe()),
        code => Err(io::Error::from_raw_os_error(code.cast_signed())),
    }
}

unsafe extern "system" fn announce(_: *const c_void, kind: u32, _: *const c_void) -> u32 {
    match kind {
        PBT_APMSUSPEND => {
            let (held, released) = mpsc::channel();
            // Without a listener it is dropped here.
            drop(ANNOUNCEMENTS.send(Announced::Sleep(held)));
            // The end of all who hold it, or of the time.
            let _ = released.recv_timeout(HOLD_UP);
        }
        PBT_APMRESUMEAUTOMATIC => drop(ANNOUNCEMENTS.send(Announced::Awake)),
        _ => {}
    }
    ERROR_SUCCESS.0
}

/// Held by each test that pretends: all listeners of a process hear the same.
#[cfg(test)]
pub(crate) static PRETENDING: tokio::sync::Mutex<()> = tokio::sync::Mutex::const_new(());

/// Announces as Windows does, and waits as Windows would.
#[cfg(test)]
pub(crate) fn pretend(sleeps: bool) {
    let kind = match sleeps {
        true => PBT_APMSUSPEND,
        false => PBT_APMRESUMEAUTOMATIC,
    };
    // SAFETY: neither pointer is looked at.
    unsafe { announce(ptr::null(), kind, ptr::null()) };
}
