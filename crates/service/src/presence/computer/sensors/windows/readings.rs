//! What the raw readings of Windows mean. Nothing here calls Windows: every system tests it.

use std::time::Duration;

/// A reading of the last input that is this much newer than the clock was taken right after it.
const RIGHT_AFTER: u32 = 60_000;

/// What a change of the session means for the lock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SessionChange {
    Locked,
    Unlocked,
    /// A connection alone does not say it: the session has to be asked.
    Ask,
}

/// The window classes of the shell itself, in which no program has the focus: the desktop, the
/// taskbar, Alt+Tab and the overview of windows.
const SHELL_CLASSES: &[&str] = &[
    "Progman",
    "WorkerW",
    "Shell_TrayWnd",
    "Shell_SecondaryTrayWnd",
    "NotifyIconOverflowWindow",
    "TopLevelWindowForOverflowXamlIsland",
    "TaskSwitcherWnd",
    "MultitaskingViewFrame",
    "XamlExplorerHostIslandWindow",
    "ForegroundStaging",
];

/// The programs of the shell, in lower case: the start menu, the search, notifications.
const SHELL_PROGRAMS: &[&str] = &[
    "startmenuexperiencehost",
    "searchhost",
    "searchapp",
    "searchui",
    "shellexperiencehost",
    "shellhost",
    "textinputhost",
];

/// The codes of `WM_WTSSESSION_CHANGE`; `None` for those that say nothing about the lock.
pub(super) fn session_change(code: usize) -> Option<SessionChange> {
    const CONSOLE_CONNECT: usize = 1;
    const CONSOLE_DISCONNECT: usize = 2;
    const REMOTE_CONNECT: usize = 3;
    const REMOTE_DISCONNECT: usize = 4;
    const LOCK: usize = 7;
    const UNLOCK: usize = 8;
    match code {
        // Nobody is at a session without a screen.
        LOCK | CONSOLE_DISCONNECT | REMOTE_DISCONNECT => Some(SessionChange::Locked),
        UNLOCK => Some(SessionChange::Unlocked),
        CONSOLE_CONNECT | REMOTE_CONNECT => Some(SessionChange::Ask),
        _ => None,
    }
}

/// The time from one reading of the tick counter to another. It starts again at 0 after 49.7 days.
pub(super) fn since_input(now: u32, last: u32) -> Duration {
    let ticks = match now.wrapping_sub(last) {
        // Input arrived between the two readings.
        ahead if ahead > u32::MAX - RIGHT_AFTER => 0,
        ticks => ticks,
    };
    Duration::from_millis(ticks.into())
}

/// Whether a window fills its monitor and is not merely maximised: a maximised one has its caption
/// still, also where no taskbar leaves a rest of the monitor. Edges: left, top, right, bottom.
pub(super) fn fills(window: [i32; 4], monitor: [i32; 4], maximised_with_caption: bool) -> bool {
    window == monitor && !maximised_with_caption
}

/// Whether a window is one of the shell. `program` is the name of its file.
pub(super) fn is_shell(class: &str, program: &str) -> bool {
    let program = program.to_lowercase();
    let program = program.strip_suffix(".exe").unwrap_or(&program);
    SHELL_PROGRAMS.contains(&program) || (program == "explorer" && SHELL_CLASSES.contains(&class))
}

/// The process whose program is seen in a frame of this one: of the frame's children the first one of
/// another process.
pub(super) fn framed(host: u32, children: &[u32]) -> Option<u32> {
    children.iter().copied().find(|child| *child != host)
}

/// An icon's pixels, from BGRA and from the mask in the same form, in which what is not black is
/// transparent. Icons without an alpha channel have 0 in its place throughout.
pub(super) fn rgba_of(bgra: &[u8], mask: &[u8]) -> Vec<u8> {
    let (pixels, _) = bgra.as_chunks::<4>();
    let (masks, _) = mask.as_chunks::<4>();
    let has_alpha = pixels.iter().any(|[.., alpha]| *alpha != 0);
    let masks = masks.iter().map(|[masked, ..]| *masked != 0);
    let rgba = |(&[blue, green, red, alpha], masked): (&[u8; 4], bool)| match (has_alpha, masked) {
        (true, _) => [red, green, blue, alpha],
        (false, true) => [0; 4],
        (false, false) => [red, green, blue, 255],
    };
    pixels
        .iter()
        .zip(masks.chain(std::iter::repeat(false)))
        .flat_map(rgba)
        .collect()
}

/// The names under which a version resource may hold its text `key`: in the languages and code pages
/// of its `translations` first, then in those that programs forget to list.
pub(super) fn version_texts(translations: &[u8], key: &str) -> Vec<String> {
    let (listed, _) = translations.as_chunks::<4>();
    let listed = listed.iter().map(|[a, b, c, d]| {
        let (language, page) = (u16::from_le_bytes([*a, *b]), u16::from_le_bytes([*c, *d]));
        format!("{language:04x}{page:04x}")
    });
    let usual = ["040904b0", "040904e4", "000004b0"].map(str::to_owned);
    listed
        .chain(usual)
        .map(|place| format!("\\StringFileInfo\\{place}\\{key}"))
        .collect()
}

/// UTF-16 up to its zero.
pub(super) fn text_of(units: &[u16]) -> String {
    let end = units.iter().position(|unit| *unit == 0);
    String::from_utf16_lossy(&units[..end.unwrap_or(units.len())])
}

/// The names of a media player's program by its Application User Model ID:
/// `SpotifyAB.SpotifyMusic_zpdnekdrzrea0!Spotify`, `MSEdge`, `C:\Programs\foobar2000.exe`.
pub(super) fn names_of_app(id: &str) -> Vec<String> {
    let file = id.rsplit('\\').next().unwrap_or(id);
    let (package, app) = file.split_once('!').unwrap_or((file, ""));
    let package = package.split('_').next().unwrap_or(package);
    // `App` is the name that a template gives.
    let app = if app == "App" { "" } else { app };
    let ends = |name: &str| {
        let parts = [name.split('.').next(), name.rsplit('.').next()];
        parts.map(|part| part.unwrap_or_default().to_owned())
    };
    let [app_start, app_end] = ends(app);
    let [start, end] = ends(package);
    // Mozilla's own IDs are a hash of the folder of the installation.
    let is_hash = file.len() == 16 && file.bytes().all(|byte| byte.is_ascii_hexdigit());
    let firefox = if is_hash { "firefox" } else { "" };
    let is_exe = end.eq_ignore_ascii_case("exe");
    let end = if is_exe { String::new() } else { end };
    let whole = [firefox, app, package].map(str::to_owned);
    let parts = [app_end, app_start, end, start];
    let names = whole.into_iter().chain(parts);
    names.filter(|name| !name.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::presence::computer::built_in;
    use crate::presence::computer::foreground::Window;

    #[test]
    fn ticks_are_counted_across_their_end() {
        let millis = Duration::from_millis;
        assert_eq!(since_input(5_000, 2_000), millis(3_000));
        assert_eq!(since_input(1_000, u32::MAX - 999), millis(2_000));
        assert_eq!(since_input(0, u32::MAX), millis(1));
        // Longer than half of the counter.
        assert_eq!(since_input(4_000_000_000, 0), millis(4_000_000_000));
        // Input between the two readings.
        assert_eq!(since_input(2_000, 2_016), Duration::ZERO);
        assert_eq!(since_input(u32::MAX, 15), Duration::ZERO);
    }

    #[test]
    fn a_lock_and_a_session_without_a_screen_count_as_locked() {
        let changes: Vec<_> = (0..=10).filter_map(session_change).collect();
        use SessionChange::{Ask, Locked, Unlocked};
        assert_eq!(changes, [Ask, Locked, Ask, Locked, Locked, Unlocked]);
        assert_eq!(session_change(7), Some(Locked));
        assert_eq!(session_change(8), Some(Unlocked));
        assert_eq!(session_change(9), None);
    }

    #[test]
    fn only_a_window_of_the_size_of_its_monitor_is_in_full_screen() {
        let monitor = [1_920, 0, 3_840, 1_080];
        assert!(fills(monitor, monitor, false));
        assert!(!fills(monitor, monitor, true), "no taskbar is there");
        assert!(!fills([1_912, -8, 3_848, 1_048], monitor, true));
        assert!(!fills([1_920, 0, 3_840, 1_040], monitor, false));
    }

    #[test]
    fn the_shell_is_no_program_but_its_folders_are() {
        assert!(is_shell("Progman", "explorer.exe"));
        assert!(is_shell("Shell_TrayWnd", "Explorer.EXE"));
        assert!(is_shell(
            "Windows.UI.Core.CoreWindow",
            "StartMenuExperienceHost.exe"
        ));
        assert!(!is_shell("CabinetWClass", "explorer.exe"));
        assert!(!is_shell("Progman", "another.exe"));
    }

    #[test]
    fn the_program_in_a_frame_is_of_another_process() {
        assert_eq!(framed(4, &[4, 4, 9, 11]), Some(9));
        assert_eq!(framed(4, &[4]), None);
        assert_eq!(framed(4, &[]), None);
    }

    #[test]
    fn icons_have_an_alpha_channel_or_a_mask() {
        let with_alpha = [1, 2, 3, 128, 4, 5, 6, 0];
        let mask = [0, 0, 0, 0, 255, 255, 255, 0];
        assert_eq!(rgba_of(&with_alpha, &mask), [3, 2, 1, 128, 6, 5, 4, 0]);
        let without = [1, 2, 3, 0, 4, 5, 6, 0];
        assert_eq!(rgba_of(&without, &mask), [3, 2, 1, 255, 0, 0, 0, 0]);
        assert_eq!(rgba_of(&without, &[]), [3, 2, 1, 255, 6, 5, 4, 255]);
    }

    #[test]
    fn version_texts_are_looked_for_in_the_listed_language_first() {
        let chinese = [0x04, 0x08, 0xb0, 0x04];
        let texts = version_texts(&chinese, "FileDescription");
        assert_eq!(texts[0], r"\StringFileInfo\080404b0\FileDescription");
        assert_eq!(texts[1], r"\StringFileInfo\040904b0\FileDescription");
        assert_eq!(version_texts(&[], "x").len(), 3);
        assert_eq!(text_of(&[0x8bb0, 0x4e8b, 0, 0x41]), "记事");
        assert_eq!(text_of(&[0x41]), "A");
    }

    #[test]
    fn media_players_are_known_by_their_ids() {
        for (id, known) in [
            ("Spotify.exe", "Spotify"),
            ("SpotifyAB.SpotifyMusic_zpdnekdrzrea0!Spotify", "Spotify"),
            (r"C:\Programs\foobar2000\foobar2000.exe", "foobar2000"),
            ("308046B0AF4A39CB", "Firefox"),
            ("Chrome.UserData.Profile1", "Google Chrome"),
            ("MSEdge", "Microsoft Edge"),
            ("com.squirrel.Discord.Discord", "Discord"),
            ("cloudmusic.exe", "NetEase Cloud Music"),
        ] {
            let window = Window {
                names: Window::names_of(names_of_app(id)),
                ..Window::default()
            };
            let found = built_in::list().find(&window);
            let name = found.map(|program| program.names()[0]);
            assert_eq!(name, Some(known), "{id}: {:?}", window.names);
        }
        assert_eq!(
            names_of_app("Some.Player_8wekyb3d8bbwe!App"),
            ["Some.Player", "Player", "Some"]
        );
        assert_eq!(names_of_app(""), [""; 0]);
    }
}
