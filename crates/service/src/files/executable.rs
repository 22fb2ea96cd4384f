//! The path of the executable, also when a newer one replaced it while it runs.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
#[cfg(not(unix))]
use std::process::Stdio;

#[cfg(unix)]
use crate::files::file_mode;

/// Set for a process that is started in the place of another, which may still run, where a process
/// cannot become another program. Its standard input is open until that one has ended.
pub(crate) const REPLACES: &str = "PORCHLIGHT_REPLACES";

/// What Linux appends to the name of a file that no longer exists, see
/// proc_pid_exe(5).
#[cfg(target_os = "linux")]
const GONE: &str = " (deleted)";
/// This executable, even if its file was replaced.
#[cfg(target_os = "linux")]
const STILL: &str = "/proc/self/exe";

/// The executable to start now: the newer one that replaced this one, or this one.
///
/// # Errors
/// When the system does not know it.
pub fn now() -> io::Result<PathBuf> {
    let path = std::env::current_exe()?;
    #[cfg(target_os = "linux")]
    let path = {
        let place = lasting(&path);
        if place.exists() { place } else { STILL.into() }
    };
    Ok(path)
}

/// The path under which it will be found later.
///
/// # Errors
/// When the system does not know it.
pub fn later() -> io::Result<PathBuf> {
    let path = std::env::current_exe()?;
    #[cfg(target_os = "linux")]
    let path = lasting(&path);
    let variable = |name| std::env::var_os(name);
    Ok(image(&path, variable("APPIMAGE"), variable("APPDIR")).unwrap_or(path))
}

/// Replaces this process by a new one of the executable, with these arguments. Returns only where
/// that fails, or where the system has no other way than a second process: then with `Ok`.
///
/// # Errors
/// When it cannot be started.
pub fn restart(arguments: impl IntoIterator<Item = OsString>) -> io::Result<()> {
    replace(Command::new(now()?).args(arguments))
}

#[cfg(unix)]
fn replace(command: &mut Command) -> io::Result<()> {
    use std::os::unix::process::CommandExt as _;
    Err(file_mode::with_former_mask(|| command.exec()))
}

/// A second process, which begins when this one has ended: this one has the lock of the data folder,
/// the port and the place in the tray. The system closes the pipe, however this process ends.
#[cfg(not(unix))]
fn replace(command: &mut Command) -> io::Result<()> {
    let mut started = command
        .env(REPLACES, std::process::id().to_string())
        .stdin(Stdio::piped())
        .spawn()?;
    std::mem::forget(started.stdin.take());
    Ok(())
}

/// Waits until the process has ended that started this one in its place. Must be called before
/// anything else is done.
pub fn wait_for_former() {
    #[cfg(not(unix))]
    if std::env::var_os(REPLACES).is_some() {
        // Nothing comes but the end.
        let _ = io::copy(&mut io::stdin().lock(), &mut io::sink());
        // What this process starts replaces nothing.
        #[allow(unsafe_code, reason = "no second thread runs yet")]
        // SAFETY: as the reason says.
        unsafe {
            std::env::remove_var(REPLACES);
        }
    }
}

/// The name without what Linux appends.
#[cfg(target_os = "linux")]
fn lasting(path: &Path) -> PathBuf {
    use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
    if path.exists() {
        return path.to_owned();
    }
    let name = path.as_os_str().as_bytes();
    let name = name.strip_suffix(GONE.as_bytes()).unwrap_or(name);
    OsString::from_vec(name.to_vec()).into()
}

/// The file of the AppImage that this program runs from, which is mounted
/// somewhere else at each start. Whoever was started from within another
/// AppImage has its variables, too, and is not in it.
fn image(program: &Path, file: Option<OsString>, mounted: Option<OsString>) -> Option<PathBuf> {
    let file = file.filter(|file| !file.is_empty())?;
    let mounted = mounted.filter(|mounted| !mounted.is_empty())?;
    program.starts_with(mounted).then(|| file.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(target_os = "linux")]
    #[test]
    fn a_file_that_was_replaced_has_its_own_name() {
        let folder = tempfile::tempdir().expect("a folder");
        let own = folder.path().join("porchlight");
        let path = folder.path().join("porchlight (deleted)");
        assert_eq!(lasting(&path), own);
        assert_eq!(lasting(&own), own);
        // One that really has such a name.
        std::fs::write(&path, "").expect("a file");
        assert_eq!(lasting(&path), path);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_program_whose_file_is_gone_is_started_all_the_same() {
        let place = now().expect("a program");
        assert!(place.exists(), "{}", place.display());
        assert!(Path::new(STILL).exists());
    }

    /// The process that is replaced, and the one in its place. Both only where the test below says so.
    #[cfg(not(unix))]
    #[test]
    fn replaced_and_replacing() {
        const STEPS: &str = "PORCHLIGHT_TEST_STEPS";
        const TEST: [&str; 2] = [
            "--exact",
            "files::executable::tests::replaced_and_replacing",
        ];
        let note = |steps: &Path, what: &str| {
            use std::io::Write as _;
            let mut steps = std::fs::File::options().append(true).open(steps)?;
            writeln!(steps, "{what}")
        };
        let Some(steps) = std::env::var_os(STEPS).map(PathBuf::from) else {
            let steps = tempfile::NamedTempFile::new().expect("a file");
            let mut first = Command::new(now().expect("this program"));
            let status = first.args(TEST).env(STEPS, steps.path()).status();
            assert!(status.expect("it ran").success());
            let began = std::time::Instant::now();
            loop {
                let text = std::fs::read_to_string(steps.path()).expect("a file");
                if text == "replaced\nends\nbegins\n" {
                    return;
                }
                assert!(began.elapsed().as_secs() < 20, "{text}");
                std::thread::sleep(std::time::Duration::from_millis(50));
            }
        };
        if std::env::var_os(REPLACES).is_some() {
            wait_for_former();
            note(&steps, "begins").expect("noted");
        } else {
            replace(Command::new(now().expect("this program")).args(TEST)).expect("started");
            note(&steps, "replaced").expect("noted");
            std::thread::sleep(std::time::Duration::from_millis(700));
            note(&steps, "ends").expect("noted");
        }
    }

    #[test]
    fn an_appimage_is_believed_where_this_program_is_in_it() {
        let words = |word: &str| Some(OsString::from(word));
        let inside = Path::new("/tmp/.mount_a/usr/bin/porchlight");
        let file = image(inside, words("/home/a.AppImage"), words("/tmp/.mount_a"));
        assert_eq!(file, Some(PathBuf::from("/home/a.AppImage")));
        for (file, mounted) in [
            (words(""), words("/tmp/.mount_a")),
            (words("/home/b.AppImage"), words("/tmp/.mount_b")),
            (words("/home/b.AppImage"), words("")),
            (words("/home/b.AppImage"), None),
            (None, words("/tmp/.mount_a")),
        ] {
            assert_eq!(image(inside, file, mounted), None);
        }
    }
}
