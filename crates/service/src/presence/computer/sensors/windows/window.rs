//! The window that has the focus, and when the last input was.

#![allow(unsafe_code, reason = "Windows has no safe interface for these")]

use std::mem;
use std::sync::Arc;
use std::time::Duration;

use windows::Win32::Foundation::{HWND, LPARAM, RECT, TRUE};
use windows::Win32::Graphics::Gdi::{
    GetMonitorInfoW, MONITOR_DEFAULTTONEAREST, MONITORINFO, MonitorFromWindow,
};
use windows::Win32::System::SystemInformation::GetTickCount;
use windows::Win32::UI::Input::KeyboardAndMouse::{GetLastInputInfo, LASTINPUTINFO};
use windows::Win32::UI::WindowsAndMessaging::{
    EnumChildWindows, GWL_STYLE, GetClassNameW, GetForegroundWindow, GetWindowLongW, GetWindowRect,
    GetWindowThreadProcessId, InternalGetWindowText, IsZoomed, WS_CAPTION,
};
use windows::core::BOOL;

use super::{program, readings};
use crate::presence::computer::foreground::{Foreground, Window};

/// The frame of programs from the Store; the program itself is a child window of another process.
const FRAME_HOST: &str = "applicationframehost.exe";

/// The length of a title that nearly all fit in, and the most that is read, in UTF-16 units.
const USUAL_TITLE: usize = 512;
const LONGEST_TITLE: usize = 1 << 20;

/// The foreground window, with what does not change while it exists.
#[derive(Default)]
pub(super) struct Front {
    known: Option<(usize, u32, Window)>,
}

impl Front {
    /// Windows without a program that can be named count as none, and so do those of the shell and a
    /// desktop that is not ours (UAC, the lock screen).
    pub(super) fn look(&mut self) -> Foreground {
        // SAFETY: it takes nothing.
        let window = unsafe { GetForegroundWindow() };
        let process = process_of(window);
        if window.is_invalid() || process == 0 {
            self.known = None;
            return Foreground::Nothing;
        }
        let key = (window.0 as usize, process);
        let seen = self.known.take();
        let seen = seen.filter(|(window, process, _)| (*window, *process) == key);
        let Some(program) = seen
            .map(|(.., program)| program)
            .or_else(|| program_of(window, process))
        else {
            return Foreground::Nothing;
        };
        self.known = Some((key.0, key.1, program.clone()));
        Foreground::Window(Arc::new(Window {
            title: Window::title_of(&title_of(window)),
            full_screen: is_full_screen(window),
            ..program
        }))
    }
}

/// The time since the last input; `None` where the session has none.
pub(super) fn since_input() -> Option<Duration> {
    let mut last = LASTINPUTINFO {
        cbSize: u32::try_from(mem::size_of::<LASTINPUTINFO>()).ok()?,
        dwTime: 0,
    };
    // SAFETY: the struct has the size that it says.
    unsafe { GetLastInputInfo(&mut last) }.ok().ok()?;
    // SAFETY: it takes nothing. It is read last, so that it is not before the input.
    let now = unsafe { GetTickCount() };
    Some(readings::since_input(now, last.dwTime))
}

/// The window's program; `None` where it cannot be named, for now or at all.
fn program_of(window: HWND, process: u32) -> Option<Window> {
    let mut file = program::file_of(process)?;
    let mut file_name = file.file_name()?.to_string_lossy().into_owned();
    if readings::is_shell(&class_of(window), &file_name) {
        return None;
    }
    if file_name.to_lowercase() == FRAME_HOST {
        // Without a child it is about to appear.
        file = program::file_of(readings::framed(process, &child_processes(window))?)?;
        file_name = file.file_name()?.to_string_lossy().into_owned();
    }
    let stem = file.file_stem()?.to_string_lossy().into_owned();
    let icon = program::icon_of(&file, window).map(Arc::new);
    Some(Window {
        names: Window::names_of(program::name_in(&file).into_iter().chain([stem, file_name])),
        file: Some(file),
        icon,
        ..Window::default()
    })
}

pub(super) fn process_of(window: HWND) -> u32 {
    let mut process = 0;
    // SAFETY: it writes one number.
    unsafe { GetWindowThreadProcessId(window, Some(&mut process)) };
    process
}

fn child_processes(window: HWND) -> Vec<u32> {
    unsafe extern "system" fn see(child: HWND, found: LPARAM) -> BOOL {
        // SAFETY: the caller waits, and lends its list.
        let found = unsafe { &mut *(found.0 as *mut Vec<u32>) };
        found.push(process_of(child));
        TRUE
    }
    let mut found = Vec::<u32>::new();
    let list = LPARAM(&raw mut found as isize);
    // SAFETY: the list outlives the call.
    let _ = unsafe { EnumChildWindows(Some(window), Some(see), list) };
    found
}

fn class_of(window: HWND) -> String {
    // The longest name of a class, with its zero.
    let mut class = [0; 257];
    // SAFETY: the length is that of the slice.
    unsafe { GetClassNameW(window, &mut class) };
    readings::text_of(&class)
}

/// The whole title. It is read from the system: `GetWindowText` would wait for a window of this
/// process, whose thread may be busy.
fn title_of(window: HWND) -> String {
    let mut title = vec![0; USUAL_TITLE];
    loop {
        // SAFETY: the length is that of the slice.
        let length = unsafe { InternalGetWindowText(window, &mut title) };
        let length = usize::try_from(length).unwrap_or_default();
        // One that fills the room may be cut.
        if length + 1 < title.len() || title.len() >= LONGEST_TITLE {
            return String::from_utf16_lossy(&title[..length]);
        }
        title = vec![0; title.len() * 4];
    }
}

fn is_full_screen(window: HWND) -> bool {
    let edges = |rect: RECT| [rect.left, rect.top, rect.right, rect.bottom];
    let mut place = RECT::default();
    let mut monitor = MONITORINFO {
        cbSize: u32::try_from(mem::size_of::<MONITORINFO>()).unwrap_or_default(),
        ..MONITORINFO::default()
    };
    // SAFETY: each writes into the struct that it is given.
    let (known, zoomed, style) = unsafe {
        let known = GetWindowRect(window, &mut place).is_ok()
            && GetMonitorInfoW(
                MonitorFromWindow(window, MONITOR_DEFAULTTONEAREST),
                &mut monitor,
            )
            .as_bool();
        (known, IsZoomed(window), GetWindowLongW(window, GWL_STYLE))
    };
    let has_caption = style.cast_unsigned() & WS_CAPTION.0 == WS_CAPTION.0;
    let maximised = zoomed.as_bool() && has_caption;
    known && readings::fills(edges(place), edges(monitor.rcMonitor), maximised)
}
