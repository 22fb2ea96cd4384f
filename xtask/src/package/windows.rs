//! What people install on Windows, made on Linux: the setup of the app by NSIS, and the service in a
//! zip. Under Wine the setup is installed, used, upgraded and removed.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, ensure};
use xshell::{Shell, cmd};

use super::verify::BEFORE;
use super::{HEADLESS, Release, copy, open_to_all};
use crate::build;
use crate::cross::{WINDOWS, Wine, standard_library};
use crate::setup::{self, Need, prepare};
use crate::shell::{checkout, files_below, make_new};

/// The programs for Windows, with what they need beside them, each in its folder.
pub(super) struct Products {
    app: PathBuf,
    headless: PathBuf,
}

/// Builds both programs.
pub(super) fn products(sh: &Shell, yes: bool) -> Result<Products> {
    standard_library(sh, WINDOWS)?;
    prepare(sh, &[setup::HEADLESS, &[Need::Windows]].concat(), yes)?;
    let folder = |name| checkout().join("target/windows").join(name);
    let products = Products {
        app: folder("app"),
        headless: folder("headless"),
    };
    // Both builds have their program in the same place.
    let app = build::windows(sh, true)?;
    lay_out(sh, &app, &products.app)?;
    // Cargo puts it beside the program.
    let loader = "WebView2Loader.dll";
    copy(sh, &app.with_file_name(loader), &products.app.join(loader))?;
    let twin = for_consoles(fs::read(products.app.join("porchlight.exe"))?);
    let twin = twin.context("the program is not one for Windows")?;
    fs::write(products.app.join("porchlight.com"), twin)?;
    lay_out(sh, &build::windows(sh, false)?, &products.headless)?;
    copy(
        sh,
        Path::new("docs/install.md"),
        &products.headless.join("install.md"),
    )?;
    Ok(products)
}

/// Puts the program and the licences into a new folder.
fn lay_out(sh: &Shell, program: &Path, folder: &Path) -> Result<()> {
    let imports = cmd!(sh, "x86_64-w64-mingw32-objdump -p {program}").read()?;
    let missing = of_the_compiler(&imports);
    ensure!(
        missing.is_empty(),
        "no Windows has what the program asks for: {missing:?}"
    );
    make_new(sh, folder)?;
    let stripped = folder.join("porchlight.exe");
    cmd!(
        sh,
        "x86_64-w64-mingw32-strip --strip-all -o {stripped} {program}"
    )
    .run()?;
    for file in ["LICENSE-MIT", "LICENSE-APACHE"] {
        copy(sh, Path::new(file), &folder.join(file))?;
    }
    Ok(())
}

/// The libraries among a program's imports that its compiler has and Windows has not.
fn of_the_compiler(imports: &str) -> Vec<&str> {
    let names = imports
        .lines()
        .filter_map(|line| line.trim().strip_prefix("DLL Name: "));
    names.filter(|name| name.starts_with("lib")).collect()
}

/// The same program as one of the console: a shell waits for it and shows what it prints. The name
/// `porchlight`, typed, is that of the twin, since `.com` comes before `.exe`.
fn for_consoles(mut program: Vec<u8>) -> Option<Vec<u8>> {
    // The place of the header's address, and the subsystem's place in it, by the PE format.
    const HEADER: usize = 0x3c;
    const SUBSYSTEM: usize = 0x5c;
    const CONSOLE: u16 = 3;
    let address = program.get(HEADER..HEADER + 4)?.try_into().ok()?;
    let header = usize::try_from(u32::from_le_bytes(address)).ok()?;
    if program.get(header..header + 4)? != b"PE\0\0" {
        return None;
    }
    let subsystem = program.get_mut(header + SUBSYSTEM..header + SUBSYSTEM + 2)?;
    subsystem.copy_from_slice(&CONSOLE.to_le_bytes());
    Some(program)
}

impl Release<'_> {
    /// Makes the files for Windows again, beside those of other systems.
    pub(super) fn make_windows(&self, products: &Products) -> Result<()> {
        println!("==> Packing Porchlight {} for Windows", self.version);
        let (epoch, _dated) = self.dated()?;
        self.clear(true)?;
        self.setup(products, &epoch)?;
        self.zip(products, &epoch)?;
        self.sums()
    }

    /// For one user, by NSIS.
    fn setup(&self, products: &Products, epoch: &str) -> Result<()> {
        let (sh, folder) = (self.sh, self.staged(&products.app, "setup", epoch)?);
        let bytes: u64 = files_below(&folder)?
            .iter()
            .map(|file| fs::metadata(file).map_or(0, |data| data.len()))
            .sum();
        let mut makensis = cmd!(sh, "makensis -V2 -WX -INPUTCHARSET UTF8");
        let name = format!("porchlight-{}-setup.exe", self.version);
        for (name, value) in [
            ("FOLDER", folder.display().to_string()),
            ("OUT", self.folder.join(name).display().to_string()),
            ("VERSION", self.version.to_owned()),
            ("PUBLISHER", self.maintainer.clone()),
            ("SIZE", (bytes / 1024).to_string()),
        ] {
            makensis = makensis.arg(format!("-D{name}={value}"));
        }
        Ok(makensis.arg("packaging/windows/porchlight.nsi").run()?)
    }

    /// The service, to unpack anywhere.
    fn zip(&self, products: &Products, epoch: &str) -> Result<()> {
        let sh = self.sh;
        let name = format!("{HEADLESS}-{}-x86_64-windows", self.version);
        let place = self.staged(&products.headless, &name, epoch)?;
        let archive = self.folder.join(format!("{name}.zip"));
        let _in = sh.push_dir(place.parent().context("a folder of its own")?);
        Ok(cmd!(sh, "zip -q -9 -X -r {archive} {name}").run()?)
    }

    /// A copy of a product with the date of the commit.
    fn staged(&self, product: &Path, name: &str, epoch: &str) -> Result<PathBuf> {
        let (sh, place) = (self.sh, self.folder.join("work/windows").join(name));
        make_new(sh, &place)?;
        cmd!(sh, "cp -R {product}/. {place}").run()?;
        open_to_all(sh, &place)?;
        let touch = format!("--date=@{epoch}");
        let find = cmd!(sh, "find {place} -exec touch {touch}");
        find.args(["{}", "+"]).run()?;
        Ok(place)
    }
}

/// Makes the files for Windows twice, and has the setup checked under Wine, on a drive of its own.
pub(crate) fn verify_setup(sh: &Shell, yes: bool) -> Result<()> {
    let products = products(sh, yes)?;
    let version = env!("CARGO_PKG_VERSION");
    let now = Release::new(sh, version, "target/verify-windows/now")?;
    let again = Release::new(sh, version, "target/verify-windows/again")?;
    let before = Release::new(sh, BEFORE, "target/verify-windows/before")?;
    for release in [&now, &again, &before] {
        make_new(sh, &release.folder)?;
        release.make_windows(&products)?;
    }
    let sums = |release: &Release<'_>| sh.read_file(release.folder.join("SHA256SUMS"));
    let (first, second) = (sums(&now)?, sums(&again)?);
    ensure!(
        first == second,
        "packed twice, the bytes differ:\n{first}\n{second}"
    );
    println!("    Packed twice, both files have the same bytes.");
    let zip = now.made("-windows.zip")?.remove(0);
    let [now, before] = [now.made("-setup.exe")?, before.made("-setup.exe")?];
    println!("==> The setup under Wine");
    let drive = checkout().join("target/verify-windows/wine");
    sh.remove_path(&drive)?;
    let wine = Wine::start_in(sh, drive)?;
    let (now, before) = (&now[0], &before[0]);
    let check = cmd!(
        sh,
        "python3 packaging/verify/setup.py {now} --before {before} --zip {zip}"
    );
    Ok(wine.with(check).run()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_twin_differs_in_the_subsystem_alone() {
        let mut program = vec![0; 0x200];
        program[0x3c] = 0x80;
        program[0x80..0x84].copy_from_slice(b"PE\0\0");
        // The window's.
        program[0x80 + 0x5c] = 2;
        let twin = for_consoles(program.clone()).expect("a program");
        let differ = |(place, bytes): (usize, (&u8, &u8))| (bytes.0 != bytes.1).then_some(place);
        let places = program.iter().zip(&twin).enumerate().filter_map(differ);
        assert_eq!(places.collect::<Vec<_>>(), [0x80 + 0x5c]);
        assert_eq!(twin[0x80 + 0x5c], 3);
        program[0x80] = b'N';
        assert!(for_consoles(program).is_none() && for_consoles(Vec::new()).is_none());
    }

    #[test]
    fn libraries_of_the_compiler_are_found_among_those_of_windows() {
        let imports = "\tDLL Name: KERNEL32.dll\n\tDLL Name: libstdc++-6.dll\n\
                       \tDLL Name: WebView2Loader.dll\n\tvma:  Hint/Ord libname\n";
        assert_eq!(of_the_compiler(imports), ["libstdc++-6.dll"]);
    }
}
