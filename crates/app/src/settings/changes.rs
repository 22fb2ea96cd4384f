//! Settings as the window changes them: JSON values, checked and written
//! through the layers.

use std::collections::BTreeMap;
use std::path::Path;

use porchlight_api::window::SettingProblem;
use porchlight_companion::tunnel::{NoProgram, startable};
use serde::Serialize as _;
use serde_json::Value;
use toml_edit::ser::ValueSerializer;

use super::edit::Change;
use super::known::{Key, PROGRAM};
use super::meta;
use super::problem::{Problem, Problems};
use super::store::{SettingsStore, UpdateError, with_changes};

/// Values by their keys; `null` takes a key out of the file.
pub type Changes = BTreeMap<String, Value>;

impl SettingsStore {
    /// What is wrong with these changes. Nothing is changed.
    pub fn check(&self, changes: &Changes) -> Vec<SettingProblem> {
        let taken = match values(changes) {
            Ok(taken) => taken,
            Err(problems) => return problems,
        };
        let text = match self.text_to_change() {
            Ok(text) => text,
            Err(problems) => return self.in_words(&problems),
        };
        match with_changes(self.layers(), &text, &borrowed(&taken)) {
            Ok(_) => not_startable(changes),
            Err(UpdateError::Settings(problems)) => self.in_words(&problems),
            Err(error) => vec![about_none(error.to_string())],
        }
    }

    /// Writes all of these changes, or none; what is wrong with them.
    ///
    /// # Errors
    /// When they are right and cannot be written, or not followed, in a
    /// sentence.
    pub async fn change(&self, changes: &Changes) -> Result<Vec<SettingProblem>, String> {
        let taken = match values(changes) {
            Ok(taken) => taken,
            Err(problems) => return Ok(problems),
        };
        let problems = not_startable(changes);
        if !problems.is_empty() {
            return Ok(problems);
        }
        match self.update(&borrowed(&taken)).await {
            Ok(_) => Ok(Vec::new()),
            Err(UpdateError::Settings(problems)) => Ok(self.in_words(&problems)),
            Err(error) => Err(error.to_string()),
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
                why: problem.why().to_owned(),
            },
            _ => about_none(problem.to_string()),
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
    let problem = |why: NoProgram| SettingProblem {
        key: PROGRAM.to_owned(),
        why: why.to_string(),
    };
    let why = chosen.and_then(|file| startable(file).err());
    why.map(problem).into_iter().collect()
}

/// The changes as they are written; what can never be.
fn values(
    changes: &Changes,
) -> Result<Vec<(String, Option<toml_edit::Value>)>, Vec<SettingProblem>> {
    let mut taken = Vec::new();
    let mut problems = Vec::new();
    for (key, value) in changes {
        let problem = |why: String| SettingProblem {
            key: key.clone(),
            why,
        };
        if let Some(why) = Key::written(key).unknown() {
            problems.push(problem(why));
        } else if value.is_null() {
            taken.push((key.clone(), None));
        } else {
            match value.serialize(ValueSerializer::new()) {
                Ok(value) => taken.push((key.clone(), Some(value))),
                // The error can contain the value.
                Err(_) if meta::is_secret(key) => {
                    problems.push(problem("it must be a text".to_owned()));
                }
                Err(error) => problems.push(problem(error.to_string())),
            }
        }
    }
    if problems.is_empty() {
        Ok(taken)
    } else {
        Err(problems)
    }
}

fn borrowed(changes: &[(String, Option<toml_edit::Value>)]) -> Vec<Change<'_>> {
    changes
        .iter()
        .map(|(key, value)| (key.as_str(), value.clone()))
        .collect()
}

fn about_none(why: String) -> SettingProblem {
    SettingProblem {
        key: String::new(),
        why,
    }
}
