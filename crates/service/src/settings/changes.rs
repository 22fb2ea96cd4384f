//! Settings as the window changes them: JSON values, validated and written through the layers.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Serialize as _;
use serde_json::Value;
use toml_edit::ser::ValueSerializer;

use super::edit::Change;
use super::meta::{self, PROGRAM};
use super::problem::{Problem, Problems};
use super::store::SettingsStore;
use super::valid_changes::{UpdateError, ValidChanges};
use crate::error::message::Message;
use crate::settings::window::SettingProblem;
use crate::tunnel::startable;

/// Values by their keys; `null` takes a key out of the file.
pub type Changes = BTreeMap<String, Value>;

impl SettingsStore {
    /// These changes, validated. Nothing is changed.
    ///
    /// # Errors
    /// What is wrong with them; never empty.
    pub fn validate(&self, changes: &Changes) -> Result<ValidChanges, Vec<SettingProblem>> {
        let taken = values(changes)?;
        let valid = self.valid(taken).map_err(|error| match error {
            UpdateError::Settings(problems) => self.in_words(&problems),
            error => vec![about_none(error.into())],
        })?;
        let problems = not_startable(changes);
        if problems.is_empty() {
            Ok(valid)
        } else {
            Err(problems)
        }
    }

    /// What is wrong with these changes. Nothing is changed.
    pub fn check(&self, changes: &Changes) -> Vec<SettingProblem> {
        self.validate(changes).err().unwrap_or_default()
    }

    /// Writes all of these changes, or none, and applies them. They are validated again only
    /// where the file was edited since; what is wrong with them then.
    ///
    /// # Errors
    /// When they cannot be written, or not followed.
    pub async fn write(&self, valid: ValidChanges) -> Result<Vec<SettingProblem>, Message> {
        match self.write_valid(valid).await {
            Ok(_) => Ok(Vec::new()),
            Err(UpdateError::Settings(problems)) => Ok(self.in_words(&problems)),
            Err(error) => Err(error.into()),
        }
    }

    /// Validates these changes and writes them, all or none; what is wrong with them.
    ///
    /// # Errors
    /// As [`Self::write`].
    pub async fn change(&self, changes: &Changes) -> Result<Vec<SettingProblem>, Message> {
        match self.validate(changes) {
            Ok(valid) => self.write(valid).await,
            Err(problems) => Ok(problems),
        }
    }

    /// What is wrong, each beside its key. What is wrong in the file already is
    /// about no change: it names its place.
    fn in_words(&self, problems: &Problems) -> Vec<SettingProblem> {
        let before = self.layers().read().err();
        let before = before.map_or_else(Vec::new, |before| before.0);
        let beside_key = |problem: &Problem| match &problem.key {
            Some(key) if !before.contains(problem) => SettingProblem {
                key: key.clone(),
                why: problem.why.clone(),
            },
            _ => about_none(problem.whole()),
        };
        problems.0.iter().map(beside_key).collect()
    }
}

/// What is wrong with the program that is chosen for the tunnel. It is looked
/// at when it is chosen: one that vanishes later must not keep Porchlight from
/// starting, and the tunnel reports it then.
fn not_startable(changes: &Changes) -> Vec<SettingProblem> {
    let chosen = changes.get(PROGRAM).and_then(Value::as_str);
    let chosen = chosen.map(Path::new).filter(|file| file.is_absolute());
    let problem = |why: Message| SettingProblem {
        key: PROGRAM.to_owned(),
        why,
    };
    let why = chosen.and_then(|file| startable(file).err());
    why.map(problem).into_iter().collect()
}

/// The changes as they are written; what can never be.
fn values(changes: &Changes) -> Result<Vec<Change>, Vec<SettingProblem>> {
    let mut taken = Vec::new();
    let mut problems = Vec::new();
    for (key, value) in changes {
        let problem = |why: Message| SettingProblem {
            key: key.clone(),
            why,
        };
        match meta::known(key) {
            Err(why) => problems.push(problem(why)),
            Ok(row) if value.is_null() => taken.push((row.key, None)),
            Ok(row) => match value.serialize(ValueSerializer::new()) {
                Ok(value) => taken.push((row.key, Some(value))),
                // The error can contain the value.
                Err(_) if row.is_secret() => {
                    problems.push(problem(crate::detail!("it must be a text in quotes")))
                }
                Err(error) => problems.push(problem(Message::text(error))),
            },
        }
    }
    if problems.is_empty() {
        Ok(taken)
    } else {
        Err(problems)
    }
}

fn about_none(why: Message) -> SettingProblem {
    SettingProblem {
        key: String::new(),
        why,
    }
}
