//! Installs a missing program of a tunnel with the system's package manager. The system asks for the
//! owner's password, by pkexec.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use porchlight_api::{Message, text::one_line};
use tokio::process::{Child, Command};
use tokio::sync::Mutex;

/// A package manager, and the packages of the system's own repositories that hold a tunnel's program.
struct Manager {
    /// Its file in [`MANAGERS_IN`]. It runs as root, so it is not searched for in `PATH`.
    file: &'static str,
    /// What comes before the package.
    arguments: &'static [&'static str],
    /// Programs, and the packages that hold them.
    packages: &'static [(&'static str, &'static str)],
}

const MANAGERS_IN: &str = "/usr/bin";

/// Tailscale is not among them: after its package come its service and a login, which its page describes.
const MANAGERS: [Manager; 4] = [
    Manager {
        file: "apt-get",
        arguments: &["install", "--assume-yes"],
        packages: &[("ssh", "openssh-client")],
    },
    Manager {
        file: "dnf",
        arguments: &["install", "--assumeyes"],
        packages: &[("ssh", "openssh-clients")],
    },
    Manager {
        file: "zypper",
        arguments: &["--non-interactive", "install"],
        packages: &[("ssh", "openssh-clients")],
    },
    Manager {
        file: "pacman",
        arguments: &["-S", "--noconfirm", "--needed"],
        packages: &[("ssh", "openssh"), ("cloudflared", "cloudflared")],
    },
];

/// A download over a slow connection, and a password that has to be found first.
const LIMIT: Duration = Duration::from_secs(15 * 60);
/// pkexec's exit codes: the dialog was closed; the password was wrong, or nothing could ask for it.
const DISMISSED: i32 = 126;
const NOT_AUTHORISED: i32 = 127;
/// The longest line of the manager that is shown, in characters.
const LONGEST_LINE: usize = 300;

/// How many bytes of its output are searched for that line.
const LONGEST_END: u64 = 64 * 1024;

/// Held while something is installed: package managers lock, too.
static ONE_AT_A_TIME: Mutex<()> = Mutex::const_new(());

/// How a program can be installed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Installer {
    pkexec: PathBuf,
    manager: PathBuf,
    arguments: Vec<&'static str>,
}

impl Installer {
    /// The one for a program on this system; `None` where its package manager does not have it.
    #[must_use]
    pub fn of(program: &str) -> Option<Self> {
        Self::found(
            program,
            which::which("pkexec").ok()?,
            Path::new(MANAGERS_IN),
        )
    }

    fn found(program: &str, pkexec: PathBuf, managers_in: &Path) -> Option<Self> {
        MANAGERS.iter().find_map(|manager| {
            let of = manager.packages.iter().find(|(of, _)| *of == program);
            let (_, package) = of?;
            let file = managers_in.join(manager.file);
            file.is_file().then(|| Self {
                pkexec: pkexec.clone(),
                manager: file,
                arguments: [manager.arguments, &[package]].concat(),
            })
        })
    }

    /// Installs it. The dialog of the system asks the owner first. The manager's output goes to the
    /// file `log`, which is replaced. The manager goes on where this process ends: packages that are
    /// half installed would be left behind.
    ///
    /// # Errors
    /// When it is not installed in the end, or something is being installed already.
    pub async fn run(&self, log: &Path) -> Result<(), Message> {
        let Ok(_one) = ONE_AT_A_TIME.try_lock() else {
            return Err(Message::Installing);
        };
        tracing::info!(manager = %self.manager.display(), arguments = ?self.arguments, "installing");
        let failed = |error: io::Error| {
            let why = error.into();
            Message::InstallFailed { why }
        };
        let mut child = self.start(log).map_err(failed)?;
        let ended = tokio::time::timeout(LIMIT, child.wait()).await;
        let timed_out = |_| io::Error::from(io::ErrorKind::TimedOut);
        let status = ended.map_err(timed_out).flatten().map_err(failed)?;
        match status.code() {
            Some(0) => Ok(()),
            Some(DISMISSED) => Err(Message::InstallDismissed),
            Some(NOT_AUTHORISED) => Err(Message::InstallNotAuthorised),
            _ => {
                let why = last_line(log).unwrap_or_else(|| status.to_string()).into();
                Err(Message::InstallFailed { why })
            }
        }
    }

    fn start(&self, log: &Path) -> io::Result<Child> {
        let output = File::create(log)?;
        // In a separate session, which the end of the app's terminal or Ctrl+C does not reach.
        Command::new("setsid")
            .arg("--wait")
            .arg(&self.pkexec)
            .arg(&self.manager)
            .args(&self.arguments)
            .stdin(Stdio::null())
            .stdout(output.try_clone()?)
            .stderr(output)
            .spawn()
    }
}

/// The last line of a file that is not empty.
fn last_line(file: &Path) -> Option<String> {
    let mut file = File::open(file).ok()?;
    let length = file.metadata().ok()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(LONGEST_END)))
        .ok()?;
    let mut end = Vec::new();
    file.take(LONGEST_END).read_to_end(&mut end).ok()?;
    let end = String::from_utf8_lossy(&end);
    let mut lines = end.lines().rev().map(|line| one_line(line, LONGEST_LINE));
    lines.find(|line| !line.is_empty())
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs;

    use porchlight_test_harness::files::script;

    use super::*;

    fn program(folder: &Path, name: &str, lines: &str) -> PathBuf {
        let file = folder.join(name);
        script(&file, lines);
        file
    }

    #[test]
    fn only_packages_of_the_systems_manager_can_be_installed() {
        let folder = tempfile::tempdir().expect("a folder");
        let pkexec = || PathBuf::from("/bin/pkexec");
        let of = |name: &str| Installer::found(name, pkexec(), folder.path());
        assert_eq!(of("ssh"), None, "there is no manager");
        program(folder.path(), "apt-get", "");
        let found = of("ssh").expect("a package");
        assert_eq!(found.manager, folder.path().join("apt-get"));
        assert_eq!(
            found.arguments,
            ["install", "--assume-yes", "openssh-client"]
        );
        for unknown in ["cloudflared", "/opt/ssh", "ssh; rm", ""] {
            assert_eq!(of(unknown), None, "{unknown}");
        }
        fs::remove_file(folder.path().join("apt-get")).expect("a file");
        program(folder.path(), "pacman", "");
        let found = of("cloudflared").expect("a package");
        assert_eq!(
            found.arguments,
            ["-S", "--noconfirm", "--needed", "cloudflared"]
        );
    }

    #[tokio::test]
    async fn an_installation_reports_its_result() {
        let folder = tempfile::tempdir().expect("a folder");
        let place = folder.path();
        program(place, "apt-get", "");
        // As pkexec and apt-get answer.
        for (script, expected) in [
            (format!("echo \"$@\" > {}/asked", place.display()), Ok(())),
            ("exit 126".to_owned(), Err(Message::InstallDismissed)),
            ("exit 127".to_owned(), Err(Message::InstallNotAuthorised)),
            (
                "echo 'Reading package lists...'; \
                 printf 'W: old\\nE: Unable to locate package openssh-client\\n\\n' >&2; exit 100"
                    .to_owned(),
                Err(Message::InstallFailed {
                    why: "E: Unable to locate package openssh-client".into(),
                }),
            ),
        ] {
            let pkexec = program(place, "pkexec", &script);
            let installer = Installer::found("ssh", pkexec, place).expect("a package");
            assert_eq!(
                installer.run(&place.join("log")).await,
                expected,
                "{script}"
            );
        }
        let asked = fs::read_to_string(place.join("asked")).expect("what was asked");
        let manager = place.join("apt-get").display().to_string();
        assert_eq!(
            asked.trim(),
            format!("{manager} install --assume-yes openssh-client")
        );
    }

    #[tokio::test]
    async fn an_installation_continues_when_the_app_ends() {
        let folder = tempfile::tempdir().expect("a folder");
        let place = folder.path();
        program(place, "apt-get", "");
        // Its output does not fit into a pipe; neither a closed one nor a signal to the app's
        // session ends it.
        let script = format!(
            "cd {}; cut -d ' ' -f 6 /proc/$$/stat > session; mv session started; \
             while [ ! -e go_on ]; do sleep 0.01; done; \
             seq 100000; seq 100000 >&2; echo whole > done; mv done ended",
            place.display()
        );
        let pkexec = program(place, "pkexec", &script);
        let installer = Installer::found("ssh", pkexec, place).expect("a package");
        let exists = async |name: &str| {
            while !place.join(name).exists() {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        let log = place.join("log");
        tokio::select! {
            ended = installer.run(&log) => panic!("{ended:?}"),
            () = exists("started") => {}
        }
        let own = fs::read_to_string("/proc/self/stat").expect("a process");
        let own = own.split(' ').nth(5).expect("a session");
        let session = fs::read_to_string(place.join("started")).expect("a session");
        assert_ne!(session.trim(), own);
        fs::write(place.join("go_on"), "").expect("to write");
        let ended = tokio::time::timeout(Duration::from_secs(20), exists("ended")).await;
        ended.expect("it ends by itself");
        let printed = fs::read_to_string(&log).expect("its output");
        assert_eq!(printed.lines().count(), 200_000);
    }
}
