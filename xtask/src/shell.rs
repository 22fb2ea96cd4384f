//! Running other programs: each is printed before it runs, and a failure names
//! in one sentence the command and its error.

use std::ffi::OsStr;
use std::fmt;
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

/// Why a subcommand stopped, as a sentence for the person who ran it.
#[derive(Debug)]
pub(crate) struct Failure(String);

impl Failure {
    /// Wraps the sentence that is shown.
    pub(crate) fn new(sentence: impl Into<String>) -> Self {
        Self(sentence.into())
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The result of every step here.
pub(crate) type Result<T> = std::result::Result<T, Failure>;

/// The top folder of the checkout that this program was built from.
pub(crate) fn checkout() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("xtask is a folder in the checkout")
}

/// A command that runs in the top folder of the checkout.
///
/// The variables with which cargo describes this package to `cargo xtask` are
/// removed: a nested cargo would use them and rebuild what is built already.
pub(crate) fn command(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(program);
    command.current_dir(checkout());
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy();
        if text.starts_with("CARGO_PKG_") || text.starts_with("CARGO_MANIFEST_") {
            command.env_remove(&name);
        }
    }
    command
}

/// `npm`, which is a script of another name on Windows.
pub(crate) fn npm() -> Command {
    command(if cfg!(windows) { "npm.cmd" } else { "npm" })
}

/// The command line as a person would type it.
pub(crate) fn line(command: &Command) -> String {
    std::iter::once(command.get_program())
        .chain(command.get_args())
        .map(|word| word.to_string_lossy().into_owned())
        .collect::<Vec<_>>()
        .join(" ")
}

/// Prints the command, runs it and waits. Fails when it cannot be started or
/// ends with anything but success.
pub(crate) fn run(command: &mut Command) -> Result<()> {
    announce(command);
    let status = command.status().map_err(|error| refused(command, &error))?;
    if status.success() {
        Ok(())
    } else {
        Err(Failure::new(format!(
            "`{}` failed ({status}).",
            line(command)
        )))
    }
}

/// Prints the command, runs it, and returns its standard output, which is not
/// shown. Fails as [`run`] does.
pub(crate) fn output(command: &mut Command) -> Result<String> {
    announce(command);
    let output = command
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| refused(command, &error))?;
    if output.status.success() {
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    } else {
        Err(Failure::new(format!(
            "`{}` failed ({}).",
            line(command),
            output.status
        )))
    }
}

/// The standard output of a query command; `None` when it is missing or fails.
/// Nothing is printed.
pub(crate) fn answer(command: &mut Command) -> Option<String> {
    let output = command
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()
        .ok()?;
    output
        .status
        .success()
        .then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

/// The sentence for a command that could not be started.
pub(crate) fn refused(command: &Command, error: &std::io::Error) -> Failure {
    Failure::new(format!("`{}` did not start: {error}.", line(command)))
}

/// Prints the command that is about to run.
pub(crate) fn announce(command: &Command) {
    println!("    $ {}", line(command));
}

/// Where a program of this name is on `PATH`, if anywhere.
pub(crate) fn program(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path)
        .map(|folder| folder.join(format!("{name}{}", std::env::consts::EXE_SUFFIX)))
        .find(|file| file.is_file())
}

/// Asks on a terminal whether to continue; Enter means yes. Without a terminal,
/// or with `yes`, it continues without asking.
pub(crate) fn agreed(question: &str, yes: bool) -> Result<bool> {
    if yes || !std::io::stdin().is_terminal() {
        return Ok(true);
    }
    print!("{question} [Y/n] ");
    let mut reply = String::new();
    std::io::stdout()
        .flush()
        .and_then(|()| std::io::stdin().read_line(&mut reply))
        .map_err(|error| Failure::new(format!("The answer could not be read: {error}.")))?;
    Ok(is_yes(&reply))
}

/// Whether a typed answer means yes. An empty line does; the end of input,
/// which has not even a line, does not.
fn is_yes(reply: &str) -> bool {
    reply.ends_with('\n') && matches!(reply.trim().to_lowercase().as_str(), "" | "y" | "yes")
}

/// A duration for people.
pub(crate) fn spell(time: Duration) -> String {
    let seconds = time.as_secs();
    if seconds < 60 {
        format!("{:.1} s", time.as_secs_f64())
    } else {
        format!("{} min {:02} s", seconds / 60, seconds % 60)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn enter_and_y_mean_yes_and_anything_else_means_no() {
        for reply in ["\n", "y\n", "Yes\r\n"] {
            assert!(is_yes(reply), "{reply:?}");
        }
        for reply in ["", "n\n", "no\n", "perhaps\n"] {
            assert!(!is_yes(reply), "{reply:?}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_failing_command_is_named_with_its_exit_code() {
        let failure = run(command("sh").args(["-c", "exit 3"])).expect_err("exit code 3");
        let sentence = failure.to_string();
        assert!(sentence.contains("sh -c exit 3"), "{sentence}");
        assert!(sentence.contains('3'), "{sentence}");
    }

    #[test]
    fn a_missing_program_is_named() {
        let failure = run(&mut command("no-such-program-here")).expect_err("it is not there");
        assert!(failure.to_string().contains("no-such-program-here"));
    }

    #[cfg(unix)]
    #[test]
    fn output_returns_what_was_printed() {
        let printed = output(command("sh").args(["-c", "echo light"])).expect("sh runs");
        assert_eq!(printed, "light\n");
    }

    #[cfg(unix)]
    #[test]
    fn programs_are_found_on_the_path() {
        assert!(program("sh").is_some());
        assert!(program("no-such-program-here").is_none());
    }

    #[test]
    fn times_are_spelt_for_people() {
        assert_eq!(spell(Duration::from_millis(1240)), "1.2 s");
        assert_eq!(spell(Duration::from_secs(61)), "1 min 01 s");
    }
}
