//! Changes of the settings file that were validated, with the text and the settings that result.

use super::edit::{self, Change, ChangeError};
use super::layers::{Layers, Reading};
use super::problem::Problems;
use crate::error::message::Message;
use crate::sentence_is_message;

/// Why settings were not changed; those from before hold.
#[derive(Debug, thiserror::Error)]
pub enum UpdateError {
    /// With the change they are not valid.
    #[error("{0}")]
    Settings(#[from] Problems),
    #[error(transparent)]
    Change(#[from] ChangeError),
    #[error("the settings file {0} cannot be written: {1}")]
    Write(String, std::io::Error),
    /// They are written, and something cannot follow them.
    #[error("the settings are saved, but {0}")]
    Following(Message),
}

sentence_is_message!(ChangeError);

impl From<UpdateError> for Message {
    fn from(error: UpdateError) -> Self {
        match error {
            UpdateError::Settings(problems) => problems.into(),
            UpdateError::Following(why) => Self::SavedBut { why: why.into() },
            other => crate::detail!("{other}"),
        }
    }
}

/// Changes with which the settings are valid; [`SettingsStore::write`](super::store::SettingsStore::write) writes them.
// No `Debug`: they can hold secrets.
pub struct ValidChanges {
    pub(super) changes: Vec<Change>,
    /// The text of the file that they were validated with.
    pub(super) before: String,
    /// The same with the changes made.
    pub(super) after: String,
    /// The settings that result.
    pub(super) reading: Reading,
}

impl ValidChanges {
    /// These changes of the text `before`.
    ///
    /// # Errors
    /// See [`UpdateError`]: a text that is no TOML is wrong on a line.
    pub(super) fn of(
        layers: &Layers,
        before: String,
        changes: Vec<Change>,
    ) -> Result<Self, UpdateError> {
        let after = match edit::changed(&before, &changes) {
            Err(ChangeError::NotToml(why)) => {
                layers.read_with(&before)?;
                return Err(ChangeError::NotToml(why).into());
            }
            after => after?,
        };
        let reading = layers.read_with(&after)?;
        Ok(Self {
            changes,
            before,
            after,
            reading,
        })
    }
}
