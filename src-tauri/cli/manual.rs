//! `porchlight manual DIR`: writes the manual pages and the completions of the shells, which
//! packages install. It is for those who make packages and not in the help.

use std::io;
use std::path::Path;
use std::process::ExitCode;

use clap_complete::Shell;

use crate::cli::{arguments, failed};

pub(super) fn run(folder: &Path) -> ExitCode {
    match write(folder) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => failed(&format!("{}: {error}", folder.display()), 1),
    }
}

fn write(folder: &Path) -> io::Result<()> {
    std::fs::create_dir_all(folder)?;
    clap_mangen::generate_to(arguments(), folder)?;
    for shell in [Shell::Bash, Shell::Zsh, Shell::Fish] {
        clap_complete::generate_to(shell, &mut arguments(), "porchlight", folder)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_that_is_shown_has_a_page_and_every_shell_its_completions() {
        let folder = tempfile::tempdir().expect("a folder");
        write(folder.path()).expect("written");
        let read = |name: &str| {
            std::fs::read_to_string(folder.path().join(name)).unwrap_or_else(|_| panic!("{name}"))
        };
        for command in arguments().get_subcommands() {
            let page = format!("porchlight-{}.1", command.get_name());
            let is_there = folder.path().join(&page).exists();
            assert_eq!(is_there, !command.is_hide_set(), "{page}");
        }
        assert!(read("porchlight.1").contains("PORCHLIGHT_DATA_DIR"));
        for name in ["porchlight.bash", "_porchlight", "porchlight.fish"] {
            assert!(read(name).contains("backup"), "{name}");
        }
    }
}
