//! The sensors with a real Windows, or with Wine. They need a display.

#![allow(unsafe_code, reason = "the windows that are seen are made here")]

use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use tokio::time::timeout;
use tokio_util::sync::{CancellationToken, DropGuard};
use windows::Win32::Foundation::{LPARAM, WPARAM};
use windows::Win32::UI::Accessibility::NotifyWinEvent;
use windows::Win32::UI::WindowsAndMessaging::{
    CreateWindowExW, DispatchMessageW, EVENT_SYSTEM_FOREGROUND, FindWindowExW, GetForegroundWindow,
    GetMessageW, GetSystemMetrics, HWND_MESSAGE, MSG, OBJID_WINDOW, PostMessageW, SM_CXSCREEN,
    SM_CYSCREEN, SetForegroundWindow, SetWindowTextW, WINDOW_EX_STYLE, WM_WTSSESSION_CHANGE,
    WS_OVERLAPPEDWINDOW, WS_POPUP, WS_VISIBLE,
};
use windows::core::{HSTRING, w};

use super::super::{Input, SensorState, StateWriter};
use super::{media, program, watch, window};
use crate::presence::computer::colour;
use crate::presence::computer::foreground::{Foreground, Window};
use crate::presence::suspend;
use crate::state::{State, StateReader};

/// Much longer than anything takes here.
const LONG: Duration = Duration::from_secs(30);

/// The test that another process runs, to have a window of another program.
const ANOTHER: &str = "presence::computer::sensors::windows::tests::another_program_shows_a_window";

/// Set where that window is to take the whole screen from the start.
const FULL_SCREEN: &str = "TEST_FULL_SCREEN";

/// Ends when the test does.
struct Running(Child);

impl Running {
    fn start(command: &mut Command) -> Self {
        Self(command.spawn().expect("a program"))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn open() -> (StateReader<SensorState>, DropGuard) {
    let stop = CancellationToken::new();
    (super::super::open(&stop, true), stop.drop_guard())
}

async fn until(sensors: &mut StateReader<SensorState>, holds: impl Fn(&SensorState) -> bool) {
    let reached = timeout(LONG, async {
        while !holds(&sensors.latest()) {
            sensors.changed().await.expect("the sensors run");
        }
    });
    if reached.await.is_err() {
        panic!("it never came to that: {:?}", sensors.latest());
    }
}

fn front(state: &SensorState) -> Option<&Window> {
    match &state.front {
        Foreground::Window(window) => Some(window),
        Foreground::Unknown | Foreground::Nothing => None,
    }
}

fn of_windows(file: &str) -> PathBuf {
    let root = std::env::var_os("SystemRoot").expect("the folder of Windows");
    Path::new(&root).join(file)
}

fn notepad() -> PathBuf {
    of_windows("System32").join("notepad.exe")
}

fn long_title() -> String {
    format!(
        "{} — Mozilla Firefox Private Browsing",
        "喵 a page ".repeat(60)
    )
}

#[test]
#[ignore = "run by the test below, in a process of its own"]
fn another_program_shows_a_window() {
    // SAFETY: a class of the system, and texts that outlive the calls.
    unsafe {
        let (style, width, height) = match std::env::var_os(FULL_SCREEN) {
            None => (WS_OVERLAPPEDWINDOW, 300, 200),
            Some(_) => (
                WS_POPUP,
                GetSystemMetrics(SM_CXSCREEN),
                GetSystemMetrics(SM_CYSCREEN),
            ),
        };
        let window = CreateWindowExW(
            WINDOW_EX_STYLE(0),
            w!("STATIC"),
            w!("a short title"),
            style | WS_VISIBLE,
            0,
            0,
            width,
            height,
            None,
            None,
            None,
            None,
        )
        .expect("a window");
        let _ = SetForegroundWindow(window);
        // After it was seen, so that the change is noticed as well.
        std::thread::sleep(Duration::from_secs(1));
        SetWindowTextW(window, &HSTRING::from(long_title())).expect("a title");
        let mut message = MSG::default();
        while GetMessageW(&mut message, None, 0, 0).0 > 0 {
            DispatchMessageW(&message);
        }
    }
}

#[tokio::test]
async fn the_foreground_program_is_named_and_its_title_is_whole() {
    let (mut sensors, _stop) = open();
    {
        let _notepad = Running::start(&mut Command::new(notepad()));
        until(&mut sensors, |state| {
            front(state).is_some_and(|window| {
                let names: Vec<_> = window
                    .names
                    .iter()
                    .map(|name| name.to_lowercase())
                    .collect();
                names.contains(&"notepad".to_owned()) && !window.full_screen
            })
        })
        .await;
        let state = sensors.latest();
        let window = front(&state).expect("notepad");
        assert_eq!(
            window.file.as_ref().and_then(|file| file.file_name()),
            notepad().file_name()
        );
        assert!(window.icon.is_some());
    }
    let this = std::env::current_exe().expect("this test");
    let stem = this.file_stem().expect("a name").to_string_lossy();
    let mut command = Command::new(&this);
    command.args(["--exact", ANOTHER, "--ignored"]);
    let another = Running::start(&mut command);
    until(&mut sensors, |state| {
        front(state).is_some_and(|window| window.title == long_title())
    })
    .await;
    let state = sensors.latest();
    let window = front(&state).expect("the other program");
    assert!(window.title.encode_utf16().count() > 300);
    assert!(window.names.iter().any(|name| *name == stem), "{window:?}");
    assert!(crate::presence::computer::built_in::list().hides(window));
    assert!(matches!(state.input, Input::Last(_)), "{:?}", state.input);
    // Wine announces neither another window nor its title.
    let announced = || watch::ANNOUNCED.load(Relaxed);
    let before = announced();
    // SAFETY: it takes numbers.
    unsafe {
        NotifyWinEvent(
            EVENT_SYSTEM_FOREGROUND,
            GetForegroundWindow(),
            OBJID_WINDOW.0,
            0,
        )
    };
    let heard = timeout(LONG, async {
        while announced() == before {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    });
    heard.await.expect("the hook is called");
    drop(another);
    let _full_screen = Running::start(command.env(FULL_SCREEN, "1"));
    until(&mut sensors, |state| {
        front(state).is_some_and(|window| window.full_screen)
    })
    .await;
}

#[tokio::test]
async fn the_lock_and_sleep_are_followed() {
    let _alone = suspend::PRETENDING.lock().await;
    let (mut sensors, stop) = open();
    until(&mut sensors, SensorState::has_looked).await;
    assert_eq!(sensors.latest().unavailable.lock, None);
    assert_eq!(sensors.latest().unavailable.sleep, None);
    for (code, locked) in [(7, true), (8, false)] {
        announce(code);
        until(&mut sensors, |state| state.locked() == locked).await;
    }
    let sleeping = tokio::task::spawn_blocking(|| suspend::pretend(true));
    until(&mut sensors, |state| state.asleep).await;
    sleeping.await.expect("announced");
    suspend::pretend(false);
    until(&mut sensors, |state| !state.asleep).await;
    // Nothing more is sent when all of the sensors have ended.
    drop(stop);
    let ended = timeout(LONG, async { while sensors.changed().await.is_ok() {} });
    ended.await.expect("the thread ends");
}

/// Sends what Windows would to every window that hears of sessions in this process.
fn announce(code: usize) {
    let mut last = None;
    // SAFETY: it hands over numbers.
    unsafe {
        while let Ok(found) = FindWindowExW(Some(HWND_MESSAGE), last, watch::CLASS, None) {
            if window::process_of(found) == std::process::id() {
                let sent = PostMessageW(Some(found), WM_WTSSESSION_CHANGE, WPARAM(code), LPARAM(0));
                sent.expect("a message");
            }
            last = Some(found);
        }
    }
    assert!(last.is_some(), "no window hears of sessions");
}

#[test]
fn a_program_is_read_from_its_file() {
    assert_eq!(
        program::file_of(std::process::id()),
        std::env::current_exe().ok()
    );
    // The system's own process, which nobody may open.
    assert_eq!(program::file_of(0), None);
    // "Windows Explorer", or "Wine Explorer"; Wine's Notepad has no description.
    let name = program::name_in(&of_windows("explorer.exe")).expect("a name");
    assert!(name.ends_with(" Explorer"), "{name}");
    let icon = program::icon_of(&notepad(), Default::default()).expect("an icon");
    assert!(colour::of_pixels(&icon.rgba).is_some(), "{icon:?}");
    assert_eq!(program::name_in(Path::new("C:\\none.exe")), None);
    assert_eq!(
        program::icon_of(Path::new("C:\\none.exe"), Default::default()),
        None
    );
}

#[tokio::test]
async fn media_are_read_or_named_as_unavailable() {
    let state = State::new(SensorState::default());
    let mut read = state.reader();
    let watching = tokio::spawn(media::watch(StateWriter(state.clone()), true));
    if media::offered().await.is_ok() {
        tokio::time::sleep(Duration::from_secs(1)).await;
        assert_eq!(read.latest().unavailable.media, None);
    } else {
        until(&mut read, |state| state.unavailable.media.is_some()).await;
    }
    watching.abort();
}
