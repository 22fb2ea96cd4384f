//! `cargo xtask package`: what people install, as files in `target/packages`. The app and the
//! service as deb and rpm, the service also as an archive and for a container; the list of
//! libraries, checksums, and a signature of these when a key is given.

mod archive;
mod deb;
mod glibc;
mod product;
mod rpm;
mod sbom;
mod systems;
mod tree;
mod verify;

use std::path::{Path, PathBuf};

use crate::build::{Kind, porchlight, portable};
use crate::shell::{Result, checkout, output, run};
use crate::system::prepare_packaging;
use product::{Product, Release};

pub(crate) use verify::packages;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Install what is missing without asking
    #[arg(long, short)]
    yes: bool,
    /// Sign the checksums with this secret key of minisign
    #[arg(long, value_name = "FILE")]
    key: Option<PathBuf>,
}

/// Makes the packages.
pub(crate) fn package(arguments: &Arguments) -> Result<()> {
    let release = release()?;
    make(&products(arguments.yes)?, &release)?;
    arguments
        .key
        .as_ref()
        .map_or(Ok(()), |key| sign(&release, key))
}

/// What is made of the checkout.
fn release() -> Result<Release> {
    Release::of_checkout(
        env!("CARGO_PKG_VERSION"),
        checkout().join("target/packages"),
    )
}

/// Builds both programs.
fn products(yes: bool) -> Result<[Product; 2]> {
    let zig = prepare_packaging(yes)?;
    let app = Product {
        kind: Kind::Desktop,
        program: porchlight(Kind::Desktop, true)?,
    };
    let headless = Product {
        kind: Kind::Headless,
        program: portable(&zig, product::OLD_GLIBC)?,
    };
    Ok([app, headless])
}

/// Makes everything anew in the folder of the release.
fn make(products: &[Product], release: &Release) -> Result<Vec<PathBuf>> {
    println!("==> Packing Porchlight {}", release.version);
    tree::make_new(&release.folder)?;
    let mut made = Vec::new();
    for product in products {
        glibc::check(product, release)?;
        made.push(deb::make(product, release)?);
        made.push(rpm::make(product, release)?);
        if let Kind::Headless = product.kind {
            made.push(archive::make(product, release)?);
            made.push(archive::make_container(product, release)?);
        }
    }
    made.push(sbom::make(release)?);
    made.push(write_sums(release, &made)?);
    let work = release.folder.join("work");
    std::fs::remove_dir_all(&work).map_err(|error| tree::failed(&work, &error))?;
    for file in &made {
        println!("{}", file.display());
    }
    Ok(made)
}

fn write_sums(release: &Release, files: &[PathBuf]) -> Result<PathBuf> {
    let names = files
        .iter()
        .filter_map(|file| file.file_name().map(Path::new));
    let sums = output(
        release
            .tool("sha256sum")
            .current_dir(&release.folder)
            .args(names),
    )?;
    let place = sums_of(release);
    tree::write(&place, &sums)?;
    Ok(place)
}

/// Signs the checksums, and so all of it. The key has no password: nobody is there to type it.
fn sign(release: &Release, key: &Path) -> Result<()> {
    run(release
        .tool("minisign")
        .args(["-S", "-s"])
        .arg(key)
        .arg("-m")
        .arg(sums_of(release)))
}

fn sums_of(release: &Release) -> PathBuf {
    release.folder.join("SHA256SUMS")
}
