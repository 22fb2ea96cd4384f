//! The entry of macOS: the launch agent that starts the app when its user logs in (launchd.plist(5)).
//! Nothing makes Finder offer to upload pictures: that needs an extension of Finder.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::Serialize;

use porchlight_service::error::message::Message;

#[cfg(target_os = "macos")]
use super::not_here;
use super::{not_changed, remove, unwritable, utf8, write};
use crate::desktop::HIDDEN;

/// What the label of the agent begins with: the bundle's identifier in `tauri.conf.json`.
const IDENTIFIER: &str = "blog.porchlight.desktop";

/// Where the entry is, and what it starts.
#[derive(Debug)]
pub(in crate::desktop) struct Entries {
    /// `~/Library/LaunchAgents`
    agents: PathBuf,
    program: PathBuf,
    /// The data folder, where it is not the platform's.
    data_dir: Option<PathBuf>,
    label: String,
}

/// The keys of the file.
#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct Agent<'a> {
    label: &'a str,
    program_arguments: Vec<&'a str>,
    run_at_load: bool,
    /// Without it, launchd slows the program down as one that works in the background.
    process_type: &'a str,
    /// System Settings name the agent by it.
    associated_bundle_identifiers: &'a str,
}

/// macOS finds apps and their menus by itself.
#[cfg(target_os = "macos")]
impl Entries {
    /// That of the app with this data folder.
    ///
    /// # Errors
    /// Where there is none.
    pub(in crate::desktop) fn of(data_folder: &Path) -> Result<Self, Message> {
        let (data_dir, suffix) = super::named(data_folder);
        let home = dirs::home_dir().ok_or(not_here())?;
        Ok(Self {
            agents: home.join("Library/LaunchAgents"),
            program: porchlight_service::files::executable::later().map_err(|_| not_here())?,
            data_dir,
            label: format!("{IDENTIFIER}{suffix}"),
        })
    }

    pub(in crate::desktop) fn in_menu(&self) -> bool {
        false
    }

    pub(in crate::desktop) fn put_in_menu(&self, _: bool) -> Result<(), Message> {
        Err(not_here())
    }

    pub(super) fn notify_file_managers(&self) {}
}

impl Entries {
    /// Whether the app is started at login, unless System Settings hold it back: launchd keeps that
    /// for itself.
    pub(in crate::desktop) fn at_login(&self) -> bool {
        self.place().exists()
    }

    /// Starts it from the next login on, hidden, or no longer.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(in crate::desktop) fn start_at_login(&self, starts: bool) -> Result<(), Message> {
        let place = self.place();
        if !starts {
            return remove(place);
        }
        let text = self.text()?;
        write(&place, &text).map_err(|why| not_changed(&place, why))
    }

    /// Rewrites an existing entry that differs: the app was moved, or another version wrote it. Returns
    /// whether it was changed.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(super) fn renew(&self) -> Result<bool, Message> {
        let place = self.place();
        let text = match fs::read(&place) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
            Err(error) => return Err(not_changed(&place, error)),
        };
        let differs = text != self.text()?;
        if differs {
            self.start_at_login(true)?;
        }
        Ok(differs)
    }

    fn place(&self) -> PathBuf {
        self.agents.join(format!("{}.plist", self.label))
    }

    fn text(&self) -> Result<Vec<u8>, Message> {
        let mut words = vec![utf8(&self.program)?];
        if let Some(folder) = &self.data_dir {
            words.extend(["--data-dir", utf8(folder)?]);
        }
        words.push(HIDDEN);
        let agent = Agent {
            label: &self.label,
            program_arguments: words,
            run_at_load: true,
            process_type: "Interactive",
            associated_bundle_identifiers: IDENTIFIER,
        };
        let mut text = Vec::new();
        plist::to_writer_xml(&mut text, &agent).map_err(|_| unwritable(&self.program))?;
        Ok(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries(home: &Path) -> Entries {
        Entries {
            agents: home.join("Library/LaunchAgents"),
            program: "/Applications/<光> & \"co\".app/Contents/MacOS/porchlight".into(),
            data_dir: Some("/Volumes/a & b".into()),
            label: "blog.porchlight.desktop-1".to_owned(),
        }
    }

    #[test]
    fn the_agent_starts_the_app_hidden_whatever_characters_its_path_has() {
        let home = tempfile::tempdir().expect("a folder");
        let entries = entries(home.path());
        entries.start_at_login(false).expect("nothing to do");
        assert!(!entries.at_login());
        entries.start_at_login(true).expect("written");
        assert!(entries.at_login());

        let place = home
            .path()
            .join("Library/LaunchAgents/blog.porchlight.desktop-1.plist");
        let text = fs::read_to_string(&place).expect("the file");
        assert!(text.starts_with("<?xml") && text.contains("<string>/Volumes/a &amp; b</string>"));
        let agent: plist::Dictionary = plist::from_file(&place).expect("a property list");
        let words = agent["ProgramArguments"].as_array().expect("an array");
        let words: Vec<_> = words.iter().filter_map(plist::Value::as_string).collect();
        let program = "/Applications/<光> & \"co\".app/Contents/MacOS/porchlight";
        assert_eq!(words, [program, "--data-dir", "/Volumes/a & b", "--hidden"]);
        assert_eq!(agent["Label"].as_string(), Some(entries.label.as_str()));
        assert_eq!(agent["RunAtLoad"].as_boolean(), Some(true));

        entries.start_at_login(false).expect("removed");
        assert!(!place.exists() && !entries.at_login());
    }

    #[test]
    fn the_agent_follows_an_app_that_was_moved_and_no_other_is_made() {
        let home = tempfile::tempdir().expect("a folder");
        let mut entries = entries(home.path());
        assert!(!entries.renew().expect("there is none") && !entries.at_login());
        entries.start_at_login(true).expect("written");
        assert!(!entries.renew().expect("nothing differs"));
        entries.program = "/Applications/Porchlight.app/Contents/MacOS/porchlight".into();
        assert!(entries.renew().expect("rewritten"));
        let text = fs::read_to_string(entries.place()).expect("the file");
        assert!(text.contains("<string>/Applications/Porchlight.app/Contents/MacOS/porchlight<"));
    }

    #[test]
    fn a_path_with_control_characters_is_refused() {
        let home = tempfile::tempdir().expect("a folder");
        let mut entries = entries(home.path());
        entries.program = "/Applications/a\nb".into();
        let refused = entries.start_at_login(true).expect_err("no entry");
        assert!(refused.to_string().contains("has a name"), "{refused}");
        assert!(!entries.at_login());
    }

    #[test]
    fn the_identifier_is_that_of_the_bundle() {
        let config = include_str!("../../../tauri.conf.json");
        assert!(config.contains(&format!("\"identifier\": \"{IDENTIFIER}\"")));
    }
}
