//! What the page may ask for: one command for each intention of the owner, in
//! a file for each place. A command that fails says why in a sentence.

pub(super) mod care;
pub(super) mod editors;
pub(super) mod game;
pub(super) mod home;
pub(super) mod images;
pub(super) mod native;
pub(super) mod presence;
pub(super) mod settings;
pub(super) mod statistics;
pub(super) mod telling;
pub(super) mod tokens;
pub(super) mod uploads;

/// What a command fails with.
fn sentence(error: impl std::fmt::Display) -> String {
    error.to_string()
}
