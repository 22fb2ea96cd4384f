//! Clean systems to install packages in, made by debootstrap in the user's cache folder and copied
//! for each use.

use std::fs;
use std::path::{Path, PathBuf};

use crate::package::tree::{self, failed};
use crate::shell::{Result, command, run};
use crate::system::cache;

/// What the checks use inside Debian 12, beside what every Debian has.
const TOOLS: &[&str] = &[
    "ca-certificates",
    "curl",
    "dbus",
    "libglib2.0-bin",
    "libpam-systemd",
    "systemd-sysv",
    "xclip",
    "xdotool",
    "xvfb",
];

/// The parts of a glibc that a program can ask for, and the certificates.
const BARE: &[&str] = &[
    "lib/x86_64-linux-gnu/libc.so.6",
    "lib/x86_64-linux-gnu/libdl.so.2",
    "lib/x86_64-linux-gnu/libm.so.6",
    "lib/x86_64-linux-gnu/libnss_dns.so.2",
    "lib/x86_64-linux-gnu/libnss_files.so.2",
    "lib/x86_64-linux-gnu/libpthread.so.0",
    "lib/x86_64-linux-gnu/libresolv.so.2",
    "lib/x86_64-linux-gnu/librt.so.1",
    "lib64/ld-linux-x86-64.so.2",
    "etc/ssl/certs/ca-certificates.crt",
];

/// A system that nothing was installed in but what debootstrap did.
pub(super) struct System {
    pub(super) folder: PathBuf,
}

impl System {
    /// Fetches the packages that this one depends on into the system's own cache, so that it can
    /// be installed without a network.
    pub(super) fn fetch_what_it_needs(&self, deb: &Path) -> Result<()> {
        let folder = deb.parent().unwrap_or(deb);
        let name = deb.file_name().unwrap_or_default().to_string_lossy();
        run(command("systemd-nspawn")
            .args(["--quiet", "--register=no", "--keep-unit", "--pipe"])
            .arg("-D")
            .arg(&self.folder)
            .arg(format!("--bind-ro={}:/packages", folder.display()))
            .args(["/bin/sh", "-c"])
            .arg(format!(
                "apt-get -q update && apt-get -q install -y --download-only /packages/{name}"
            )))
    }
}

/// Debian 12 with what the checks use.
pub(super) fn debian_12() -> Result<System> {
    debootstrap("bookworm", TOOLS)
}

/// A folder with nothing but the glibc of Debian 11 and certificates.
pub(super) fn bare(root: &Path) -> Result<()> {
    let whole = debootstrap("bullseye", &["ca-certificates"])?;
    tree::make_new(root)?;
    for file in BARE {
        tree::install(&inside(&whole.folder, file), &root.join(file))?;
    }
    for folder in ["data", "tmp"] {
        let place = root.join(folder);
        fs::create_dir_all(&place).map_err(|error| failed(&place, &error))?;
    }
    Ok(())
}

/// Where a file of a system is; an absolute link leads into the system.
fn inside(system: &Path, file: &str) -> PathBuf {
    let place = system.join(file);
    match fs::read_link(&place) {
        Ok(target) if target.is_absolute() => {
            system.join(target.strip_prefix("/").unwrap_or(&target))
        }
        _ => place,
    }
}

/// Made once; another list of tools makes it anew.
fn debootstrap(suite: &str, tools: &[&str]) -> Result<System> {
    let folder = cache()?.join("systems").join(suite);
    let made_with = folder.join("etc/made-with");
    if fs::read_to_string(&made_with).is_ok_and(|list| list == tools.join("\n")) {
        return Ok(System { folder });
    }
    if folder.exists() {
        fs::remove_dir_all(&folder).map_err(|error| failed(&folder, &error))?;
    }
    let half = folder.with_extension("half");
    tree::make_new(&half)?;
    run(command("debootstrap")
        .arg("--variant=minbase")
        .arg(format!("--include={}", tools.join(",")))
        .arg(suite)
        .arg(&half))?;
    let list = half.join("etc/made-with");
    fs::write(&list, tools.join("\n")).map_err(|error| failed(&list, &error))?;
    fs::rename(&half, &folder).map_err(|error| failed(&folder, &error))?;
    Ok(System { folder })
}
