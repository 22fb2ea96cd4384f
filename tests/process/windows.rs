//! How the process ends on Windows: what it has started ends with it, and the service that it reports
//! to is informed.

#![allow(
    unsafe_code,
    reason = "the Windows API has no safe form of these calls"
)]

use std::os::windows::io::{AsRawHandle as _, FromRawHandle as _, OwnedHandle};
use std::path::Path;
use std::process::Stdio;
use std::ptr::null_mut;

use serde_json::Value;
use sysinfo::{Pid, ProcessRefreshKind, ProcessesToUpdate, System};
use tokio::process::Command;
use windows_sys::Win32::Foundation::{HANDLE, HWND, LPARAM, WAIT_OBJECT_0};
use windows_sys::Win32::System::Console::{
    AttachConsole, CTRL_BREAK_EVENT, CTRL_C_EVENT, GenerateConsoleCtrlEvent, GetConsoleWindow,
    SetConsoleCtrlHandler,
};
use windows_sys::Win32::System::JobObjects::IsProcessInJob;
use windows_sys::Win32::System::Threading::{
    CREATE_NO_WINDOW, DETACHED_PROCESS, OpenProcess, PROCESS_QUERY_INFORMATION,
    PROCESS_SUSPEND_RESUME, PROCESS_SYNCHRONIZE, PROCESS_TERMINATE, TerminateProcess,
    WaitForSingleObject,
};
use windows_sys::Win32::UI::Input::KeyboardAndMouse::{
    INPUT, INPUT_0, INPUT_KEYBOARD, KEYBDINPUT, KEYEVENTF_KEYUP, MOUSEEVENTF_MOVE, SendInput,
    VK_CONTROL, VK_MENU, VK_U, mouse_event,
};
use windows_sys::Win32::UI::WindowsAndMessaging::{
    CreateWindowExW, DispatchMessageW, EnumWindows, GetMessageW, GetWindowThreadProcessId, MSG,
    SMTO_ABORTIFHUNG, SendMessageTimeoutW, SendNotifyMessageW, SetForegroundWindow, WM_ENDSESSION,
    WM_QUERYENDSESSION, WS_OVERLAPPEDWINDOW, WS_VISIBLE,
};
use windows_sys::core::BOOL;
use windows_sys::w;

use crate::harness::process::{RunningProcess, clean_command};
use crate::harness::{TIMEOUT, TestService, answer, eventually, http, pictures};

/// Set where this program is to stand in for a tunnel.
const TUNNEL: &str = "TEST_TUNNEL";

/// The process for whose console this program is to press a key, and the event of that key.
const CONSOLE_OF: &str = "TEST_CONSOLE_OF";
const EVENT: &str = "TEST_CONSOLE_EVENT";

/// The title of the window that this program is to show.
const SHOWS: &str = "TEST_SHOWS";

#[link(name = "ntdll")]
unsafe extern "system" {
    fn NtSuspendProcess(process: HANDLE) -> i32;
}

fn open(pid: u32, access: u32) -> Option<OwnedHandle> {
    // SAFETY: it takes no pointers.
    let handle = unsafe { OpenProcess(access, 0, pid) };
    // SAFETY: it is open, and has no other owner.
    (!handle.is_null()).then(|| unsafe { OwnedHandle::from_raw_handle(handle) })
}

fn is_in_a_job(pid: u32) -> bool {
    let mut is_in = 0;
    let process = open(pid, PROCESS_QUERY_INFORMATION);
    // SAFETY: the handle is open, and what is written to is ours.
    let is_known = process.is_some_and(|process| unsafe {
        IsProcessInJob(process.as_raw_handle(), null_mut(), &raw mut is_in) != 0
    });
    is_known && is_in != 0
}

/// A process that the service has started. It is killed when this is dropped.
struct Started(OwnedHandle);

impl Started {
    fn open(pid: u32) -> Option<Self> {
        let access = PROCESS_SUSPEND_RESUME | PROCESS_SYNCHRONIZE | PROCESS_TERMINATE;
        open(pid, access).map(Self)
    }

    /// Stops it where it is: from now on it cannot end by itself.
    fn freezes(&self) -> bool {
        // SAFETY: the handle is open.
        unsafe { NtSuspendProcess(self.0.as_raw_handle()) == 0 }
    }

    fn has_ended(&self) -> bool {
        // SAFETY: the handle is open.
        unsafe { WaitForSingleObject(self.0.as_raw_handle(), 0) == WAIT_OBJECT_0 }
    }
}

impl Drop for Started {
    fn drop(&mut self) {
        // SAFETY: the handle is open. It has ended already in the best case.
        unsafe { TerminateProcess(self.0.as_raw_handle(), 1) };
    }
}

/// The processes of a program among those that a process has started, and that these have started.
fn started_by(pid: u32, program: &Path) -> Vec<u32> {
    let mut system = System::new().expect("a system");
    let nothing_more = ProcessRefreshKind::nothing();
    system.refresh_processes_specifics(ProcessesToUpdate::All, true, nothing_more);
    let (mut above, mut found) = (vec![Pid::from_u32(pid)], Vec::new());
    while let Some(parent) = above.pop() {
        for process in system.processes().values() {
            if process.parent() == Some(parent) && process.pid() != parent {
                above.push(process.pid());
                if Some(process.name()) == program.file_name() {
                    found.push(process.pid().as_u32());
                }
            }
        }
    }
    found
}

/// Ends the service by force. Its output ends when all that it has started has ended, too.
async fn kill(service: &mut TestService) {
    let killed = tokio::time::timeout(TIMEOUT, service.kill()).await;
    killed.expect("something that it has started goes on");
}

/// What tests below have a service start as its tunnel, with the port as its last word.
#[test]
fn stands_in_for_a_tunnel() {
    if std::env::var_os(TUNNEL).is_some() {
        // SAFETY: it takes nothing.
        let console = unsafe { GetConsoleWindow() };
        assert!(console.is_null(), "a console that everyone sees");
        let port = std::env::args().next_back().expect("a port");
        println!("http://127.0.0.1:{port}");
        std::thread::sleep(10 * TIMEOUT);
    }
}

/// The settings for this program as the tunnel.
fn tunnel() -> [String; 3] {
    let this = std::env::current_exe().expect("this program");
    [
        "tunnel.kind=command".to_owned(),
        "tunnel.pattern=(http[^ ]+)".to_owned(),
        format!(
            "tunnel.command=['{}', '--exact', '--nocapture', 'windows::stands_in_for_a_tunnel', \
             '{{port}}']",
            this.display()
        ),
    ]
}

#[tokio::test]
async fn a_killed_service_takes_its_tunnel_with_it() {
    let this = std::env::current_exe().expect("this program");
    let mut service = TestService::builder()
        .sets(&tunnel())
        .env(TUNNEL, "1")
        .start()
        .await;
    eventually("the tunnel is up", async || {
        let log = service.stderr();
        log.contains("the tunnel: up at http://127.0.0.1:")
            .then_some(())
    })
    .await;
    let [tunnel] = started_by(service.pid(), &this)[..] else {
        panic!("no tunnel: {}", service.stderr());
    };
    assert!(is_in_a_job(tunnel));
    let tunnel = Started::open(tunnel).expect("it runs");
    assert!(!tunnel.has_ended());
    kill(&mut service).await;
    eventually("its end", async || tunnel.has_ended().then_some(())).await;
}

/// It is frozen, so that neither its pipes nor the end of its work can end it.
#[tokio::test]
async fn a_killed_service_takes_its_decoder_with_it() {
    let program = Path::new(env!("CARGO_BIN_EXE_porchlight"));
    let mut service = TestService::start(&[]).await;
    let decoder = {
        let uploads = async {
            for (name, bytes) in pictures::kept() {
                if name.ends_with(".avif") || name.ends_with(".jxl") {
                    service.upload(bytes).await;
                }
            }
        };
        let frozen = eventually("a decoder in a job", async || {
            started_by(service.pid(), program)
                .into_iter()
                .filter(|pid| is_in_a_job(*pid))
                .filter_map(Started::open)
                .find(|decoder| decoder.freezes() && !decoder.has_ended())
        });
        tokio::select! {
            frozen = frozen => frozen,
            () = uploads => panic!("no decoder was seen"),
        }
    };
    kill(&mut service).await;
    eventually("its end", async || decoder.has_ended().then_some(())).await;
}

/// A `porchlight serve` or a tray app that reports to another service, too.
struct Companion {
    service: TestService,
    process: RunningProcess,
    _home: tempfile::TempDir,
}

impl Companion {
    /// Starts `porchlight serve` with its own console, and waits until readers see its owner online.
    async fn start() -> Self {
        Self::start_as("serve", &[]).await
    }

    async fn start_as(word: &str, settings: &[String]) -> Self {
        let service = TestService::start(&["limits.requests_per_second=0"]).await;
        let home = tempfile::tempdir().expect("a folder");
        let mut command = clean_command(env!("CARGO_BIN_EXE_porchlight"), home.path());
        command.arg(word).arg("--data-dir");
        command.arg(home.path().join("companion"));
        for setting in [
            "presence.enabled=true".to_owned(),
            "presence.interval_seconds=1".to_owned(),
            "server.listen=127.0.0.1:0".to_owned(),
            format!("presence.target_url={}", service.url("")),
        ]
        .iter()
        .chain(settings)
        {
            command.args(["--set", setting]);
        }
        command.env("PORCHLIGHT_PRESENCE_TOKEN", &service.heartbeat_token);
        command.env(TUNNEL, "1");
        command.creation_flags(CREATE_NO_WINDOW);
        let process = RunningProcess::spawn(command);
        // Without input for long the owner counts as away. A movement of nothing counts as none.
        for by in [1, -1] {
            // SAFETY: it takes no pointers.
            unsafe { mouse_event(MOUSEEVENTF_MOVE, by, by, 0, 0) };
        }
        let companion = Self {
            service,
            process,
            _home: home,
        };
        let online = |check: &Value| check["applicationOnline"] == true;
        companion.seen("the owner is online", online).await;
        companion
    }

    /// Waits until readers see this.
    async fn seen(&self, what: &str, is_it: impl Fn(&Value) -> bool) {
        eventually(what, async || {
            is_it(&self.service.json("/check").await).then_some(())
        })
        .await;
    }

    fn pid(&self) -> u32 {
        self.process.pid().expect("it runs")
    }

    /// Waits until it has ended in order, and readers see its owner offline.
    async fn says_goodbye(mut self) {
        let status = self.process.wait().await;
        assert_eq!(status.code(), Some(0), "{}", self.process.stderr());
        let check = self.service.json("/check").await;
        assert_eq!(check["applicationOnline"], false, "{check}");
        assert_eq!(check["alive"], true, "{check}");
    }
}

/// What the tests below start without a console: a process has one at most, and a key reaches all
/// processes that share it.
#[test]
fn presses_a_key_for_another_process() {
    /// This process shares the console, and goes on.
    unsafe extern "system" fn goes_on(_event: u32) -> i32 {
        1
    }
    let number = |name| std::env::var(name).ok()?.parse::<u32>().ok();
    let (Some(process), Some(event)) = (number(CONSOLE_OF), number(EVENT)) else {
        return;
    };
    // SAFETY: the handler is a function of this program, and the others take no pointers.
    let done = unsafe {
        AttachConsole(process) != 0
            && SetConsoleCtrlHandler(Some(goes_on), 1) != 0
            && GenerateConsoleCtrlEvent(event, 0) != 0
    };
    assert!(done, "{}", std::io::Error::last_os_error());
}

async fn a_key_sends_the_goodbye(event: u32) {
    let companion = Companion::start().await;
    let this = std::env::current_exe().expect("this program");
    let helper = Command::new(this)
        .args(["--exact", "windows::presses_a_key_for_another_process"])
        .env(CONSOLE_OF, companion.pid().to_string())
        .env(EVENT, event.to_string())
        .creation_flags(DETACHED_PROCESS)
        .stdin(Stdio::null())
        .kill_on_drop(true)
        .output();
    let helper = tokio::time::timeout(TIMEOUT, helper).await;
    let helper = helper.expect("it ends").expect("it starts");
    assert!(helper.status.success(), "{helper:?}");
    companion.says_goodbye().await;
}

#[tokio::test]
async fn ctrl_c_sends_the_goodbye() {
    a_key_sends_the_goodbye(CTRL_C_EVENT).await;
}

#[tokio::test]
#[ignore = "Wine 8 passes no Ctrl+Break on"]
async fn ctrl_break_sends_the_goodbye() {
    a_key_sends_the_goodbye(CTRL_BREAK_EVENT).await;
}

/// What the system sends to all windows of a process at a logoff and at a shutdown.
fn end_the_session_of(process: u32) {
    /// Its answer is waited for no longer, in milliseconds.
    const WITHIN: u32 = 10_000;
    unsafe extern "system" fn note(window: HWND, found: LPARAM) -> BOOL {
        // SAFETY: it is the list below.
        let found = unsafe { &mut *(found as *mut Vec<HWND>) };
        found.push(window);
        1
    }
    let mut windows: Vec<HWND> = Vec::new();
    // SAFETY: the function gets the list, which it does not keep, and what is written to is ours.
    unsafe {
        EnumWindows(Some(note), (&raw mut windows) as LPARAM);
        windows.retain(|window| {
            let mut of = 0;
            GetWindowThreadProcessId(*window, &raw mut of);
            of == process
        });
        assert!(!windows.is_empty(), "it has no window for this");
        for window in &windows {
            let mut may_end = 0;
            let asked = SendMessageTimeoutW(
                *window,
                WM_QUERYENDSESSION,
                0,
                0,
                SMTO_ABORTIFHUNG,
                WITHIN,
                &raw mut may_end,
            );
            assert!(asked != 0 && may_end == 1, "it keeps the session: {asked}");
        }
        // This answer is not waited for: the process ends before.
        for window in windows {
            SendNotifyMessageW(window, WM_ENDSESSION, 1, 0);
        }
    }
}

#[tokio::test]
async fn a_logoff_sends_the_goodbye() {
    let companion = Companion::start().await;
    end_the_session_of(companion.pid());
    companion.says_goodbye().await;
}

/// It has no console that its tunnel could use, and the windows of the tray.
#[tokio::test]
async fn the_tray_app_shows_no_console_and_sends_the_goodbye_at_a_logoff() {
    let settings = tunnel().to_vec();
    let companion = Companion::start_as("--hidden", &settings).await;
    eventually("the tunnel is up", async || {
        let log = companion.process.stderr();
        assert!(!log.contains("a console"), "{log}");
        log.contains("the tunnel: up at http://127.0.0.1:")
            .then_some(())
    })
    .await;
    end_the_session_of(companion.pid());
    companion.says_goodbye().await;
}

/// A tray app that serves its own data folder, without a window.
struct TrayApp {
    url: String,
    _process: RunningProcess,
    home: tempfile::TempDir,
}

impl TrayApp {
    async fn start(settings: &[&str]) -> Self {
        let home = tempfile::tempdir().expect("a folder");
        let mut command = Self::command(home.path());
        command.arg("--hidden");
        for setting in ["server.listen=127.0.0.1:0"].iter().chain(settings) {
            command.args(["--set", setting]);
        }
        let mut process = RunningProcess::spawn(command);
        let line = process.line_with("listening on ").await;
        let line = line.unwrap_or_else(|| panic!("it ended: {}", process.stderr()));
        Self {
            url: line.trim().replace("listening on ", ""),
            _process: process,
            home,
        }
    }

    fn command(home: &Path) -> Command {
        let mut command = clean_command(env!("CARGO_BIN_EXE_porchlight"), home);
        command.arg("--data-dir").arg(home.join("data"));
        command
    }

    /// The images that it lists.
    async fn images(&self) -> Vec<Value> {
        let list = http().get(format!("{}/images/list?detail=1", self.url));
        let list = list.send().await;
        let (status, list) = answer(list.expect("an answer")).await;
        assert_eq!(status, 200, "{list}");
        list["images"].as_array().expect("a list").clone()
    }
}

#[tokio::test]
async fn each_data_folder_has_one_tray_app_which_a_second_start_reaches() {
    let (one, other) = (TrayApp::start(&[]).await, TrayApp::start(&[]).await);
    let picture = one.home.path().join("one.jpg");
    std::fs::write(&picture, pictures::photo()).expect("to write");
    let mut second = TrayApp::command(one.home.path());
    second.arg("--upload").arg(picture);
    let second = tokio::time::timeout(TIMEOUT, RunningProcess::spawn(second).ended()).await;
    let second = second.expect("it goes on beside the first");
    assert!(second.status.success(), "{second:?}");
    eventually("the picture", async || {
        (one.images().await.len() == 1).then_some(())
    })
    .await;
    assert_eq!(other.images().await, [Value::Null; 0]);
}

/// Presses keys one after another, and releases them.
fn press(keys: &[u16]) {
    let key = |key: &u16, flags| INPUT {
        r#type: INPUT_KEYBOARD,
        Anonymous: INPUT_0 {
            ki: KEYBDINPUT {
                wVk: *key,
                dwFlags: flags,
                ..KEYBDINPUT::default()
            },
        },
    };
    let down = keys.iter().map(|code| key(code, 0));
    let up = keys.iter().rev().map(|code| key(code, KEYEVENTF_KEYUP));
    let all: Vec<INPUT> = down.chain(up).collect();
    let (count, size) = (2 * keys.len(), size_of::<INPUT>());
    // SAFETY: the list has so many of this size.
    let pressed = unsafe { SendInput(count as u32, all.as_ptr(), size as i32) };
    assert_eq!(
        pressed as usize,
        count,
        "{}",
        std::io::Error::last_os_error()
    );
}

#[tokio::test]
async fn a_global_hotkey_uploads_the_image_on_the_clipboard() {
    let app = TrayApp::start(&["app.upload_shortcut=Ctrl+Alt+U"]).await;
    let image = arboard::ImageData {
        width: 3,
        height: 2,
        bytes: [200, 20, 20, 255].repeat(6).into(),
    };
    let listed = eventually("the image", async || {
        // Another program may have the clipboard open for a moment, and the app of another test
        // puts its link there.
        let clipboard = arboard::Clipboard::new();
        clipboard.ok()?.set_image(image.clone()).ok()?;
        // Until the app has asked for the keys, they have no effect.
        press(&[VK_CONTROL, VK_MENU, VK_U]);
        app.images().await.pop()
    })
    .await;
    assert_eq!(
        (&listed["width"], &listed["height"]),
        (&3.into(), &2.into())
    );
}

/// What the test below starts for a window of another program.
#[test]
fn shows_a_window() {
    use std::os::windows::ffi::OsStrExt as _;

    let Some(title) = std::env::var_os(SHOWS) else {
        return;
    };
    let title: Vec<u16> = title.encode_wide().chain([0]).collect();
    let (none, class) = (null_mut(), w!("STATIC"));
    let style = WS_OVERLAPPEDWINDOW | WS_VISIBLE;
    // SAFETY: both texts end with a null and outlive the calls, and the message is ours.
    unsafe {
        let (title, more) = (title.as_ptr(), null_mut());
        let window = CreateWindowExW(
            0, class, title, style, 0, 0, 300, 200, none, more, none, none,
        );
        SetForegroundWindow(window);
        let mut message: MSG = std::mem::zeroed();
        while GetMessageW(&raw mut message, none, 0, 0) > 0 {
            DispatchMessageW(&raw const message);
        }
    }
}

#[tokio::test]
async fn readers_see_the_app_in_front_and_nothing_of_a_private_window() {
    let companion = Companion::start().await;
    let at = |application: &'static str| {
        move |check: &Value| {
            check["applicationOnline"] == true && check["application"] == application
        }
    };
    let start = |mut command: Command| {
        let quiet = command.stdin(Stdio::null()).stdout(Stdio::null());
        quiet.kill_on_drop(true).spawn().expect("a program")
    };
    let _notepad = start(Command::new("notepad.exe"));
    companion.seen("Notepad", at("Notepad")).await;
    let mut private = Command::new(std::env::current_exe().expect("this program"));
    private.args(["--exact", "windows::shows_a_window"]);
    private.env(SHOWS, "Savings — Mozilla Firefox Private Browsing");
    let private = start(private);
    companion.seen("nothing named", at("")).await;
    drop(private);
    let log = companion.process.stderr();
    assert!(!log.contains("Savings"), "{log}");
}

/// The profile of this service is its home folder. Wine adds the rights of the folder above to those
/// that are set, protected or not, which the service reports. Only Windows shows that it is closed.
#[tokio::test]
async fn a_data_folder_outside_of_the_profile_is_closed_to_other_users() {
    let outside = tempfile::tempdir().expect("a folder");
    let data = outside.path().join("data");
    for warning in ["may have access to", "can read"] {
        let mut service = TestService::builder().data_dir(&data).start().await;
        if std::env::var_os("WINEPREFIX").is_some() {
            let log = service.stderr();
            let of_it = format!("other users {warning} {}", data.display());
            assert!(log.contains(&of_it), "{log}");
        } else {
            let rights = Command::new("icacls").arg(&data).output().await;
            let rights = rights.expect("icacls").stdout;
            let rights = String::from_utf8_lossy(&rights);
            assert!(!rights.contains("Users:"), "{rights}");
        }
        service.stop().await;
    }
}
