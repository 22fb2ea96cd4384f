//! Shell scripts must at least parse.

use std::fs;
use std::path::Path;

use crate::shell::{Result, checkout, command, program, run};

/// Has bash read every script of the checkout without running it.
pub(super) fn check() -> Result<()> {
    if program("bash").is_none() {
        println!("    Scripts were left out: there is no bash here.");
        return Ok(());
    }
    let mut scripts = vec![checkout().join(".ci").join("run")];
    for folder in ["scripts", "packaging/scripts", "packaging/verify"] {
        if let Ok(folder) = fs::read_dir(checkout().join(folder)) {
            let found = folder.filter_map(|entry| entry.ok().map(|entry| entry.path()));
            scripts.extend(found.filter(|path| is_shell(path)));
        }
    }
    for script in scripts {
        run(command("bash").arg("-n").arg(script))?;
    }
    Ok(())
}

fn is_shell(path: &Path) -> bool {
    // Those of packages have the names of their moments as endings.
    let endings = ["sh", "postinst", "prerm", "postrm"];
    path.extension()
        .is_some_and(|extension| endings.iter().any(|ending| extension == *ending))
}
