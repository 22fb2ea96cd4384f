//! Packages for Debian and Ubuntu, made by dpkg's own programs.

use std::fs;
use std::path::{Path, PathBuf};

use crate::build::Kind;
use crate::package::product::{Product, Release};
use crate::package::tree::{self, Family, failed, files_below};
use crate::shell::{Failure, Result, checkout, output, run};

/// Makes the package and returns its file.
pub(super) fn make(product: &Product, release: &Release) -> Result<PathBuf> {
    let work = release
        .folder
        .join("work")
        .join(format!("{}-deb", product.name()));
    tree::make_new(&work)?;
    let root = work.join("root");
    let usr = root.join("usr");
    tree::lay_out(product, Family::Deb, release, &usr)?;
    let documents = usr.join("share/doc").join(product.name());
    let history = documents.join("changelog");
    tree::write(&history, &changelog(product, release)?)?;
    tree::compress(release, &history)?;
    let overrides = checkout()
        .join("packaging/debian")
        .join(format!("{}.lintian", product.name()));
    tree::install(
        &overrides,
        &usr.join("share/lintian/overrides").join(product.name()),
    )?;

    let control = root.join("DEBIAN");
    tree::write(&control.join("md5sums"), &sums(release, &root)?)?;
    let architecture = output(release.tool("dpkg").arg("--print-architecture"))?;
    let depends = depends(product, release, &work, &usr.join("bin/porchlight"))?;
    let size = installed_size(&root)?;
    let text = control_file(product, release, architecture.trim(), &depends, size);
    tree::write(&control.join("control"), &text)?;
    tree::open_to_all(release, &root)?;
    for (name, script) in product.scripts() {
        let place = control.join(name);
        tree::install(&checkout().join("packaging/scripts").join(script), &place)?;
        run(release.tool("chmod").arg("755").arg(place))?;
    }
    let name = format!(
        "{}_{}_{}.deb",
        product.name(),
        release.version,
        architecture.trim()
    );
    let package = release.folder.join(name);
    // With one thread the compressed bytes do not depend on how many cores a machine has.
    run(release
        .tool("dpkg-deb")
        .env("DPKG_DEB_THREADS_MAX", "1")
        .args(["--root-owner-group", "-Zxz", "--build"])
        .arg(&root)
        .arg(&package))?;
    fs::remove_dir_all(&work).map_err(|error| failed(&work, &error))?;
    Ok(package)
}

/// The packages whose libraries the program is linked with, in the versions that have what it
/// uses; and what it loads by name.
fn depends(product: &Product, release: &Release, work: &Path, program: &Path) -> Result<String> {
    // dpkg-shlibdeps wants to be where a source package is.
    tree::write(
        &work.join("debian/control"),
        "Source: porchlight\n\nPackage: porchlight\nArchitecture: any\n",
    )?;
    let mut shlibdeps = release.tool("dpkg-shlibdeps");
    let printed = output(
        shlibdeps
            .current_dir(work)
            .args(["-O", "--warnings=0"])
            .arg(program),
    )?;
    let found = printed.trim().strip_prefix("shlibs:Depends=");
    let found = found.ok_or_else(|| Failure::new(format!("dpkg-shlibdeps printed: {printed}")))?;
    let loaded = match product.kind {
        Kind::Desktop => ", libayatana-appindicator3-1",
        Kind::Headless => "",
    };
    Ok(format!("{found}{loaded}"))
}

fn control_file(
    product: &Product,
    release: &Release,
    architecture: &str,
    depends: &str,
    size: u64,
) -> String {
    let homepage = release.homepage.as_ref();
    let homepage = homepage.map_or_else(String::new, |page| format!("Homepage: {page}\n"));
    format!(
        "Package: {name}\nVersion: {version}\nArchitecture: {architecture}\n\
         Maintainer: {maintainer}\nInstalled-Size: {size}\nDepends: {depends}\n\
         Recommends: {recommends}\nConflicts: {other}\nSection: web\nPriority: optional\n\
         {homepage}Description: {summary}\n {description}\n",
        name = product.name(),
        version = release.version,
        maintainer = release.maintainer,
        recommends = product.recommends(),
        other = product.other(),
        summary = product.summary(),
        description = product.description().join("\n "),
    )
}

/// The history in Debian's form; that of the project is `CHANGELOG.md`.
fn changelog(product: &Product, release: &Release) -> Result<String> {
    let date = output(
        release
            .tool("date")
            .arg("-R")
            .arg(format!("--date=@{}", release.epoch)),
    )?;
    Ok(format!(
        "{name} ({version}) stable; urgency=medium\n\n  * Porchlight {version}.\n\n \
         -- {maintainer}  {date}\n",
        name = product.name(),
        version = release.version,
        maintainer = release.maintainer,
        date = date.trim(),
    ))
}

/// The checksums by which `dpkg --verify` finds changed files.
fn sums(release: &Release, root: &Path) -> Result<String> {
    let files = files_below(root)?;
    output(release.tool("md5sum").current_dir(root).args(files))
}

/// In KiB, each file rounded up.
fn installed_size(root: &Path) -> Result<u64> {
    let mut size = 0;
    for file in files_below(root)? {
        let place = root.join(file);
        let length = fs::metadata(&place)
            .map_err(|error| failed(&place, &error))?
            .len();
        size += length.div_ceil(1024);
    }
    Ok(size)
}
