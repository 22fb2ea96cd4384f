//! Packages for Fedora and openSUSE, made by rpm's own rpmbuild. It finds the libraries that a
//! program needs by their sonames, which both systems have, under whatever name of a package.

use std::fs;
use std::path::{Path, PathBuf};

use crate::build::Kind;
use crate::package::product::{Product, Release};
use crate::package::tree::{self, Family, entries, failed, files_below};
use crate::shell::{Failure, Result, checkout, output, run};

/// What makes the same bytes of the same files.
const SETTINGS: &[&str] = &[
    "use_source_date_epoch_as_buildtime 1",
    "clamp_mtime_to_source_date_epoch 1",
    "_buildhost localhost",
    "_build_id_links none",
    "debug_package %{nil}",
    // Everything is stripped and compressed already.
    "__os_install_post %{nil}",
    // One thread: the bytes do not depend on how many cores a machine has.
    "_binary_payload w19.zstdio",
];

/// Makes the package and returns its file.
pub(super) fn make(product: &Product, release: &Release) -> Result<PathBuf> {
    let work = release
        .folder
        .join("work")
        .join(format!("{}-rpm", product.name()));
    tree::make_new(&work)?;
    let root = work.join("root");
    tree::lay_out(product, Family::Rpm, release, &root.join("usr"))?;
    tree::open_to_all(release, &root)?;
    let spec = work.join("porchlight.spec");
    tree::write(&spec, &text(product, release, &root)?)?;
    let mut build = release.tool("rpmbuild");
    build
        .args(["-bb", "--quiet"])
        .arg("--target")
        .arg(std::env::consts::ARCH);
    build
        .arg("--define")
        .arg(format!("_topdir {}", work.display()));
    for setting in SETTINGS {
        build.args(["--define", setting]);
    }
    run(build.arg(&spec))?;
    let made = entries(&work.join("RPMS").join(std::env::consts::ARCH))?;
    let made = made
        .first()
        .ok_or_else(|| Failure::new("rpmbuild made no package."))?;
    let package = release.folder.join(made.file_name().unwrap_or_default());
    fs::rename(made, &package).map_err(|error| failed(&package, &error))?;
    fs::remove_dir_all(&work).map_err(|error| failed(&work, &error))?;
    Ok(package)
}

fn text(product: &Product, release: &Release, root: &Path) -> Result<String> {
    let homepage = release.homepage.as_ref();
    let homepage = homepage.map_or_else(String::new, |page| format!("URL: {page}\n"));
    let loaded = match product.kind {
        Kind::Desktop => "Requires: libayatana-appindicator3.so.1()(64bit)\n",
        Kind::Headless => "",
    };
    let mut scripts = String::new();
    for (name, script) in product.scripts() {
        let place = checkout().join("packaging/scripts").join(script);
        let text = fs::read_to_string(&place).map_err(|error| failed(&place, &error))?;
        let section = match *name {
            "postinst" => "post",
            "prerm" => "preun",
            _ => "postun",
        };
        scripts.push_str(&format!("%{section}\n{text}\n"));
    }
    let files = files_below(root)?;
    let files: Vec<String> = files
        .iter()
        .map(|file| format!("/{}", file.display()))
        .collect();
    let date = format!("--date=@{}", release.epoch);
    let date = output(release.tool("date").arg("+%a %b %d %Y").arg(date))?;
    Ok(format!(
        "Name: {name}\nVersion: {version}\nRelease: 1\nSummary: {summary}\n\
         License: MIT OR Apache-2.0\nGroup: Productivity/Networking/Web\nPackager: {maintainer}\n\
         {homepage}{loaded}Recommends: {recommends}\nConflicts: {other}\n\n\
         %description\n{description}\n\n\
         %install\nmkdir -p %{{buildroot}}\ncp -a {root}/. %{{buildroot}}/\n\n\
         {scripts}\n%files\n{files}\n\n\
         %changelog\n* {date} {maintainer} - {version}-1\n- Porchlight {version}.\n",
        name = product.name(),
        version = release.version,
        summary = capital(product.summary()),
        maintainer = release.maintainer,
        recommends = product.recommends(),
        other = product.other(),
        description = product.description().join("\n"),
        root = root.display(),
        files = files.join("\n"),
        date = date.trim(),
    ))
}

/// Debian begins a summary small, rpm with a capital.
fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| {
        first.to_uppercase().chain(letters).collect()
    })
}
