//! `cargo xtask types`: regenerates the TypeScript types of the window.
//!
//! The same tests that fail on stale files write them on request, so there is
//! one list of types, one of settings, and one way to print each.

use crate::shell::{Result, run};
use crate::system::cargo;

/// Writes `ui/src/api/types.ts`, `ui/src/api/setting-meta.ts` and `ui/src/testing/messages.ts`.
pub(crate) fn types() -> Result<()> {
    run(cargo()
        .env("PORCHLIGHT_WRITE_TYPES", "1")
        .args(["test", "--quiet", "--lib"])
        .args(["--package", "porchlight-api", "--package", "porchlight-app"])
        .arg("types_for_the_page"))?;
    println!("The types of the page are up to date.");
    Ok(())
}
