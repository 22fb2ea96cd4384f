//! The packages in clean systems: checked by the tools of each format, installed, started, used,
//! upgraded and removed. What happens inside is in `packaging/verify`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::package::product::{Product, Release};
use crate::package::systems::{self, System};
use crate::package::{deb, make, products, release, sign, sums_of, tree};
use crate::shell::{Failure, Result, checkout, command, output, run};
use crate::system::prepare_verification;

/// The version that is upgraded from: of the same commit, so that only the packages differ.
const BEFORE: &str = "0.0.9";

/// Makes the packages twice and checks everything about them that can be checked here.
pub(crate) fn packages(yes: bool) -> Result<()> {
    prepare_verification(yes)?;
    let products = products(yes)?;
    let folder = checkout().join("target/verify-packages");
    let now = release()?;
    let made = make(&products, &now)?;
    the_same_again(&products, &now, &folder)?;
    let before = Release::of_checkout(BEFORE, folder.join("before"))?;
    tree::make_new(&before.folder)?;
    for product in &products {
        deb::make(product, &before)?;
    }
    println!("==> Checking the packages by the tools of their formats");
    formats(&made)?;
    signature(&now)?;
    println!("==> The service in a clean Debian 12, under systemd");
    headless(&folder)?;
    println!("==> The app in a clean Debian 12");
    app(&folder, &made)?;
    println!("==> The archive with the glibc of Debian 11 and nothing else");
    archive(&folder, &made)
}

/// Packs once more and compares every file.
fn the_same_again(products: &[Product], now: &Release, folder: &Path) -> Result<()> {
    let again = Release::of_checkout(&now.version, folder.join("again"))?;
    make(products, &again)?;
    let sums = |release: &Release| {
        let place = sums_of(release);
        fs::read_to_string(&place).map_err(|error| tree::failed(&place, &error))
    };
    let (first, second) = (sums(now)?, sums(&again)?);
    if first != second {
        let failure = format!("Packed twice, the bytes differ:\n{first}\n{second}");
        return Err(Failure::new(failure));
    }
    println!("    Packed twice, every file has the same bytes.");
    fs::remove_dir_all(&again.folder).map_err(|error| tree::failed(&again.folder, &error))
}

/// Has lintian, rpmlint, appstreamcli and desktop-file-validate look.
fn formats(made: &[PathBuf]) -> Result<()> {
    for deb in with_ending(made, "deb") {
        run(command("lintian")
            .args(["--fail-on", "error", "--tag-display-limit", "0"])
            .arg(deb))?;
    }
    let settings = checkout().join("packaging/rpm/rpmlint.toml");
    for rpm in with_ending(made, "rpm") {
        run(command("rpmlint").arg("--config").arg(&settings).arg(rpm))?;
        let needs = output(command("rpm").args(["-qp", "--requires"]).arg(rpm))?;
        println!("{needs}");
        let unlike = needs.lines().find(|line| !is_soname(line));
        if let Some(line) = unlike {
            return Err(Failure::new(format!(
                "{} requires a package: {line}",
                rpm.display()
            )));
        }
    }
    let linux = checkout().join("packaging/linux");
    for file in tree::entries(&linux)? {
        run(
            &mut match file.extension().is_some_and(|ending| ending == "xml") {
                true => with(command("appstreamcli"), &["validate", "--no-net"], &file),
                false => with(command("desktop-file-validate"), &[], &file),
            },
        )?;
    }
    Ok(())
}

/// Whether rpm requires a library or a feature of its own, and no package of one distribution.
fn is_soname(requirement: &str) -> bool {
    let name = requirement.split(' ').next().unwrap_or_default();
    name.contains(".so.")
        || name.starts_with("rpmlib(")
        || name == "/bin/sh"
        || name.starts_with("rtld(")
}

/// Signs a copy of the checksums with a key that is made for this, and checks the signature.
fn signature(now: &Release) -> Result<()> {
    let folder = tempfile::tempdir();
    let folder = folder.map_err(|error| Failure::new(format!("There is no folder: {error}.")))?;
    let copy = Release::of_checkout(&now.version, folder.path().to_owned())?;
    tree::install(&sums_of(now), &sums_of(&copy))?;
    let [secret, public] = ["key", "key.pub"].map(|name| folder.path().join(name));
    run(command("minisign")
        .args(["-G", "-W", "-s"])
        .arg(&secret)
        .arg("-p")
        .arg(&public))?;
    sign(&copy, &secret)?;
    run(command("minisign")
        .arg("-V")
        .arg("-p")
        .arg(&public)
        .arg("-m")
        .arg(sums_of(&copy)))
}

fn headless(folder: &Path) -> Result<()> {
    let system = systems::debian_12()?;
    let verify = checkout().join("packaging/verify");
    let unit = verify.join("verify.service");
    let mut nspawn = start(&system, folder);
    run(nspawn
        .arg(format!(
            "--bind-ro={}:/etc/systemd/system/verify.service",
            unit.display()
        ))
        .args(["--boot", "--kill-signal=SIGRTMIN+3"])
        .args(["systemd.wants=verify.service", "systemd.show_status=0"]))
}

fn app(folder: &Path, made: &[PathBuf]) -> Result<()> {
    let system = systems::debian_12()?;
    let rpm = with_ending(made, "rpm").find(|file| !is_headless(file));
    let rpm = rpm.ok_or_else(|| Failure::new("The app has no rpm."))?;
    let unpacked = folder.join("rpm");
    tree::make_new(&unpacked)?;
    run(command("sh")
        .args([
            "-c",
            "rpm2cpio \"$1\" | cpio --extract --make-directories --quiet",
            "sh",
        ])
        .arg(rpm)
        .current_dir(&unpacked))?;
    for deb in with_ending(made, "deb") {
        system.fetch_what_it_needs(deb)?;
    }
    let mut nspawn = start(&system, folder);
    run(nspawn
        .arg(format!("--bind-ro={}:/rpm", unpacked.display()))
        .args(["--pipe", "/bin/sh", "/verify/app.sh"]))
}

fn is_headless(file: &Path) -> bool {
    let name = file.file_name().unwrap_or_default();
    name.to_string_lossy().contains("headless")
}

fn archive(folder: &Path, made: &[PathBuf]) -> Result<()> {
    let root = folder.join("bare");
    systems::bare(&root)?;
    let archive = with_ending(made, "gz").find(|file| is_headless(file));
    let archive = archive.ok_or_else(|| Failure::new("There is no archive."))?;
    run(command("tar")
        .arg("-xzf")
        .arg(archive)
        .arg("-C")
        .arg(&root)
        .arg("--strip-components=1"))?;
    run(command("sh")
        .arg(checkout().join("packaging/verify/archive.sh"))
        .arg(&root)
        .arg("/bin/porchlight")
        .arg(checkout().join("tests/pictures/baseline.jpg")))
}

/// What systemd-nspawn's own filter of system calls leaves out, and the service wants.
const LANDLOCK: &str =
    "--system-call-filter=landlock_create_ruleset landlock_add_rule landlock_restrict_self";

/// A copy of the system with a network of its own, so without the world and without this
/// machine's ports; it is gone when its program ends.
fn start(system: &System, folder: &Path) -> Command {
    let mut nspawn = command("systemd-nspawn");
    nspawn.args([
        "--quiet",
        "--ephemeral",
        "--private-network",
        "--register=no",
        "--keep-unit",
    ]);
    nspawn.arg(LANDLOCK).arg("-D").arg(&system.folder);
    for (from, to) in [
        (checkout().join("packaging/verify"), "/verify"),
        (checkout().join("tests/pictures"), "/pictures"),
        (checkout().join("target/packages"), "/packages/now"),
        (folder.join("before"), "/packages/before"),
    ] {
        nspawn.arg(format!("--bind-ro={}:{to}", from.display()));
    }
    nspawn
}

fn with_ending<'a>(made: &'a [PathBuf], ending: &'a str) -> impl Iterator<Item = &'a PathBuf> {
    made.iter()
        .filter(move |file| file.extension().is_some_and(|own| own == ending))
}

fn with(mut command: Command, words: &[&str], file: &Path) -> Command {
    command.args(words).arg(file);
    command
}

#[cfg(test)]
mod tests {
    use super::is_soname;

    #[test]
    fn libraries_are_told_from_packages_of_one_distribution() {
        for library in [
            "libc.so.6(GLIBC_2.34)(64bit)",
            "libwebkit2gtk-4.1.so.0()(64bit)",
            "rpmlib(PayloadIsZstd) <= 5.4.18-1",
            "/bin/sh",
        ] {
            assert!(is_soname(library), "{library}");
        }
        for package in ["webkit2gtk4.1", "libgtk-3-0 >= 3.24", "systemd"] {
            assert!(!is_soname(package), "{package}");
        }
    }
}
