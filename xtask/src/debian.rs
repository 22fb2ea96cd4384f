//! Clean systems of Debian in the user's cache folder, and what is built here in one of them.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Result;
use xshell::{Shell, cmd};

use crate::cross::{Skipped, target_folder};
use crate::setup::{CLEAN_SYSTEMS, is_debian, prepare};
use crate::shell::{cache, checkout, make_new};

/// What systemd-nspawn's own filter of system calls leaves out, and the service wants.
pub(crate) const LANDLOCK: &str =
    "--system-call-filter=landlock_create_ruleset landlock_add_rule landlock_restrict_self";

/// A clean system with these packages, made once; it is made again when the list changes.
pub(crate) fn clean(sh: &Shell, suite: &str, packages: &str) -> Result<PathBuf> {
    let folder = cache()?.join("systems").join(suite);
    let made_with = "etc/made-with";
    let made = sh.read_file(folder.join(made_with));
    if made.is_ok_and(|list| list == packages) {
        return Ok(folder);
    }
    let half = folder.with_extension("half");
    make_new(sh, &half)?;
    // Its mounts are gone when it ends.
    let debootstrap = cmd!(sh, "unshare --mount debootstrap --variant=minbase");
    debootstrap.arg(suite).arg(&half).run()?;
    // debootstrap's own `--include` knows neither alternatives nor virtual packages. The policy keeps
    // packages from starting services.
    let install = format!(
        "set -e; policy=/usr/sbin/policy-rc.d; printf '#!/bin/sh\\nexit 101\\n' >$policy; \
         chmod 755 $policy; apt-get -q update; \
         apt-get -q install --yes --no-install-recommends {packages}; apt-get clean; rm $policy"
    );
    let nspawn = cmd!(
        sh,
        "systemd-nspawn --quiet --register=no --keep-unit --pipe"
    );
    let nspawn = nspawn.arg("--setenv=DEBIAN_FRONTEND=noninteractive");
    let install = nspawn
        .arg("-D")
        .arg(&half)
        .args(["/bin/sh", "-c", &install]);
    install.run()?;
    sh.write_file(half.join(made_with), packages)?;
    sh.remove_path(&folder)?;
    fs::rename(&half, &folder)?;
    Ok(folder)
}

/// Words for cargo with which it runs tests in such a system, with nothing of this machine but the
/// checkout and what was built, and without a network. What they start and change there is gone
/// when they end: the processes and mounts have their own namespaces, the changes are in memory.
///
/// The program was linked here: it starts where the C library is not older.
///
/// # Errors
/// [`Skipped`] where this user or system cannot make one.
pub(crate) fn tests_in(sh: &Shell, suite: &str, packages: &str, yes: bool) -> Result<[String; 2]> {
    if !is_debian(sh) || cmd!(sh, "id -u").quiet().read()? != "0" {
        let why = "clean systems are made by root, on Debian and Ubuntu";
        return Err(Skipped(why.to_owned()).into());
    }
    prepare(sh, &[CLEAN_SYSTEMS], yes)?;
    let system = clean(sh, suite, packages)?;
    let text = |path: &Path| path.display().to_string();
    // The folder says to GNOME Shell that logind runs; without it the screen has no lock.
    let nspawn = "systemd-nspawn --quiet --register=no --keep-unit --pipe --private-network \
                  --volatile=overlay --tmpfs=/run/systemd/seats -D";
    let mut runner: Vec<String> = nspawn.split(' ').map(str::to_owned).collect();
    runner.extend([text(&system), LANDLOCK.to_owned()]);
    for folder in [checkout(), &target_folder()] {
        runner.push(format!("--bind-ro={}", text(folder)));
    }
    runner.push(format!("--chdir={}", text(checkout())));
    // A list in JSON is one in TOML.
    let runner = serde_json::to_string(&runner)?;
    let config = format!("target.'cfg(unix)'.runner={runner}");
    Ok(["--config".to_owned(), config])
}
