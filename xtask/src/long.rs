//! What takes long and is asked for: `cargo xtask soak`, `bench` and `types`. The work itself is in
//! `tests/` and `bench/`.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, ensure};
use clap::builder::PossibleValue;
use xshell::{Shell, cmd};

use crate::build;
use crate::setup::{self, CORPUS, DESKTOP, HEADLESS, PILLOW, TESTS, pip_programs, prepare, unpack};
use crate::shell::{cache, cargo, make_new};

/// The tests that run long: the name of each, what it does, the variable with its number and that
/// number, and its words for `cargo test`.
const SOAK: [(&str, &str, &str, u32, &str); 6] = [
    (
        "kills",
        "Kill the service so often at random moments, and check that nothing is lost (100)",
        "PORCHLIGHT_CRASHES",
        100,
        "maintenance -- --exact crash::answered_requests_survive_a_kill_at_any_moment",
    ),
    // One after the other: the second measures.
    (
        "dropped",
        "Drop so many images into a watched folder, twice (10000)",
        "PORCHLIGHT_DROPPED",
        10_000,
        "watch -- --exact --test-threads=1 \
         killed::everything_arrives_once_while_the_service_is_killed \
         many_files::a_folder_full_of_pictures_arrives_whole_and_memory_stays_flat",
    ),
    (
        "pictures",
        "Upload so many broken files of each image format (1000)",
        "PORCHLIGHT_MUTATIONS",
        1000,
        "service -- broken_pictures",
    ),
    (
        "switching",
        "Switch between two programs in the real app for so many seconds (600)",
        "PORCHLIGHT_SWITCHING",
        600,
        "window --features porchlight/desktop -- switching::",
    ),
    (
        "hostile",
        "Attack the release build within bounds for so many seconds (120), and measure the effect \
         on a reader",
        "PORCHLIGHT_HOSTILE_SECONDS",
        120,
        "hostile -- --include-ignored",
    ),
    (
        "corpus",
        "Upload Pillow's test images to the release build, and compare what it stores with what \
         Pillow decodes",
        "",
        0,
        "corpus -- --include-ignored",
    ),
];

#[derive(clap::Args)]
pub(crate) struct Soak {
    /// Run this test; without one, kills and dropped images
    #[arg(value_parser = SOAK.map(|(name, what, ..)| PossibleValue::new(name).help(what)))]
    test: Option<String>,
    /// How often or how long, instead of the number in brackets
    #[arg(requires = "test")]
    number: Option<u32>,
}

impl Soak {
    /// Runs the tests for a long time; they print their counts.
    pub(crate) fn run(&self, sh: &Shell, yes: bool) -> Result<()> {
        prepare(sh, &[DESKTOP, TESTS], yes)?;
        for (at, (name, _, variable, number, words)) in SOAK.iter().enumerate() {
            if self.test.as_ref().map_or(at > 1, |test| test != name) {
                continue;
            }
            let words = format!("test --workspace --locked --test {words} --nocapture");
            let mut test = cargo(sh, &words);
            if !variable.is_empty() {
                test = test.env(variable, self.number.unwrap_or(*number).to_string());
            }
            if ["hostile", "corpus"].contains(name) {
                test = test.env("PORCHLIGHT_PROGRAM", build::headless(sh, true)?);
            }
            if *name == "corpus" {
                let (pictures, python) = corpus(sh, yes)?;
                test = test.env("PORCHLIGHT_CORPUS", pictures);
                test = test.env("PORCHLIGHT_PILLOW", python);
            }
            test.run()?;
        }
        Ok(())
    }
}

/// Pillow's test images, many of which have broken decoders, and the Python that has Pillow itself.
fn corpus(sh: &Shell, yes: bool) -> Result<(PathBuf, PathBuf)> {
    prepare(sh, &[CORPUS], yes)?;
    let python = pip_programs("pillow")?.join("python");
    let folder = cache()?.join("corpus");
    let name = PILLOW.replace("==", "-");
    let pictures = folder.join(&name).join("Tests/images");
    if !pictures.is_dir() {
        make_new(sh, &folder)?;
        let _in = sh.push_dir(&folder);
        let pip = cmd!(sh, "{python} -m pip --disable-pip-version-check download");
        pip.args(["--no-deps", "--no-binary", "pillow", PILLOW])
            .run()?;
        cmd!(sh, "tar -xzf {name}.tar.gz {name}/Tests/images").run()?;
    }
    Ok((pictures, python))
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

/// Debian's packages of photographs and of pictures of pages that are uploaded.
const PICTURES: [&str; 3] = [
    "mate-backgrounds",
    "lomiri-wallpapers-16.04",
    "gimp-help-en",
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

impl Bench {
    /// Installs what is needed, builds the release binary and measures it.
    pub(crate) fn run(&self, sh: &Shell, yes: bool) -> Result<()> {
        ensure!(cfg!(target_os = "linux"), "the bench runs on Linux");
        let mut parts = PARTS.map(|(name, _)| name).to_vec();
        parts.retain(|part| self.only.is_empty() || self.only.iter().any(|only| only == part));
        let of_window: &[_] = if parts.contains(&"window") {
            &[DESKTOP, TESTS]
        } else {
            &[]
        };
        prepare(sh, &[&[HEADLESS, setup::BENCH], of_window].concat(), yes)?;
        build::packages(sh, &["bench/sharp"])?;
        let headless = build::headless(sh, true)?;
        // Beside `release` in the target folder, wherever that is.
        let target = headless.ancestors().nth(2).context("a target folder")?;
        let folder = sh.create_dir(target.join("bench"))?;
        let mut measure = cargo(sh, "run --release --locked --package porchlight-bench --");
        if parts.contains(&"window") {
            measure = measure.arg("--desktop").arg(desktop_beside(sh, &headless)?);
        }
        if parts.contains(&"upload") || parts.contains(&"memory") {
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
