//! `cargo xtask fuzz`: random bytes against the parsers, for a given time; a finding is printed
//! with the file that reproduces it.

use std::fs;
use std::path::{Path, PathBuf};

use clap::ValueEnum;

use crate::shell::{Failure, Result, checkout, run};
use crate::system::{cargo, prepare_fuzz};

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Install what is missing without asking
    #[arg(long, short)]
    yes: bool,
    /// How long each target runs
    #[arg(long, value_name = "NUMBER", default_value_t = 60)]
    seconds: u32,
    /// Run this one alone
    target: Option<Target>,
}

/// The targets, in the order in which they run; each is a file in `fuzz/fuzz_targets`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Target {
    /// Images: from bytes to WebP
    Convert,
    /// Images whose decoders have a separate process
    Apart,
    /// The form of an upload, over HTTP
    Upload,
    /// Whole requests, over HTTP
    Request,
    /// Colours, addresses, hashes and settings
    Text,
}

impl Target {
    fn name(self) -> String {
        let value = self.to_possible_value().expect("no target is hidden");
        value.get_name().to_owned()
    }

    /// The largest input: more only takes longer.
    fn longest(self) -> u32 {
        match self {
            Self::Text => 256,
            Self::Request => 2048,
            Self::Convert | Self::Apart | Self::Upload => 8192,
        }
    }

    /// Writes its seed corpus into this folder.
    fn write_seeds(self, folder: &Path) -> std::io::Result<()> {
        let from = match self {
            Self::Convert | Self::Apart | Self::Upload => "tests/pictures".to_owned(),
            Self::Request | Self::Text => format!("fuzz/seeds/{}", self.name()),
        };
        for entry in fs::read_dir(checkout().join(from))? {
            let entry = entry?;
            if !entry.file_type()?.is_file() {
                continue;
            }
            let mut bytes = fs::read(entry.path())?;
            if self == Self::Upload {
                bytes = form(&bytes);
            }
            fs::write(folder.join(entry.file_name()), bytes)?;
        }
        Ok(())
    }
}

/// An image in the form that an upload is.
fn form(picture: &[u8]) -> Vec<u8> {
    let head = b"--porchlight\r\nContent-Disposition: form-data; name=\"image\"; \
        filename=\"a.png\"\r\nContent-Type: image/png\r\n\r\n";
    [head, picture, b"\r\n--porchlight--\r\n"].concat()
}

/// Brings cargo-fuzz and runs the targets one after the other, ending at the first finding.
pub(crate) fn fuzz(arguments: &Arguments) -> Result<()> {
    prepare_fuzz(arguments.yes)?;
    let targets = match &arguments.target {
        Some(target) => std::slice::from_ref(target),
        None => Target::value_variants(),
    };
    for target in targets {
        println!("\n==> {}", target.name());
        run_target(*target, arguments.seconds)?;
    }
    println!("\nNothing was found.");
    Ok(())
}

fn run_target(target: Target, seconds: u32) -> Result<()> {
    // Interesting inputs are kept, so that the next run continues from there.
    let [corpus, seeds, findings] = ["corpus", "seeds", "findings"].map(|what| {
        let work = checkout().join("target").join("fuzz-work");
        work.join(what).join(target.name())
    });
    let made = [&corpus, &seeds, &findings].map(fs::create_dir_all);
    made.into_iter()
        .collect::<std::io::Result<Vec<()>>>()
        .and_then(|_| target.write_seeds(&seeds))
        .map_err(|error| Failure::new(format!("No seeds could be written: {error}.")))?;
    let outcome = run(cargo()
        .args(["fuzz", "run", "--fuzz-dir", "fuzz", "--sanitizer", "none"])
        .args(["--target-dir", "target/fuzz"])
        .arg(target.name())
        .arg(&corpus)
        .arg(&seeds)
        .arg("--")
        .arg(format!("-max_total_time={seconds}"))
        .arg(format!("-max_len={}", target.longest()))
        .args(["-timeout=25", "-rss_limit_mb=2048", "-print_final_stats=1"])
        .arg(format!("-artifact_prefix={}/", findings.display()))
        // cargo-fuzz takes flags that stable compilers have and do not offer.
        .env("RUSTC_BOOTSTRAP", "1"));
    outcome.map_err(|failure| {
        let newest = newest(&findings).map_or_else(
            || format!("{failure} There is no finding in {}.", findings.display()),
            |file| format!("{} was found by {}.", file.display(), target.name()),
        );
        Failure::new(newest)
    })
}

fn newest(folder: &Path) -> Option<PathBuf> {
    let files = fs::read_dir(folder).ok()?.filter_map(|entry| {
        let entry = entry.ok()?;
        Some((entry.metadata().ok()?.modified().ok()?, entry.path()))
    });
    files.max().map(|(_, path)| path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_target_is_a_program_of_the_fuzz_folder_and_has_seeds() {
        for target in Target::value_variants() {
            let source = format!("fuzz/fuzz_targets/{}.rs", target.name());
            assert!(checkout().join(&source).is_file(), "{source}");
            let folder = tempfile::tempdir().expect("a folder");
            target.write_seeds(folder.path()).expect("seeds");
            let count = fs::read_dir(folder.path()).expect("a folder").count();
            assert!(count > 5, "{target:?}: {count}");
        }
    }

    #[test]
    fn the_latest_finding_is_the_one_that_is_named() {
        let folder = tempfile::tempdir().expect("a folder");
        assert_eq!(newest(folder.path()), None);
        fs::write(folder.path().join("crash-1"), b"x").expect("a file");
        assert_eq!(newest(folder.path()), Some(folder.path().join("crash-1")));
    }
}
