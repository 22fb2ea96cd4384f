//! The files of the Steam client: names of games in `appmanifest_*.acf` and
//! `shortcuts.vdf`, minutes played in `localconfig.vdf`, the account in
//! `loginusers.vdf`. All are Valve's KeyValues text but the shortcuts.
//!
//! They belong to another program, so nothing in them is relied on: missing,
//! truncated or unexpected data is unknown.

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use keyvalues_parser::{Value, parse};
use steamlocate::SteamDir;

use crate::text::{LONGEST_NAME, one_line};

/// The maximum size of these files.
const MOST_BYTES: u64 = 32 << 20;

/// Numbers from here on are games that the owner added manually.
const SHORTCUTS: u64 = 1 << 31;

/// What follows the client's number of such a game in the Web API's, which has 64 bits: the type of a
/// shortcut (developer.valvesoftware.com/wiki/SteamID, `CGameID`).
const OF_A_SHORTCUT: u64 = 0x0200_0000;

/// The offset of a SteamID from its account number (the public universe, an
/// individual's account: developer.valvesoftware.com/wiki/SteamID).
const INDIVIDUAL: u64 = 0x0110_0001_0000_0000;

/// Games that were never played have a time before this, in seconds: the client
/// writes 0 or the second day of 1970 for them.
const NEVER_PLAYED: i64 = 86_400 + 1;

/// The client's data of one game.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Played {
    pub(super) id: u32,
    /// Unix seconds.
    pub(super) last: i64,
    /// Minutes in the last two weeks.
    pub(super) minutes_lately: Option<u32>,
    /// Minutes ever.
    pub(super) minutes: Option<u32>,
}

/// The files of one client.
#[derive(Debug)]
pub(super) struct SteamFiles(SteamDir);

impl SteamFiles {
    /// The client in this folder, or in one of the places where it is usually
    /// installed.
    pub(super) fn find(folder: Option<&Path>) -> Option<Self> {
        match folder {
            Some(folder) => SteamDir::from_dir(folder),
            None => SteamDir::locate(),
        }
        .ok()
        .map(Self)
    }

    /// The game's name.
    pub(super) fn name(&self, id: u64) -> Option<String> {
        let id_32 = u32::try_from(id).ok().or_else(|| shortcut_of(id))?;
        if id >= SHORTCUTS {
            let mut shortcuts = self.0.shortcuts().ok()?.filter_map(Result::ok);
            let shortcut = shortcuts.find(|shortcut| shortcut.app_id == id_32)?;
            return Some(one_line(&shortcut.app_name, LONGEST_NAME));
        }
        // A missing drive or a wrong file must not hide the others.
        let libraries = self.0.libraries().ok()?.filter_map(Result::ok);
        libraries
            .filter_map(|library| library.app(id_32)?.ok()?.name)
            .map(|name| one_line(&name, LONGEST_NAME))
            .find(|name| !name.is_empty())
    }

    /// For how many minutes the game was played, by this account or else by
    /// the one that signed in last.
    pub(super) fn minutes(&self, id: u64, steam_id: Option<&str>) -> Option<u64> {
        let text = self.config(steam_id)?;
        let config = parse(&text).ok()?;
        let game = child(apps(&config.value)?, &id.to_string())?;
        child(game, "Playtime")?.get_str()?.parse().ok()
    }

    /// All games that this account has played, or else the one that signed in
    /// last, the latest first.
    pub(super) fn played(&self, steam_id: Option<&str>) -> Vec<Played> {
        let read = || {
            let text = self.config(steam_id)?;
            let config = parse(&text).ok()?;
            let apps = apps(&config.value)?.get_obj()?.iter();
            Some(apps.filter_map(played).collect())
        };
        let mut games: Vec<Played> = read().unwrap_or_default();
        games.sort_by_key(|game| std::cmp::Reverse(game.last));
        games
    }

    /// Where the client is.
    pub(super) fn folder(&self) -> &Path {
        self.0.path()
    }

    fn config(&self, steam_id: Option<&str>) -> Option<String> {
        let account = steam_id
            .and_then(|id| id.parse().ok())
            .or_else(|| self.signed_in_last())?
            .checked_sub(INDIVIDUAL)?;
        self.read(&format!("userdata/{account}/config/localconfig.vdf"))
    }

    /// The SteamID of the account that signed in last.
    fn signed_in_last(&self) -> Option<u64> {
        let text = self.read("config/loginusers.vdf")?;
        let users = parse(&text).ok()?;
        let users = users.value.get_obj()?;
        let is_last =
            |user: &&Value<'_>| child(user, "MostRecent").and_then(Value::get_str) == Some("1");
        let mut last = users
            .iter()
            .filter(|(_, user)| user.iter().any(|user| is_last(&user)));
        let (id, _) = last.next().or_else(|| users.iter().next())?;
        id.parse().ok()
    }

    fn read(&self, file: &str) -> Option<String> {
        let path: PathBuf = self.0.path().join(file);
        let mut bytes = Vec::new();
        let file = File::open(path).ok()?;
        file.take(MOST_BYTES).read_to_end(&mut bytes).ok()?;
        // Names of friends in it may be anything.
        Some(String::from_utf8_lossy(&bytes).into_owned())
    }
}

/// The client's number of a game that the owner added manually, by the number that the Web API has for it.
fn shortcut_of(id: u64) -> Option<u32> {
    let is_one = id & u64::from(u32::MAX) == OF_A_SHORTCUT;
    u32::try_from(id >> 32).ok().filter(|_| is_one)
}

fn apps<'a>(config: &'a Value<'a>) -> Option<&'a Value<'a>> {
    let path = ["Software", "Valve", "Steam", "apps"];
    path.into_iter().try_fold(config, child)
}

/// A game of the list; `None` where it was never played.
fn played<'a, K: AsRef<str>>((id, values): (K, &'a Vec<Value<'a>>)) -> Option<Played> {
    let game = values.first()?;
    let text = |key: &str| child(game, key).and_then(Value::get_str);
    let last = text("LastPlayed")?.parse().ok()?;
    let minutes = |key: &str| text(key).and_then(|minutes| minutes.parse().ok());
    (last >= NEVER_PLAYED).then_some(Played {
        id: id.as_ref().parse().ok()?,
        last,
        minutes_lately: minutes("Playtime2wks"),
        minutes: minutes("Playtime"),
    })
}

/// The value under a key, whose letters clients have written in either case.
fn child<'a>(value: &'a Value<'a>, key: &str) -> Option<&'a Value<'a>> {
    let mut pairs = value.get_obj()?.iter();
    let (_, values) = pairs.find(|(name, _)| name.eq_ignore_ascii_case(key))?;
    values.first()
}
