//! The entries of Windows, in this user's part of the registry: the verb that Explorer shows for
//! pictures, and the value that starts the app when its user signs in. The entry in the start menu
//! is the setup's, which brings the verb, too.

use std::io;
use std::path::{Path, PathBuf};

use porchlight_service::detail;
use porchlight_service::error::message::Message;
use porchlight_service::settings::app::AppLanguage;
use winreg::RegKey;
use winreg::enums::HKEY_CURRENT_USER;

use super::{UPLOAD, named, not_changed, not_here, unwritable, utf8};
use crate::desktop::i18n::{CHINESE, words_in};
use crate::desktop::uploads::ENDINGS;

/// The name of the entries, before what distinguishes data folders.
const NAME: &str = "Porchlight";
/// What starts when the user signs in: a command line for each name.
const RUN: &str = r"Software\Microsoft\Windows\CurrentVersion\Run";
/// The longest of these command lines, in UTF-16 units: Windows ignores longer ones.
const LONGEST_LOGIN: usize = 260;
/// What the Task Manager and Windows' settings keep of each of these names: an odd first byte
/// switches it off.
const SWITCHES: &str = r"Software\Microsoft\Windows\CurrentVersion\Explorer\StartupApproved\Run";
/// Verbs for files with an ending, whichever program opens them.
const VERBS: &str = r"Software\Classes\SystemFileAssociations";

/// Where entries are, and what they start.
#[derive(Debug)]
pub(in crate::desktop) struct Entries {
    user: RegKey,
    program: PathBuf,
    /// The data folder, where it is not the platform's.
    data_dir: Option<PathBuf>,
    /// The name of the entries of this data folder.
    name: String,
}

impl Entries {
    /// Those of the app with this data folder.
    ///
    /// # Errors
    /// Where there are none.
    pub(in crate::desktop) fn of(data_folder: &Path) -> Result<Self, Message> {
        let (data_dir, suffix) = named(data_folder);
        let program = porchlight_service::files::executable::later().map_err(|_| not_here())?;
        Ok(Self {
            user: RegKey::predef(HKEY_CURRENT_USER),
            program,
            data_dir,
            name: format!("{NAME}{suffix}"),
        })
    }

    /// Whether Explorer offers to upload pictures.
    pub(in crate::desktop) fn in_menu(&self) -> bool {
        self.user.open_subkey(self.verb(ENDINGS[0])).is_ok()
    }

    /// Has Explorer offer it, or no longer.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(in crate::desktop) fn put_in_menu(&self, there: bool) -> Result<(), Message> {
        let command = there.then(|| self.upload()).transpose()?;
        for verb in ENDINGS.map(|ending| self.verb(ending)) {
            let changed = match &command {
                Some(command) => self.write_verb(&verb, command),
                None => gone(self.user.delete_subkey_all(&verb)),
            };
            changed.map_err(|why| not_changed(verb, why))?;
        }
        Ok(())
    }

    /// Whether the app is started when its user signs in. Windows' own settings switch it off beside
    /// the entry.
    pub(in crate::desktop) fn at_login(&self) -> bool {
        let switch = self.user.open_subkey(SWITCHES);
        let switch = switch.and_then(|key| key.get_raw_value(&self.name));
        let is_off =
            switch.is_ok_and(|value| value.bytes.first().is_some_and(|byte| byte % 2 == 1));
        !is_off && self.login_entry().is_some()
    }

    /// Starts it then from now on, hidden, or no longer.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(in crate::desktop) fn start_at_login(&self, starts: bool) -> Result<(), Message> {
        // A switch that Windows has kept would hold it back.
        self.remove_value(SWITCHES)?;
        match starts {
            true => self.write_login(&self.login()?),
            false => self.remove_value(RUN),
        }
    }

    /// Rewrites the existing entries that start another program or another version's options.
    /// Returns whether any was changed.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(super) fn renew(&self) -> Result<bool, Message> {
        let mut renewed = false;
        if let Some(entry) = self.login_entry() {
            let login = self.login()?;
            if entry != login {
                self.write_login(&login)?;
                renewed = true;
            }
        }
        if self.in_menu() {
            let upload = Some(self.upload()?);
            if ENDINGS
                .iter()
                .any(|ending| self.verb_command(ending) != upload)
            {
                self.put_in_menu(true)?;
                renewed = true;
            }
        }
        Ok(renewed)
    }

    /// Explorer reads the registry whenever it shows a menu.
    pub(super) fn notify_file_managers(&self) {}

    fn login(&self) -> Result<String, Message> {
        let command = self.command("--hidden")?;
        if command.encode_utf16().count() > LONGEST_LOGIN {
            return Err(detail!(
                "Windows starts nothing at login by a command of more than {LONGEST_LOGIN} characters: move the data folder or the program to a shorter path"
            ));
        }
        Ok(command)
    }

    fn upload(&self) -> Result<String, Message> {
        let command = self.command("--upload")?;
        // Explorer puts other things in the place of what follows these, and has no escape for them.
        if command.contains('%') {
            return Err(unwritable(&self.program));
        }
        Ok(format!("{command} \"%1\""))
    }

    fn command(&self, option: &str) -> Result<String, Message> {
        let program = quoted(utf8(&self.program)?);
        Ok(match &self.data_dir {
            None => format!("{program} {option}"),
            Some(folder) => format!("{program} --data-dir {} {option}", quoted(utf8(folder)?)),
        })
    }

    fn verb(&self, ending: &str) -> String {
        format!(r"{VERBS}\.{ending}\shell\{}", self.name)
    }

    fn verb_command(&self, ending: &str) -> Option<String> {
        let verb = self.user.open_subkey(self.verb(ending)).ok()?;
        verb.open_subkey("command").ok()?.get_value("").ok()
    }

    fn write_verb(&self, verb: &str, command: &str) -> io::Result<()> {
        let (key, _) = self.user.create_subkey(verb)?;
        let [english, chinese] = UPLOAD;
        let text = match *words_in(AppLanguage::System) == CHINESE {
            true => chinese,
            false => english,
        };
        key.set_value("", &text)?;
        key.set_value("Icon", &quoted(&self.program.to_string_lossy()))?;
        // Without it, Explorer leaves the verb out where more than 15 files are selected; with it
        // more than 100.
        key.set_value("MultiSelectModel", &"Player")?;
        key.create_subkey("command")?.0.set_value("", &command)
    }

    fn login_entry(&self) -> Option<String> {
        self.user.open_subkey(RUN).ok()?.get_value(&self.name).ok()
    }

    fn write_login(&self, command: &str) -> Result<(), Message> {
        let key = self.user.create_subkey(RUN);
        let written = key.and_then(|(key, _)| key.set_value(&self.name, &command));
        written.map_err(|why| not_changed(RUN, why))
    }

    fn remove_value(&self, key: &str) -> Result<(), Message> {
        let removed = match self.user.create_subkey(key) {
            Ok((key, _)) => gone(key.delete_value(&self.name)),
            Err(error) => Err(error),
        };
        removed.map_err(|why| not_changed(key, why))
    }
}

/// Also where it was missing already.
fn gone(removed: io::Result<()>) -> io::Result<()> {
    match removed {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// A word of a command line. No path has quotation marks in it; a backslash before one would make
/// it part of the word.
fn quoted(path: &str) -> String {
    let end = if path.ends_with('\\') { r"\" } else { "" };
    format!("\"{path}{end}\"")
}

#[cfg(test)]
mod tests {
    use winreg::RegValue;
    use winreg::enums::REG_BINARY;

    use super::*;

    /// Entries in a part of the registry of their own, which is removed with this.
    struct Own(Entries, String);

    impl Own {
        fn new(name: &str, data_dir: Option<&str>) -> Self {
            let place = format!(r"Software\Porchlight tests\{}-{name}", std::process::id());
            let user = RegKey::predef(HKEY_CURRENT_USER).create_subkey(&place);
            let entries = Entries {
                user: user.expect("a key").0,
                program: r"C:\Program Files\光\porchlight.exe".into(),
                data_dir: data_dir.map(PathBuf::from),
                name: "Porchlight-1".to_owned(),
            };
            Self(entries, place)
        }
    }

    impl Drop for Own {
        fn drop(&mut self) {
            let _ = RegKey::predef(HKEY_CURRENT_USER).delete_subkey_all(&self.1);
        }
    }

    #[test]
    fn explorer_offers_to_upload_pictures_of_each_format_and_no_longer() {
        let own = Own::new("verbs", Some(r"D:\"));
        let entries = &own.0;
        entries.put_in_menu(false).expect("nothing to do");
        assert!(!entries.in_menu());
        entries.put_in_menu(true).expect("written");
        assert!(entries.in_menu() && !entries.at_login());
        let command =
            r#""C:\Program Files\光\porchlight.exe" --data-dir "D:\\" --upload "%1""#.to_owned();
        for ending in ENDINGS {
            assert_eq!(entries.verb_command(ending).as_ref(), Some(&command));
        }
        entries.put_in_menu(false).expect("removed");
        assert!(!entries.in_menu());
        let associations = entries.user.open_subkey(entries.verb("qoi"));
        assert!(associations.is_err(), "nothing is left of the last one");
    }

    #[test]
    fn it_starts_hidden_when_its_user_signs_in_unless_windows_holds_it_back() {
        let own = Own::new("login", None);
        let entries = &own.0;
        entries.start_at_login(true).expect("written");
        assert!(entries.at_login());
        let expected = r#""C:\Program Files\光\porchlight.exe" --hidden"#;
        assert_eq!(entries.login_entry().as_deref(), Some(expected));
        let (switches, _) = entries.user.create_subkey(SWITCHES).expect("a key");
        let switch = |byte: u8| RegValue {
            bytes: vec![byte, 0, 0, 0].into(),
            vtype: REG_BINARY,
        };
        for (byte, starts) in [(3, false), (2, true), (1, false)] {
            let set = switches.set_raw_value(&entries.name, &switch(byte));
            set.expect("written");
            assert_eq!(entries.at_login(), starts, "{byte}");
        }
        entries.start_at_login(true).expect("switched on again");
        assert!(entries.at_login());
        entries.start_at_login(false).expect("removed");
        assert!(!entries.at_login() && entries.login_entry().is_none());
    }

    #[test]
    fn entries_follow_a_program_that_has_moved_and_no_others_are_made() {
        let mut own = Own::new("moved", None);
        assert!(!own.0.renew().expect("there is none"));
        own.0.start_at_login(true).expect("written");
        assert!(!own.0.renew().expect("nothing differs"));
        own.0.program = r"D:\porchlight.exe".into();
        assert!(own.0.renew().expect("rewritten"));
        let expected = r#""D:\porchlight.exe" --hidden"#;
        assert_eq!(own.0.login_entry().as_deref(), Some(expected));
        assert!(!own.0.in_menu());
        own.0.put_in_menu(true).expect("written");
        own.0.program = r"E:\porchlight.exe".into();
        assert!(own.0.renew().expect("rewritten"));
        let expected = r#""E:\porchlight.exe" --upload "%1""#;
        assert_eq!(own.0.verb_command("jxl").as_deref(), Some(expected));
    }

    #[test]
    fn a_command_that_windows_would_not_run_at_login_is_refused() {
        let program = r#""C:\Program Files\光\porchlight.exe" --data-dir "" --hidden"#;
        let folder = |length: usize| format!(r"D:\{}", "x".repeat(length - 3));
        let fits = LONGEST_LOGIN - program.encode_utf16().count();
        let own = Own::new("longest", Some(&folder(fits)));
        own.0.start_at_login(true).expect("written");
        assert!(own.0.at_login());
        let own = Own::new("too-long", Some(&folder(fits + 1)));
        let refused = own.0.start_at_login(true).expect_err("no entry");
        assert!(refused.to_string().contains("at login"), "{refused}");
        assert!(!own.0.at_login());
    }

    #[test]
    fn a_path_that_explorer_would_change_is_refused() {
        let own = Own::new("refused", Some(r"D:\100%1"));
        let refused = own.0.put_in_menu(true).expect_err("no entry");
        assert!(refused.to_string().contains("has a name"), "{refused}");
        assert!(!own.0.in_menu());
    }

    #[test]
    fn the_setup_brings_the_verb_for_the_formats_that_the_app_offers_it_for() {
        let setup = include_str!("../../../packaging/windows/porchlight.nsi");
        let lines = setup.lines().map(str::trim);
        let offered = lines.filter_map(|line| line.strip_prefix("!insertmacro ${DO} "));
        assert_eq!(offered.collect::<Vec<_>>(), ENDINGS);
    }
}
