//! Which game the Steam client runs.

use std::path::Path;

use crate::error::message::Message;

/// A game that runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Running {
    /// Steam's number of it.
    pub(super) id: u64,
    /// The names of its programs; empty where the system does not reveal which
    /// ones are the game's.
    pub(super) programs: Vec<String>,
}

/// The game that was started last and still runs; `None` when
/// none does. With a folder, only games of the client in it count.
///
/// On Linux the client starts each game under a separate process, whose command
/// line is `…/reaper SteamLaunch AppId=620 -- …` and which lives as long as the
/// game does. `registry.vdf` has not been updated with it since 2023
/// (ValveSoftware/steam-for-linux#9672).
#[cfg(target_os = "linux")]
pub(super) fn game(folder: Option<&Path>) -> Result<Option<Running>, Message> {
    use sysinfo::{ProcessRefreshKind, ProcessesToUpdate, System, UpdateKind};

    let mut system = System::new()
        .map_err(|_| crate::detail!("the programs of this machine could not be looked at"))?;
    let wanted = ProcessRefreshKind::nothing()
        .without_tasks()
        .with_cmd(UpdateKind::Always)
        .with_exe(UpdateKind::Always)
        .with_user(UpdateKind::Always);
    system.refresh_processes_specifics(ProcessesToUpdate::All, true, wanted);
    let myself = sysinfo::get_current_pid()
        .ok()
        .and_then(|pid| system.process(pid))
        .and_then(|process| process.user_id());
    let started_last = system
        .processes()
        .values()
        // What another user of this machine plays is not the owner's.
        .filter(|process| process.user_id() == myself)
        .filter_map(|process| {
            let words = process.cmd().iter().map(|word| word.to_string_lossy());
            let words: Vec<_> = words.collect();
            let id = started(words.iter().map(AsRef::as_ref), folder)?;
            Some((process.start_time(), process.pid(), id))
        })
        .max();
    Ok(started_last.map(|(_, reaper, id)| Running {
        id,
        programs: programs_below(&system, reaper),
    }))
}

/// The names of this process's descendants: each by its process name, its file
/// and the first word of its command line, which alone identifies the program
/// where Proton runs one of Windows.
#[cfg(target_os = "linux")]
fn programs_below(system: &sysinfo::System, reaper: sysinfo::Pid) -> Vec<String> {
    /// Descendants deeper than this are ignored.
    const DEEPEST: usize = 64;

    let parent = |pid: &sysinfo::Pid| system.process(*pid)?.parent();
    let is_below = |pid: sysinfo::Pid| {
        let mut above = std::iter::successors(parent(&pid), parent).take(DEEPEST);
        above.any(|above| above == reaper)
    };
    let mut names = std::collections::BTreeSet::new();
    for (_, process) in system.processes().iter().filter(|(pid, _)| is_below(**pid)) {
        let file = process.exe().map(Path::as_os_str);
        let words = [
            Some(process.name()),
            file,
            process.cmd().first().map(AsRef::as_ref),
        ];
        for word in words.into_iter().flatten() {
            let word = word.to_string_lossy();
            names.extend(word.rsplit(['/', '\\']).next().map(str::to_owned));
        }
    }
    names.remove("");
    names.into_iter().collect()
}

/// On Windows the client keeps it in the registry; 0 is none.
#[cfg(windows)]
pub(super) fn game(_folder: Option<&Path>) -> Result<Option<Running>, Message> {
    let user = winreg::RegKey::predef(winreg::enums::HKEY_CURRENT_USER);
    let steam = user
        .open_subkey("Software\\Valve\\Steam")
        .map_err(|_| crate::detail!("no Steam client was found on this machine"))?;
    let id: u32 = steam.get_value("RunningAppID").unwrap_or(0);
    Ok((id != 0).then_some(Running {
        id: u64::from(id),
        programs: Vec::new(),
    }))
}

/// Elsewhere no such place is known.
#[cfg(not(any(target_os = "linux", windows)))]
pub(super) fn game(_folder: Option<&Path>) -> Result<Option<Running>, Message> {
    Err(crate::detail!(
        "on this system the Steam client does not report which game runs"
    ))
}

/// The number of the game that a command line starts, when it is the client's.
#[cfg(target_os = "linux")]
fn started<'a>(words: impl IntoIterator<Item = &'a str>, folder: Option<&Path>) -> Option<u64> {
    let mut words = words.into_iter();
    let reaper = Path::new(words.next()?);
    let is_the_clients = folder.is_none_or(|folder| reaper.starts_with(folder));
    if reaper.file_name()? != "reaper" || !is_the_clients || words.next()? != "SteamLaunch" {
        return None;
    }
    let id = words
        .take_while(|word| *word != "--")
        .find_map(|word| word.strip_prefix("AppId="))?;
    id.parse().ok().filter(|&id| id != 0)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::path::Path;

    use super::started;

    const REAPER: &str = "/home/me/.local/share/Steam/ubuntu12_32/reaper";

    #[test]
    fn a_game_is_read_off_the_command_line_of_its_reaper() {
        for (words, id) in [
            (
                vec![REAPER, "SteamLaunch", "AppId=620", "--", "portal2"],
                Some(620),
            ),
            (
                vec![REAPER, "SteamLaunch", "AppId=3405691582", "--"],
                Some(3_405_691_582),
            ),
            (vec!["reaper", "SteamLaunch", "AppId=620"], Some(620)),
            // Not a game, not Steam's, or nothing that can be read.
            (vec![REAPER, "SteamLaunch", "AppId=0", "--"], None),
            (vec![REAPER, "SteamLaunch", "AppId=", "--"], None),
            (vec![REAPER, "SteamLaunch", "AppId=-7", "--"], None),
            (vec![REAPER, "SteamLaunch", "--", "AppId=620"], None),
            (vec![REAPER, "AppId=620", "SteamLaunch"], None),
            (vec!["grep", "SteamLaunch", "AppId=620"], None),
            (vec!["vim", REAPER, "SteamLaunch", "AppId=620"], None),
            (vec![REAPER], None),
            (vec![], None),
        ] {
            assert_eq!(started(words.iter().copied(), None), id, "{words:?}");
        }
    }

    #[test]
    fn with_a_folder_only_its_client_counts() {
        let words = || [REAPER, "SteamLaunch", "AppId=620", "--"];
        let here = Path::new("/home/me/.local/share/Steam");
        assert_eq!(started(words(), Some(here)), Some(620));
        assert_eq!(started(words(), Some(Path::new("/elsewhere"))), None);
    }
}
