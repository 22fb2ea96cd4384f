//! The environment of the programs that Porchlight starts.

use std::process::Command;

/// Porchlight's variables: tokens, and settings that can be secrets.
const OWN: &str = "PORCHLIGHT_";

/// Removes Porchlight's secrets from the environment of a program before it is started. Variables
/// for the program are set afterwards.
pub(crate) fn withhold_secrets(command: &mut Command) {
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy().to_ascii_uppercase();
        if text.starts_with(OWN) {
            command.env_remove(name);
        }
    }
}
