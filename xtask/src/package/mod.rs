//! `cargo xtask package`: what people install, as files in `target/packages`. The app and the
//! service as deb and rpm, the service also as an archive and for a container; the list of
//! libraries, checksums, and a signature of these when a key is given. `packaging/pack-linux.sh` and
//! `pack-windows.sh` pack what is laid out here.

mod verify;
mod windows;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, ensure};
use toml::Table;
use xshell::{Cmd, Shell, cmd};

use crate::build;
use crate::setup::{DESKTOP, PACKAGES, pip_programs, prepare};
use crate::shell::{cargo, checkout, files_below, has_ending, make_new};

pub(crate) use verify::verify;
pub(crate) use windows::verify_setup;

const APP: &str = "porchlight";
const HEADLESS: &str = "porchlight-headless";

/// The files of the packages but the program, its manual and its completions: the package, where
/// in the checkout, and where below `usr`.
const FILES: &str = "\
porchlight packaging/linux/porchlight.desktop share/applications/porchlight.desktop
porchlight packaging/linux/porchlight-upload.desktop share/applications/porchlight-upload.desktop
porchlight packaging/linux/blog.porchlight.Porchlight.metainfo.xml share/metainfo/blog.porchlight.Porchlight.metainfo.xml
porchlight src-tauri/icons/32x32.png share/icons/hicolor/32x32/apps/porchlight.png
porchlight src-tauri/icons/128x128.png share/icons/hicolor/128x128/apps/porchlight.png
porchlight src-tauri/icons/128x128@2x.png share/icons/hicolor/256x256/apps/porchlight.png
porchlight src-tauri/icons/icon.svg share/icons/hicolor/scalable/apps/porchlight.svg
porchlight packaging/gnome/focus@porchlight.app/metadata.json share/gnome-shell/extensions/focus@porchlight.app/metadata.json
porchlight packaging/gnome/focus@porchlight.app/extension.js share/gnome-shell/extensions/focus@porchlight.app/extension.js
porchlight packaging/gnome/focus45@porchlight.app/metadata.json share/gnome-shell/extensions/focus45@porchlight.app/metadata.json
porchlight packaging/gnome/focus45@porchlight.app/extension.js share/gnome-shell/extensions/focus45@porchlight.app/extension.js
porchlight packaging/debian/copyright share/doc/porchlight/copyright
porchlight-headless packaging/systemd/system/porchlight.service lib/systemd/system/porchlight.service
porchlight-headless packaging/systemd/user/porchlight.service lib/systemd/user/porchlight.service
porchlight-headless packaging/debian/copyright share/doc/porchlight-headless/copyright";

/// The lines of [`FILES`].
fn files() -> impl Iterator<Item = [&'static str; 3]> {
    let words = |line: &'static str| line.split(' ').collect::<Vec<_>>().try_into();
    FILES
        .lines()
        .map(move |line| words(line).expect("three words"))
}

/// The completions that the program writes, and their folders below `usr/share`.
const COMPLETIONS: &str = "\
porchlight.bash bash-completion/completions/porchlight
porchlight.fish fish/vendor_completions.d/porchlight.fish
_porchlight zsh/site-functions/_porchlight";

/// The glibc of Debian 11 and Ubuntu 20.04.
const OLD_GLIBC: &str = "2.31";

/// A built program, and the newest glibc that it may need: the app that of Debian 12.
struct Product {
    name: &'static str,
    program: PathBuf,
    newest_glibc: &'static str,
}

/// What is the same for every package of one run.
struct Release<'a> {
    sh: &'a Shell,
    version: &'a str,
    maintainer: String,
    homepage: String,
    /// Where the packages are made.
    folder: PathBuf,
}

/// Makes the packages.
pub(crate) fn package(sh: &Shell, key: Option<&Path>, windows: bool, yes: bool) -> Result<()> {
    let release = Release::new(sh, env!("CARGO_PKG_VERSION"), "target/packages")?;
    if windows {
        release.make_windows(&windows::products(sh, yes)?)?;
    } else {
        release.make(&products(sh, yes)?)?;
    }
    key.map_or(Ok(()), |key| sign(sh, key, &release.folder))
}

/// Builds both programs.
fn products(sh: &Shell, yes: bool) -> Result<[Product; 2]> {
    prepare(sh, &[DESKTOP, PACKAGES], yes)?;
    Ok([
        Product {
            name: APP,
            program: build::desktop(sh, true)?,
            newest_glibc: "2.36",
        },
        Product {
            name: HEADLESS,
            program: build::portable(sh, &pip_programs("zig")?, OLD_GLIBC)?,
            newest_glibc: OLD_GLIBC,
        },
    ])
}

/// Signs the checksums, and so all of it. The key has no password: no person is there to type it.
fn sign(sh: &Shell, key: &Path, folder: &Path) -> Result<()> {
    let sums = folder.join("SHA256SUMS");
    Ok(cmd!(sh, "minisign -S -s {key} -m {sums}").run()?)
}

impl<'a> Release<'a> {
    fn new(sh: &'a Shell, version: &'a str, folder: &str) -> Result<Self> {
        let identity: Table = sh.read_file("packaging/identity.toml")?.parse()?;
        let text = |key: &str| {
            let text = identity.get(key).and_then(|value| value.as_str());
            text.map(str::to_owned)
                .with_context(|| format!("packaging/identity.toml: `{key}`"))
        };
        Ok(Self {
            sh,
            version,
            maintainer: text("maintainer")?,
            homepage: text("homepage")?,
            folder: checkout().join(folder),
        })
    }

    /// Makes everything but the files for Windows again.
    fn make(&self, products: &[Product]) -> Result<()> {
        self.clear(false)?;
        for product in products {
            glibc(self.sh, product)?;
            let work = self.folder.join("work").join(product.name);
            self.lay_out(product, &work.join("usr"))?;
            self.pack("packaging/pack-linux.sh", |pack| {
                pack.args([product.name, self.version])
                    .args([&self.maintainer, &self.homepage])
                    .args([&work, &self.folder])
            })?;
        }
        self.libraries()?;
        self.sums()
    }

    /// Runs a script with these words. Every date is that of the commit, so that the same commit gives
    /// the same bytes.
    fn pack(&self, script: &str, words: impl FnOnce(Cmd<'a>) -> Cmd<'a>) -> Result<()> {
        let sh = self.sh;
        println!("==> Packing Porchlight {}", self.version);
        let epoch = cmd!(sh, "git log -1 --format=%ct").read()?;
        let pack = words(cmd!(sh, "bash {script}"));
        let pack = pack.env("SOURCE_DATE_EPOCH", epoch);
        Ok(pack.env("LC_ALL", "C.UTF-8").env("TZ", "UTC").run()?)
    }

    /// Removes what an earlier run has made: the files for Windows, or all others.
    fn clear(&self, windows: bool) -> Result<()> {
        let sh = self.sh;
        sh.create_dir(&self.folder)?;
        sh.remove_path(self.folder.join("work"))?;
        for old in files_below(&self.folder)? {
            if is_for_windows(&old.to_string_lossy()) == windows {
                sh.remove_path(&old)?;
            }
        }
        Ok(())
    }

    /// Writes the checksums of all that was made, of which the parts are not needed any more.
    fn sums(&self) -> Result<()> {
        let sh = self.sh;
        let _in = sh.push_dir(&self.folder);
        for old in ["work", "SHA256SUMS", "SHA256SUMS.minisig"] {
            sh.remove_path(old)?;
        }
        let sums = cmd!(sh, "sh -c").arg("sha256sum -- *").read()?;
        sh.write_file("SHA256SUMS", format!("{sums}\n"))?;
        Ok(cmd!(sh, "ls -l").run()?)
    }

    /// Lays out everything below `usr`.
    fn lay_out(&self, product: &Product, usr: &Path) -> Result<()> {
        let (sh, program) = (self.sh, &product.program);
        sh.create_dir(usr.join("bin"))?;
        // Its symbols are of use only in a debugger, and take a fifth of it.
        let stripped = usr.join("bin/porchlight");
        cmd!(sh, "strip --strip-all -o {stripped} {program}").run()?;
        for [_, from, to] in files().filter(|row| row[0] == product.name) {
            copy(sh, Path::new(from), &usr.join(to))?;
        }
        let (written, share) = (usr.with_extension("manual"), usr.join("share"));
        cmd!(sh, "{program} manual {written}").run()?;
        for (from, to) in COMPLETIONS.lines().filter_map(|line| line.split_once(' ')) {
            copy(sh, &written.join(from), &share.join(to))?;
        }
        let manual = sh.create_dir(share.join("man/man1"))?;
        let mut pages = sh.read_dir(&written)?;
        pages.retain(|page| has_ending(page, &["1"]));
        cmd!(sh, "cp {pages...} {manual}").run()?;
        let pages = sh.read_dir(manual)?;
        Ok(cmd!(sh, "gzip -9 -n {pages...}").run()?)
    }

    /// The list of libraries in the programs, in the form of CycloneDX. cargo-cyclonedx puts a list
    /// beside each `Cargo.toml`, so it works on a copy of the commit.
    fn libraries(&self) -> Result<()> {
        let (sh, work) = (self.sh, self.folder.join("work/sbom"));
        make_new(sh, &work)?;
        let archive = self.folder.join("work/sbom.tar");
        cmd!(sh, "git archive --format=tar -o {archive} HEAD").run()?;
        cmd!(sh, "tar -xf {archive} -C {work}").run()?;
        let _in = sh.push_dir(&work);
        cargo(
            sh,
            "cyclonedx --format json --features desktop --no-build-deps",
        )
        .arg("--target")
        .arg(format!("{}-unknown-linux-gnu", std::env::consts::ARCH))
        .args(["--override-filename", "porchlight.cdx"])
        .run()?;
        // Where it was written is of no use to a reader.
        let list = sh.read_file("porchlight.cdx.json")?;
        let list = list.replace(&work.display().to_string(), "/porchlight");
        Ok(sh.write_file(self.folder.join("porchlight.cdx.json"), list)?)
    }

    /// The packages that were made whose names end like this.
    fn made(&self, ending: &str) -> Result<Vec<PathBuf>> {
        let mut files = files_below(&self.folder)?;
        files.retain(|file| file.to_string_lossy().ends_with(ending));
        ensure!(!files.is_empty(), "there is no {ending}");
        Ok(files)
    }

    /// That of this product.
    fn made_of(&self, product: &str, ending: &str) -> Result<PathBuf> {
        let made = self.made(ending)?.into_iter();
        let start = self.folder.join(format!("{product}-{}", self.version));
        let start = start.to_string_lossy().into_owned();
        let mut its = made.filter(|file| file.to_string_lossy().starts_with(&start));
        its.next()
            .with_context(|| format!("{product} has no {ending}"))
    }
}

fn is_for_windows(file: &str) -> bool {
    file.ends_with("-setup.exe") || file.ends_with("-windows.zip")
}

/// Fails when a program asks for a newer glibc than is promised: on a system with an older one it
/// does not start.
fn glibc(sh: &Shell, product: &Product) -> Result<()> {
    let (name, program) = (product.name, &product.program);
    let symbols = cmd!(sh, "objdump -T {program}").read()?;
    let needed = newest(&symbols).with_context(|| format!("{name} names no glibc"))?;
    println!("    {name} needs glibc {needed:?} or newer");
    ensure!(
        needed <= numbers(product.newest_glibc),
        "{name} must run with glibc {}",
        product.newest_glibc
    );
    Ok(())
}

/// The highest of the `GLIBC_2.34` and the like.
fn newest(symbols: &str) -> Option<Vec<u32>> {
    let versions = symbols.split("GLIBC_").skip(1).map(numbers);
    versions.max().filter(|version| !version.is_empty())
}

/// The numbers of the version that a text begins with; of one that is none, no numbers.
fn numbers(text: &str) -> Vec<u32> {
    let end = text.find(|sign: char| !sign.is_ascii_digit() && sign != '.');
    let version = text[..end.unwrap_or(text.len())].split('.');
    version.filter_map(|number| number.parse().ok()).collect()
}

/// Copies a file to a place whose folder may not be there yet.
fn copy(sh: &Shell, from: &Path, to: &Path) -> Result<()> {
    sh.create_dir(to.parent().unwrap_or(to))?;
    fs::copy(checkout().join(from), to).with_context(|| from.display().to_string())?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_compared_as_numbers() {
        let symbols = "0 DF *UND* 0 (GLIBC_2.9) a\n0 DF *UND* 0 (GLIBC_2.34) b\n\
                       0 DF *UND* 0 (GLIBC_2.2.5) c\n0 DF *UND* 0 (GLIBC_PRIVATE) d\n";
        assert_eq!(newest(symbols), Some(vec![2, 34]));
        assert_eq!(newest("0 DF *UND* 0 (GLIBC_PRIVATE) d"), None);
        assert_eq!(newest("0 g DF .text 0 Base main"), None);
        assert!(numbers("2.9") < numbers("2.31"));
    }

    #[test]
    fn packages_for_windows_and_for_linux_stay_beside_each_other() {
        let sh = Shell::new().expect("a shell");
        sh.change_dir(checkout());
        let folder = tempfile::tempdir().expect("a folder");
        let mut release = Release::new(&sh, "1.2.3", "unused").expect("an identity");
        release.folder = folder.path().to_owned();
        let write = |name: &str| {
            sh.write_file(folder.path().join(name), name)
                .expect("a file")
        };
        let made = || sh.read_dir(folder.path()).expect("a folder").len();
        let for_windows = ["a-1-setup.exe", "a-1-x86_64-windows.zip"];
        let for_linux = ["a_1_amd64.deb", "a-1.x86_64.rpm"];
        for_windows
            .iter()
            .chain(&for_linux)
            .for_each(|name| write(name));
        release.sums().expect("written");
        let sums = sh.read_file(folder.path().join("SHA256SUMS"));
        let sums = sums.expect("a file");
        for name in for_windows.iter().chain(&for_linux) {
            assert!(sums.contains(name), "{sums}");
        }
        release.clear(false).expect("cleared");
        assert_eq!(made(), for_windows.len());
        for_linux.iter().for_each(|name| write(name));
        release.clear(true).expect("cleared");
        assert_eq!(made(), for_linux.len());
    }

    #[cfg(unix)]
    #[test]
    fn a_release_fills_in_its_address_and_the_manifests_or_names_what_lacks_a_checksum() {
        let sh = Shell::new().expect("a shell");
        let folder = tempfile::tempdir().expect("a folder");
        sh.change_dir(folder.path());
        let packaging = checkout().join("packaging");
        cmd!(sh, "cp -R {packaging} packaging")
            .run()
            .expect("a copy");
        let release = |words: &str| {
            let words = words.split(' ');
            cmd!(sh, "bash packaging/release.sh").args(words).run()
        };
        release("address https://example.org/a/b 1.2.3").expect("filled");
        let now = Release::new(&sh, "1.2.3", "unused").expect("an identity");
        assert_eq!(now.homepage, "https://example.org/a/b");
        let described = "packaging/linux/blog.porchlight.Porchlight.metainfo.xml";
        let described = sh.read_file(described).expect("a description");
        let picture = "<image>https://example.org/a/b/raw/v1.2.3/docs/screenshots/";
        let pictures: Vec<&str> = described.split(picture).skip(1).collect();
        assert_eq!(pictures.len(), 3, "{described}");
        for picture in pictures {
            let name = picture.split('<').next().expect("a name");
            let file = checkout().join("docs/screenshots").join(name);
            assert!(file.is_file(), "{name}");
        }

        let sum = "0123".repeat(16);
        let made = [
            "porchlight-1.2.3-setup.exe",
            "porchlight-headless-1.2.3-x86_64-windows.zip",
            "porchlight-1.2.3-1.x86_64.rpm",
            "Porchlight_1.2.3_aarch64.dmg",
        ];
        let sums = made.map(|name| format!("{sum}  {name}\n"));
        sh.write_file("sums", sums.concat()).expect("written");
        release("manifests https://example.org/a/b 1.2.3 sums out").expect("filled");
        for file in files_below(&folder.path().join("out")).expect("files") {
            let text = sh.read_file(&file).expect("a manifest");
            assert!(text.contains("1.2.3"), "{}", file.display());
        }
        let scoop = sh.read_file("out/scoop/porchlight-headless.json");
        let scoop: serde_json::Value =
            serde_json::from_str(&scoop.expect("a manifest")).expect("JSON");
        assert_eq!(scoop["architecture"]["64bit"]["hash"], sum);
        cmd!(sh, "bash -n out/aur/PKGBUILD")
            .run()
            .expect("a script");

        sh.write_file("sums", sums[1..].concat()).expect("written");
        release("manifests https://example.org/a/b 1.2.3 sums less")
            .expect_err("none of the setup");
    }

    #[test]
    fn every_file_of_a_package_is_in_the_checkout() {
        for [package, from, _] in files() {
            assert!(checkout().join(from).is_file(), "{package}: {from}");
        }
    }
}
