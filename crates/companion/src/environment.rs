//! The environment of the programs that Porchlight starts.

use std::process::Command;

/// Variables of our own: tokens, and settings that can be secrets.
const OWN: &str = "PORCHLIGHT_";
/// What cloudflared takes its token from. Only a tunnel of the settings' own
/// token is to have it.
const TUNNEL_TOKEN: &str = "TUNNEL_TOKEN";

/// Keeps the secrets in our environment from the program that is to be
/// started. What it is meant to have is set afterwards.
pub(crate) fn withhold_secrets(command: &mut Command) {
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy().to_ascii_uppercase();
        if text.starts_with(OWN) || text == TUNNEL_TOKEN {
            command.env_remove(name);
        }
    }
}
