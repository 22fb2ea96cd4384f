//! The thread that Windows sends its announcements to: of another foreground window or title, and of
//! the lock.
//!
//! Idle time announces nothing, full screen only together with every movement of the mouse, and not
//! every program its title: these are read once a second.

#![allow(unsafe_code, reason = "hooks and messages of Windows are C")]

use std::sync::Once;
use std::time::Duration;

use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use windows::Win32::Foundation::{HWND, LPARAM, LRESULT, WPARAM};
use windows::Win32::System::RemoteDesktop::{
    NOTIFY_FOR_THIS_SESSION, WTS_CURRENT_SESSION, WTS_SESSIONSTATE_LOCK, WTSActive, WTSFreeMemory,
    WTSINFOEXW, WTSQuerySessionInformationW, WTSRegisterSessionNotification, WTSSessionInfoEx,
    WTSUnRegisterSessionNotification,
};
use windows::Win32::System::Threading::GetCurrentThreadId;
use windows::Win32::UI::Accessibility::{HWINEVENTHOOK, SetWinEventHook, UnhookWinEvent};
use windows::Win32::UI::HiDpi::{
    DPI_AWARENESS_CONTEXT_PER_MONITOR_AWARE_V2, SetThreadDpiAwarenessContext,
};
use windows::Win32::UI::WindowsAndMessaging::{
    CreateWindowExW, DefWindowProcW, DestroyWindow, DispatchMessageW, EVENT_OBJECT_NAMECHANGE,
    EVENT_SYSTEM_DESKTOPSWITCH, EVENT_SYSTEM_FOREGROUND, GetForegroundWindow, GetMessageW,
    HWND_MESSAGE, MSG, OBJID_WINDOW, PM_REMOVE, PeekMessageW, PostThreadMessageW, RegisterClassW,
    SetTimer, WINDOW_EX_STYLE, WINDOW_STYLE, WINEVENT_OUTOFCONTEXT, WM_APP, WM_WTSSESSION_CHANGE,
    WNDCLASSW,
};
use windows::core::{Error, PCWSTR, PWSTR, Result, w};

use super::super::StateWriter;
use super::readings::{self, SessionChange};
use super::window::{self, Front};
use crate::error::message::Message;

/// Messages to the thread itself: there may be a change, and the session has changed.
const LOOK: u32 = WM_APP;
const SESSION: u32 = WM_APP + 1;

/// The class of the window that the session's changes are sent to.
pub(super) const CLASS: PCWSTR = w!("PorchlightSession");

/// How often an event was announced: without that a look a second later finds the same.
#[cfg(test)]
pub(super) static ANNOUNCED: std::sync::atomic::AtomicU64 = std::sync::atomic::AtomicU64::new(0);

/// From one look to the next where nothing is announced.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// Watches until `stop` is cancelled, which it notices within a second.
pub(super) fn run(writer: &StateWriter, stop: &CancellationToken) -> Result<()> {
    // SAFETY: it concerns this thread alone, in which windows and monitors then have one scale.
    unsafe { SetThreadDpiAwarenessContext(DPI_AWARENESS_CONTEXT_PER_MONITOR_AWARE_V2) };
    let session = Session::listen()?;
    let _hooks = [
        EVENT_SYSTEM_FOREGROUND,
        EVENT_SYSTEM_DESKTOPSWITCH,
        EVENT_OBJECT_NAMECHANGE,
    ]
    .map(Hook::on);
    // SAFETY: the timer posts to this thread and ends with it.
    let timer = unsafe {
        let millis = u32::try_from(LOOK_EVERY.as_millis()).unwrap_or_default();
        SetTimer(None, 0, millis, None)
    };
    if timer == 0 {
        return Err(Error::from_thread());
    }
    let mut front = Front::default();
    let mut follows_lock = false;
    while !stop.is_cancelled() {
        // The service of sessions may start after this.
        if !follows_lock {
            follows_lock = session.follow(writer);
        }
        look(&mut front, writer);
        let mut message = MSG::default();
        // SAFETY: both fill the struct that they are given.
        unsafe {
            if GetMessageW(&mut message, None, 0, 0).0 <= 0 {
                return Err(Error::from_thread());
            }
            let mut same = MSG::default();
            while PeekMessageW(&mut same, None, LOOK, LOOK, PM_REMOVE).as_bool() {}
        }
        match message.message {
            SESSION => change_lock(writer, message.wParam.0),
            // SAFETY: as it was received.
            _ => drop(unsafe { DispatchMessageW(&message) }),
        }
    }
    Ok(())
}

fn look(front: &mut Front, writer: &StateWriter) {
    let front = front.look();
    let since = window::since_input();
    let last = since.and_then(|since| Instant::now().checked_sub(since));
    writer.change(|state| {
        state.front = front;
        state.read_input(last);
    });
}

fn change_lock(writer: &StateWriter, code: usize) {
    let locked = match readings::session_change(code) {
        Some(SessionChange::Locked) => Some(true),
        Some(SessionChange::Unlocked) => Some(false),
        Some(SessionChange::Ask) => is_locked(),
        None => None,
    };
    if let Some(locked) = locked {
        writer.change(|state| state.locked_by_session = locked);
    }
}

/// Whether the session is locked or without a screen; `None` where that cannot be asked.
fn is_locked() -> Option<bool> {
    let mut answer = PWSTR::null();
    let mut length = 0;
    // SAFETY: the answer has the length that is checked, and is freed once.
    unsafe {
        let session = WTS_CURRENT_SESSION;
        WTSQuerySessionInformationW(None, session, WTSSessionInfoEx, &mut answer, &mut length)
            .ok()?;
        let whole = length as usize >= size_of::<WTSINFOEXW>();
        let known = whole.then(|| answer.0.cast::<WTSINFOEXW>().read_unaligned());
        WTSFreeMemory(answer.0.cast());
        let known = known.filter(|known| known.Level == 1)?;
        let known = known.Data.WTSInfoExLevel1;
        let locked = u32::try_from(known.SessionFlags) == Ok(WTS_SESSIONSTATE_LOCK);
        Some(locked || known.SessionState != WTSActive)
    }
}

/// The window, never shown, that hears of the session's changes.
struct Session(HWND);

impl Session {
    fn listen() -> Result<Self> {
        // Wine has no class for a moment when two threads register it at once.
        static REGISTERED: Once = Once::new();
        // SAFETY: texts and function live as long as the program.
        unsafe {
            REGISTERED.call_once(|| {
                let class = WNDCLASSW {
                    lpfnWndProc: Some(hear),
                    lpszClassName: CLASS,
                    ..WNDCLASSW::default()
                };
                RegisterClassW(&class);
            });
            let (style, parent) = (WINDOW_STYLE(0), Some(HWND_MESSAGE));
            let window = CreateWindowExW(
                WINDOW_EX_STYLE(0),
                CLASS,
                w!(""),
                style,
                0,
                0,
                0,
                0,
                parent,
                None,
                None,
                None,
            );
            window.map(Self)
        }
    }

    /// Returns whether changes of the lock are announced from now on.
    fn follow(&self, writer: &StateWriter) -> bool {
        // SAFETY: the window is ours.
        let follows = unsafe { WTSRegisterSessionNotification(self.0, NOTIFY_FOR_THIS_SESSION) };
        let locked = is_locked().unwrap_or_default();
        writer.change(|state| {
            state.locked_by_session = locked;
            let why = follows.as_ref().err();
            state.unavailable.lock = why.map(|error| Message::text(error.message()));
        });
        follows.is_ok()
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // SAFETY: the window is ours, and this is its thread.
        unsafe {
            let _ = WTSUnRegisterSessionNotification(self.0);
            let _ = DestroyWindow(self.0);
        }
    }
}

unsafe extern "system" fn hear(
    window: HWND,
    message: u32,
    code: WPARAM,
    session: LPARAM,
) -> LRESULT {
    if message == WM_WTSSESSION_CHANGE {
        post(SESSION, code);
    }
    // SAFETY: as it was received.
    unsafe { DefWindowProcW(window, message, code, session) }
}

struct Hook(HWINEVENTHOOK);

impl Hook {
    /// On one kind of event, of every program. Without it, the change is noticed within a second.
    fn on(event: u32) -> Self {
        let outside = WINEVENT_OUTOFCONTEXT;
        // SAFETY: the function lives as long as the program, and is called on this thread.
        Self(unsafe { SetWinEventHook(event, event, None, Some(announced), 0, 0, outside) })
    }
}

impl Drop for Hook {
    fn drop(&mut self) {
        // SAFETY: the hook is ours, and this is its thread.
        let _ = unsafe { UnhookWinEvent(self.0) };
    }
}

unsafe extern "system" fn announced(
    _: HWINEVENTHOOK,
    event: u32,
    window: HWND,
    object: i32,
    _: i32,
    _: u32,
    _: u32,
) {
    // SAFETY: it takes nothing.
    let is_front = || window == unsafe { GetForegroundWindow() };
    // Every control of every window has a name; that of the window itself is its title.
    let is_title = || object == OBJID_WINDOW.0 && is_front();
    if event != EVENT_OBJECT_NAMECHANGE || is_title() {
        #[cfg(test)]
        ANNOUNCED.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        post(LOOK, WPARAM(0));
    }
}

/// Posts to this very thread, in whose loop it is handled.
fn post(message: u32, code: WPARAM) {
    // SAFETY: it hands over numbers.
    let _ = unsafe { PostThreadMessageW(GetCurrentThreadId(), message, code, LPARAM(0)) };
}
