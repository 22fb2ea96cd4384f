//! What takes long and is asked for: `cargo xtask soak`, `bench` and `types`. The work itself is in
//! `tests/` and `bench/`.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, ensure};
use clap::builder::PossibleValue;
use xshell::{Cmd, Shell, cmd};

use crate::build;
use crate::setup::{self, Need, PILLOW, pip_programs, prepare, unpack};
use crate::shell::{cache, cargo, checkout, make_new};

#[derive(clap::Args)]
pub(crate) struct Soak {
    /// How often it is killed
    #[arg(long, value_name = "NUMBER", default_value_t = 100)]
    kills: u32,
    /// How many images are dropped
    #[arg(long, value_name = "NUMBER", default_value_t = 10_000)]
    dropped: u32,
    #[command(flatten)]
    instead: Instead,
}

/// Other tests than kills and dropped images; one of them.
#[derive(clap::Args)]
#[group(multiple = false, conflicts_with_all = ["kills", "dropped"])]
struct Instead {
    /// Test this many broken files of each image format instead
    #[arg(long, value_name = "NUMBER")]
    pictures: Option<u32>,
    /// Attack the release build within bounds for this time instead (120 seconds by
    /// default), and measure the effect on a reader
    #[arg(long, value_name = "SECONDS", num_args = 0..=1, default_missing_value = "120")]
    hostile: Option<u32>,
    /// Switch between two programs in the real app for this time instead, seven times a second,
    /// and ask the service meanwhile
    #[arg(long, value_name = "SECONDS")]
    switching: Option<u32>,
    /// Upload Pillow's test images to the release build instead, and compare what it
    /// stores with what Pillow decodes
    #[arg(long)]
    corpus: bool,
}

impl Soak {
    /// Runs the tests for a long time; they print their counts.
    pub(crate) fn run(&self, sh: &Shell, yes: bool) -> Result<()> {
        let of_release = self.instead.corpus || self.instead.hostile.is_some();
        prepare(
            sh,
            if of_release {
                setup::HEADLESS
            } else {
                setup::TESTS
            },
            yes,
        )?;
        let test = |words: &str, variable: &str, number: u32| {
            let words = format!("test --locked --workspace --test {words}");
            cargo(sh, &words).env(variable, number.to_string()).run()
        };
        match self.instead {
            Instead { corpus: true, .. } => return corpus(sh, yes),
            Instead {
                hostile: Some(seconds),
                ..
            } => {
                let test = test_of_release(sh, "hostile")?;
                test.env("PORCHLIGHT_HOSTILE_SECONDS", seconds.to_string())
                    .run()?;
            }
            Instead {
                pictures: Some(number),
                ..
            } => {
                let words = "service -- --nocapture broken_pictures";
                test(words, "PORCHLIGHT_MUTATIONS", number)?;
            }
            Instead {
                switching: Some(seconds),
                ..
            } => {
                let words = "window --features porchlight/desktop -- --nocapture switching::";
                test(words, "PORCHLIGHT_SWITCHING", seconds)?;
            }
            Instead { .. } => {
                if self.kills > 0 {
                    let words = "maintenance -- --nocapture --exact \
                        crash::answered_requests_survive_a_kill_at_any_moment";
                    test(words, "PORCHLIGHT_CRASHES", self.kills)?;
                }
                if self.dropped > 0 {
                    // One after the other: the second measures.
                    let words = "watch -- --nocapture --exact --test-threads=1 \
                        killed::everything_arrives_once_while_watcher_and_service_are_killed_in_turn \
                        many_files::a_folder_full_of_pictures_arrives_whole_and_memory_stays_flat";
                    test(words, "PORCHLIGHT_DROPPED", self.dropped)?;
                }
            }
        }
        Ok(())
    }
}

/// This test against the release build, which is built first. The whole workspace is named as
/// `cargo xtask test` does, so that nothing is compiled twice.
fn test_of_release<'a>(sh: &'a Shell, name: &str) -> Result<Cmd<'a>> {
    let program = build::headless(sh, true)?;
    let test = cargo(sh, "test --workspace --locked --test").arg(name);
    let test = test.args(["--", "--nocapture", "--include-ignored"]);
    Ok(test.env("PORCHLIGHT_PROGRAM", program))
}

/// Pillow's test images, many of which have broken decoders, beside Pillow itself.
fn corpus(sh: &Shell, yes: bool) -> Result<()> {
    prepare(sh, &[Need::Pillow], yes)?;
    let python = pip_programs("pillow")?.join("python");
    let folder = cache()?.join("corpus");
    let name = PILLOW.replace("==", "-");
    let unpacked = folder.join(&name);
    if !unpacked.join("Tests/images").is_dir() {
        let half = folder.join("half");
        make_new(sh, &half)?;
        let _in = sh.push_dir(&half);
        let pip = cmd!(
            sh,
            "{python} -m pip --disable-pip-version-check download --no-deps"
        );
        pip.args(["--no-binary", "pillow", PILLOW]).run()?;
        cmd!(sh, "tar -xzf {name}.tar.gz {name}/Tests/images").run()?;
        fs::rename(half.join(&name), &unpacked)?;
        sh.remove_path(&half)?;
    }
    let test = test_of_release(sh, "corpus")?;
    let pictures = unpacked.join("Tests/images");
    let test = test.env("PORCHLIGHT_CORPUS", pictures);
    Ok(test.env("PORCHLIGHT_PILLOW", python).run()?)
}

/// Regenerates the TypeScript types of the window. The same tests that fail on stale files write
/// them on request, so there is one list of types, one of settings, one of commands, and one way to
/// print each. The whole workspace is named: another choice of packages has other features of their
/// libraries, which would be compiled again.
pub(crate) fn types(sh: &Shell) -> Result<()> {
    let test = "test --quiet --workspace --lib --test tidy types_for_the_page";
    cargo(sh, test).env("PORCHLIGHT_WRITE_TYPES", "1").run()?;
    println!("The types of the page are up to date.");
    Ok(())
}

/// What is measured; each is a file in `bench/src`.
const PARTS: [(&str, &str); 5] = [
    (
        "serve",
        "Requests a second, beside nginx, and look-ups among 100,000 images",
    ),
    ("upload", "Images to WebP, beside sharp"),
    ("start", "From the start of the process to the first image"),
    ("memory", "Many large photographs at once"),
    ("window", "What the tray app and its window cost"),
];

#[derive(clap::Args)]
pub(crate) struct Bench {
    /// Measure this alone; can be given more than once
    #[arg(
        long,
        value_name = "PART",
        value_parser = PARTS.map(|(name, what)| PossibleValue::new(name).help(what))
    )]
    only: Vec<String>,
    /// Fail when an aim is missed
    #[arg(long)]
    enforce: bool,
}

/// Debian's packages of photographs and of pictures of pages that are uploaded.
const PICTURES: [&str; 3] = [
    "mate-backgrounds",
    "lomiri-wallpapers-16.04",
    "gimp-help-en",
];

impl Bench {
    /// Installs what is needed, builds the release binary and measures it.
    pub(crate) fn run(&self, sh: &Shell, yes: bool) -> Result<()> {
        ensure!(cfg!(unix), "the bench runs where nginx and wrk run");
        let parts: Vec<&str> = match self.only.as_slice() {
            [] => PARTS
                .into_iter()
                .map(|(name, _)| name)
                .filter(|name| cfg!(target_os = "linux") || *name != "window")
                .collect(),
            some => some.iter().map(String::as_str).collect(),
        };
        let mut needs = vec![Need::Headless, Need::Bench];
        if parts.contains(&"window") {
            needs.extend(setup::TESTS);
        }
        prepare(sh, &needs, yes)?;
        build::packages(sh, &checkout().join("bench/sharp"))?;
        let headless = build::headless(sh, true)?;
        // Beside `release` in the target folder, wherever that is.
        let target = headless.ancestors().nth(2).context("a target folder")?;
        let folder = sh.create_dir(target.join("bench"))?;
        let mut measure = cargo(sh, "run --release --locked --package porchlight-bench --");
        if parts.contains(&"window") {
            measure = measure.arg("--desktop").arg(desktop_beside(sh, &headless)?);
        }
        if parts.iter().any(|part| ["upload", "memory"].contains(part)) {
            for package in PICTURES {
                unpack(sh, package, &folder.join("photographs"))?;
            }
        }
        measure = measure.args(self.enforce.then_some("--enforce"));
        measure = measure.arg("--folder").arg(folder).args(parts);
        Ok(measure.env("PORCHLIGHT_PROGRAM", headless).run()?)
    }
}

/// Builds the tray app, too. Cargo writes both to the same path, so the
/// headless one is renamed during the build, and restored afterwards.
fn desktop_beside(sh: &Shell, headless: &Path) -> Result<PathBuf> {
    let kept = headless.with_file_name("porchlight-headless");
    let desktop = headless.with_file_name("porchlight-desktop");
    fs::rename(headless, &kept)?;
    let built = build::desktop(sh, true).and_then(|built| Ok(fs::rename(&built, &desktop)?));
    fs::rename(&kept, headless)?;
    built.map(|()| desktop)
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::Soak;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        soak: Soak,
    }

    #[test]
    fn attacks_last_two_minutes_unless_a_number_is_given_and_go_with_no_other_test() {
        let hostile = |words: &str| {
            let words = std::iter::once("soak").chain(words.split_whitespace());
            Line::try_parse_from(words).map(|line| line.soak.instead.hostile)
        };
        assert_eq!(hostile("").expect("valid"), None);
        assert_eq!(hostile("--kills 500").expect("valid"), None);
        assert_eq!(hostile("--hostile").expect("valid"), Some(120));
        assert_eq!(hostile("--hostile 600").expect("valid"), Some(600));
        for other in [
            "--corpus",
            "--switching 1",
            "--pictures 1",
            "--kills 1",
            "--dropped 1",
        ] {
            assert!(hostile(&format!("--hostile {other}")).is_err(), "{other}");
        }
    }
}
