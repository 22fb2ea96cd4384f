//! The archives of the service: one to unpack on any Linux, and one to build a container from.

use std::fs;
use std::path::{Path, PathBuf};

use crate::package::product::{Product, Release};
use crate::package::tree::{self, Family, failed};
use crate::shell::{Failure, Result, checkout, run};

/// Where systems keep the certificates that they trust.
const CERTIFICATES: &[&str] = &[
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
];

/// Makes the archive of the program with its manual, completions, units and licences.
pub(super) fn make(product: &Product, release: &Release) -> Result<PathBuf> {
    let name = format!(
        "{}-{}-{}",
        product.name(),
        release.version,
        std::env::consts::ARCH
    );
    let work = release.folder.join("work").join(&name);
    tree::make_new(&work)?;
    tree::lay_out(product, Family::Rpm, release, &work)?;
    for file in ["LICENSE-MIT", "LICENSE-APACHE", "docs/install.md"] {
        let name = Path::new(file).file_name().unwrap_or_default();
        tree::install(&checkout().join(file), &work.join(name))?;
    }
    pack(release, &work, &name, &name)
}

/// Makes the archive that `docker build -` takes.
pub(super) fn make_container(product: &Product, release: &Release) -> Result<PathBuf> {
    let work = release.folder.join("work").join("container");
    tree::make_new(&work)?;
    let certificates = CERTIFICATES
        .iter()
        .map(Path::new)
        .find(|file| file.exists());
    let certificates =
        certificates.ok_or_else(|| Failure::new("This machine has no certificates."))?;
    tree::install(certificates, &work.join("ca-certificates.crt"))?;
    tree::install(
        &checkout().join("packaging/container/Containerfile"),
        &work.join("Dockerfile"),
    )?;
    let program = work.join("porchlight");
    run(release
        .tool("strip")
        .arg("--strip-all")
        .arg("-o")
        .arg(program)
        .arg(&product.program))?;
    let data = work.join("data");
    fs::create_dir_all(&data).map_err(|error| failed(&data, &error))?;
    let name = format!(
        "porchlight-container-{}-{}",
        release.version,
        std::env::consts::ARCH
    );
    pack(release, &work, ".", &name)
}

/// Packs a folder of the work folder, with nothing of this machine or moment in the archive.
fn pack(release: &Release, folder: &Path, inside: &str, name: &str) -> Result<PathBuf> {
    tree::open_to_all(release, folder)?;
    let archive = release.folder.join(format!("{name}.tar"));
    let base = if inside == "." {
        folder
    } else {
        folder.parent().unwrap_or(folder)
    };
    run(release
        .tool("tar")
        .args([
            "--sort=name",
            "--owner=0",
            "--group=0",
            "--numeric-owner",
            "--format=gnu",
        ])
        .arg(format!("--mtime=@{}", release.epoch))
        .arg("-cf")
        .arg(&archive)
        .arg("-C")
        .arg(base)
        .arg(inside))?;
    run(release.tool("gzip").args(["-9", "-n", "-f"]).arg(&archive))?;
    fs::remove_dir_all(folder).map_err(|error| failed(folder, &error))?;
    Ok(release.folder.join(format!("{name}.tar.gz")))
}
