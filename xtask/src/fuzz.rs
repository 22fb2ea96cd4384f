//! `cargo xtask fuzz`: random bytes against the parsers, for a given time; a finding is printed
//! with the file that reproduces it.

use std::path::Path;

use anyhow::Result;
use clap::builder::PossibleValue;
use xshell::Shell;

use crate::setup::{FUZZ, HEADLESS, prepare};
use crate::shell::{cargo, checkout};

/// The targets, in the order in which they run, each a file in `fuzz/fuzz_targets`; what they read,
/// where their seed corpus is, and the largest input: more only takes longer.
const TARGETS: [(&str, &str, &str, u32); 4] = [
    ("convert", "Images: from bytes to WebP", PICTURES, 8192),
    ("upload", "The form of an upload, over HTTP", PICTURES, 8192),
    ("request", "Whole requests, over HTTP", REQUESTS, 2048),
    ("text", "Colours, addresses, hashes, settings", TEXTS, 256),
];
const PICTURES: &str = "tests/pictures";
const REQUESTS: &str = "fuzz/seeds/request";
const TEXTS: &str = "fuzz/seeds/text";

#[derive(clap::Args)]
pub(crate) struct Fuzz {
    /// How long each target runs
    #[arg(long, value_name = "NUMBER", default_value_t = 60)]
    seconds: u32,
    /// Run this one alone
    #[arg(value_parser = TARGETS.map(|(name, what, ..)| PossibleValue::new(name).help(what)))]
    target: Option<String>,
}

impl Fuzz {
    /// Installs cargo-fuzz and runs the targets one after the other, ending at the first finding.
    pub(crate) fn run(&self, sh: &Shell, yes: bool) -> Result<()> {
        prepare(sh, &[HEADLESS, FUZZ], yes)?;
        cargo(sh, "build --locked").run()?; // What is uploaded is converted by this program.
        for (name, _, seeds, longest) in TARGETS {
            if self.target.as_ref().is_none_or(|target| target == name) {
                println!("\n==> {name}");
                run_target(sh, name, seeds, longest, self.seconds)?;
            }
        }
        println!("\nNothing was found.");
        Ok(())
    }
}

fn run_target(sh: &Shell, name: &str, from: &str, longest: u32, seconds: u32) -> Result<()> {
    // Interesting inputs are kept, so that the next run continues from there.
    let folder = |what| sh.create_dir(checkout().join("target/fuzz-work").join(what).join(name));
    let (corpus, seeds, findings) = (folder("corpus")?, folder("seeds")?, folder("findings")?);
    write_seeds(sh, name, from, &seeds)?;
    let limits = "-- -timeout=25 -rss_limit_mb=2048 -print_final_stats=1";
    cargo(
        sh,
        "fuzz run --fuzz-dir fuzz --sanitizer none --target-dir target/fuzz",
    )
    .arg(name)
    .args([corpus, seeds])
    .args(limits.split(' '))
    .arg(format!("-max_total_time={seconds}"))
    .arg(format!("-max_len={longest}"))
    .arg(format!("-artifact_prefix={}/", findings.display()))
    // cargo-fuzz takes flags that stable compilers have and do not offer.
    .env("RUSTC_BOOTSTRAP", "1")
    .run()?;
    Ok(())
}

fn write_seeds(sh: &Shell, name: &str, from: &str, to: &Path) -> Result<()> {
    for file in sh.read_dir(from)?.iter().filter(|file| file.is_file()) {
        let mut bytes = sh.read_binary_file(file)?;
        if name == "upload" {
            bytes = form(&bytes);
        }
        sh.write_file(to.join(file.file_name().unwrap_or_default()), bytes)?;
    }
    Ok(())
}

/// An image in the form that an upload is.
fn form(picture: &[u8]) -> Vec<u8> {
    let head = b"--porchlight\r\nContent-Disposition: form-data; name=\"image\"; \
        filename=\"a.png\"\r\nContent-Type: image/png\r\n\r\n";
    [head, picture, b"\r\n--porchlight--\r\n"].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_target_is_a_program_of_the_fuzz_folder_and_has_seeds() {
        let sh = Shell::new().expect("a shell");
        sh.change_dir(checkout());
        for (name, _, from, _) in TARGETS {
            let source = format!("fuzz/fuzz_targets/{name}.rs");
            assert!(sh.path_exists(&source), "{source}");
            let folder = tempfile::tempdir().expect("a folder");
            write_seeds(&sh, name, from, folder.path()).expect("seeds");
            let count = std::fs::read_dir(folder.path()).expect("a folder").count();
            assert!(count > 5, "{name}: {count}");
        }
    }
}
