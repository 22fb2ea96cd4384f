//! The files of a package, laid out as they will be installed.

use std::fs;
use std::path::{Path, PathBuf};

use crate::build::Kind;
use crate::package::product::{Product, Release};
use crate::shell::{Failure, Result, checkout, run};

/// Where the shells of a system find completions of packages.
#[derive(Clone, Copy)]
pub(super) enum Family {
    /// Debian and Ubuntu.
    Deb,
    /// Fedora and openSUSE.
    Rpm,
}

/// The files of the app's package, from the checkout.
const APP: &[(&str, &str)] = &[
    (
        "packaging/linux/porchlight.desktop",
        "share/applications/porchlight.desktop",
    ),
    (
        "packaging/linux/porchlight-upload.desktop",
        "share/applications/porchlight-upload.desktop",
    ),
    (
        "packaging/linux/blog.porchlight.Porchlight.metainfo.xml",
        "share/metainfo/blog.porchlight.Porchlight.metainfo.xml",
    ),
    (
        "src-tauri/icons/32x32.png",
        "share/icons/hicolor/32x32/apps/porchlight.png",
    ),
    (
        "src-tauri/icons/128x128.png",
        "share/icons/hicolor/128x128/apps/porchlight.png",
    ),
    (
        "src-tauri/icons/128x128@2x.png",
        "share/icons/hicolor/256x256/apps/porchlight.png",
    ),
    (
        "src-tauri/icons/icon.svg",
        "share/icons/hicolor/scalable/apps/porchlight.svg",
    ),
];

/// The files of the headless package, from the checkout.
const HEADLESS: &[(&str, &str)] = &[
    (
        "packaging/systemd/system/porchlight.service",
        "lib/systemd/system/porchlight.service",
    ),
    (
        "packaging/systemd/user/porchlight.service",
        "lib/systemd/user/porchlight.service",
    ),
];

/// Lays out everything below `usr`, a new folder.
pub(super) fn lay_out(
    product: &Product,
    family: Family,
    release: &Release,
    usr: &Path,
) -> Result<()> {
    let program = usr.join("bin/porchlight");
    make_parent(&program)?;
    // Its symbols are of use only in a debugger, and take a fifth of it.
    run(release
        .tool("strip")
        .arg("--strip-all")
        .arg("-o")
        .arg(&program)
        .arg(&product.program))?;
    let files = match product.kind {
        Kind::Desktop => APP,
        Kind::Headless => HEADLESS,
    };
    for (from, to) in files {
        install(&checkout().join(from), &usr.join(to))?;
    }
    let documents = usr.join("share/doc").join(product.name());
    install(
        &checkout().join("packaging/debian/copyright"),
        &documents.join("copyright"),
    )?;
    manual(product, family, release, usr)
}

/// The manual pages and completions, which the program itself writes.
fn manual(product: &Product, family: Family, release: &Release, usr: &Path) -> Result<()> {
    let written = usr.with_extension("manual");
    run(release
        .tool("env")
        .arg(&product.program)
        .arg("manual")
        .arg(&written))?;
    for page in entries(&written)? {
        let name = page
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        if Path::new(&name)
            .extension()
            .is_some_and(|ending| ending == "1")
        {
            let place = usr.join("share/man/man1").join(&name);
            install(&page, &place)?;
            compress(release, &place)?;
        }
    }
    let zsh = match family {
        Family::Deb => "share/zsh/vendor-completions/_porchlight",
        Family::Rpm => "share/zsh/site-functions/_porchlight",
    };
    for (from, to) in [
        (
            "porchlight.bash",
            "share/bash-completion/completions/porchlight",
        ),
        (
            "porchlight.fish",
            "share/fish/vendor_completions.d/porchlight.fish",
        ),
        ("_porchlight", zsh),
    ] {
        install(&written.join(from), &usr.join(to))?;
    }
    fs::remove_dir_all(&written).map_err(|error| failed(&written, &error))
}

/// Compresses a file in place; `-n` leaves its name and date out.
pub(super) fn compress(release: &Release, file: &Path) -> Result<()> {
    run(release.tool("gzip").args(["-9", "-n"]).arg(file))
}

/// Copies a file.
pub(super) fn install(from: &Path, to: &Path) -> Result<()> {
    make_parent(to)?;
    fs::copy(from, to).map_err(|error| failed(from, &error))?;
    Ok(())
}

/// Writes a file.
pub(super) fn write(place: &Path, text: &str) -> Result<()> {
    make_parent(place)?;
    fs::write(place, text).map_err(|error| failed(place, &error))
}

/// The files below a folder, relative to it and in order.
pub(super) fn files_below(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for path in entries(folder)? {
        let name = PathBuf::from(path.file_name().unwrap_or_default());
        if path.is_dir() {
            files.extend(files_below(&path)?.iter().map(|file| name.join(file)));
        } else {
            files.push(name);
        }
    }
    Ok(files)
}

/// What is in a folder, in order.
pub(super) fn entries(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = fs::read_dir(folder).map_err(|error| failed(folder, &error))?;
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    Ok(paths)
}

/// Makes the folder new and empty.
pub(super) fn make_new(folder: &Path) -> Result<()> {
    if folder.exists() {
        fs::remove_dir_all(folder).map_err(|error| failed(folder, &error))?;
    }
    fs::create_dir_all(folder).map_err(|error| failed(folder, &error))
}

pub(super) fn failed(place: &Path, error: &std::io::Error) -> Failure {
    Failure::new(format!("{}: {error}.", place.display()))
}

fn make_parent(place: &Path) -> Result<()> {
    let folder = place.parent().unwrap_or(place);
    fs::create_dir_all(folder).map_err(|error| failed(folder, &error))
}

/// Lets all read everything below a folder and run its programs, whatever this user's umask is.
pub(super) fn open_to_all(release: &Release, folder: &Path) -> Result<()> {
    run(release
        .tool("chmod")
        .args(["-R", "u=rwX,go=rX"])
        .arg(folder))
}
