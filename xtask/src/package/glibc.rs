//! Which glibc a program asks for: on a system with an older one it does not start.

use std::path::Path;

use crate::package::product::{Product, Release};
use crate::shell::{Failure, Result, output};

/// Prints the version, and fails when it is newer than the product promises.
pub(super) fn check(product: &Product, release: &Release) -> Result<()> {
    let newest = of(release, &product.program)?;
    let (major, minor) = newest;
    let (most_major, most_minor) = product.newest_glibc();
    println!(
        "    {} needs glibc {major}.{minor} or newer",
        product.name()
    );
    if newest > product.newest_glibc() {
        return Err(Failure::new(format!(
            "{} must run with glibc {most_major}.{most_minor}, and needs {major}.{minor}.",
            product.name()
        )));
    }
    Ok(())
}

fn of(release: &Release, program: &Path) -> Result<(u32, u32)> {
    let symbols = output(release.tool("objdump").arg("-T").arg(program))?;
    newest(&symbols).ok_or_else(|| Failure::new(format!("{} names no glibc.", program.display())))
}

/// The highest of the `GLIBC_2.34` and the like.
fn newest(symbols: &str) -> Option<(u32, u32)> {
    let versions = symbols.split("GLIBC_").skip(1).filter_map(|rest| {
        let end = rest.find(|sign: char| !sign.is_ascii_digit() && sign != '.');
        let mut numbers = rest[..end.unwrap_or(rest.len())].split('.');
        let major = numbers.next()?.parse().ok()?;
        Some((major, numbers.next()?.parse().ok()?))
    });
    versions.max()
}

#[cfg(test)]
mod tests {
    use super::newest;

    #[test]
    fn versions_are_compared_as_numbers() {
        let symbols = "0 DF *UND* 0 (GLIBC_2.9) a\n0 DF *UND* 0 (GLIBC_2.34) b\n\
                       0 DF *UND* 0 (GLIBC_2.2.5) c\n0 DF *UND* 0 (GLIBC_PRIVATE) d\n";
        assert_eq!(newest(symbols), Some((2, 34)));
        assert_eq!(newest("0 g DF .text 0 Base main"), None);
    }
}
