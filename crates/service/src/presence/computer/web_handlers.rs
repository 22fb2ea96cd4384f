//! The programs of Windows that open web pages, from the registry: those of the start menu's list of
//! browsers, and registered ones that take `http` or `https`.
//! <https://learn.microsoft.com/en-us/windows/win32/shell/default-programs>

use std::io;
use std::path::Path;

use winreg::{HKCU, HKLM, RegKey};

/// Relative to the user's and to the machine's part of the registry.
const BROWSERS: &str = r"Software\Clients\StartMenuInternet";
const REGISTERED: &str = r"Software\RegisteredApplications";
const COMMAND: &str = r"shell\open\command";

/// Whether the program with this file opens web pages. Where the registry cannot be read, it does not.
/// Blocks.
pub(super) fn includes(file: &Path) -> bool {
    let Some(name) = file.file_name().and_then(|name| name.to_str()) else {
        return false;
    };
    let is_it = |command: String| program_of(&command).eq_ignore_ascii_case(name);
    [HKCU, HKLM].iter().any(|part| {
        browsers(part).unwrap_or_default().into_iter().any(is_it)
            || registered(part).unwrap_or_default().into_iter().any(is_it)
    })
}

/// The commands of the start menu's browsers.
fn browsers(part: &RegKey) -> io::Result<Vec<String>> {
    let list = part.open_subkey(BROWSERS)?;
    let names = list.enum_keys().flatten();
    let commands = names.filter_map(|name| command_of(&list, &name).ok());
    Ok(commands.collect())
}

/// The commands of registered programs that take `http` or `https`.
fn registered(part: &RegKey) -> io::Result<Vec<String>> {
    let list = part.open_subkey(REGISTERED)?;
    let mut commands = Vec::new();
    for (name, _) in list.enum_values().flatten() {
        let protocols = list.get_value::<String, _>(&name);
        let protocols =
            protocols.and_then(|at| part.open_subkey(at)?.open_subkey("URLAssociations"));
        let Ok(protocols) = protocols else {
            continue;
        };
        for protocol in ["http", "https"] {
            let class = protocols.get_value::<String, _>(protocol);
            commands.extend(class.ok().and_then(|class| command_of_class(&class)));
        }
    }
    Ok(commands)
}

/// From the user's classes, or else the machine's, as `HKEY_CLASSES_ROOT` has them. Wine does not merge
/// these.
fn command_of_class(class: &str) -> Option<String> {
    let command = |part: &RegKey| command_of(&part.open_subkey(r"Software\Classes")?, class);
    command(&HKCU).or_else(|_| command(&HKLM)).ok()
}

fn command_of(key: &RegKey, name: &str) -> io::Result<String> {
    key.open_subkey(name)?.open_subkey(COMMAND)?.get_value("")
}

/// The file name of a command's program. Its path may have spaces and no quotes.
fn program_of(command: &str) -> &str {
    let command = command.trim_start();
    let path = match command.strip_prefix('"') {
        Some(quoted) => quoted.split('"').next().unwrap_or(quoted),
        None => {
            let end = command.to_ascii_lowercase().find(".exe");
            end.map_or(command, |end| &command[..end + ".exe".len()])
        }
    };
    path.rsplit(['\\', '/']).next().unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Removes a key of the user's part with its end.
    struct Written(&'static str);

    impl Written {
        fn new(key: &'static str) -> Self {
            let _ = HKCU.delete_subkey_all(key);
            Self(key)
        }

        fn set(&self, below: &str, name: &str, value: &str) {
            let (key, _) = HKCU
                .create_subkey(Path::new(self.0).join(below))
                .expect("a key");
            key.set_value(name, &value).expect("a value");
        }
    }

    impl Drop for Written {
        fn drop(&mut self) {
            let _ = HKCU.delete_subkey_all(self.0);
        }
    }

    #[test]
    fn the_program_of_a_command() {
        for (command, name) in [
            (r#""C:\Program Files\Web\web.exe" -- "%1""#, "web.exe"),
            (r"C:\Program Files\Web\Web.EXE --url %1", "Web.EXE"),
            (r"web.exe", "web.exe"),
            (r#""C:/web/web.exe""#, "web.exe"),
            ("", ""),
        ] {
            assert_eq!(program_of(command), name, "{command}");
        }
    }

    #[test]
    fn a_browser_is_known_by_either_list() {
        let menu = Written::new(r"Software\Clients\StartMenuInternet\Porchlight Test");
        let class = Written::new(r"Software\Classes\PorchlightTestURL");
        let own = Written::new(r"Software\PorchlightTest");
        let (listed, named) = (Path::new(r"D:\x\lister.exe"), Path::new(r"D:\x\taker.exe"));
        assert!(!includes(listed) && !includes(named));
        menu.set(COMMAND, "", r#""C:\Lister\Lister.exe""#);
        assert!(includes(listed) && !includes(named));

        class.set(COMMAND, "", r#""C:\Taker\taker.exe" "%1""#);
        own.set(
            r"Capabilities\URLAssociations",
            "mailto",
            "PorchlightTestURL",
        );
        let (registered, _) = HKCU.create_subkey(REGISTERED).expect("a key");
        registered
            .set_value("Porchlight Test", &r"Software\PorchlightTest\Capabilities")
            .expect("a value");
        assert!(!includes(named), "mail is no page");
        own.set(
            r"Capabilities\URLAssociations",
            "https",
            "PorchlightTestURL",
        );
        assert!(includes(named));
        registered
            .delete_value("Porchlight Test")
            .expect("our value");
    }
}
