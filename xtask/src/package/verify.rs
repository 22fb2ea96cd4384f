//! The packages in clean systems: checked by the tools of each format, installed, started, used,
//! upgraded and removed. What happens inside is in `packaging/verify`.

use std::path::Path;

use anyhow::{Result, ensure};
use xshell::{Cmd, Shell, cmd};

use super::{APP, HEADLESS, Release, products, sign};
use crate::debian::{self, LANDLOCK};
use crate::setup::{CLEAN_SYSTEMS, is_debian, prepare};
use crate::shell::{checkout, files_below, make_new};

/// The version that is upgraded from: of the same commit, so that only the packages differ.
const BEFORE: &str = "0.0.9";

/// What the checks use inside Debian 12, beside what every Debian has.
const TOOLS: &str = "ca-certificates curl dbus libglib2.0-bin libpam-systemd systemd-sysv xclip \
                     xdotool xvfb";

/// The parts of a glibc that a program can ask for, and the certificates.
const BARE: &str = "lib/x86_64-linux-gnu/libc.so.6 lib/x86_64-linux-gnu/libdl.so.2 \
    lib/x86_64-linux-gnu/libm.so.6 lib/x86_64-linux-gnu/libnss_dns.so.2 \
    lib/x86_64-linux-gnu/libnss_files.so.2 lib/x86_64-linux-gnu/libpthread.so.0 \
    lib/x86_64-linux-gnu/libresolv.so.2 lib/x86_64-linux-gnu/librt.so.1 \
    lib64/ld-linux-x86-64.so.2 etc/ssl/certs/ca-certificates.crt";

/// Makes the packages twice and checks everything about them that can be checked here.
pub(crate) fn verify(sh: &Shell, yes: bool) -> Result<()> {
    ensure!(
        is_debian(sh),
        "packages are verified on Debian and Ubuntu, which have the tools"
    );
    prepare(sh, &[CLEAN_SYSTEMS], yes)?;
    let products = products(sh, yes)?;
    let folder = "target/verify-packages";
    let [now, _before] = packed(sh, folder, |release| release.make(&products))?;
    let folder = checkout().join(folder);
    println!("==> Checking the packages by the tools of their formats");
    formats(sh, &now)?;
    signature(sh, &now)?;
    let debian = debian::clean(sh, "bookworm", TOOLS)?;
    println!("==> The service in a clean Debian 12, under systemd");
    let unit = checkout().join("packaging/verify/verify.service");
    start(sh, &debian, &folder)
        .arg(format!(
            "--bind-ro={}:/etc/systemd/system/verify.service",
            unit.display()
        ))
        .args(["--boot", "--kill-signal=SIGRTMIN+3"])
        .args(["systemd.wants=verify.service", "systemd.show_status=0"])
        .run()?;
    println!("==> The app in a clean Debian 12");
    app(sh, &debian, &folder, &now)?;
    println!("==> The archive with the glibc of Debian 11 and nothing else");
    archive(sh, &folder, &now)
}

/// Makes the packages in folders below this one: of this version in `now`, and of the one that is
/// upgraded from in `before`. Fails when they have other bytes the second time.
pub(super) fn packed<'a>(
    sh: &'a Shell,
    folder: &str,
    make: impl Fn(&Release<'a>) -> Result<()>,
) -> Result<[Release<'a>; 2]> {
    let release = |version, name| -> Result<_> {
        let release = Release::new(sh, version, &format!("{folder}/{name}"))?;
        make_new(sh, &release.folder)?;
        make(&release)?;
        Ok(release)
    };
    let version = env!("CARGO_PKG_VERSION");
    let (now, again) = (release(version, "now")?, release(version, "again")?);
    let sums = |release: &Release<'_>| sh.read_file(release.folder.join("SHA256SUMS"));
    let (first, second) = (sums(&now)?, sums(&again)?);
    ensure!(
        first == second,
        "packed twice, the bytes differ:\n{first}\n{second}"
    );
    println!("    Packed twice, every file has the same bytes.");
    sh.remove_path(&again.folder)?;
    Ok([now, release(BEFORE, "before")?])
}

/// Has lintian, rpmlint, appstreamcli and desktop-file-validate look.
fn formats(sh: &Shell, now: &Release<'_>) -> Result<()> {
    for deb in now.made(".deb")? {
        cmd!(sh, "lintian --fail-on error --tag-display-limit 0 {deb}").run()?;
    }
    for rpm in now.made(".rpm")? {
        cmd!(sh, "rpmlint --config packaging/rpm/rpmlint.toml {rpm}").run()?;
        let needs = cmd!(sh, "rpm -qp --requires {rpm}").read()?;
        let other = needs.lines().find(|need| !is_soname(need));
        ensure!(
            other.is_none(),
            "{} requires a package: {other:?}",
            rpm.display()
        );
    }
    for file in files_below(&checkout().join("packaging/linux"))? {
        match file.extension().is_some_and(|ending| ending == "xml") {
            true => cmd!(sh, "appstreamcli validate --no-net {file}").run()?,
            false => cmd!(sh, "desktop-file-validate {file}").run()?,
        }
    }
    Ok(())
}

/// Whether rpm requires a library or a feature of its own, and no package of one distribution.
fn is_soname(requirement: &str) -> bool {
    let name = requirement.split(' ').next().unwrap_or_default();
    let of_rpm = ["rpmlib(", "rtld("];
    name.contains(".so.") || name == "/bin/sh" || of_rpm.iter().any(|own| name.starts_with(own))
}

/// Signs a copy of the checksums with a key that is made for this, and checks the signature.
fn signature(sh: &Shell, now: &Release<'_>) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let [key, public, sums] = ["key", "key.pub", "SHA256SUMS"].map(|name| folder.path().join(name));
    sh.copy_file(now.folder.join("SHA256SUMS"), &sums)?;
    cmd!(sh, "minisign -G -W -s {key} -p {public}").run()?;
    sign(sh, &key, folder.path())?;
    Ok(cmd!(sh, "minisign -V -p {public} -m {sums}").run()?)
}

fn app(sh: &Shell, debian: &Path, folder: &Path, now: &Release<'_>) -> Result<()> {
    let rpm = now.made_of(APP, ".rpm")?;
    let unpacked = folder.join("rpm");
    make_new(sh, &unpacked)?;
    let unpack = "cd \"$2\" && rpm2cpio \"$1\" | cpio --extract --make-directories --quiet";
    cmd!(sh, "sh -c {unpack} sh {rpm} {unpacked}").run()?;
    // What the packages depend on comes into the system's own cache, so that they can be installed
    // without a network.
    for deb in now.made(".deb")? {
        let name = deb.file_name().unwrap_or_default().to_string_lossy();
        let fetch =
            format!("apt-get -q update && apt-get -q install -y --download-only /packages/{name}");
        let packages = format!("--bind-ro={}:/packages", now.folder.display());
        let nspawn = cmd!(
            sh,
            "systemd-nspawn --quiet --register=no --keep-unit --pipe"
        );
        let nspawn = nspawn.arg("-D").arg(debian);
        nspawn.arg(packages).args(["/bin/sh", "-c", &fetch]).run()?;
    }
    let rpm = format!("--bind-ro={}:/rpm", unpacked.display());
    Ok(start(sh, debian, folder)
        .arg(rpm)
        .args(["--pipe", "/bin/sh", "/verify/app.sh"])
        .run()?)
}

/// In a folder with nothing but the glibc of Debian 11 and certificates.
fn archive(sh: &Shell, folder: &Path, now: &Release<'_>) -> Result<()> {
    let root = folder.join("bare");
    make_new(sh, &root)?;
    let whole = debian::clean(sh, "bullseye", "ca-certificates")?;
    // Inside, since an absolute link leads into the system.
    let bare = format!("chroot \"$1\" tar --dereference -c {BARE} | tar -x -C \"$2\"");
    cmd!(sh, "sh -c {bare} sh {whole} {root}").run()?;
    for name in ["data", "tmp"] {
        sh.create_dir(root.join(name))?;
    }
    let archive = now.made_of(HEADLESS, ".tar.gz")?;
    cmd!(sh, "tar -xzf {archive} -C {root} --strip-components=1").run()?;
    let run = cmd!(sh, "sh packaging/verify/archive.sh {root} /bin/porchlight");
    Ok(run.arg("tests/pictures/baseline.jpg").run()?)
}

/// A copy of the system with a network of its own, so without the world and without this
/// machine's ports; it is gone when its program ends.
fn start<'a>(sh: &'a Shell, system: &Path, folder: &Path) -> Cmd<'a> {
    let binds = [
        (checkout().join("packaging/verify"), "/verify"),
        (checkout().join("tests/pictures"), "/pictures"),
        (folder.join("now"), "/packages/now"),
        (folder.join("before"), "/packages/before"),
    ]
    .map(|(from, to)| format!("--bind-ro={}:{to}", from.display()));
    let nspawn = cmd!(
        sh,
        "systemd-nspawn --quiet --ephemeral --private-network --register=no --keep-unit"
    );
    nspawn.arg(LANDLOCK).arg("-D").arg(system).args(binds)
}

#[cfg(test)]
mod tests {
    use super::is_soname;

    #[test]
    fn libraries_are_distinguished_from_packages_of_one_distribution() {
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
