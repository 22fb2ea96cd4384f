//! What other users of the machine see: the data folder, the log, and the
//! environment and command lines of what the service starts.

use std::os::unix::fs::PermissionsExt as _;

use crate::harness::files;
use crate::harness::memory::children;
use crate::report::Report;
use crate::target::Target;

/// Checks modes, logs and processes without requests to the service.
pub(crate) async fn attack(target: &Target, report: &Report) {
    let service = &target.service;
    let folder = service.data_dir();
    let mode = |path: &std::path::Path| {
        let about = path.symlink_metadata().ok()?;
        Some(about.permissions().mode() & 0o777)
    };
    let own = mode(folder).unwrap_or(0o777);
    report.rule(
        "perms",
        own == 0o700,
        &format!("the data folder has the mode {own:o}"),
    );
    let mut looked_at = 0;
    for file in files::below(folder) {
        // A file may disappear concurrently.
        let Some(mode) = mode(&file) else { continue };
        looked_at += 1;
        let name = file.strip_prefix(folder).unwrap_or(&file).display();
        // For images only their folder is reported: there are many files.
        let is_image =
            file.starts_with(folder.join("images")) || file.starts_with(folder.join("renditions"));
        report.rule(
            "perms",
            mode & 0o077 == 0 || is_image,
            &format!("{name} has the mode {mode:o}"),
        );
    }
    report.outcome("perms", "files", looked_at);
    let secrets = [
        &service.admin_token,
        &service.heartbeat_token,
        &target.upload_token,
    ];
    for log in files::below(&folder.join("logs")) {
        let text = std::fs::read_to_string(&log).unwrap_or_default();
        let leaked = secrets.iter().any(|secret| text.contains(secret.as_str()));
        report.rule("perms", !leaked, "a token is in the log");
    }
    let children = children(service.pid());
    report.rule(
        "perms",
        !children.is_empty(),
        "the tunnel's program is gone",
    );
    for child in children.iter().chain([&service.pid()]) {
        let line = read(*child, "cmdline");
        let leaked = secrets.iter().any(|secret| line.contains(secret.as_str()));
        report.rule("perms", !leaked, "a token is in a command line");
    }
    for child in children {
        let environment = read(child, "environ");
        let leaked = environment
            .split('\0')
            .filter_map(|entry| entry.split('=').next())
            .find(|name| name.starts_with("PORCHLIGHT_"));
        report.rule(
            "perms",
            leaked.is_none(),
            &format!("a child has {leaked:?}"),
        );
        report.outcome("perms", "processes", 1);
    }
}

fn read(process: u32, what: &str) -> String {
    let bytes = std::fs::read(format!("/proc/{process}/{what}")).unwrap_or_default();
    String::from_utf8_lossy(&bytes).into_owned()
}
