//! `cargo xtask types`: regenerates the TypeScript types of the window.
//!
//! The same test that fails on stale types writes them on request, so there is
//! one list of types and one way to print them.

use crate::shell::{Result, run};
use crate::system::cargo;

/// Writes `ui/src/api/types.ts`.
pub(crate) fn types() -> Result<()> {
    run(cargo()
        .env("PORCHLIGHT_WRITE_TYPES", "1")
        .args(["test", "--quiet", "--package", "porchlight-api"])
        .arg("types_for_the_page"))?;
    println!("ui/src/api/types.ts is up to date.");
    Ok(())
}
